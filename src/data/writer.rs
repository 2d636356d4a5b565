//! Tokens as they are chosen to text as it is shown, up to the end of a generation.

use super::pieces::Pieces;
use super::tokenizer::{Decoder, Special, Tokenizer};
use crate::error::Result;

/// Why a generation has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// All tokens asked for were made.
    Length,
    /// A stop text came up.
    Stop,
    /// The model has ended the text.
    End,
}

impl Reason {
    /// The name in JavaScript.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Length => "length",
            Reason::Stop => "stop",
            Reason::End => "end",
        }
    }
}

/// What one more token has brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Text that can be shown now, which may be none.
    pub piece: String,
    /// Tokens made so far, this one included.
    pub tokens: usize,
    /// Set with the last token.
    pub done: Option<Reason>,
}

/// Writes up to `max_tokens` tokens behind a prompt.
///
/// ```
/// # use synthattn::data::tokenizer::{Special, Tokenizer, TokenizerSpec};
/// # use synthattn::data::writer::{Reason, Writer};
/// let tokenizer = Tokenizer::fit(&TokenizerSpec::Byte, Special::LANGUAGE_MODEL, &["x"])?;
/// let (_prompt, decoder) = tokenizer.prompt("caf");
/// let mut writer = Writer::new(decoder, vec![], 3)?;
/// assert_eq!(writer.push(&tokenizer, 0xc3).piece, "");
/// writer.push(&tokenizer, 0xa9);
/// let last = writer.push(&tokenizer, u32::from(b'!'));
/// assert_eq!((last.piece.as_str(), last.done), ("é!", Some(Reason::Length)));
/// # Ok::<_, synthattn::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Writer {
    decoder: Decoder,
    pieces: Pieces,
    tokens: usize,
    max_tokens: usize,
}

impl Writer {
    /// Writes behind the prompt that `decoder` is from, see [`Tokenizer::prompt`].
    ///
    /// # Errors
    ///
    /// `invalid-option` if a stop text is empty.
    pub fn new(decoder: Decoder, stop: Vec<String>, max_tokens: usize) -> Result<Self> {
        Ok(Self { decoder, pieces: Pieces::new(stop)?, tokens: 0, max_tokens })
    }

    /// Takes the next token. When the text ends without a stop text, what was held back comes
    /// with it, but for half a character.
    pub fn push(&mut self, tokenizer: &Tokenizer, token: u32) -> Written {
        self.tokens += 1;
        let mut piece = self.pieces.push(&self.decoder.push(tokenizer, token));
        let done = if self.pieces.stopped() {
            Some(Reason::Stop)
        } else if Some(token) == tokenizer.special(Special::End) {
            Some(Reason::End)
        } else {
            (self.tokens >= self.max_tokens).then_some(Reason::Length)
        };
        if done.is_some() {
            piece.push_str(&self.pieces.finish());
        }
        Written { piece, tokens: self.tokens, done }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::tokenizer::TokenizerSpec;

    fn write(specials: &[Special], text: &str, stop: &str, max_tokens: usize) -> Vec<Written> {
        let tokenizer = Tokenizer::fit(&TokenizerSpec::Character, specials, &[text]).unwrap();
        let (_, decoder) = tokenizer.prompt("");
        let stops = if stop.is_empty() { vec![] } else { vec![stop.into()] };
        let mut writer = Writer::new(decoder, stops, max_tokens).unwrap();
        let end = tokenizer.special(Special::End);
        let mut written = Vec::new();
        for token in tokenizer.encode(text).into_iter().chain(end) {
            written.push(writer.push(&tokenizer, token));
            if written.last().unwrap().done.is_some() {
                break;
            }
        }
        written
    }

    fn summary(written: &[Written]) -> (String, usize, Option<Reason>) {
        let last = written.last().unwrap();
        (written.iter().map(|one| one.piece.as_str()).collect(), last.tokens, last.done)
    }

    #[test]
    fn a_text_ends_by_length_stop_or_end() {
        let lm = Special::LANGUAGE_MODEL;
        let all = summary(&write(lm, "to be or not", "", 5));
        assert_eq!(all, ("to be".into(), 5, Some(Reason::Length)));
        let all = summary(&write(lm, "to be or not", "or", 99));
        assert_eq!(all, ("to be ".into(), 8, Some(Reason::Stop)));
        let all = summary(&write(lm, "to be or not", "be ", 5));
        assert_eq!(all, ("to be".into(), 5, Some(Reason::Length)), "not complete, so not left out");
        let all = summary(&write(Special::SEQUENCE_TO_SEQUENCE, "to be", "", 99));
        assert_eq!(all, ("to be".into(), 6, Some(Reason::End)));
    }
}
