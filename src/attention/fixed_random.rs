//! Fixed random: a table of scores drawn once and never trained.
//! Tay et al., "Synthesizer", section 3.1.3, <https://arxiv.org/abs/2005.00743>.

use burn::module::Module;
use burn::tensor::Tensor;

use super::random::Random;
use super::{Dims, KindOptions, Past, Scores};
use crate::init::Init;

/// [`Random`] with its table frozen. The table has no gradient and is left out of optimizer
/// state, but counts as parameters and is saved.
#[derive(Module, Debug)]
pub struct FixedRandom {
    logits: burn::module::Param<Tensor<3>>,
}

impl Scores for FixedRandom {
    const SCOPE: &'static str = "random";

    fn init(options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        let random = Random::init(options, dims, init);
        Self { logits: random.logits.set_require_grad(false) }
    }

    fn parameters(options: &KindOptions, dims: &Dims) -> u64 {
        Random::parameters(options, dims)
    }

    fn scores(
        &self,
        x: &Tensor<3>,
        past: usize,
        keys: Option<&mut Past>,
        causal: bool,
    ) -> Tensor<4> {
        Random { logits: self.logits.clone() }.scores(x, past, keys, causal)
    }
}
