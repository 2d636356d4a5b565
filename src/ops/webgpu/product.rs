//! Matrix products over tensors of any strides, so that heads are split and merged without a copy.
//!
//! Two kernels, each compiled once whatever the matrices: [`tiled`] for graphics cards, and
//! [`direct`] for adapters in software. These have no fast memory to share: each workgroup fills what
//! it declares with zeros, one instruction an element, which took most of the time to compile, and a
//! barrier switches between its threads one by one.

use super::cubecl::{self, prelude::*};

/// How the threads of a kernel lie over the output.
pub(super) struct Tile {
    /// Threads of a workgroup along either side.
    pub side: usize,
    /// Rows and columns of a workgroup.
    pub rows: usize,
    pub columns: usize,
}

pub(super) const TILED: Tile = Tile { side: 8, rows: 32, columns: 32 };
pub(super) const DIRECT: Tile = Tile { side: 4, rows: 32, columns: 16 };

/// `out[o, i, m, n] = scale Σ left[o, i, m, k] right[o, i, k, n] + bias[i, n]`
///
/// The summed axis is two in memory, the outer one of a single element where there is one alone.
#[derive(CubeType, CubeLaunch)]
pub(super) struct Geometry {
    pub rows: usize,
    pub columns: usize,
    pub outer_depth: usize,
    pub depth: usize,
    /// Matrices; the inner of two axes, and all.
    pub inner: usize,
    pub matrices: usize,
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
    /// 1 if there is a bias.
    pub biased: usize,
    /// 0 if all matrices have the same bias.
    pub bias_inner: usize,
    pub out_outer: usize,
    pub out_inner: usize,
    pub out_row: usize,
}

/// Where the matrices of one product begin.
#[derive(CubeType)]
struct Starts {
    left: usize,
    right: usize,
    bias: usize,
    out: usize,
}

#[cube]
fn starts_of(geometry: &Geometry, matrix: usize) -> Starts {
    let outer = matrix / geometry.inner;
    let inner = matrix % geometry.inner;
    Starts {
        left: outer * geometry.left_outer + inner * geometry.left_inner,
        right: outer * geometry.right_outer + inner * geometry.right_inner,
        bias: inner * geometry.bias_inner,
        out: outer * geometry.out_outer + inner * geometry.out_inner,
    }
}

/// Writes what a thread has summed: every `side`th row and column from its first.
#[cube]
fn write(
    sums: &Array<f32>,
    bias: &[f32],
    out: &mut [f32],
    geometry: &Geometry,
    starts: &Starts,
    first_row: usize,
    first_column: usize,
    scale: f32,
    #[comptime] rows: usize,
    #[comptime] columns: usize,
    #[comptime] side: usize,
) {
    #[unroll]
    for j in 0..columns {
        let column = first_column + j * side;
        if column < geometry.columns {
            let mut summand = f32::new(0.0);
            if geometry.biased == 1 {
                summand = bias[starts.bias + column];
            }
            #[unroll]
            for i in 0..rows {
                let row = first_row + i * side;
                if row < geometry.rows {
                    let place = starts.out + row * geometry.out_row + column;
                    out[place] = sums[i * columns + j] * scale + summand;
                }
            }
        }
    }
}

/// Elements of the summed axis that a workgroup of [`tiled`] takes at a time.
const DEPTH: usize = 16;
/// From one depth of a tile to the next; odd, so that threads read from different banks.
const PITCH: usize = 33;

/// By tiles in shared memory. `left_along`, `right_along`: 1 if neighbours in memory are neighbours
/// along the summed axis.
#[cube(launch_unchecked)]
pub(super) fn tiled(
    left: &[f32],
    right: &[f32],
    bias: &[f32],
    out: &mut [f32],
    geometry: &Geometry,
    left_along: usize,
    right_along: usize,
    scale: f32,
) {
    let side = comptime![TILED.side];
    let rows = comptime![TILED.rows / TILED.side];
    let columns = comptime![TILED.columns / TILED.side];
    let mut left_tile = Shared::<[f32]>::new_slice(comptime![DEPTH * PITCH]);
    let mut right_tile = Shared::<[f32]>::new_slice(comptime![DEPTH * PITCH]);
    let first_row = CUBE_POS_Y as usize * comptime![TILED.rows];
    let first_column = CUBE_POS_X as usize * comptime![TILED.columns];

    let mut matrix = CUBE_POS_Z as usize;
    while matrix < geometry.matrices {
        let starts = starts_of(geometry, matrix);
        let mut sums = Array::<f32>::new(comptime![rows * columns]);
        #[unroll]
        for i in 0..comptime![rows * columns] {
            sums[i] = f32::new(0.0);
        }

        for outer in 0..geometry.outer_depth {
            let left_start = starts.left + outer * geometry.left_outer_depth;
            let right_start = starts.right + outer * geometry.right_outer_depth;
            let mut start = 0;
            while start < geometry.depth {
                let left_steps = geometry.depth - start;
                fill(
                    &mut left_tile,
                    left,
                    left_start + start * geometry.left_depth,
                    first_row,
                    geometry.rows,
                    left_steps,
                    geometry.left_row,
                    geometry.left_depth,
                    left_along,
                );
                fill(
                    &mut right_tile,
                    right,
                    right_start + start * geometry.right_depth,
                    first_column,
                    geometry.columns,
                    left_steps,
                    geometry.right_column,
                    geometry.right_depth,
                    right_along,
                );
                sync_cube();
                for step in 0..DEPTH {
                    let mut lefts = Array::<f32>::new(rows);
                    let mut rights = Array::<f32>::new(columns);
                    #[unroll]
                    for i in 0..rows {
                        lefts[i] = left_tile[step * PITCH + UNIT_POS_Y as usize + i * side];
                    }
                    #[unroll]
                    for j in 0..columns {
                        rights[j] = right_tile[step * PITCH + UNIT_POS_X as usize + j * side];
                    }
                    #[unroll]
                    for i in 0..rows {
                        #[unroll]
                        for j in 0..columns {
                            sums[i * columns + j] += lefts[i] * rights[j];
                        }
                    }
                }
                sync_cube();
                start += DEPTH;
            }
        }

        write(
            &sums,
            bias,
            out,
            geometry,
            &starts,
            first_row + UNIT_POS_Y as usize,
            first_column + UNIT_POS_X as usize,
            scale,
            rows,
            columns,
            side,
        );
        matrix += CUBE_COUNT_Z as usize;
    }
}

/// Copies a tile of an operand, zeros where it ends: `len` rows, or columns, from `first`, and `steps`
/// elements of the summed axis.
#[cube]
fn fill(
    tile: &mut Shared<[f32]>,
    operand: &[f32],
    start: usize,
    first: usize,
    len: usize,
    steps: usize,
    stride: usize,
    step_stride: usize,
    along: usize,
) {
    let threads = comptime![TILED.side * TILED.side];
    #[unroll]
    for i in 0..comptime![TILED.rows * DEPTH / (TILED.side * TILED.side)] {
        let at = UNIT_POS as usize + i * threads;
        let mut step = at / comptime![TILED.rows];
        let mut side = at % comptime![TILED.rows];
        if along == 1 {
            step = at % DEPTH;
            side = at / DEPTH;
        }
        let mut value = f32::new(0.0);
        if first + side < len && step < steps {
            value = operand[start + (first + side) * stride + step * step_stride];
        }
        tile[step * PITCH + side] = value;
    }
}

/// Straight from the operands, a larger part of the output a thread.
#[cube(launch_unchecked)]
pub(super) fn direct(
    left: &[f32],
    right: &[f32],
    bias: &[f32],
    out: &mut [f32],
    geometry: &Geometry,
    scale: f32,
) {
    let side = comptime![DIRECT.side];
    let rows = comptime![DIRECT.rows / DIRECT.side];
    let columns = comptime![DIRECT.columns / DIRECT.side];
    let first_row = CUBE_POS_Y as usize * comptime![DIRECT.rows] + UNIT_POS_Y as usize;
    let first_column = CUBE_POS_X as usize * comptime![DIRECT.columns] + UNIT_POS_X as usize;

    let mut matrix = CUBE_POS_Z as usize;
    while matrix < geometry.matrices {
        let starts = starts_of(geometry, matrix);
        // Threads beyond the output read its last row or column, and write nothing.
        let mut left_places = Array::<usize>::new(rows);
        let mut right_places = Array::<usize>::new(columns);
        #[unroll]
        for i in 0..rows {
            let row = min(first_row + i * side, geometry.rows - 1);
            left_places[i] = starts.left + row * geometry.left_row;
        }
        #[unroll]
        for j in 0..columns {
            let column = min(first_column + j * side, geometry.columns - 1);
            right_places[j] = starts.right + column * geometry.right_column;
        }
        let mut sums = Array::<f32>::new(comptime![rows * columns]);
        #[unroll]
        for i in 0..comptime![rows * columns] {
            sums[i] = f32::new(0.0);
        }

        for outer in 0..geometry.outer_depth {
            for step in 0..geometry.depth {
                let left_step = outer * geometry.left_outer_depth + step * geometry.left_depth;
                let right_step = outer * geometry.right_outer_depth + step * geometry.right_depth;
                let mut rights = Array::<f32>::new(columns);
                #[unroll]
                for j in 0..columns {
                    rights[j] = right[right_places[j] + right_step];
                }
                #[unroll]
                for i in 0..rows {
                    let factor = left[left_places[i] + left_step];
                    #[unroll]
                    for j in 0..columns {
                        sums[i * columns + j] += factor * rights[j];
                    }
                }
            }
        }

        write(
            &sums,
            bias,
            out,
            geometry,
            &starts,
            first_row,
            first_column,
            scale,
            rows,
            columns,
            side,
        );
        matrix += CUBE_COUNT_Z as usize;
    }
}
