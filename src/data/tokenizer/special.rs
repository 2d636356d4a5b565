//! Tokens that stand for no text: they are ids only, so no text can forge them.

use serde::{Deserialize, Serialize};

/// A token outside of text.
///
/// The order here is the order of ids. Only [`Special::End`], the last, is ever generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Special {
    /// Text that was not in the training text. Byte-based tokenizers know every text and lack it.
    Unknown,
    /// Fills rows of a batch up to the longest; never seen by a model that masks it.
    Padding,
    /// A token to be guessed.
    Mask,
    /// Stands before a text to be classified; its output is the text's.
    Class,
    /// Stands between the two texts of a pair.
    Separator,
    /// Stands before a target text.
    Begin,
    /// Stands after a target text; generating it ends the text.
    End,
}

impl Special {
    /// What a language model over running text needs.
    pub const LANGUAGE_MODEL: &[Special] = &[Special::Unknown];
    /// What a masked language model needs.
    pub const MASKED_LANGUAGE_MODEL: &[Special] =
        &[Special::Unknown, Special::Padding, Special::Mask];
    /// What classifying single texts needs.
    pub const CLASSIFICATION: &[Special] = &[Special::Unknown, Special::Padding, Special::Class];
    /// What classifying pairs of texts needs.
    pub const PAIR_CLASSIFICATION: &[Special] =
        &[Special::Unknown, Special::Padding, Special::Class, Special::Separator];
    /// What turning one text into another needs.
    pub const SEQUENCE_TO_SEQUENCE: &[Special] =
        &[Special::Unknown, Special::Padding, Special::Begin, Special::End];

    /// The name shown in vocabularies, such as `[MASK]`. For display only: in a text these letters
    /// are ordinary letters.
    pub fn label(self) -> &'static str {
        match self {
            Special::Unknown => "[UNKNOWN]",
            Special::Padding => "[PADDING]",
            Special::Mask => "[MASK]",
            Special::Class => "[CLASS]",
            Special::Separator => "[SEPARATOR]",
            Special::Begin => "[BEGIN]",
            Special::End => "[END]",
        }
    }
}
