//! Training by several devices, with Burn's learner: it hands out portions of each batch, exchanges
//! gradients and keeps the optimizer. What comes to it and goes from it is the session's: batches,
//! rates, dropout, weights and moments are those of a run on one device.
//!
//! A mean counts all targets of a batch, so that gradients are added up and never averaged.

mod learned;
mod portions;
mod quiet;
mod state;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use burn::optim::lr_scheduler::{LrScheduler, LrSchedulerRecord};
use burn::tensor::distributed::{DistributedConfig, ReduceOperation};
use burn::tensor::{Device, Tensor};
use burn::train::checkpoint::KeepLastNCheckpoints;
use burn::train::logger::InMemoryMetricLogger;
use burn::train::{ExecutionStrategy, Learner, MultiDeviceOptim, SupervisedTraining};

use self::learned::{Learned, Seen};
use self::portions::{Nothing, Portions, Source};
use self::quiet::Quiet;
use self::state::{Dropped, Kept};
use super::{RunReport, Session};
use crate::device;
use crate::error::{Error, Result};
use crate::train::Schedule;
use crate::value::Value;
use crate::weights;

/// How devices come to common weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// Each device holds the model and its optimizer, and all add up their gradients by collective
    /// operations: distributed data parallel. Of Burn's devices, CUDA alone has these.
    Ddp,
    /// Each weight has a device that adds up its gradients and keeps its optimizer: a sharded
    /// optimizer. For devices of any kind.
    Sharded,
}

impl Exchange {
    /// All, in the order of menus.
    pub const ALL: [Exchange; 2] = [Exchange::Ddp, Exchange::Sharded];

    /// The name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Exchange::Ddp => "ddp",
            Exchange::Sharded => "sharded",
        }
    }

    /// The one called `name`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOption`]
    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|exchange| exchange.name() == name);
        found
            .ok_or_else(|| Error::option("exchange", format!("{name:?}"), "\"ddp\" or \"sharded\""))
    }

    /// As Burn has it.
    fn strategy(self, devices: Vec<Device>) -> ExecutionStrategy {
        match self {
            Exchange::Ddp => {
                let config = DistributedConfig { all_reduce_op: ReduceOperation::Sum };
                ExecutionStrategy::ddp(devices, config)
            }
            Exchange::Sharded => ExecutionStrategy::multi(devices, MultiDeviceOptim::OptimSharded),
        }
    }
}

/// The session's learning rates, step by step.
#[derive(Debug, Clone)]
struct Rates {
    schedule: Schedule,
    step: u64,
}

impl LrScheduler for Rates {
    fn step(&mut self) -> f64 {
        self.step += 1;
        self.schedule.rate(self.step - 1)
    }

    fn to_record(&self) -> LrSchedulerRecord {
        LrSchedulerRecord::new().with_scalar("step", self.step)
    }

    fn load_record(&mut self, record: LrSchedulerRecord) {
        self.step = record.scalar("step").unwrap_or(self.step);
    }
}

impl Session {
    /// Makes a whole run, `options` as in [`Session::begin_training`], by the session's device and
    /// `others` together. Calls `told` with each report. Between reports nothing is read back; at
    /// each one, weights and moments come to the session's device, so the fewer the faster.
    ///
    /// # Errors
    ///
    /// As [`Session::begin_training`] and [`Session::report`]; [`Error::InvalidOption`] for a batch
    /// of fewer rows than devices or devices without the operations that `exchange` needs,
    /// [`Error::Internal`] with what Burn says if a device fails.
    pub async fn train_distributed(
        &mut self,
        options: &Value,
        others: &[Device],
        exchange: Exchange,
        mut told: impl FnMut(RunReport),
    ) -> Result<()> {
        let own = self.device.clone().inner();
        let mut devices = vec![own];
        devices.extend(others.iter().map(|device| device.clone().inner()));
        if exchange == Exchange::Ddp && !devices.iter().all(device::has_collectives) {
            let expected = "\"sharded\": of Burn's devices, CUDA alone has collective operations";
            return Err(Error::option("exchange", "\"ddp\"", expected));
        }
        let info = self.begin_training(options)?;
        let done = self.make_rounds(info.end, info.every, &devices, exchange, &mut told).await;
        self.end_training();
        done
    }

    async fn make_rounds(
        &mut self,
        end: u64,
        every: u64,
        devices: &[Device],
        exchange: Exchange,
        told: &mut impl FnMut(RunReport),
    ) -> Result<()> {
        let run = self.run.as_ref().expect("it was begun");
        if run.config.batch < devices.len() {
            let expected = format!("at least a row for each of {} devices", devices.len());
            return Err(Error::option("batch", run.config.batch, expected));
        }
        let source = Source::new(run.training.clone(), self.tokenizer.clone(), devices.len());
        let source = Arc::new(Mutex::new(source));
        while self.step_count() < end {
            let step = self.step_count();
            let steps = (every - step % every).min(end - step);
            self.round(&source, steps, devices, exchange).await?;
            told(self.report().await?);
        }
        Ok(())
    }

    /// Some steps, after which weights and moments are back.
    async fn round(
        &mut self,
        source: &Arc<Mutex<Source>>,
        steps: u64,
        devices: &[Device],
        exchange: Exchange,
    ) -> Result<()> {
        let run = self.run.as_mut().expect("it was begun");
        let step = self.trainer.step_count();
        let rates = Rates { schedule: run.config.schedule, step };
        run.last_rate = run.config.schedule.rate(step + steps - 1);
        let seen = Arc::new(Mutex::new(Seen::default()));
        let net = self.trainer.model().clone();
        let config = self.trainer.optimizer();
        let optimizer = state::optimizer(&net, &self.trainer).await?;
        let learned = Learned::new(net, config.clip_norm, &self.spec, seen.clone());
        let portions = Portions::new(source.clone(), step, steps, devices.len());
        let kept = Kept::default();
        let training = SupervisedTraining::new("", Arc::new(portions), Arc::new(Nothing))
            .with_training_strategy(exchange.strategy(devices.to_vec()).into())
            .with_custom_checkpointers(Dropped, kept.clone(), Dropped)
            .with_checkpointing_strategy(KeepLastNCheckpoints::new(1))
            .with_metric_logger(InMemoryMetricLogger::new())
            .with_application_logger(None)
            .renderer(Box::new(Quiet));
        let learner = Learner::new(learned, optimizer, rates);
        // What a device panics with comes as a panic.
        let result = catch_unwind(AssertUnwindSafe(|| training.launch(learner)))
            .map_err(|panic| Error::Internal { reason: words_of(panic.as_ref()) })?;
        if let Some(error) = result.error {
            let reason = error.to_string();
            return Err(match error.is_device_poisoned() {
                true => Error::DeviceLost { reason },
                false => Error::Internal { reason },
            });
        }
        let net = result.model.into_net();
        let moments = state::moments(&net, &self.trainer, kept.take())?;
        let mut seen = std::mem::take(&mut *seen.lock().expect("nobody panicked"));
        let on_own = |tensor: Tensor<1>| tensor.to_device(&devices[0]);
        let norm = seen
            .norm
            .take()
            .ok_or_else(|| Error::Internal { reason: "the learner made no step".to_owned() })?;
        let loss = Tensor::cat(seen.losses.into_iter().map(on_own).collect(), 0).sum();
        let weights = self.trainer.packed().join(weights::flatten(&net));
        self.trainer.adopt(weights, moments, steps, (loss, on_own(norm)), seen.targets);
        Ok(())
    }
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().cloned();
    words
        .or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()))
        .unwrap_or_else(|| "a device panicked".to_owned())
}
