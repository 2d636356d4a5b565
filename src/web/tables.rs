//! The tables of kinds and tasks; the build writes them to a file that needs no wasm.

use wasm_bindgen::prelude::*;

use super::convert;

/// `KindInfo[]` of the API.
#[wasm_bindgen]
pub fn kinds() -> JsValue {
    convert::json(&crate::attention::table())
}

/// `TaskInfo[]` of the API.
#[wasm_bindgen]
pub fn tasks() -> JsValue {
    convert::json(&crate::task::table())
}
