//! Gradients of the fused operations: what Burn's autodiff keeps of the forward pass and calls on
//! the way back.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, NodeGuard, Ops, OpsKind};
use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Autodiff, Backend};

use super::{AdamRule, FusedOps, Gelu};

/// One parent: its gradient from that of the output.
fn pass<B: Backend, S>(
    ops: Ops<S, 1>,
    gradients: &mut Gradients,
    of: impl FnOnce(S, FloatTensor<B>) -> FloatTensor<B>,
) where
    S: Clone + Send + std::fmt::Debug + 'static,
{
    let gradient = gradients.consume::<B>(&ops.node);
    let [parent] = ops.parents;
    if let Some(parent) = parent {
        gradients.register::<B>(parent.id, of(ops.state, gradient));
    }
}

#[derive(Debug)]
struct GeluStep;

impl<B: FusedOps> Backward<B, 1> for GeluStep {
    type State = (FloatTensor<B>, Gelu);

    fn backward(self, ops: Ops<Self::State, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        pass::<B, _>(ops, grads, |(x, which), gradient| B::fused_gelu_gradient(x, gradient, which));
    }
}

#[derive(Debug)]
struct SoftmaxStep;

impl<B: FusedOps> Backward<B, 1> for SoftmaxStep {
    type State = FloatTensor<B>;

    fn backward(self, ops: Ops<Self::State, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        pass::<B, _>(ops, grads, B::fused_softmax_gradient);
    }
}

/// Softmax asks for its output on the way back, whatever was hidden.
fn keep_weights<B: FusedOps, C: CheckpointStrategy>(
    scores: NodeGuard,
    weights: FloatTensor<B>,
) -> FloatTensor<Autodiff<B, C>> {
    match SoftmaxStep.prepare::<C>([scores]).compute_bound().stateful() {
        OpsKind::Tracked(step) => step.finish(weights.clone(), weights),
        OpsKind::UnTracked(step) => step.finish(weights),
    }
}

#[derive(Debug)]
struct CrossEntropyStep;

impl<B: FusedOps> Backward<B, 1> for CrossEntropyStep {
    type State = (FloatTensor<B>, IntTensor<B>);

    fn backward(self, ops: Ops<Self::State, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        pass::<B, _>(ops, grads, |(logits, targets), gradient| {
            B::fused_cross_entropy_gradient(logits, targets, gradient)
        });
    }
}

#[derive(Debug)]
struct LayerNormStep;

impl<B: FusedOps> Backward<B, 3> for LayerNormStep {
    type State = (FloatTensor<B>, FloatTensor<B>, f64);

    fn backward(self, ops: Ops<Self::State, 3>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = grads.consume::<B>(&ops.node);
        let (x, gain, epsilon) = ops.state;
        let (of_x, of_gain, of_shift) = B::fused_layer_norm_gradient(x, gain, gradient, epsilon);
        for (parent, gradient) in ops.parents.into_iter().zip([of_x, of_gain, of_shift]) {
            if let Some(parent) = parent {
                grads.register::<B>(parent.id, gradient);
            }
        }
    }
}

const NO_SECOND: &str = "gradients of gradients are not asked for";
const NO_STEP: &str = "nothing is learned through the step of an optimizer";

impl<B: FusedOps, C: CheckpointStrategy> FusedOps for Autodiff<B, C> {
    fn fused_gelu(x: FloatTensor<Self>, which: Gelu) -> FloatTensor<Self> {
        let (x, node) = x.into_parts();
        match GeluStep.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(step) => step.finish((x.clone(), which), B::fused_gelu(x, which)),
            OpsKind::UnTracked(step) => step.finish(B::fused_gelu(x, which)),
        }
    }

    fn fused_gelu_gradient(
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: Gelu,
    ) -> FloatTensor<Self> {
        unreachable!("{NO_SECOND}")
    }

    fn fused_softmax(scores: FloatTensor<Self>) -> FloatTensor<Self> {
        let (scores, node) = scores.into_parts();
        keep_weights::<B, C>(node, B::fused_softmax(scores))
    }

    fn fused_hidden_softmax(
        scores: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let (scores, node) = scores.into_parts();
        keep_weights::<B, C>(node, B::fused_hidden_softmax(scores, hidden.into_primitive()))
    }

    fn fused_softmax_gradient(_: FloatTensor<Self>, _: FloatTensor<Self>) -> FloatTensor<Self> {
        unreachable!("{NO_SECOND}")
    }

    fn fused_layer_norm(
        x: FloatTensor<Self>,
        gain: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        epsilon: f64,
    ) -> FloatTensor<Self> {
        let [(x, x_node), (gain, gain_node), (shift, shift_node)] =
            [x, gain, shift].map(|tensor| tensor.into_parts());
        let normed = B::fused_layer_norm(x.clone(), gain.clone(), shift, epsilon);
        let nodes = [x_node, gain_node, shift_node];
        match LayerNormStep.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(step) => step.finish((x, gain, epsilon), normed),
            OpsKind::UnTracked(step) => step.finish(normed),
        }
    }

    fn fused_layer_norm_gradient(
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        unreachable!("{NO_SECOND}")
    }

    fn fused_cross_entropy(
        logits: FloatTensor<Self>,
        targets: IntTensor<Self>,
    ) -> FloatTensor<Self> {
        let (logits, node) = logits.into_parts();
        let losses = B::fused_cross_entropy(logits.clone(), targets.clone());
        match CrossEntropyStep.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(step) => step.finish((logits, targets), losses),
            OpsKind::UnTracked(step) => step.finish(losses),
        }
    }

    fn fused_cross_entropy_gradient(
        _: FloatTensor<Self>,
        _: IntTensor<Self>,
        _: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        unreachable!("{NO_SECOND}")
    }

    fn fused_norm(_: FloatTensor<Self>) -> FloatTensor<Self> {
        unreachable!("{NO_STEP}")
    }

    fn fused_adam(
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: AdamRule,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        unreachable!("{NO_STEP}")
    }
}
