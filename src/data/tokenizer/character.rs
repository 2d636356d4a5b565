//! Characters as tokens: one for every Unicode code point of the training text.

use std::collections::HashMap;

use super::spacing::Spacing;
use super::{Cut, Emit, TextTokens, printable};
use crate::error::{Error, Result};
use crate::order::sorted;

/// No token.
const ABSENT: u32 = u32::MAX;

/// The characters that were in the training text, in order of code point.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Characters {
    sorted: Vec<char>,
    /// Tokens of the ASCII characters, which most texts are made of.
    ascii: Box<[u32; 128]>,
}

impl Characters {
    /// All characters of the texts; the `most` common ones if there are more, by code point
    /// among equally common ones.
    pub(super) fn fit(texts: &[&str], most: usize) -> Self {
        let mut ascii = [0_u64; 128];
        let mut other = HashMap::<char, u64>::new();
        for c in texts.iter().flat_map(|text| text.chars()) {
            match ascii.get_mut(c as usize) {
                Some(count) => *count += 1,
                None => *other.entry(c).or_default() += 1,
            }
        }
        let ascii = (0..128_u8).map(|byte| (char::from(byte), ascii[usize::from(byte)]));
        let counts = ascii.filter(|(_, count)| *count > 0).chain(other).collect();
        let mut counts = sorted(counts, |a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        counts.truncate(most);
        let characters = counts.into_iter().map(|(c, _)| c).collect();
        Self::from_sorted(sorted(characters, char::cmp))
    }

    /// From the text form kept in files.
    ///
    /// # Errors
    ///
    /// `corrupt-file` unless every character is above the one before it.
    pub(super) fn read(characters: &str) -> Result<Self> {
        let sorted: Vec<char> = characters.chars().collect();
        if !sorted.is_sorted_by(|a, b| a < b) {
            return Err(Error::corrupt("the tokenizer's characters are out of order"));
        }
        Ok(Self::from_sorted(sorted))
    }

    /// The text form kept in files.
    pub(super) fn write(&self) -> String {
        self.sorted.iter().collect()
    }

    fn from_sorted(sorted: Vec<char>) -> Self {
        let mut ascii = Box::new([ABSENT; 128]);
        for (token, c) in sorted.iter().enumerate().take_while(|(_, c)| c.is_ascii()) {
            ascii[*c as usize] = token as u32;
        }
        Self { sorted, ascii }
    }

    fn token(&self, c: char) -> Option<u32> {
        match self.ascii.get(c as usize) {
            Some(token) => (*token != ABSENT).then_some(*token),
            None => self.sorted.binary_search(&c).ok().map(|token| token as u32),
        }
    }
}

impl TextTokens for Characters {
    fn len(&self) -> usize {
        self.sorted.len()
    }

    fn cut(&self, parts: &[&str], emit: &mut Emit) {
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                emit(Cut::Mask, 0);
            }
            for c in part.chars() {
                emit(self.token(c).map_or(Cut::Unknown, Cut::Known), 1);
            }
        }
    }

    fn decode(&self, token: u32, _: &mut Spacing, out: &mut Vec<u8>) {
        out.extend_from_slice(self.sorted[token as usize].encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn printable(&self, token: u32) -> String {
        printable::character(self.sorted[token as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_in_order_of_code_point() {
        let fitted = Characters::fit(&["häb", "😀a\n"], 100);
        assert_eq!(fitted.write(), "\nabhä😀");
        assert_eq!(Characters::read(&fitted.write()).unwrap(), fitted);
    }

    #[test]
    fn the_commonest_characters_stay_when_there_are_too_many() {
        assert_eq!(Characters::fit(&["ccbbaad"], 3).write(), "abc");
        assert_eq!(Characters::fit(&["ddccba"], 3).write(), "acd");
    }

    #[test]
    fn characters_out_of_order_or_twice_are_refused() {
        for wrong in ["ba", "aa", "a😀é"] {
            assert_eq!(Characters::read(wrong).unwrap_err().code(), "corrupt-file", "{wrong}");
        }
    }
}
