//! The device, and models made on it.

use burn::tensor::Device;
use wasm_bindgen::prelude::*;

use super::convert;
use super::helper::WebHelper;
use super::model::{WebModel, optional_data};
use crate::config::ModelSpec;
use crate::device::{self, DeviceKind};
use crate::error::Error;
use crate::model::CrossAttention;
use crate::session::{Helper, Session};

/// How sources are scored, if not as in every model of the package.
fn cross_of(name: Option<String>) -> Result<CrossAttention, Error> {
    name.as_deref().map_or(Ok(CrossAttention::default()), CrossAttention::named)
}

/// Owns the device. One for each wasm instance.
#[wasm_bindgen]
pub struct WebEngine {
    pub(super) device: Device,
    /// Bytes that the device can hold at once, if that is known.
    largest_buffer: Option<u64>,
}

#[wasm_bindgen]
impl WebEngine {
    /// Opens the device `kind`, `"cpu"` or `"webgpu"`.
    pub async fn create(kind: String) -> Result<WebEngine, JsValue> {
        let device = device::open(DeviceKind::named(&kind)?).await?;
        Ok(Self { device, largest_buffer: None })
    }

    /// Tells how many bytes the device can hold at once: what needs more is refused, as
    /// `out-of-memory`, and would otherwise be computed as nothing.
    #[wasm_bindgen(js_name = setLargestBuffer)]
    pub fn set_largest_buffer(&mut self, bytes: f64) {
        self.largest_buffer = Some(bytes as u64);
    }

    fn model(&self, mut session: Session) -> Result<WebModel, JsValue> {
        if let Some(bytes) = self.largest_buffer {
            session.set_largest_buffer(bytes)?;
        }
        Ok(WebModel::new(session))
    }

    /// Trains a small model here and on the CPU; rejects with `webgpu-unavailable` if the numbers
    /// differ by more than rounding.
    #[cfg(feature = "webgpu")]
    #[wasm_bindgen(js_name = selfCheck)]
    pub async fn self_check(&self) -> Result<(), JsValue> {
        Ok(crate::check::agrees_with_cpu(&self.device).await?)
    }

    /// Fits a tokenizer on the data and makes a model with fresh weights. `cross` is an experiment's.
    #[wasm_bindgen(js_name = createModel)]
    pub async fn create_model(
        &self,
        spec: JsValue,
        data: JsValue,
        cross: Option<String>,
    ) -> Result<WebModel, JsValue> {
        let spec = ModelSpec::parse(&convert::value(&spec))?.with_cross(cross_of(cross)?)?;
        self.model(Session::create(spec, convert::value(&data), &self.device)?)
    }

    /// A model from the bytes of a file; with `data` it can be trained on. One of an experiment is
    /// read where `cross` asks for it alone.
    pub async fn load(
        &self,
        bytes: Vec<u8>,
        data: JsValue,
        cross: Option<String>,
    ) -> Result<WebModel, JsValue> {
        let session = Session::load(&bytes, optional_data(&data), &self.device)?;
        let found = session.spec().cross;
        if found != cross_of(cross)? {
            let name = found.name();
            Err(Error::corrupt(format!("its cross-attention is {name:?}, an experiment")))?;
        }
        self.model(session)
    }

    /// From the bytes of a file: the model as a worker needs it that shares another's training.
    pub fn helper(&self, bytes: Vec<u8>) -> Result<WebHelper, JsValue> {
        Ok(WebHelper::new(Helper::load(&bytes, &self.device)?))
    }

    /// Bytes that the device's allocator holds; 0 on the CPU.
    #[wasm_bindgen(js_name = gpuBytes)]
    pub fn gpu_bytes(&self) -> f64 {
        device::allocated_bytes(&self.device) as f64
    }
}
