//! Random: a learned table of scores that never looks at the input.
//! Tay et al., "Synthesizer", section 3.1.2, <https://arxiv.org/abs/2005.00743>.

use std::ops::Range;

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::{Dims, KindOptions, Past, Scores};
use crate::init::Init;

/// Scores `R`; the input lends only its length.
#[derive(Module, Debug)]
pub struct Random {
    /// `R`, `[heads, max_len, max_len]`
    pub(super) logits: Param<Tensor<3>>,
}

impl Random {
    /// `R[:, queries, ..keys]` as `[1, heads, queries, keys]`.
    pub(crate) fn window(&self, queries: Range<usize>, keys: usize) -> Tensor<4> {
        let [heads, max_len, _] = self.logits.dims();
        let table = self.logits.val();
        let table = match queries.len() == max_len && keys == max_len {
            true => table,
            false => table.slice([0..heads, queries, 0..keys]),
        };
        table.unsqueeze()
    }
}

impl Scores for Random {
    const SCOPE: &'static str = "random";

    fn init(_options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        let shape = [dims.heads, dims.max_len, dims.max_len];
        Self { logits: init.normal("logits", shape, 1.0) }
    }

    fn parameters(_options: &KindOptions, dims: &Dims) -> u64 {
        let [_d_model, heads, max_len] = dims.wide();
        heads * max_len * max_len
    }

    fn scores(
        &self,
        x: &Tensor<3>,
        past: usize,
        _keys: Option<&mut Past>,
        _causal: bool,
    ) -> Tensor<4> {
        let [_batch, len, _d_model] = x.dims();
        self.window(past..past + len, past + len)
    }
}
