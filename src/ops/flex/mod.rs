//! The fused operations on the CPU device: one or two passes over memory each, in loops that become
//! SIMD. Rows are summed in lanes, whose order is fixed, so results are the same on every machine
//! with the same rounding.

mod heads;
mod linear;
mod product;
pub(super) mod tile;

use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Flex, TensorMetadata};
use burn::tensor::{Shape, TensorData};

use super::{AdamRule, FusedGradients, FusedOps, Gelu, Places, StepOps, math};

type Floats = FloatTensor<Flex>;

const LANES: usize = 8;

/// `√(2/π)`
const TANH_SCALE: f32 = 0.797_884_6;
const CUBIC: f32 = 0.044_715;
/// `1 / √(2π)`
const BELL: f32 = 0.398_942_3;

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

/// A sum in lanes.
#[inline(always)]
fn sum(len: usize, of: impl Fn(usize) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let whole = len - len % LANES;
    for start in (0..whole).step_by(LANES) {
        for (lane, total) in lanes.iter_mut().enumerate() {
            *total += of(start + lane);
        }
    }
    let rest: f32 = (whole..len).map(of).sum();
    lanes.iter().sum::<f32>() + rest
}

/// The largest value; NaN is passed over and shows in the sums after it.
#[inline(always)]
fn largest(row: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for (most, &value) in lanes.iter_mut().zip(chunk) {
            *most = if value > *most { value } else { *most };
        }
    }
    lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a })
}

/// `out[i] = of(x[i])`.
#[inline(always)]
fn map(x: &[f32], of: impl Fn(f32) -> f32) -> Vec<f32> {
    x.iter().map(|&x| of(x)).collect()
}

#[inline(always)]
fn tanh_argument(x: f32) -> f32 {
    TANH_SCALE * (x + CUBIC * x * x * x)
}

#[inline(always)]
fn phi(x: f32) -> f32 {
    0.5 + 0.5 * math::erf(x * std::f32::consts::FRAC_1_SQRT_2)
}

/// How a row of scores is hidden: the offset of its summand and the step between two of its values.
struct Hidden {
    values: Floats,
    /// Sizes and strides of `[batch, heads, len]`.
    rows: [(usize, usize); 3],
    key_step: usize,
}

impl Hidden {
    fn new(values: Floats, scores: &Shape) -> Self {
        let values = dense(values);
        let own = values.shape();
        let mut strides = [0; 4];
        let mut stride = 1;
        for axis in (0..4).rev() {
            strides[axis] = if own[axis] == 1 { 0 } else { stride };
            stride *= own[axis];
        }
        let rows = [0, 1, 2].map(|axis| (scores[axis], strides[axis]));
        Self { values, rows, key_step: strides[3] }
    }

    #[inline(always)]
    fn add_to(&self, index: usize, row: &mut [f32]) {
        let mut rest = index;
        let mut offset = 0;
        for &(size, stride) in self.rows.iter().rev() {
            offset += rest % size * stride;
            rest /= size;
        }
        let summands = &values(&self.values)[offset..];
        match self.key_step {
            0 => row.iter_mut().for_each(|score| *score += summands[0]),
            _ => row.iter_mut().zip(summands).for_each(|(score, summand)| *score += summand),
        }
    }
}

/// Softmax of each row, after `prepare` was given its number and its scores.
#[inline(always)]
fn softmax(scores: Floats, prepare: impl Fn(usize, &mut [f32])) -> Floats {
    let mut scores = dense(scores);
    let shape = scores.shape();
    let keys = shape[shape.num_dims() - 1];
    let weigh = |index: usize, row: &mut [f32]| {
        prepare(index, row);
        let most = largest(row);
        row.iter_mut().for_each(|score| *score = math::exp(*score - most));
        let scale = sum(keys, |i| row[i]).recip();
        row.iter_mut().for_each(|weight| *weight *= scale);
    };
    if scores.is_unique() {
        let rows = values_mut(&mut scores).chunks_exact_mut(keys);
        rows.enumerate().for_each(|(index, row)| weigh(index, row));
        return scores;
    }
    // Somebody else has them too. A table is a part of all weights, and these would be copied as a
    // whole.
    let mut out = Vec::with_capacity(shape.num_elements());
    for (index, row) in values(&scores).chunks_exact(keys).enumerate() {
        let start = out.len();
        out.extend_from_slice(row);
        weigh(index, &mut out[start..]);
    }
    tensor(out, shape)
}

impl FusedOps for Flex {
    fn fused_gelu(x: Floats, which: Gelu) -> Floats {
        let x = dense(x);
        let out = match which {
            Gelu::Exact => map(values(&x), |x| x * phi(x)),
            Gelu::Tanh => map(values(&x), |x| 0.5 * x * (1.0 + math::tanh(tanh_argument(x)))),
        };
        tensor(out, x.shape())
    }

    fn fused_linear(x: Floats, weight: Floats, bias: Floats) -> Floats {
        linear::linear(x, weight, Some(bias))
    }

    fn fused_plain_linear(x: Floats, weight: Floats) -> Floats {
        linear::linear(x, weight, None)
    }

    fn fused_scores(query: Floats, key: Floats, heads: usize, scale: f64) -> Floats {
        heads::scores(query, key, heads, scale)
    }

    fn fused_linear_by_head(x: Floats, weight: Floats, bias: Floats) -> Floats {
        heads::linear(x, weight, bias)
    }

    fn fused_mix(weights: Floats, value: Floats, causal: bool) -> Floats {
        heads::mix(weights, value, causal)
    }

    fn fused_softmax(scores: Floats) -> Floats {
        softmax(scores, |_index, _row| ())
    }

    fn fused_hidden_softmax(scores: Floats, hidden: Floats) -> Floats {
        let hidden = Hidden::new(hidden, &scores.shape());
        softmax(scores, |index, row| hidden.add_to(index, row))
    }

    fn fused_layer_norm(x: Floats, gain: Floats, shift: Floats, epsilon: f64) -> Floats {
        let (x, gain, shift) = (dense(x), dense(gain), dense(shift));
        let (gain, shift) = (values(&gain), values(&shift));
        let d_model = gain.len();
        let mut out = Vec::with_capacity(x.shape().num_elements());
        for row in values(&x).chunks_exact(d_model) {
            let (mean, scale) = moments(row, epsilon);
            let affine = gain.iter().zip(shift);
            out.extend(row.iter().zip(affine).map(|(x, (g, s))| (x - mean) * scale * g + s));
        }
        tensor(out, x.shape())
    }

    fn fused_cross_entropy(logits: Floats, targets: IntTensor<Flex>) -> Floats {
        let logits = dense(logits);
        let [rows, classes] = sizes(&logits);
        let targets = ids(targets);
        let mut out = Vec::with_capacity(rows);
        for (logits, &target) in values(&logits).chunks_exact(classes).zip(&targets) {
            let (most, total) = spread(logits);
            out.push(libm::logf(total) - (logits[target] - most));
        }
        tensor(out, Shape::new([rows]))
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

    fn fused_scores_of_query(key: Floats, gradient: Floats, heads: usize, scale: f64) -> Floats {
        heads::scores_of_query(key, gradient, heads, scale)
    }

    fn fused_scores_of_key(query: Floats, gradient: Floats, heads: usize, scale: f64) -> Floats {
        heads::scores_of_key(query, gradient, heads, scale)
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
        let pairs = values(&x).iter().zip(values(&gradient));
        let out = match which {
            Gelu::Exact => {
                pairs.map(|(&x, &g)| g * (phi(x) + x * BELL * math::exp(-0.5 * x * x))).collect()
            }
            Gelu::Tanh => pairs
                .map(|(&x, &g)| {
                    let tanh = math::tanh(tanh_argument(x));
                    let slope = TANH_SCALE * (1.0 + 3.0 * CUBIC * x * x);
                    g * 0.5 * (1.0 + tanh + x * (1.0 - tanh * tanh) * slope)
                })
                .collect(),
        };
        tensor(out, x.shape())
    }

    fn fused_softmax_gradient(weights: Floats, gradient: Floats) -> Floats {
        let (weights, gradient) = (dense(weights), dense(gradient));
        let shape = weights.shape();
        let keys = shape[shape.num_dims() - 1];
        let mut out = Vec::with_capacity(shape.num_elements());
        let rows = values(&weights).chunks_exact(keys).zip(values(&gradient).chunks_exact(keys));
        for (weights, gradient) in rows {
            let mean = sum(keys, |i| weights[i] * gradient[i]);
            out.extend(weights.iter().zip(gradient).map(|(w, g)| w * (g - mean)));
        }
        tensor(out, shape)
    }

    fn fused_layer_norm_gradient(
        x: Floats,
        gain: Floats,
        gradient: Floats,
        epsilon: f64,
    ) -> (Floats, Floats, Floats) {
        let (x, gain, gradient) = (dense(x), dense(gain), dense(gradient));
        let gain = values(&gain);
        let d_model = gain.len();
        let mut of_x = vec![0.0; x.shape().num_elements()];
        let mut of_gain = vec![0.0; d_model];
        let mut of_shift = vec![0.0; d_model];
        let mut normed = vec![0.0; d_model];
        let mut scaled = vec![0.0; d_model];
        let rows = values(&x).chunks_exact(d_model).zip(values(&gradient).chunks_exact(d_model));
        for ((x, gradient), out) in rows.zip(of_x.chunks_exact_mut(d_model)) {
            let (mean, scale) = moments(x, epsilon);
            for i in 0..d_model {
                normed[i] = (x[i] - mean) * scale;
                scaled[i] = gradient[i] * gain[i];
                of_gain[i] += gradient[i] * normed[i];
                of_shift[i] += gradient[i];
            }
            let mean = sum(d_model, |i| scaled[i]) / d_model as f32;
            let along = sum(d_model, |i| scaled[i] * normed[i]) / d_model as f32;
            for i in 0..d_model {
                out[i] = (scaled[i] - mean - normed[i] * along) * scale;
            }
        }
        let narrow = Shape::new([d_model]);
        (tensor(of_x, x.shape()), tensor(of_gain, narrow.clone()), tensor(of_shift, narrow))
    }

    fn fused_cross_entropy_gradient(
        logits: Floats,
        targets: IntTensor<Flex>,
        gradient: Floats,
    ) -> Floats {
        let (logits, gradient) = (dense(logits), dense(gradient));
        let [_rows, classes] = sizes(&logits);
        let targets = ids(targets);
        let mut out = Vec::with_capacity(logits.shape().num_elements());
        let rows = values(&logits).chunks_exact(classes).zip(&targets).zip(values(&gradient));
        for ((logits, &target), gradient) in rows {
            let start = out.len();
            let (most, total) = spread(logits);
            let scale = gradient / total;
            out.extend(logits.iter().map(|logit| math::exp(logit - most) * scale));
            out[start + target] -= gradient;
        }
        tensor(out, logits.shape())
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
        let x = values(&x);
        // Sums of blocks, then of those: a sum over millions would lose digits.
        let squares =
            x.chunks(1024).map(|block| f64::from(sum(block.len(), |i| block[i] * block[i])));
        let norm = squares.sum::<f64>().sqrt() as f32;
        tensor(vec![norm], Shape::new([1]))
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
        let len = weights.shape().num_elements();
        let scale = rule.scale(values(&norm)[0]);
        let [rate, beta1, beta2] = [rule.rate, rule.beta1, rule.beta2].map(|value| value as f32);
        let [epsilon, keep, decay] =
            [rule.epsilon, rule.keep, rule.decay].map(|value| value as f32);
        let [rest1, rest2] = [1.0 - rule.beta1, 1.0 - rule.beta2].map(|value| value as f32);
        let mut out = Vec::with_capacity(len);
        let moments = values_mut(&mut first).iter_mut().zip(values_mut(&mut second));
        let pairs = values(&weights).iter().zip(values(&gradient));
        out.extend(pairs.zip(moments).map(|((w, g), (m, v))| {
            let g = g * scale + decay * w;
            *m = beta1 * *m + rest1 * g;
            *v = beta2 * *v + rest2 * g * g;
            w * keep - rate * *m / (v.sqrt() + epsilon)
        }));
        (tensor(out, weights.shape()), first, second)
    }
}

/// Mean, and one over the deviation, of a row.
#[inline(always)]
fn moments(row: &[f32], epsilon: f64) -> (f32, f32) {
    let len = row.len();
    let mean = sum(len, |i| row[i]) / len as f32;
    let variance = sum(len, |i| (row[i] - mean) * (row[i] - mean)) / len as f32;
    (mean, (variance + epsilon as f32).sqrt().recip())
}

/// The largest logit, and the sum of the exponentials of what the others lie below it.
#[inline(always)]
fn spread(logits: &[f32]) -> (f32, f32) {
    let most = largest(logits);
    (most, sum(logits.len(), |i| math::exp(logits[i] - most)))
}

fn sizes(x: &Floats) -> [usize; 2] {
    let shape = x.shape();
    [shape[0], shape[1]]
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
