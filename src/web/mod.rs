//! The wasm module that the npm package's worker drives. The only folder that knows wasm-bindgen.
//!
//! JavaScript calls one method at a time and waits for its promise: methods that take `&mut self`
//! would trap on re-entry, so the worker keeps a queue.

mod bench;
mod convert;
mod engine;
mod error;
mod model;
mod tables;

pub use bench::BenchModel;
pub use engine::WebEngine;
pub use model::WebModel;

use wasm_bindgen::prelude::*;

unsafe extern "C" {
    /// Runs static constructors, with which cubecl registers its kernels' types.
    ///
    /// If nobody calls it, the linker takes the module for a command and wraps every export in a
    /// call of its own: all constructors again at each call, milliseconds for each GPU dispatch.
    fn __wasm_call_ctors();
}

/// Runs once when the module is instantiated.
#[wasm_bindgen(start)]
pub fn start() {
    // SAFETY: called once, before anything else of this module runs.
    unsafe { __wasm_call_ctors() };
    console_error_panic_hook::set_once();
}

/// Size of the linear memory in bytes. It never shrinks.
#[wasm_bindgen(js_name = wasmBytes)]
pub fn wasm_bytes() -> f64 {
    const PAGE: usize = 65_536;
    (core::arch::wasm32::memory_size::<0>() * PAGE) as f64
}
