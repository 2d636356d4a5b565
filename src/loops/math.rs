//! Functions of one number, without a branch, so that loops over them become SIMD. Errors are a few
//! units in the last place of a number near one; NaN stays NaN.

use std::f32::consts::LOG2_E;

/// Below this, `exp` is zero: the next smaller results are no normal numbers.
const LOWEST: f32 = -87.33;
const HIGHEST: f32 = 88.37;

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
    let p = 1.0 / 5040.0;
    let p = p * r + 1.0 / 720.0;
    let p = p * r + 1.0 / 120.0;
    let p = p * r + 1.0 / 24.0;
    let p = p * r + 1.0 / 6.0;
    let p = p * r + 0.5;
    let p = p * (r * r) + r + 1.0;
    // 2ⁿ: the last bits of `shifted` are n.
    let power = f32::from_bits((shifted.to_bits().wrapping_add(127)) << 23);
    if x < LOWEST { 0.0 } else { p * power }
}

/// The error function: a ratio of polynomials in `x²`, fitted so that its largest error is the
/// smallest on `|x| < 3.92`, 1.6e-8; beyond, `erf` is 1 in single precision.
#[allow(clippy::approx_constant, reason = "fitted; 2/√π alone would be right at zero only")]
#[inline(always)]
pub(crate) fn erf(x: f32) -> f32 {
    const END: f32 = 3.92;
    let x = if x > END { END } else { x };
    let x = if x < -END { -END } else { x };
    let z = x * x;
    let p = 2.034_739e-6;
    let p = p * z + 2.874_799_5e-4;
    let p = p * z + 3.868_333_3e-3;
    let p = p * z + 5.306_049_7e-2;
    let p = p * z + 1.927_641_4e-1;
    let p = p * z + 1.128_379;
    let q = 3.807_071_5e-5;
    let q = q * z + 1.188_117_5e-3;
    let q = q * z + 1.517_230_6e-2;
    let q = q * z + 1.150_846_5e-1;
    let q = q * z + 5.041_644_4e-1;
    let q = q * z + 1.0;
    x * p / q
}

/// The hyperbolic tangent.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

#[cfg(test)]
mod tests {
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
        let off = worst(-6.0, 6.0, |x| (f64::from(erf(x)) - libm::erf(f64::from(x))).abs());
        assert!(off < 5e-7, "erf is off by {off}");
        let off = worst(-20.0, 20.0, |x| (f64::from(tanh(x)) - libm::tanh(f64::from(x))).abs());
        assert!(off < 3e-7, "tanh is off by {off}");
    }

    #[test]
    fn what_is_hidden_is_exactly_zero_and_nan_stays() {
        assert_eq!([exp(-1e30), exp(f32::NEG_INFINITY), exp(-88.0)], [0.0; 3]);
        assert_eq!([tanh(100.0), tanh(-100.0), erf(9.0), erf(-9.0)], [1.0, -1.0, 1.0, -1.0]);
        assert!(exp(f32::NAN).is_nan() && erf(f32::NAN).is_nan() && tanh(f32::NAN).is_nan());
    }
}
