//! A bidirectional encoder: tokens to vectors that know of all other tokens.
//! Devlin et al., "BERT", section 3, <https://arxiv.org/abs/1810.04805>, with pre-LN blocks and any
//! attention kind in them.

use burn::module::Module;
use burn::tensor::{Device, Int, Tensor};

use super::block::{Block, BlockConfig};
use super::dropout::{self, Dropout};
use super::layers::{Embedding, LayerNorm};
use super::positions::{ADDED_DEVIATION, EMBEDDING_DEVIATION, Positions, place};
use crate::attention::Mask;
use crate::init::Init;

/// What an encoder is made of.
#[derive(Debug, Clone)]
pub struct EncoderConfig {
    /// The blocks.
    pub block: BlockConfig,
    /// Number of blocks.
    pub layers: usize,
    /// Number of token ids.
    pub vocab: usize,
    /// How positions are told.
    pub positions: Positions,
    /// Whether tokens belong to a first or a second text.
    pub segments: bool,
}

/// `[batch, len]` ids to `[batch, len, d_model]`.
#[derive(Module, Debug)]
pub struct Encoder {
    pub(super) tok_embed: Embedding,
    pos_embed: Option<Embedding>,
    /// Of the first and the second text, `[2, d_model]`, for pairs.
    seg_embed: Option<Embedding>,
    blocks: Vec<Block>,
    ln_f: LayerNorm,
    #[module(skip)]
    sinusoids: Option<Tensor<2>>,
}

/// What an encoder reads.
#[derive(Debug, Clone)]
pub struct Reading {
    /// `[batch, len]`
    pub ids: Tensor<2, Int>,
    /// 0 for tokens of the first text and 1 for those of the second, `[batch, len]`, for pairs.
    pub segments: Option<Tensor<2, Int>>,
    /// Hides padding, if there is any.
    pub mask: Mask,
}

impl Encoder {
    /// Fresh weights.
    pub fn init(config: &EncoderConfig, init: &Init) -> Self {
        let dims = config.block.dims;
        let (d_model, max_len) = (dims.d_model, dims.max_len);
        let embedding = |name: &str, rows, deviation| {
            Embedding::init(rows, d_model, deviation, &init.scope(name))
        };
        let block = |i| Block::init(&config.block, &init.scope(format!("blocks.{i}")));
        Self {
            tok_embed: embedding("tok_embed", config.vocab, EMBEDDING_DEVIATION),
            pos_embed: config.positions.learned(max_len, d_model, &init.scope("pos_embed")),
            seg_embed: config.segments.then(|| embedding("seg_embed", 2, ADDED_DEVIATION)),
            blocks: (0..config.layers).map(block).collect(),
            ln_f: LayerNorm::init(d_model, &init.scope("ln_f")),
            sinusoids: config.positions.fixed(max_len, d_model, init),
        }
    }

    /// Where the weights are, without autodiff.
    pub fn device(&self) -> Device {
        self.tok_embed.weight.lazy_device().inner()
    }

    fn embed(&self, reading: &Reading) -> Tensor<3> {
        let tokens = self.tok_embed.forward(reading.ids.clone());
        let tokens = match (&self.seg_embed, &reading.segments) {
            (Some(embedding), Some(segments)) => tokens + embedding.forward(segments.clone()),
            (None, None) => tokens,
            _ => panic!("pairs have segments, and nothing else has"),
        };
        place(tokens, self.pos_embed.as_ref(), self.sinusoids.as_ref(), 0)
    }

    /// `[batch, len, d_model]`, normalised.
    pub fn forward(&self, reading: &Reading, dropout: Option<&Dropout>) -> Tensor<3> {
        let mut x = dropout::maybe(dropout, self.embed(reading));
        for block in &self.blocks {
            (x, _) = block.forward(x, &reading.mask, dropout, false);
        }
        self.ln_f.forward(x)
    }

    /// Attention weights of every layer, each `[batch or 1, heads, len, keys]`;
    /// `None` for a kind that has none.
    pub fn attention(&self, reading: &Reading) -> Option<Vec<Tensor<4>>> {
        let mut x = self.embed(reading);
        let mut layers = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            let (next, weights) = block.forward(x, &reading.mask, None, true);
            layers.push(weights?);
            x = next;
        }
        Some(layers)
    }

    /// Learned mixture weights of every layer, each `[heads, parts]`.
    pub fn mixture(&self) -> Option<Vec<Tensor<2>>> {
        self.blocks.iter().map(Block::mixture).collect()
    }
}
