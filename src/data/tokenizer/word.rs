//! Words as tokens: words, punctuation marks and symbols, cut at Unicode's word boundaries.
//! Unicode Standard Annex #29, "Word Boundaries", <https://www.unicode.org/reports/tr29/>.
//!
//! There are two ways to read a text. For models that write, case is kept and so is every blank:
//! a space that [`Spacing`] expects is left out, any other blank is a token of its own, and a
//! token without text, the joint, says that an expected space is missing. Known words therefore
//! come back exactly as they were. For models that only read, words are put into lower case and
//! blanks are dropped: such models need not tell "Good" from "good", nor one space from two.

use std::borrow::Cow;
use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

use super::spacing::Spacing;
use super::{Cut, Emit, TextTokens, printable};
use crate::error::{Error, Result};
use crate::order::sorted;

/// Longer words are never known. No language needs them, but texts made of one long line do.
const MAX_WORD_BYTES: usize = 64;
/// The token that says that an expected space is missing.
const JOINT: &str = "";
/// What an unknown word looks like to [`Spacing`]: a word, whatever it was.
const UNKNOWN: &str = "x";

/// The words of the training text, the most common first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Words {
    words: Vec<String>,
    tokens: HashMap<String, u32>,
    /// Lower-case words without their blanks, for models that only read.
    normalized: bool,
    /// The first word that the training text has only once.
    rare_from: u32,
}

/// What follows a run of blanks.
enum Segment<'a> {
    Word(&'a str),
    Mask,
    End,
}

impl Words {
    /// The `most` common words of the texts, the joint among them, in order of how common they
    /// are and then of code point.
    pub(super) fn fit(texts: &[&str], most: usize, normalized: bool) -> Self {
        let mut counts = HashMap::<String, u64>::new();
        let mut count = |token: &str| match counts.get_mut(token) {
            Some(count) => *count += 1,
            None if token.len() > MAX_WORD_BYTES || token == JOINT => {}
            None => drop(counts.insert(token.into(), 1)),
        };
        for text in texts {
            let mut spacing = Spacing::default();
            segments(&[text], normalized, &mut |gap, segment| {
                if !normalized {
                    for blank in blanks(gap, &segment, &spacing) {
                        count(blank);
                        spacing.pass(blank);
                    }
                }
                if let Segment::Word(word) = segment {
                    count(word);
                    spacing.pass(word);
                }
            });
        }
        let commonest = |a: &(String, u64), b: &(String, u64)| b.1.cmp(&a.1).then(a.0.cmp(&b.0));
        let mut counts = sorted(counts.into_iter().collect(), commonest);
        let joints = usize::from(!normalized);
        counts.truncate(most - joints);
        let rare_from = joints + counts.partition_point(|(_, count)| *count > 1);
        let joint = (!normalized).then(|| JOINT.to_string());
        let words = joint.into_iter().chain(counts.into_iter().map(|(word, _)| word)).collect();
        Self::read(words, normalized, rare_from as u32).expect("counted words are sound")
    }

    /// From the list kept in files.
    ///
    /// # Errors
    ///
    /// `corrupt-file` if a word is missing, too long or there twice.
    pub(super) fn read(words: Vec<String>, normalized: bool, rare_from: u32) -> Result<Self> {
        let joints = words.iter().take_while(|word| *word == JOINT).count();
        if joints != usize::from(!normalized) {
            return Err(Error::corrupt("the tokenizer's words do not begin as they should"));
        }
        if words[joints..].iter().any(|word| word == JOINT || word.len() > MAX_WORD_BYTES) {
            return Err(Error::corrupt("a word of the tokenizer is empty or too long"));
        }
        if rare_from as usize > words.len() {
            return Err(Error::corrupt("the tokenizer has fewer words than it says"));
        }
        let tokens: HashMap<String, u32> = words.iter().cloned().zip(0..).collect();
        if tokens.len() != words.len() {
            return Err(Error::corrupt("a word of the tokenizer is there twice"));
        }
        Ok(Self { words, tokens, normalized, rare_from })
    }

    /// The words as kept in files.
    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    /// Are words put into lower case and blanks dropped?
    pub(super) fn normalized(&self) -> bool {
        self.normalized
    }

    /// The first of the words that the training text has only once, which are the last ones.
    pub(super) fn rare_from(&self) -> u32 {
        self.rare_from
    }
}

/// Gives every word, mark or mask of the text with the blanks before it, and the end.
fn segments(parts: &[&str], normalized: bool, each: &mut dyn FnMut(&str, Segment)) {
    for (index, part) in parts.iter().enumerate() {
        let part = if normalized { Cow::Owned(part.to_lowercase()) } else { Cow::Borrowed(*part) };
        // The blanks since the last word are a slice of the part.
        let (mut blanks_at, mut at) = (0, 0);
        for segment in part.split_word_bounds() {
            let begin = at;
            at += segment.len();
            if !segment.chars().all(char::is_whitespace) {
                each(&part[blanks_at..begin], Segment::Word(segment));
                blanks_at = at;
            }
        }
        let last = index + 1 == parts.len();
        each(&part[blanks_at..], if last { Segment::End } else { Segment::Mask });
    }
}

/// The tokens for the blanks in `gap`, given what stands around it.
fn blanks<'a>(
    gap: &'a str,
    next: &Segment,
    spacing: &Spacing,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let expected = match next {
        Segment::Word(word) => spacing.expects_space(word),
        Segment::Mask => spacing.expects_space(UNKNOWN),
        Segment::End => false,
    };
    let (joint, written) = match (gap, expected) {
        (" ", true) => (None, ""),
        ("", true) => (Some(JOINT), ""),
        _ => (None, gap),
    };
    joint.into_iter().chain(written.split("").filter(|blank| !blank.is_empty()))
}

impl TextTokens for Words {
    fn len(&self) -> usize {
        self.words.len()
    }

    fn cut(&self, parts: &[&str], emit: &mut Emit) {
        let mut spacing = Spacing::default();
        segments(parts, self.normalized, &mut |gap, segment| {
            // An unknown word must look to `spacing` as it will when tokens are joined again.
            let (segment, token) = match segment {
                Segment::Word(word) => match self.tokens.get(word) {
                    Some(token) => (Segment::Word(word), Some((Cut::Known(*token), word))),
                    None => (Segment::Word(UNKNOWN), Some((Cut::Unknown, word))),
                },
                Segment::Mask => (Segment::Mask, Some((Cut::Mask, ""))),
                Segment::End => (Segment::End, None),
            };
            let mut code_points = gap.chars().count();
            if !self.normalized {
                for blank in blanks(gap, &segment, &spacing) {
                    let length = blank.chars().count();
                    match self.tokens.get(blank) {
                        Some(token) => emit(Cut::Known(*token), length),
                        None => emit(Cut::Unknown, length),
                    }
                    code_points -= length;
                    spacing.pass(blank);
                }
            }
            if let Some((token, word)) = token {
                emit(token, code_points + word.chars().count());
                spacing.pass(if let Cut::Known(_) = token { word } else { UNKNOWN });
            }
        });
    }

    fn decode(&self, token: u32, spacing: &mut Spacing, out: &mut Vec<u8>) {
        let word = &self.words[token as usize];
        if spacing.expects_space(word) {
            out.push(b' ');
        }
        out.extend_from_slice(word.as_bytes());
        spacing.pass(word);
    }

    fn decode_unknown(&self, spacing: &mut Spacing, out: &mut Vec<u8>) {
        if spacing.expects_space(UNKNOWN) {
            out.push(b' ');
        }
        out.extend_from_slice("\u{fffd}".as_bytes());
        spacing.pass(UNKNOWN);
    }

    fn printable(&self, token: u32) -> String {
        match self.words[token as usize].as_str() {
            JOINT => printable::JOINT.into(),
            word => printable::text(word),
        }
    }
}
