//! The fused operations on the CPU device, whose tensors become slices for `synthattn-loops`.

mod heads;
mod linear;

use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Flex, TensorMetadata};
use burn::tensor::{Shape, TensorData};
use synthattn_loops::{self as loops, Hidden, Output};

use super::{AdamRule, FusedGradients, FusedOps, Gelu, Places, StepOps};

type Floats = FloatTensor<Flex>;

/// The values of a tensor, in row-major order.
fn dense(x: Floats) -> Floats {
    if x.as_slice::<f32>().is_some() { x } else { x.to_contiguous() }
}

fn values(x: &Floats) -> &[f32] {
    x.as_slice().expect("it was made contiguous")
}

/// The same to be changed in place, unless somebody else has them: then in a copy.
fn values_mut(x: &mut Floats) -> &mut [f32] {
    let (start, end) = x.layout().contiguous_offsets().expect("it was made contiguous");
    &mut x.storage_mut()[start..end]
}

fn tensor(values: Vec<f32>, shape: Shape) -> Floats {
    Flex::float_from_data(TensorData::new(values, shape), &Default::default())
}

/// The values of a tensor, in products that fill it.
fn finished(out: Output) -> Vec<f32> {
    // SAFETY: there is one product, or one for each text, head or both, which has a place of its own.
    unsafe { out.done() }
}

/// Softmax of scores, to which `hidden` is added first.
fn softmax(scores: Floats, hidden: Option<Floats>) -> Floats {
    let mut scores = dense(scores);
    let hidden = hidden.map(dense);
    let shape = scores.shape();
    let keys = last(&shape);
    let hidden = hidden
        .as_ref()
        .map(|hidden| Hidden::new(values(hidden), hidden.shape().dims(), shape.clone().dims()));
    if scores.is_unique() {
        loops::softmax(values_mut(&mut scores), keys, hidden.as_ref());
        return scores;
    }
    // Somebody else has them too. A table is a part of all weights, and `values_mut` would copy these
    // as a whole.
    tensor(loops::softmax_of(values(&scores), keys, hidden.as_ref()), shape)
}

fn last(shape: &Shape) -> usize {
    shape[shape.num_dims() - 1]
}

impl FusedOps for Flex {
    fn fused_gelu(x: Floats, which: Gelu) -> Floats {
        let x = dense(x);
        let out = match which {
            Gelu::Exact => loops::gelu_exact(values(&x)),
            Gelu::Tanh => loops::gelu_tanh(values(&x)),
        };
        tensor(out, x.shape())
    }

    fn fused_linear(x: Floats, weight: Floats, bias: Floats) -> Floats {
        linear::linear(x, weight, Some(bias))
    }

    fn fused_plain_linear(x: Floats, weight: Floats) -> Floats {
        linear::linear(x, weight, None)
    }

    fn fused_scores(query: Floats, key: Floats, heads: usize, scale: f64, causal: bool) -> Floats {
        heads::scores(query, key, heads, scale, causal)
    }

    fn fused_linear_by_head(x: Floats, weight: Floats, bias: Floats) -> Floats {
        heads::linear(x, weight, bias)
    }

    fn fused_mix(weights: Floats, value: Floats, causal: bool) -> Floats {
        heads::mix(weights, value, causal)
    }

    fn fused_softmax(scores: Floats) -> Floats {
        softmax(scores, None)
    }

    fn fused_hidden_softmax(scores: Floats, hidden: Floats) -> Floats {
        softmax(scores, Some(hidden))
    }

    fn fused_layer_norm(x: Floats, gain: Floats, shift: Floats, epsilon: f64) -> Floats {
        let [x, gain, shift] = [x, gain, shift].map(dense);
        let out = loops::layer_norm(values(&x), values(&gain), values(&shift), epsilon as f32);
        tensor(out, x.shape())
    }

    fn fused_cross_entropy(logits: Floats, targets: IntTensor<Flex>) -> Floats {
        let logits = dense(logits);
        let [rows, classes] = logits.shape().dims();
        let losses = loops::cross_entropy(values(&logits), classes, &ids(targets));
        tensor(losses, Shape::new([rows]))
    }
}

impl FusedGradients for Flex {
    fn fused_linear_of_x(weight: Floats, gradient: Floats) -> Floats {
        linear::of_x(weight, gradient)
    }

    fn fused_linear_of_weight(x: Floats, gradient: Floats) -> Floats {
        linear::of_weight(x, gradient)
    }

    fn fused_linear_of_bias(gradient: Floats) -> Floats {
        linear::of_bias(gradient)
    }

    fn fused_scores_of_query(
        key: Floats,
        gradient: Floats,
        heads: usize,
        scale: f64,
        causal: bool,
    ) -> Floats {
        heads::scores_of_query(key, gradient, heads, scale, causal)
    }

    fn fused_scores_of_key(
        query: Floats,
        gradient: Floats,
        heads: usize,
        scale: f64,
        causal: bool,
    ) -> Floats {
        heads::scores_of_key(query, gradient, heads, scale, causal)
    }

    fn fused_linear_by_head_of_x(weight: Floats, gradient: Floats) -> Floats {
        heads::linear_of_x(weight, gradient)
    }

    fn fused_linear_by_head_of_weight(x: Floats, gradient: Floats) -> Floats {
        heads::linear_of_weight(x, gradient)
    }

    fn fused_linear_by_head_of_bias(gradient: Floats) -> Floats {
        heads::linear_of_bias(gradient)
    }

    fn fused_mix_of_weights(
        value: Floats,
        gradient: Floats,
        heads: usize,
        shared: bool,
        causal: bool,
    ) -> Floats {
        heads::mix_of_weights(value, gradient, heads, shared, causal)
    }

    fn fused_mix_of_value(weights: Floats, gradient: Floats, causal: bool) -> Floats {
        heads::mix_of_value(weights, gradient, causal)
    }

    fn fused_gelu_gradient(x: Floats, gradient: Floats, which: Gelu) -> Floats {
        let (x, gradient) = (dense(x), dense(gradient));
        let out = match which {
            Gelu::Exact => loops::gelu_exact_gradient(values(&x), values(&gradient)),
            Gelu::Tanh => loops::gelu_tanh_gradient(values(&x), values(&gradient)),
        };
        tensor(out, x.shape())
    }

    fn fused_softmax_gradient(weights: Floats, gradient: Floats) -> Floats {
        let (weights, mut gradient) = (dense(weights), dense(gradient));
        let keys = last(&weights.shape());
        loops::softmax_gradient(values(&weights), values_mut(&mut gradient), keys);
        gradient
    }

    fn fused_layer_norm_gradient(
        x: Floats,
        gain: Floats,
        gradient: Floats,
        epsilon: f64,
    ) -> (Floats, Floats, Floats) {
        let [x, gain, gradient] = [x, gain, gradient].map(dense);
        let [of_x, of_gain, of_shift] = loops::layer_norm_gradient(
            values(&x),
            values(&gain),
            values(&gradient),
            epsilon as f32,
        );
        let narrow = gain.shape();
        (tensor(of_x, x.shape()), tensor(of_gain, narrow.clone()), tensor(of_shift, narrow))
    }

    fn fused_cross_entropy_gradient(
        logits: Floats,
        targets: IntTensor<Flex>,
        gradient: Floats,
    ) -> Floats {
        let (logits, gradient) = (dense(logits), dense(gradient));
        let targets = ids(targets);
        let shape = logits.shape();
        let out = loops::cross_entropy_gradient(
            values(&logits),
            last(&shape),
            &targets,
            values(&gradient),
        );
        tensor(out, shape)
    }
}

impl StepOps for Flex {
    /// Burn's own is filled with zeros and then copied to where it is aligned for any type.
    fn fused_room(_like: Floats, len: usize) -> Floats {
        tensor(vec![0.0; len], Shape::new([len]))
    }

    fn fused_place(
        whole: Floats,
        first: Floats,
        second: Floats,
        third: Floats,
        fourth: Floats,
        fifth: Floats,
        sixth: Floats,
        places: Places,
    ) -> Floats {
        let parts = [first, second, third, fourth, fifth, sixth].map(dense);
        let Places { start, ends, lens } = places;
        let mut whole = dense(whole);
        let values_of_whole = values_mut(&mut whole);
        let mut from = start;
        for ((part, end), len) in parts.iter().zip(ends).zip(lens) {
            values_of_whole[from..from + len].copy_from_slice(&values(part)[..len]);
            values_of_whole[from + len..start + end].fill(0.0);
            from = start + end;
        }
        whole
    }

    fn fused_norm(x: Floats) -> Floats {
        let x = dense(x);
        tensor(vec![loops::norm(values(&x))], Shape::new([1]))
    }

    fn fused_adam(
        weights: Floats,
        gradient: Floats,
        norm: Floats,
        first: Floats,
        second: Floats,
        rule: AdamRule,
    ) -> (Floats, Floats, Floats) {
        let (weights, gradient) = (dense(weights), dense(gradient));
        let (mut first, mut second) = (dense(first), dense(second));
        let beta = |beta: f64| (beta as f32, (1.0 - beta) as f32);
        let step = loops::Adam {
            scale: rule.scale(values(&norm)[0]),
            rate: rule.rate as f32,
            betas: [beta(rule.beta1), beta(rule.beta2)],
            epsilon: rule.epsilon as f32,
            keep: rule.keep as f32,
            decay: rule.decay as f32,
        };
        let moments = [values_mut(&mut first), values_mut(&mut second)];
        let out = loops::adam(values(&weights), values(&gradient), moments, step);
        (tensor(out, weights.shape()), first, second)
    }
}

fn ids(targets: IntTensor<Flex>) -> Vec<usize> {
    let targets = targets.to_contiguous();
    match targets.as_slice::<i32>() {
        Some(ids) => ids.iter().map(|&id| id as usize).collect(),
        None => {
            let ids = targets.as_slice::<i64>().expect("ids are 32 or 64 bits wide");
            ids.iter().map(|&id| id as usize).collect()
        }
    }
}
