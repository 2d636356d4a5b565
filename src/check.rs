//! A device's self-check: small models trained there and on the CPU must agree.
//! GPU drivers and kernels that compute wrong numbers exist; a wrong model is worse than a slow one.

use burn::tensor::Device;

use crate::config::ModelSpec;
use crate::device;
use crate::error::{Error, Result};
use crate::session::Session;
use crate::value::Value;
use crate::weights;

/// Steps trained on each device; each goes through forward, backward and optimizer.
const STEPS: usize = 3;

/// Largest difference of a weight. Adam moves a weight by up to the rate, 1e-3, in a step, even one
/// whose gradient is all rounding; so this only tells broken weights, and losses tell the rest.
const WEIGHTS: f32 = 2e-3 * STEPS as f32;

/// Largest relative difference of the losses: rounding alone is below 1e-5.
const LOSS: f64 = 1e-3;

/// Attention that goes through every kind of score: a table, a network, dot products.
const KIND: &str = "random+dense+vanilla";

/// Trains the same small model on `device` and on the CPU.
///
/// # Errors
///
/// [`Error::WebGpuUnavailable`] says what differed; [`Error::DeviceLost`].
pub async fn agrees_with_cpu(device: &Device) -> Result<()> {
    let expected = train(&device::cpu()).await?;
    let found = train(device).await?;
    for (found, expected) in found.losses.iter().zip(&expected.losses) {
        if ((found - expected) / expected).abs() > LOSS || !found.is_finite() {
            return Err(differs(format!("a loss is {found}, on the CPU {expected}")));
        }
    }
    for ((name, found), (_, expected)) in found.weights.iter().zip(&expected.weights) {
        let differs_by = |(found, expected): (&f32, &f32)| (found - expected).abs();
        // NaN is within no bound.
        let within = |difference: f32| difference <= WEIGHTS;
        if let Some(by) = found.iter().zip(expected).map(differs_by).find(|by| !within(*by)) {
            return Err(differs(format!("`{name}` differs by {by}")));
        }
    }
    Ok(())
}

fn differs(what: String) -> Error {
    let reason = format!("the GPU computes other numbers than the CPU ({what})");
    Error::WebGpuUnavailable { reason }
}

struct Trained {
    losses: Vec<f64>,
    weights: Vec<(String, Vec<f32>)>,
}

async fn train(device: &Device) -> Result<Trained> {
    let text: String = (0..400).map(|i| char::from(b'a' + (i * i % 23) as u8)).collect();
    let number = |n: usize| Value::Number(n as f64);
    let named = |name: &str, value: Value| (name.to_owned(), value);
    let spec = ModelSpec::parse(&Value::Map(vec![
        named("task", Value::Text("language-model".to_owned())),
        named("attention", Value::Text(KIND.to_owned())),
        named("dModel", number(16)),
        named("heads", number(2)),
        named("layers", number(1)),
        // Odd on purpose: kernels go wrong at sizes that are no multiple of a tile.
        named("maxLength", number(13)),
    ]))?;
    let data = Value::Map(vec![named("text", Value::Text(text))]);
    let mut session = Session::create(spec, data, device)?;
    let options = Value::Map(vec![named("steps", number(STEPS)), named("batch", number(3))]);
    session.begin_training(&options)?;
    let mut losses = Vec::with_capacity(STEPS);
    for _ in 0..STEPS {
        session.train_step()?;
        losses.push(session.report().await?.loss);
    }
    let mut values = Vec::new();
    for (name, data) in weights::read(session.model()).await? {
        values.push((name, data.try_to_vec::<f32>().map_err(weights::lost)?));
    }
    Ok(Trained { losses, weights: values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_agrees_with_itself() {
        futures_lite::future::block_on(agrees_with_cpu(&device::cpu())).expect("the same numbers");
    }
}
