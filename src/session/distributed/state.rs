//! The optimizer of a run as one of Burn's, with its moments, and the moments back from there.
//!
//! Burn keeps the state of an optimizer a weight at a time, by the weight's number, and hands it over
//! in its own file format, burnpack. See `burn_optim::OptimizerRecord`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use burn::optim::decay::WeightDecayConfig;
use burn::optim::{AdamConfig, AdamWConfig, ModuleOptimizer, OptimizerRecord, SgdConfig};
use burn::tensor::{Bytes, DType, Tensor, TensorData, Transaction};
use burn::train::checkpoint::{Checkpoint, Checkpointer, CheckpointerError};
use burn_pack::{Reader, Scalar, Writer};

use crate::error::{Error, Result};
use crate::model::Net;
use crate::train::{Moments, OptimizerConfig, OptimizerKind, Trainer};
use crate::weights::{self, lost};

/// Of a weight's state, by what follows its number.
const FIRST: &str = "momentum.moment_1";
const SECOND: &str = "momentum.moment_2";
const STEPS: &str = "momentum.time";
const RANK: &str = "__rank";

/// Burn's optimizer for a trainer's settings and moments. Gradients come to it clipped.
pub(super) async fn optimizer(net: &Net, trainer: &Trainer<Net>) -> Result<ModuleOptimizer> {
    let OptimizerConfig { kind, beta1, beta2, epsilon, weight_decay, .. } = trainer.optimizer();
    let [beta1, beta2, epsilon, decay] = [beta1, beta2, epsilon, weight_decay].map(|x| x as f32);
    let decays = (decay != 0.0).then(|| WeightDecayConfig::new(decay));
    let optimizer = match kind {
        OptimizerKind::AdamW => AdamWConfig::new()
            .with_beta_1(beta1)
            .with_beta_2(beta2)
            .with_epsilon(epsilon)
            .with_weight_decay(decay)
            .init(),
        OptimizerKind::Adam => AdamConfig::new()
            .with_beta_1(beta1)
            .with_beta_2(beta2)
            .with_epsilon(epsilon)
            .with_weight_decay(decays)
            .init(),
        OptimizerKind::Sgd => SgdConfig::new().with_weight_decay(decays).init(),
    };
    let Some(Moments { first, second, steps }) = trainer.moments() else { return Ok(optimizer) };
    let reads = Transaction::default().register(first.clone()).register(second.clone());
    let numbers = weights::numbers(net);
    let mut tensors = Vec::new();
    for (field, data) in [FIRST, SECOND].iter().zip(reads.execute_async().await.map_err(lost)?) {
        let values = data.try_to_vec::<f32>().map_err(lost)?;
        for (entry, range) in trainer.packed().slots() {
            let number = numbers[&entry.name];
            let bytes = values[range.clone()].iter().flat_map(|value| value.to_le_bytes());
            tensors.push(burn_pack::Tensor::new(
                format!("{number}.{field}"),
                DType::F32,
                entry.shape.clone(),
                Some(number),
                Bytes::from_bytes_vec(bytes.collect()),
            ));
        }
    }
    let mut writer = Writer::new(tensors);
    for (entry, _) in trainer.packed().slots() {
        let number = numbers[&entry.name];
        writer = writer
            .with_scalar(&format!("{number}.{STEPS}"), Scalar::from(*steps))
            .with_scalar(&format!("{number}.{RANK}"), Scalar::from(entry.shape.len()));
    }
    let bytes = writer.into_bytes().map_err(internal)?;
    Ok(optimizer.load_record(OptimizerRecord::from_bytes(bytes).map_err(internal)?))
}

/// The moments in what the learner has kept, on the trainer's device; none for an optimizer without.
pub(super) fn moments(
    net: &Net,
    trainer: &Trainer<Net>,
    record: Option<OptimizerRecord>,
) -> Result<Option<Moments>> {
    if !trainer.optimizer().kind.has_moments() {
        return Ok(None);
    }
    let record = record.ok_or_else(|| internal("the learner kept no optimizer"))?;
    let reader = Reader::from_bytes(record.into_bytes().map_err(internal)?).map_err(internal)?;
    let steps = reader.scalars().iter().filter(|(name, _)| name.ends_with(STEPS));
    let steps = steps.filter_map(|(_, &steps)| u64::try_from(steps).ok()).max().unwrap_or(0);
    let names: HashMap<u64, String> =
        weights::numbers(net).into_iter().map(|(name, number)| (number, name)).collect();
    let device = trainer.packed().device();
    let (mut first, mut second) = (HashMap::new(), HashMap::new());
    for tensor in reader.into_tensors().map_err(internal)? {
        let (name, dtype, shape, number, bytes) = tensor.into_parts().map_err(internal)?;
        let parts = if name.ends_with(FIRST) { &mut first } else { &mut second };
        let weight = number.and_then(|number| names.get(&number));
        let weight = weight.ok_or_else(|| internal(format!("`{name}` is no weight's")))?;
        let values: TensorData = TensorData::from_bytes(bytes, [shape.num_elements()], dtype);
        parts.insert(weight.clone(), Tensor::from_data(values, device));
    }
    let [first, second] = [first, second].map(|parts| trainer.packed().join(parts));
    Ok(Some(Moments { first, second, steps }))
}

fn internal(error: impl std::fmt::Debug) -> Error {
    Error::Internal { reason: format!("{error:?}") }
}

/// Keeps the last optimizer that the learner gives it.
#[derive(Clone, Default)]
pub(super) struct Kept(Arc<Mutex<Option<OptimizerRecord>>>);

impl Kept {
    pub(super) fn take(&self) -> Option<OptimizerRecord> {
        self.0.lock().expect("nobody panicked").take()
    }
}

impl Checkpointer<OptimizerRecord> for Kept {
    fn save(&self, _epoch: usize, record: OptimizerRecord) -> Result<(), CheckpointerError> {
        *self.0.lock().expect("nobody panicked") = Some(record);
        Ok(())
    }

    fn delete(&self, _epoch: usize) -> Result<(), CheckpointerError> {
        Ok(())
    }

    fn restore(&self, _epoch: usize) -> Result<OptimizerRecord, CheckpointerError> {
        self.take().ok_or_else(nothing_kept)
    }
}

/// Keeps nothing of what is in the result anyway.
pub(super) struct Dropped;

impl<R: Checkpoint> Checkpointer<R> for Dropped {
    fn save(&self, _epoch: usize, _record: R) -> Result<(), CheckpointerError> {
        Ok(())
    }

    fn delete(&self, _epoch: usize) -> Result<(), CheckpointerError> {
        Ok(())
    }

    fn restore(&self, _epoch: usize) -> Result<R, CheckpointerError> {
        Err(nothing_kept())
    }
}

fn nothing_kept() -> CheckpointerError {
    CheckpointerError::Unknown("nothing is kept".to_owned())
}
