//! Models: layers, blocks, and what stands on them for each task.

pub mod block;
pub mod classifier;
pub mod cross;
pub mod dropout;
pub mod encoder;
pub mod language_model;
pub mod layers;
pub mod masked;
pub mod net;
pub mod positions;
pub mod sequence;
pub mod writer;

pub use block::{Block, BlockConfig, DecoderBlock};
pub use classifier::Classifier;
pub use cross::CrossAttention;
pub use dropout::Dropout;
pub use encoder::{Encoder, EncoderConfig, Reading};
pub use language_model::LanguageModel;
pub use masked::MaskedModel;
pub use net::Net;
pub use positions::Positions;
pub use sequence::SequenceModel;
pub use writer::WriterConfig;
