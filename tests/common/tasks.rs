//! Every task trained and scored on a device and on the CPU: the heads, the masks of padded rows
//! and the decoding that golden vectors do not cover.

use burn::tensor::Device;
use serde_json::{Value as Json, json};
use synthattn::config::ModelSpec;
use synthattn::session::{Metrics, Session};
use synthattn::task::Task;
use synthattn::value::Value;

/// Largest relative difference of losses over a few steps: rounding alone is below 1e-5.
const LOSS: f64 = 1e-3;
const STEPS: usize = 4;

fn data(task: Task) -> Json {
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

/// Losses of the steps, scores after them, and an answer where the task has answers.
async fn outcome(task: Task, kind: &str, device: &Device) -> (Vec<f64>, Metrics, String) {
    let spec = json!({
        "task": task.name(), "attention": kind, "dModel": 16, "heads": 2, "layers": 1,
        "maxLength": 13, "dropout": 0.1,
    });
    let spec = ModelSpec::parse(&Value::from(&spec)).expect("a valid spec");
    let mut session = Session::create(spec, Value::from(&data(task)), device).expect("valid data");
    let options = json!({ "steps": STEPS, "batch": 3, "learningRate": 0.01 });
    session.begin_training(&Value::from(&options)).expect("valid options");
    let mut losses = Vec::new();
    for _ in 0..STEPS {
        session.train_step().expect("a step");
        losses.push(session.report().await.expect("a finite loss").loss);
    }
    session.end_training();
    let id = session.begin_evaluation(Some(Value::from(&data(task))), &Value::Null);
    let id = id.expect("data of the task");
    let metrics = loop {
        if let Some(metrics) = session.evaluate_next(id).await.expect("scores") {
            break metrics;
        }
    };
    let mut answer = String::new();
    if task == Task::SequenceToSequence {
        // Several beams, so that rows of caches are chosen from.
        let options = Value::from(&json!({ "beams": 3 }));
        let id = session.begin_translation("a b c", &options).expect("a source");
        answer = loop {
            if let Some(target) = session.translate_next(id).await.expect("a token") {
                break target;
            }
        };
    }
    (losses, metrics, answer)
}

/// Compares `device` with the CPU in every task, for kinds that go different ways through them.
pub async fn agree(device: Device) {
    let cpu = synthattn::device::cpu();
    for &task in Task::ALL {
        for kind in ["random+dense+vanilla", "dynamic-convolution"] {
            let place = format!("{}, {kind}", task.name());
            let (wanted, expected, answer) = outcome(task, kind, &cpu).await;
            let (losses, metrics, found) = outcome(task, kind, &device).await;
            let differs = |found: f64, wanted: f64| ((found - wanted) / wanted).abs() > LOSS;
            for (found, wanted) in losses.iter().zip(&wanted) {
                assert!(!differs(*found, *wanted), "{place}: {losses:?}, on the CPU {wanted:?}");
            }
            assert!(!differs(metrics.loss, expected.loss), "{place}: {metrics:?}, {expected:?}");
            let scores = |metrics: Metrics| Metrics {
                loss: 0.0,
                perplexity: None,
                bits_per_character: None,
                ..metrics
            };
            assert_eq!(scores(metrics), scores(expected), "{place}");
            assert_eq!(found, answer, "{place}");
        }
    }
}
