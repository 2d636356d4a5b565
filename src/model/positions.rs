//! How a model is told where a token stands.

use burn::tensor::Tensor;

use super::layers::{Embedding, sinusoidal};
use crate::init::Init;

/// Deviation of fresh embeddings and of untied heads (Radford et al. 2019).
pub(super) const EMBEDDING_DEVIATION: f32 = 0.02;

/// Deviation of what is added to a token's vector: half of the token's own, as in GPT-2's code, so
/// that equal tokens look alike wherever they stand.
pub(super) const ADDED_DEVIATION: f32 = 0.01;

/// How a position is told to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Positions {
    /// A learned vector for each position, added to the token's.
    #[default]
    Learned,
    /// Fixed sines and cosines, added to the token's vector.
    Sinusoidal,
    /// Nothing: only attention itself can tell positions apart.
    None,
}

impl Positions {
    /// All, in the order of menus.
    pub const ALL: [Positions; 3] = [Positions::Learned, Positions::Sinusoidal, Positions::None];

    /// The name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Positions::Learned => "learned",
            Positions::Sinusoidal => "sinusoidal",
            Positions::None => "none",
        }
    }

    /// Fresh vectors of `max_len` positions, if they are learned.
    pub(super) fn learned(self, max_len: usize, d_model: usize, init: &Init) -> Option<Embedding> {
        let embedding = || Embedding::init(max_len, d_model, ADDED_DEVIATION, init);
        (self == Positions::Learned).then(embedding)
    }

    /// The fixed table, `[max_len, d_model]`, if that is what is added; computed, not a weight.
    pub(super) fn fixed(self, max_len: usize, d_model: usize, init: &Init) -> Option<Tensor<2>> {
        // Without autodiff: nothing takes that off what is no weight when a model is only used.
        let device = init.device().clone().inner();
        (self == Positions::Sinusoidal).then(|| sinusoidal(max_len, d_model, &device))
    }
}

/// Token vectors `[batch, len, d_model]` of the positions from `past` on, with what tells them.
pub(super) fn place(
    tokens: Tensor<3>,
    learned: Option<&Embedding>,
    fixed: Option<&Tensor<2>>,
    past: usize,
) -> Tensor<3> {
    let [_batch, len, d_model] = tokens.dims();
    let learned = learned.map(|embedding| embedding.weight.val());
    match learned.or_else(|| fixed.cloned()) {
        Some(table) => {
            // A slice of all of it would be a copy on the way back.
            let rows = match len == table.dims()[0] {
                true => table,
                false => table.slice([past..past + len, 0..d_model]),
            };
            tokens + rows.reshape([1, len, d_model])
        }
        None => tokens,
    }
}
