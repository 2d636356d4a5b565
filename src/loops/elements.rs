//! Loops over elements, whatever rows they stand in.

use crate::lanes::sum;
use crate::math;

/// `√(2/π)`
const TANH_SCALE: f32 = 0.797_884_6;
const CUBIC: f32 = 0.044_715;

#[inline(always)]
fn tanh_argument(x: f32) -> f32 {
    TANH_SCALE * (x + CUBIC * x * x * x)
}

/// `x Φ(x)`, element by element. Hendrycks and Gimpel, "Gaussian Error Linear Units", section 2,
/// <https://arxiv.org/abs/1606.08415>.
#[inline(never)]
pub fn gelu_exact(x: &[f32]) -> Vec<f32> {
    x.iter().map(|&x| x * math::phi(x)).collect()
}

/// The same by the hyperbolic tangent.
#[inline(never)]
pub fn gelu_tanh(x: &[f32]) -> Vec<f32> {
    x.iter().map(|&x| 0.5 * x * (1.0 + math::tanh(tanh_argument(x)))).collect()
}

/// The gradient of `x`, given that of [`gelu_exact`].
#[inline(never)]
pub fn gelu_exact_gradient(x: &[f32], gradient: &[f32]) -> Vec<f32> {
    x.iter().zip(gradient).map(|(&x, &g)| g * math::gelu_slope(x)).collect()
}

/// The gradient of `x`, given that of [`gelu_tanh`].
#[inline(never)]
pub fn gelu_tanh_gradient(x: &[f32], gradient: &[f32]) -> Vec<f32> {
    let pairs = x.iter().zip(gradient);
    pairs
        .map(|(&x, &g)| {
            let tanh = math::tanh(tanh_argument(x));
            let slope = TANH_SCALE * (1.0 + 3.0 * CUBIC * x * x);
            g * 0.5 * (1.0 + tanh + x * (1.0 - tanh * tanh) * slope)
        })
        .collect()
}

/// Adds each row to `sums`, which is as long.
#[inline(never)]
pub fn add_rows(sums: &mut [f32], rows: &[f32]) {
    for row in rows.chunks_exact(sums.len()) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
}

/// The Euclidean norm.
#[inline(never)]
pub fn norm(x: &[f32]) -> f32 {
    // Sums of blocks, then of those: a sum over millions would lose digits.
    let squares = x.chunks(1024).map(|block| f64::from(sum([block], |[x]| x * x)));
    squares.sum::<f64>().sqrt() as f32
}

/// The numbers of one step of [`adam`]. Kingma and Ba, "Adam: A Method for Stochastic
/// Optimization", algorithm 1, <https://arxiv.org/abs/1412.6980>.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adam {
    /// By what the gradient is multiplied first.
    pub scale: f32,
    /// Length of a step, corrections of both moments included.
    pub rate: f32,
    /// Decays of the two moments, and what each lacks to 1.
    pub betas: [(f32, f32); 2],
    /// Against division by zero.
    pub epsilon: f32,
    /// What is left of a weight.
    pub keep: f32,
    /// What of a weight is added to its gradient.
    pub decay: f32,
}

/// `g = scale · gradient + decay · w`, `m = beta1 m + (1 - beta1) g`, `v = beta2 v + (1 - beta2) g²`;
/// new weights `keep w - rate m / (√v + epsilon)`. Moments change in place. All slices are equally
/// long.
#[inline(never)]
pub fn adam(
    weights: &[f32],
    gradient: &[f32],
    [first, second]: [&mut [f32]; 2],
    step: Adam,
) -> Vec<f32> {
    let len = weights.len();
    assert_eq!([gradient.len(), first.len(), second.len()], [len; 3], "a number each a weight");
    let Adam { scale, rate, betas: [(beta1, rest1), (beta2, rest2)], epsilon, keep, decay } = step;
    let moments = first.iter_mut().zip(second);
    let pairs = weights.iter().zip(gradient);
    let mut out = Vec::with_capacity(len);
    out.extend(pairs.zip(moments).map(|((w, g), (m, v))| {
        let g = g * scale + decay * w;
        *m = beta1 * *m + rest1 * g;
        *v = beta2 * *v + rest2 * g * g;
        w * keep - rate * *m / (v.sqrt() + epsilon)
    }));
    out
}
