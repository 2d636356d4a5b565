//! Factorized dense: a token's row of scores as the outer product of two short rows.
//! Tay et al., "Synthesizer", section 3.1.4, <https://arxiv.org/abs/2005.00743>.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::{Dims, KindOptions, Past, Scores, dense};
use crate::init::Init;
use crate::ops;

/// Scores `A ⊗ C` with `A` of `a` and `C` of `b` columns and `a · b = max_len`:
/// each element of `A` repeated `b` times, `C` tiled `a` times, and the two multiplied.
#[derive(Module, Debug)]
pub struct FactorizedDense {
    /// `[d_model, heads * hidden]`
    w1: Param<Tensor<2>>,
    /// `[heads * hidden]`
    b1: Param<Tensor<1>>,
    /// `[heads, hidden, a]`
    wa: Param<Tensor<3>>,
    /// `[heads, a]`
    ba: Param<Tensor<2>>,
    /// `[heads, hidden, b]`
    wb: Param<Tensor<3>>,
    /// `[heads, b]`
    bb: Param<Tensor<2>>,
}

impl Scores for FactorizedDense {
    const SCOPE: &'static str = "factorized_dense";

    fn init(options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        let Dims { d_model, heads, max_len } = *dims;
        let (hidden, a) = (options.hidden, options.a);
        let b = max_len / a;
        Self {
            w1: init.xavier("w1", [d_model, heads * hidden], d_model, heads * hidden),
            b1: init.zeros("b1", [heads * hidden]),
            wa: init.xavier("wa", [heads, hidden, a], hidden, a),
            // Two factors that both start at zero would have no gradient; around one they do.
            ba: init.ones("ba", [heads, a]),
            wb: init.xavier("wb", [heads, hidden, b], hidden, b),
            bb: init.zeros("bb", [heads, b]),
        }
    }

    fn parameters(options: &KindOptions, dims: &Dims) -> u64 {
        let [d_model, heads, max_len] = dims.wide();
        let (heads_hidden, a) = (heads * options.hidden as u64, options.a as u64);
        let columns = a + max_len / a;
        (d_model + 1) * heads_hidden + (heads_hidden + heads) * columns
    }

    fn scores(
        &self,
        x: &Tensor<3>,
        past: usize,
        _keys: Option<&mut Past>,
        _causal: bool,
    ) -> Tensor<4> {
        let [batch, len, _d_model] = x.dims();
        let [heads, _hidden, a] = self.wa.dims();
        let [_heads, _hidden, b] = self.wb.dims();
        let keys = past + len;
        let hidden = dense::hidden(x, &self.w1, &self.b1);
        let first = ops::linear_by_head(hidden.clone(), self.wa.val(), self.ba.val());
        let second = ops::linear_by_head(hidden, self.wb.val(), self.bb.val());
        let outer =
            first.reshape([batch, heads, len, a, 1]) * second.reshape([batch, heads, len, 1, b]);
        let scores = outer.reshape([batch, heads, len, a * b]);
        match keys == a * b {
            true => scores,
            false => scores.slice([0..batch, 0..heads, 0..len, 0..keys]),
        }
    }
}
