//! Matrix products over tensors of any strides, so that heads are split and merged without a copy.

use super::cubecl::{self, prelude::*};

/// Rows and columns of a workgroup's tile of the output.
pub(super) const TILE: usize = 32;
/// Threads of a workgroup along either side of the tile.
pub(super) const SIDE: usize = 8;
/// Elements of the summed axis that are taken at a time.
const DEPTH: usize = 16;
/// Rows, and columns, of a thread.
const EACH: usize = TILE / SIDE;
/// From one depth of a tile to the next; odd, so that threads read from different banks.
const PITCH: usize = TILE + 1;

/// `out[o, i, m, n] = scale Σ left[o, i, m, k] right[o, i, k, n] + bias[i, n]`
#[derive(CubeType, CubeLaunch)]
pub(super) struct Geometry {
    pub rows: usize,
    pub columns: usize,
    pub depth: usize,
    /// Matrices; the inner of two axes, and all.
    pub inner: usize,
    pub matrices: usize,
    /// The summed axis may be two in memory: this many elements of the inner one.
    pub inner_depth: usize,
    pub left_outer: usize,
    pub left_inner: usize,
    pub left_row: usize,
    pub left_outer_depth: usize,
    pub left_depth: usize,
    pub right_outer: usize,
    pub right_inner: usize,
    pub right_outer_depth: usize,
    pub right_depth: usize,
    pub right_column: usize,
    /// 0 if all matrices have the same bias.
    pub bias_inner: usize,
    pub out_outer: usize,
    pub out_inner: usize,
    pub out_row: usize,
}

#[cube]
fn along_depth(
    at: usize,
    inner: usize,
    outer_stride: usize,
    stride: usize,
    #[comptime] deep: bool,
) -> usize {
    if deep { at / inner * outer_stride + at % inner * stride } else { at * stride }
}

#[cube(launch_unchecked)]
pub(super) fn product(
    left: &[f32],
    right: &[f32],
    bias: &[f32],
    out: &mut [f32],
    geometry: &Geometry,
    scale: f32,
    #[comptime] biased: bool,
    // Whether the summed axis is two in memory.
    #[comptime] deep: bool,
    // Whether neighbours in memory are neighbours along the summed axis.
    #[comptime] left_along: bool,
    #[comptime] right_along: bool,
) {
    let mut left_tile = Shared::<[f32]>::new_slice(comptime![DEPTH * PITCH]);
    let mut right_tile = Shared::<[f32]>::new_slice(comptime![DEPTH * PITCH]);
    let thread = UNIT_POS as usize;
    let first_row = CUBE_POS_Y as usize * TILE;
    let first_column = CUBE_POS_X as usize * TILE;

    let mut matrix = CUBE_POS_Z as usize;
    while matrix < geometry.matrices {
        let outer = matrix / geometry.inner;
        let inner = matrix % geometry.inner;
        let left_start = outer * geometry.left_outer + inner * geometry.left_inner;
        let right_start = outer * geometry.right_outer + inner * geometry.right_inner;
        let out_start = outer * geometry.out_outer + inner * geometry.out_inner;

        let mut sums = Array::<f32>::new(comptime![EACH * EACH]);
        #[unroll]
        for i in 0..comptime![EACH * EACH] {
            sums[i] = f32::new(0.0);
        }

        let mut start = 0;
        while start < geometry.depth {
            #[unroll]
            for i in 0..comptime![TILE * DEPTH / (SIDE * SIDE)] {
                let at = thread + i * comptime![SIDE * SIDE];
                let mut deep_at = at / TILE;
                let mut side_at = at % TILE;
                if left_along {
                    deep_at = at % DEPTH;
                    side_at = at / DEPTH;
                }
                let row = first_row + side_at;
                let step = start + deep_at;
                let mut value = f32::new(0.0);
                if row < geometry.rows && step < geometry.depth {
                    let place = along_depth(
                        step,
                        geometry.inner_depth,
                        geometry.left_outer_depth,
                        geometry.left_depth,
                        deep,
                    );
                    value = left[left_start + row * geometry.left_row + place];
                }
                left_tile[deep_at * PITCH + side_at] = value;
            }
            #[unroll]
            for i in 0..comptime![TILE * DEPTH / (SIDE * SIDE)] {
                let at = thread + i * comptime![SIDE * SIDE];
                let mut deep_at = at / TILE;
                let mut side_at = at % TILE;
                if right_along {
                    deep_at = at % DEPTH;
                    side_at = at / DEPTH;
                }
                let column = first_column + side_at;
                let step = start + deep_at;
                let mut value = f32::new(0.0);
                if column < geometry.columns && step < geometry.depth {
                    let place = along_depth(
                        step,
                        geometry.inner_depth,
                        geometry.right_outer_depth,
                        geometry.right_depth,
                        deep,
                    );
                    value = right[right_start + column * geometry.right_column + place];
                }
                right_tile[deep_at * PITCH + side_at] = value;
            }
            sync_cube();
            for step in 0..DEPTH {
                let mut lefts = Array::<f32>::new(comptime![EACH]);
                let mut rights = Array::<f32>::new(comptime![EACH]);
                #[unroll]
                for i in 0..comptime![EACH] {
                    lefts[i] = left_tile[step * PITCH + UNIT_POS_Y as usize + i * SIDE];
                    rights[i] = right_tile[step * PITCH + UNIT_POS_X as usize + i * SIDE];
                }
                #[unroll]
                for i in 0..comptime![EACH] {
                    #[unroll]
                    for j in 0..comptime![EACH] {
                        sums[i * EACH + j] += lefts[i] * rights[j];
                    }
                }
            }
            sync_cube();
            start += DEPTH;
        }

        #[unroll]
        for i in 0..comptime![EACH] {
            #[unroll]
            for j in 0..comptime![EACH] {
                let row = first_row + UNIT_POS_Y as usize + i * SIDE;
                let column = first_column + UNIT_POS_X as usize + j * SIDE;
                if row < geometry.rows && column < geometry.columns {
                    let mut value = sums[i * EACH + j] * scale;
                    if biased {
                        value += bias[inner * geometry.bias_inner + column];
                    }
                    out[out_start + row * geometry.out_row + column] = value;
                }
            }
        }
        matrix += CUBE_COUNT_Z as usize;
    }
}
