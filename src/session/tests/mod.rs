//! Sessions as API users see them: settings, runs, files, scores, generated text.

use std::collections::BTreeMap;

use futures_lite::future::block_on;
use safetensors::SafeTensors;
use serde_json::{Value as Json, json};

use super::{GenerateConfig, Session};
use crate::attention::{KINDS, Kind};
use crate::config::{ModelSpec, TrainConfig};
use crate::data::tokenizer::TokenizerSpec;
use crate::device;
use crate::error::{Error, Result};
use crate::model::CrossAttention;
use crate::value::Value;

mod cross;
mod share;
mod tasks;

const POEM: &str = "the sea the sea the open sea\nthe blue the fresh the ever free\n";

fn data(text: impl Into<String>) -> Value {
    Value::Map(vec![("text".to_owned(), Value::Text(text.into()))])
}

fn text() -> Value {
    data(POEM.repeat(4))
}

fn spec(changes: Json) -> Json {
    let mut spec = json!({
        "task": "language-model", "attention": "random+vanilla", "dModel": 16, "heads": 2,
        "layers": 1, "maxLength": 8,
    });
    for (name, value) in changes.as_object().expect("changes are an object") {
        spec[name] = value.clone();
    }
    spec
}

fn create(changes: Json) -> Result<Session> {
    let spec = ModelSpec::parse(&Value::from(&spec(changes)))?;
    Session::create(spec, text(), &device::cpu())
}

fn session() -> Session {
    create(json!({})).expect("a valid spec")
}

/// Metadata and tensors by name.
type Contents = (BTreeMap<String, String>, Vec<(String, Vec<u8>)>);

/// What is in a file, for messages and changes.
fn contents(file: &[u8]) -> Contents {
    let (_, header) = SafeTensors::read_metadata(file).expect("a model file");
    let metadata = header.metadata().clone().expect("metadata").into_iter().collect();
    let tensors = SafeTensors::deserialize(file).expect("a model file");
    let mut tensors: Vec<(String, Vec<u8>)> =
        tensors.iter().map(|(name, view)| (name.to_owned(), view.data().to_vec())).collect();
    tensors.sort();
    (metadata, tensors)
}

/// What is set in settings that were valid.
type Change<T> = fn(&mut T);

/// Losses of single steps.
fn train(session: &mut Session, options: Json) -> Result<Vec<f64>> {
    let info = session.begin_training(&Value::from(&options))?;
    let mut losses = Vec::new();
    while session.step_count() < info.end {
        session.train_step()?;
        losses.push(block_on(session.report())?.loss);
    }
    session.end_training();
    Ok(losses)
}

fn evaluate(session: &mut Session, data: Option<&str>) -> Result<super::Metrics> {
    let data = data.map(self::data);
    let id = session.begin_evaluation(data, &Value::Null)?;
    loop {
        if let Some(metrics) = block_on(session.evaluate_next(id))? {
            return Ok(metrics);
        }
    }
}

fn generate(session: &mut Session, prompt: &str, options: Json) -> Result<(String, &'static str)> {
    let config = GenerateConfig::parse(&Value::from(&options), 0)?;
    let id = session.begin_generation(prompt, config)?;
    let mut written = String::new();
    loop {
        let next = block_on(session.generate_next(id))?;
        written.push_str(&next.piece);
        if let Some(reason) = next.done {
            return Ok((written, reason));
        }
    }
}

#[test]
fn a_wrong_option_is_named_with_its_value() {
    for (changes, option) in [
        (json!({ "dModel": 0 }), "dModel"),
        (json!({ "dModel": 16.5 }), "dModel"),
        (json!({ "dModel": "16" }), "dModel"),
        (json!({ "heads": 3 }), "heads"),
        (json!({ "layers": -1 }), "layers"),
        (json!({ "maxLength": 1 }), "maxLength"),
        (json!({ "dropout": 1 }), "dropout"),
        // It is 1 in single precision.
        (json!({ "dropout": 0.999_999_99 }), "dropout"),
        (json!({ "positions": "rotary" }), "positions"),
        (json!({ "tokenizer": "syllable" }), "tokenizer"),
        (json!({ "tokenizer": { "kind": "bpe", "vocabulary": 1 } }), "tokenizer.vocabulary"),
        (json!({ "tieEmbeddings": 1 }), "tieEmbeddings"),
        (json!({ "seed": 4294967296_u64 }), "seed"),
        (json!({ "width": 16 }), "width"),
        (json!({ "task": "poetry" }), "task"),
        (json!({ "attention": { "kind": "random", "rank": 2 } }), "attention.rank"),
        (json!({ "attention": { "kind": "factorized-random", "rank": 9 } }), "attention.rank"),
        (json!({ "attention": { "kind": "factorized-dense", "a": 3 } }), "attention.a"),
        (json!({ "attention": { "kind": "random+vanilla", "mixing": "all" } }), "attention.mixing"),
        (json!({ "attention": 7 }), "attention"),
        (json!({ "dModel": 2048, "layers": 64 }), "dModel"),
    ] {
        match create(changes.clone()) {
            Err(Error::InvalidOption { option: found, .. }) => {
                assert_eq!(found, option, "{changes}")
            }
            other => panic!("{changes} gives {other:?}"),
        }
    }
    let unknown = create(json!({ "attention": "softmax" })).expect_err("no such kind");
    assert_eq!(unknown, Error::UnknownKind { kind: "softmax".into() });
}

#[test]
fn a_spec_whose_fields_were_set_is_checked_again() {
    let valid = || ModelSpec::parse(&Value::from(&spec(json!({})))).expect("a valid spec");
    Session::create(valid(), text(), &device::cpu()).expect("as parsed");
    let changes: [(&str, Change<ModelSpec>); 9] = [
        ("heads", |spec| spec.heads = 3),
        ("heads", |spec| spec.heads = 0),
        ("layers", |spec| spec.layers = 0),
        ("maxLength", |spec| spec.max_length = 1),
        ("dropout", |spec| spec.dropout = f64::NAN),
        ("tokenizer.vocabulary", |spec| spec.tokenizer = TokenizerSpec::Bpe { vocabulary: 1 }),
        ("tokenizer", |spec| {
            spec.tokenizer = TokenizerSpec::Word { vocabulary: 20, normalized: true };
        }),
        ("attention", |spec| spec.kind = Kind::named("fnet").expect("a kind")),
        ("cross", |spec| spec.cross = CrossAttention::Random),
    ];
    for (option, change) in changes {
        let mut spec = valid();
        change(&mut spec);
        match Session::create(spec, text(), &device::cpu()) {
            Err(Error::InvalidOption { option: found, .. }) => assert_eq!(found, option),
            other => panic!("{option} gives {other:?}"),
        }
    }
}

#[test]
fn a_run_takes_settings_that_are_no_json() {
    let mut session = session();
    let config = TrainConfig { batch: 4, ..TrainConfig::new(3, 0) };
    let wrong: [(&str, Change<TrainConfig>); 7] = [
        ("steps", |config| config.steps = 0),
        ("batch", |config| config.batch = 0),
        ("learningRate", |config| config.schedule.peak = f64::NAN),
        ("span.end", |config| config.schedule.end = 0),
        ("clipNorm", |config| config.optimizer.clip_norm = -1.0),
        ("beta2", |config| config.optimizer.beta2 = 1.0),
        ("epsilon", |config| config.optimizer.epsilon = 0.0),
    ];
    for (option, change) in wrong {
        let mut config = config;
        change(&mut config);
        match session.begin_training_with(config) {
            Err(Error::InvalidOption { option: found, .. }) => assert_eq!(found, option),
            other => panic!("{option} gives {other:?}"),
        }
    }
    let info = session.begin_training_with(config).expect("valid settings");
    assert_eq!((info.start, info.end, info.every, info.validation), (0, 3, 20, false));
    assert_eq!(session.begin_training_with(config).expect_err("a second").code(), "busy");
    let mut losses = Vec::new();
    for _ in 0..3 {
        session.train_step().expect("a step");
        losses.push(block_on(session.report()).expect("a report").loss);
    }
    let json = json!({ "steps": 3, "batch": 4 });
    assert_eq!(losses, train(&mut self::session(), json).expect("the same in JSON"));
    let parsed = TrainConfig::parse(&Value::from(&json!({ "steps": 5 })), 7).expect("valid");
    assert_eq!(parsed, TrainConfig::new(5, 7), "the same defaults");
}

#[test]
fn of_the_same_model_there_is_one_file() {
    let trained = || {
        let mut session = session();
        train(&mut session, json!({ "steps": 3 })).expect("a run");
        session
    };
    let save = |session: &Session| block_on(session.save()).expect("a file");
    let session = trained();
    let file = save(&session);
    for _ in 0..8 {
        assert!(save(&session) == file, "nothing changed in between");
        assert!(save(&trained()) == file, "same spec, seed and steps");
    }
    let again = Session::load(&file, None, &device::cpu()).expect("its own file");
    assert!(save(&again) == file, "read and written");
}

#[test]
fn numbers_that_are_none_are_refused() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let options = Value::Map(vec![
            ("steps".into(), Value::Number(1.0)),
            ("learningRate".into(), Value::Number(number)),
        ]);
        let error = session().begin_training(&options).expect_err("not a rate");
        assert_eq!(error.code(), "invalid-option", "{number}");
    }
}

#[test]
fn a_refused_run_leaves_the_model_as_it_was() {
    let mut session = session();
    for options in [
        json!({}),
        json!({ "steps": 0 }),
        json!({ "steps": 1, "batch": 0 }),
        json!({ "steps": 1, "validation": 0.6 }),
        json!({ "steps": 1, "schedule": "steep" }),
        json!({ "steps": 1, "optimizer": "lion" }),
        json!({ "steps": 1, "clipNorm": 0 }),
        json!({ "steps": 1, "every": 0 }),
        json!({ "steps": 1, "span": { "start": 4, "end": 4 } }),
        json!({ "steps": 1, "speed": 3 }),
    ] {
        let error = session.begin_training(&Value::from(&options)).expect_err("a wrong option");
        assert_eq!(error.code(), "invalid-option", "{options}");
    }
    let losses = train(&mut session, json!({ "steps": 3 })).expect("the model still trains");
    assert_eq!(losses, train(&mut self::session(), json!({ "steps": 3 })).expect("a fresh one"));
}

#[test]
fn data_that_cannot_be_learned_from_is_refused() {
    let spec = || ModelSpec::parse(&Value::from(&spec(json!({})))).expect("a valid spec");
    let short = Session::create(spec(), data("eight ch"), &device::cpu());
    let too_short = |error: Result<_>, reason: &str| match error {
        Err(Error::InvalidData { row: None, reason: found }) => assert_eq!(found, reason),
        other => panic!("{other:?}"),
    };
    let reason = "the text has 8 tokens, fewer than maxLength + 1 = 9";
    too_short(short.map(drop), reason);
    let mut session = Session::create(spec(), data("abcdefghij"), &device::cpu()).expect("ten");
    let begun = session.begin_training(&Value::from(&json!({ "steps": 1, "validation": 0.3 })));
    let reason = "the text has 10 tokens; without the 3 held out, 7: fewer than maxLength + 1 = 9";
    too_short(begun.map(drop), reason);
}

#[test]
fn a_second_run_is_busy_until_the_first_ends() {
    let mut session = session();
    let options = Value::from(&json!({ "steps": 5 }));
    session.begin_training(&options).expect("the first");
    let second = session.begin_training(&options).expect_err("a second");
    assert_eq!(second.code(), "busy");
    session.end_training();
    session.begin_training(&options).expect("after the first");
}

#[test]
fn steps_of_a_run_that_was_left_are_not_counted_in_the_next() {
    let mut session = session();
    let options = Value::from(&json!({ "steps": 5, "batch": 3 }));
    session.begin_training(&options).expect("valid options");
    (0..3).for_each(|_| session.train_step().expect("a step"));
    session.end_training();
    session.begin_training(&options).expect("valid options");
    session.train_step().expect("a step");
    let report = block_on(session.report()).expect("a report");
    assert_eq!(report.tokens, 3 * 8, "the tokens of one step, whose time alone is taken");
    assert_eq!(report.step, 4);
}

#[test]
fn a_loaded_model_goes_on_as_if_never_stopped() {
    for optimizer in ["adamw", "adam", "sgd"] {
        let run = |steps| {
            json!({ "steps": steps, "optimizer": optimizer, "learningRate": 0.01,
            "schedule": "cosine", "span": { "start": 0, "end": 8 }, "validation": 0.2 })
        };
        let changes = json!({ "dropout": 0.1, "attention": "random+dense+vanilla" });
        let mut uninterrupted = create(changes.clone()).expect("a valid spec");
        let expected = train(&mut uninterrupted, run(8)).expect("eight steps");
        let mut first = create(changes).expect("a valid spec");
        train(&mut first, run(4)).expect("four steps");
        let file = block_on(first.save()).expect("a file");
        let mut second = Session::load(&file, Some(text()), &device::cpu()).expect("its own file");
        assert_eq!(second.step_count(), 4);
        assert_eq!(train(&mut second, run(4)).expect("four more"), expected[4..], "{optimizer}");
        let again = block_on(second.save()).expect("a file");
        let wanted = block_on(uninterrupted.save()).expect("a file");
        assert!(contents(&again) == contents(&wanted), "both files hold the same, {optimizer}");
    }
}

#[test]
fn every_kind_can_be_saved_and_loaded_and_holds_no_text() {
    for kind in KINDS.iter().filter(|kind| kind.causal()) {
        let mut session = create(json!({ "attention": kind.name })).expect("a valid spec");
        train(&mut session, json!({ "steps": 1 })).expect("a step");
        let file = block_on(session.save()).expect("a file");
        assert!(!String::from_utf8_lossy(&file).contains("the sea the sea"), "{}", kind.name);
        let mut loaded = Session::load(&file, None, &device::cpu()).expect("its own file");
        let scores =
            [&mut session, &mut loaded].map(|one| evaluate(one, Some(POEM)).expect("scores"));
        assert_eq!(scores[0], scores[1], "{}", kind.name);
        let untrainable = loaded.begin_training(&Value::from(&json!({ "steps": 1 })));
        assert_eq!(untrainable.expect_err("no data").code(), "invalid-data");
        let counted = session.spec().attention_parameters();
        let entries = crate::weights::list(session.model());
        let real = entries.iter().filter(|entry| entry.name.contains(".attn."));
        let real: usize = real.map(crate::weights::Entry::len).sum();
        assert_eq!(real as u64, counted, "{}", kind.name);
    }
}

#[test]
fn damaged_files_are_refused() {
    let file = block_on(session().save()).expect("a file");
    let load = |bytes: &[u8]| Session::load(bytes, None, &device::cpu()).map(drop);
    load(&file).expect("the file itself");
    for cut in [0, 1, 8, 9, 100, file.len() / 2, file.len() - 1] {
        assert_eq!(
            load(&file[..cut]).expect_err("cut short").code(),
            "corrupt-file",
            "{cut} bytes"
        );
    }
    let replaced = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let at = file.windows(from.len()).position(|window| window == from.as_bytes());
        let at = at.unwrap_or_else(|| panic!("the file has {from}"));
        let mut bytes = file.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        load(&bytes).expect_err("another file").code()
    };
    assert_eq!(replaced("synthattn", "synthettn"), "corrupt-file");
    assert_eq!(replaced("\"version\":\"1\"", "\"version\":\"9\""), "unsupported-version");
    assert_eq!(replaced("tok_embed.weight", "tok_embed.weighs"), "corrupt-file");
    assert_eq!(replaced("\\\"dModel\\\":16", "\\\"dModel\\\":32"), "corrupt-file");
    let mut infinite = file.clone();
    let end = infinite.len();
    infinite[end - 4..].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert_eq!(load(&infinite).expect_err("an infinite weight").code(), "corrupt-file");
}

/// A file with another text in its metadata.
fn with_metadata(file: &[u8], name: &str, text: &str) -> Vec<u8> {
    let (mut metadata, _) = contents(file);
    metadata.insert(name.to_owned(), text.to_owned());
    let tensors = SafeTensors::deserialize(file).expect("a model file");
    safetensors::serialize(tensors.iter(), Some(metadata.into_iter().collect())).expect("a file")
}

#[test]
fn a_header_that_claims_more_than_the_file_holds_is_refused_before_anything_is_made() {
    let file = block_on(session().save()).expect("a file");
    let refused = |name: &str, text: &str| {
        let forged = with_metadata(&file, name, text);
        let error = Session::load(&forged, None, &device::cpu()).expect_err("a forged file");
        assert_eq!(error.code(), "corrupt-file", "{error}");
        error.to_string()
    };
    for claim in [
        json!({ "dFf": 8192 }),
        json!({ "layers": 64 }),
        json!({ "maxLength": 4096, "attention": "vanilla" }),
    ] {
        let why = refused("spec", &spec(claim).to_string());
        assert!(why.contains("the spec needs at least"), "{why}");
    }
    for training in [
        json!({ "step": u64::MAX, "optimizer": "adamw", "momentSteps": 0 }),
        json!({ "step": (1_u64 << 53) - 1, "optimizer": "adamw", "momentSteps": 0 }),
        json!({ "step": 1, "optimizer": "adamw", "momentSteps": u64::MAX }),
    ] {
        let why = refused("training", &training.to_string());
        assert!(why.contains("no model makes more than"), "{why}");
    }
}

#[test]
fn a_file_that_contradicts_itself_is_refused() {
    let mut session = session();
    train(&mut session, json!({ "steps": 2 })).expect("a run");
    let file = block_on(session.save()).expect("a file");
    let refusal = |bytes: &[u8]| Session::load(bytes, None, &device::cpu()).expect_err("a forgery");
    for version in ["0", "01", "+1", "-1", "1.0", ""] {
        let why = refusal(&with_metadata(&file, "version", version));
        assert_eq!(why.code(), "corrupt-file", "version {version:?}");
    }
    for version in ["2", "99999999999999999999999999"] {
        let why = refusal(&with_metadata(&file, "version", version));
        assert_eq!(why.code(), "unsupported-version", "version {version:?}");
    }
    for (training, word) in [
        (json!({ "step": 1, "optimizer": "adamw", "momentSteps": 2 }), "more steps"),
        (json!({ "step": 2, "optimizer": "sgd", "momentSteps": 2 }), "keeps no moments"),
    ] {
        let why = refusal(&with_metadata(&file, "training", &training.to_string()));
        assert!(why.code() == "corrupt-file" && why.to_string().contains(word), "{why}");
    }
    for tokenizer in [json!("byte"), json!({ "kind": "word", "vocabulary": 1000 })] {
        let claim = spec(json!({ "tokenizer": tokenizer })).to_string();
        let why = refusal(&with_metadata(&file, "spec", &claim));
        assert!(why.to_string().contains("tokenizer is not the one"), "{why}");
    }
    let tensors = SafeTensors::deserialize(&file).expect("a model file");
    let name = "optimizer.second.ln_f.weight";
    let moment = tensors.tensor(name).expect("it was trained").data().as_ptr();
    let at = moment as usize - file.as_ptr() as usize;
    let mut negative = file.clone();
    negative[at..at + 4].copy_from_slice(&(-1.0_f32).to_le_bytes());
    assert!(refusal(&negative).to_string().contains("negative"));
}

#[test]
fn what_the_device_cannot_hold_at_once_is_refused_and_the_model_goes_on() {
    let mut session = session();
    session.set_largest_buffer(100_000).expect("a row fits");
    let run = |batch: usize| Value::from(&json!({ "steps": 1, "batch": batch }));
    let refused = session.begin_training(&run(4096)).expect_err("scores of 4096 rows");
    assert!(matches!(refused, Error::OutOfMemory { needed, limit: 100_000 } if needed > 100_000));
    assert_eq!(refused.code(), "out-of-memory");
    let refused = session.begin_evaluation(None, &Value::from(&json!({ "batch": 4096 })));
    assert_eq!(refused.expect_err("the same").code(), "out-of-memory");
    train(&mut session, json!({ "steps": 1, "batch": 2 })).expect("two rows fit");
    assert_eq!(session.set_largest_buffer(100).expect_err("no row fits").code(), "out-of-memory");
}

#[test]
fn a_loss_that_is_not_finite_brings_the_last_good_weights_back() {
    let mut session = session();
    train(&mut session, json!({ "steps": 3 })).expect("a good run");
    let before = block_on(session.save()).expect("a file");
    let options = json!({ "steps": 5, "optimizer": "sgd", "learningRate": 1e30, "clipNorm": 1e30 });
    session.begin_training(&Value::from(&options)).expect("valid options");
    (0..5).for_each(|_| session.train_step().expect("a step"));
    let diverged = block_on(session.report()).expect_err("no finite loss");
    assert_eq!(diverged, Error::Diverged { step: 8, restored: 3 });
    assert_eq!(session.step_count(), 3);
    let scores = evaluate(&mut session, Some(POEM)).expect("the model still works");
    let mut kept = Session::load(&before, Some(text()), &device::cpu()).expect("its own file");
    assert_eq!(scores, evaluate(&mut kept, Some(POEM)).expect("scores"));
    train(&mut session, json!({ "steps": 2, "optimizer": "adamw" })).expect("it can go on");
}

#[test]
fn scores_add_up_over_windows_and_count_code_points() {
    let mut session = create(json!({ "tokenizer": "byte" })).expect("a valid spec");
    let text = "naïve café 😀 the sea";
    let metrics = evaluate(&mut session, Some(text)).expect("scores");
    let perplexity = metrics.perplexity.expect("a language model has one");
    assert!((perplexity - metrics.loss.exp()).abs() < 1e-9);
    // Every byte but the first is scored; so is every character but the first.
    let (bytes, characters) = (text.len() - 1, text.chars().count() - 1);
    let expected = metrics.loss * bytes as f64 / std::f64::consts::LN_2 / characters as f64;
    let bits = metrics.bits_per_character.expect("a language model has them");
    assert!((bits - expected).abs() < 1e-9);
    assert_eq!(evaluate(&mut session, Some("a")).expect_err("one token").code(), "invalid-data");
    evaluate(&mut session, Some("ab")).expect("two tokens are enough");
}

#[test]
fn the_held_out_share_is_never_trained_on() {
    // The last fifth is of a letter that the rest lacks: a model that saw it would know it.
    let text = data(format!("{}{}", "ab".repeat(200), "z".repeat(100)));
    let spec = ModelSpec::parse(&Value::from(&spec(json!({})))).expect("a valid spec");
    let mut session = Session::create(spec, text, &device::cpu()).expect("enough text");
    let options = json!({ "steps": 60, "validation": 0.2, "learningRate": 0.01 });
    session.begin_training(&Value::from(&options)).expect("valid options");
    for _ in 0..60 {
        session.train_step().expect("a step");
    }
    assert!(block_on(session.report()).expect("a report").loss < 0.8, "it learned the rest");
    assert!(evaluate(&mut session, None).expect("scores").loss > 2.0, "and not what was held out");
}

#[test]
fn generation_repeats_by_seed_and_goes_past_the_window() {
    let mut session = session();
    train(&mut session, json!({ "steps": 40, "learningRate": 0.01 })).expect("a run");
    let options = json!({ "maxTokens": 50, "seed": 3 });
    let (first, reason) = generate(&mut session, "the ", options.clone()).expect("text");
    assert_eq!((first.chars().count(), reason), (50, "length"), "six times the window");
    assert_eq!(generate(&mut session, "the ", options).expect("text").0, first);
    let other = generate(&mut session, "the ", json!({ "maxTokens": 50, "seed": 4 }));
    assert_ne!(other.expect("text").0, first);
    for prompt in ["", "a prompt much longer than the window of the model", "💥 unknown"] {
        let (written, _) = generate(&mut session, prompt, json!({ "maxTokens": 5 })).expect("text");
        assert_eq!(written.chars().count(), 5, "{prompt:?}");
        assert!(!written.contains('\u{fffd}'), "the unknown token is never written");
    }
}

#[test]
fn stop_texts_end_a_generation_and_are_not_shown() {
    let mut session = session();
    train(&mut session, json!({ "steps": 150, "learningRate": 0.01 })).expect("a run");
    let greedy = json!({ "maxTokens": 60, "temperature": 0 });
    let (whole, _) = generate(&mut session, "the ", greedy).expect("text");
    let stop: String = whole.chars().skip(10).take(3).collect();
    let options = json!({ "maxTokens": 60, "temperature": 0, "stop": [stop.as_str()] });
    let (cut, reason) = generate(&mut session, "the ", options).expect("text");
    assert_eq!(reason, "stop");
    assert_eq!(cut, whole[..whole.find(&stop).expect("it is in there")]);
    // A share that is none in single precision still takes the likeliest.
    let tiny = json!({ "maxTokens": 60, "topP": 1e-50, "seed": 9 });
    assert_eq!(generate(&mut session, "the ", tiny).expect("text").0, whole);
    for wrong in [
        json!({ "stop": "x" }),
        json!({ "topK": 0 }),
        json!({ "topP": 1.5 }),
        json!({ "temperature": -1 }),
        json!({ "maxTokens": 0 }),
        json!({ "beams": 2 }),
    ] {
        let error = generate(&mut session, "x", wrong.clone()).expect_err("a wrong option");
        assert_eq!(error.code(), "invalid-option", "{wrong}");
    }
}

#[test]
fn a_step_between_two_tokens_changes_what_comes_next_as_if_begun_again() {
    let mut session = session();
    let greedy = |tokens: usize| json!({ "temperature": 0, "maxTokens": tokens });
    let config = GenerateConfig::parse(&Value::from(&greedy(2)), 0).expect("valid options");
    let id = session.begin_generation("the s", config).expect("a generation");
    let mut written = block_on(session.generate_next(id)).expect("a token").piece;
    let first = generate(&mut session, "the s", greedy(1)).expect("text").0;
    train(&mut session, json!({ "steps": 30, "learningRate": 0.05 })).expect("a run");
    written += &block_on(session.generate_next(id)).expect("a token").piece;
    let second = generate(&mut session, &format!("the s{first}"), greedy(1)).expect("text").0;
    assert_eq!(written, format!("{first}{second}"));
}

#[test]
fn attention_maps_are_distributions_over_the_past() {
    for kind in KINDS.iter().filter(|kind| kind.causal()) {
        // A table that is no weight once kept autodiff where the weights had none.
        let spec = json!({ "attention": kind.name, "layers": 2, "positions": "sinusoidal" });
        let session = create(spec).expect("a valid spec");
        let maps = match block_on(session.attention(&Value::Text("the sea".into()), None)) {
            Err(Error::AttentionUnavailable { .. }) => continue,
            maps => maps.expect("maps"),
        };
        assert_eq!((maps.layers, maps.heads, maps.queries, maps.keys), (2, 2, 7, 7));
        assert_eq!(maps.tokens, ["t", "h", "e", "␣", "s", "e", "a"]);
        assert_eq!(maps.weights.len(), 2 * 2 * 7 * 7);
        assert_eq!(maps.mixture.is_some(), kind.name.contains('+'), "{}", kind.name);
        for layer in maps.mixture.iter().flat_map(|mixture| mixture.chunks(maps.parts().len())) {
            assert!((layer.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{}", kind.name);
        }
    }
    let session = session();
    let refused = |text: &str| {
        let text = Value::Text(text.into());
        block_on(session.attention(&text, None)).expect_err("a text it cannot take")
    };
    assert_eq!(refused("the open sea"), Error::TextTooLong { tokens: 12, limit: 8 });
    assert_eq!(refused("").code(), "invalid-data");
    let histogram =
        block_on(session.weight_histogram(&Value::Text("the sea".into()), 10)).expect("counts");
    assert_eq!(histogram.edges.len(), 11);
    // Two heads, 7 positions that see 1 to 7 tokens.
    assert_eq!(histogram.counts[0].iter().sum::<u32>(), 2 * 28);
}

#[test]
fn the_spec_reads_back_what_it_writes() {
    for kind in KINDS.iter().filter(|kind| kind.causal()) {
        let spec = spec(json!({ "attention": kind.name, "dropout": 0.1, "tokenizer": "bpe" }));
        let first = ModelSpec::parse(&Value::from(&spec)).expect("a valid spec").to_json();
        let second = ModelSpec::parse(&Value::from(&first)).expect("its own spec").to_json();
        assert_eq!(first, second);
        assert_eq!(first["dropout"], json!(0.1));
    }
}

#[test]
fn weights_depend_on_spec_and_seed_alone() {
    let file = |seed: u32| block_on(create(json!({ "seed": seed })).expect("valid").save());
    let held = |seed| contents(&file(seed).expect("a file")).1;
    assert!(held(7) == held(7));
    assert!(held(7) != held(8));
}
