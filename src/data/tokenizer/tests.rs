//! Laws that hold for every kind of tokenizer, and texts that have broken tokenizers before.

use super::*;
use proptest::prelude::*;

const SPECS: [TokenizerSpec; 5] = [
    TokenizerSpec::Character,
    TokenizerSpec::Byte,
    TokenizerSpec::Word { vocabulary: 500, normalized: false },
    TokenizerSpec::Word { vocabulary: 500, normalized: true },
    TokenizerSpec::Bpe { vocabulary: 400 },
];

const ALL_SPECIALS: &[Special] = &[
    Special::Unknown,
    Special::Padding,
    Special::Mask,
    Special::Class,
    Special::Separator,
    Special::Begin,
    Special::End,
];

/// Texts that are easy to get wrong.
const HARD: [&str; 14] = [
    "a\u{fffd}b\0c",
    "line\r\nline\rline\u{2028}line\u{85}",
    "👨‍👩‍👧‍👦 🇩🇪🇫🇷 👍🏽 ❤️",
    "שלום עולם مرحبا بالعالم \u{202e}abc\u{202c}",
    "白鯨。モビィ・ディック, 모비 딕",
    "e\u{301} é ﬁ ǆ İ ς",
    "[MASK] [UNKNOWN] <unk> <pad> </s> [PADDING] [CLASS]",
    "<script>alert(1)</script> &amp; &lt;",
    "  leading, trailing and   inner  blanks \t\n\n ",
    "\"Quoted\" 'single' “curly” (round) [square] —dash– 3.14 1,000 50% $5 a/b e-mail can't U.S.",
    "\u{200b}\u{200d}\u{feff}\u{ad}",
    "\u{e000}\u{10ffff}\u{fdd0}",
    " ",
    "\n",
];

fn fit(spec: &TokenizerSpec, text: &str) -> Tokenizer {
    Tokenizer::fit(spec, ALL_SPECIALS, &[text]).unwrap()
}

/// Does the tokenizer give back every text whose tokens it knows?
fn is_lossless(spec: &TokenizerSpec) -> bool {
    !matches!(spec, TokenizerSpec::Word { normalized: true, .. })
}

fn knows(tokenizer: &Tokenizer, ids: &[u32]) -> bool {
    ids.iter().all(|id| tokenizer.text_ids().contains(id))
}

#[test]
fn hard_texts_come_back_unharmed() {
    for (spec, text) in SPECS.iter().flat_map(|spec| HARD.map(|text| (spec, text))) {
        let tokenizer = fit(spec, &format!("{text}a"));
        let ids = tokenizer.encode(text);
        if is_lossless(spec) && knows(&tokenizer, &ids) {
            assert_eq!(tokenizer.decode(&ids), text, "{spec:?}");
        }
    }
    let words = fit(&SPECS[2], HARD[9]);
    assert!(knows(&words, &words.encode(HARD[9])), "the case that matters most was not left out");
}

#[test]
fn unseen_text_never_fails_and_becomes_unknown() {
    for (spec, text) in SPECS.iter().flat_map(|spec| HARD.map(|text| (spec, text))) {
        let tokenizer = fit(spec, "plain words");
        let ids = tokenizer.encode(text);
        assert!(ids.iter().all(|id| (*id as usize) < tokenizer.len()));
        assert!(!tokenizer.decode(&ids).is_empty() || text.trim().is_empty(), "{spec:?} {text:?}");
    }
    let characters = fit(&TokenizerSpec::Character, "abc");
    let unknown = characters.special(Special::Unknown).unwrap();
    assert_eq!(characters.encode("aZ"), [characters.encode("a")[0], unknown]);
    assert_eq!(characters.decode(&characters.encode("aZ")), "a\u{fffd}");
    assert_eq!(fit(&TokenizerSpec::Byte, "a").special(Special::Unknown), None);
}

#[test]
fn text_that_looks_like_a_special_token_is_text() {
    for spec in &SPECS {
        let tokenizer = fit(spec, HARD[6]);
        for special in ALL_SPECIALS {
            let ids = tokenizer.encode(special.label());
            for id in ids {
                let is_text = tokenizer.text_ids().contains(&id);
                assert!(is_text || Some(id) == tokenizer.special(Special::Unknown), "{spec:?}");
            }
        }
    }
}

#[test]
fn masks_are_special_only_where_they_are_asked_for() {
    for spec in &SPECS {
        let tokenizer = fit(spec, "the white whale swims. [MASK]");
        let mask = tokenizer.special(Special::Mask).unwrap();
        let masked = tokenizer.encode_masked("the [MASK] whale [MASK].[MASK]");
        assert_eq!(masked.iter().filter(|id| **id == mask).count(), 3, "{spec:?}");
        assert!(!tokenizer.encode("the [MASK] whale").contains(&mask), "{spec:?}");
        assert_eq!(tokenizer.encode_masked("the whale"), tokenizer.encode("the whale"));
    }
}

#[test]
fn a_mask_takes_the_place_of_a_word_and_its_space() {
    for spec in &SPECS[2..] {
        let tokenizer = fit(spec, &"the white whale swims. ".repeat(50));
        let whole = tokenizer.encode("the white whale swims.");
        let mut expected = whole.clone();
        expected[1] = tokenizer.special(Special::Mask).unwrap();
        assert_eq!(tokenizer.encode_masked("the [MASK] whale swims."), expected, "{spec:?}");
    }
}

#[test]
fn special_tokens_come_first_and_are_never_generated() {
    for spec in &SPECS {
        let tokenizer = fit(spec, "some text");
        let vocabulary = tokenizer.vocabulary();
        assert_eq!(vocabulary.len(), tokenizer.len());
        let specials = tokenizer.text_ids().start as usize;
        assert!(vocabulary[..specials].iter().all(|label| label.starts_with('[')));
        let end = tokenizer.special(Special::End).unwrap();
        assert_eq!(tokenizer.never_generated(), 0..end);
        assert_eq!(end + 1, tokenizer.text_ids().start);
    }
    let reader = Tokenizer::fit(&SPECS[0], Special::LANGUAGE_MODEL, &["ab"]).unwrap();
    assert_eq!(reader.vocabulary(), ["[UNKNOWN]", "a", "b"]);
    assert_eq!(reader.never_generated(), 0..1);
    let bytes = Tokenizer::fit(&SPECS[1], Special::LANGUAGE_MODEL, &["ab"]).unwrap();
    assert_eq!((bytes.len(), bytes.never_generated()), (256, 0..0));
}

#[test]
fn nothing_to_read_is_invalid_data() {
    for spec in &SPECS {
        for texts in [&[][..], &[""], &["", ""]] {
            let error = Tokenizer::fit(spec, Special::LANGUAGE_MODEL, texts).unwrap_err();
            assert_eq!(error.code(), "invalid-data");
        }
    }
    for text in [" \n", &"y".repeat(65)] {
        let error = Tokenizer::fit(&SPECS[3], Special::CLASSIFICATION, &[text]).unwrap_err();
        assert_eq!(error, Error::data("the text has no word of at most 64 bytes"));
    }
}

#[test]
fn vocabularies_keep_to_their_limit() {
    let text: String = (0..2000).map(|i| format!("w{i} ")).collect::<String>().repeat(2);
    for vocabulary in [280, 300, 1000] {
        for spec in [
            TokenizerSpec::Word { vocabulary, normalized: false },
            TokenizerSpec::Word { vocabulary, normalized: true },
            TokenizerSpec::Bpe { vocabulary },
        ] {
            assert_eq!(fit(&spec, &text).len(), vocabulary, "{spec:?}");
        }
    }
    for spec in [
        TokenizerSpec::Bpe { vocabulary: 279 },
        TokenizerSpec::Bpe { vocabulary: 65_537 },
        TokenizerSpec::Word { vocabulary: 15, normalized: true },
        TokenizerSpec::Word { vocabulary: usize::MAX, normalized: false },
    ] {
        assert_eq!(spec.validate().unwrap_err().code(), "invalid-option", "{spec:?}");
        assert!(Tokenizer::fit(&spec, ALL_SPECIALS, &["text"]).is_err());
    }
    let every_character: String = (0..=0x10_ffff).filter_map(char::from_u32).collect();
    let tokenizer = fit(&TokenizerSpec::Character, &every_character);
    assert_eq!(tokenizer.len(), TokenizerSpec::MAX_VOCABULARY);
}

#[test]
fn an_empty_prompt_opens_with_a_line_break_or_the_commonest_token() {
    let opening = |spec: &TokenizerSpec, text| {
        let tokenizer = fit(spec, text);
        tokenizer.label(tokenizer.opening())
    };
    assert_eq!(opening(&SPECS[0], "ab\nab"), "␊");
    assert_eq!(opening(&SPECS[0], "abb\rab"), "␍");
    assert_eq!(opening(&SPECS[0], "abba b"), "b");
    assert_eq!(opening(&SPECS[1], "ab\nab"), "<0x0A>");
    assert_eq!(opening(&SPECS[1], "abb"), "b");
    assert_eq!(opening(&SPECS[2], "to be\nor not"), "␊");
    assert_eq!(opening(&SPECS[2], "to be or not to be"), "be");
    assert_eq!(opening(&SPECS[4], "aa bb\naa bb"), "<0x0A>");
    for spec in &SPECS {
        let tokenizer = fit(spec, "to be\nor not");
        let (ids, _) = tokenizer.prompt("");
        assert_eq!(ids, [tokenizer.opening()]);
    }
}

#[test]
fn what_follows_a_prompt_joins_on_as_if_written_in_one_go() {
    let text = "the white whale swims, and the white whale sings.\n".repeat(40);
    for spec in &SPECS {
        let tokenizer = fit(spec, &text);
        for cut in [0, 3, 4, 9, 10, 22, 23, 49, 50] {
            let (before, after) = text.split_at(cut);
            let (mut ids, mut decoder) = tokenizer.prompt(before);
            let whole = tokenizer.encode(&text);
            if !whole.starts_with(&ids) {
                assert!(cut == 0 || matches!(spec, TokenizerSpec::Word { normalized: true, .. }));
                ids.clear();
            }
            let made: String =
                whole[ids.len()..].iter().map(|id| decoder.push(&tokenizer, *id)).collect();
            if is_lossless(spec) {
                assert_eq!(made, after, "{spec:?} after {before:?}");
            }
        }
    }
}

#[test]
fn half_characters_wait_and_broken_ones_are_replaced() {
    let tokenizer = fit(&TokenizerSpec::Byte, "x");
    let base = tokenizer.text_ids().start;
    let (_, mut decoder) = tokenizer.prompt("x");
    let mut push = |byte: u8| decoder.push(&tokenizer, base + u32::from(byte));
    assert_eq!("😀".bytes().map(&mut push).collect::<Vec<_>>(), ["", "", "", "😀"]);
    assert_eq!(push(0xe2), "");
    assert_eq!(push(0x82), "");
    assert_eq!(push(b'a'), "\u{fffd}a");
    assert_eq!(push(0x80), "\u{fffd}");
    assert_eq!(tokenizer.decode(&[base + 0xe2, base + 0x82]), "\u{fffd}");
}

#[test]
fn words_read_the_way_people_write_them() {
    let words = fit(&SPECS[2], &[HARD[9], ", and so on"].concat());
    let labels = |text: &str| -> Vec<String> {
        words.encode(text).iter().map(|id| words.label(*id)).collect()
    };
    assert_eq!(labels("can't e-mail"), ["can't", "e", "-", "mail"]);
    assert_eq!(labels("a/b, 3.14 (square)"), ["a", "/", "b", ",", "3.14", "(", "square", ")"]);
    assert_eq!(labels("a b , c"), ["a", "b", "␣", ",", "[UNKNOWN]"]);
    assert_eq!(labels("can'ta"), ["[UNKNOWN]"]);
    let reader = fit(&SPECS[3], "It's GOOD,  really\tgood!");
    assert_eq!(
        reader.encode("it's good, really good!"),
        reader.encode("IT'S  Good, REALLY\nGOOD!")
    );
    assert_eq!(reader.vocabulary()[7..], ["good", "!", ",", "it's", "really"]);
    let rare: Vec<String> = reader.rare_ids().map(|id| reader.label(id)).collect();
    assert_eq!(rare, ["!", ",", "it's", "really"]);
}

#[test]
fn one_endless_word_takes_neither_time_nor_memory() {
    let text = "a".repeat(1 << 20);
    for spec in &SPECS {
        let tokenizer = Tokenizer::fit(spec, ALL_SPECIALS, &[&text, "a"]).unwrap();
        assert!(tokenizer.to_json().len() < 2000, "{spec:?}");
        assert!(!tokenizer.encode(&text).is_empty());
    }
}

#[test]
fn forged_files_are_refused() {
    let bad = [
        "",
        "null",
        "{}",
        r#"{"specials":["unknown"],"opening":1,"text":{"kind":"word"}}"#,
        r#"{"specials":["unknown"],"opening":1,"text":{"kind":"magic"}}"#,
        r#"{"specials":["unknown"],"opening":1,"text":{"kind":"character","characters":""}}"#,
        r#"{"specials":["unknown"],"opening":1,"text":{"kind":"character","characters":"ba"}}"#,
        r#"{"specials":["unknown"],"opening":0,"text":{"kind":"character","characters":"ab"}}"#,
        r#"{"specials":["unknown"],"opening":3,"text":{"kind":"character","characters":"ab"}}"#,
        r#"{"specials":[],"opening":0,"text":{"kind":"character","characters":"ab"}}"#,
        r#"{"specials":["unknown"],"opening":9,"text":{"kind":"byte"}}"#,
        r#"{"specials":["mask","padding"],"opening":9,"text":{"kind":"byte"}}"#,
        r#"{"specials":["mask","mask"],"opening":9,"text":{"kind":"byte"}}"#,
        r#"{"specials":[],"opening":9,"text":{"kind":"byte","more":1}}"#,
        r#"{"specials":[],"opening":9,"text":{"kind":"byte"},"more":1}"#,
        r#"{"specials":[],"opening":9,"text":{"kind":"bpe","merges":[[256,0]]}}"#,
        r#"{"specials":[],"opening":9,"text":{"kind":"bpe","merges":[[1,2],[1,2]]}}"#,
        r#"{"specials":[],"opening":9,"text":{"kind":"bpe","merges":[[1,4294967296]]}}"#,
        r#"{"specials":["unknown"],"opening":1,"text":{"kind":"word","normalized":false,"rare_from":0,"words":["a"]}}"#,
        r#"{"specials":["unknown"],"opening":1,"text":{"kind":"word","normalized":true,"rare_from":0,"words":["","a"]}}"#,
        r#"{"specials":["unknown"],"opening":1,"text":{"kind":"word","normalized":true,"rare_from":9,"words":["a"]}}"#,
        r#"{"specials":["unknown"],"opening":1,"text":{"kind":"word","normalized":true,"rare_from":0,"words":["a","a"]}}"#,
        r#"{"specials":["unknown"],"opening":1,"text":{"kind":"word","normalized":true,"rare_from":0,"words":["a",""]}}"#,
    ];
    for json in bad {
        assert_eq!(Tokenizer::from_json(json).unwrap_err().code(), "corrupt-file", "{json}");
    }
    // Each merge joins the one before it to itself: read naively, the last is 2^60 bytes long.
    let doubling: Vec<(u32, u32)> =
        std::iter::once((97, 97)).chain((256..315).map(|token| (token, token))).collect();
    let json = format!(
        r#"{{"specials":[],"opening":9,"text":{{"kind":"bpe","merges":{}}}}}"#,
        serde_json::to_string(&doubling).unwrap()
    );
    assert_eq!(Tokenizer::from_json(&json).unwrap_err().code(), "corrupt-file");
    let long = format!(
        r#"{{"specials":["unknown"],"opening":1,"text":{{"kind":"word","normalized":true,"rare_from":0,"words":["{}"]}}}}"#,
        "a".repeat(65)
    );
    assert_eq!(Tokenizer::from_json(&long).unwrap_err().code(), "corrupt-file");
}

fn any_spec() -> impl Strategy<Value = TokenizerSpec> {
    prop::sample::select(SPECS.to_vec())
}

/// Words, marks, blanks and odd characters, often repeated.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-d]{1,3}",
        3 => Just(" ".to_string()),
        2 => "[-,.;:!?'\"()\\[\\]“”/#0-9]",
        1 => "[\n\r\t ]{1,3}",
        1 => "\\PC",
        1 => any::<char>().prop_map(String::from),
        1 => prop::sample::select(HARD.to_vec()).prop_map(String::from),
    ];
    prop::collection::vec(piece, 1..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn known_text_comes_back(spec in any_spec(), text in any_text()) {
        prop_assume!(!text.trim().is_empty());
        let tokenizer = fit(&spec, &text);
        let ids = tokenizer.encode(&text);
        prop_assert!(knows(&tokenizer, &ids));
        if is_lossless(&spec) {
            prop_assert_eq!(tokenizer.decode(&ids), text);
        }
    }

    #[test]
    fn any_text_can_be_read_by_any_tokenizer(spec in any_spec(), a in any_text(), b in ".*") {
        prop_assume!(!a.trim().is_empty());
        let tokenizer = fit(&spec, &a);
        let ids = tokenizer.encode(&b);
        prop_assert!(ids.iter().all(|id| (*id as usize) < tokenizer.len()));
        let code_points = tokenizer.code_points(&b);
        prop_assert_eq!(code_points.len(), ids.len());
        if is_lossless(&spec) {
            prop_assert_eq!(code_points.iter().sum::<u32>() as usize, b.chars().count());
        }
    }

    #[test]
    fn decoding_singly_equals_decoding_at_once(
        spec in any_spec(), text in any_text(), picks in prop::collection::vec(any::<u32>(), 0..40),
    ) {
        prop_assume!(!text.trim().is_empty());
        let tokenizer = fit(&spec, &text);
        let ids: Vec<u32> = picks.iter().map(|pick| pick % tokenizer.len() as u32).collect();
        let mut decoder = Decoder::default();
        let made: String = ids.iter().map(|id| decoder.push(&tokenizer, *id)).collect();
        let whole = tokenizer.decode(&ids);
        // At the end half a character may be pending, which decoding at once must replace.
        let replaced = [&made, "\u{fffd}"].concat();
        prop_assert!(whole == made || whole == replaced);
    }

    #[test]
    fn files_give_the_same_tokenizer_back(spec in any_spec(), text in any_text()) {
        prop_assume!(!text.trim().is_empty());
        let tokenizer = fit(&spec, &text);
        prop_assert_eq!(&Tokenizer::from_json(&tokenizer.to_json()).unwrap(), &tokenizer);
        prop_assert_eq!(&fit(&spec, &text), &tokenizer);
    }

    #[test]
    fn no_two_labels_are_the_same(spec in any_spec(), text in any_text()) {
        prop_assume!(!text.trim().is_empty());
        let vocabulary = fit(&spec, &text).vocabulary();
        let distinct: std::collections::HashSet<_> = vocabulary.iter().collect();
        prop_assert_eq!(distinct.len(), vocabulary.len());
    }

    #[test]
    fn damaged_files_never_panic(
        spec in any_spec(), text in any_text(), at in any::<prop::sample::Index>(), to in any::<char>(),
    ) {
        prop_assume!(!text.trim().is_empty());
        let mut json: Vec<char> = fit(&spec, &text).to_json().chars().collect();
        let at = at.index(json.len());
        json[at] = to;
        if let Ok(tokenizer) = Tokenizer::from_json(&json.iter().collect::<String>()) {
            let ids = tokenizer.encode(&text);
            tokenizer.decode(&ids);
            tokenizer.vocabulary();
        }
    }
}
