//! A model as a worker has it that shares the training of another worker's.

use js_sys::Float32Array;
use wasm_bindgen::prelude::*;

use crate::session::Helper;

/// The form of a model, to which weights come with each share. `free()` releases its memory.
#[wasm_bindgen]
pub struct WebHelper {
    helper: Helper,
}

impl WebHelper {
    pub(super) fn new(helper: Helper) -> Self {
        Self { helper }
    }
}

#[wasm_bindgen]
impl WebHelper {
    /// Computes a share with the weights in `flat`, which holds its gradient then; resolves to the
    /// sum of the losses in nats.
    pub async fn compute(
        &mut self,
        assignment: String,
        flat: Float32Array,
    ) -> Result<f32, JsValue> {
        let (loss, gradient) = self.helper.compute(&assignment, flat.to_vec()).await?;
        flat.copy_from(&gradient);
        Ok(loss)
    }
}
