//! Trains a model outside of browsers and, of a new one, says how well it does.
//!
//! ```sh
//! cargo run --release --example train -- MODEL DATA --steps 500 OUT
//! cargo run --release --example train -- RUN.json
//! ```
//!
//! The first goes on with a model file, of the page or of any program, at the step it had got to, and
//! writes another. `DATA` is a text, or a `.json` file of training data. Every option of training is
//! an argument here: `--learning-rate 3e-4` is `learningRate`.
//!
//! The second makes a new model: `RUN.json` holds `{ spec, data, options, test }` as the npm package's
//! API has them; `data` and `test` may be names of files. Without `test` a share is held out if
//! `options` say so.
//!
//! `--device` names where: `cpu`, or a GPU of which a Cargo feature asks, see docs/native.md.

use std::process::ExitCode;
use std::time::Instant;

use burn::tensor::Device;
use serde_json::{Value as Json, json};
use synthattn::config::ModelSpec;
use synthattn::device;
use synthattn::session::Session;
use synthattn::value::Value;

#[path = "common/arguments.rs"]
mod arguments;

use arguments::{Arguments, Result, bytes, data_file, finish, json_file};

const USAGE: &str = "usage: train [--device NAME] MODEL DATA --steps N [--OPTION VALUE].. OUT, \
                     or train [--device NAME] RUN.json";

fn main() -> ExitCode {
    finish(
        Arguments::read(USAGE).and_then(|arguments| futures_lite::future::block_on(run(arguments))),
    )
}

async fn run(mut arguments: Arguments) -> Result<()> {
    let name = arguments.take("device").unwrap_or_else(|| "cpu".to_owned());
    let device = device::open_named(&name).await?;
    let options = arguments.options();
    match arguments.files.as_slice() {
        // A run has its options in it.
        [run] if options == json!({}) => make(&json_file(run)?, &device).await,
        [model, data, out] => go_on([model, data, out], &options, &device).await,
        _ => Err(USAGE.into()),
    }
}

/// Data written in a run itself, or the name of a file that holds them.
fn data(json: &Json) -> Result<Value> {
    match json {
        Json::String(file) => data_file(file),
        other => Ok(Value::from(other)),
    }
}

async fn go_on([model, data, out]: [&str; 3], options: &Json, device: &Device) -> Result<()> {
    let mut session = Session::load(&bytes(model)?, Some(data_file(data)?), device)?;
    println!("{} weights at step {}", session.parameter_count(), session.step_count());
    train(&mut session, options).await?;
    session.end_training();
    std::fs::write(out, session.save().await?).map_err(|error| format!("{out}: {error}"))?;
    Ok(())
}

async fn make(run: &Json, device: &Device) -> Result<()> {
    let spec = ModelSpec::parse(&Value::from(&run["spec"]))?;
    let mut session = Session::create(spec, data(&run["data"])?, device)?;
    println!("{} weights, {} tokens", session.parameter_count(), session.tokenizer().len());
    let holds_out = train(&mut session, &run["options"]).await?;
    let test = match &run["test"] {
        Json::Null if holds_out => None,
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

/// Makes all steps, and says whether a share of the data is held out. The run stays open: it knows
/// what.
async fn train(session: &mut Session, options: &Json) -> Result<bool> {
    let info = session.begin_training(&Value::from(options))?;
    let start = Instant::now();
    while session.step_count() < info.end {
        session.train_step()?;
        let step = session.step_count();
        if step.is_multiple_of(info.every) || step == info.end {
            let report = session.report().await?;
            let seconds = start.elapsed().as_secs_f64();
            println!("step {:5}  {:.4} nats  {seconds:.1} s", report.step, report.loss);
        }
    }
    Ok(info.validation)
}
