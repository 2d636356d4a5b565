//! Errors as JavaScript sees them: `SynthError` with `code` and `details`.

use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

use crate::error::Error;

fn set(object: &Object, name: &str, value: impl Into<JsValue>) {
    Reflect::set(object, &name.into(), &value.into()).expect("a fresh object is extensible");
}

/// What callers can act on, beside the code.
fn details(error: &Error) -> Object {
    let details = Object::new();
    match error {
        Error::InvalidOption { option, value, expected } => {
            set(&details, "option", option);
            set(&details, "value", value);
            set(&details, "expected", expected);
        }
        Error::InvalidData { row, reason } => {
            if let Some(row) = row {
                set(&details, "row", *row as f64);
            }
            set(&details, "reason", reason);
        }
        Error::TextTooLong { tokens, limit } => {
            set(&details, "tokens", *tokens as f64);
            set(&details, "limit", *limit as f64);
        }
        Error::UnknownKind { kind } | Error::AttentionUnavailable { kind } => {
            set(&details, "kind", kind);
        }
        Error::WrongTask { task, call } => {
            set(&details, "task", task);
            set(&details, "call", call);
        }
        Error::DeviceUnavailable { device, reason } => {
            set(&details, "device", device);
            set(&details, "reason", reason);
        }
        Error::WebGpuUnavailable { reason }
        | Error::DeviceLost { reason }
        | Error::CorruptFile { reason }
        | Error::Internal { reason } => set(&details, "reason", reason),
        Error::OutOfMemory { needed, limit } => {
            set(&details, "needed", *needed as f64);
            set(&details, "limit", *limit as f64);
        }
        Error::Diverged { step, restored } => {
            set(&details, "step", *step as f64);
            set(&details, "restored", *restored as f64);
        }
        Error::UnsupportedVersion { found, newest } => {
            set(&details, "found", *found as f64);
            set(&details, "newest", *newest as f64);
        }
        Error::Busy { what } => set(&details, "what", what),
    }
    details
}

impl From<Error> for JsValue {
    fn from(error: Error) -> Self {
        let js = js_sys::Error::new(&error.to_string());
        js.set_name("SynthError");
        set(&js, "code", error.code());
        set(&js, "details", details(&error));
        js.into()
    }
}
