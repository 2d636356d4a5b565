//! Classes of a text or of a pair of texts, from the mean of an encoder's vectors.
//!
//! BERT takes the vector of its first token instead. Trained from scratch on small data sets, a
//! mean over all tokens learns sooner and better, and serves kinds that have no way to gather
//! what is elsewhere into one position.

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::dropout::{self, Dropout};
use super::encoder::{Encoder, EncoderConfig, Reading};
use super::layers::Linear;
use super::positions::EMBEDDING_DEVIATION;
use crate::init::Init;

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
            head: Linear::init_normal(d_model, classes, EMBEDDING_DEVIATION, true, &head),
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

    /// `[batch, classes]` logits. Padding has no part in the mean.
    pub fn forward(&self, reading: &Reading, dropout: Option<&Dropout>) -> Tensor<2> {
        let x = self.encoder.forward(reading, dropout);
        let [batch, len, d_model] = x.dims();
        let mean = match reading.mask.tokens() {
            Some(tokens) => {
                let share = tokens.clone() / tokens.sum_dim(1);
                share.reshape([batch, 1, len]).matmul(x)
            }
            None => x.mean_dim(1),
        };
        let mean = mean.reshape([batch, d_model]);
        self.head.forward(dropout::maybe(dropout, mean))
    }
}
