//! Where tensors live. No other place than this and `src/ops` names a backend.

use burn::tensor::Device;

use crate::error::{Error, Result};

/// The devices a model can be trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceKind {
    /// One CPU core, with SIMD.
    Cpu,
    /// The GPU, through WebGPU. Only in browsers, with the feature `webgpu`.
    WebGpu,
}

impl DeviceKind {
    /// The kind called `name`.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "cpu" => Ok(DeviceKind::Cpu),
            "webgpu" => Ok(DeviceKind::WebGpu),
            _ => Err(Error::option("device", format!("{name:?}"), "\"cpu\" or \"webgpu\"")),
        }
    }

    /// The name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            DeviceKind::Cpu => "cpu",
            DeviceKind::WebGpu => "webgpu",
        }
    }
}

/// The CPU device.
pub fn cpu() -> Device {
    Device::flex()
}

/// Opens a device. WebGPU can be opened once a process (in a browser: once a wasm instance).
///
/// # Errors
///
/// [`Error::WebGpuUnavailable`] with what the browser said.
pub async fn open(kind: DeviceKind) -> Result<Device> {
    match kind {
        DeviceKind::Cpu => Ok(cpu()),
        DeviceKind::WebGpu => webgpu().await,
    }
}

/// Runs static constructors, with which cubecl registers its kernels' types, once.
///
/// If nobody calls them, the linker takes the module for a command and wraps every export in a
/// call of its own: all constructors again at each call, milliseconds for each GPU dispatch.
#[cfg(target_arch = "wasm32")]
pub(crate) fn run_constructors() {
    unsafe extern "C" {
        fn __wasm_call_ctors();
    }
    static ONCE: std::sync::Once = std::sync::Once::new();
    // SAFETY: the constructors are the linker's own function, and run once.
    ONCE.call_once(|| unsafe { __wasm_call_ctors() });
}

#[cfg(all(target_arch = "wasm32", feature = "webgpu"))]
async fn webgpu() -> Result<Device> {
    // A test binary comes here without the package's start function.
    run_constructors();
    let opened = Device::wgpu_options().init_async().await;
    opened.map_err(|error| Error::WebGpuUnavailable { reason: error.to_string() })
}

#[cfg(not(all(target_arch = "wasm32", feature = "webgpu")))]
async fn webgpu() -> Result<Device> {
    Err(Error::WebGpuUnavailable { reason: "this build has the CPU device alone".to_owned() })
}

/// Bytes that the device's allocator holds; 0 on the CPU, whose memory is the process's own.
pub fn allocated_bytes(device: &Device) -> u64 {
    device.memory_pool_usage().map_or(0, |usage| usage.bytes_reserved)
}
