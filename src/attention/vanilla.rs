//! Vanilla: scaled dot products of queries and keys.
//! Vaswani et al., "Attention Is All You Need", section 3.2.1, <https://arxiv.org/abs/1706.03762>.
//!
//! Where [`KindOptions::same_keys`] says so, fresh keys are equal to fresh queries, so that at the
//! beginning a token looks at tokens like itself: a simple case of Trockman and Kolter, "Mimetic
//! Initialization of Self-Attention Layers", section 3, <https://arxiv.org/abs/2305.09828>.
//! Pretrained Transformers look like that, and small ones trained from scratch on few rows hardly
//! get there: of sentence pairs they then learn which words occur, and not which occur in both.
//! A model that guesses tokens has no use for looking at itself and learns more slowly with it.

use burn::module::Module;
use burn::tensor::Tensor;

use super::{Dims, KindOptions, Past, Scores, keep};
use crate::init::Init;
use crate::model::layers::Linear;
use crate::ops;

/// Scores `Q Kᵀ / sqrt(d_head)`: every pair of tokens is compared.
#[derive(Module, Debug)]
pub struct Vanilla {
    query: Linear,
    key: Linear,
    #[module(skip)]
    heads: usize,
}

impl Scores for Vanilla {
    // Query and key stand beside value and out, as in every Transformer.
    const SCOPE: &'static str = "";

    fn init(options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        let linear = |name| Linear::init(dims.d_model, dims.d_model, &init.scope(name));
        // The same name gives the same draw. From the first step on they go their own ways.
        let key = if options.same_keys { "query" } else { "key" };
        Self { query: linear("query"), key: linear(key), heads: dims.heads }
    }

    fn parameters(_options: &KindOptions, dims: &Dims) -> u64 {
        let [d_model, ..] = dims.wide();
        2 * (d_model + 1) * d_model
    }

    fn scores(
        &self,
        x: &Tensor<3>,
        _past: usize,
        keys: Option<&mut Past>,
        causal: bool,
    ) -> Tensor<4> {
        let [_batch, _len, d_model] = x.dims();
        let scale = ((d_model / self.heads) as f64).sqrt().recip();
        let query = self.query.forward(x.clone());
        // Softmax ignores a shift that all keys share, so the gradient of this bias is zero. Left
        // out it is exactly that; computed it would be rounding noise, which Adam scales up.
        let bias = self.key.bias.as_ref().map(|bias| bias.val().detach());
        let key = ops::linear(x.clone(), self.key.weight.val(), bias);
        let key = match keys {
            Some(kept) => keep(kept, key),
            None => key,
        };
        let scores = if causal { ops::scores_causal } else { ops::scores };
        scores(query, key, self.heads, scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_keys_equal_fresh_queries_only_where_asked_for() {
        let dims = Dims { d_model: 8, heads: 2, max_len: 4 };
        let device = crate::device::cpu();
        for same_keys in [false, true] {
            let options = KindOptions { same_keys, ..KindOptions::defaults(&dims) };
            let Vanilla { query, key, .. } = Vanilla::init(&options, &dims, &Init::new(0, &device));
            let values = |linear: Linear| linear.weight.val().into_data();
            assert_eq!(values(query) == values(key), same_keys);
        }
    }
}
