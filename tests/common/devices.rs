//! The devices tests run on, and one test body for all of them.

use burn::tensor::Device;

/// The CPU device, with autodiff.
pub async fn cpu() -> Device {
    synthattn::device::cpu().autodiff()
}

/// The WebGPU device, with autodiff. Opened once for all tests of a binary.
#[cfg(all(target_arch = "wasm32", feature = "webgpu"))]
pub async fn webgpu() -> Device {
    use std::cell::OnceCell;
    use synthattn::device::{DeviceKind, open};

    thread_local!(static OPENED: OnceCell<Device> = const { OnceCell::new() });
    // Tests run one after another, so nothing else opens it meanwhile.
    if OPENED.with(|opened| opened.get().is_none()) {
        let device = open(DeviceKind::WebGpu).await.expect("this browser has WebGPU");
        OPENED.with(|opened| opened.set(device).expect("nobody else opened it"));
    }
    OPENED.with(|opened| opened.get().expect("just set").clone()).autodiff()
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

/// Makes a test of an `async fn(Device)` for every device there is: natively the CPU, in a
/// browser the CPU and WebGPU.
#[macro_export]
macro_rules! on_every_device {
    ($($name:ident),* $(,)?) => {
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
                    super::$name(super::devices::webgpu().await).await;
                }
            )*
        }
    };
}
