//! Dense: each token predicts its own row of scores with a small network.
//! Tay et al., "Synthesizer", section 3.1.1, <https://arxiv.org/abs/2005.00743>.

use burn::module::{Module, Param};
use burn::tensor::{Tensor, activation};

use super::{Dims, KindOptions, Past, Scores};
use crate::init::Init;
use crate::ops;

/// The first layer of both dense kinds, `relu(x w1 + b1)`, `[batch, len, heads * hidden]`.
/// Its weights are fields of the kinds themselves, whose names files carry.
pub(super) fn hidden(x: &Tensor<3>, w1: &Param<Tensor<2>>, b1: &Param<Tensor<1>>) -> Tensor<3> {
    activation::relu(ops::linear(x.clone(), w1.val(), Some(b1.val())))
}

/// Scores `relu(x W1 + b1) W2 + b2`: a token decides where to look without seeing the others.
#[derive(Module, Debug)]
pub struct Dense {
    /// `[d_model, heads * hidden]`
    w1: Param<Tensor<2>>,
    /// `[heads * hidden]`
    b1: Param<Tensor<1>>,
    /// `[heads, hidden, max_len]`
    w2: Param<Tensor<3>>,
    /// `[heads, max_len]`
    b2: Param<Tensor<2>>,
}

impl Scores for Dense {
    const SCOPE: &'static str = "dense";

    fn init(options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        let Dims { d_model, heads, max_len } = *dims;
        let hidden = options.hidden;
        Self {
            w1: init.xavier("w1", [d_model, heads * hidden], d_model, heads * hidden),
            b1: init.zeros("b1", [heads * hidden]),
            w2: init.xavier("w2", [heads, hidden, max_len], hidden, max_len),
            b2: init.zeros("b2", [heads, max_len]),
        }
    }

    fn parameters(options: &KindOptions, dims: &Dims) -> u64 {
        let [d_model, heads, max_len] = dims.wide();
        let heads_hidden = heads * options.hidden as u64;
        (d_model + 1) * heads_hidden + (heads_hidden + heads) * max_len
    }

    fn scores(
        &self,
        x: &Tensor<3>,
        past: usize,
        _keys: Option<&mut Past>,
        _causal: bool,
    ) -> Tensor<4> {
        let [_batch, len, _d_model] = x.dims();
        let [heads, hidden_width, max_len] = self.w2.dims();
        let keys = past + len;
        let (mut w2, mut b2) = (self.w2.val(), self.b2.val());
        if keys < max_len {
            w2 = w2.slice([0..heads, 0..hidden_width, 0..keys]);
            b2 = b2.slice([0..heads, 0..keys]);
        }
        ops::linear_by_head(hidden(x, &self.w1, &self.b1), w2, b2)
    }
}
