//! The fused operations on GPUs, WebGPU first: a kernel or two each. Small models are bound by the
//! number of kernels that are launched, not by what these compute. CubeCL compiles them for whatever
//! runtime a tensor is on: WGSL, SPIR-V, MSL or CUDA.
//!
//! No kernel here takes more than seven buffers: an adapter may allow no more than eight, and
//! sizes take one.

mod columns;
mod elements;
mod matrices;
mod product;
mod rows;

use burn::backend::Cube;
use burn::backend::TensorMetadata;
use burn::backend::cubecl::dtype_to_storage_type;
use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::{FloatTensor, IntTensor};
// Kernels expand to paths that begin with this name. Natively it is by way of Burn: see Cargo.toml.
#[cfg(target_arch = "wasm32")]
use ::cubecl;
#[cfg(not(target_arch = "wasm32"))]
use burn::cubecl;
use burn::tensor::{Shape, TensorData};
use cubecl::prelude::*;
use cubecl::server::MemoryLayoutDescriptor;

use self::elements::{PlacesLaunch, RuleLaunch};
pub(super) use self::matrices::always_by_tiles;
use self::matrices::{After, Matrices, linear, matrix_product, multiply};
use self::rows::HiddenRowsLaunch;
use super::{AdamRule, FusedGradients, FusedOps, Gelu, Places, StepOps};

type Floats = FloatTensor<Cube>;
/// A tensor of floats is one of any numbers to its backend.
type CubeTensor = Floats;

/// Most workgroups along one axis, on any adapter.
const MOST_CUBES: usize = 65_535;
/// Threads of a workgroup that treats elements by themselves.
const THREADS: usize = 256;
/// Workgroups that share a sum over everything.
const SUMMERS: usize = 64;

/// An uninitialised tensor beside another.
fn empty(beside: &CubeTensor, shape: impl Into<Shape>) -> CubeTensor {
    let (client, shape, dtype) = (beside.client.clone(), shape.into(), beside.dtype);
    let layout = MemoryLayoutDescriptor::contiguous(shape.clone(), dtype.size());
    let memory = client.empty_tensors(vec![layout]).remove(0).memory;
    CubeTensor::new_contiguous(client, beside.device.clone(), shape, memory, dtype)
}

/// The same elements side by side in memory, copied if they are not.
fn into_contiguous(x: CubeTensor) -> CubeTensor {
    if x.is_contiguous() {
        return x;
    }
    let (client, device, dtype) = (x.client.clone(), x.device.clone(), x.dtype);
    let elements = dtype_to_storage_type(dtype);
    let copy = cubecl::std::tensor::into_contiguous(&client, x.binding(), elements);
    CubeTensor::new(client, copy.handle, *copy.metadata, device, dtype)
}

/// The same elements side by side in memory that nobody else has, to be written over: copied if a
/// snapshot holds them, or whatever else.
fn into_own(x: CubeTensor) -> CubeTensor {
    let x = into_contiguous(x);
    if x.can_mut() { x } else { x.copy() }
}

/// So many workgroups, in a form that every adapter allows; some more than asked for.
fn cubes(count: usize) -> CubeCount {
    let wide = count.clamp(1, MOST_CUBES);
    CubeCount::Static(wide as u32, count.div_ceil(wide) as u32, 1)
}

/// Workgroups of [`THREADS`] for so many elements.
fn cubes_of_elements(len: usize) -> CubeCount {
    cubes(len.div_ceil(THREADS))
}

fn line(threads: usize) -> CubeDim {
    CubeDim::new_1d(threads as u32)
}

/// Workgroups for so many rows, threads of each, and how many of these share a row of `len`.
fn shares(rows: usize, len: usize) -> (CubeCount, CubeDim, usize) {
    let lanes = rows::lanes(len);
    let threads = rows::threads(lanes);
    (cubes(rows.div_ceil(threads / lanes)), line(threads), lanes)
}

/// Rows, and elements of each.
fn rows_of(x: &CubeTensor) -> (usize, usize) {
    let shape = x.shape();
    let len = shape[shape.num_dims() - 1];
    (shape.num_elements() / len.max(1), len)
}

/// `[.., a, b]` as the rows `.. × a` of `b` elements each.
fn flat(x: CubeTensor) -> CubeTensor {
    let (rows, len) = rows_of(&x);
    Cube::float_reshape(x, Shape::new([rows, len]))
}

/// Elements from one entry of an axis to the next; 0 along an axis of one.
fn stride(x: &CubeTensor, axis: usize) -> usize {
    if x.meta.shape()[axis] == 1 { 0 } else { x.meta.strides()[axis] }
}

/// Columns of `[rows, columns]` added up.
fn sum_of_rows(x: CubeTensor) -> CubeTensor {
    let x = into_contiguous(x);
    let [rows, len] = x.shape().dims();
    let sums = empty(&x, [len]);
    let client = x.client.clone();
    // SAFETY: indices stay below `rows * len`.
    unsafe {
        columns::sum::launch_unchecked(
            &client,
            cubes(len.div_ceil(columns::WIDTH)),
            CubeDim::new_2d(columns::WIDTH as u32, columns::HEIGHT as u32),
            x.into_buffer_arg(),
            sums.clone().into_buffer_arg(),
            rows,
            len,
        );
    }
    sums
}

fn softmax(scores: Floats, hidden: Option<Floats>) -> Floats {
    let scores = into_contiguous(scores);
    let (rows, len) = rows_of(&scores);
    let [_batch, heads, queries, _keys] = scores.shape().dims();
    let masked = hidden.is_some();
    let hidden = hidden.map_or_else(|| scores.clone(), into_contiguous);
    let strides = [0, 1, 2, 3].map(|axis| stride(&hidden, axis));
    let [batch_stride, head_stride, query_stride, key_stride] = strides;
    let place =
        HiddenRowsLaunch::new(heads, queries, batch_stride, head_stride, query_stride, key_stride);
    let weights = empty(&scores, scores.shape());
    let client = scores.client.clone();
    let (count, threads, lanes) = shares(rows, len);
    // SAFETY: a workgroup stays within its row.
    unsafe {
        rows::softmax::launch_unchecked(
            &client,
            count,
            threads,
            scores.into_buffer_arg(),
            hidden.into_buffer_arg(),
            weights.clone().into_buffer_arg(),
            rows,
            len,
            place,
            masked,
            lanes,
        );
    }
    weights
}

impl FusedOps for Cube {
    fn fused_gelu(x: Floats, which: Gelu) -> Floats {
        let x = into_contiguous(x);
        let (len, out) = (x.meta.num_elements(), empty(&x, x.shape()));
        let client = x.client.clone();
        // SAFETY: both have `len` elements.
        unsafe {
            elements::gelu::launch_unchecked(
                &client,
                cubes_of_elements(len),
                line(THREADS),
                x.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                len,
                which == Gelu::Exact,
            );
        }
        out
    }

    fn fused_softmax(scores: Floats) -> Floats {
        softmax(scores, None)
    }

    fn fused_hidden_softmax(scores: Floats, hidden: Floats) -> Floats {
        softmax(scores, Some(hidden))
    }

    fn fused_layer_norm(x: Floats, gain: Floats, shift: Floats, epsilon: f64) -> Floats {
        let [x, gain, shift] = [x, gain, shift].map(into_contiguous);
        let (rows, len) = rows_of(&x);
        let out = empty(&x, x.shape());
        let client = x.client.clone();
        let (count, threads, lanes) = shares(rows, len);
        // SAFETY: a workgroup stays within its row.
        unsafe {
            rows::layer_norm::launch_unchecked(
                &client,
                count,
                threads,
                x.into_buffer_arg(),
                gain.into_buffer_arg(),
                shift.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                rows,
                len,
                epsilon as f32,
                lanes,
            );
        }
        out
    }

    fn fused_cross_entropy(logits: Floats, targets: IntTensor<Cube>) -> Floats {
        let (logits, targets) = (into_contiguous(logits), into_contiguous(targets));
        let (rows, len) = rows_of(&logits);
        let losses = empty(&logits, [rows]);
        let client = logits.client.clone();
        let (count, threads, lanes) = shares(rows, len);
        // SAFETY: a workgroup stays within its row; targets are classes.
        unsafe {
            rows::cross_entropy::launch_unchecked(
                &client,
                count,
                threads,
                logits.into_buffer_arg(),
                targets.into_buffer_arg(),
                losses.clone().into_buffer_arg(),
                rows,
                len,
                lanes,
            );
        }
        losses
    }

    fn fused_linear(x: Floats, weight: Floats, bias: Floats) -> Floats {
        linear(x, weight, Some(bias))
    }

    fn fused_plain_linear(x: Floats, weight: Floats) -> Floats {
        linear(x, weight, None)
    }

    fn fused_scores(query: Floats, key: Floats, heads: usize, scale: f64, _causal: bool) -> Floats {
        let (left, right) = (Matrices::heads(query, heads), Matrices::heads(key, heads));
        let [batch, _heads, len, _width] = left.sizes;
        let out = empty(&left.tensor, [batch, heads, len, right.sizes[2]]);
        let after = After { scale, ..After::default() };
        multiply(left, right.transposed(), Matrices::all(out), after)
    }

    fn fused_linear_by_head(x: Floats, weight: Floats, bias: Floats) -> Floats {
        let [heads, keys] = bias.shape().dims();
        let (left, right) = (Matrices::heads(x, heads), Matrices::by_head(weight));
        let [batch, _heads, len, _width] = left.sizes;
        let out = empty(&left.tensor, [batch, heads, len, keys]);
        // Of a window, the bias is a part of each head's.
        let bias = if bias.meta.strides()[1] == 1 { bias } else { into_contiguous(bias) };
        multiply(left, right, Matrices::all(out), After { bias: Some(bias), ..After::default() })
    }

    fn fused_mix(weights: Floats, value: Floats, _causal: bool) -> Floats {
        let heads = weights.shape()[1];
        let (left, right) = (Matrices::all(weights), Matrices::heads(value, heads));
        let batch = left.sizes[0].max(right.sizes[0]);
        let out = empty(&left.tensor, [batch, left.sizes[2], heads * right.sizes[3]]);
        multiply(left, right, Matrices::heads(out, heads), After::default())
    }
}

impl FusedGradients for Cube {
    fn fused_gelu_gradient(x: Floats, gradient: Floats, which: Gelu) -> Floats {
        let (x, gradient) = (into_contiguous(x), into_contiguous(gradient));
        let (len, out) = (x.meta.num_elements(), empty(&x, x.shape()));
        let client = x.client.clone();
        // SAFETY: all have `len` elements.
        unsafe {
            elements::gelu_gradient::launch_unchecked(
                &client,
                cubes_of_elements(len),
                line(THREADS),
                x.into_buffer_arg(),
                gradient.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                len,
                which == Gelu::Exact,
            );
        }
        out
    }

    fn fused_softmax_gradient(weights: Floats, gradient: Floats) -> Floats {
        let (weights, gradient) = (into_contiguous(weights), into_contiguous(gradient));
        let (rows, len) = rows_of(&weights);
        let out = empty(&weights, weights.shape());
        let client = weights.client.clone();
        let (count, threads, lanes) = shares(rows, len);
        // SAFETY: a workgroup stays within its row.
        unsafe {
            rows::softmax_gradient::launch_unchecked(
                &client,
                count,
                threads,
                weights.into_buffer_arg(),
                gradient.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                rows,
                len,
                lanes,
            );
        }
        out
    }

    fn fused_layer_norm_gradient(
        x: Floats,
        gain: Floats,
        gradient: Floats,
        epsilon: f64,
    ) -> (Floats, Floats, Floats) {
        let [x, gain, gradient] = [x, gain, gradient].map(into_contiguous);
        let (rows, len) = rows_of(&x);
        let of_x = empty(&x, x.shape());
        let statistics = empty(&x, [2 * rows]);
        let [of_gain, of_shift] = [(); 2].map(|()| empty(&x, [len]));
        let client = x.client.clone();
        let (count, threads, lanes) = shares(rows, len);
        // SAFETY: a workgroup stays within its row, and its columns.
        unsafe {
            rows::layer_norm_gradient::launch_unchecked(
                &client,
                count,
                threads,
                x.clone().into_buffer_arg(),
                gain.into_buffer_arg(),
                gradient.clone().into_buffer_arg(),
                of_x.clone().into_buffer_arg(),
                statistics.clone().into_buffer_arg(),
                rows,
                len,
                epsilon as f32,
                lanes,
            );
            columns::layer_norm::launch_unchecked(
                &client,
                cubes(len.div_ceil(columns::WIDTH)),
                CubeDim::new_2d(columns::WIDTH as u32, columns::HEIGHT as u32),
                x.into_buffer_arg(),
                gradient.into_buffer_arg(),
                statistics.into_buffer_arg(),
                of_gain.clone().into_buffer_arg(),
                of_shift.clone().into_buffer_arg(),
                rows,
                len,
            );
        }
        (of_x, of_gain, of_shift)
    }

    fn fused_cross_entropy_gradient(
        logits: Floats,
        targets: IntTensor<Cube>,
        gradient: Floats,
    ) -> Floats {
        let [logits, gradient] = [logits, gradient].map(into_contiguous);
        let targets = into_contiguous(targets);
        let (rows, len) = rows_of(&logits);
        let out = empty(&logits, logits.shape());
        let client = logits.client.clone();
        let (count, threads, lanes) = shares(rows, len);
        // SAFETY: a workgroup stays within its row.
        unsafe {
            rows::cross_entropy_gradient::launch_unchecked(
                &client,
                count,
                threads,
                logits.into_buffer_arg(),
                targets.into_buffer_arg(),
                gradient.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                rows,
                len,
                lanes,
            );
        }
        out
    }

    fn fused_linear_of_x(weight: Floats, gradient: Floats) -> Floats {
        linear(gradient, Cube::float_swap_dims(weight, 0, 1), None)
    }

    fn fused_linear_of_weight(x: Floats, gradient: Floats) -> Floats {
        matrix_product(Cube::float_swap_dims(flat(x), 0, 1), flat(gradient), None)
    }

    fn fused_linear_of_bias(gradient: Floats) -> Floats {
        sum_of_rows(flat(gradient))
    }

    fn fused_scores_of_query(
        key: Floats,
        gradient: Floats,
        heads: usize,
        scale: f64,
        _causal: bool,
    ) -> Floats {
        let (left, right) = (Matrices::all(gradient), Matrices::heads(key, heads));
        let [batch, _heads, len, _keys] = left.sizes;
        let out = empty(&left.tensor, [batch, len, heads * right.sizes[3]]);
        let after = After { scale, ..After::default() };
        multiply(left, right, Matrices::heads(out, heads), after)
    }

    fn fused_scores_of_key(
        query: Floats,
        gradient: Floats,
        heads: usize,
        scale: f64,
        _causal: bool,
    ) -> Floats {
        let (left, right) = (Matrices::all(gradient).transposed(), Matrices::heads(query, heads));
        let [batch, _heads, keys, _len] = left.sizes;
        let out = empty(&left.tensor, [batch, keys, heads * right.sizes[3]]);
        let after = After { scale, ..After::default() };
        multiply(left, right, Matrices::heads(out, heads), after)
    }

    fn fused_linear_by_head_of_x(weight: Floats, gradient: Floats) -> Floats {
        let (left, right) = (Matrices::all(gradient), Matrices::by_head(weight).transposed());
        let [batch, heads, len, _keys] = left.sizes;
        let out = empty(&left.tensor, [batch, len, heads * right.sizes[3]]);
        multiply(left, right, Matrices::heads(out, heads), After::default())
    }

    fn fused_linear_by_head_of_weight(x: Floats, gradient: Floats) -> Floats {
        let heads = gradient.shape()[1];
        let (left, right) = (Matrices::heads(x, heads).transposed(), Matrices::all(gradient));
        let out = empty(&left.tensor, [heads, left.sizes[2], right.sizes[3]]);
        let after = After { summed: true, ..After::default() };
        multiply(left, right, Matrices::by_head(out), after)
    }

    fn fused_mix_of_weights(
        value: Floats,
        gradient: Floats,
        heads: usize,
        shared: bool,
        _causal: bool,
    ) -> Floats {
        let (left, right) = (Matrices::heads(gradient, heads), Matrices::heads(value, heads));
        let [batch, _heads, len, _width] = left.sizes;
        let rows = if shared { 1 } else { batch };
        let out = empty(&left.tensor, [rows, heads, len, right.sizes[2]]);
        let after = After { summed: shared, ..After::default() };
        multiply(left, right.transposed(), Matrices::all(out), after)
    }

    fn fused_mix_of_value(weights: Floats, gradient: Floats, _causal: bool) -> Floats {
        let heads = weights.shape()[1];
        let (left, right) = (Matrices::all(weights).transposed(), Matrices::heads(gradient, heads));
        let batch = right.sizes[0];
        let out = empty(&left.tensor, [batch, left.sizes[2], heads * right.sizes[3]]);
        multiply(left, right, Matrices::heads(out, heads), After::default())
    }
}

impl StepOps for Cube {
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
        let [first, second, third, fourth, fifth, sixth] =
            [first, second, third, fourth, fifth, sixth].map(into_contiguous);
        let Places { start, ends, lens } = places;
        let launch = PlacesLaunch::new(
            start, ends[0], ends[1], ends[2], ends[3], ends[4], ends[5], lens[0], lens[1], lens[2],
            lens[3], lens[4], lens[5],
        );
        let client = whole.client.clone();
        // SAFETY: parts are read below their lengths, and the whole is written below the last end.
        unsafe {
            elements::place::launch_unchecked(
                &client,
                cubes_of_elements(ends[5]),
                line(THREADS),
                first.into_buffer_arg(),
                second.into_buffer_arg(),
                third.into_buffer_arg(),
                fourth.into_buffer_arg(),
                fifth.into_buffer_arg(),
                sixth.into_buffer_arg(),
                whole.clone().into_buffer_arg(),
                launch,
            );
        }
        whole
    }

    fn fused_norm(x: Floats) -> Floats {
        let x = into_contiguous(x);
        let len = x.meta.num_elements();
        let summers = len.div_ceil(THREADS).clamp(1, SUMMERS);
        let (sums, norm) = (empty(&x, [summers]), empty(&x, [1]));
        let client = x.client.clone();
        // SAFETY: every workgroup has a sum.
        unsafe {
            elements::squares::launch_unchecked(
                &client,
                cubes(summers),
                line(THREADS),
                x.into_buffer_arg(),
                sums.clone().into_buffer_arg(),
                len,
                THREADS,
            );
            elements::root_of_sum::launch_unchecked(
                &client,
                cubes(1),
                line(1),
                sums.into_buffer_arg(),
                norm.clone().into_buffer_arg(),
                summers,
            );
        }
        norm
    }

    fn fused_adam(
        weights: Floats,
        gradient: Floats,
        norm: Floats,
        first: Floats,
        second: Floats,
        rule: AdamRule,
    ) -> (Floats, Floats, Floats) {
        let weights = into_contiguous(weights);
        // One by one: both moments begin as one tensor, and the second is its own once the first is copied.
        let [gradient, first, second] = [gradient, first, second].map(into_own);
        let len = weights.meta.num_elements();
        let AdamRule { rate, beta1, beta2, epsilon, keep, decay, clip } = rule;
        let numbers = TensorData::from([rate, epsilon, keep].map(|number| number as f32));
        let numbers = Cube::float_from_data(numbers, &weights.device());
        let [beta1, beta2, slope, longest] = [beta1, beta2, decay, clip].map(|n| n as f32);
        let client = weights.client.clone();
        // SAFETY: all have `len` elements, the norm one and the numbers three.
        unsafe {
            elements::adam::launch_unchecked(
                &client,
                cubes_of_elements(len),
                line(THREADS),
                weights.into_buffer_arg(),
                norm.into_buffer_arg(),
                numbers.into_buffer_arg(),
                first.clone().into_buffer_arg(),
                second.clone().into_buffer_arg(),
                gradient.clone().into_buffer_arg(),
                len,
                RuleLaunch::new(beta1, beta2, slope, longest),
                clip.is_finite(),
                decay != 0.0,
            );
        }
        (gradient, first, second)
    }
}
