//! Cross-attention: a decoder's look at what the encoder has read. Dot products, whatever kind the
//! self-attention is: tables of fixed size cannot know which source they look at ("Synthesizer",
//! section 4.1, synthesizes self-attention alone). To see that they cannot, it may be such a table.
//! Vaswani et al., "Attention Is All You Need", section 3.2.3, <https://arxiv.org/abs/1706.03762>.

use burn::module::{Module, Param};
use burn::tensor::{Int, Tensor};

use super::layers::Linear;
use crate::attention::random::Random;
use crate::attention::{Dims, KindOptions, Mask, Scores};
use crate::error::{Error, Result};
use crate::init::Init;
use crate::ops;

/// How a decoder scores the positions of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CrossAttention {
    /// By dot products of queries and keys.
    #[default]
    DotProduct,
    /// By a learned table that looks at neither text: the Random Synthesizer's, from positions of the
    /// target to those of the source. An experiment, which fails where the source matters.
    Random,
}

impl CrossAttention {
    /// All of them.
    pub const ALL: [CrossAttention; 2] = [CrossAttention::DotProduct, CrossAttention::Random];

    /// The name in options and files.
    pub fn name(self) -> &'static str {
        match self {
            CrossAttention::DotProduct => "dot-product",
            CrossAttention::Random => Random::SCOPE,
        }
    }

    /// The one of this name.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOption`] if there is none.
    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|cross| cross.name() == name);
        found.ok_or_else(|| {
            Error::option("cross", format!("{name:?}"), "\"dot-product\" or \"random\"")
        })
    }
}

/// Multi-head attention over a memory.
#[derive(Module, Debug)]
pub struct Cross {
    /// Absent where scores are a table.
    query: Option<Linear>,
    /// Absent where scores are a table.
    key: Option<Linear>,
    /// The table, if scores are one. Its rows are positions of the target, its columns of the source.
    random: Option<Random>,
    value: Linear,
    out: Linear,
    #[module(skip)]
    heads: usize,
}

/// What a layer's cross-attention looks at, made once for each source.
#[derive(Debug, Clone)]
pub struct Memory {
    /// `[batch, source, d_model]`; absent where scores are a table
    keys: Option<Tensor<3>>,
    /// `[batch, source, d_model]`
    values: Tensor<3>,
}

impl Memory {
    /// Keeps these rows, in this order; a row may come more than once.
    pub fn select(&mut self, rows: &Tensor<1, Int>) {
        let keys = self.keys.take();
        self.keys = keys.map(|keys| keys.select(0, rows.clone()));
        self.values = self.values.clone().select(0, rows.clone());
    }
}

impl Cross {
    /// Xavier-uniform weights and zero biases; a table like that of the random part.
    pub fn init(cross: CrossAttention, dims: &Dims, init: &Init) -> Self {
        let Dims { d_model, heads, .. } = *dims;
        let linear = |name| Linear::init(d_model, d_model, &init.scope(name));
        let dots = cross == CrossAttention::DotProduct;
        let table = || Random::init(&KindOptions::defaults(dims), dims, &init.scope(Random::SCOPE));
        Self {
            query: dots.then(|| linear("query")),
            key: dots.then(|| linear("key")),
            random: (cross == CrossAttention::Random).then(table),
            value: linear("value"),
            out: linear("out"),
            heads,
        }
    }

    /// Number of weights.
    pub fn parameters(cross: CrossAttention, dims: &Dims) -> u64 {
        let [d_model, ..] = dims.wide();
        let linear = (d_model + 1) * d_model;
        match cross {
            CrossAttention::DotProduct => 4 * linear,
            CrossAttention::Random => {
                2 * linear + Random::parameters(&KindOptions::defaults(dims), dims)
            }
        }
    }

    /// Keys, if any are asked for, and values of an encoded source, `[batch, source, d_model]`.
    pub fn memory(&self, encoded: Tensor<3>) -> Memory {
        let keys = self.key.as_ref().map(|key| {
            // The gradient of this bias is zero but for rounding, see the scores of `Vanilla`.
            let bias = key.bias.as_ref().map(|bias| Param::val(bias).detach());
            ops::linear(encoded.clone(), key.weight.val(), bias)
        });
        Memory { keys, values: self.value.forward(encoded) }
    }

    /// `[batch or 1, heads, len, source]`, before masking; `past` positions come before those of x.
    fn scores(&self, x: Tensor<3>, past: usize, memory: &Memory) -> Tensor<4> {
        let [_batch, len, d_model] = x.dims();
        if let Some(table) = &self.random {
            let [_batch, source, _d_model] = memory.values.dims();
            return table.window(past..past + len, source);
        }
        let query = self.query.as_ref().expect("what has no table has queries");
        let keys = memory.keys.clone().expect("what has no table has keys");
        let scale = ((d_model / self.heads) as f64).sqrt().recip();
        ops::scores(query.forward(x), keys, self.heads, scale)
    }

    /// # Shapes
    ///
    /// - x: `[batch, len, d_model]`, the positions of the target from `past` on
    /// - mask: of the source, not causal
    /// - output: the same as x, and the weights `[batch or 1, heads, len, source]` if `watch`
    pub fn forward(
        &self,
        x: Tensor<3>,
        past: usize,
        memory: &Memory,
        mask: &Mask,
        watch: bool,
    ) -> (Tensor<3>, Option<Tensor<4>>) {
        let attention = mask.softmax(self.scores(x, past, memory));
        let watched = watch.then(|| attention.clone());
        let mixed = ops::mix(attention, memory.values.clone());
        (self.out.forward(mixed), watched)
    }
}
