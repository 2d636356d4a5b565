//! Tokenizers: any text can be cut and joined by any of them, text that is known comes back, and so
//! does the tokenizer from its file. Files that are damaged are refused.

use synthattn::data::tokenizer::{Decoder, Special, Tokenizer, TokenizerSpec};

use super::input::Input;
use super::memory::most_held;

/// Bytes held for a tokenizer however short its file is: the 256 tokens of bytes.
const BASE: usize = 64 << 10;
/// Bytes held for each byte of a tokenizer's file: a merge of some 8 bytes makes a token of up to 64.
const PER_BYTE: usize = 48;

/// The longest word that is ever known.
const LONG: usize = 64;

const SPECIALS: [&[Special]; 5] = [
    Special::LANGUAGE_MODEL,
    Special::MASKED_LANGUAGE_MODEL,
    Special::CLASSIFICATION,
    Special::PAIR_CLASSIFICATION,
    Special::SEQUENCE_TO_SEQUENCE,
];

/// A tokenizer's file, `{..`, and a text behind 0xff; or a way to cut, and three texts: one to learn
/// from, one to cut, and bytes that pick tokens.
pub fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    if bytes.starts_with(b"{") {
        let json = input.text();
        let (read, held) = most_held(|| Tokenizer::from_json(&json));
        assert!(held <= BASE + PER_BYTE * json.len(), "{held} bytes for {}", json.len());
        match read {
            Ok(tokenizer) => laws(&tokenizer, &input.text(), &mut input),
            Err(error) => assert_eq!(error.code(), "corrupt-file"),
        }
        return;
    }
    let spec = input.tokenizer();
    let specials = input.pick(&SPECIALS);
    let (learned, other) = (input.text(), input.text());
    let tokenizer = match Tokenizer::fit(&spec, specials, &[&learned]) {
        Ok(tokenizer) => tokenizer,
        Err(error) => {
            assert_eq!(error.code(), "invalid-data");
            let words = matches!(spec, TokenizerSpec::Word { .. });
            let nothing_short = |text: String| text.split_whitespace().all(|run| run.len() > LONG);
            assert!(learned.is_empty() || words && nothing_short(learned.to_lowercase()));
            return;
        }
    };
    assert_eq!(Tokenizer::fit(&spec, specials, &[&learned]).as_ref(), Ok(&tokenizer));
    assert!(tokenizer.is_for(specials));
    if let TokenizerSpec::Word { vocabulary, .. } | TokenizerSpec::Bpe { vocabulary } = spec {
        assert!(tokenizer.len() <= vocabulary);
    }
    let normalized = matches!(spec, TokenizerSpec::Word { normalized: true, .. });
    for text in [&learned, &other] {
        let ids = tokenizer.encode(text);
        let unknown = tokenizer.special(Special::Unknown);
        if !normalized && !ids.iter().any(|id| Some(*id) == unknown) {
            assert_eq!(tokenizer.decode(&ids), *text);
        }
        if !normalized {
            let code_points: u32 = tokenizer.code_points(text).iter().sum();
            assert_eq!(code_points as usize, text.chars().count());
        }
        laws(&tokenizer, text, &mut input);
    }
}

/// What holds for any tokenizer, however it came about.
fn laws(tokenizer: &Tokenizer, text: &str, input: &mut Input) {
    assert_eq!(Tokenizer::from_json(&tokenizer.to_json()).as_ref(), Ok(tokenizer));
    let vocabulary = tokenizer.vocabulary();
    assert_eq!(vocabulary.len(), tokenizer.len());
    assert!(tokenizer.text_ids().contains(&tokenizer.opening()));

    let ids = tokenizer.encode(text);
    let is_text = |id: &u32| {
        tokenizer.text_ids().contains(id) || Some(*id) == tokenizer.special(Special::Unknown)
    };
    assert!(ids.iter().all(is_text), "text became a special token");
    assert_eq!(tokenizer.code_points(text).len(), ids.len());
    if tokenizer.special(Special::Mask).is_some() {
        let masks = text.matches("[MASK]").count();
        let mask = tokenizer.special(Special::Mask);
        let masked = tokenizer.encode_masked(text);
        assert_eq!(masked.iter().filter(|id| Some(**id) == mask).count(), masks);
    }

    // Tokens singly, as they are generated, and all at once.
    let (prompt, mut behind) = tokenizer.prompt(text);
    assert!(!prompt.is_empty());
    let mut picked = ids;
    while !input.is_empty() && picked.len() < 2000 {
        picked.push(input.below(65_536) as u32 % tokenizer.len() as u32);
    }
    let mut decoder = Decoder::default();
    let singly: String = picked.iter().map(|id| decoder.push(tokenizer, *id)).collect();
    picked.iter().for_each(|id| drop(behind.push(tokenizer, *id)));
    let whole = tokenizer.decode(&picked);
    // Half a character that is pending at the end is never text; at once it is replaced.
    assert!(whole == singly || whole == format!("{singly}\u{fffd}"), "{whole:?}, {singly:?}");
}
