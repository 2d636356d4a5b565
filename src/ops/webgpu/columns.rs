//! Kernels that sum over rows: gradients of what is shared by all positions.

use super::cubecl::{self, prelude::*};

/// Columns of a workgroup.
pub(super) const WIDTH: usize = 32;
/// Rows it takes at a time.
pub(super) const HEIGHT: usize = 8;

/// The sum over the lanes that share a column, given to the first of them.
#[cube]
fn sum_of_column(value: f32, shared: &mut Shared<[f32]>) -> f32 {
    let lane = UNIT_POS as usize;
    shared[lane] = value;
    sync_cube();
    let mut half = comptime![HEIGHT / 2].runtime();
    while half > 0 {
        if (UNIT_POS_Y as usize) < half {
            shared[lane] += shared[lane + half * WIDTH];
        }
        sync_cube();
        half /= 2;
    }
    let total = shared[UNIT_POS_X as usize];
    sync_cube();
    total
}

#[cube(launch_unchecked)]
pub(super) fn sum(x: &[f32], sums: &mut [f32], rows: usize, len: usize) {
    let mut shared = Shared::<[f32]>::new_slice(comptime![WIDTH * HEIGHT]);
    let column = CUBE_POS * WIDTH + UNIT_POS_X as usize;
    let mut total = f32::new(0.0);
    if column < len {
        let mut row = UNIT_POS_Y as usize;
        while row < rows {
            total += x[row * len + column];
            row += HEIGHT;
        }
    }
    let total = sum_of_column(total, &mut shared);
    if column < len && UNIT_POS_Y == 0 {
        sums[column] = total;
    }
}

/// Gradients of gain and shift, given mean and deviation of each row.
#[cube(launch_unchecked)]
pub(super) fn layer_norm(
    x: &[f32],
    gradient: &[f32],
    statistics: &[f32],
    of_gain: &mut [f32],
    of_shift: &mut [f32],
    rows: usize,
    len: usize,
) {
    let mut shared = Shared::<[f32]>::new_slice(comptime![WIDTH * HEIGHT]);
    let column = CUBE_POS * WIDTH + UNIT_POS_X as usize;
    let mut gains = f32::new(0.0);
    let mut shifts = f32::new(0.0);
    if column < len {
        let mut row = UNIT_POS_Y as usize;
        while row < rows {
            let along = gradient[row * len + column];
            let normed = (x[row * len + column] - statistics[2 * row]) / statistics[2 * row + 1];
            gains += along * normed;
            shifts += along;
            row += HEIGHT;
        }
    }
    let gains = sum_of_column(gains, &mut shared);
    let shifts = sum_of_column(shifts, &mut shared);
    if column < len && UNIT_POS_Y == 0 {
        of_gain[column] = gains;
        of_shift[column] = shifts;
    }
}
