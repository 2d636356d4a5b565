//! Synthesizer attention in Burn: `Y = softmax(B) V`, with the scores `B` synthesized instead of
//! taken from dot products (Tay et al., "Synthesizer: Rethinking Self-Attention for Transformer
//! Models", ICML 2021, <https://arxiv.org/abs/2005.00743>).
//!
//! - [`attention`]: the kinds, as modules to build into any Burn model, and their table
//! - [`model`]: blocks and models made of them
//! - [`train`]: optimizer, schedule, trainer
//! - [`data`]: tokenizers and batches; knows no tensors
//! - [`session`]: a model at work, as the npm package offers it
//!
//! ```
//! use synthattn::config::ModelSpec;
//! use synthattn::session::Session;
//! use synthattn::value::Value;
//!
//! # fn main() -> synthattn::Result<()> { futures_lite::future::block_on(async {
//! let json = serde_json::json!({
//!     "task": "language-model", "attention": "random+vanilla", "dModel": 16, "maxLength": 8,
//! });
//! let data = serde_json::json!({ "text": "the cat sat on the mat and the cat sat on the hat" });
//! let spec = ModelSpec::parse(&Value::from(&json))?;
//! let mut session = Session::create(spec, Value::from(&data), &synthattn::device::cpu())?;
//! session.begin_training(&Value::from(&serde_json::json!({ "steps": 10, "batch": 4 })))?;
//! for _ in 0..10 {
//!     session.train_step()?;
//! }
//! let report = session.report().await?;
//! assert!(report.loss.is_finite());
//! # Ok(()) }) }
//! ```

pub mod attention;
#[cfg(feature = "webgpu")]
pub mod check;
pub mod config;
pub mod data;
pub mod device;
pub mod error;
pub mod init;
pub mod metrics;
pub mod model;
pub mod ops;
pub(crate) mod order;
pub mod rng;
pub mod sample;
pub mod session;
pub mod task;
pub mod train;
pub mod value;
#[cfg(target_arch = "wasm32")]
pub mod web;
pub mod weights;

pub use error::{Error, Result};
