//! A pre-LN Transformer block: `x += attn(ln1(x)); x += ffn(ln2(x))`, with
//! `x += cross(ln_cross(x), memory)` between the two in the decoder of an encoder-decoder.
//! Xiong et al., "On Layer Normalization in the Transformer Architecture", section 3,
//! <https://arxiv.org/abs/2002.04745>.

use burn::module::Module;
use burn::tensor::Tensor;

use super::cross::{Cross, CrossAttention, Memory};
use super::dropout::{self, Dropout};
use super::layers::{Activation, FeedForward, LayerNorm};
use crate::attention::{AnyCache, AnyMixer, Dims, Kind, KindOptions, Mask, TokenMixer};
use crate::init::Init;

/// What a block is made of.
#[derive(Debug, Clone)]
pub struct BlockConfig {
    /// How positions meet.
    pub kind: &'static Kind,
    /// Settings of the kind.
    pub options: KindOptions,
    /// Width, heads and longest input.
    pub dims: Dims,
    /// Width of the feed-forward part.
    pub d_ff: usize,
    /// Non-linearity of the feed-forward part.
    pub activation: Activation,
    /// How a decoder block scores the positions of its source.
    pub cross: CrossAttention,
}

/// Token mixing and a feed-forward part, each on a normalised copy and added back.
#[derive(Module, Debug)]
pub struct Block {
    ln1: LayerNorm,
    attn: AnyMixer,
    ln2: LayerNorm,
    ffn: FeedForward,
}

/// A block's cache while text is made a token at a time.
pub type Cache = AnyCache;

impl Block {
    /// Fresh weights.
    pub fn init(config: &BlockConfig, init: &Init) -> Self {
        let d_model = config.dims.d_model;
        let ffn = init.scope("ffn");
        Self {
            ln1: LayerNorm::init(d_model, &init.scope("ln1")),
            attn: config.kind.init(&config.options, &config.dims, &init.scope("attn")),
            ln2: LayerNorm::init(d_model, &init.scope("ln2")),
            ffn: FeedForward::init(d_model, config.d_ff, config.activation, &ffn),
        }
    }

    /// `[batch, len, d_model]` to the same, and the attention weights if `watch` asks for them.
    pub fn forward(
        &self,
        x: Tensor<3>,
        mask: &Mask,
        dropout: Option<&Dropout>,
        watch: bool,
    ) -> (Tensor<3>, Option<Tensor<4>>) {
        let (mixed, weights) = self.attn.forward(self.ln1.forward(x.clone()), mask, watch);
        let x = x + dropout::maybe(dropout, mixed);
        let thought = self.ffn.forward(self.ln2.forward(x.clone()));
        (x + dropout::maybe(dropout, thought), weights)
    }

    /// The next positions of a causal sequence, given the cache of those before.
    pub fn forward_cached(&self, x: Tensor<3>, cache: &mut Cache) -> Tensor<3> {
        let mixed = self.attn.forward_cached(self.ln1.forward(x.clone()), cache);
        let x = x + mixed;
        x.clone() + self.ffn.forward(self.ln2.forward(x))
    }

    /// Learned weights of the parts, `[heads, parts]`, of a mixture.
    pub fn mixture(&self) -> Option<Tensor<2>> {
        self.attn.mixture()
    }
}

/// A causal block that looks at a source too.
#[derive(Module, Debug)]
pub struct DecoderBlock {
    ln1: LayerNorm,
    attn: AnyMixer,
    ln_cross: LayerNorm,
    cross: Cross,
    ln2: LayerNorm,
    ffn: FeedForward,
}

/// What a decoder block looks at beside its own sequence.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Keys and values of this block.
    pub memory: &'a Memory,
    /// Hides the source's padding.
    pub mask: &'a Mask,
    /// Positions of the block's own sequence before those at hand.
    pub past: usize,
}

/// Weights of a decoder block, of its own sequence and of the source.
#[derive(Debug, Clone)]
pub struct DecoderWeights {
    /// `[batch or 1, heads, len, len]`; `None` for a kind that has none
    pub own: Option<Tensor<4>>,
    /// `[batch or 1, heads, len, source]`
    pub cross: Tensor<4>,
}

impl DecoderBlock {
    /// Fresh weights.
    pub fn init(config: &BlockConfig, init: &Init) -> Self {
        let Block { ln1, attn, ln2, ffn } = Block::init(config, init);
        let BlockConfig { dims, cross, .. } = config;
        Self {
            ln1,
            attn,
            ln_cross: LayerNorm::init(dims.d_model, &init.scope("ln_cross")),
            cross: Cross::init(*cross, dims, &init.scope("cross")),
            ln2,
            ffn,
        }
    }

    /// Keys and values of an encoded source, `[batch, source, d_model]`.
    pub fn memory(&self, encoded: Tensor<3>) -> Memory {
        self.cross.memory(encoded)
    }

    /// `[batch, len, d_model]` to the same, and the weights if `watch` asks for them.
    pub fn forward(
        &self,
        x: Tensor<3>,
        mask: &Mask,
        source: Source<'_>,
        dropout: Option<&Dropout>,
        watch: bool,
    ) -> (Tensor<3>, Option<DecoderWeights>) {
        let (mixed, own) = self.attn.forward(self.ln1.forward(x.clone()), mask, watch);
        let x = x + dropout::maybe(dropout, mixed);
        let (x, cross) = self.look_and_think(x, source, dropout, watch);
        (x, cross.map(|cross| DecoderWeights { own, cross }))
    }

    /// The next positions, given the cache of those before.
    pub fn forward_cached(&self, x: Tensor<3>, source: Source<'_>, cache: &mut Cache) -> Tensor<3> {
        let mixed = self.attn.forward_cached(self.ln1.forward(x.clone()), cache);
        self.look_and_think(x + mixed, source, None, false).0
    }

    /// What follows self-attention.
    fn look_and_think(
        &self,
        x: Tensor<3>,
        source: Source<'_>,
        dropout: Option<&Dropout>,
        watch: bool,
    ) -> (Tensor<3>, Option<Tensor<4>>) {
        let normed = self.ln_cross.forward(x.clone());
        let Source { memory, mask, past } = source;
        let (seen, weights) = self.cross.forward(normed, past, memory, mask, watch);
        let x = x + dropout::maybe(dropout, seen);
        let thought = self.ffn.forward(self.ln2.forward(x.clone()));
        (x + dropout::maybe(dropout, thought), weights)
    }

    /// Learned weights of the parts, `[heads, parts]`, of a mixture.
    pub fn mixture(&self) -> Option<Tensor<2>> {
        self.attn.mixture()
    }
}
