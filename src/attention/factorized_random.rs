//! Factorized random: a learned table of scores kept as two thin factors.
//! Tay et al., "Synthesizer", section 3.1.4, <https://arxiv.org/abs/2005.00743>.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::{Dims, KindOptions, Past, Scores};
use crate::init::Init;
use crate::ops;

/// Scores `L Rᵀ`; the input lends only its length.
#[derive(Module, Debug)]
pub struct FactorizedRandom {
    /// `L`, `[heads, max_len, rank]`
    left: Param<Tensor<3>>,
    /// `R`, `[heads, max_len, rank]`
    right: Param<Tensor<3>>,
}

impl Scores for FactorizedRandom {
    const SCOPE: &'static str = "factorized_random";

    fn init(options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        let shape = [dims.heads, dims.max_len, options.rank];
        // The product of two factors of this deviation has scores of deviation one, as Random.
        let deviation = (options.rank as f32).sqrt().sqrt().recip();
        Self {
            left: init.normal("left", shape, deviation),
            right: init.normal("right", shape, deviation),
        }
    }

    fn parameters(options: &KindOptions, dims: &Dims) -> u64 {
        let [_d_model, heads, max_len] = dims.wide();
        2 * heads * max_len * options.rank as u64
    }

    fn scores(
        &self,
        x: &Tensor<3>,
        past: usize,
        _keys: Option<&mut Past>,
        causal: bool,
    ) -> Tensor<4> {
        let [_batch, len, _d_model] = x.dims();
        let [heads, _max_len, rank] = self.left.dims();
        let left = self.left.val().slice([0..heads, past..past + len, 0..rank]);
        let right = self.right.val().slice([0..heads, 0..past + len, 0..rank]);
        // One text of one head for each head.
        let scores = if causal { ops::scores_causal } else { ops::scores };
        scores(left, right, 1, 1.0).swap_dims(0, 1)
    }
}
