//! Byte-pair encoding: frequent neighbours become one token, starting from the 256 bytes.
//! Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units", section 3.2,
//! <https://arxiv.org/abs/1508.07909>; over bytes as in Radford et al. (GPT-2), section 2.2.
//!
//! Pairs never cross the pieces of [`pieces`]: words with the space before them, numbers, runs of
//! marks, blanks. Every text can be read and written back, for all bytes are tokens.

use std::collections::HashMap;

use super::bpe_fit;
use super::byte::begins_code_point;
use super::spacing::Spacing;
use super::{Cut, Emit, TextTokens, printable};
use crate::error::{Error, Result};

/// Pieces, and so tokens, are cut at this length: it bounds the time for texts like `aaaa…`.
pub(super) const MAX_TOKEN_BYTES: usize = 64;
/// The tokens below this are the bytes; token `BYTES + i` is made by merge `i`.
pub(super) const BYTES: u32 = 256;

/// Two neighbouring tokens.
pub(super) type Pair = (u32, u32);

/// The merges in the order in which they were learned, which is the order in which they apply.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Merges {
    /// Token made by each pair.
    made: HashMap<Pair, u32>,
    /// The bytes of every token.
    bytes: Vec<Box<[u8]>>,
}

impl Merges {
    /// Learns up to `most - 256` merges.
    pub(super) fn fit(texts: &[&str], most: usize) -> Self {
        let mut counts = HashMap::<&str, u64>::new();
        for piece in texts.iter().flat_map(|text| pieces(text)) {
            *counts.entry(piece).or_default() += 1;
        }
        let merges = bpe_fit::merges(&counts, most - BYTES as usize);
        Self::read(&merges).expect("learned merges are sound")
    }

    /// From the list kept in files.
    ///
    /// # Errors
    ///
    /// `corrupt-file` if a merge is there twice, joins a token that does not exist yet, or makes
    /// too long a token.
    pub(super) fn read(merges: &[Pair]) -> Result<Self> {
        let mut bytes: Vec<Box<[u8]>> = (0..=u8::MAX).map(|byte| Box::from([byte])).collect();
        let mut made = HashMap::with_capacity(merges.len());
        for (pair, token) in merges.iter().zip(BYTES..) {
            let part = |token: u32| {
                bytes.get(token as usize).ok_or_else(|| {
                    Error::corrupt("a merge of the tokenizer joins a token that does not exist yet")
                })
            };
            let joined = [&**part(pair.0)?, &**part(pair.1)?].concat();
            if joined.len() > MAX_TOKEN_BYTES {
                return Err(Error::corrupt("a merge of the tokenizer makes too long a token"));
            }
            if made.insert(*pair, token).is_some() {
                return Err(Error::corrupt("a merge of the tokenizer is there twice"));
            }
            bytes.push(joined.into());
        }
        Ok(Self { made, bytes })
    }

    /// The list kept in files.
    pub(super) fn write(&self) -> Vec<Pair> {
        let mut merges = vec![Pair::default(); self.made.len()];
        for (pair, made) in &self.made {
            merges[(*made - BYTES) as usize] = *pair;
        }
        merges
    }

    /// Applies to one piece, again and again, the earliest merge that fits.
    fn encode(&self, piece: &str) -> Vec<u32> {
        const NOTHING: u32 = u32::MAX;
        let mut tokens: Vec<u32> = piece.bytes().map(u32::from).collect();
        let made = |tokens: &[u32], at: usize| {
            let next = tokens.get(at + 1).copied().unwrap_or(NOTHING);
            self.made.get(&(tokens[at], next)).copied().unwrap_or(NOTHING)
        };
        // What each token would make together with the next one; lower numbers come earlier.
        let mut making: Vec<u32> = (0..tokens.len()).map(|at| made(&tokens, at)).collect();
        loop {
            let first = making.iter().copied().min().unwrap_or(NOTHING);
            if first == NOTHING {
                return tokens;
            }
            let at = making.iter().position(|made| *made == first).expect("it is the minimum");
            tokens[at] = first;
            tokens.remove(at + 1);
            making.remove(at + 1);
            making[at] = made(&tokens, at);
            if let Some(before) = at.checked_sub(1) {
                making[before] = made(&tokens, before);
            }
        }
    }
}

impl TextTokens for Merges {
    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn cut(&self, parts: &[&str], emit: &mut Emit) {
        let mut known = HashMap::<&str, Vec<u32>>::new();
        for (index, part) in parts.iter().enumerate() {
            let last = index + 1 == parts.len();
            // In running text the space before a word is part of its token, and so of the mask's.
            let part = if last { part } else { part.strip_suffix(' ').unwrap_or(part) };
            for piece in pieces(part) {
                for token in known.entry(piece).or_insert_with(|| self.encode(piece)) {
                    let bytes = &self.bytes[*token as usize];
                    let code_points = bytes.iter().filter(|byte| begins_code_point(**byte)).count();
                    emit(Cut::Known(*token), code_points);
                }
            }
            if !last {
                emit(Cut::Mask, 0);
            }
        }
    }

    fn decode(&self, token: u32, _: &mut Spacing, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes[token as usize]);
    }

    fn printable(&self, token: u32) -> String {
        printable::bytes(&self.bytes[token as usize])
    }
}

/// What a character may stand together with in one piece.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Letter,
    Digit,
    Blank,
    Mark,
}

fn class(c: char) -> Class {
    match c {
        _ if c.is_alphabetic() => Class::Letter,
        _ if c.is_numeric() => Class::Digit,
        _ if c.is_whitespace() => Class::Blank,
        _ => Class::Mark,
    }
}

/// Cuts a text into the pieces that tokens stay inside of: letters, digits, or marks, each with a
/// space before them if there is one, and blanks, whose last space goes with what follows.
/// Nothing is lost: the pieces make up the text. None is longer than [`MAX_TOKEN_BYTES`].
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let length = match (first, rest[first.len_utf8()..].chars().next().map(class)) {
            (' ', Some(next)) if next != Class::Blank => 1 + run(&rest[1..], next),
            _ if class(first) == Class::Blank => {
                let blanks = run(rest, Class::Blank);
                let leaves_space = blanks < rest.len() && rest[..blanks].ends_with(' ');
                if leaves_space && blanks > 1 { blanks - 1 } else { blanks }
            }
            _ => run(rest, class(first)),
        };
        let length = rest.floor_char_boundary(length.min(MAX_TOKEN_BYTES));
        let (piece, after) = rest.split_at(length);
        rest = after;
        Some(piece)
    })
}

/// Bytes of the characters of one class at the front of `text`, counted no further than needed.
fn run(text: &str, of: Class) -> usize {
    let mut length = 0;
    for c in text.chars().take_while(|c| class(*c) == of) {
        length += c.len_utf8();
        if length > MAX_TOKEN_BYTES {
            break;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::fnv1a_64;

    const TEXT: &str = "low lower lowest, new newer newest\nwide wider widest 100 1000 10000 -- --";

    fn encode(merges: &Merges, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        merges.cut(&[text], &mut |cut, _| match cut {
            Cut::Known(token) => tokens.push(token),
            _ => panic!("bytes know every text"),
        });
        tokens
    }

    /// Expected numbers of this module are those of a short program in Python that counts all
    /// pairs anew for every merge.
    #[test]
    fn merges_agree_with_a_plain_implementation() {
        let merges = Merges::fit(&[TEXT], 256 + 40);
        let expected = [
            (48, 48),
            (119, 101),
            (32, 49),
            (32, 110),
            (100, 101),
            (105, 260),
            (108, 111),
            (115, 116),
            (119, 261),
            (258, 256),
            (259, 101),
            (32, 45),
            (32, 262),
            (32, 264),
            (257, 114),
            (257, 263),
            (267, 45),
        ];
        assert_eq!(merges.write(), expected, "no pair is left that occurs twice");
        assert_eq!(
            encode(&merges, "the lowest  widest 10001 ne ---\n\n w"),
            [116, 104, 101, 268, 271, 32, 269, 263, 265, 48, 49, 266, 272, 45, 10, 10, 32, 119]
        );
    }

    #[test]
    fn pieces_follow_words_numbers_marks_and_blanks() {
        let cut: Vec<&str> = pieces("the  lowest\t\n x1234abc... été 😀!  ").collect();
        assert_eq!(
            cut,
            ["the", " ", " lowest", "\t\n", " x", "1234", "abc", "...", " été", " 😀!", "  "]
        );
        let long = format!("{}é", "a".repeat(63));
        assert_eq!(pieces(&long).collect::<Vec<_>>(), [&"a".repeat(63), "é"]);
    }

    #[test]
    fn a_longer_text_learns_what_the_plain_implementation_learns() {
        // Words drawn from a small grammar, the same in both implementations.
        let mut state = 1_u32;
        let mut next = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % n
        };
        let mut text = String::new();
        for _ in 0..5000 {
            for _ in 0..=next(3) {
                text.push_str(["ka", "to", "ri", "s", "mé", "n"][next(6) as usize]);
            }
            text.push_str([" ", " ", " ", ", ", ".\n", " 12 "][next(6) as usize]);
        }
        let merges = Merges::fit(&[&text], 256 + 150);
        let learned = merges.write();
        let bytes: Vec<u8> =
            learned.iter().flat_map(|(a, b)| [a.to_le_bytes(), b.to_le_bytes()].concat()).collect();
        let tokens = encode(&merges, &text);
        assert_eq!((learned.len(), tokens.len()), (150, 9218));
        assert_eq!(fnv1a_64(&bytes), 0xa86d_a3f0_1ac0_d964);
        assert_eq!(tokens.iter().sum::<u32>(), 1_971_760);
    }
}
