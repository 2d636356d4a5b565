//! The devices tests run on, and one test body for all of them.

use burn::tensor::Device;

/// The CPU device, with autodiff. In a browser with fused multiply-add if it has it, as the page has;
/// that Chromium has none is a failure. Natively and in Node 20 products go without.
pub async fn cpu() -> Device {
    #[cfg(target_arch = "wasm32")]
    assert!(synthattn::web::fuse() || !agent().contains("Chrome/"), "Chromium has relaxed SIMD");
    synthattn::device::cpu().autodiff()
}

/// What the browser says it is.
#[cfg(target_arch = "wasm32")]
fn agent() -> String {
    let navigator = member(&js_sys::global(), "navigator");
    member(&navigator, "userAgent").as_string().expect("browsers say what they are")
}

#[cfg(target_arch = "wasm32")]
fn member(of: &wasm_bindgen::JsValue, name: &str) -> wasm_bindgen::JsValue {
    js_sys::Reflect::get(of, &name.into()).expect("an object")
}

/// A GPU outside of browsers, with autodiff.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
pub async fn gpu(kind: synthattn::device::DeviceKind) -> Device {
    let opened = synthattn::device::open(kind).await;
    opened.unwrap_or_else(|error| panic!("{error}")).autodiff()
}

/// The WebGPU device, with autodiff. Opened once for all tests of a binary. Nothing in a Firefox that
/// has no adapter, as on Linux without a screen; that Chromium has none is a failure.
#[cfg(all(target_arch = "wasm32", feature = "webgpu"))]
pub async fn webgpu() -> Option<Device> {
    use std::cell::OnceCell;
    use synthattn::device::{DeviceKind, open};

    thread_local!(static OPENED: OnceCell<Device> = const { OnceCell::new() });
    // Tests run one after another, so nothing else opens it meanwhile.
    if OPENED.with(|opened| opened.get().is_none()) {
        if firefox_without_adapter().await {
            return None;
        }
        let device = open(DeviceKind::WebGpu).await.expect("this browser has WebGPU");
        OPENED.with(|opened| opened.set(device).expect("nobody else opened it"));
    }
    Some(OPENED.with(|opened| opened.get().expect("just set").clone()).autodiff())
}

#[cfg(all(target_arch = "wasm32", feature = "webgpu"))]
async fn firefox_without_adapter() -> bool {
    use js_sys::{Function, Promise};
    use wasm_bindgen::JsCast;

    let gpu = member(&member(&js_sys::global(), "navigator"), "gpu");
    if !agent().contains("Firefox/") || gpu.is_undefined() {
        return agent().contains("Firefox/");
    }
    let request: Function = member(&gpu, "requestAdapter").dyn_into().expect("a method");
    let asked: Promise = request.call0(&gpu).and_then(JsCast::dyn_into).expect("a promise");
    wasm_bindgen_futures::JsFuture::from(asked).await.expect("it never rejects").is_null()
}

/// Says something whether the test passes or not: what a set does not cover must be seen.
pub fn say(line: &str) {
    #[cfg(target_arch = "wasm32")]
    wasm_bindgen_test::console_log!("{line}");
    #[cfg(not(target_arch = "wasm32"))]
    {
        // The macros of std would be captured in a passing test.
        use std::io::Write;
        let written = std::io::stderr().write_all(format!("{line}\n").as_bytes());
        written.expect("standard error is open");
    }
}

/// Makes a test of an `async fn(Device)` for every device there is: natively the CPU and those that
/// Cargo features ask for, in a browser the CPU and WebGPU.
#[macro_export]
macro_rules! on_every_device {
    ($($name:ident),* $(,)?) => {
        #[cfg(feature = "wgpu")]
        $crate::on_a_gpu!(wgpu, Wgpu, $($name),*);
        #[cfg(feature = "vulkan")]
        $crate::on_a_gpu!(vulkan, Vulkan, $($name),*);
        #[cfg(feature = "metal")]
        $crate::on_a_gpu!(metal, Metal, $($name),*);
        #[cfg(feature = "cuda")]
        $crate::on_a_gpu!(cuda, Cuda, $($name),*);

        mod cpu {
            $(
                #[cfg(not(target_arch = "wasm32"))]
                #[test]
                fn $name() {
                    futures_lite::future::block_on(async {
                        super::$name(super::devices::cpu().await).await
                    });
                }

                #[cfg(target_arch = "wasm32")]
                #[wasm_bindgen_test::wasm_bindgen_test]
                async fn $name() {
                    super::$name(super::devices::cpu().await).await;
                }
            )*
        }

        #[cfg(all(target_arch = "wasm32", feature = "webgpu"))]
        mod webgpu {
            $(
                #[wasm_bindgen_test::wasm_bindgen_test]
                async fn $name() {
                    match super::devices::webgpu().await {
                        Some(device) => super::$name(device).await,
                        None => super::devices::say(concat!(
                            "skipped on WebGPU, of which this browser has no adapter: ",
                            stringify!($name),
                        )),
                    }
                }
            )*
        }
    };
}

/// Makes a test of an `async fn(Device)` for a GPU outside of browsers.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
#[macro_export]
macro_rules! on_a_gpu {
    ($module:ident, $kind:ident, $($name:ident),*) => {
        mod $module {
            $(
                #[test]
                fn $name() {
                    futures_lite::future::block_on(async {
                        let kind = synthattn::device::DeviceKind::$kind;
                        super::$name(super::devices::gpu(kind).await).await
                    });
                }
            )*
        }
    };
}
