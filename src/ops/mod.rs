//! Operations that Burn would make of a dozen smaller ones, each with a gradient of its own: what a
//! training step spends its time on, beside matrix products.
//!
//! `FusedOps` is the seam to a backend. `flex` gives slices to the loops of `synthattn-loops`;
//! `plain.rs` says the same in Burn's operations, for every other backend and as the reference of
//! the tests. `gradients.rs` makes them differentiable.

mod flex;
mod gradients;
mod plain;
#[cfg(test)]
mod tests;
#[cfg(any(feature = "wgpu", feature = "cuda", all(target_arch = "wasm32", feature = "webgpu")))]
mod webgpu;

use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Backend, Dispatch, TensorMetadata, backend_extension};
use burn::tensor::{Int, Shape, Tensor};

/// Where in the module's table of functions the one of `src/web/fused` has to be.
#[cfg(target_arch = "wasm32")]
pub(crate) fn place_of_fused() -> usize {
    synthattn_loops::fused::place()
}

/// Multiplies matrices on the CPU by it from now on.
///
/// # Safety
///
/// It is there.
#[cfg(target_arch = "wasm32")]
pub(crate) unsafe fn use_fused() {
    // SAFETY: the caller's.
    unsafe { synthattn_loops::fused::use_it() }
}

/// Multiplies matrices on a GPU by tiles in shared memory from now on, as on graphics cards, even where
/// the adapter is software and does without: so that tests see both kernels wherever they run.
#[doc(hidden)]
#[cfg(any(feature = "wgpu", feature = "cuda", all(target_arch = "wasm32", feature = "webgpu")))]
pub fn always_by_tiles(always: bool) {
    webgpu::always_by_tiles(always);
}

/// Which GELU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gelu {
    /// By the error function: `x Φ(x)`.
    Exact,
    /// By the hyperbolic tangent.
    Tanh,
}

/// Where [`FusedOps::fused_place`] puts six parts in a longer tensor, one after the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    /// Of the first part.
    pub(crate) start: usize,
    /// Elements from there to the end of each part and of the zeros behind it.
    pub(crate) ends: [usize; PLACED],
    /// Elements of each part; 0 for none.
    pub(crate) lens: [usize; PLACED],
}

/// Parts that are placed at a time: with the whole and their sizes they are all the buffers that
/// every adapter allows a kernel.
pub(crate) const PLACED: usize = 6;

/// What a backend can do faster than by Burn's operations, which are the default. Shapes are those of
/// the functions below.
#[backend_extension(
    Flex,
    Cube: cfg(any(
        feature = "wgpu",
        feature = "cuda",
        all(target_arch = "wasm32", feature = "webgpu"),
    )),
    Autodiff,
)]
pub(crate) trait FusedOps: Backend {
    fn fused_gelu(x: FloatTensor<Self>, which: Gelu) -> FloatTensor<Self> {
        plain::gelu::<Self>(x, which)
    }

    fn fused_softmax(scores: FloatTensor<Self>) -> FloatTensor<Self> {
        plain::softmax::<Self>(scores)
    }

    fn fused_hidden_softmax(
        scores: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        plain::softmax::<Self>(Self::float_add(scores, hidden))
    }

    fn fused_layer_norm(
        x: FloatTensor<Self>,
        gain: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        epsilon: f64,
    ) -> FloatTensor<Self> {
        plain::layer_norm::<Self>(x, gain, shift, epsilon)
    }

    fn fused_cross_entropy(
        logits: FloatTensor<Self>,
        targets: IntTensor<Self>,
    ) -> FloatTensor<Self> {
        plain::cross_entropy::<Self>(logits, targets)
    }

    fn fused_linear(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        Self::linear(x, weight, Some(bias))
    }

    fn fused_plain_linear(x: FloatTensor<Self>, weight: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::linear(x, weight, None)
    }

    /// `causal`: what lies above the diagonal may be left out.
    fn fused_scores(
        query: FloatTensor<Self>,
        key: FloatTensor<Self>,
        heads: usize,
        scale: f64,
        _causal: bool,
    ) -> FloatTensor<Self> {
        plain::scores::<Self>(query, key, heads, scale)
    }

    fn fused_linear_by_head(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        plain::linear_by_head::<Self>(x, weight, bias)
    }

    /// `causal`: the weights are zero above the diagonal, which may be left out.
    fn fused_mix(
        weights: FloatTensor<Self>,
        value: FloatTensor<Self>,
        _causal: bool,
    ) -> FloatTensor<Self> {
        plain::mix::<Self>(weights, value)
    }
}

/// Gradients of [`FusedOps`]: of the arguments that they are named for, given that of the output.
/// A trait of its own, so that there is no gradient of gradients.
pub(crate) trait FusedGradients: Backend {
    fn fused_gelu_gradient(
        x: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        which: Gelu,
    ) -> FloatTensor<Self> {
        plain::gelu_gradient::<Self>(x, gradient, which)
    }

    /// Takes the output, not the scores.
    fn fused_softmax_gradient(
        weights: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        plain::softmax_gradient::<Self>(weights, gradient)
    }

    /// Of `x`, `gain` and `shift`.
    fn fused_layer_norm_gradient(
        x: FloatTensor<Self>,
        gain: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        epsilon: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        plain::layer_norm_gradient::<Self>(x, gain, gradient, epsilon)
    }

    fn fused_cross_entropy_gradient(
        logits: FloatTensor<Self>,
        targets: IntTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        plain::cross_entropy_gradient::<Self>(logits, targets, gradient)
    }

    fn fused_linear_of_x(
        weight: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        Self::linear_x_backward(weight, gradient)
    }

    fn fused_linear_of_weight(
        x: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        Self::linear_weight_backward(x, gradient)
    }

    fn fused_linear_of_bias(gradient: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::linear_bias_backward(gradient)
    }

    fn fused_scores_of_query(
        key: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        heads: usize,
        scale: f64,
        _causal: bool,
    ) -> FloatTensor<Self> {
        plain::scores_of_query::<Self>(key, gradient, heads, scale)
    }

    fn fused_scores_of_key(
        query: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        heads: usize,
        scale: f64,
        _causal: bool,
    ) -> FloatTensor<Self> {
        plain::scores_of_key::<Self>(query, gradient, heads, scale)
    }

    fn fused_linear_by_head_of_x(
        weight: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        plain::linear_by_head_of_x::<Self>(weight, gradient)
    }

    fn fused_linear_by_head_of_weight(
        x: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        plain::linear_by_head_of_weight::<Self>(x, gradient)
    }

    fn fused_linear_by_head_of_bias(gradient: FloatTensor<Self>) -> FloatTensor<Self> {
        plain::linear_by_head_of_bias::<Self>(gradient)
    }

    /// Shared if the weights are those of the whole batch; if `causal`, anything above the diagonal.
    fn fused_mix_of_weights(
        value: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        heads: usize,
        shared: bool,
        _causal: bool,
    ) -> FloatTensor<Self> {
        plain::mix_of_weights::<Self>(value, gradient, heads, shared)
    }

    fn fused_mix_of_value(
        weights: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        _causal: bool,
    ) -> FloatTensor<Self> {
        plain::mix_of_value::<Self>(weights, gradient)
    }
}

/// What is done with gradients. Nothing is learned through the step of an optimizer.
#[backend_extension(
    Flex,
    Cube: cfg(any(
        feature = "wgpu",
        feature = "cuda",
        all(target_arch = "wasm32", feature = "webgpu"),
    )),
)]
pub(crate) trait StepOps: Backend {
    /// A tensor of any values, to be filled: `[len]`, of the kind of `like`.
    fn fused_room(like: FloatTensor<Self>, len: usize) -> FloatTensor<Self> {
        Self::float_empty(Shape::new([len]), &like.device(), like.dtype().into())
    }

    /// Parts in their places; what lies elsewhere in the whole stays.
    #[allow(clippy::too_many_arguments, reason = "a backend takes tensors one by one")]
    fn fused_place(
        whole: FloatTensor<Self>,
        first: FloatTensor<Self>,
        second: FloatTensor<Self>,
        third: FloatTensor<Self>,
        fourth: FloatTensor<Self>,
        fifth: FloatTensor<Self>,
        sixth: FloatTensor<Self>,
        places: Places,
    ) -> FloatTensor<Self> {
        plain::place::<Self>(whole, [first, second, third, fourth, fifth, sixth], places)
    }

    fn fused_norm(x: FloatTensor<Self>) -> FloatTensor<Self> {
        plain::norm::<Self>(x)
    }

    /// New weights, first and second moment.
    fn fused_adam(
        weights: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        norm: FloatTensor<Self>,
        first: FloatTensor<Self>,
        second: FloatTensor<Self>,
        rule: AdamRule,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        plain::adam::<Self>(weights, gradient, norm, first, second, rule)
    }
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

/// `x weight + bias`.
///
/// # Shapes
///
/// - x: `[.., d_in]`
/// - weight: `[d_in, d_out]`
/// - bias: `[d_out]`
/// - output: `[.., d_out]`
pub fn linear<const D: usize>(
    x: Tensor<D>,
    weight: Tensor<2>,
    bias: Option<Tensor<1>>,
) -> Tensor<D> {
    let (x, weight) = (x.into_dispatch(), weight.into_dispatch());
    Tensor::from_dispatch(match bias {
        Some(bias) => Dispatch::fused_linear(x, weight, bias.into_dispatch()),
        None => Dispatch::fused_plain_linear(x, weight),
    })
}

/// `x weight + bias`, head by head.
///
/// # Shapes
///
/// - x: `[batch, len, heads * width]`
/// - weight: `[heads, width, keys]`
/// - bias: `[heads, keys]`
/// - output: `[batch, heads, len, keys]`
pub fn linear_by_head(x: Tensor<3>, weight: Tensor<3>, bias: Tensor<2>) -> Tensor<4> {
    let (weight, bias) = (weight.into_dispatch(), bias.into_dispatch());
    Tensor::from_dispatch(Dispatch::fused_linear_by_head(x.into_dispatch(), weight, bias))
}

/// Dot products of queries and keys, head by head, times `scale`.
///
/// # Shapes
///
/// - query: `[batch, len, heads * width]`
/// - key: `[batch, keys, heads * width]`
/// - output: `[batch, heads, len, keys]`
pub fn scores(query: Tensor<3>, key: Tensor<3>, heads: usize, scale: f64) -> Tensor<4> {
    let (query, key) = (query.into_dispatch(), key.into_dispatch());
    Tensor::from_dispatch(Dispatch::fused_scores(query, key, heads, scale, false))
}

/// [`scores`] that are masked: what lies above the diagonal may be anything finite, and gets no
/// gradient.
pub fn scores_causal(query: Tensor<3>, key: Tensor<3>, heads: usize, scale: f64) -> Tensor<4> {
    let (query, key) = (query.into_dispatch(), key.into_dispatch());
    Tensor::from_dispatch(Dispatch::fused_scores(query, key, heads, scale, true))
}

/// `weights · value`, head by head, heads side by side.
///
/// Weights that do not depend on the input meet the whole batch in one product a head: neither they
/// nor their gradient are ever copied over the batch.
///
/// # Shapes
///
/// - weights: `[batch or 1, heads, len, keys]`
/// - value: `[batch, keys, heads * width]`
/// - output: `[batch, len, heads * width]`
pub fn mix(weights: Tensor<4>, value: Tensor<3>) -> Tensor<3> {
    let (weights, value) = (weights.into_dispatch(), value.into_dispatch());
    Tensor::from_dispatch(Dispatch::fused_mix(weights, value, false))
}

/// [`mix`] with weights that hide the future, `[batch or 1, heads, len, len]`: what lies above the
/// diagonal must be zero and may be left out. The gradient there is unspecified; softmax multiplies
/// it by these zeros.
pub fn mix_causal(weights: Tensor<4>, value: Tensor<3>) -> Tensor<3> {
    let (weights, value) = (weights.into_dispatch(), value.into_dispatch());
    Tensor::from_dispatch(Dispatch::fused_mix(weights, value, true))
}

/// Parts one after the other, each followed by zeros up to a multiple of `alignment`. At least one.
pub fn join(parts: Vec<Tensor<1>>, alignment: usize) -> Tensor<1> {
    let padded = |part: &Tensor<1>| part.dims()[0].next_multiple_of(alignment);
    let len: usize = parts.iter().map(padded).sum();
    let mut whole = Dispatch::fused_room(parts[0].clone().into_dispatch(), len);
    let mut start = 0;
    for parts in parts.chunks(PLACED) {
        let (mut end, mut ends, mut lens) = (0, [0; PLACED], [0; PLACED]);
        for (index, slot) in ends.iter_mut().enumerate() {
            end += parts.get(index).map_or(0, padded);
            *slot = end;
            lens[index] = parts.get(index).map_or(0, |part| part.dims()[0]);
        }
        // A backend takes six, whether there are so many or not.
        let part = |index| Tensor::into_dispatch(parts.get(index).unwrap_or(&parts[0]).clone());
        let places = Places { start, ends, lens };
        whole = Dispatch::fused_place(
            whole,
            part(0),
            part(1),
            part(2),
            part(3),
            part(4),
            part(5),
            places,
        );
        start += end;
    }
    Tensor::from_dispatch(whole)
}

/// Two stretches of a sequence, one behind the other, `[batch, len, d_model]` each.
pub fn append(before: Tensor<3>, after: Tensor<3>) -> Tensor<3> {
    let [batch, past, d_model] = before.dims();
    let [_batch, len, _d_model] = after.dims();
    if batch > 1 || before.is_autodiff() {
        return Tensor::cat(vec![before, after], 1);
    }
    let parts = [before, after].map(|part| part.flatten::<1>(0, 2));
    join(parts.into(), 1).reshape([1, past + len, d_model])
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
