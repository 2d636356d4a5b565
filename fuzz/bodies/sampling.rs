//! Settings of a generation, and what follows from them: a token that may be chosen, the same each
//! time, and text in which no stop text stands.

use synthattn::data::tokenizer::{Special, Tokenizer, TokenizerSpec};
use synthattn::data::writer::{Reason, Writer};
use synthattn::sample::Sampling;
use synthattn::session::GenerateConfig;

use super::config::refused;
use super::input::Input;

/// What is known of the text in which tokens are chosen.
const TEXT: &str = "aab abc\n\n\"é\" 😀👩‍👩‍👧 [MASK] ca\u{301}";

/// Options, `{..`, alone; or settings, stop texts and logits.
pub fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    if bytes.starts_with(b"{") {
        let Some(config) = refused(GenerateConfig::parse(&input.options(), 7)) else { return };
        config.sampling.validate().expect("what was read is valid");
        assert!(config.max_tokens > 0);
        return;
    }
    let sampling = Sampling {
        temperature: input.pick(&[0.0, 1e-38, 0.01, 0.8, 1.0, 100.0]),
        top_k: input.pick(&[None, Some(1), Some(2), Some(40), Some(1_000_000)]),
        top_p: input.pick(&[
            None,
            Some(f32::MIN_POSITIVE),
            Some(0.5),
            Some(0.999_999_9),
            Some(1.0),
        ]),
        seed: input.number() as u32,
    };
    sampling.validate().expect("all of these are valid");
    let spec = input
        .pick(
            &[
                TokenizerSpec::Character,
                TokenizerSpec::Byte,
                TokenizerSpec::Word { vocabulary: 100, normalized: false },
                TokenizerSpec::Bpe { vocabulary: 300 },
            ]
            .each_ref(),
        )
        .clone();
    let tokenizer = Tokenizer::fit(&spec, Special::SEQUENCE_TO_SEQUENCE, &[TEXT]).expect("text");
    let stops: Vec<String> = (0..input.byte() % 3).map(|_| input.text()).collect();
    let (_, decoder) = tokenizer.prompt(&input.text());
    let Some(mut writer) = refused(Writer::new(decoder, stops.clone(), 50)) else { return };

    let never = tokenizer.never_generated();
    let mut logits = vec![0.0; tokenizer.len()];
    let (mut text, mut done) = (String::new(), None);
    for position in 0..50 {
        for _ in 0..input.byte() % 4 {
            let id = input.below(tokenizer.len());
            logits[id] = match input.byte() {
                0 => f32::from_bits(input.number() as u32),
                byte => f32::from(byte) - 128.0,
            };
        }
        let next = sampling.next(&logits, &never, position);
        if logits.iter().any(|logit| !logit.is_finite()) {
            assert_eq!(next.expect_err("the weights are broken").code(), "internal");
            return;
        }
        let next = next.expect("there is something to choose from");
        assert!((next as usize) < logits.len() && !never.contains(&next));
        assert_eq!(sampling.next(&logits, &never, position), Ok(next));
        if sampling.temperature == 0.0 || sampling.top_k == Some(1) {
            let most = logits[never.end as usize..].iter().copied().fold(f32::MIN, f32::max);
            assert_eq!(logits[next as usize], most);
        }
        let written = writer.push(&tokenizer, next);
        assert_eq!(written.tokens as u64, position + 1);
        text.push_str(&written.piece);
        done = written.done;
        if done.is_some() {
            break;
        }
    }
    assert!(done.is_some(), "fifty tokens were asked for");
    for stop in &stops {
        // A stop text may come about only when what was held back is joined on at the end.
        assert!(!text.contains(stop.as_str()), "{stop:?} in {text:?}, ended by {done:?}");
    }
    assert!(done != Some(Reason::Stop) || !stops.is_empty());
}
