//! The fused operations on WebGPU: Burn's own, one after the other.

use burn::backend::Cube;
use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::{FloatTensor, IntTensor};

use super::{AdamRule, FusedOps, Gelu, plain};

type Floats = FloatTensor<Cube>;

impl FusedOps for Cube {
    fn fused_gelu(x: Floats, which: Gelu) -> Floats {
        plain::gelu::<Cube>(x, which)
    }

    fn fused_gelu_gradient(x: Floats, gradient: Floats, which: Gelu) -> Floats {
        plain::gelu_gradient::<Cube>(x, gradient, which)
    }

    fn fused_softmax(scores: Floats) -> Floats {
        plain::softmax::<Cube>(scores)
    }

    fn fused_hidden_softmax(scores: Floats, hidden: Floats) -> Floats {
        plain::softmax::<Cube>(Cube::float_add(scores, hidden))
    }

    fn fused_softmax_gradient(weights: Floats, gradient: Floats) -> Floats {
        plain::softmax_gradient::<Cube>(weights, gradient)
    }

    fn fused_layer_norm(x: Floats, gain: Floats, shift: Floats, epsilon: f64) -> Floats {
        plain::layer_norm::<Cube>(x, gain, shift, epsilon)
    }

    fn fused_layer_norm_gradient(
        x: Floats,
        gain: Floats,
        gradient: Floats,
        epsilon: f64,
    ) -> (Floats, Floats, Floats) {
        plain::layer_norm_gradient::<Cube>(x, gain, gradient, epsilon)
    }

    fn fused_cross_entropy(logits: Floats, targets: IntTensor<Cube>) -> Floats {
        plain::cross_entropy::<Cube>(logits, targets)
    }

    fn fused_cross_entropy_gradient(
        logits: Floats,
        targets: IntTensor<Cube>,
        gradient: Floats,
    ) -> Floats {
        plain::cross_entropy_gradient::<Cube>(logits, targets, gradient)
    }

    fn fused_norm(x: Floats) -> Floats {
        plain::norm::<Cube>(x)
    }

    fn fused_adam(
        weights: Floats,
        gradient: Floats,
        norm: Floats,
        first: Floats,
        second: Floats,
        rule: AdamRule,
    ) -> (Floats, Floats, Floats) {
        plain::adam::<Cube>(weights, gradient, norm, first, second, rule)
    }
}
