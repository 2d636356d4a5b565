//! Linformer: dot products with a few learned summaries of the sequence instead of its tokens.
//! Wang et al., "Linformer: Self-Attention with Linear Complexity", section 4,
//! <https://arxiv.org/abs/2006.04768>.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::{Baseline, Dims, KindOptions, Mask, TokenMixer};
use crate::init::Init;
use crate::model::layers::Linear;
use crate::ops;

/// `softmax(Q (Eᵀ K)ᵀ / sqrt(d_head)) Fᵀ V`: keys and values are summed over the sequence first.
#[derive(Module, Debug)]
pub struct Linformer {
    query: Linear,
    key: Linear,
    value: Linear,
    linformer: Projections,
    out: Linear,
    #[module(skip)]
    heads: usize,
}

/// What the positions add to each summary, shared by the heads.
#[derive(Module, Debug)]
struct Projections {
    /// Of keys, `[max_len, projected]`.
    e: Param<Tensor<2>>,
    /// Of values, `[max_len, projected]`.
    f: Param<Tensor<2>>,
}

/// `projectionᵀ x` for the first positions, `[batch, len, d_model]` to
/// `[batch, projected, d_model]`.
fn project(projection: &Param<Tensor<2>>, x: Tensor<3>) -> Tensor<3> {
    let [_batch, len, _d_model] = x.dims();
    let [_max_len, projected] = projection.dims();
    let projection = projection.val().slice([0..len, 0..projected]).transpose();
    ops::mix(projection.unsqueeze(), x)
}

impl TokenMixer for Linformer {
    /// The weights are `[batch, heads, len, projected]`.
    fn forward(&self, x: Tensor<3>, mask: &Mask, watch: bool) -> (Tensor<3>, Option<Tensor<4>>) {
        assert!(!mask.is_causal(), "summaries of the whole sequence know its future");
        let [_batch, _len, d_model] = x.dims();
        let scale = ((d_model / self.heads) as f64).sqrt().recip();
        let key = mask.without_padding(self.key.forward(x.clone()));
        let value = mask.without_padding(self.value.forward(x.clone()));
        let key = project(&self.linformer.e, key);
        let value = project(&self.linformer.f, value);
        let scores = ops::scores(self.query.forward(x), key, self.heads, scale);
        let attention = ops::softmax(scores, None);
        let watched = watch.then(|| attention.clone());
        (self.out.forward(ops::mix(attention, value)), watched)
    }
}

impl Baseline for Linformer {
    fn init(options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        let Dims { d_model, heads, max_len } = *dims;
        let linear = |name| Linear::init(d_model, d_model, &init.scope(name));
        let scope = init.scope("linformer");
        let shape = [max_len, options.projected];
        Self {
            query: linear("query"),
            key: linear("key"),
            value: linear("value"),
            linformer: Projections {
                e: scope.xavier("e", shape, max_len, options.projected),
                f: scope.xavier("f", shape, max_len, options.projected),
            },
            out: linear("out"),
            heads,
        }
    }

    fn parameters(options: &KindOptions, dims: &Dims) -> u64 {
        let [d_model, _heads, max_len] = dims.wide();
        4 * (d_model + 1) * d_model + 2 * max_len * options.projected as u64
    }
}
