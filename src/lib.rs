//! Synthesizer attention in Burn: `Y = softmax(B) V`, with `B` synthesized.

pub mod attention;
pub mod data;
pub mod error;
pub mod init;
pub mod model;
pub mod rng;
pub mod train;
pub mod weights;

pub use error::{Error, Result};
