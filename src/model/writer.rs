//! What the models that write are made of.

use super::block::BlockConfig;
use super::positions::Positions;

/// A language model, or an encoder-decoder, whose halves are alike.
#[derive(Debug, Clone)]
pub struct WriterConfig {
    /// The blocks.
    pub block: BlockConfig,
    /// Number of blocks, of each half where there are two.
    pub layers: usize,
    /// Number of token ids.
    pub vocab: usize,
    /// How positions are told.
    pub positions: Positions,
    /// Whether the head is the embedding of the tokens that are written, transposed.
    pub tied: bool,
    /// Whether the untied head has a bias.
    pub head_bias: bool,
}
