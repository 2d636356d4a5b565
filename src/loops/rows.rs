//! Loops over rows of a matrix.

use std::iter::repeat_n;

use crate::lanes::{LANES, all_zero, largest, sum};
use crate::math;

/// Of a row, of which all or nothing may be left out.
const BLOCK: usize = 8 * LANES;

/// What is this low, added to a score, leaves nothing of it.
const NOTHING: f32 = -1e30;

/// What is added to scores, `[batch, heads, len, keys]`, before softmax.
#[derive(Debug, Clone)]
pub struct Hidden<'a> {
    values: &'a [f32],
    /// Sizes of the scores and strides of `values` along `[batch, heads, len]`.
    rows: [(usize, usize); 3],
    /// Keys of a row of `values`; 1 if they are all treated alike.
    keys: usize,
    /// Behind so many keys of each row of `values`, whole lanes, there is nothing but what is hidden.
    seen: Vec<usize>,
}

impl<'a> Hidden<'a> {
    /// `values` are dense, of the shape `own`, with 1 for each axis along which it does not change.
    pub fn new(values: &'a [f32], own: [usize; 4], scores: [usize; 4]) -> Self {
        let mut strides = [0; 4];
        let mut stride = 1;
        for axis in (0..4).rev() {
            strides[axis] = if own[axis] == 1 { 0 } else { stride };
            stride *= own[axis];
        }
        let rows = [0, 1, 2].map(|axis| (scores[axis], strides[axis]));
        let keys = own[3];
        Self { values, rows, keys, seen: values.chunks_exact(keys).map(seen).collect() }
    }

    /// What is added to a row, key by key, as far as there is more than what is hidden; or to all keys.
    #[inline(always)]
    fn of_row(&self, index: usize) -> Summands<'a> {
        let mut rest = index;
        let mut offset = 0;
        for &(size, stride) in self.rows.iter().rev() {
            offset += rest % size * stride;
            rest /= size;
        }
        match self.keys {
            1 => Summands::All(self.values[offset]),
            keys => Summands::Each(&self.values[offset..][..self.seen[offset / keys]]),
        }
    }
}

enum Summands<'a> {
    All(f32),
    Each(&'a [f32]),
}

/// All keys where nothing is seen: softmax treats them alike.
fn seen(summands: &[f32]) -> usize {
    let hides = |summand: f32| summand <= NOTHING;
    // From the end, by blocks and then one by one.
    let hidden =
        |block: &[f32]| sum([block], |[summand]| if hides(summand) { 0.0 } else { 1.0 }) == 0.0;
    let blocks = summands.rchunks(BLOCK).take_while(|block| hidden(block));
    let rest = summands.len() - blocks.map(<[f32]>::len).sum::<usize>();
    match summands[..rest].iter().rposition(|&summand| !hides(summand)) {
        Some(last) => (last + 1).next_multiple_of(LANES).min(summands.len()),
        None => summands.len(),
    }
}

/// Softmax of each row of `keys` scores, in place. What is hidden at the end of a row is not looked at.
#[inline(never)]
pub fn softmax(scores: &mut [f32], keys: usize, hidden: Option<&Hidden>) {
    for (index, row) in scores.chunks_exact_mut(keys).enumerate() {
        let mut seen = keys;
        match hidden.map(|hidden| hidden.of_row(index)) {
            None => {}
            Some(Summands::All(summand)) => row.iter_mut().for_each(|score| *score += summand),
            Some(Summands::Each(summands)) => {
                seen = summands.len();
                row.iter_mut().zip(summands).for_each(|(score, summand)| *score += summand);
            }
        }
        let (seen, unseen) = row.split_at_mut(seen);
        let nothing = softmax_of_row(seen);
        unseen.iter_mut().for_each(|weight| *weight = nothing);
    }
}

/// [`softmax`] of scores that stay as they are.
#[inline(never)]
pub fn softmax_of(scores: &[f32], keys: usize, hidden: Option<&Hidden>) -> Vec<f32> {
    let mut out = Vec::with_capacity(scores.len());
    for (index, row) in scores.chunks_exact(keys).enumerate() {
        let start = out.len();
        match hidden.map(|hidden| hidden.of_row(index)) {
            None => out.extend_from_slice(row),
            Some(Summands::All(summand)) => out.extend(row.iter().map(|score| score + summand)),
            Some(Summands::Each(summands)) => {
                out.extend(row.iter().zip(summands).map(|(score, summand)| score + summand));
            }
        }
        let nothing = softmax_of_row(&mut out[start..]);
        out.extend(repeat_n(nothing, start + keys - out.len()));
    }
    out
}

/// Gives the weight of what is not looked at: zero, or no number if there is one that is none.
#[inline(always)]
fn softmax_of_row(row: &mut [f32]) -> f32 {
    let most = largest(row);
    row.iter_mut().for_each(|score| *score = math::exp(*score - most));
    let scale = sum([row], |[weight]| weight).recip();
    row.iter_mut().for_each(|weight| *weight *= scale);
    0.0 * scale
}

/// The gradient of the scores, given the output of [`softmax`], in place of the gradient of that, which is
/// not looked at where weights at the end of a row are zero.
#[inline(never)]
pub fn softmax_gradient(weights: &[f32], gradient: &mut [f32], keys: usize) {
    assert_eq!(weights.len(), gradient.len(), "a gradient for each weight");
    for (weights, gradient) in weights.chunks_exact(keys).zip(gradient.chunks_exact_mut(keys)) {
        let some = without_zeros_at_the_end(weights);
        let (weights, (gradient, rest)) = (&weights[..some], gradient.split_at_mut(some));
        let mean = sum([weights, gradient], |[w, g]| w * g);
        gradient.iter_mut().zip(weights).for_each(|(g, w)| *g = w * (*g - mean));
        let nothing = 0.0 * mean;
        rest.iter_mut().for_each(|g| *g = nothing);
    }
}

/// Up to the end of the last block of which not all is zero.
#[inline(always)]
fn without_zeros_at_the_end(row: &[f32]) -> usize {
    let mut end = 0;
    // From the front, as memory is read fastest.
    for (index, block) in row.chunks(BLOCK).enumerate() {
        if !all_zero(block) {
            end = index * BLOCK + block.len();
        }
    }
    end
}

/// `(x - mean) / √(variance + epsilon) · gain + shift` of each row, with the biased variance.
#[inline(never)]
pub fn layer_norm(x: &[f32], gain: &[f32], shift: &[f32], epsilon: f32) -> Vec<f32> {
    let mut out = Vec::with_capacity(x.len());
    for row in x.chunks_exact(gain.len()) {
        let (mean, scale) = moments(row, epsilon);
        let affine = gain.iter().zip(shift);
        out.extend(row.iter().zip(affine).map(|(x, (g, s))| (x - mean) * scale * g + s));
    }
    out
}

/// The gradients of `x`, `gain` and `shift`, given that of [`layer_norm`].
#[inline(never)]
pub fn layer_norm_gradient(
    x: &[f32],
    gain: &[f32],
    gradient: &[f32],
    epsilon: f32,
) -> [Vec<f32>; 3] {
    let d_model = gain.len();
    let mut of_x = vec![0.0; x.len()];
    let [mut of_gain, mut of_shift, mut normed, mut scaled] = [(); 4].map(|()| vec![0.0; d_model]);
    let rows = x.chunks_exact(d_model).zip(gradient.chunks_exact(d_model));
    for ((x, gradient), out) in rows.zip(of_x.chunks_exact_mut(d_model)) {
        let (mean, scale) = moments(x, epsilon);
        for i in 0..d_model {
            normed[i] = (x[i] - mean) * scale;
            scaled[i] = gradient[i] * gain[i];
            of_gain[i] += gradient[i] * normed[i];
            of_shift[i] += gradient[i];
        }
        let mean = sum([&scaled], |[scaled]| scaled) / d_model as f32;
        let along = sum([&scaled, &normed], |[scaled, normed]| scaled * normed) / d_model as f32;
        for i in 0..d_model {
            out[i] = (scaled[i] - mean - normed[i] * along) * scale;
        }
    }
    [of_x, of_gain, of_shift]
}

/// Negative log-likelihood in nats of the target of each row of logits.
#[inline(never)]
pub fn cross_entropy(logits: &[f32], classes: usize, targets: &[usize]) -> Vec<f32> {
    assert_eq!(logits.len(), classes * targets.len(), "a target for each row");
    let rows = logits.chunks_exact(classes);
    let mut powers = Vec::with_capacity(classes);
    rows.zip(targets)
        .map(|(logits, &target)| {
            powers.clear();
            let (most, total) = spread(logits, &mut powers);
            libm::logf(total) - (logits[target] - most)
        })
        .collect()
}

/// The gradient of the logits, given those of the rows of [`cross_entropy`].
#[inline(never)]
pub fn cross_entropy_gradient(
    logits: &[f32],
    classes: usize,
    targets: &[usize],
    gradient: &[f32],
) -> Vec<f32> {
    let mut out = Vec::with_capacity(logits.len());
    let rows = [targets.len(), gradient.len()];
    assert_eq!(rows.map(|rows| rows * classes), [logits.len(); 2], "a target for each row");
    let rows = logits.chunks_exact(classes);
    for ((logits, &target), gradient) in rows.zip(targets).zip(gradient) {
        let start = out.len();
        let (_most, total) = spread(logits, &mut out);
        let scale = gradient / total;
        out[start..].iter_mut().for_each(|power| *power *= scale);
        out[start + target] -= gradient;
    }
    out
}

/// Mean, and one over the deviation, of a row.
#[inline(always)]
fn moments(row: &[f32], epsilon: f32) -> (f32, f32) {
    let len = row.len();
    let mean = sum([row], |[x]| x) / len as f32;
    let variance = sum([row], |[x]| (x - mean) * (x - mean)) / len as f32;
    (mean, (variance + epsilon).sqrt().recip())
}

/// Puts the exponentials of what logits lie below the largest behind what is in `powers`; gives the
/// largest, and their sum.
#[inline(always)]
fn spread(logits: &[f32], powers: &mut Vec<f32>) -> (f32, f32) {
    let most = largest(logits);
    let start = powers.len();
    // Apart from their sum: both are SIMD then, and together neither.
    powers.extend(logits.iter().map(|logit| math::exp(logit - most)));
    (most, sum([&powers[start..]], |[power]| power))
}
