//! The wasm module that the npm package's worker drives. The only folder that knows wasm-bindgen.
//!
//! JavaScript calls one method at a time and waits for its promise: methods that take `&mut self`
//! would trap on re-entry, so the worker keeps a queue.

// What other libraries are compared with, in the module with both devices.
#[cfg(feature = "webgpu")]
mod bench;
mod convert;
mod engine;
mod error;
mod fused;
mod helper;
mod model;
mod tables;

#[cfg(feature = "webgpu")]
pub use bench::BenchModel;
pub use engine::WebEngine;
pub use fused::fuse;
pub use helper::WebHelper;
pub use model::WebModel;

use wasm_bindgen::prelude::*;

/// Runs once when the module is instantiated.
#[wasm_bindgen(start)]
pub fn start() {
    crate::device::run_constructors();
    fuse();
    console_error_panic_hook::set_once();
}

/// Size of the linear memory in bytes. It never shrinks.
#[wasm_bindgen(js_name = wasmBytes)]
pub fn wasm_bytes() -> f64 {
    const PAGE: usize = 65_536;
    (core::arch::wasm32::memory_size::<0>() * PAGE) as f64
}
