//! Training runs: a call of `train`, step by step.

use burn::tensor::{Device, Int, Tensor, TensorData};

use super::{Session, check_length};
use crate::attention::Mask;
use crate::config::TrainConfig;
use crate::data::Windows;
use crate::data::windows::Batch;
use crate::error::{Error, Result};
use crate::model::language_model::token_losses;
use crate::model::{Dropout, LanguageModel};
use crate::value::Value;

/// A run that was begun and not ended.
#[derive(Debug)]
pub(super) struct Run {
    config: TrainConfig,
    /// Step at which the run ends.
    end: u64,
    training: Windows,
    pub(super) held_out: Option<HeldOut>,
    mask: Mask,
    last_rate: f64,
}

/// The last share of the text, never trained on.
#[derive(Debug, Clone)]
pub(super) struct HeldOut {
    pub(super) windows: Windows,
    /// Unicode code points of all tokens but the first, which is not scored.
    pub(super) code_points: u64,
}

/// What a caller needs to know to drive a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunInfo {
    /// Model step before the run.
    pub start: u64,
    /// Model step after it.
    pub end: u64,
    /// Steps between reports.
    pub every: u64,
    /// Whether a share is held out.
    pub validation: bool,
}

/// What was learned since the last report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunReport {
    /// Model step.
    pub step: u64,
    /// Model step at which the run ends.
    pub steps: u64,
    /// Nats per token, mean since the last report.
    pub loss: f64,
    /// Rate of the last step.
    pub learning_rate: f64,
    /// Global norm of the last step's gradient, before clipping.
    pub gradient_norm: f64,
    /// Target tokens since the last report.
    pub tokens: u64,
}

/// Ids of a batch on the device, `[batch, len]` each: inputs and targets.
pub(super) fn upload(batch: Batch, device: &Device) -> (Tensor<2, Int>, Tensor<2, Int>) {
    let shape = [batch.batch, batch.len];
    let ids = |values| Tensor::from_data(TensorData::new(values, shape), device);
    (ids(batch.inputs), ids(batch.targets))
}

impl Session {
    /// Makes a run ready.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOption`], [`Error::InvalidData`] if there is no data or what is left after
    /// holding out a share is too short, [`Error::Busy`] while another run is open.
    pub fn begin_training(&mut self, options: &Value) -> Result<RunInfo> {
        if self.run.is_some() {
            let what = "this model is being trained; end that run first";
            return Err(Error::Busy { what: what.to_owned() });
        }
        let start = self.trainer.step_count();
        let config = TrainConfig::parse(options, start)?;
        let text = self.text.as_ref().ok_or_else(|| {
            Error::data("the model was loaded without data; pass data to load() to train it")
        })?;
        let held_out = (text.ids.len() as f64 * config.validation).round() as usize;
        let split = text.ids.len() - held_out;
        let (training, rest) = text.ids.split_at(split);
        check_length(training.len(), &self.spec)?;
        if config.validation > 0.0 && rest.len() < 2 {
            let reason = format!("a share of {} holds out fewer than 2 tokens", config.validation);
            return Err(Error::data(reason));
        }
        let windows = |tokens: &[u32]| Windows::new(tokens.to_vec(), self.spec.max_length);
        let run = Run {
            end: start + config.steps,
            training: windows(training),
            held_out: (config.validation > 0.0).then(|| HeldOut {
                windows: windows(rest),
                code_points: text.code_points[split + 1..].iter().map(|&n| u64::from(n)).sum(),
            }),
            mask: LanguageModel::mask(self.spec.max_length, &self.device),
            last_rate: config.schedule.rate(start),
            config,
        };
        self.trainer.set_optimizer(config.optimizer);
        let info = RunInfo {
            start,
            end: run.end,
            every: config.every,
            validation: run.held_out.is_some(),
        };
        self.run = Some(run);
        Ok(info)
    }

    /// One optimizer step; nothing is read back.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] if no run is open or it has made all its steps.
    pub fn train_step(&mut self) -> Result<()> {
        let step = self.trainer.step_count();
        let run = self.run.as_mut().filter(|run| step < run.end);
        let run = run.ok_or_else(|| Error::Internal { reason: "no step to make".to_owned() })?;
        let seed = self.spec.seed;
        let batch = run.training.batch(seed, step, run.config.batch);
        let targets = batch.targets.len() as u64;
        let (inputs, wanted) = upload(batch, &self.device);
        let dropout = Dropout::new(self.spec.dropout, seed, step);
        run.last_rate = run.config.schedule.rate(step);
        let mask = &run.mask;
        self.trainer.step(run.last_rate, targets, |model| {
            token_losses(model.forward(inputs, mask, dropout.as_ref()), wanted).sum()
        });
        Ok(())
    }

    /// Waits until the device has done what was queued.
    pub async fn settle(&self) -> Result<()> {
        self.trainer.settle().await
    }

    /// Reads what was learned since the last report.
    ///
    /// # Errors
    ///
    /// [`Error::Diverged`]: the state of the last good report is back, and the run is over.
    pub async fn report(&mut self) -> Result<RunReport> {
        let readings = self.trainer.report().await;
        if readings.is_err() {
            self.run = None;
        }
        let readings = readings?;
        let run = self.run.as_ref().ok_or_else(|| Error::Internal { reason: "no run".into() })?;
        Ok(RunReport {
            step: self.trainer.step_count(),
            steps: run.end,
            loss: readings.loss,
            learning_rate: run.last_rate,
            gradient_norm: readings.gradient_norm,
            tokens: readings.targets,
        })
    }

    /// Ends the open run, if any.
    pub fn end_training(&mut self) {
        self.trainer.forget_losses();
        self.run = None;
    }
}
