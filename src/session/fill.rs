//! Guesses for the masks in a text.

use super::Session;
use super::loss::{ids, reading};
use crate::data::batches::Padded;
use crate::data::examples::uncut;
use crate::data::tokenizer::{MASK, Special};
use crate::error::{Error, Result};
use crate::model::Net;
use crate::order::sort;
use crate::weights::lost;

/// What may stand behind a mask.
#[derive(Debug, Clone, PartialEq)]
pub struct FilledMask {
    /// Index of the mask among the tokens of the text.
    pub position: usize,
    /// The likeliest first.
    pub candidates: Vec<Candidate>,
}

/// A token and how likely it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// As in the vocabulary.
    pub token: String,
    /// Among all tokens that can stand in a text.
    pub probability: f64,
}

impl Session {
    /// The `top` likeliest tokens for every [`MASK`] in `text`.
    ///
    /// # Errors
    ///
    /// [`Error::WrongTask`], [`Error::InvalidData`] for a text without a mask,
    /// [`Error::TextTooLong`].
    pub async fn fill(&self, text: &str, top: usize) -> Result<Vec<FilledMask>> {
        let Net::Masked(model) = self.trainer.inference_model() else {
            return Err(self.wrong_task("fill"));
        };
        let row = uncut(self.tokenizer.encode_masked(text), self.spec.max_length)?;
        let mask = self.tokenizer.special(Special::Mask).expect("the tokenizer is one for masking");
        let places: Vec<usize> = (0..row.len()).filter(|at| row[*at] == mask).collect();
        if places.is_empty() {
            return Err(Error::data(format!(
                "the text has no mask; write {MASK} where one is to be"
            )));
        }
        let flat: Vec<i32> = places.iter().map(|&at| at as i32).collect();
        let reading = reading(&Padded::new(&[row], mask), None, &self.device);
        let logits = model.forward(&reading, ids(&flat, [flat.len()], &self.device), None);
        let [_places, vocab] = logits.dims();
        let data = logits.into_data_async().await.map_err(lost)?;
        let values = data.try_to_vec::<f32>().map_err(lost)?;
        let filled = places.into_iter().zip(values.chunks(vocab));
        Ok(filled
            .map(|(position, logits)| FilledMask { position, candidates: self.best(logits, top) })
            .collect())
    }

    /// The likeliest text tokens: a mask never hides a special token.
    fn best(&self, logits: &[f32], top: usize) -> Vec<Candidate> {
        let text = self.tokenizer.text_ids();
        let mut ids: Vec<u32> = text.collect();
        let largest = ids.iter().map(|&id| logits[id as usize]).fold(f32::MIN, f32::max);
        let share = |id: u32| libm::exp(f64::from(logits[id as usize] - largest));
        let sum: f64 = ids.iter().map(|&id| share(id)).sum();
        sort(&mut ids, &mut |a, b| logits[b as usize].total_cmp(&logits[a as usize]));
        ids.truncate(top);
        let candidate =
            |&id: &u32| Candidate { token: self.tokenizer.label(id), probability: share(id) / sum };
        ids.iter().map(candidate).collect()
    }
}
