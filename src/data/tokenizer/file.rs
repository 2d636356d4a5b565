//! Tokenizers as JSON, the form in which model files keep them. Reading trusts nothing.

use serde::{Deserialize, Serialize};

use super::bpe::Merges;
use super::byte::Bytes;
use super::character::Characters;
use super::word::Words;
use super::{Special, Text, Tokenizer, TokenizerSpec};
use crate::error::{Error, Result};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    specials: Vec<Special>,
    opening: u32,
    text: FileText,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum FileText {
    Character { characters: String },
    Byte {},
    Word { normalized: bool, rare_from: u32, words: Vec<String> },
    Bpe { merges: Vec<(u32, u32)> },
}

impl Tokenizer {
    /// The tokenizer as JSON.
    pub fn to_json(&self) -> String {
        let text = match &self.text {
            Text::Character(characters) => FileText::Character { characters: characters.write() },
            Text::Byte(Bytes) => FileText::Byte {},
            Text::Word(words) => FileText::Word {
                normalized: words.normalized(),
                rare_from: words.rare_from(),
                words: words.words().to_vec(),
            },
            Text::Bpe(merges) => FileText::Bpe { merges: merges.write() },
        };
        let file = File { specials: self.specials.clone(), opening: self.opening, text };
        serde_json::to_string(&file).expect("plain strings and numbers have a JSON form")
    }

    /// The tokenizer that [`Tokenizer::to_json`] has written.
    ///
    /// # Errors
    ///
    /// `corrupt-file` for anything else. Time and memory are bounded by the length of `json`
    /// times a small constant, whatever it says.
    pub fn from_json(json: &str) -> Result<Self> {
        let file: File = serde_json::from_str(json)
            .map_err(|error| Error::corrupt(format!("the tokenizer is unreadable: {error}")))?;
        let text = match file.text {
            FileText::Character { characters } => Text::Character(Characters::read(&characters)?),
            FileText::Byte {} => Text::Byte(Bytes),
            FileText::Word { normalized, rare_from, words } => {
                Text::Word(Words::read(words, normalized, rare_from)?)
            }
            FileText::Bpe { merges } => Text::Bpe(Merges::read(&merges)?),
        };
        let tokenizer = Self { specials: file.specials, opening: file.opening, text };
        tokenizer.check()?;
        Ok(tokenizer)
    }

    fn check(&self) -> Result<()> {
        let over_bytes = matches!(self.text, Text::Byte(_) | Text::Bpe(_));
        let sound = self.specials.is_sorted_by(|a, b| a < b)
            && self.specials.contains(&Special::Unknown) != over_bytes
            && self.text_ids().contains(&self.opening)
            && self.len() <= TokenizerSpec::MAX_VOCABULARY;
        if sound { Ok(()) } else { Err(Error::corrupt("the tokenizer contradicts itself")) }
    }
}
