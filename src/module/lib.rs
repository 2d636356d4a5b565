//! See `Cargo.toml`.

#[cfg(target_arch = "wasm32")]
pub use synthattn::web;
