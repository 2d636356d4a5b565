//! Classes of a text or of a pair of texts, from the mean and the maximum of an encoder's vectors
//! (Howard and Ruder, "Universal Language Model Fine-tuning for Text Classification", section 3.3,
//! "concat pooling", <https://arxiv.org/abs/1801.06146>).
//!
//! BERT takes the vector of its first token instead. Trained from scratch on small data sets,
//! pooling over all tokens learns sooner and better, and serves kinds that have no way to gather
//! what is elsewhere into one position.

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::dropout::{self, Dropout};
use super::encoder::{Encoder, EncoderConfig, Reading};
use super::layers::Linear;
use super::positions::EMBEDDING_DEVIATION;
use crate::init::Init;
use crate::ops;

/// `[batch, len]` ids to `[batch, classes]` logits.
#[derive(Module, Debug)]
pub struct Classifier {
    encoder: Encoder,
    head: Linear,
}

impl Classifier {
    /// Fresh weights.
    pub fn init(config: &EncoderConfig, classes: usize, init: &Init) -> Self {
        let d_model = config.block.dims.d_model;
        let head = init.scope("head");
        Self {
            encoder: Encoder::init(config, &init.scope("encoder")),
            head: Linear::init_normal(2 * d_model, classes, EMBEDDING_DEVIATION, true, &head),
        }
    }

    /// What reads the text.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// Where the weights are, without autodiff.
    pub fn device(&self) -> Device {
        self.encoder.device()
    }

    /// `[batch, classes]` logits. Padding has no part in them.
    pub fn forward(&self, reading: &Reading, dropout: Option<&Dropout>) -> Tensor<2> {
        let x = self.encoder.forward(reading, dropout);
        let [batch, len, d_model] = x.dims();
        let (mean, max) = match reading.mask.tokens() {
            Some(tokens) => {
                let share = tokens.clone() / tokens.clone().sum_dim(1);
                let mean = ops::mix(share.reshape([batch, 1, 1, len]), x.clone());
                // Far below any normalised vector, and finite: infinity times zero is no number.
                let padding = tokens.sub_scalar(1.0).mul_scalar(1e9).reshape([batch, len, 1]);
                (mean, (x + padding).max_dim(1))
            }
            None => (x.clone().mean_dim(1), x.max_dim(1)),
        };
        let pooled = Tensor::cat(vec![mean, max], 2).reshape([batch, 2 * d_model]);
        self.head.forward(dropout::maybe(dropout, pooled))
    }
}
