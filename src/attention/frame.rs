//! The frame around scores: mixture, mask, softmax, value and output projections.
//! `Y = softmax(mask(B)) V`, "Synthesizer", section 3, equation 1 onwards.

use burn::module::Module;
use burn::tensor::{Int, Tensor};

use super::dispatch::{AnyScores, Part};
use super::mask::future;
use super::mixture::{Mixing, Mixture};
use super::{CausalMixer, Dims, KeptRows, KindOptions, Mask, Past, TokenMixer, keep};
use crate::init::Init;
use crate::model::layers::Linear;
use crate::ops;

/// Multi-head attention with scores from one part or a mixture of several.
#[derive(Module, Debug)]
pub struct Attention {
    parts: Vec<AnyScores>,
    mixture: Option<Mixture>,
    value: Linear,
    out: Linear,
    #[module(skip)]
    heads: usize,
}

/// Keys that parts kept, and values, of the tokens so far.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    keys: Vec<Past>,
    values: Past,
}

impl KeptRows for Cache {
    fn select(&mut self, rows: &Tensor<1, Int>) {
        self.keys.iter_mut().for_each(|keys| keys.select(rows));
        self.values.select(rows);
    }
}

impl Attention {
    /// Fresh weights for the given parts.
    pub fn init(parts: &[Part], options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        let Dims { d_model, heads, .. } = *dims;
        let rows = if options.mixing == Mixing::Head { heads } else { 1 };
        let mixed = parts.len() > 1;
        Self {
            parts: parts.iter().map(|part| part.init(options, dims, init)).collect(),
            mixture: mixed.then(|| Mixture::init(rows, parts.len(), &init.scope("mixture"))),
            value: Linear::init(d_model, d_model, &init.scope("value")),
            out: Linear::init(d_model, d_model, &init.scope("out")),
            heads,
        }
    }

    /// Number of weights, frozen ones included.
    pub fn parameters(parts: &[Part], options: &KindOptions, dims: &Dims) -> u64 {
        let [d_model, heads, _max_len] = dims.wide();
        let scores: u64 = parts.iter().map(|part| part.parameters(options, dims)).sum();
        let rows = if options.mixing == Mixing::Head { heads } else { 1 };
        let mixture = if parts.len() > 1 { rows * parts.len() as u64 } else { 0 };
        scores + mixture + 2 * (d_model + 1) * d_model
    }

    /// Final scores before masking, `[batch or 1, heads, len, past + len]`.
    pub fn scores(
        &self,
        x: &Tensor<3>,
        past: usize,
        mut keys: Option<&mut [Past]>,
        causal: bool,
    ) -> Tensor<4> {
        let mut scores: Vec<_> = Vec::with_capacity(self.parts.len());
        for (index, part) in self.parts.iter().enumerate() {
            let kept = keys.as_deref_mut().map(|keys| &mut keys[index]);
            scores.push(part.scores(x, past, kept, causal));
        }
        match &self.mixture {
            Some(mixture) => mixture.mix(scores),
            None => scores.pop().expect("a kind has at least one part"),
        }
    }

    /// `softmax` of masked scores, `[batch or 1, heads, len, len]`.
    pub fn attention(&self, x: &Tensor<3>, mask: &Mask) -> Tensor<4> {
        mask.softmax(self.scores(x, 0, None, mask.is_causal()))
    }
}

impl TokenMixer for Attention {
    fn forward(&self, x: Tensor<3>, mask: &Mask, watch: bool) -> (Tensor<3>, Option<Tensor<4>>) {
        let attention = self.attention(&x, mask);
        let watched = watch.then(|| attention.clone());
        let mix = if mask.is_causal() { ops::mix_causal } else { ops::mix };
        (self.out.forward(mix(attention, self.value.forward(x))), watched)
    }

    fn mixture(&self) -> Option<Tensor<2>> {
        let weights = self.mixture.as_ref()?.weights();
        let [rows, parts] = weights.dims();
        Some(if rows == self.heads { weights } else { weights.expand([self.heads, parts]) })
    }
}

impl CausalMixer for Attention {
    type Cache = Cache;

    fn forward_cached(&self, x: Tensor<3>, cache: &mut Cache) -> Tensor<3> {
        let [_batch, len, _d_model] = x.dims();
        cache.keys.resize(self.parts.len(), None);
        let past = cache.values.as_ref().map_or(0, |values| values.dims()[1]);
        let scores = self.scores(&x, past, Some(&mut cache.keys), false);
        let hidden = (len > 1).then(|| future(past, len, &x.device()));
        let attention = ops::softmax(scores, hidden);
        let value = keep(&mut cache.values, self.value.forward(x));
        self.out.forward(ops::mix(attention, value))
    }
}
