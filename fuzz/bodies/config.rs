//! Settings: any value is read or refused by name, what was read is within its limits, and what is
//! said of it reads as the same.

use synthattn::Error;
use synthattn::config::{ModelSpec, TrainConfig};
use synthattn::session::{EvaluateConfig, TranslateConfig};
use synthattn::value::Value;

use super::input::Input;

/// Reads a value as settings of one kind, or of all.
pub fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let which = if bytes.starts_with(b"{") { 3 } else { input.byte() % 4 };
    let step = if which == 3 { 0 } else { input.number() >> 11 };
    let value = input.options();
    if which == 0 || which == 3 {
        spec(&value);
    }
    if which == 1 || which == 3 {
        training(&value, step);
    }
    if which == 2 || which == 3 {
        refused(EvaluateConfig::parse(&value).map(|config| assert!(config.batch > 0)));
        refused(TranslateConfig::parse(&value, 64).map(|config| assert!(config.beams > 0)));
    }
}

/// An error names an option, or a kind, in a message that can be read.
pub fn refused<T>(result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error @ (Error::InvalidOption { .. } | Error::UnknownKind { .. })) => {
            assert!(!error.to_string().is_empty());
            None
        }
        Err(error) => panic!("{error:?}"),
    }
}

fn spec(value: &Value) {
    let Some(spec) = refused(ModelSpec::parse(value)) else { return };
    let said = spec.to_json();
    let again = ModelSpec::parse(&Value::from(&said)).expect("what was said of it is valid");
    assert_eq!(again.to_json(), said);
    assert_eq!(spec.d_model % spec.heads, 0);
    assert!(spec.attention_parameters() <= 100_000_000);
    for vocab in [1, 300, 65_536] {
        refused(spec.check_vocabulary(vocab, 10_000));
    }
}

fn training(value: &Value, step: u64) {
    let Some(config) = refused(TrainConfig::parse(value, step)) else { return };
    let schedule = config.schedule;
    assert!(config.steps > 0 && config.batch > 0 && config.every > 0);
    assert!((0.0..=0.5).contains(&config.validation) && schedule.start < schedule.end);
    for step in [0, schedule.start, step, schedule.end - 1, schedule.end, u64::MAX] {
        let rate = schedule.rate(step);
        assert!((0.0..=schedule.peak).contains(&rate), "a rate of {rate} at step {step}");
    }
}
