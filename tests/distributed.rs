//! Training by several devices comes to what one device makes of the same run. Of the devices that
//! every machine has, Burn's sharded optimizer takes the CPU any number of times: each is a thread.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use burn::tensor::Device;
use burn::tensor::distributed::{DistributedConfig, ReduceOperation};
use burn::train::ExecutionStrategy;
use futures_lite::future::block_on;
use safetensors::SafeTensors;
use serde_json::{Value as Json, json};
use synthattn::config::ModelSpec;
use synthattn::device::cpu;
use synthattn::session::{Exchange, RunReport, Session};
use synthattn::value::Value;

/// Largest relative difference of a loss. Sums in another order differ by rounding, which steps add to.
const LOSS: f64 = 1e-5;

/// Largest difference of a weight over the rate, per step. Adam moves a weight by up to the rate in a
/// step, even one whose gradient is all rounding, so single weights may differ by more than rounding.
const WEIGHTS: f32 = 0.02;

const RATE: f32 = 0.003;

fn spec(task: &str, kind: &str) -> Json {
    json!({
        "task": task, "attention": kind, "dModel": 16, "heads": 2, "layers": 2, "maxLength": 12,
        "dropout": 0.1,
    })
}

fn data(task: &str) -> Value {
    let texts = ["a b c d e", "c", "b d", "e a d c", "d e", "a a b", "c c e b a d", "e"];
    let row = |(index, text): (usize, &&str)| match task {
        "classification" => json!({ "text": text, "label": index % 3 }),
        _ => json!({ "source": text, "target": text.to_uppercase() }),
    };
    Value::from(&match task {
        "language-model" | "masked-language-model" => {
            json!({ "text": "the sea the sea the open sea, the blue the fresh the ever free ".repeat(6) })
        }
        _ => json!({ "rows": texts.iter().enumerate().map(row).collect::<Vec<_>>() }),
    })
}

fn created(task: &str, kind: &str) -> Session {
    let spec = ModelSpec::parse(&Value::from(&spec(task, kind))).expect("a valid spec");
    Session::create(spec, data(task), &cpu()).expect("valid data")
}

fn options(optimizer: &str, steps: u64) -> Value {
    Value::from(&json!({
        "steps": steps, "every": 4, "batch": 5, "learningRate": RATE, "optimizer": optimizer,
        "schedule": "cosine", "warmup": 3, "clipNorm": 0.5,
    }))
}

fn alone(session: &mut Session, options: &Value) -> Vec<RunReport> {
    let info = session.begin_training(options).expect("valid options");
    let mut reports = Vec::new();
    while session.step_count() < info.end {
        session.train_step().expect("a step");
        if session.step_count().is_multiple_of(info.every) || session.step_count() == info.end {
            reports.push(block_on(session.report()).expect("a finite loss"));
        }
    }
    session.end_training();
    reports
}

fn together(session: &mut Session, devices: usize, options: &Value) -> Vec<RunReport> {
    let mut reports = Vec::new();
    let others = vec![cpu(); devices - 1];
    let told = |report| reports.push(report);
    block_on(session.train_distributed(options, &others, Exchange::Sharded, told))
        .expect("a run by several devices");
    reports
}

/// All that is in a model's file: weights and moments, and what is told of the training.
fn contents(session: &Session) -> (BTreeMap<String, Vec<f32>>, String) {
    let file = block_on(session.save()).expect("a file");
    let (_, header) = SafeTensors::read_metadata(&file).expect("a model file");
    let training = header.metadata().as_ref().expect("metadata")["training"].clone();
    let tensors = SafeTensors::deserialize(&file).expect("a model file");
    let floats = |bytes: &[u8]| {
        bytes.chunks(4).map(|four| f32::from_le_bytes(four.try_into().expect("four"))).collect()
    };
    (tensors.iter().map(|(name, view)| (name.to_owned(), floats(view.data()))).collect(), training)
}

/// Compares what two sessions told and what they are, after `steps` steps that were not the same.
fn assert_same(found: (&Session, &[RunReport]), expected: (&Session, &[RunReport]), steps: u64) {
    assert_eq!(found.1.len(), expected.1.len());
    for (found, expected) in found.1.iter().zip(expected.1) {
        let near = |found: f64, expected: f64| ((found - expected) / expected).abs() < LOSS;
        assert!(near(found.loss, expected.loss), "{found:?}, alone {expected:?}");
        let norms = (found.gradient_norm, expected.gradient_norm);
        assert!(((norms.0 - norms.1) / norms.1).abs() < 1e-3, "{found:?}, alone {expected:?}");
        let rest = |report: &RunReport| (report.step, report.steps, report.tokens);
        assert_eq!(rest(found), rest(expected));
        assert_eq!(found.learning_rate, expected.learning_rate);
    }
    let (found, expected) = (contents(found.0), contents(expected.0));
    assert_eq!(found.1, expected.1);
    assert!(found.0.keys().eq(expected.0.keys()));
    for (name, values) in &found.0 {
        for (found, expected) in values.iter().zip(&expected.0[name]) {
            let difference = (found - expected).abs();
            assert!(difference <= WEIGHTS * RATE * steps as f32, "{name}: {found}, {expected}");
        }
    }
}

#[test]
fn two_devices_make_of_a_run_what_one_does() {
    for (task, kind) in [
        ("language-model", "random+vanilla"),
        ("masked-language-model", "factorized-dense"),
        ("classification", "dense+vanilla"),
        ("sequence-to-sequence", "factorized-random"),
    ] {
        let (mut one, mut two) = (created(task, kind), created(task, kind));
        let expected = alone(&mut one, &options("adamw", 10));
        let found = together(&mut two, 2, &options("adamw", 10));
        assert_same((&two, &found), (&one, &expected), 10);
    }
}

#[test]
fn a_run_goes_on_with_its_moments_on_more_devices_and_fewer() {
    for optimizer in ["adamw", "adam", "sgd"] {
        let (task, kind) = ("language-model", "random");
        let mut session = created(task, kind);
        alone(&mut session, &options(optimizer, 5));
        let file = block_on(session.save()).expect("a file");
        let load = || Session::load(&file, Some(data(task)), &cpu()).expect("a model file");
        let (mut one, mut three) = (load(), load());
        let expected = alone(&mut one, &options(optimizer, 6));
        let found = together(&mut three, 3, &options(optimizer, 6));
        assert_same((&three, &found), (&one, &expected), 6);

        let expected = alone(&mut one, &options(optimizer, 4));
        let found = alone(&mut three, &options(optimizer, 4));
        assert_same((&three, &found), (&one, &expected), 10);
    }
}

#[test]
fn two_devices_learn() {
    let mut session = created("language-model", "random+vanilla");
    let options = json!({ "steps": 60, "every": 20, "batch": 8, "learningRate": 0.01 });
    let reports = together(&mut session, 2, &Value::from(&options));
    assert!(reports[2].loss < 0.8 * reports[0].loss, "{reports:?}");
}

#[test]
fn more_devices_than_rows_are_refused() {
    let mut session = created("language-model", "vanilla");
    let others = vec![cpu(); 5];
    let one_step = options("adamw", 1);
    let run = session.train_distributed(&one_step, &others, Exchange::Sharded, |_| ());
    let error = block_on(run).expect_err("six devices, five rows");
    assert_eq!(error.code(), "invalid-option");
    assert!(error.to_string().contains("batch"), "{error}");
    assert_eq!(alone(&mut session, &one_step).len(), 1, "the session goes on");
}

#[test]
fn collective_operations_are_refused_where_burn_has_none() {
    let mut session = created("language-model", "vanilla");
    let (one_step, others) = (options("adamw", 1), [cpu()]);
    let run = session.train_distributed(&one_step, &others, Exchange::Ddp, |_| ());
    let error = block_on(run).expect_err("the CPU has none");
    assert_eq!(error.code(), "invalid-option");
    assert!(error.to_string().contains("CUDA"), "{error}");
}

/// If this fails, Burn has come to do it: let it, and compare as above.
#[test]
fn burn_has_no_collective_operations_on_the_cpu() {
    let config = DistributedConfig { all_reduce_op: ReduceOperation::Sum };
    let devices: Vec<Device> = vec![cpu().autodiff(), cpu().autodiff()];
    let asked = catch_unwind(AssertUnwindSafe(|| ExecutionStrategy::ddp(devices, config)));
    let panic = asked.err().expect("a panic");
    let words = panic.downcast_ref::<String>().expect("a message");
    assert!(words.starts_with("Distributed operations are not supported for device"), "{words}");
}
