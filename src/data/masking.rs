//! Tokens hidden from a model that learns to guess them, and rare words it learns to do without.

use super::tokenizer::{Special, Tokenizer};
use crate::order::sorted;
use crate::rng::Rng;

/// Share of the tokens to be guessed (Devlin et al., "BERT", section 3.1,
/// <https://arxiv.org/abs/1810.04805>).
const SHARE: f64 = 0.15;
/// Of these, how many tenths are masked, and how many replaced by a random token; the rest stays.
const MASKED_TENTHS: usize = 8;
const REPLACED_TENTHS: usize = 1;

/// A row with some tokens hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    /// What the model reads.
    pub inputs: Vec<u32>,
    /// Where it must guess, in ascending order.
    pub places: Vec<usize>,
}

/// Hides 15 % of the tokens that stand for known text, to the nearest whole token but at least
/// one: 80 % of them behind the mask, 10 % behind a random token, and 10 % are shown as they are.
///
/// # Panics
///
/// If the tokenizer lacks [`Special::Mask`].
pub fn mask(ids: &[u32], tokenizer: &Tokenizer, rng: &mut Rng) -> Masked {
    let text = tokenizer.text_ids();
    let mask = tokenizer.special(Special::Mask).expect("the tokenizer is one for masking");
    let mut places: Vec<usize> = (0..ids.len()).filter(|at| text.contains(&ids[*at])).collect();
    let hidden = ((places.len() as f64 * SHARE).round() as usize).max(1);
    rng.shuffle(&mut places);
    places.truncate(hidden);
    let places = sorted(places, usize::cmp);
    let mut inputs = ids.to_vec();
    for at in &places {
        match rng.below(10) {
            n if n < MASKED_TENTHS => inputs[*at] = mask,
            n if n < MASKED_TENTHS + REPLACED_TENTHS => {
                inputs[*at] = text.start + rng.below(text.len()) as u32;
            }
            _ => {}
        }
    }
    Masked { inputs, places }
}

/// Makes each rare word ([`Tokenizer::rare_ids`]) unknown with this probability, so that the model
/// learns what to make of the unknown words it will meet. Other kinds of tokens stay.
pub fn forget_rare(ids: &mut [u32], tokenizer: &Tokenizer, probability: f32, rng: &mut Rng) {
    let rare = tokenizer.rare_ids();
    let Some(unknown) = tokenizer.special(Special::Unknown) else { return };
    for id in ids.iter_mut().filter(|id| rare.contains(id)) {
        if rng.uniform() < probability {
            *id = unknown;
        }
    }
}

/// Makes each token of the text unknown with this probability: word dropout (Iyyer et al., "Deep
/// Unordered Composition Rivals Syntactic Methods for Text Classification", section 3.1,
/// <https://aclanthology.org/P15-1162>). A model may not lean on single words then, of which small
/// data sets have many that happen to tell the label. Tokenizers that know every text have no
/// unknown token, and their tokens stay.
pub fn drop_words(ids: &mut [u32], tokenizer: &Tokenizer, probability: f32, rng: &mut Rng) {
    let text = tokenizer.text_ids();
    let Some(unknown) = tokenizer.special(Special::Unknown) else { return };
    for id in ids.iter_mut().filter(|id| text.contains(id)) {
        if rng.uniform() < probability {
            *id = unknown;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Masked, Special, Tokenizer, drop_words, forget_rare, mask};
    use crate::data::tokenizer::TokenizerSpec;
    use crate::rng::{Purpose, Rng};
    use proptest::prelude::*;

    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";

    fn letters() -> Tokenizer {
        Tokenizer::fit(&TokenizerSpec::Character, Special::MASKED_LANGUAGE_MODEL, &[LETTERS])
            .unwrap()
    }

    #[test]
    fn shares_are_those_of_bert() {
        let tokenizer = letters();
        let ids = tokenizer.encode(&LETTERS.repeat(4000));
        let mut rng = Rng::new(0, Purpose::Masking, 0);
        let Masked { inputs, places } = mask(&ids, &tokenizer, &mut rng);
        assert_eq!(places.len(), 15_600);
        let mask = tokenizer.special(Special::Mask).unwrap();
        let share = |fits: &dyn Fn(&usize) -> bool| {
            places.iter().filter(|at| fits(at)).count() as f64 / places.len() as f64
        };
        // Five standard deviations of a share of 15,600 are at most 0.016.
        assert!((share(&|at| inputs[*at] == mask) - 0.8).abs() < 0.016);
        // One random letter in 26 is the right one.
        assert!((share(&|at| inputs[*at] == ids[*at]) - 0.1 - 0.1 / 26.0).abs() < 0.016);
    }

    #[test]
    fn rare_words_are_forgotten_as_often_as_asked() {
        let spec = TokenizerSpec::Word { vocabulary: 100, normalized: true };
        let text = "common common rare";
        let tokenizer = Tokenizer::fit(&spec, Special::CLASSIFICATION, &[text]).unwrap();
        let ids = tokenizer.encode(&"common rare ".repeat(1000));
        let mut rng = Rng::new(0, Purpose::Masking, 0);
        let mut forgotten = |probability| {
            let mut ids = ids.clone();
            forget_rare(&mut ids, &tokenizer, probability, &mut rng);
            assert!(ids.iter().step_by(2).all(|id| *id == ids[0]), "common words stay");
            let unknown = tokenizer.special(Special::Unknown).unwrap();
            ids.iter().filter(|id| **id == unknown).count()
        };
        assert_eq!((forgotten(0.0), forgotten(1.0)), (0, 1000));
        assert!((400..600).contains(&forgotten(0.5)));
        let letters = letters();
        let mut ids = letters.encode("abc");
        forget_rare(&mut ids, &letters, 1.0, &mut rng);
        assert_eq!(ids, letters.encode("abc"));
    }

    #[test]
    fn words_are_dropped_and_special_tokens_are_not() {
        let tokenizer = letters();
        let mask = tokenizer.special(Special::Mask).unwrap();
        let ids = [vec![mask], tokenizer.encode(&"ab".repeat(1000))].concat();
        let mut rng = Rng::new(0, Purpose::Masking, 0);
        let mut dropped = |probability| {
            let mut ids = ids.clone();
            drop_words(&mut ids, &tokenizer, probability, &mut rng);
            assert_eq!(ids[0], mask);
            let unknown = tokenizer.special(Special::Unknown).unwrap();
            ids.iter().filter(|id| **id == unknown).count()
        };
        assert_eq!(dropped(0.0), 0);
        assert!((500..700).contains(&dropped(0.3)));
    }

    proptest! {
        #[test]
        fn only_known_text_is_hidden_and_the_rest_stays(text in "[a-z😀]{0,60}", seed in any::<u32>()) {
            let tokenizer = letters();
            let ids = tokenizer.encode(&text);
            let mut rng = Rng::new(seed, Purpose::Masking, 1);
            let Masked { inputs, places } = mask(&ids, &tokenizer, &mut rng);
            let known = ids.iter().filter(|id| tokenizer.text_ids().contains(id)).count();
            let expected = ((known as f64 * 0.15).round() as usize).clamp(known.min(1), known);
            prop_assert_eq!(places.len(), expected);
            prop_assert!(places.is_sorted_by(|a, b| a < b));
            prop_assert!(places.iter().all(|at| tokenizer.text_ids().contains(&ids[*at])));
            for at in (0..ids.len()).filter(|at| !places.contains(at)) {
                prop_assert_eq!(inputs[at], ids[at]);
            }
        }
    }
}
