//! Functions of one number, without a branch, so that loops over them become SIMD. Errors are a few
//! units in the last place of a number near one; NaN stays NaN.

use std::f32::consts::LOG2_E;

/// Below this, `exp` is zero: the next smaller results are no normal numbers.
const LOWEST: f32 = -87.33;
const HIGHEST: f32 = 88.37;

/// `c₀ + c₁ x + c₂ x² + …`, two terms at a time, so that fewer operations wait for each other.
#[inline(always)]
fn polynomial<const TERMS: usize>(factors: [f32; TERMS], x: f32) -> f32 {
    let square = x * x;
    let (pairs, last) = factors.as_chunks::<2>();
    let mut pairs = pairs.iter().rev().map(|[even, odd]| odd * x + even);
    let first = last.first().copied().or_else(|| pairs.next()).expect("there are terms");
    pairs.fold(first, |sum, pair| sum * square + pair)
}

/// `e^x`; 0 below -87.33, and no more than `e^88.37` above.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    /// Added and taken away again it rounds to a whole number.
    const ROUND: f32 = 12_582_912.0;
    /// The first bits of ln 2, so that a multiple of it is exact, and the rest.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let y = if x > HIGHEST { HIGHEST } else { x };
    let y = if y < LOWEST { LOWEST } else { y };
    let shifted = y * LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (y - n * LN_2_HIGH) - n * LN_2_LOW;
    // Taylor's series ends early: |r| <= ln 2 / 2.
    const FACTORS: [f32; 6] = [0.5, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0];
    let p = polynomial(FACTORS, r) * (r * r) + r + 1.0;
    // 2ⁿ: the last bits of `shifted` are n.
    let power = f32::from_bits((shifted.to_bits().wrapping_add(127)) << 23);
    if x < LOWEST { 0.0 } else { p * power }
}

/// An odd function: a ratio of polynomials in `x²`, up to `±end` and as there beyond.
#[inline(always)]
fn odd<const ABOVE: usize, const BELOW: usize>(
    above: [f32; ABOVE],
    below: [f32; BELOW],
    end: f32,
    x: f32,
) -> f32 {
    let x = if x > end { end } else { x };
    let x = if x < -end { -end } else { x };
    let z = x * x;
    x * polynomial(above, z) / polynomial(below, z)
}

/// The normal distribution function: what it exceeds a half by is fitted so that its largest error is
/// the smallest, 7.3e-9, where it is not 0 or 1 in single precision.
#[inline(always)]
pub(crate) fn phi(x: f32) -> f32 {
    const ABOVE: [f32; 6] = [
        3.989_422_3e-1,
        3.385_115_8e-2,
        4.677_149e-3,
        1.688_076_3e-4,
        6.351_741e-6,
        2.274_902_8e-8,
    ];
    const BELOW: [f32; 6] =
        [1.0, 2.515_182e-1, 2.864_496_6e-2, 1.884_344_5e-3, 7.364_037e-5, 1.197_465_8e-6];
    0.5 + odd(ABOVE, BELOW, 5.5, x)
}

/// The slope of `x Φ(x)`, `Φ(x) + x φ(x)`, fitted likewise: to 4.9e-9.
#[inline(always)]
pub(crate) fn gelu_slope(x: f32) -> f32 {
    const ABOVE: [f32; 7] = [
        7.978_845e-1,
        -2.037_665_2e-2,
        1.378_042_7e-2,
        2.388_134_3e-4,
        3.412_101e-5,
        1.019_586_9e-6,
        1.782_571e-8,
    ];
    const BELOW: [f32; 8] = [
        1.0,
        3.077_945e-1,
        4.487_072e-2,
        4.074_616_4e-3,
        2.544_502_8e-4,
        1.078_428_3e-5,
        3.661_610_6e-7,
        1.341_128_5e-9,
    ];
    0.5 + odd(ABOVE, BELOW, 6.1, x)
}

/// The hyperbolic tangent.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

    use super::*;

    fn worst(from: f32, to: f32, of: impl Fn(f32) -> f64) -> f64 {
        let steps = 100_000;
        let at = |i| from + (to - from) * i as f32 / steps as f32;
        (0..=steps).map(|i| of(at(i))).fold(0.0, f64::max)
    }

    #[test]
    fn they_are_right_to_a_few_units_in_the_last_place() {
        let relative = worst(-87.0, 88.0, |x| {
            let truth = libm::exp(f64::from(x));
            ((f64::from(exp(x)) - truth) / truth).abs()
        });
        assert!(relative < 2e-7, "exp is off by {relative}");
        let distribution = |x: f64| 0.5 + 0.5 * libm::erf(x * FRAC_1_SQRT_2);
        let off = worst(-9.0, 9.0, |x| (f64::from(phi(x)) - distribution(f64::from(x))).abs());
        assert!(off < 2.5e-7, "Φ is off by {off}");
        let slope = |x: f64| {
            let bell = libm::exp(-0.5 * x * x) * FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * 0.5;
            distribution(x) + x * bell
        };
        let off = worst(-9.0, 9.0, |x| (f64::from(gelu_slope(x)) - slope(f64::from(x))).abs());
        assert!(off < 2.5e-7, "the slope of GELU is off by {off}");
        let off = worst(-20.0, 20.0, |x| (f64::from(tanh(x)) - libm::tanh(f64::from(x))).abs());
        assert!(off < 3e-7, "tanh is off by {off}");
    }

    #[test]
    fn what_is_hidden_is_exactly_zero_and_nan_stays() {
        assert_eq!([exp(-1e30), exp(f32::NEG_INFINITY), exp(-88.0)], [0.0; 3]);
        assert_eq!([tanh, phi, gelu_slope].map(|of| of(100.0)), [1.0; 3]);
        assert_eq!([tanh, phi, gelu_slope].map(|of| of(-100.0)), [-1.0, 0.0, 0.0]);
        assert!([exp, tanh, phi, gelu_slope].iter().all(|of| of(f32::NAN).is_nan()));
    }
}
