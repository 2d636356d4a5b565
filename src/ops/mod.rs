//! Operations that Burn would make of a dozen smaller ones, each with a gradient of its own: what a
//! training step spends its time on, beside matrix products.
//!
//! [`FusedOps`] is the seam to a backend. `flex.rs` runs through memory once or twice, with SIMD;
//! `plain.rs` says the same in Burn's operations, for every other backend and as the reference of
//! the tests. `gradients.rs` makes them differentiable.

mod flex;
mod gradients;
mod math;
// Natively the tests alone use it.
#[cfg(any(test, all(target_arch = "wasm32", feature = "webgpu")))]
mod plain;
#[cfg(test)]
mod tests;
#[cfg(all(target_arch = "wasm32", feature = "webgpu"))]
mod webgpu;

use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Backend, Dispatch, backend_extension};
use burn::tensor::{Int, Tensor};

/// Which GELU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gelu {
    /// By the error function: `x Φ(x)`.
    Exact,
    /// By the hyperbolic tangent.
    Tanh,
}

/// What a backend has to bring. Shapes are those of the functions below; gradients are of the first
/// arguments, given the gradient of the output.
#[backend_extension(
    Flex,
    Cube: cfg(all(target_arch = "wasm32", feature = "webgpu")),
    Autodiff,
)]
pub(crate) trait FusedOps: Backend {
    fn fused_gelu(x: FloatTensor<Self>, which: Gelu) -> FloatTensor<Self>;
    fn fused_gelu_gradient(
        x: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        which: Gelu,
    ) -> FloatTensor<Self>;

    fn fused_softmax(scores: FloatTensor<Self>) -> FloatTensor<Self>;
    fn fused_hidden_softmax(
        scores: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
    ) -> FloatTensor<Self>;
    /// Takes the output, not the scores.
    fn fused_softmax_gradient(
        weights: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    fn fused_layer_norm(
        x: FloatTensor<Self>,
        gain: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        epsilon: f64,
    ) -> FloatTensor<Self>;
    /// Of `x`, `gain` and `shift`.
    fn fused_layer_norm_gradient(
        x: FloatTensor<Self>,
        gain: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        epsilon: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);

    fn fused_cross_entropy(
        logits: FloatTensor<Self>,
        targets: IntTensor<Self>,
    ) -> FloatTensor<Self>;
    fn fused_cross_entropy_gradient(
        logits: FloatTensor<Self>,
        targets: IntTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    fn fused_norm(x: FloatTensor<Self>) -> FloatTensor<Self>;
    /// New weights, first and second moment.
    fn fused_adam(
        weights: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        norm: FloatTensor<Self>,
        first: FloatTensor<Self>,
        second: FloatTensor<Self>,
        rule: AdamRule,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);
}

/// The numbers of one step of Adam: `g = gradient · min(1, clip / norm) + decay · w`,
/// `m = beta1 m + (1 - beta1) g`, `v = beta2 v + (1 - beta2) g²`,
/// `w = keep w - rate m / (√v + epsilon)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamRule {
    /// Length of a step, corrections of both moments included.
    pub rate: f64,
    /// Decay of the first moment.
    pub beta1: f64,
    /// Decay of the second moment.
    pub beta2: f64,
    /// Against division by zero, correction of the second moment included.
    pub epsilon: f64,
    /// What is left of a weight.
    pub keep: f64,
    /// What of a weight is added to its gradient.
    pub decay: f64,
    /// The longest gradient; infinite for no clipping.
    pub clip: f64,
}

impl AdamRule {
    /// By what a gradient of this norm is multiplied. The small summand keeps a zero gradient from
    /// being divided by zero.
    fn scale(&self, norm: f32) -> f32 {
        if self.clip.is_finite() { (self.clip as f32 / (norm + 1e-6)).min(1.0) } else { 1.0 }
    }
}

/// Gaussian error linear unit, element by element. Hendrycks and Gimpel, "Gaussian Error Linear
/// Units", section 2, <https://arxiv.org/abs/1606.08415>.
pub fn gelu<const D: usize>(x: Tensor<D>, which: Gelu) -> Tensor<D> {
    Tensor::from_dispatch(Dispatch::fused_gelu(x.into_dispatch(), which))
}

/// `softmax(scores + hidden)` over the last axis.
///
/// # Shapes
///
/// - scores, output: `[batch, heads, len, keys]`
/// - hidden: the same, with 1 for each axis along which it does not change; it gets no gradient
pub fn softmax(scores: Tensor<4>, hidden: Option<Tensor<4>>) -> Tensor<4> {
    let [batch, ..] = scores.dims();
    match hidden {
        // Scores of all rows at once, hidden differently in each.
        Some(hidden) if hidden.dims()[0] > batch => softmax(scores + hidden, None),
        Some(hidden) => {
            let (scores, hidden) = (scores.into_dispatch(), hidden.into_dispatch());
            Tensor::from_dispatch(Dispatch::fused_hidden_softmax(scores, hidden))
        }
        None => Tensor::from_dispatch(Dispatch::fused_softmax(scores.into_dispatch())),
    }
}

/// `(x - mean) / √(variance + epsilon) · gain + shift` over the last axis, with the biased variance.
///
/// # Shapes
///
/// - x, output: `[.., d_model]`
/// - gain, shift: `[d_model]`
pub fn layer_norm<const D: usize>(
    x: Tensor<D>,
    gain: Tensor<1>,
    shift: Tensor<1>,
    epsilon: f64,
) -> Tensor<D> {
    let (gain, shift) = (gain.into_dispatch(), shift.into_dispatch());
    Tensor::from_dispatch(Dispatch::fused_layer_norm(x.into_dispatch(), gain, shift, epsilon))
}

/// Negative log-likelihood in nats of each target.
///
/// # Shapes
///
/// - logits: `[rows, classes]`
/// - targets: `[rows]`
/// - output: `[rows]`
pub fn cross_entropy(logits: Tensor<2>, targets: Tensor<1, Int>) -> Tensor<1> {
    let (logits, targets) = (logits.into_dispatch(), targets.into_dispatch());
    Tensor::from_dispatch(Dispatch::fused_cross_entropy(logits, targets))
}

/// The Euclidean norm, `[1]`.
pub fn norm(x: Tensor<1>) -> Tensor<1> {
    Tensor::from_dispatch(Dispatch::fused_norm(x.into_dispatch()))
}

/// One step of Adam: new weights, first and second moment.
///
/// # Shapes
///
/// - weights, gradient, moments: `[len]`
/// - norm: `[1]`, of the gradient
pub fn adam(
    weights: Tensor<1>,
    gradient: Tensor<1>,
    norm: Tensor<1>,
    [first, second]: [Tensor<1>; 2],
    rule: AdamRule,
) -> (Tensor<1>, [Tensor<1>; 2]) {
    let (weights, first, second) = Dispatch::fused_adam(
        weights.into_dispatch(),
        gradient.into_dispatch(),
        norm.into_dispatch(),
        first.into_dispatch(),
        second.into_dispatch(),
        rule,
    );
    let [weights, first, second] = [weights, first, second].map(Tensor::from_dispatch);
    (weights, [first, second])
}
