//! The model of any task.

use burn::module::Module;
use burn::tensor::Device;

use super::classifier::Classifier;
use super::encoder::EncoderConfig;
use super::language_model::LanguageModel;
use super::masked::MaskedModel;
use super::sequence::SequenceModel;
use super::writer::WriterConfig;
use crate::init::Init;

/// What the model of a task is made of.
#[derive(Debug, Clone)]
pub enum NetConfig {
    /// Guesses the next token.
    LanguageModel(WriterConfig),
    /// Guesses hidden tokens.
    Masked {
        /// What reads the text.
        encoder: EncoderConfig,
        /// Whether the head is the token embedding, transposed.
        tied: bool,
        /// Whether the untied head has a bias.
        head_bias: bool,
    },
    /// Tells the class of a text or a pair.
    Classifier {
        /// What reads the text.
        encoder: EncoderConfig,
        /// Number of classes.
        classes: usize,
    },
    /// Turns a text into another.
    Sequence(WriterConfig),
}

/// A model of any task. It leaves no trace in the names of weights.
#[derive(Module, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one a session")]
pub enum Net {
    /// Guesses the next token.
    LanguageModel(LanguageModel),
    /// Guesses hidden tokens.
    Masked(MaskedModel),
    /// Tells the class of a text or a pair.
    Classifier(Classifier),
    /// Turns a text into another.
    Sequence(SequenceModel),
}

impl Net {
    /// Fresh weights.
    pub fn init(config: &NetConfig, init: &Init) -> Self {
        match config {
            NetConfig::LanguageModel(config) => {
                Net::LanguageModel(LanguageModel::init(config, init))
            }
            NetConfig::Masked { encoder, tied, head_bias } => {
                Net::Masked(MaskedModel::init(encoder, *tied, *head_bias, init))
            }
            NetConfig::Classifier { encoder, classes } => {
                Net::Classifier(Classifier::init(encoder, *classes, init))
            }
            NetConfig::Sequence(config) => Net::Sequence(SequenceModel::init(config, init)),
        }
    }

    /// Where the weights are, without autodiff.
    pub fn device(&self) -> Device {
        match self {
            Net::LanguageModel(model) => model.device(),
            Net::Masked(model) => model.device(),
            Net::Classifier(model) => model.device(),
            Net::Sequence(model) => model.device(),
        }
    }
}
