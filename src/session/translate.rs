//! Targets for sources, a token at a time: the likeliest token each, or a beam of continuations.

use burn::tensor::{Device, Tensor};

use super::Session;
use super::loss::{ids, reading};
use crate::data::batches::Padded;
use crate::data::examples::uncut;
use crate::data::tokenizer::{Special, Tokenizer};
use crate::error::{Error, Result};
use crate::model::sequence::Decoding;
use crate::model::{Net, Reading, SequenceModel};
use crate::order::sort;
use crate::value::{Fields, Value};
use crate::weights::lost;

/// Settings of a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranslateConfig {
    /// Most tokens of the target; default and most: `maxLength`.
    pub max_tokens: usize,
    /// Continuations kept at each token, default 1.
    pub beams: usize,
}

impl TranslateConfig {
    /// Reads and checks the options of `translate` for a model that takes `max_length` tokens.
    pub fn parse(options: &Value, max_length: usize) -> Result<Self> {
        let mut fields = Fields::new(options, "options")?;
        let max_tokens = fields.size("maxTokens", 1, 1_000_000)?.unwrap_or(max_length);
        let beams = fields.size("beams", 1, 64)?.unwrap_or(1);
        fields.finish("maxTokens, beams, signal")?;
        Ok(Self { max_tokens: max_tokens.min(max_length), beams })
    }
}

/// A target, or the beginning of one.
#[derive(Debug, Clone)]
struct Beam {
    ids: Vec<u32>,
    /// Log-likelihood in nats, of the end too if it has one.
    score: f64,
}

impl Beam {
    /// Log-likelihood a token: of texts of different lengths, the sum would prefer the shortest.
    fn mean(&self, ended: bool) -> f64 {
        self.score / (self.ids.len() + usize::from(ended)).max(1) as f64
    }
}

/// A translation under way. It keeps the weights it was begun with.
#[derive(Debug)]
pub(super) struct Translation {
    model: SequenceModel,
    decoding: Decoding,
    config: TranslateConfig,
    live: Vec<Beam>,
    /// The best so far of those that have come to their end, by its mean.
    best: Option<(f64, Vec<u32>)>,
    ended: usize,
}

/// The ids that may be said: those of text, and the end.
fn sayable(tokenizer: &Tokenizer) -> (std::ops::Range<u32>, u32) {
    let end = tokenizer.special(Special::End).expect("the tokenizer is one for targets");
    (tokenizer.never_generated(), end)
}

async fn values(logits: Tensor<2>) -> Result<Vec<f32>> {
    let data = logits.into_data_async().await.map_err(lost)?;
    data.try_to_vec::<f32>().map_err(lost)
}

/// The likeliest targets of a batch of sources, without their ends.
pub(super) async fn greedy(
    model: &SequenceModel,
    source: &Reading,
    limit: usize,
    tokenizer: &Tokenizer,
    device: &Device,
) -> Result<Vec<Vec<u32>>> {
    let (never, end) = sayable(tokenizer);
    let [batch, _len] = source.ids.dims();
    let mut decoding = model.begin(source);
    let begin = tokenizer.special(Special::Begin).expect("the tokenizer is one for targets");
    let mut next = vec![begin as i32; batch];
    let mut targets = vec![Vec::new(); batch];
    let mut open = vec![true; batch];
    for _ in 0..limit {
        let logits = model.decode_next(ids(&next, [batch], device), &mut decoding);
        let [_batch, vocab] = logits.dims();
        for (row, logits) in values(logits).await?.chunks(vocab).enumerate() {
            let likelier = |&(_, a): &(usize, f32), &(_, b): &(usize, f32)| a.total_cmp(&b);
            let sayable =
                logits.iter().copied().enumerate().filter(|(id, _)| !never.contains(&(*id as u32)));
            // Of equally likely ones the first, as everywhere.
            let (best, _) = sayable.rev().max_by(likelier).expect("something can be said");
            next[row] = best as i32;
            open[row] &= best as u32 != end;
            if open[row] {
                targets[row].push(best as u32);
            }
        }
        if open.iter().all(|open| !open) {
            break;
        }
    }
    Ok(targets)
}

impl Session {
    pub(super) fn sequence_model(&self, call: &str) -> Result<SequenceModel> {
        match self.trainer.inference_model() {
            Net::Sequence(model) => Ok(model),
            _ => Err(self.wrong_task(call)),
        }
    }

    /// A single source on the device.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidData`] if it is empty, [`Error::TextTooLong`].
    pub(super) fn source(&self, text: &str) -> Result<(Vec<u32>, Reading)> {
        let source = self.tokenizer.encode(text);
        if source.is_empty() {
            return Err(Error::data("the source is empty"));
        }
        let source = uncut(source, self.spec.max_length)?;
        let reading = reading(&Padded::new(&[&source], 0), None, &self.device);
        Ok((source, reading))
    }

    /// Begins to translate `source`.
    ///
    /// # Errors
    ///
    /// [`Error::WrongTask`], [`Error::InvalidOption`], [`Error::InvalidData`] for an empty source,
    /// [`Error::TextTooLong`].
    pub fn begin_translation(&mut self, source: &str, options: &Value) -> Result<u32> {
        let model = self.sequence_model("translate")?;
        let config = TranslateConfig::parse(options, self.spec.max_length)?;
        let (_, reading) = self.source(source)?;
        let translation = Translation {
            decoding: model.begin(&reading),
            model,
            config,
            live: vec![Beam { ids: Vec::new(), score: 0.0 }],
            best: None,
            ended: 0,
        };
        let id = self.id();
        self.translations.insert(id, translation);
        Ok(id)
    }

    /// Goes on by one token; the target once it is complete.
    pub async fn translate_next(&mut self, id: u32) -> Result<Option<String>> {
        let translation = self.translations.get_mut(&id);
        let translation =
            translation.ok_or_else(|| Error::Internal { reason: "no such translation".into() })?;
        let Some(target) = translation.next(&self.tokenizer, &self.device).await? else {
            return Ok(None);
        };
        self.translations.remove(&id);
        Ok(Some(self.tokenizer.decode(&target)))
    }

    /// Forgets a translation; does nothing if it is over.
    pub fn end_translation(&mut self, id: u32) {
        self.translations.remove(&id);
    }
}

impl Translation {
    async fn next(&mut self, tokenizer: &Tokenizer, device: &Device) -> Result<Option<Vec<u32>>> {
        let (never, end) = sayable(tokenizer);
        let begin = tokenizer.special(Special::Begin).expect("the tokenizer is one for targets");
        let last: Vec<i32> =
            self.live.iter().map(|beam| *beam.ids.last().unwrap_or(&begin) as i32).collect();
        let logits = self.model.decode_next(ids(&last, [last.len()], device), &mut self.decoding);
        let [_beams, vocab] = logits.dims();
        let logits = values(logits).await?;

        // One more than beams of each: one of them may be the end.
        let mut candidates: Vec<(f64, usize, u32)> = Vec::new();
        for (row, logits) in logits.chunks(vocab).enumerate() {
            let mut said: Vec<u32> = (0..vocab as u32).filter(|id| !never.contains(id)).collect();
            let largest = said.iter().map(|&id| logits[id as usize]).fold(f32::MIN, f32::max);
            let exp = |&id: &u32| libm::exp(f64::from(logits[id as usize] - largest));
            let log_sum = libm::log(said.iter().map(exp).sum());
            sort(&mut said, &mut |a, b| logits[b as usize].total_cmp(&logits[a as usize]));
            let score = self.live[row].score - f64::from(largest) - log_sum;
            candidates.extend(
                said.iter()
                    .take(self.config.beams + 1)
                    .map(|&id| (score + f64::from(logits[id as usize]), row, id)),
            );
        }
        let mut order: Vec<u32> = (0..candidates.len() as u32).collect();
        sort(&mut order, &mut |a, b| candidates[b as usize].0.total_cmp(&candidates[a as usize].0));

        let (mut live, mut rows) = (Vec::new(), Vec::new());
        for (score, row, id) in order.into_iter().map(|index| candidates[index as usize]) {
            let mut beam = Beam { ids: self.live[row].ids.clone(), score };
            if id == end {
                self.offer(beam.mean(true), beam.ids);
                self.ended += 1;
            } else {
                beam.ids.push(id);
                live.push(beam);
                rows.push(row as i32);
            }
            if live.len() == self.config.beams {
                break;
            }
            // The best of all has ended: what is worse goes on only if there is room to hope.
            if self.ended >= self.config.beams {
                break;
            }
        }
        let made = live.first().map_or(self.config.max_tokens, |beam| beam.ids.len());
        if self.ended >= self.config.beams || made >= self.config.max_tokens {
            if self.best.is_none() || self.ended < self.config.beams {
                live.into_iter().for_each(|beam| self.offer(beam.mean(false), beam.ids));
            }
            let (_, target) = self.best.take().expect("something was offered");
            return Ok(Some(target));
        }
        self.live = live;
        let stays = rows.iter().enumerate().all(|(at, &row)| at as i32 == row);
        if !stays || rows.len() != last.len() {
            self.decoding.select(&ids(&rows, [rows.len()], device));
        }
        Ok(None)
    }

    fn offer(&mut self, mean: f64, ids: Vec<u32>) {
        if self.best.as_ref().is_none_or(|(best, _)| mean > *best) {
            self.best = Some((mean, ids));
        }
    }
}
