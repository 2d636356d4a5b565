//! Tokens back to text, one at a time: a token may be half a character, or owe a space.

use super::Tokenizer;
use super::spacing::Spacing;

/// Text behind a prompt, as its tokens are chosen.
///
/// ```
/// # use synthattn::data::tokenizer::{Special, Tokenizer, TokenizerSpec};
/// let tokenizer = Tokenizer::fit(&TokenizerSpec::Byte, Special::LANGUAGE_MODEL, &["é"])?;
/// let (_prompt, mut decoder) = tokenizer.prompt("caf");
/// assert_eq!(decoder.push(&tokenizer, 0xc3), "");
/// assert_eq!(decoder.push(&tokenizer, 0xa9), "é");
/// # Ok::<_, synthattn::error::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Decoder {
    spacing: Spacing,
    /// The bytes of a character that is not complete yet.
    pending: Vec<u8>,
    /// Has the prompt ended with the space that the next token may begin with?
    space_given: bool,
}

impl Decoder {
    /// The text that is complete with this token, which may be none. Bytes that are no UTF-8
    /// become U+FFFD. What is still pending at the end is half a character, and never text.
    pub fn push(&mut self, tokenizer: &Tokenizer, token: u32) -> String {
        tokenizer.decode_into(token, &mut self.spacing, &mut self.pending);
        let mut text = String::new();
        while let Err(error) = std::str::from_utf8(&self.pending) {
            let valid = error.valid_up_to();
            text.extend(self.pending[..valid].utf8_chunks().map(|chunk| chunk.valid()));
            let Some(invalid) = error.error_len() else {
                self.pending.drain(..valid);
                return self.without_given_space(text);
            };
            text.push(char::REPLACEMENT_CHARACTER);
            self.pending.drain(..valid + invalid);
        }
        text.push_str(std::str::from_utf8(&self.pending).expect("the loop has checked it"));
        self.pending.clear();
        self.without_given_space(text)
    }

    /// A decoder that stands behind tokens whose text is already there.
    pub(super) fn behind(tokenizer: &Tokenizer, tokens: &[u32], space_given: bool) -> Self {
        let mut decoder = Self::default();
        tokens.iter().for_each(|token| drop(decoder.push(tokenizer, *token)));
        decoder.pending.clear();
        Self { space_given, ..decoder }
    }

    fn without_given_space(&mut self, mut text: String) -> String {
        if self.space_given && !text.is_empty() {
            self.space_given = false;
            if text.starts_with(' ') {
                text.remove(0);
            }
        }
        text
    }
}
