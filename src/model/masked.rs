//! A masked language model: a text with some tokens hidden to logits of what they are.
//! Devlin et al., "BERT", section 3.1, <https://arxiv.org/abs/1810.04805>, without its extra layer
//! before the head.

use burn::module::Module;
use burn::tensor::{Device, Int, Tensor};

use super::dropout::Dropout;
use super::encoder::{Encoder, EncoderConfig, Reading};
use super::layers::Linear;
use super::positions::EMBEDDING_DEVIATION;
use crate::init::Init;
use crate::ops;

/// `[batch, len]` ids to `[places, vocab]` logits.
#[derive(Module, Debug)]
pub struct MaskedModel {
    encoder: Encoder,
    /// Absent if tied.
    head: Option<Linear>,
}

impl MaskedModel {
    /// Fresh weights. With `tied` the head is the token embedding, transposed.
    pub fn init(config: &EncoderConfig, tied: bool, head_bias: bool, init: &Init) -> Self {
        let (d_model, vocab) = (config.block.dims.d_model, config.vocab);
        let (head, deviation) = (init.scope("head"), EMBEDDING_DEVIATION);
        Self {
            encoder: Encoder::init(config, &init.scope("encoder")),
            head: (!tied).then(|| Linear::init_normal(d_model, vocab, deviation, head_bias, &head)),
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

    /// # Shapes
    ///
    /// - places: `[places]`, numbers of positions counted over all rows, `row * len + position`
    /// - output: `[places, vocab]`
    pub fn forward(
        &self,
        reading: &Reading,
        places: Tensor<1, Int>,
        dropout: Option<&Dropout>,
    ) -> Tensor<2> {
        let x = self.encoder.forward(reading, dropout);
        let [batch, len, d_model] = x.dims();
        // Only the hidden tokens go through the head, whose product is the largest of all.
        let x = x.reshape([batch * len, d_model]).select(0, places);
        match &self.head {
            Some(head) => head.forward(x),
            None => ops::linear(x, self.encoder.tok_embed.weight.val().transpose(), None),
        }
    }
}
