//! Models: layers, blocks, and what stands on them for each task.

pub mod block;
pub mod dropout;
pub mod language_model;
pub mod layers;

pub use block::{Block, BlockConfig};
pub use dropout::Dropout;
pub use language_model::{LanguageModel, LanguageModelConfig, Positions};
