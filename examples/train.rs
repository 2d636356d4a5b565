//! Trains a model on the CPU and scores it: `cargo run --release --example train -- RUN.json`.
//!
//! `RUN.json` holds `{ spec, data, options, test }` as the npm package's API has them; `data` and
//! `test` may be names of JSON files. Without `test` a share is held out if `options` say so.

use std::time::Instant;

use serde_json::Value as Json;
use synthattn::config::ModelSpec;
use synthattn::session::Session;
use synthattn::value::Value;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let file = std::env::args().nth(1).ok_or("usage: train RUN.json")?;
    let run = read(&file)?;
    futures_lite::future::block_on(train(&run))
}

fn read(file: &str) -> Result<Json> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    Ok(serde_json::from_str(&text)?)
}

/// Data written in the run itself, or the name of a file that holds them.
fn data(json: &Json) -> Result<Value> {
    match json {
        Json::String(file) => Ok(Value::from(&read(file)?)),
        other => Ok(Value::from(other)),
    }
}

async fn train(run: &Json) -> Result<()> {
    let spec = ModelSpec::parse(&Value::from(&run["spec"]))?;
    let mut session = Session::create(spec, data(&run["data"])?, &synthattn::device::cpu())?;
    println!("{} weights, {} tokens", session.parameter_count(), session.tokenizer().len());
    let info = session.begin_training(&Value::from(&run["options"]))?;
    let start = Instant::now();
    while session.step_count() < info.end {
        session.train_step()?;
        if session.step_count() % info.every == 0 || session.step_count() == info.end {
            let report = session.report().await?;
            let seconds = start.elapsed().as_secs_f64();
            println!("step {:5}  {:.4} nats  {seconds:.1} s", report.step, report.loss);
        }
    }
    let test = match &run["test"] {
        Json::Null if info.validation => None,
        Json::Null => return Ok(()),
        test => Some(data(test)?),
    };
    let id = session.begin_evaluation(test, &Value::Null)?;
    let metrics = loop {
        if let Some(metrics) = session.evaluate_next(id).await? {
            break metrics;
        }
    };
    println!("{}", serde_json::to_string(&metrics)?);
    Ok(())
}
