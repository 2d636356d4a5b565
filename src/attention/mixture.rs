//! Mixture: several parts of scores, added with learned weights that sum to one.
//! Tay et al., "Synthesizer", section 3.2, <https://arxiv.org/abs/2005.00743>.

use burn::module::{Module, Param};
use burn::tensor::{Tensor, activation};

use crate::init::Init;

/// Whether each head learns its own mixture or the layer one for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mixing {
    /// `mixture.logits` is `[heads, parts]`.
    #[default]
    Head,
    /// `mixture.logits` is `[1, parts]`.
    Layer,
}

impl Mixing {
    /// All, in the order of menus.
    pub const ALL: [Mixing; 2] = [Mixing::Head, Mixing::Layer];

    /// The name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Mixing::Head => "head",
            Mixing::Layer => "layer",
        }
    }
}

/// `alpha = softmax(logits)`; scores are `sum of alpha_c * scores_c`, before masking.
#[derive(Module, Debug)]
pub struct Mixture {
    /// `[heads or 1, parts]`
    logits: Param<Tensor<2>>,
}

impl Mixture {
    /// Equal weights: all logits zero.
    pub fn init(rows: usize, parts: usize, init: &Init) -> Self {
        Self { logits: init.zeros("logits", [rows, parts]) }
    }

    /// `[heads or 1, parts]`, rows summing to one.
    pub fn weights(&self) -> Tensor<2> {
        activation::softmax(self.logits.val(), 1)
    }

    /// Parts of `[batch or 1, heads, len, keys]` to one of the same form.
    pub fn mix(&self, parts: Vec<Tensor<4>>) -> Tensor<4> {
        let alpha = self.weights();
        let [rows, count] = alpha.dims();
        assert_eq!(count, parts.len(), "one weight a part");
        let weighted = parts.into_iter().enumerate().map(|(part, scores)| {
            scores * alpha.clone().slice([0..rows, part..part + 1]).reshape([1, rows, 1, 1])
        });
        weighted.reduce(|sum, scores| sum + scores).expect("a mixture has parts")
    }
}
