//! Texts as the ids a model reads: with their special tokens, and no longer than it can take.
//!
//! The classifying models read `[CLASS] text` or `[CLASS] text [SEPARATOR] second`, as BERT does
//! (Devlin et al., section 3, <https://arxiv.org/abs/1810.04805>) but for a separator at the end,
//! which would say nothing.

use super::rows::Translated;
use super::tokenizer::{Special, Tokenizer};
use crate::error::{Error, Result};

/// A text, or two, to be classified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToClassify {
    /// At most the model's length.
    pub ids: Vec<u32>,
    /// Where the second text begins, behind the separator; the number of ids if there is none.
    pub second_at: usize,
}

impl ToClassify {
    /// A single text, cut at the end if it is too long.
    ///
    /// # Panics
    ///
    /// If the tokenizer lacks [`Special::Class`].
    pub fn single(tokenizer: &Tokenizer, text: &str, max_length: usize) -> Self {
        let mut ids = vec![special(tokenizer, Special::Class)];
        ids.extend(tokenizer.encode(text));
        ids.truncate(max_length);
        Self { second_at: ids.len(), ids }
    }

    /// A pair. While it is too long, the longer text is cut at its end; of two equally long ones,
    /// the second.
    ///
    /// # Panics
    ///
    /// If the tokenizer lacks [`Special::Class`] or [`Special::Separator`], or the model takes
    /// less than these two.
    pub fn pair(tokenizer: &Tokenizer, text: &str, second: &str, max_length: usize) -> Self {
        let (mut first, mut other) = (tokenizer.encode(text), tokenizer.encode(second));
        let room = max_length.checked_sub(2).expect("the model has room for its special tokens");
        // Cutting the longer one again and again leaves both at half the room, unless one of them
        // is shorter than that.
        let half = room.div_ceil(2);
        if first.len() + other.len() > room {
            let kept = first.len().min(half.max(room.saturating_sub(other.len())));
            first.truncate(kept);
            other.truncate(room - kept);
        }
        let mut ids = vec![special(tokenizer, Special::Class)];
        ids.extend(first);
        ids.push(special(tokenizer, Special::Separator));
        let second_at = ids.len();
        ids.extend(other);
        Self { ids, second_at }
    }
}

/// A text and the text it turns into, for training.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToTranslate {
    /// What the encoder reads.
    pub source: Vec<u32>,
    /// What the decoder reads: [`Special::Begin`] and the target.
    pub inputs: Vec<u32>,
    /// What the decoder should say at each of these: the target and [`Special::End`].
    pub outputs: Vec<u32>,
}

impl ToTranslate {
    /// Row `index` of a data set.
    ///
    /// # Errors
    ///
    /// `invalid-data` if a text has more tokens than the model takes: a text cut off would teach
    /// wrong things.
    pub fn new(
        tokenizer: &Tokenizer,
        row: &Translated,
        index: usize,
        max_length: usize,
    ) -> Result<Self> {
        let source = tokenizer.encode(&row.source);
        let target = tokenizer.encode(&row.target);
        let lengths =
            [("the source has", source.len()), ("with its end, the target has", target.len() + 1)];
        if let Some((what, tokens)) = lengths.into_iter().find(|(_, tokens)| *tokens > max_length) {
            let reason = format!("{what} {tokens} tokens, maxLength is {max_length}");
            return Err(Error::InvalidData { row: Some(index), reason });
        }
        let inputs = [&[special(tokenizer, Special::Begin)], target.as_slice()].concat();
        let outputs = [target.as_slice(), &[special(tokenizer, Special::End)]].concat();
        Ok(Self { source, inputs, outputs })
    }
}

/// The ids of a text that must not be cut.
///
/// # Errors
///
/// `text-too-long`.
pub fn uncut(ids: Vec<u32>, max_length: usize) -> Result<Vec<u32>> {
    if ids.len() > max_length {
        return Err(Error::TextTooLong { tokens: ids.len(), limit: max_length });
    }
    Ok(ids)
}

fn special(tokenizer: &Tokenizer, special: Special) -> u32 {
    tokenizer.special(special).expect("the tokenizer is one for this task")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::tokenizer::TokenizerSpec;
    use proptest::prelude::*;

    fn tokenizer(specials: &[Special]) -> Tokenizer {
        Tokenizer::fit(&TokenizerSpec::Character, specials, &["abcdefgh ABCDEFGH"]).unwrap()
    }

    fn shown(tokenizer: &Tokenizer, ids: &[u32]) -> String {
        ids.iter().map(|id| tokenizer.label(*id)).collect()
    }

    #[test]
    fn the_front_of_a_text_is_kept() {
        let tokenizer = tokenizer(Special::CLASSIFICATION);
        let example = ToClassify::single(&tokenizer, "abcdef", 4);
        assert_eq!(shown(&tokenizer, &example.ids), "[CLASS]abc");
        assert_eq!(example.second_at, 4);
        assert_eq!(ToClassify::single(&tokenizer, "", 4).ids.len(), 1);
    }

    #[test]
    fn of_a_pair_the_longer_text_is_cut_first() {
        let tokenizer = tokenizer(Special::PAIR_CLASSIFICATION);
        let pair = |first: &str, second: &str, max_length| {
            let pair = ToClassify::pair(&tokenizer, first, second, max_length);
            shown(&tokenizer, &pair.ids)
        };
        assert_eq!(pair("abc", "DE", 99), "[CLASS]abc[SEPARATOR]DE");
        assert_eq!(pair("abcdef", "AB", 8), "[CLASS]abcd[SEPARATOR]AB");
        assert_eq!(pair("ab", "ABCDEF", 8), "[CLASS]ab[SEPARATOR]ABCD");
        assert_eq!(pair("abcdef", "ABCDEF", 8), "[CLASS]abc[SEPARATOR]ABC");
        assert_eq!(pair("abcdef", "ABCDEF", 9), "[CLASS]abcd[SEPARATOR]ABC");
        assert_eq!(pair("abc", "ABC", 2), "[CLASS][SEPARATOR]");
    }

    #[test]
    fn targets_begin_and_end() {
        let tokenizer = tokenizer(Special::SEQUENCE_TO_SEQUENCE);
        let row = Translated { source: "abc".into(), target: "AB".into() };
        let example = ToTranslate::new(&tokenizer, &row, 7, 3).unwrap();
        assert_eq!(shown(&tokenizer, &example.source), "abc");
        assert_eq!(shown(&tokenizer, &example.inputs), "[BEGIN]AB");
        assert_eq!(shown(&tokenizer, &example.outputs), "AB[END]");
        for (source, target, why) in [
            ("abcd", "AB", "the source has 4 tokens, maxLength is 3"),
            ("abc", "ABC", "with its end, the target has 4 tokens, maxLength is 3"),
        ] {
            let row = Translated { source: source.into(), target: target.into() };
            let error = ToTranslate::new(&tokenizer, &row, 7, 3).unwrap_err();
            assert_eq!(error, Error::InvalidData { row: Some(7), reason: why.into() });
        }
        let error = uncut(vec![0; 4], 3).unwrap_err();
        assert_eq!(error, Error::TextTooLong { tokens: 4, limit: 3 });
        assert_eq!(uncut(vec![0; 3], 3).unwrap().len(), 3);
    }

    proptest! {
        #[test]
        fn cutting_a_pair_equals_taking_from_the_longer_one_by_one(
            first in "[a-h]{0,12}", second in "[A-H]{0,12}", max_length in 2_usize..30,
        ) {
            let tokenizer = tokenizer(Special::PAIR_CLASSIFICATION);
            let (mut a, mut b) = (first.clone(), second.clone());
            while a.len() + b.len() + 2 > max_length {
                if a.len() > b.len() { a.pop() } else { b.pop() };
            }
            let pair = ToClassify::pair(&tokenizer, &first, &second, max_length);
            prop_assert_eq!(shown(&tokenizer, &pair.ids), format!("[CLASS]{a}[SEPARATOR]{b}"));
            prop_assert_eq!(pair.second_at, a.len() + 2);
        }
    }
}
