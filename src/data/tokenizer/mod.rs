//! Text to token ids and back: by character, byte, word, or byte-pair encoding.
//!
//! Ids of special tokens come first, in the order of [`Special`], and those of text after them.
//! Special tokens stand for no text, so no text, whatever it looks like, becomes one of them.

mod bpe;
mod bpe_fit;
mod byte;
mod character;
mod decoder;
mod file;
mod printable;
mod spacing;
mod special;
#[cfg(test)]
mod tests;
mod word;

use std::ops::Range;

pub use decoder::Decoder;
pub use special::Special;

use crate::error::{Error, Result};
use spacing::Spacing;

/// How a mask is written in a text to be filled in. Anywhere else these letters are text.
pub const MASK: &str = "[MASK]";

/// How to cut text, before any text has been seen.
#[derive(Debug, Clone, PartialEq)]
pub enum TokenizerSpec {
    /// One token for every Unicode code point of the training text.
    Character,
    /// The 256 bytes of UTF-8.
    Byte,
    /// Words, punctuation marks and symbols.
    Word {
        /// The most tokens there may be, special ones included; default 8192.
        vocabulary: usize,
        /// For models that only read: words in lower case, blanks dropped. Models that write
        /// need both.
        normalized: bool,
    },
    /// Byte-pair encoding learned from the training text.
    Bpe {
        /// The most tokens there may be, special ones included; default 2048.
        vocabulary: usize,
    },
}

impl TokenizerSpec {
    /// The most tokens any tokenizer has. A text with more characters keeps the commonest.
    pub const MAX_VOCABULARY: usize = 65_536;
    /// Default of [`TokenizerSpec::Word::vocabulary`].
    pub const WORD_VOCABULARY: usize = 8192;
    /// Limits of [`TokenizerSpec::Word::vocabulary`].
    pub const WORD_LIMITS: std::ops::RangeInclusive<usize> = 16..=Self::MAX_VOCABULARY;
    /// Default of [`TokenizerSpec::Bpe::vocabulary`].
    pub const BPE_VOCABULARY: usize = 2048;
    /// Limits of [`TokenizerSpec::Bpe::vocabulary`]: the bytes and all special tokens fit.
    pub const BPE_LIMITS: std::ops::RangeInclusive<usize> = 280..=Self::MAX_VOCABULARY;

    /// Checks the vocabulary against its limits.
    ///
    /// # Errors
    ///
    /// `invalid-option`.
    pub fn validate(&self) -> Result<()> {
        let (vocabulary, limits) = match self {
            TokenizerSpec::Character | TokenizerSpec::Byte => return Ok(()),
            TokenizerSpec::Word { vocabulary, .. } => (vocabulary, Self::WORD_LIMITS),
            TokenizerSpec::Bpe { vocabulary } => (vocabulary, Self::BPE_LIMITS),
        };
        if limits.contains(vocabulary) {
            return Ok(());
        }
        let expected = format!("a whole number from {} to {}", limits.start(), limits.end());
        Err(Error::option("tokenizer.vocabulary", vocabulary, expected))
    }
}

/// A piece of text, to the kinds of tokenizers, which count their tokens from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cut {
    Known(u32),
    Unknown,
    Mask,
}

/// Takes the tokens of a text in turn, each with the number of code points that begin in it.
type Emit<'a> = dyn FnMut(Cut, usize) + 'a;

/// What the kinds of tokenizers have in common.
trait TextTokens {
    /// Number of tokens.
    fn len(&self) -> usize;
    /// Cuts a text, given as the parts between which masks stand.
    fn cut(&self, parts: &[&str], emit: &mut Emit);
    /// Appends the text of a token, with the space it owes.
    fn decode(&self, token: u32, spacing: &mut Spacing, out: &mut Vec<u8>);
    /// Appends a replacement character for unknown text.
    fn decode_unknown(&self, _spacing: &mut Spacing, out: &mut Vec<u8>) {
        out.extend_from_slice("\u{fffd}".as_bytes());
    }
    /// The token as shown to people; no two look the same.
    fn printable(&self, token: u32) -> String;
}

#[derive(Debug, Clone, PartialEq)]
enum Text {
    Character(character::Characters),
    Byte(byte::Bytes),
    Word(word::Words),
    Bpe(bpe::Merges),
}

/// A tokenizer fitted on a text.
///
/// ```
/// # use synthattn::data::tokenizer::{Special, Tokenizer, TokenizerSpec};
/// let text = "to be or not to be";
/// let tokenizer = Tokenizer::fit(&TokenizerSpec::Character, Special::LANGUAGE_MODEL, &[text])?;
/// let ids = tokenizer.encode("to bee");
/// assert_eq!(tokenizer.decode(&ids), "to bee");
/// assert_eq!(tokenizer.vocabulary()[..4], ["[UNKNOWN]", "␣", "b", "e"]);
/// # Ok::<_, synthattn::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Tokenizer {
    /// In order, each once; their index is their id.
    specials: Vec<Special>,
    text: Text,
    /// See [`Tokenizer::opening`].
    opening: u32,
}

impl Tokenizer {
    /// Fits a tokenizer on `texts`. The result depends on the texts' contents alone.
    ///
    /// `specials` is one of the lists of [`Special`], in order. Tokenizers over bytes know every
    /// text and leave [`Special::Unknown`] out.
    ///
    /// # Errors
    ///
    /// `invalid-option` if the spec is out of its limits, `invalid-data` if the texts are empty.
    pub fn fit(spec: &TokenizerSpec, specials: &[Special], texts: &[&str]) -> Result<Self> {
        spec.validate()?;
        if texts.iter().all(|text| text.is_empty()) {
            return Err(Error::data("the text is empty"));
        }
        let over_bytes = matches!(spec, TokenizerSpec::Byte | TokenizerSpec::Bpe { .. });
        let mut specials = specials.to_vec();
        specials.retain(|special| !(over_bytes && *special == Special::Unknown));
        let room = |vocabulary: usize| vocabulary - specials.len();
        let text = match spec {
            TokenizerSpec::Character => Text::Character(character::Characters::fit(
                texts,
                room(TokenizerSpec::MAX_VOCABULARY),
            )),
            TokenizerSpec::Byte => Text::Byte(byte::Bytes),
            TokenizerSpec::Word { vocabulary, normalized } => {
                Text::Word(word::Words::fit(texts, room(*vocabulary), *normalized))
            }
            TokenizerSpec::Bpe { vocabulary } => {
                Text::Bpe(bpe::Merges::fit(texts, room(*vocabulary)))
            }
        };
        let mut tokenizer = Self { opening: 0, specials, text };
        if tokenizer.text_ids().is_empty() {
            return Err(Error::data("the text has no word of at most 64 bytes"));
        }
        tokenizer.opening = tokenizer.find_opening(texts);
        Ok(tokenizer)
    }

    /// The token that an empty prompt stands for: the line break if the training text has one,
    /// so that the model begins a line, else the most common token at the text's beginning. It is
    /// what the model goes on from, not part of the text it writes.
    pub fn opening(&self) -> u32 {
        self.opening
    }

    fn find_opening(&self, texts: &[&str]) -> u32 {
        let line_break = ["\n", "\r"].into_iter().find(|line_break| {
            texts.iter().any(|text| text.contains(line_break))
                && self.encode(line_break).iter().all(|id| self.text_ids().contains(id))
                && self.encode(line_break).len() == 1
        });
        if let Some(line_break) = line_break {
            return self.encode(line_break)[0];
        }
        // A part of the text tells as much, and reading it all takes as long as fitting.
        const ENOUGH: usize = 1 << 18;
        let mut counts = vec![0_u64; self.len()];
        let mut left = ENOUGH;
        for text in texts {
            let text = &text[..text.floor_char_boundary(left)];
            left -= text.len();
            self.text().cut(&[text], &mut |cut, _| counts[self.id(cut) as usize] += 1);
        }
        let most_common = self.text_ids().rev().max_by_key(|id| counts[*id as usize]);
        most_common.expect("a fitted tokenizer has a token for text")
    }

    /// The ids of a text. Any text will do; what is not known becomes [`Special::Unknown`].
    pub fn encode(&self, text: &str) -> Vec<u32> {
        self.encode_parts(&[text])
    }

    /// The ids of a text in which [`MASK`] stands for tokens to be guessed.
    ///
    /// # Panics
    ///
    /// If the text has a mask and the tokenizer lacks [`Special::Mask`].
    pub fn encode_masked(&self, text: &str) -> Vec<u32> {
        self.encode_parts(&text.split(MASK).collect::<Vec<_>>())
    }

    fn encode_parts(&self, parts: &[&str]) -> Vec<u32> {
        // As many as bytes is the most there can be, but for masks and spaces that are missing.
        let bytes: usize = parts.iter().map(|part| part.len()).sum();
        let tokens =
            if let Text::Character(_) | Text::Byte(_) = self.text { bytes } else { bytes / 4 };
        let mut ids = Vec::with_capacity(tokens);
        self.text().cut(parts, &mut |cut, _| ids.push(self.id(cut)));
        ids
    }

    /// How many Unicode code points each token of [`Tokenizer::encode`] stands for, counted at
    /// their first byte; over all tokens of a text, its number of code points. A space that a
    /// word implies counts with the word.
    pub fn code_points(&self, text: &str) -> Vec<u32> {
        let mut counts = Vec::new();
        self.text().cut(&[text], &mut |_, code_points| counts.push(code_points as u32));
        counts
    }

    /// The text of ids: well-formed whatever the ids are. Unknown text becomes U+FFFD, as do
    /// bytes that are no UTF-8; other special tokens are left out.
    pub fn decode(&self, ids: &[u32]) -> String {
        let (mut spacing, mut bytes) = (Spacing::default(), Vec::with_capacity(ids.len()));
        ids.iter().for_each(|id| self.decode_into(*id, &mut spacing, &mut bytes));
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// The ids to go on from for a prompt, at least one, and the decoder for what follows.
    ///
    /// An empty prompt stands for [`Tokenizer::opening`]. A single space at the end of a prompt
    /// is held back where it would be part of the next token, since a model has never seen
    /// spaces standing apart from their words; the text comes out as if it had been there.
    pub fn prompt(&self, prompt: &str) -> (Vec<u32>, Decoder) {
        let begins_tokens = matches!(self.text, Text::Word(_) | Text::Bpe(_));
        let shorter = prompt.strip_suffix(' ').filter(|shorter| {
            begins_tokens && shorter.chars().next_back().is_some_and(|c| !c.is_whitespace())
        });
        let mut ids = self.encode(shorter.unwrap_or(prompt));
        let opens = ids.is_empty();
        if opens {
            ids.push(self.opening);
        }
        let space_given = begins_tokens && (opens || shorter.is_some());
        let decoder = Decoder::behind(self, &ids, space_given);
        (ids, decoder)
    }

    /// Number of ids.
    #[allow(clippy::len_without_is_empty, reason = "a tokenizer is never empty")]
    pub fn len(&self) -> usize {
        self.specials.len() + self.text().len()
    }

    /// The ids that stand for text.
    pub fn text_ids(&self) -> Range<u32> {
        self.specials.len() as u32..self.len() as u32
    }

    /// Whether this is what `spec` asks for, whatever it was fitted on.
    pub fn follows(&self, spec: &TokenizerSpec) -> bool {
        match (&self.text, spec) {
            (Text::Character(_), TokenizerSpec::Character) => true,
            (Text::Byte(_), TokenizerSpec::Byte) => true,
            (Text::Word(words), TokenizerSpec::Word { vocabulary, normalized }) => {
                words.normalized() == *normalized && self.len() <= *vocabulary
            }
            (Text::Bpe(_), TokenizerSpec::Bpe { vocabulary }) => self.len() <= *vocabulary,
            _ => false,
        }
    }

    /// Whether its special tokens are these, but for [`Special::Unknown`] where every text is known.
    pub fn is_for(&self, specials: &[Special]) -> bool {
        let same = |special: &&Special| {
            **special != Special::Unknown || self.specials.contains(&Special::Unknown)
        };
        specials.iter().filter(same).eq(&self.specials)
    }

    /// The id of a special token, if the tokenizer has it.
    pub fn special(&self, special: Special) -> Option<u32> {
        self.specials.iter().position(|other| *other == special).map(|id| id as u32)
    }

    /// The ids that are never generated: those of all special tokens but [`Special::End`].
    pub fn never_generated(&self) -> Range<u32> {
        0..self.special(Special::End).unwrap_or(self.specials.len() as u32)
    }

    /// The ids of words that the training text has only once, if tokens are words. Training on
    /// [`Special::Unknown`] in their place now and then teaches what to make of unknown words.
    pub fn rare_ids(&self) -> Range<u32> {
        match &self.text {
            Text::Word(words) => self.text_ids().start + words.rare_from()..self.len() as u32,
            _ => self.len() as u32..self.len() as u32,
        }
    }

    /// One id as shown to people: spaces, controls and stray bytes made visible.
    pub fn label(&self, id: u32) -> String {
        match self.specials.get(id as usize) {
            Some(special) => special.label().into(),
            None => self.text().printable(id - self.text_ids().start),
        }
    }

    /// All ids as shown to people, special tokens first. No two look the same.
    pub fn vocabulary(&self) -> Vec<String> {
        (0..self.len() as u32).map(|id| self.label(id)).collect()
    }

    fn text(&self) -> &dyn TextTokens {
        match &self.text {
            Text::Character(characters) => characters,
            Text::Byte(bytes) => bytes,
            Text::Word(words) => words,
            Text::Bpe(merges) => merges,
        }
    }

    fn id(&self, cut: Cut) -> u32 {
        let special = |special| self.special(special).expect("the tokenizer has this token");
        match cut {
            Cut::Known(token) => self.specials.len() as u32 + token,
            Cut::Unknown => special(Special::Unknown),
            Cut::Mask => special(Special::Mask),
        }
    }

    /// Appends the bytes of one id.
    fn decode_into(&self, id: u32, spacing: &mut Spacing, out: &mut Vec<u8>) {
        match self.specials.get(id as usize) {
            Some(Special::Unknown) => self.text().decode_unknown(spacing, out),
            Some(_) => {}
            None => self.text().decode(id - self.text_ids().start, spacing, out),
        }
    }
}
