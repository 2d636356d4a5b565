//! Kernels that treat every element by itself, and those of the optimizer.

use std::f32::consts::FRAC_1_SQRT_2;

use super::cubecl::{self, prelude::*};

use super::rows::sum_of_lanes;

/// `√(2/π)`
const TANH_SCALE: f32 = 0.797_884_6;
const CUBIC: f32 = 0.044_715;
const CUBIC_SLOPE: f32 = 3.0 * CUBIC;
/// `1 / √(2π)`
const BELL: f32 = 0.398_942_3;

/// Twice the share of a unit normal distribution below `x`, as either form of GELU takes it.
#[cube]
#[allow(unstable_name_collisions, reason = "the kernel language's own, whatever `f32` gets")]
fn twice_phi(x: f32, #[comptime] exact: bool) -> f32 {
    if exact {
        (x * FRAC_1_SQRT_2).erf() + 1.0
    } else {
        (x * TANH_SCALE * (x * x * CUBIC + 1.0)).tanh() + 1.0
    }
}

#[cube(launch_unchecked)]
pub(super) fn gelu(x: &[f32], out: &mut [f32], len: usize, #[comptime] exact: bool) {
    if ABSOLUTE_POS >= len {
        terminate!();
    }
    let value = x[ABSOLUTE_POS];
    out[ABSOLUTE_POS] = value * twice_phi(value, exact) * 0.5;
}

#[cube(launch_unchecked)]
pub(super) fn gelu_gradient(
    x: &[f32],
    gradient: &[f32],
    out: &mut [f32],
    len: usize,
    #[comptime] exact: bool,
) {
    if ABSOLUTE_POS >= len {
        terminate!();
    }
    let value = x[ABSOLUTE_POS];
    let twice = twice_phi(value, exact);
    let square = value * value;
    let slope = if exact {
        twice * 0.5 + value * BELL * (-square * 0.5).exp()
    } else {
        // 1 - tanh² = (1 + tanh) (2 - (1 + tanh))
        let inner = (square * CUBIC_SLOPE + 1.0) * TANH_SCALE;
        (twice + value * inner * twice * (2.0 - twice)) * 0.5
    };
    out[ABSOLUTE_POS] = gradient[ABSOLUTE_POS] * slope;
}

/// Sums of squares, one a workgroup.
#[cube(launch_unchecked)]
pub(super) fn squares(x: &[f32], sums: &mut [f32], len: usize, #[comptime] lanes: usize) {
    let mut shared = Shared::<[f32]>::new_slice(lanes);
    let mut sum = f32::new(0.0);
    let mut at = ABSOLUTE_POS;
    while at < len {
        sum += x[at] * x[at];
        at += lanes * CUBE_COUNT;
    }
    let sum = sum_of_lanes(sum, &mut shared, lanes);
    if UNIT_POS == 0 {
        sums[CUBE_POS] = sum;
    }
}

/// The root of their sum. For a single workgroup.
#[cube(launch_unchecked)]
pub(super) fn root_of_sum(sums: &[f32], norm: &mut [f32], len: usize) {
    if UNIT_POS == 0 {
        let mut sum = f32::new(0.0);
        let mut at = 0;
        while at < len {
            sum += sums[at];
            at += 1;
        }
        norm[0] = sum.sqrt();
    }
}

/// The numbers of [Adam](crate::ops::AdamRule) that are the same at every step.
#[derive(CubeType, CubeLaunch)]
pub(super) struct Rule {
    pub beta1: f32,
    pub beta2: f32,
    pub decay: f32,
    pub clip: f32,
}

/// One step, in place: new moments where the old ones were, and new weights where the gradient was, of
/// which no more is needed. The weights themselves have views. `numbers` are rate, epsilon and what is
/// kept of a weight: they change at every step, and would each time take another buffer among a kernel's
/// sizes.
#[cube(launch_unchecked)]
pub(super) fn adam(
    weights: &[f32],
    norm: &[f32],
    numbers: &[f32],
    first: &mut [f32],
    second: &mut [f32],
    gradient: &mut [f32],
    len: usize,
    rule: &Rule,
    #[comptime] clips: bool,
    #[comptime] decays: bool,
) {
    if ABSOLUTE_POS >= len {
        terminate!();
    }
    let weight = weights[ABSOLUTE_POS];
    let mut slope = gradient[ABSOLUTE_POS];
    if clips {
        slope *= min(rule.clip / (norm[0] + 1.0e-6), f32::new(1.0));
    }
    if decays {
        slope += rule.decay * weight;
    }
    let mean = rule.beta1 * first[ABSOLUTE_POS] + (1.0 - rule.beta1) * slope;
    let square = rule.beta2 * second[ABSOLUTE_POS] + (1.0 - rule.beta2) * slope * slope;
    first[ABSOLUTE_POS] = mean;
    second[ABSOLUTE_POS] = square;
    gradient[ABSOLUTE_POS] = numbers[2] * weight - numbers[0] * mean / (square.sqrt() + numbers[1]);
}

/// Where six parts go in a longer tensor, one after the other.
#[derive(CubeType, CubeLaunch)]
pub(super) struct Places {
    /// Of the first.
    pub start: usize,
    /// Elements from there to the end of each, zeros behind its values included.
    pub end0: usize,
    pub end1: usize,
    pub end2: usize,
    pub end3: usize,
    pub end4: usize,
    pub end5: usize,
    /// Values of each.
    pub len0: usize,
    pub len1: usize,
    pub len2: usize,
    pub len3: usize,
    pub len4: usize,
    pub len5: usize,
}

#[cube]
fn value_or_zero(part: &[f32], at: usize, len: usize) -> f32 {
    let mut value = f32::new(0.0);
    if at < len {
        value = part[at];
    }
    value
}

#[cube(launch_unchecked)]
pub(super) fn place(
    part0: &[f32],
    part1: &[f32],
    part2: &[f32],
    part3: &[f32],
    part4: &[f32],
    part5: &[f32],
    whole: &mut [f32],
    places: &Places,
) {
    let at = ABSOLUTE_POS;
    if at >= places.end5 {
        terminate!();
    }
    let value = if at < places.end0 {
        value_or_zero(part0, at, places.len0)
    } else if at < places.end1 {
        value_or_zero(part1, at - places.end0, places.len1)
    } else if at < places.end2 {
        value_or_zero(part2, at - places.end1, places.len2)
    } else if at < places.end3 {
        value_or_zero(part3, at - places.end2, places.len3)
    } else if at < places.end4 {
        value_or_zero(part4, at - places.end3, places.len4)
    } else {
        value_or_zero(part5, at - places.end4, places.len5)
    };
    whole[places.start + at] = value;
}
