//! A causal language model: tokens to logits of the token after each of them.
//! Pre-LN decoder as in Radford et al. 2019 (GPT-2), with any attention kind in its blocks.

use burn::module::{Module, Param};
use burn::tensor::{Device, Int, Tensor};

use super::block::{self, Block};
use super::dropout::{self, Dropout};
use super::layers::{Embedding, LayerNorm, Linear};
use super::positions::{EMBEDDING_DEVIATION, place};
use super::writer::WriterConfig;
use crate::attention::Mask;
use crate::init::Init;
use crate::ops;

/// `[batch, len]` ids to `[batch, len, vocab]` logits.
#[derive(Module, Debug)]
pub struct LanguageModel {
    tok_embed: Embedding,
    pos_embed: Option<Embedding>,
    blocks: Vec<Block>,
    ln_f: LayerNorm,
    /// Absent if tied.
    head: Option<Linear>,
    /// `[max_len, d_model]`; recomputed, not a weight.
    #[module(skip)]
    sinusoids: Option<Tensor<2>>,
    #[module(skip)]
    max_len: usize,
}

/// What [`LanguageModel::forward_cached`] keeps between calls.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    blocks: Vec<block::Cache>,
    past: usize,
}

impl Cache {
    /// How many tokens the cache holds.
    pub fn past(&self) -> usize {
        self.past
    }
}

impl LanguageModel {
    /// Fresh weights.
    pub fn init(config: &WriterConfig, init: &Init) -> Self {
        let dims = config.block.dims;
        let embedding = |name: &str, rows| {
            Embedding::init(rows, dims.d_model, EMBEDDING_DEVIATION, &init.scope(name))
        };
        let head = init.scope("head");
        let block = |i| Block::init(&config.block, &init.scope(format!("blocks.{i}")));
        let deviation = EMBEDDING_DEVIATION;
        let (max_len, d_model) = (dims.max_len, dims.d_model);
        Self {
            tok_embed: embedding("tok_embed", config.vocab),
            pos_embed: config.positions.learned(max_len, d_model, &init.scope("pos_embed")),
            blocks: (0..config.layers).map(block).collect(),
            ln_f: LayerNorm::init(dims.d_model, &init.scope("ln_f")),
            head: (!config.tied).then(|| {
                Linear::init_normal(dims.d_model, config.vocab, deviation, config.head_bias, &head)
            }),
            sinusoids: config.positions.fixed(max_len, d_model, init),
            max_len,
        }
    }

    /// Where the weights are, without autodiff.
    pub fn device(&self) -> Device {
        self.tok_embed.weight.lazy_device().inner()
    }

    /// The longest input.
    pub fn max_len(&self) -> usize {
        self.max_len
    }

    /// The mask of a pass over `len` tokens; make it once and use it for every pass.
    pub fn mask(len: usize, device: &Device) -> Mask {
        Mask::causal(len, device)
    }

    /// Token and position vectors, `[batch, len]` to `[batch, len, d_model]`.
    fn embed(&self, ids: Tensor<2, Int>, past: usize) -> Tensor<3> {
        let tokens = self.tok_embed.forward(ids);
        place(tokens, self.pos_embed.as_ref(), self.sinusoids.as_ref(), past)
    }

    /// Final norm and head, `[batch, len, d_model]` to `[batch, len, vocab]`.
    fn logits(&self, x: Tensor<3>) -> Tensor<3> {
        let x = self.ln_f.forward(x);
        match &self.head {
            Some(head) => head.forward(x),
            None => {
                let weight: Tensor<2> = Param::val(&self.tok_embed.weight);
                ops::linear(x, weight.transpose(), None)
            }
        }
    }

    /// # Shapes
    ///
    /// - ids: `[batch, len]`, `len <= max_len`
    /// - output: `[batch, len, vocab]`, logits of the token after each position
    pub fn forward(
        &self,
        ids: Tensor<2, Int>,
        mask: &Mask,
        dropout: Option<&Dropout>,
    ) -> Tensor<3> {
        let mut x = dropout::maybe(dropout, self.embed(ids, 0));
        for block in &self.blocks {
            (x, _) = block.forward(x, mask, dropout, false);
        }
        self.logits(x)
    }

    /// Attention weights of every layer, each `[batch or 1, heads, len, keys]`;
    /// `None` for a kind that has none.
    pub fn attention(&self, ids: Tensor<2, Int>, mask: &Mask) -> Option<Vec<Tensor<4>>> {
        let mut x = self.embed(ids, 0);
        let mut layers = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            let (next, weights) = block.forward(x, mask, None, true);
            layers.push(weights?);
            x = next;
        }
        Some(layers)
    }

    /// Learned mixture weights of every layer, each `[heads, parts]`.
    pub fn mixture(&self) -> Option<Vec<Tensor<2>>> {
        self.blocks.iter().map(Block::mixture).collect()
    }

    /// Logits of the token after the last of the next `len` tokens, given those before.
    ///
    /// # Shapes
    ///
    /// - ids: `[batch, len]`, with `cache.past() + len <= max_len`
    /// - output: `[batch, vocab]`
    pub fn forward_cached(&self, ids: Tensor<2, Int>, cache: &mut Cache) -> Tensor<2> {
        let [batch, len] = ids.dims();
        cache.blocks.resize_with(self.blocks.len(), Default::default);
        let mut x = self.embed(ids, cache.past);
        cache.past += len;
        for (block, cache) in self.blocks.iter().zip(&mut cache.blocks) {
            x = block.forward_cached(x, cache);
        }
        let [_batch, _len, d_model] = x.dims();
        let last = x.slice([0..batch, len - 1..len, 0..d_model]);
        let logits = self.logits(last);
        let [_batch, _len, vocab] = logits.dims();
        logits.reshape([batch, vocab])
    }
}

/// Negative log-likelihood in nats of each target, `[batch * len]`.
///
/// # Shapes
///
/// - logits: `[batch, len, vocab]`
/// - targets: `[batch, len]`
pub fn token_losses(logits: Tensor<3>, targets: Tensor<2, Int>) -> Tensor<1> {
    let [batch, len, vocab] = logits.dims();
    let rows = batch * len;
    ops::cross_entropy(logits.reshape([rows, vocab]), targets.reshape([rows]))
}
