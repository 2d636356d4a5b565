//! An encoder-decoder: a source text and the beginning of a target to logits of what follows it.
//! Vaswani et al., "Attention Is All You Need", section 3.1, <https://arxiv.org/abs/1706.03762>,
//! with pre-LN blocks and any causal attention kind as the self-attention of both halves.

use burn::module::Module;
use burn::tensor::{Device, Int, Tensor};

use super::block::{self, Block, DecoderBlock, Source};
use super::cross::Memory;
use super::dropout::{self, Dropout};
use super::encoder::Reading;
use super::layers::{Embedding, LayerNorm, Linear};
use super::positions::{EMBEDDING_DEVIATION, place};
use super::writer::WriterConfig;
use crate::attention::{KeptRows, Mask};
use crate::init::Init;
use crate::ops;

/// `[batch, source]` and `[batch, len]` ids to `[batch, len, vocab]` logits.
#[derive(Module, Debug)]
pub struct SequenceModel {
    src_embed: Embedding,
    src_pos: Option<Embedding>,
    tgt_embed: Embedding,
    tgt_pos: Option<Embedding>,
    encoder: Vec<Block>,
    encoder_ln: LayerNorm,
    decoder: Vec<DecoderBlock>,
    decoder_ln: LayerNorm,
    /// Absent if tied.
    head: Option<Linear>,
    #[module(skip)]
    sinusoids: Option<Tensor<2>>,
}

/// An encoded batch of sources, as the decoder's layers look at it.
#[derive(Debug, Clone)]
pub struct Encoded {
    layers: Vec<Memory>,
    mask: Mask,
}

/// Decoding under way: what [`SequenceModel::decode_next`] keeps between calls.
#[derive(Debug, Clone)]
pub struct Decoding {
    source: Encoded,
    blocks: Vec<block::Cache>,
    past: usize,
}

impl Decoding {
    /// Keeps these rows of the batch, in this order; a row may come more than once.
    pub fn select(&mut self, rows: &Tensor<1, Int>) {
        self.source.layers.iter_mut().for_each(|memory| memory.select(rows));
        self.source.mask = self.source.mask.select(rows);
        self.blocks.iter_mut().for_each(|cache| cache.select(rows));
    }
}

/// Attention weights of every layer, of each part of an encoder-decoder.
#[derive(Debug, Clone)]
pub struct SequenceWeights {
    /// Of the encoder, each `[batch or 1, heads, source, source]`, if the kind has any.
    pub encoder: Option<Vec<Tensor<4>>>,
    /// Of the decoder, each `[batch or 1, heads, len, len]`, if the kind has any.
    pub decoder: Option<Vec<Tensor<4>>>,
    /// Of the decoder on the source, each `[batch or 1, heads, len, source]`.
    pub cross: Vec<Tensor<4>>,
}

impl SequenceModel {
    /// Fresh weights.
    pub fn init(config: &WriterConfig, init: &Init) -> Self {
        let WriterConfig { block, layers, vocab, positions, tied, head_bias } = config;
        let (d_model, max_len) = (block.dims.d_model, block.dims.max_len);
        let embedding =
            |name: &str| Embedding::init(*vocab, d_model, EMBEDDING_DEVIATION, &init.scope(name));
        let position = |name: &str| positions.learned(max_len, d_model, &init.scope(name));
        let (head, deviation) = (init.scope("head"), EMBEDDING_DEVIATION);
        Self {
            src_embed: embedding("src_embed"),
            src_pos: position("src_pos"),
            tgt_embed: embedding("tgt_embed"),
            tgt_pos: position("tgt_pos"),
            encoder: (0..*layers)
                .map(|i| Block::init(block, &init.scope(format!("encoder.{i}"))))
                .collect(),
            encoder_ln: LayerNorm::init(d_model, &init.scope("encoder_ln")),
            decoder: (0..*layers)
                .map(|i| DecoderBlock::init(block, &init.scope(format!("decoder.{i}"))))
                .collect(),
            decoder_ln: LayerNorm::init(d_model, &init.scope("decoder_ln")),
            head: (!tied)
                .then(|| Linear::init_normal(d_model, *vocab, deviation, *head_bias, &head)),
            sinusoids: positions.fixed(max_len, d_model, init),
        }
    }

    /// Where the weights are, without autodiff.
    pub fn device(&self) -> Device {
        self.tgt_embed.weight.lazy_device().inner()
    }

    fn embed_source(&self, ids: &Tensor<2, Int>) -> Tensor<3> {
        let tokens = self.src_embed.forward(ids.clone());
        place(tokens, self.src_pos.as_ref(), self.sinusoids.as_ref(), 0)
    }

    fn embed_target(&self, ids: Tensor<2, Int>, past: usize) -> Tensor<3> {
        let tokens = self.tgt_embed.forward(ids);
        place(tokens, self.tgt_pos.as_ref(), self.sinusoids.as_ref(), past)
    }

    /// Reads the sources, `source.ids` of `[batch, source]`.
    pub fn encode(&self, source: &Reading, dropout: Option<&Dropout>) -> Encoded {
        let mut x = dropout::maybe(dropout, self.embed_source(&source.ids));
        for block in &self.encoder {
            (x, _) = block.forward(x, &source.mask, dropout, false);
        }
        self.remember(x, &source.mask)
    }

    fn remember(&self, x: Tensor<3>, mask: &Mask) -> Encoded {
        let encoded = self.encoder_ln.forward(x);
        let memory = |block: &DecoderBlock| block.memory(encoded.clone());
        Encoded { layers: self.decoder.iter().map(memory).collect(), mask: mask.clone() }
    }

    /// Final norm and head, `[batch, len, d_model]` to `[batch, len, vocab]`.
    fn logits(&self, x: Tensor<3>) -> Tensor<3> {
        let x = self.decoder_ln.forward(x);
        match &self.head {
            Some(head) => head.forward(x),
            None => ops::linear(x, self.tgt_embed.weight.val().transpose(), None),
        }
    }

    /// # Shapes
    ///
    /// - source.ids: `[batch, source]`
    /// - target: `[batch, len]`, what comes before each token to be said
    /// - mask: causal, of `len`; the future hides padding at the end of targets as well
    /// - output: `[batch, len, vocab]`
    pub fn forward(
        &self,
        source: &Reading,
        target: Tensor<2, Int>,
        mask: &Mask,
        dropout: Option<&Dropout>,
    ) -> Tensor<3> {
        let encoded = self.encode(source, dropout);
        let mut x = dropout::maybe(dropout, self.embed_target(target, 0));
        for (block, memory) in self.decoder.iter().zip(&encoded.layers) {
            let source = Source { memory, mask: &encoded.mask, past: 0 };
            (x, _) = block.forward(x, mask, source, dropout, false);
        }
        self.logits(x)
    }

    /// Attention weights of a pass of [`SequenceModel::forward`].
    pub fn attention(
        &self,
        source: &Reading,
        target: Tensor<2, Int>,
        mask: &Mask,
    ) -> SequenceWeights {
        let mut x = self.embed_source(&source.ids);
        let mut of_encoder = Vec::with_capacity(self.encoder.len());
        for block in &self.encoder {
            let (next, weights) = block.forward(x, &source.mask, None, true);
            of_encoder.push(weights);
            x = next;
        }
        let encoded = self.remember(x, &source.mask);
        let mut x = self.embed_target(target, 0);
        let (mut own, mut cross) = (Vec::new(), Vec::new());
        for (block, memory) in self.decoder.iter().zip(&encoded.layers) {
            let source = Source { memory, mask: &encoded.mask, past: 0 };
            let (next, weights) = block.forward(x, mask, source, None, true);
            let weights = weights.expect("they were asked for");
            own.push(weights.own);
            cross.push(weights.cross);
            x = next;
        }
        SequenceWeights {
            encoder: of_encoder.into_iter().collect(),
            decoder: own.into_iter().collect(),
            cross,
        }
    }

    /// Learned mixture weights of every layer of the encoder, each `[heads, parts]`.
    pub fn encoder_mixture(&self) -> Option<Vec<Tensor<2>>> {
        self.encoder.iter().map(Block::mixture).collect()
    }

    /// Learned mixture weights of every layer of the decoder, each `[heads, parts]`.
    pub fn decoder_mixture(&self) -> Option<Vec<Tensor<2>>> {
        self.decoder.iter().map(DecoderBlock::mixture).collect()
    }

    /// Begins to decode the targets of `source`.
    pub fn begin(&self, source: &Reading) -> Decoding {
        let mut blocks = Vec::new();
        blocks.resize_with(self.decoder.len(), Default::default);
        Decoding { source: self.encode(source, None), blocks, past: 0 }
    }

    /// Logits of the token after the next one, `[batch]` ids to `[batch, vocab]`.
    pub fn decode_next(&self, ids: Tensor<1, Int>, decoding: &mut Decoding) -> Tensor<2> {
        let [batch] = ids.dims();
        let past = decoding.past;
        let mut x = self.embed_target(ids.reshape([batch, 1]), past);
        decoding.past += 1;
        let Decoding { source, blocks, .. } = decoding;
        for ((block, memory), cache) in self.decoder.iter().zip(&source.layers).zip(blocks) {
            x = block.forward_cached(x, Source { memory, mask: &source.mask, past }, cache);
        }
        let logits = self.logits(x);
        let [_batch, _one, vocab] = logits.dims();
        logits.reshape([batch, vocab])
    }
}
