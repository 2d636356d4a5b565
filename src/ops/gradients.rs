//! Gradients of the fused operations: what Burn's autodiff keeps of the forward pass and calls on
//! the way back.

use burn::backend::autodiff::NodeId;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, NodeGuard, Ops, OpsKind};
use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Autodiff, Backend, TensorMetadata};

use super::{FusedGradients, FusedOps, Gelu};

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

impl<B: FusedGradients> Backward<B, 1> for GeluStep {
    type State = (FloatTensor<B>, Gelu);

    fn backward(self, ops: Ops<Self::State, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        pass::<B, _>(ops, grads, |(x, which), gradient| B::fused_gelu_gradient(x, gradient, which));
    }
}

#[derive(Debug)]
struct SoftmaxStep;

impl<B: FusedGradients> Backward<B, 1> for SoftmaxStep {
    type State = FloatTensor<B>;

    fn backward(self, ops: Ops<Self::State, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        pass::<B, _>(ops, grads, B::fused_softmax_gradient);
    }
}

/// Softmax asks for its output on the way back, whatever was hidden.
fn keep_weights<B: FusedGradients, C: CheckpointStrategy>(
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

impl<B: FusedGradients> Backward<B, 1> for CrossEntropyStep {
    type State = (FloatTensor<B>, IntTensor<B>);

    fn backward(self, ops: Ops<Self::State, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        pass::<B, _>(ops, grads, |(logits, targets), gradient| {
            B::fused_cross_entropy_gradient(logits, targets, gradient)
        });
    }
}

#[derive(Debug)]
struct LayerNormStep;

impl<B: FusedGradients> Backward<B, 3> for LayerNormStep {
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

/// The gradient of a parent that wants one.
fn give<B: Backend>(
    gradients: &mut Gradients,
    parent: Option<NodeId>,
    of: impl FnOnce() -> FloatTensor<B>,
) {
    if let Some(parent) = parent {
        gradients.register::<B>(parent, of());
    }
}

/// The way back through a linear map of `x` by a weight and a bias.
fn linear_pass<B: Backend>(
    ops: Ops<(FloatTensor<B>, FloatTensor<B>), 3>,
    gradients: &mut Gradients,
    of_x: impl FnOnce(FloatTensor<B>, FloatTensor<B>) -> FloatTensor<B>,
    of_weight: impl FnOnce(FloatTensor<B>, FloatTensor<B>) -> FloatTensor<B>,
    of_bias: impl FnOnce(FloatTensor<B>) -> FloatTensor<B>,
) {
    let gradient = gradients.consume::<B>(&ops.node);
    let (x, weight) = ops.state;
    let [to_x, to_weight, to_bias] = ops.parents.map(|parent| parent.map(|node| node.id));
    give::<B>(gradients, to_x, || of_x(weight, gradient.clone()));
    give::<B>(gradients, to_weight, || of_weight(x, gradient.clone()));
    give::<B>(gradients, to_bias, || of_bias(gradient.clone()));
}

#[derive(Debug)]
struct LinearStep;

impl<B: FusedGradients> Backward<B, 3> for LinearStep {
    /// `x` and the weight.
    type State = (FloatTensor<B>, FloatTensor<B>);

    fn backward(self, ops: Ops<Self::State, 3>, grads: &mut Gradients, _: &mut Checkpointer) {
        let (of_x, of_weight) = (B::fused_linear_of_x, B::fused_linear_of_weight);
        linear_pass::<B>(ops, grads, of_x, of_weight, B::fused_linear_of_bias);
    }
}

#[derive(Debug)]
struct PlainLinearStep;

impl<B: FusedGradients> Backward<B, 2> for PlainLinearStep {
    /// `x` and the weight.
    type State = (FloatTensor<B>, FloatTensor<B>);

    fn backward(self, ops: Ops<Self::State, 2>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = grads.consume::<B>(&ops.node);
        let (x, weight) = ops.state;
        let [of_x, of_weight] = ops.parents.map(|parent| parent.map(|node| node.id));
        give::<B>(grads, of_x, || B::fused_linear_of_x(weight, gradient.clone()));
        give::<B>(grads, of_weight, || B::fused_linear_of_weight(x, gradient.clone()));
    }
}

#[derive(Debug)]
struct LinearByHeadStep;

impl<B: FusedGradients> Backward<B, 3> for LinearByHeadStep {
    /// `x` and the weight.
    type State = (FloatTensor<B>, FloatTensor<B>);

    fn backward(self, ops: Ops<Self::State, 3>, grads: &mut Gradients, _: &mut Checkpointer) {
        let (of_x, of_weight) = (B::fused_linear_by_head_of_x, B::fused_linear_by_head_of_weight);
        linear_pass::<B>(ops, grads, of_x, of_weight, B::fused_linear_by_head_of_bias);
    }
}

#[derive(Debug)]
struct ScoresStep;

impl<B: FusedGradients> Backward<B, 2> for ScoresStep {
    /// Query, key, heads, scale, and whether the future is left out.
    type State = (FloatTensor<B>, FloatTensor<B>, usize, f64, bool);

    fn backward(self, ops: Ops<Self::State, 2>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = grads.consume::<B>(&ops.node);
        let (query, key, heads, scale, causal) = ops.state;
        let [of_query, of_key] = ops.parents.map(|parent| parent.map(|node| node.id));
        let whole = gradient.clone();
        give::<B>(grads, of_query, || B::fused_scores_of_query(key, whole, heads, scale, causal));
        give::<B>(grads, of_key, || B::fused_scores_of_key(query, gradient, heads, scale, causal));
    }
}

#[derive(Debug)]
struct MixStep;

impl<B: FusedGradients> Backward<B, 2> for MixStep {
    /// Weights and value, and whether the weights hide the future.
    type State = (FloatTensor<B>, FloatTensor<B>, bool);

    fn backward(self, ops: Ops<Self::State, 2>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = grads.consume::<B>(&ops.node);
        let (weights, value, causal) = ops.state;
        let [of_weights, of_value] = ops.parents.map(|parent| parent.map(|node| node.id));
        let [rows, heads, ..] = weights.shape().dims::<4>();
        let shared = rows < value.shape()[0];
        let whole = gradient.clone();
        let weigh = || B::fused_mix_of_weights(value, whole, heads, shared, causal);
        give::<B>(grads, of_weights, weigh);
        give::<B>(grads, of_value, || B::fused_mix_of_value(weights, gradient, causal));
    }
}

impl<B: FusedOps + FusedGradients, C: CheckpointStrategy> FusedOps for Autodiff<B, C> {
    fn fused_gelu(x: FloatTensor<Self>, which: Gelu) -> FloatTensor<Self> {
        let (x, node) = x.into_parts();
        match GeluStep.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(step) => step.finish((x.clone(), which), B::fused_gelu(x, which)),
            OpsKind::UnTracked(step) => step.finish(B::fused_gelu(x, which)),
        }
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

    fn fused_linear(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let [(x, x_node), (weight, weight_node), (bias, bias_node)] =
            [x, weight, bias].map(|tensor| tensor.into_parts());
        let output = B::fused_linear(x.clone(), weight.clone(), bias);
        let nodes = [x_node, weight_node, bias_node];
        match LinearStep.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(step) => step.finish((x, weight), output),
            OpsKind::UnTracked(step) => step.finish(output),
        }
    }

    fn fused_plain_linear(x: FloatTensor<Self>, weight: FloatTensor<Self>) -> FloatTensor<Self> {
        let [(x, x_node), (weight, weight_node)] = [x, weight].map(|tensor| tensor.into_parts());
        let output = B::fused_plain_linear(x.clone(), weight.clone());
        match PlainLinearStep.prepare::<C>([x_node, weight_node]).compute_bound().stateful() {
            OpsKind::Tracked(step) => step.finish((x, weight), output),
            OpsKind::UnTracked(step) => step.finish(output),
        }
    }

    fn fused_linear_by_head(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let [(x, x_node), (weight, weight_node), (bias, bias_node)] =
            [x, weight, bias].map(|tensor| tensor.into_parts());
        let output = B::fused_linear_by_head(x.clone(), weight.clone(), bias);
        let nodes = [x_node, weight_node, bias_node];
        match LinearByHeadStep.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(step) => step.finish((x, weight), output),
            OpsKind::UnTracked(step) => step.finish(output),
        }
    }

    fn fused_scores(
        query: FloatTensor<Self>,
        key: FloatTensor<Self>,
        heads: usize,
        scale: f64,
        causal: bool,
    ) -> FloatTensor<Self> {
        let [(query, query_node), (key, key_node)] = [query, key].map(|tensor| tensor.into_parts());
        let output = B::fused_scores(query.clone(), key.clone(), heads, scale, causal);
        match ScoresStep.prepare::<C>([query_node, key_node]).compute_bound().stateful() {
            OpsKind::Tracked(step) => step.finish((query, key, heads, scale, causal), output),
            OpsKind::UnTracked(step) => step.finish(output),
        }
    }

    fn fused_mix(
        weights: FloatTensor<Self>,
        value: FloatTensor<Self>,
        causal: bool,
    ) -> FloatTensor<Self> {
        let [(weights, weights_node), (value, value_node)] =
            [weights, value].map(|tensor| tensor.into_parts());
        let output = B::fused_mix(weights.clone(), value.clone(), causal);
        match MixStep.prepare::<C>([weights_node, value_node]).compute_bound().stateful() {
            OpsKind::Tracked(step) => step.finish((weights, value, causal), output),
            OpsKind::UnTracked(step) => step.finish(output),
        }
    }
}
