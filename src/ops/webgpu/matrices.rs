//! Operands of a product of matrices, and the launch of its [kernel](product).

use std::sync::atomic::{AtomicBool, Ordering};

use burn::backend::Cube;
use burn::backend::TensorMetadata;
use burn::backend::ops::FloatTensorOps;

use super::cubecl::client::Client;
use super::cubecl::prelude::*;
use super::product::{self, GeometryLaunch};
use super::{CubeTensor, MOST_CUBES, empty, flat, into_contiguous, stride};

/// An operand of [`multiply`]: where its matrices, rows and columns are. `[outer, inner, rows,
/// columns]`, any of them with any stride.
pub(super) struct Matrices {
    pub(super) tensor: CubeTensor,
    pub(super) sizes: [usize; 4],
    strides: [usize; 4],
}

impl Matrices {
    /// One matrix, `[rows, columns]`.
    pub(super) fn one(x: CubeTensor) -> Self {
        let [rows, columns] = x.shape().dims();
        let strides = [0, 0, x.meta.strides()[0], x.meta.strides()[1]];
        Self { tensor: x, sizes: [1, 1, rows, columns], strides }
    }

    /// A matrix a head, of `[batch, len, heads * width]`.
    pub(super) fn heads(x: CubeTensor, heads: usize) -> Self {
        let x = into_contiguous(x);
        let [batch, len, d_model] = x.shape().dims();
        let width = d_model / heads;
        let strides = [len * d_model, width, d_model, 1];
        Self { tensor: x, sizes: [batch, heads, len, width], strides }
    }

    /// Of `[heads, rows, columns]`.
    pub(super) fn by_head(x: CubeTensor) -> Self {
        let [heads, rows, columns] = x.shape().dims();
        let strides = [0, stride(&x, 0), x.meta.strides()[1], x.meta.strides()[2]];
        Self { tensor: x, sizes: [1, heads, rows, columns], strides }
    }

    /// Of `[batch, heads, rows, columns]`.
    pub(super) fn all(x: CubeTensor) -> Self {
        let sizes: [usize; 4] = x.shape().dims();
        let strides = [0, 1, 2, 3].map(|axis| stride(&x, axis).max(usize::from(axis > 1)));
        Self { tensor: x, sizes, strides }
    }

    pub(super) fn transposed(mut self) -> Self {
        self.sizes.swap(2, 3);
        self.strides.swap(2, 3);
        self
    }
}

/// What is done with a product beside writing it down.
pub(super) struct After {
    pub(super) scale: f64,
    /// `[columns]`, or `[inner, columns]` with columns side by side.
    pub(super) bias: Option<CubeTensor>,
    /// Whether products of the outer axis are added up, `[1, inner, rows, columns]`.
    pub(super) summed: bool,
}

impl Default for After {
    fn default() -> Self {
        Self { scale: 1.0, bias: None, summed: false }
    }
}

/// Whether products go by tiles in shared memory on a device that would do without.
static ALWAYS_BY_TILES: AtomicBool = AtomicBool::new(false);

/// See [`crate::ops::always_by_tiles`].
pub(in crate::ops) fn always_by_tiles(always: bool) {
    ALWAYS_BY_TILES.store(always, Ordering::Relaxed);
}

/// Whether a device has memory that threads of a workgroup share. Of graphics cards at least eight go
/// together; where fewer do, they are the lanes of a CPU's vectors.
fn by_tiles(client: &Client) -> bool {
    client.properties().hardware.plane_size_max >= 8 || ALWAYS_BY_TILES.load(Ordering::Relaxed)
}

/// Products of matrices, into `out`, whose columns lie side by side.
pub(super) fn multiply(left: Matrices, right: Matrices, out: Matrices, after: After) -> CubeTensor {
    let [outer, inner, rows, columns] = out.sizes;
    let batch = left.sizes[0].max(right.sizes[0]);
    let depth = left.sizes[3];
    debug_assert_eq!(depth, right.sizes[2], "the summed axis");
    debug_assert_eq!(outer, if after.summed { 1 } else { batch }, "one product each");
    debug_assert_eq!(out.strides[3], 1, "columns lie side by side");
    let matrices = outer * inner;
    if rows * columns * matrices == 0 {
        return out.tensor;
    }
    let outer_depth = if after.summed { batch } else { 1 };
    let biased = after.bias.is_some();
    let by_inner = after.bias.as_ref().filter(|bias| bias.meta.num_dims() > 1);
    let bias_inner = by_inner.map_or(0, |bias| stride(bias, 0));
    let geometry = GeometryLaunch::new(
        rows,
        columns,
        outer_depth,
        depth,
        inner,
        matrices,
        if after.summed { 0 } else { left.strides[0] },
        left.strides[1],
        left.strides[2],
        left.strides[0],
        left.strides[3],
        if after.summed { 0 } else { right.strides[0] },
        right.strides[1],
        right.strides[0],
        right.strides[2],
        right.strides[3],
        biased.into(),
        bias_inner,
        out.strides[0],
        out.strides[1],
        out.strides[2],
    );
    let along = |columns: usize, rows: usize| usize::from(columns < rows);
    let left_along = along(left.strides[3], left.strides[2]);
    let right_along = along(right.strides[2], right.strides[3]);
    let bias = after.bias.unwrap_or_else(|| right.tensor.clone());
    let client = out.tensor.client.clone();
    let tiles = by_tiles(&client);
    let tile = if tiles { product::TILED } else { product::DIRECT };
    let of = |len: usize, tile: usize| len.div_ceil(tile).min(MOST_CUBES) as u32;
    let across = [of(columns, tile.columns), of(rows, tile.rows)];
    let cubes = CubeCount::Static(across[0], across[1], matrices.min(MOST_CUBES) as u32);
    let threads = CubeDim::new_2d(tile.side as u32, tile.side as u32);
    let [left, right, bias] = [left.tensor, right.tensor, bias].map(CubeTensor::into_buffer_arg);
    let (into, scale) = (out.tensor.clone().into_buffer_arg(), after.scale as f32);
    // SAFETY: indices stay below the sizes in `geometry`, which are those of the tensors.
    unsafe {
        if tiles {
            product::tiled::launch_unchecked(
                &client,
                cubes,
                threads,
                left,
                right,
                bias,
                into,
                geometry,
                left_along,
                right_along,
                scale,
            );
        } else {
            product::direct::launch_unchecked(
                &client, cubes, threads, left, right, bias, into, geometry, scale,
            );
        }
    }
    out.tensor
}

/// The product of two matrices, `[rows, depth]` and `[depth, columns]`.
pub(super) fn matrix_product(
    left: CubeTensor,
    right: CubeTensor,
    bias: Option<CubeTensor>,
) -> CubeTensor {
    let (left, right) = (Matrices::one(left), Matrices::one(right));
    let out = empty(&left.tensor, [left.sizes[2], right.sizes[3]]);
    let bias = bias.map(into_contiguous);
    multiply(left, right, Matrices::one(out), After { bias, ..After::default() })
}

/// `[.., d_in]` to `[.., d_out]`.
pub(super) fn linear(x: CubeTensor, weight: CubeTensor, bias: Option<CubeTensor>) -> CubeTensor {
    let mut shape = x.shape();
    let last = shape.num_dims() - 1;
    shape[last] = weight.shape()[1];
    Cube::float_reshape(matrix_product(flat(x), weight, bias), shape)
}
