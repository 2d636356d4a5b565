//! Trains a language model on a text file, on the CPU: `cargo run --release --example train --
//! FILE [KIND] [STEPS]`. Prints the loss as it falls and scores what was held out.

use std::time::Instant;

use serde_json::json;
use synthattn::config::ModelSpec;
use synthattn::session::{Session, Text};
use synthattn::value::Value;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: train FILE [KIND] [STEPS]")?;
    let kind = arguments.next().unwrap_or("random+vanilla".to_owned());
    let steps: u64 = arguments.next().map_or(Ok(2000), |steps| steps.parse())?;
    futures_lite::future::block_on(train(&std::fs::read_to_string(file)?, &kind, steps))
}

async fn train(text: &str, kind: &str, steps: u64) -> Result<(), Box<dyn std::error::Error>> {
    let spec = json!({ "task": "language-model", "attention": kind, "maxLength": 32 });
    let spec = ModelSpec::parse(&Value::from(&spec))?;
    let mut session = Session::create(spec, Text(text.to_owned()), &synthattn::device::cpu())?;
    println!("{kind}: {} weights", session.parameter_count());
    let options = json!({
        "steps": steps, "batch": 8, "learningRate": 3e-3, "warmup": 100, "schedule": "cosine",
        "validation": 0.1,
    });
    let run = session.begin_training(&Value::from(&options))?;
    let start = Instant::now();
    while session.step_count() < run.end {
        session.train_step()?;
        if session.step_count() % 100 == 0 || session.step_count() == run.end {
            let report = session.report().await?;
            let seconds = start.elapsed().as_secs_f64();
            println!("step {:5}  {:.3} nats  {seconds:.1} s", report.step, report.loss);
        }
    }
    let id = session.begin_evaluation(None, &Value::Null)?;
    let metrics = loop {
        if let Some(metrics) = session.evaluate_next(id).await? {
            break metrics;
        }
    };
    println!("held out: {:.3} bits per character", metrics.bits_per_character);
    Ok(())
}
