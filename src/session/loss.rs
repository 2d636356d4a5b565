//! A batch on the device, and what a model's guesses about it cost.

use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::attention::Mask;
use crate::data::batches::Padded;
use crate::data::corpus::Batch;
use crate::model::language_model::token_losses;
use crate::model::{Dropout, Net, Reading};
use crate::ops;

/// The causal mask last used, which the next pass most likely needs again.
#[derive(Debug)]
pub(super) struct CausalMask {
    device: Device,
    last: Option<(usize, Mask)>,
}

impl CausalMask {
    pub(super) fn new(device: &Device) -> Self {
        Self { device: device.clone(), last: None }
    }

    /// The mask of a pass over `len` tokens.
    pub(super) fn of(&mut self, len: usize) -> Mask {
        match &self.last {
            Some((known, mask)) if *known == len => mask.clone(),
            _ => {
                let mask = Mask::causal(len, &self.device);
                self.last = Some((len, mask.clone()));
                mask
            }
        }
    }
}

/// Ids on the device, row-major.
pub(super) fn ids<const D: usize>(
    values: &[i32],
    shape: [usize; D],
    device: &Device,
) -> Tensor<D, Int> {
    Tensor::from_data(TensorData::new(values.to_vec(), shape), device)
}

/// Rows for an encoder, with what is padding hidden.
pub(super) fn reading(rows: &Padded, segments: Option<&[i32]>, device: &Device) -> Reading {
    let shape = [rows.lengths.len(), rows.len];
    let even = rows.lengths.iter().all(|&len| len == rows.len);
    Reading {
        ids: ids(&rows.ids, shape, device),
        segments: segments.map(|segments| ids(segments, shape, device)),
        mask: match even {
            true => Mask::none(),
            false => Mask::padded(&rows.lengths, rows.len, false, device),
        },
    }
}

/// Logits of a batch.
pub(super) enum Guesses {
    /// `[batch, len, vocab]`
    Tokens(Tensor<3>),
    /// `[places, vocab]` or `[batch, classes]`
    Rows(Tensor<2>),
}

/// What the model makes of a batch.
pub(super) fn guesses(
    net: &Net,
    batch: &Batch,
    causal: &mut CausalMask,
    dropout: Option<&Dropout>,
) -> Guesses {
    let device = &causal.device.clone();
    match (net, batch) {
        (Net::LanguageModel(model), Batch::Next(batch)) => {
            let inputs = ids(&batch.inputs, [batch.batch, batch.len], device);
            Guesses::Tokens(model.forward(inputs, &causal.of(batch.len), dropout))
        }
        (Net::Masked(model), Batch::Masked { rows, places, .. }) => {
            let places = ids(places, [places.len()], device);
            Guesses::Rows(model.forward(&reading(rows, None, device), places, dropout))
        }
        (Net::Classifier(model), Batch::Labelled { rows, segments, .. }) => {
            let reading = reading(rows, segments.as_deref(), device);
            Guesses::Rows(model.forward(&reading, dropout))
        }
        (Net::Sequence(model), Batch::Translated { source, inputs, .. }) => {
            let source = reading(source, None, device);
            let shape = [inputs.lengths.len(), inputs.len];
            let mask = causal.of(inputs.len);
            Guesses::Tokens(model.forward(&source, ids(&inputs.ids, shape, device), &mask, dropout))
        }
        _ => unreachable!("a corpus gives the batches of its task"),
    }
}

/// Sum of the losses of all targets of a batch, in nats, `[1]`.
pub(super) fn cost(guesses: Guesses, batch: &Batch, device: &Device) -> Tensor<1> {
    match (guesses, batch) {
        (Guesses::Tokens(logits), Batch::Next(batch)) => {
            let targets = ids(&batch.targets, [batch.batch, batch.len], device);
            token_losses(logits, targets).sum()
        }
        (Guesses::Tokens(logits), Batch::Translated { outputs, .. }) => {
            let shape = [outputs.lengths.len(), outputs.len];
            let losses = token_losses(logits, ids(&outputs.ids, shape, device));
            let counts =
                |&len: &usize| (0..outputs.len).map(move |at| f32::from(u8::from(at < len)));
            let counts: Vec<f32> = outputs.lengths.iter().flat_map(counts).collect();
            let len = counts.len();
            (losses * Tensor::from_data(TensorData::new(counts, [len]), device)).sum()
        }
        (Guesses::Rows(logits), Batch::Masked { targets, .. })
        | (Guesses::Rows(logits), Batch::Labelled { labels: targets, .. }) => {
            ops::cross_entropy(logits, ids(targets, [targets.len()], device)).sum()
        }
        _ => unreachable!("a model's guesses have the form of its batches"),
    }
}
