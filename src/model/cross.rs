//! Cross-attention: a decoder's look at what the encoder has read. Always dot products, whatever
//! kind the self-attention is: tables of fixed size cannot know which source they look at
//! ("Synthesizer", section 4.1, synthesizes self-attention alone).
//! Vaswani et al., "Attention Is All You Need", section 3.2.3, <https://arxiv.org/abs/1706.03762>.

use burn::module::{Module, Param};
use burn::tensor::{Int, Tensor};

use super::layers::Linear;
use crate::attention::Mask;
use crate::init::Init;
use crate::ops;

/// Multi-head scaled dot-product attention over a memory.
#[derive(Module, Debug)]
pub struct Cross {
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
    #[module(skip)]
    heads: usize,
}

/// What a layer's cross-attention looks at, made once for each source.
#[derive(Debug, Clone)]
pub struct Memory {
    /// `[batch, source, d_model]`
    keys: Tensor<3>,
    /// `[batch, source, d_model]`
    values: Tensor<3>,
}

impl Memory {
    /// Keeps these rows, in this order; a row may come more than once.
    pub fn select(&mut self, rows: &Tensor<1, Int>) {
        self.keys = self.keys.clone().select(0, rows.clone());
        self.values = self.values.clone().select(0, rows.clone());
    }
}

impl Cross {
    /// Xavier-uniform weights and zero biases.
    pub fn init(d_model: usize, heads: usize, init: &Init) -> Self {
        let linear = |name| Linear::init(d_model, d_model, &init.scope(name));
        Self {
            query: linear("query"),
            key: linear("key"),
            value: linear("value"),
            out: linear("out"),
            heads,
        }
    }

    /// Number of weights.
    pub fn parameters(d_model: usize) -> u64 {
        let d_model = d_model as u64;
        4 * (d_model + 1) * d_model
    }

    /// Keys and values of an encoded source, `[batch, source, d_model]`.
    pub fn memory(&self, encoded: Tensor<3>) -> Memory {
        // The gradient of this bias is zero but for rounding, see the scores of `Vanilla`.
        let bias = self.key.bias.as_ref().map(|bias| Param::val(bias).detach());
        let keys = ops::linear(encoded.clone(), self.key.weight.val(), bias);
        Memory { keys, values: self.value.forward(encoded) }
    }

    /// # Shapes
    ///
    /// - x: `[batch, len, d_model]`
    /// - mask: of the source, not causal
    /// - output: the same as x, and the weights `[batch, heads, len, source]` if `watch`
    pub fn forward(
        &self,
        x: Tensor<3>,
        memory: &Memory,
        mask: &Mask,
        watch: bool,
    ) -> (Tensor<3>, Option<Tensor<4>>) {
        let [_batch, _len, d_model] = x.dims();
        let scale = ((d_model / self.heads) as f64).sqrt().recip();
        let scores = ops::scores(self.query.forward(x), memory.keys.clone(), self.heads, scale);
        let attention = mask.softmax(scores);
        let watched = watch.then(|| attention.clone());
        let mixed = ops::mix(attention, memory.values.clone());
        (self.out.forward(mixed), watched)
    }
}
