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
    /// A GPU through wgpu, on the graphics interface that suits the machine. Natively, with the
    /// feature `wgpu`.
    Wgpu,
    /// A GPU through Vulkan. Natively, with the feature `vulkan`.
    Vulkan,
    /// A GPU through Metal. Natively, with the feature `metal`.
    Metal,
    /// A GPU through CUDA. Natively, with the feature `cuda`.
    Cuda,
}

impl DeviceKind {
    /// Those of this platform, whether this build has them or not.
    #[cfg(target_arch = "wasm32")]
    pub const ALL: &[DeviceKind] = &[DeviceKind::Cpu, DeviceKind::WebGpu];
    /// Those of this platform, whether this build has them or not.
    #[cfg(not(target_arch = "wasm32"))]
    pub const ALL: &[DeviceKind] = &[
        DeviceKind::Cpu,
        DeviceKind::Wgpu,
        DeviceKind::Vulkan,
        DeviceKind::Metal,
        DeviceKind::Cuda,
    ];

    /// The kind called `name`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOption`] that names those of [`DeviceKind::ALL`].
    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|kind| kind.name() == name);
        found.copied().ok_or_else(|| {
            let quoted: Vec<String> =
                Self::ALL.iter().map(|kind| format!("{:?}", kind.name())).collect();
            let (last, others) = quoted.split_last().expect("there is the CPU");
            let expected = format!("{} or {last}", others.join(", "));
            Error::option("device", format!("{name:?}"), expected)
        })
    }

    /// The name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            DeviceKind::Cpu => "cpu",
            DeviceKind::WebGpu => "webgpu",
            DeviceKind::Wgpu => "wgpu",
            DeviceKind::Vulkan => "vulkan",
            DeviceKind::Metal => "metal",
            DeviceKind::Cuda => "cuda",
        }
    }
}

/// The CPU device.
pub fn cpu() -> Device {
    Device::flex()
}

/// Opens a device. WebGPU can be opened once a process (in a browser: once a wasm instance); of
/// several native GPUs of a kind this is the one that the machine prefers.
///
/// # Errors
///
/// [`Error::WebGpuUnavailable`] with what the browser said, [`Error::DeviceUnavailable`].
pub async fn open(kind: DeviceKind) -> Result<Device> {
    match kind {
        DeviceKind::Cpu => Ok(cpu()),
        DeviceKind::WebGpu => webgpu().await,
        native => native::open(native, None),
    }
}

/// Opens the device called `name`: a kind, or a kind and which GPU of it, counted from 0, as in
/// `cuda:1`. All of the CPU are the same.
///
/// # Errors
///
/// [`Error::InvalidOption`] for no such name, otherwise as [`open`].
pub async fn open_named(name: &str) -> Result<Device> {
    let Some((kind, index)) = name.split_once(':') else {
        return open(DeviceKind::named(name)?).await;
    };
    let index = index.parse().map_err(|_| {
        Error::option("device", format!("{name:?}"), "a whole number from 0 behind the colon")
    })?;
    match DeviceKind::named(kind)? {
        kind @ (DeviceKind::Cpu | DeviceKind::WebGpu) => open(kind).await,
        native => native::open(native, Some(index)),
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

/// Whether Burn can add up tensors of such devices by collective operations.
#[cfg(feature = "distributed")]
pub(crate) fn has_collectives(device: &Device) -> bool {
    #[cfg(feature = "cuda")]
    if let burn::backend::DispatchDevice::Cube(device) = device.as_dispatch() {
        return matches!(device, burn::cubecl::Device::Cuda(_));
    }
    // Not of the backends that there are without it.
    let _ = device;
    false
}

/// GPUs outside of browsers.
mod native {
    #[cfg(any(feature = "wgpu", feature = "cuda"))]
    use burn::tensor::DeviceType;

    use super::{Device, DeviceKind};
    use crate::error::{Error, Result};

    /// The GPU number `index` of a kind, or the one that the machine prefers.
    pub(super) fn open(kind: DeviceKind, index: Option<usize>) -> Result<Device> {
        let found = list(kind)?;
        let unavailable = |reason: String| {
            let device = kind.name().to_owned();
            Err(Error::DeviceUnavailable { device, reason })
        };
        match index {
            _ if found.is_empty() => unavailable("this machine has none".to_owned()),
            None => preferred(kind).map_or_else(|| Ok(found[0].clone()), Ok),
            Some(index) if index < found.len() => Ok(found[index].clone()),
            Some(index) => {
                unavailable(format!("there is no number {index}, the last is {}", found.len() - 1))
            }
        }
    }

    /// All GPUs of a kind, software that acts as one included.
    fn list(kind: DeviceKind) -> Result<Vec<Device>> {
        match kind {
            #[cfg(feature = "wgpu")]
            DeviceKind::Wgpu => Ok(Device::enumerate(DeviceType::Wgpu).into_iter().collect()),
            #[cfg(feature = "vulkan")]
            DeviceKind::Vulkan => Ok(Device::enumerate(DeviceType::Vulkan).into_iter().collect()),
            #[cfg(feature = "metal")]
            DeviceKind::Metal => Ok(Device::enumerate(DeviceType::Metal).into_iter().collect()),
            #[cfg(feature = "cuda")]
            DeviceKind::Cuda => Ok(Device::enumerate(DeviceType::Cuda).into_iter().collect()),
            other => {
                let name = other.name();
                let reason = format!("this build goes without it, `--features {name}` has it");
                Err(Error::DeviceUnavailable { device: name.to_owned(), reason })
            }
        }
    }

    /// The one that the graphics interface puts first, if it does: the fastest.
    fn preferred(kind: DeviceKind) -> Option<Device> {
        match kind {
            #[cfg(feature = "wgpu")]
            DeviceKind::Wgpu => Some(Device::wgpu(Default::default())),
            #[cfg(feature = "vulkan")]
            DeviceKind::Vulkan => Some(Device::vulkan(Default::default())),
            #[cfg(feature = "metal")]
            DeviceKind::Metal => Some(Device::metal(Default::default())),
            _ => None,
        }
    }
}

/// Bytes that the device's allocator holds; 0 on the CPU, whose memory is the process's own.
pub fn allocated_bytes(device: &Device) -> u64 {
    device.memory_pool_usage().map_or(0, |usage| usage.bytes_reserved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_device_has_a_name_of_its_own() {
        for &kind in DeviceKind::ALL {
            assert_eq!(DeviceKind::named(kind.name()), Ok(kind));
        }
    }

    #[test]
    fn another_name_is_refused_by_those_there_are() {
        let error = DeviceKind::named("gpu").expect_err("no such device");
        assert_eq!(error.code(), "invalid-option");
        assert!(error.to_string().contains("\"cpu\""), "{error}");
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn a_device_that_is_not_there_is_told_with_what_would_have_it() {
        let open = |name| futures_lite::future::block_on(open_named(name));
        assert_eq!(open("cpu:7").expect("all the same"), cpu());
        assert_eq!(open("cuda:first").expect_err("no number").code(), "invalid-option");
        #[cfg(not(feature = "metal"))]
        {
            let error = open("metal").expect_err("not in this build");
            assert_eq!(error.code(), "device-unavailable");
            assert!(error.to_string().contains("--features metal"), "{error}");
        }
        // No machine has so many.
        #[cfg(feature = "wgpu")]
        assert_eq!(open("wgpu:999").expect_err("not there").code(), "device-unavailable");
    }
}
