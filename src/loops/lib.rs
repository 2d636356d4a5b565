//! The loops of [synthattn](https://crates.io/crates/synthattn) on the CPU, over slices of `f32`:
//! one or two passes over memory each, written so that they become SIMD. They know neither tensors
//! nor Burn.
//!
//! A package of their own, because how much a compiler does for speed is a package's setting: the
//! module for browsers is compiled for size but for these. None is inlined elsewhere, since it would
//! be compiled as what is there.
//!
//! Rows are summed in lanes, whose order is fixed, so results are the same on every machine with the
//! same rounding.

mod elements;
mod lanes;
mod math;
mod matrix;
mod product;
mod rows;
mod tile;

pub use elements::{
    Adam, adam, add_rows, gelu_exact, gelu_exact_gradient, gelu_tanh, gelu_tanh_gradient, norm,
};
pub use matrix::{Axis, Matrix, Part};
pub use product::{Output, Place};
pub use rows::{
    Hidden, cross_entropy, cross_entropy_gradient, layer_norm, layer_norm_gradient, softmax,
    softmax_gradient, softmax_of,
};
#[cfg(target_arch = "wasm32")]
pub use tile::fused;
