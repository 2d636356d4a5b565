//! Training runs: a call of `train`, step by step.

use super::Session;
use super::loss::{CausalMask, cost, guesses};
use crate::config::TrainConfig;
use crate::data::corpus::{Batch, Corpus, Feed, FeedConfig};
use crate::error::{Error, Result};
use crate::model::Dropout;
use crate::value::Value;

/// Share of the words of texts to classify that are dropped, to that of activations: few of a short
/// text say what it is.
const WORDS_TO_ACTIVATIONS: f32 = 0.5;

/// A run that was begun and not ended.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) config: TrainConfig,
    /// Step at which the run ends.
    end: u64,
    pub(super) training: Feed,
    /// Never trained on.
    pub(super) held_out: Option<Corpus>,
    pub(super) causal: CausalMask,
    pub(super) last_rate: f64,
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
    /// Nats per token (in classification: per row), mean since the last report.
    pub loss: f64,
    /// Rate of the last step.
    pub learning_rate: f64,
    /// Global norm of the last step's gradient, before clipping.
    pub gradient_norm: f64,
    /// Target tokens since the last report.
    pub tokens: u64,
}

impl Session {
    /// Makes a run ready.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOption`], [`Error::InvalidData`] if there is no data or what is left after
    /// holding out a share is too short, [`Error::Busy`] while another run is open.
    pub fn begin_training(&mut self, options: &Value) -> Result<RunInfo> {
        self.check_idle()?;
        self.begin(TrainConfig::parse(options, self.trainer.step_count())?)
    }

    /// The same with settings that are no JSON.
    ///
    /// # Errors
    ///
    /// As [`Session::begin_training`].
    pub fn begin_training_with(&mut self, config: TrainConfig) -> Result<RunInfo> {
        self.check_idle()?;
        config.check()?;
        self.begin(config)
    }

    fn check_idle(&self) -> Result<()> {
        match self.run {
            None => Ok(()),
            Some(_) => {
                let what = "this model is being trained; end that run first";
                Err(Error::Busy { what: what.to_owned() })
            }
        }
    }

    fn begin(&mut self, config: TrainConfig) -> Result<RunInfo> {
        let start = self.trainer.step_count();
        self.check_fits(config.batch)?;
        let corpus = self.corpus.as_ref().ok_or_else(|| {
            Error::data("the model was loaded without data; pass data to load() to train it")
        })?;
        let (training, held_out) = corpus.split(config.validation, self.spec.seed)?;
        training.check_trainable(self.spec.max_length, held_out.as_ref())?;
        let feed = FeedConfig {
            task: self.spec.task,
            max_length: self.spec.max_length,
            size: config.batch,
            dropout: WORDS_TO_ACTIVATIONS * self.spec.dropout_rate(),
            seed: self.spec.seed,
        };
        let run = Run {
            end: start + config.steps,
            training: Feed::new(training, feed)?,
            held_out,
            causal: CausalMask::new(&self.device),
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
        let (rate, batch) = self.next_batch()?;
        let dropout = Dropout::new(self.spec.dropout_rate(), self.spec.seed, step);
        let run = self.run.as_mut().expect("it has just given a batch");
        let (causal, device) = (&mut run.causal, &self.device);
        self.trainer.step(rate, batch.targets(), |net| {
            cost(guesses(net, &batch, causal, dropout.as_ref()), &batch, device)
        });
        Ok(())
    }

    /// Rate and batch of the step to be made.
    pub(super) fn next_batch(&mut self) -> Result<(f64, Batch)> {
        let step = self.trainer.step_count();
        let run = self.run.as_mut().filter(|run| step < run.end);
        let run = run.ok_or_else(|| Error::Internal { reason: "no step to make".to_owned() })?;
        run.last_rate = run.config.schedule.rate(step);
        Ok((run.last_rate, run.training.batch(step, &self.tokenizer)))
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
            self.shared = None;
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
        self.shared = None;
    }
}
