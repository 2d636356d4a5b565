//! Goes on with a model file by several devices together:
//! `cargo run --release --features cuda,distributed --example distributed -- --devices cuda:0,cuda:1
//! MODEL DATA --steps 500 OUT`.
//!
//! As the example `train` otherwise: the same files, the same options, the same batches, cut by their
//! rows. `--exchange` says how devices come to common weights: `ddp`, on CUDA, or `sharded`, the
//! default. See docs/native.md.

use std::process::ExitCode;
use std::time::Instant;

use synthattn::device;
use synthattn::session::{Exchange, Session};
use synthattn::value::Value;

#[path = "common/arguments.rs"]
mod arguments;

use arguments::{Arguments, Result, bytes, data_file, finish};

const USAGE: &str = "usage: distributed --devices NAME,NAME.. [--exchange sharded|ddp] MODEL DATA \
                     --steps N [--OPTION VALUE].. OUT";

fn main() -> ExitCode {
    finish(
        Arguments::read(USAGE).and_then(|arguments| futures_lite::future::block_on(run(arguments))),
    )
}

async fn run(mut arguments: Arguments) -> Result<()> {
    let names = arguments.take("devices").unwrap_or_else(|| "cpu,cpu".to_owned());
    let exchange = Exchange::named(arguments.take("exchange").as_deref().unwrap_or("sharded"))?;
    let mut devices = Vec::new();
    for name in names.split(',') {
        devices.push(device::open_named(name).await?);
    }
    let [model, data, out] = arguments.files.as_slice() else { return Err(USAGE.into()) };
    let mut session = Session::load(&bytes(model)?, Some(data_file(data)?), &devices[0])?;
    println!("{} weights at step {}", session.parameter_count(), session.step_count());
    let start = Instant::now();
    let options = Value::from(&arguments.options());
    let told = |report: synthattn::session::RunReport| {
        let seconds = start.elapsed().as_secs_f64();
        println!("step {:5}  {:.4} nats  {seconds:.1} s", report.step, report.loss);
    };
    session.train_distributed(&options, &devices[1..], exchange, told).await?;
    std::fs::write(out, session.save().await?).map_err(|error| format!("{out}: {error}"))?;
    Ok(())
}
