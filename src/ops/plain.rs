//! The fused operations in Burn's own, for every backend that has no faster one; and what those are
//! compared with.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI, FRAC_2_SQRT_PI};

use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Backend, Scalar, TensorMetadata};
use burn::tensor::{Shape, Slice};

use super::{AdamRule, Gelu, PLACED, Places};

/// Of `x³` in the argument of `tanh`.
const CUBIC: f64 = 0.044715;

fn times<B: Backend>(x: FloatTensor<B>, factor: f64) -> FloatTensor<B> {
    B::float_mul_scalar(x, Scalar::Float(factor))
}

fn plus<B: Backend>(x: FloatTensor<B>, summand: f64) -> FloatTensor<B> {
    B::float_add_scalar(x, Scalar::Float(summand))
}

/// `x Φ(x)` in either form, from `2 Φ(x)`.
pub(super) fn gelu<B: Backend>(x: FloatTensor<B>, which: Gelu) -> FloatTensor<B> {
    let twice = twice_phi::<B>(x.clone(), which);
    times::<B>(B::float_mul(x, twice), 0.5)
}

fn twice_phi<B: Backend>(x: FloatTensor<B>, which: Gelu) -> FloatTensor<B> {
    plus::<B>(
        match which {
            Gelu::Exact => B::float_erf(times::<B>(x, FRAC_1_SQRT_2)),
            Gelu::Tanh => B::float_tanh(argument::<B>(x)),
        },
        1.0,
    )
}

/// `√(2/π) (x + 0.044715 x³)`
fn argument<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let square = B::float_mul(x.clone(), x.clone());
    let factor = plus::<B>(times::<B>(square, FRAC_2_PI.sqrt() * CUBIC), FRAC_2_PI.sqrt());
    B::float_mul(x, factor)
}

pub(super) fn gelu_gradient<B: Backend>(
    x: FloatTensor<B>,
    gradient: FloatTensor<B>,
    which: Gelu,
) -> FloatTensor<B> {
    let twice = twice_phi::<B>(x.clone(), which);
    let square = B::float_mul(x.clone(), x.clone());
    // Twice x φ(x) for the one; for the other the derivative of its tanh, times x.
    let bend = match which {
        Gelu::Exact => {
            let bell = B::float_exp(times::<B>(square, -0.5));
            times::<B>(B::float_mul(x, bell), FRAC_2_SQRT_PI * FRAC_1_SQRT_2)
        }
        Gelu::Tanh => {
            let inner =
                plus::<B>(times::<B>(square, 3.0 * CUBIC * FRAC_2_PI.sqrt()), FRAC_2_PI.sqrt());
            // 1 - tanh² = (1 + tanh) (2 - (1 + tanh))
            let rest = plus::<B>(times::<B>(twice.clone(), -1.0), 2.0);
            let slope = B::float_mul(twice.clone(), rest);
            B::float_mul(B::float_mul(x, inner), slope)
        }
    };
    times::<B>(B::float_mul(gradient, B::float_add(twice, bend)), 0.5)
}

pub(super) fn softmax<B: Backend>(scores: FloatTensor<B>) -> FloatTensor<B> {
    let last = scores.shape().num_dims() - 1;
    B::softmax(scores, last)
}

pub(super) fn softmax_gradient<B: Backend>(
    weights: FloatTensor<B>,
    gradient: FloatTensor<B>,
) -> FloatTensor<B> {
    let last = weights.shape().num_dims() - 1;
    let weighted = B::float_mul(weights.clone(), gradient);
    let sum = B::float_sum_dim(weighted.clone(), last);
    B::float_sub(weighted, B::float_mul(weights, sum))
}

pub(super) fn layer_norm<B: Backend>(
    x: FloatTensor<B>,
    gain: FloatTensor<B>,
    shift: FloatTensor<B>,
    epsilon: f64,
) -> FloatTensor<B> {
    B::layer_norm(x, gain, Some(shift), epsilon)
}

pub(super) fn layer_norm_gradient<B: Backend>(
    x: FloatTensor<B>,
    gain: FloatTensor<B>,
    gradient: FloatTensor<B>,
    epsilon: f64,
) -> (FloatTensor<B>, FloatTensor<B>, FloatTensor<B>) {
    let shape = x.shape();
    let last = shape.num_dims() - 1;
    let d_model = shape[last];
    let rows = Shape::new([shape.num_elements() / d_model, d_model]);
    let x = B::float_reshape(x, rows.clone());
    let gradient = B::float_reshape(gradient, rows);
    let wide = |gain| B::float_reshape(gain, Shape::new([1, d_model]));
    let narrow = |sum| B::float_reshape(sum, Shape::new([d_model]));

    let centred = B::float_sub(x.clone(), B::float_mean_dim(x, 1));
    let variance = B::float_mean_dim(B::float_mul(centred.clone(), centred.clone()), 1);
    let deviation = B::float_sqrt(plus::<B>(variance, epsilon));
    let normed = B::float_div(centred, deviation.clone());

    let of_shift = narrow(B::float_sum_dim(gradient.clone(), 0));
    let of_gain = narrow(B::float_sum_dim(B::float_mul(gradient.clone(), normed.clone()), 0));
    // What came through mean and deviation goes back through them: the parts of the gradient along
    // the constant vector and along the normed one vanish.
    let scaled = B::float_mul(gradient, wide(gain));
    let mean = B::float_mean_dim(scaled.clone(), 1);
    let along = B::float_mean_dim(B::float_mul(scaled.clone(), normed.clone()), 1);
    let rest = B::float_sub(B::float_sub(scaled, mean), B::float_mul(normed, along));
    let of_x = B::float_reshape(B::float_div(rest, deviation), shape);
    (of_x, of_gain, of_shift)
}

pub(super) fn cross_entropy<B: Backend>(
    logits: FloatTensor<B>,
    targets: IntTensor<B>,
) -> FloatTensor<B> {
    let rows = logits.shape()[0];
    let log_likelihoods = B::log_softmax(logits, 1);
    let targets = B::int_reshape(targets, Shape::new([rows, 1]));
    let chosen = B::float_gather(1, log_likelihoods, targets);
    times::<B>(B::float_reshape(chosen, Shape::new([rows])), -1.0)
}

pub(super) fn cross_entropy_gradient<B: Backend>(
    logits: FloatTensor<B>,
    targets: IntTensor<B>,
    gradient: FloatTensor<B>,
) -> FloatTensor<B> {
    let rows = logits.shape()[0];
    let column = Shape::new([rows, 1]);
    let gradient = B::float_reshape(gradient, column.clone());
    let targets = B::int_reshape(targets, column);
    let expected = B::float_mul(B::softmax(logits, 1), gradient.clone());
    B::float_scatter(
        1,
        expected,
        targets,
        times::<B>(gradient, -1.0),
        burn::tensor::IndexingUpdateOp::Add,
    )
}

/// `[batch, len, heads * width]` to `[batch, heads, len, width]`.
fn split_heads<B: Backend>(x: FloatTensor<B>, heads: usize) -> FloatTensor<B> {
    let [batch, len, d_model] = x.shape().dims();
    let split = Shape::new([batch, len, heads, d_model / heads]);
    B::float_swap_dims(B::float_reshape(x, split), 1, 2)
}

/// `[batch, heads, len, width]` to `[batch, len, heads * width]`.
fn merge_heads<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let [batch, heads, len, width] = x.shape().dims();
    B::float_reshape(B::float_swap_dims(x, 1, 2), Shape::new([batch, len, heads * width]))
}

/// A matrix a head, for every text of a batch.
fn by_head<B: Backend>(weight: FloatTensor<B>) -> FloatTensor<B> {
    let [heads, width, keys] = weight.shape().dims();
    B::float_reshape(weight, Shape::new([1, heads, width, keys]))
}

pub(super) fn linear_by_head<B: Backend>(
    x: FloatTensor<B>,
    weight: FloatTensor<B>,
    bias: FloatTensor<B>,
) -> FloatTensor<B> {
    let [heads, keys] = bias.shape().dims();
    let product = B::float_matmul(split_heads::<B>(x, heads), by_head::<B>(weight));
    B::float_add(product, B::float_reshape(bias, Shape::new([1, heads, 1, keys])))
}

pub(super) fn linear_by_head_of_x<B: Backend>(
    weight: FloatTensor<B>,
    gradient: FloatTensor<B>,
) -> FloatTensor<B> {
    let weight = B::float_swap_dims(by_head::<B>(weight), 2, 3);
    merge_heads::<B>(B::float_matmul(gradient, weight))
}

pub(super) fn linear_by_head_of_weight<B: Backend>(
    x: FloatTensor<B>,
    gradient: FloatTensor<B>,
) -> FloatTensor<B> {
    let [_batch, heads, _len, keys] = gradient.shape().dims::<4>();
    let x = B::float_swap_dims(split_heads::<B>(x, heads), 2, 3);
    let width = x.shape()[2];
    let of_weight = B::float_sum_dim(B::float_matmul(x, gradient), 0);
    B::float_reshape(of_weight, Shape::new([heads, width, keys]))
}

pub(super) fn linear_by_head_of_bias<B: Backend>(gradient: FloatTensor<B>) -> FloatTensor<B> {
    let [_batch, heads, _len, keys] = gradient.shape().dims::<4>();
    let sum = B::float_sum_dim(B::float_sum_dim(gradient, 0), 2);
    B::float_reshape(sum, Shape::new([heads, keys]))
}

pub(super) fn scores<B: Backend>(
    query: FloatTensor<B>,
    key: FloatTensor<B>,
    heads: usize,
    scale: f64,
) -> FloatTensor<B> {
    let query = split_heads::<B>(times::<B>(query, scale), heads);
    B::float_matmul(query, B::float_swap_dims(split_heads::<B>(key, heads), 2, 3))
}

pub(super) fn scores_of_query<B: Backend>(
    key: FloatTensor<B>,
    gradient: FloatTensor<B>,
    heads: usize,
    scale: f64,
) -> FloatTensor<B> {
    let of_query = B::float_matmul(gradient, split_heads::<B>(key, heads));
    times::<B>(merge_heads::<B>(of_query), scale)
}

pub(super) fn scores_of_key<B: Backend>(
    query: FloatTensor<B>,
    gradient: FloatTensor<B>,
    heads: usize,
    scale: f64,
) -> FloatTensor<B> {
    let query = split_heads::<B>(times::<B>(query, scale), heads);
    merge_heads::<B>(B::float_matmul(B::float_swap_dims(gradient, 2, 3), query))
}

/// `[batch, len, heads * width]` to `[heads, len, batch * width]`: the batch becomes columns.
fn columns<B: Backend>(x: FloatTensor<B>, heads: usize) -> FloatTensor<B> {
    let [batch, len, d_model] = x.shape().dims();
    let width = d_model / heads;
    let x = B::float_permute(split_heads::<B>(x, heads), &[1, 2, 0, 3]);
    B::float_reshape(x, Shape::new([heads, len, batch * width]))
}

/// And back.
fn rows<B: Backend>(x: FloatTensor<B>, batch: usize) -> FloatTensor<B> {
    let [heads, len, columns] = x.shape().dims();
    let width = columns / batch;
    let x = B::float_reshape(x, Shape::new([heads, len, batch, width]));
    let x = B::float_permute(x, &[2, 1, 0, 3]);
    B::float_reshape(x, Shape::new([batch, len, heads * width]))
}

/// Weights of the whole batch, a matrix a head.
fn shared_weights<B: Backend>(weights: FloatTensor<B>) -> FloatTensor<B> {
    let [_one, heads, len, keys] = weights.shape().dims();
    B::float_reshape(weights, Shape::new([heads, len, keys]))
}

pub(super) fn mix<B: Backend>(weights: FloatTensor<B>, value: FloatTensor<B>) -> FloatTensor<B> {
    let [shared, heads, ..] = weights.shape().dims::<4>();
    let batch = value.shape()[0];
    if shared == batch {
        return merge_heads::<B>(B::float_matmul(weights, split_heads::<B>(value, heads)));
    }
    let value = columns::<B>(value, heads);
    rows::<B>(B::float_matmul(shared_weights::<B>(weights), value), batch)
}

pub(super) fn mix_of_weights<B: Backend>(
    value: FloatTensor<B>,
    gradient: FloatTensor<B>,
    heads: usize,
    shared: bool,
) -> FloatTensor<B> {
    if !shared {
        let value = B::float_swap_dims(split_heads::<B>(value, heads), 2, 3);
        return B::float_matmul(split_heads::<B>(gradient, heads), value);
    }
    let (len, keys) = (gradient.shape()[1], value.shape()[1]);
    let value = B::float_swap_dims(columns::<B>(value, heads), 1, 2);
    let of_weights = B::float_matmul(columns::<B>(gradient, heads), value);
    B::float_reshape(of_weights, Shape::new([1, heads, len, keys]))
}

pub(super) fn mix_of_value<B: Backend>(
    weights: FloatTensor<B>,
    gradient: FloatTensor<B>,
) -> FloatTensor<B> {
    let [shared, heads, ..] = weights.shape().dims::<4>();
    let batch = gradient.shape()[0];
    if shared == batch {
        let weights = B::float_swap_dims(weights, 2, 3);
        return merge_heads::<B>(B::float_matmul(weights, split_heads::<B>(gradient, heads)));
    }
    let weights = B::float_swap_dims(shared_weights::<B>(weights), 1, 2);
    rows::<B>(B::float_matmul(weights, columns::<B>(gradient, heads)), batch)
}

pub(super) fn place<B: Backend>(
    whole: FloatTensor<B>,
    parts: [FloatTensor<B>; PLACED],
    places: Places,
) -> FloatTensor<B> {
    let Places { start, ends, lens } = places;
    let (device, dtype) = (whole.device(), whole.dtype().into());
    let mut whole = whole;
    let mut before = 0;
    for ((part, end), len) in parts.into_iter().zip(ends).zip(lens) {
        let zeros = B::float_zeros(Shape::new([end - before - len]), &device, dtype);
        for (values, from, to) in [(part, before, before + len), (zeros, before + len, end)] {
            if from < to {
                let place = Slice::from(start + from..start + to);
                whole = B::float_slice_assign(whole, &[place], values);
            }
        }
        before = end;
    }
    whole
}

pub(super) fn norm<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    B::float_sqrt(B::float_sum(B::float_mul(x.clone(), x)))
}

pub(super) fn adam<B: Backend>(
    weights: FloatTensor<B>,
    gradient: FloatTensor<B>,
    norm: FloatTensor<B>,
    first: FloatTensor<B>,
    second: FloatTensor<B>,
    rule: AdamRule,
) -> (FloatTensor<B>, FloatTensor<B>, FloatTensor<B>) {
    let AdamRule { rate, beta1, beta2, epsilon, keep, decay, clip } = rule;
    let mut gradient = gradient;
    if clip.is_finite() {
        let scale = times::<B>(B::float_recip(plus::<B>(norm, 1e-6)), clip);
        gradient = B::float_mul(gradient, B::float_clamp_max(scale, Scalar::Float(1.0)));
    }
    if decay != 0.0 {
        gradient = B::float_add(gradient, times::<B>(weights.clone(), decay));
    }
    let square = B::float_mul(gradient.clone(), gradient.clone());
    let first = B::float_add(times::<B>(first, beta1), times::<B>(gradient, 1.0 - beta1));
    let second = B::float_add(times::<B>(second, beta2), times::<B>(square, 1.0 - beta2));
    let root = plus::<B>(B::float_sqrt(second.clone()), epsilon);
    let step = times::<B>(B::float_div(first.clone(), root), rate);
    let kept = if keep == 1.0 { weights } else { times::<B>(weights, keep) };
    (B::float_sub(kept, step), first, second)
}
