//! Fused multiply-add for products of matrices on the CPU.
//!
//! A module with these instructions is refused by browsers that do not have them, such as Safari, so
//! the loop that needs them is a module of its own, of half a kilobyte, that works on the crate's
//! memory and is put into its table of functions. Where it is refused, the loop in
//! `src/loops/tile.rs` does the same with one rounding more.

use js_sys::{Object, Reflect, Uint8Array, WebAssembly};
use wasm_bindgen::prelude::*;

use crate::ops;

/// `fused.wat`, assembled.
const MODULE: &[u8] = include_bytes!("fused.wasm");

/// Multiplies matrices with fused multiply-add from now on, if the browser can: tells whether.
pub fn fuse() -> bool {
    let put = put_in_place().is_ok();
    if put {
        // SAFETY: it is there.
        unsafe { ops::use_fused() };
    }
    put
}

/// Puts the function into the table of functions.
fn put_in_place() -> Result<(), JsValue> {
    let module = WebAssembly::Module::new(&Uint8Array::from(MODULE))?;
    let (imports, of_crate) = (Object::new(), Object::new());
    Reflect::set(&of_crate, &"memory".into(), &wasm_bindgen::memory())?;
    Reflect::set(&imports, &"crate".into(), &of_crate)?;
    let instance = WebAssembly::Instance::new(&module, &imports)?;
    let function = Reflect::get(&instance.exports(), &"add".into())?;
    let table: WebAssembly::Table = wasm_bindgen::function_table().unchecked_into();
    table.set(ops::place_of_fused() as u32, function.unchecked_ref())
}
