//! Sessions of the tasks beside language models: data, training, scores, answers, files.

use futures_lite::future::block_on;
use serde_json::{Value as Json, json};

use super::super::{Metrics, Part, Session};
use crate::attention::{KINDS, Kind};
use crate::config::ModelSpec;
use crate::data::tokenizer::Special;
use crate::device;
use crate::error::{Error, Result};
use crate::model::CrossAttention;
use crate::task::Task;
use crate::value::Value;

/// Where a score of a padded row may differ from that of the row alone: rounding.
pub(super) const ROUNDING: f64 = 2e-5;

pub(super) fn kinds_for(task: Task) -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().filter(move |kind| kind.causal() || !task.decodes())
}

/// Rows of different lengths for a task, or a text.
pub(super) fn data(task: Task) -> Json {
    let texts = ["a b c d e", "c", "b d", "e a d c", "d e", "a a b", "c c e b a d", "e"];
    let row = |(index, text): (usize, &&str)| match task {
        Task::Classification => json!({ "text": text, "label": index % 3 }),
        Task::PairClassification => {
            json!({ "text": text, "second": texts[(3 * index + 1) % 8], "label": index % 2 })
        }
        _ => json!({ "source": text, "target": text.to_uppercase() }),
    };
    match task {
        Task::LanguageModel | Task::MaskedLanguageModel => {
            json!({ "text": "the sea the sea the open sea ".repeat(6) })
        }
        _ => json!({ "rows": texts.iter().enumerate().map(row).collect::<Vec<_>>() }),
    }
}

fn create_with(task: Task, changes: Json, data: &Json) -> Result<Session> {
    let mut spec = json!({
        "task": task.name(), "attention": "vanilla", "dModel": 16, "heads": 2, "layers": 2,
        "maxLength": 14,
    });
    for (name, value) in changes.as_object().expect("changes are an object") {
        spec[name] = value.clone();
    }
    // No option of API users'.
    let cross = spec.as_object_mut().and_then(|spec| spec.remove("cross"));
    let cross = cross.as_ref().and_then(Json::as_str).map(CrossAttention::named);
    let spec = ModelSpec::parse(&Value::from(&spec))?;
    let spec = spec.with_cross(cross.transpose()?.unwrap_or_default())?;
    Session::create(spec, Value::from(data), &device::cpu())
}

pub(super) fn create(task: Task, changes: Json) -> Session {
    create_with(task, changes, &data(task)).expect("a valid spec and data")
}

pub(super) fn train(session: &mut Session, options: Json) -> Vec<f64> {
    let info = session.begin_training(&Value::from(&options)).expect("valid options");
    let mut losses = Vec::new();
    while session.step_count() < info.end {
        session.train_step().expect("a step");
        losses.push(block_on(session.report()).expect("a finite loss").loss);
    }
    session.end_training();
    losses
}

pub(super) fn evaluate(session: &mut Session, data: Option<&Json>, batch: usize) -> Metrics {
    let options = Value::from(&json!({ "batch": batch }));
    let id = session.begin_evaluation(data.map(Value::from), &options).expect("data");
    loop {
        if let Some(metrics) = block_on(session.evaluate_next(id)).expect("scores") {
            return metrics;
        }
    }
}

pub(super) fn translate(session: &mut Session, source: &str, options: Json) -> String {
    let id = session.begin_translation(source, &Value::from(&options)).expect("a source");
    loop {
        if let Some(target) = block_on(session.translate_next(id)).expect("a token") {
            return target;
        }
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

pub(super) fn pair(first: &str, second: &str) -> Value {
    Value::List(vec![text(first), text(second)])
}

#[test]
fn every_kind_learns_saves_and_loads_every_task_it_is_offered_for() {
    for &task in Task::ALL {
        for kind in kinds_for(task) {
            let place = format!("{}, {}", task.name(), kind.name);
            let changes = json!({ "attention": kind.name, "dropout": 0.1 });
            let run = |steps: u32| json!({ "steps": steps, "batch": 3, "learningRate": 0.01 });
            let mut whole = create(task, changes.clone());
            let losses = train(&mut whole, run(6));
            let mut first = create(task, changes);
            train(&mut first, run(3));
            let file = block_on(first.save()).expect("a file");
            let mut second = Session::load(&file, Some(Value::from(&data(task))), &device::cpu())
                .unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(second.labels(), whole.labels(), "{place}");
            assert_eq!(train(&mut second, run(3)), losses[3..], "{place}");
            let same = |session: &mut Session| evaluate(session, Some(&data(task)), 4);
            assert_eq!(same(&mut second), same(&mut whole), "{place}");
            let attention = |name: &str| name.contains(".attn.") || name.contains(".cross.");
            let weights = crate::weights::list(whole.model());
            let weights = weights.iter().filter(|weight| attention(&weight.name));
            let counted: usize = weights.map(crate::weights::Entry::len).sum();
            assert_eq!(whole.spec().attention_parameters(), counted as u64, "{place}");
        }
    }
}

#[test]
fn kinds_that_see_the_whole_are_refused_where_text_is_made_alone() {
    for &task in Task::ALL {
        for kind in KINDS {
            let made = create_with(task, json!({ "attention": kind.name }), &data(task));
            match made {
                Ok(_) => assert!(kind.causal() || !task.decodes(), "{task:?}, {}", kind.name),
                Err(error) => {
                    assert_eq!(error.code(), "invalid-option");
                    assert!(!kind.causal() && task.decodes(), "{task:?}, {}", kind.name);
                }
            }
        }
    }
}

/// Scores of rows in one padded batch, and of each row alone.
#[test]
fn padding_is_inert_in_losses_scores_and_answers_of_every_kind() {
    for task in [Task::Classification, Task::PairClassification, Task::SequenceToSequence] {
        for kind in kinds_for(task) {
            let place = format!("{}, {}", task.name(), kind.name);
            let mut session = create(task, json!({ "attention": kind.name }));
            train(&mut session, json!({ "steps": 8, "batch": 4, "learningRate": 0.02 }));
            let together = evaluate(&mut session, Some(&data(task)), 8);
            let alone = evaluate(&mut session, Some(&data(task)), 1);
            assert!(
                (together.loss - alone.loss).abs() < ROUNDING,
                "{place}: {together:?} {alone:?}"
            );
            let rest =
                |metrics: &Metrics| Metrics { loss: 0.0, perplexity: None, ..metrics.clone() };
            assert_eq!(rest(&together), rest(&alone), "{place}");
            if task == Task::Classification {
                let texts = ["a b c d e", "c", "b d"].map(text);
                let together = block_on(session.classify_all(&texts)).expect("classes");
                for (text, together) in texts.iter().zip(&together) {
                    let alone = block_on(session.classify_all(std::slice::from_ref(text)));
                    for (a, b) in alone.expect("classes")[0].iter().zip(together) {
                        assert!((a - b).abs() < ROUNDING, "{place}");
                    }
                }
            }
        }
    }
}

#[test]
fn losses_are_the_means_over_targets_that_count() {
    let mut session = create(Task::SequenceToSequence, json!({}));
    // With a fresh head every token is about as likely: the loss is the logarithm of their number.
    let expected = (session.tokenizer().len() as f64).ln();
    let loss = evaluate(&mut session, Some(&data(Task::SequenceToSequence)), 8).loss;
    assert!((loss - expected).abs() < 0.1, "{loss}, about {expected}");
    let mut session = create(Task::Classification, json!({}));
    let loss = evaluate(&mut session, Some(&data(Task::Classification)), 8).loss;
    assert!((loss - 3_f64.ln()).abs() < 0.1, "{loss}");
}

#[test]
fn a_held_out_share_keeps_the_proportions_of_labels() {
    let mut session = create(Task::Classification, json!({}));
    let options = json!({ "steps": 1, "validation": 0.4 });
    assert!(session.begin_training(&Value::from(&options)).expect("valid").validation);
    session.train_step().expect("a step");
    let confusion = evaluate(&mut session, None, 4).confusion.expect("classes");
    let rows: Vec<u64> = confusion.iter().map(|row| row.iter().sum()).collect();
    assert_eq!(rows.iter().sum::<u64>(), 3, "{rows:?}");
    assert!(rows.iter().all(|&n| n == 1), "{rows:?}");
}

#[test]
fn baselines_are_those_of_the_scored_rows() {
    let mut session = create(Task::Classification, json!({}));
    let rows = json!({ "rows": [
        { "text": "a", "label": 1 }, { "text": "b", "label": 1 }, { "text": "c", "label": 0 },
        { "text": "d", "label": 1 },
    ] });
    let metrics = evaluate(&mut session, Some(&rows), 2);
    assert_eq!(metrics.baseline.expect("a baseline").accuracy, Some(0.75));
    assert_eq!(metrics.confusion.expect("classes").concat().iter().sum::<u64>(), 4);
    let mut session = create(Task::SequenceToSequence, json!({}));
    let rows = json!({ "rows": [
        { "source": "a b", "target": "a b" }, { "source": "c", "target": "C" },
    ] });
    let baseline = evaluate(&mut session, Some(&rows), 2).baseline.expect("a baseline");
    assert_eq!(baseline.exact_match, Some(0.5));
}

#[test]
fn a_classifier_learns_and_answers() {
    let row = |n: usize| {
        let word = ["good", "bad"][n % 2];
        json!({ "text": format!("this is {word} {n}"), "label": word })
    };
    let data = json!({ "rows": (0..40).map(row).collect::<Vec<_>>() });
    for kind in ["random", "dense", "vanilla", "linformer", "fnet"] {
        let mut session =
            create_with(Task::Classification, json!({ "attention": kind }), &data).expect("valid");
        let losses = train(&mut session, json!({ "steps": 80, "learningRate": 0.01 }));
        assert!(losses[losses.len() - 1] < 0.2, "{kind}: {losses:?}");
        assert_eq!(session.labels().expect("labels"), ["bad", "good"]);
        let texts = ["this is good 99", "THIS IS BAD", "never seen bad \u{1f600}"].map(text);
        let classes = block_on(session.classify_all(&texts)).expect("classes");
        for (probabilities, bad) in classes.iter().zip([false, true, true]) {
            assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert_eq!(probabilities[0] > 0.5, bad, "{kind}: {probabilities:?}");
        }
    }
}

#[test]
fn long_texts_are_cut_to_be_classified_and_refused_to_be_looked_at() {
    let session = create(Task::PairClassification, json!({}));
    let long = "a b ".repeat(20);
    let classes = block_on(session.classify_all(&[pair(&long, "c d")])).expect("cut");
    let shorter = block_on(session.classify_all(&[pair("a b a b a b a b a b", "c d")]));
    assert_eq!(classes, shorter.expect("not cut"), "14 tokens: two special, the second text, ten");
    let refused = block_on(session.attention(&pair(&long, "c d"), None)).expect_err("too long");
    assert_eq!(refused, Error::TextTooLong { tokens: 44, limit: 14 });
    for (wrong, option) in [(text("a"), "text"), (Value::List(vec![text("a")]), "text")] {
        match block_on(session.classify_all(&[wrong])) {
            Err(Error::InvalidOption { option: found, .. }) => assert_eq!(found, option),
            other => panic!("{other:?}"),
        }
    }
    let single = create(Task::Classification, json!({}));
    let refused = block_on(single.classify_all(&[pair("a", "b")])).expect_err("a pair");
    assert_eq!(refused.code(), "invalid-option");
    assert!(block_on(single.classify_all(&[])).expect("none").is_empty());
}

#[test]
fn a_label_the_model_does_not_know_is_named() {
    let mut session = create(Task::Classification, json!({}));
    let rows = json!({ "rows": [{ "text": "a", "label": 0 }, { "text": "b", "label": 7 }] });
    let refused = session.begin_evaluation(Some(Value::from(&rows)), &Value::Null);
    match refused {
        Err(Error::InvalidData { row: Some(1), reason }) => assert!(reason.contains("\"7\"")),
        other => panic!("{other:?}"),
    }
    let file = block_on(session.save()).expect("a file");
    let again = Session::load(&file, Some(Value::from(&rows)), &device::cpu());
    assert_eq!(again.map(drop).expect_err("labels it does not know").code(), "invalid-data");
    let other = data(Task::SequenceToSequence);
    let again = Session::load(&file, Some(Value::from(&other)), &device::cpu());
    assert_eq!(again.map(drop).expect_err("data of another task").code(), "invalid-data");
}

#[test]
fn masks_are_filled_and_only_text_is_offered() {
    let mut session = create(Task::MaskedLanguageModel, json!({ "tokenizer": "word" }));
    let losses = train(&mut session, json!({ "steps": 200, "learningRate": 0.01 }));
    let (first, last) = (losses[0], losses[losses.len() - 1]);
    assert!(last < first / 2.0, "from {first} to {last}");
    let filled = block_on(session.fill("the [MASK] sea the [MASK]", 3)).expect("two masks");
    assert_eq!(filled.iter().map(|mask| mask.position).collect::<Vec<_>>(), [1, 4]);
    let tokens: Vec<String> = session.tokenizer().vocabulary();
    let known = session.tokenizer().text_ids();
    for mask in &filled {
        assert_eq!(mask.candidates.len(), 3);
        assert!(mask.candidates.is_sorted_by(|a, b| a.probability >= b.probability));
        for candidate in &mask.candidates {
            let id = tokens.iter().position(|token| *token == candidate.token).expect("known");
            assert!(known.contains(&(id as u32)), "{candidate:?}");
        }
    }
    assert_eq!(filled[0].candidates[0].token, "open", "{filled:?}");
    let all = block_on(session.fill("[MASK]", 1000)).expect("one mask");
    let sum: f64 = all[0].candidates.iter().map(|candidate| candidate.probability).sum();
    assert!((sum - 1.0).abs() < 1e-9 && all[0].candidates.len() == known.len());
    assert_eq!(block_on(session.fill("no mask", 5)).expect_err("none").code(), "invalid-data");
    let long = "the ".repeat(20) + "[MASK]";
    assert_eq!(block_on(session.fill(&long, 5)).expect_err("long").code(), "text-too-long");
    // Elsewhere the letters are text, unknown here.
    let maps = block_on(session.attention(&text("the [MASK]"), None)).expect("maps");
    assert!(!maps.tokens.contains(&Special::Mask.label().to_owned()), "{:?}", maps.tokens);
}

#[test]
fn hidden_tokens_are_scored_with_their_commonest_as_baseline() {
    let mut session = create(Task::MaskedLanguageModel, json!({}));
    let metrics = evaluate(&mut session, Some(&data(Task::MaskedLanguageModel)), 4);
    assert_eq!(metrics, evaluate(&mut session, Some(&data(Task::MaskedLanguageModel)), 4));
    let baseline = metrics.baseline.expect("a baseline").accuracy.expect("an accuracy");
    assert!(baseline > 0.1 && baseline < 0.5, "{baseline}");
    assert!((metrics.perplexity.expect("one") - metrics.loss.exp()).abs() < 1e-9);
    let one = evaluate(&mut session, Some(&json!({ "text": "x" })), 4);
    assert!(one.loss.is_finite(), "an unknown token alone can be guessed at");
}

#[test]
fn decoding_with_a_cache_says_what_the_full_pass_says() {
    for kind in kinds_for(Task::SequenceToSequence) {
        let mut session = create(Task::SequenceToSequence, json!({ "attention": kind.name }));
        train(&mut session, json!({ "steps": 60, "batch": 8, "learningRate": 0.01 }));
        let said = translate(&mut session, "a b c d e", json!({}));
        // Its own answer as the wanted one: if every token is the likeliest, it is said again, and
        // greedily made targets of a padded batch are the same.
        let rows = json!({ "rows": [
            { "source": "a b c d e", "target": said }, { "source": "c", "target": "x" },
        ] });
        assert!(!said.is_empty(), "{}", kind.name);
        let metrics = evaluate(&mut session, Some(&rows), 2);
        assert_eq!(metrics.exact_match, Some(0.5), "{}: {said:?}", kind.name);
    }
}

/// With as many beams as there are continuations, the search is exhaustive.
#[test]
fn beams_find_the_best_target() {
    let rows = json!({ "rows": [
        { "source": "a", "target": "xy" }, { "source": "b", "target": "yx" },
        { "source": "ab", "target": "x" }, { "source": "ba", "target": "yyx" },
    ] });
    let kinds = ["vanilla", "random", "dense+vanilla", "dynamic-convolution", "aft"];
    let dots = kinds.map(|kind| (kind, "dot-product"));
    for (kind, cross) in dots.into_iter().chain([("random", "random"), ("aft", "random")]) {
        let changes = json!({ "attention": kind, "maxLength": 3, "seed": 5, "cross": cross });
        let data = json!({ "rows": rows["rows"].as_array().expect("rows")[..3] });
        let mut session = create_with(Task::SequenceToSequence, changes, &data).expect("valid");
        train(&mut session, json!({ "steps": 12, "learningRate": 0.01 }));
        let best = translate(&mut session, "a", json!({ "beams": 64 }));
        // The mean log-likelihood of every target of up to two letters, with its end.
        let letters = ["a", "b", "x", "y"];
        let mut targets: Vec<String> = letters.map(String::from).to_vec();
        let two = letters.iter().flat_map(|a| letters.map(|b| format!("{a}{b}")));
        targets.extend(two.collect::<Vec<_>>());
        let mean = |session: &mut Session, target: &str| {
            let row = json!({ "rows": [{ "source": "a", "target": target }] });
            -evaluate(session, Some(&row), 1).loss
        };
        let scored = targets.iter().map(|target| (mean(&mut session, target), target.clone()));
        let scored: Vec<(f64, String)> = scored.collect();
        let (top, _) = scored.iter().max_by(|a, b| a.0.total_cmp(&b.0)).expect("targets");
        if best.chars().count() < 3 && !best.is_empty() {
            let found = mean(&mut session, &best);
            assert!(found >= top - 1e-6, "{kind}: {best:?} has {found}, {top} was there");
        }
        let greedy = translate(&mut session, "a", json!({}));
        assert_eq!(greedy, translate(&mut session, "a", json!({ "beams": 1 })));
        assert!(translate(&mut session, "a", json!({ "maxTokens": 1 })).chars().count() <= 1);
    }
}

#[test]
fn random_attention_learns_to_copy() {
    let letter = |n: usize| char::from(b'a' + (n % 5) as u8);
    let word = |n: usize| -> String {
        // A stride, so that no letter is new at its place in what is held out.
        (0..3).map(|at| letter(n * 7 % 125 / 5_usize.pow(at))).collect()
    };
    let row = |n: usize| json!({ "source": word(n), "target": word(n) });
    let data = json!({ "rows": (0..100).map(row).collect::<Vec<_>>() });
    let changes = json!({ "attention": "random", "dModel": 32, "layers": 1 });
    let mut session = create_with(Task::SequenceToSequence, changes, &data).expect("valid");
    train(&mut session, json!({ "steps": 300, "batch": 16, "learningRate": 0.01 }));
    let unseen = json!({ "rows": (100..125).map(row).collect::<Vec<_>>() });
    let metrics = evaluate(&mut session, Some(&unseen), 16);
    assert!(metrics.exact_match.expect("targets") > 0.9, "{metrics:?}");
    assert_eq!(translate(&mut session, "dea", json!({})), "dea");
}

#[test]
fn attention_has_the_parts_that_a_model_has() {
    let refused = |session: &Session, text: &Value, part| {
        block_on(session.attention(text, part)).map(drop).expect_err("refused").code()
    };
    for kind in kinds_for(Task::SequenceToSequence) {
        let session = create(Task::SequenceToSequence, json!({ "attention": kind.name }));
        let both = pair("a b c", "A B");
        for (part, shape, keys) in [
            (None, (2, 2, 4, 5), Some(5)),
            (Some(Part::Cross), (2, 2, 4, 5), Some(5)),
            (Some(Part::Encoder), (2, 2, 5, 5), None),
            (Some(Part::Decoder), (2, 2, 4, 4), None),
        ] {
            let place = format!("{}, {part:?}", kind.name);
            let maps = match block_on(session.attention(&both, part)) {
                Err(Error::AttentionUnavailable { .. }) => {
                    assert!(part.is_some_and(|part| part != Part::Cross), "{place}");
                    continue;
                }
                maps => maps.expect("maps"),
            };
            let found = (maps.layers, maps.heads, maps.queries, maps.keys);
            assert_eq!(found, shape, "{place}");
            assert_eq!(maps.tokens.len(), maps.queries, "{place}");
            assert_eq!(maps.key_tokens.as_ref().map(Vec::len), keys, "{place}");
            if !kind.name.contains("convolution") || part == Some(Part::Cross) {
                for row in maps.weights.chunks(maps.keys) {
                    assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{place}");
                }
            }
        }
        let said = block_on(session.attention(&text("a b c"), None)).expect("its own target");
        assert_eq!(said.tokens[0], Special::Begin.label());
    }
    for task in [Task::MaskedLanguageModel, Task::Classification] {
        let session = create(task, json!({}));
        let maps = block_on(session.attention(&text("a b"), Some(Part::Encoder))).expect("maps");
        assert_eq!(maps.queries, maps.tokens.len());
        assert_eq!(refused(&session, &text("a b"), Some(Part::Cross)), "invalid-option");
        assert_eq!(refused(&session, &text(""), None), "invalid-data");
        let histogram = block_on(session.weight_histogram(&text("a b"), 4)).expect("counts");
        assert_eq!(histogram.counts[0].iter().sum::<u32>() as usize, 2 * maps.queries * maps.keys);
    }
    let session = create(Task::PairClassification, json!({ "attention": "linformer" }));
    let maps = block_on(session.attention(&pair("a b", "c"), None)).expect("maps");
    assert_eq!(maps.tokens, ["[CLASS]", "a", "b", "[SEPARATOR]", "c"]);
    assert_eq!((maps.queries, maps.keys), (5, 3), "maxLength / 4 summaries");
}

#[test]
fn calls_of_other_tasks_are_refused() {
    for &task in Task::ALL {
        let mut session = create(task, json!({}));
        let config = super::super::GenerateConfig::parse(&Value::Null, 0).expect("defaults");
        for (call, answer, tasks) in [
            (
                "generate",
                session.begin_generation("a", config).map(drop),
                &[Task::LanguageModel][..],
            ),
            ("fill", block_on(session.fill("[MASK]", 1)).map(drop), &[Task::MaskedLanguageModel]),
            (
                "classify",
                block_on(session.classify_all(&[])).map(drop),
                &[Task::Classification, Task::PairClassification],
            ),
            (
                "translate",
                session.begin_translation("a", &Value::Null).map(drop),
                &[Task::SequenceToSequence],
            ),
        ] {
            match answer {
                Ok(()) => assert!(tasks.contains(&task), "{call} of {task:?}"),
                Err(Error::WrongTask { call: found, .. }) => {
                    assert_eq!((found.as_str(), tasks.contains(&task)), (call, false), "{task:?}");
                }
                Err(error) => panic!("{call} of {task:?}: {error}"),
            }
        }
    }
}

#[test]
fn a_source_or_target_that_is_too_long_is_named() {
    let rows = json!({ "rows": [
        { "source": "a", "target": "b" }, { "source": "a", "target": "b".repeat(14) },
    ] });
    match create_with(Task::SequenceToSequence, json!({}), &rows) {
        Err(Error::InvalidData { row: Some(1), reason }) => assert!(reason.contains("15 tokens")),
        other => panic!("{other:?}"),
    }
    let mut session = create(Task::SequenceToSequence, json!({}));
    let refused = session.begin_translation(&"a".repeat(15), &Value::Null);
    assert_eq!(refused.expect_err("too long"), Error::TextTooLong { tokens: 15, limit: 14 });
    session.begin_translation(&"a".repeat(14), &Value::Null).expect("as long as can be");
    assert_eq!(translate(&mut session, "a", json!({ "maxTokens": 1 })).chars().count(), 1);
}
