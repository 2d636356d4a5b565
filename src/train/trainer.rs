//! A model, its optimizer and the sums of what training saw: everything a step needs but data.

use burn::module::Module;
use burn::tensor::{Tensor, Transaction};

use super::contribution::Contribution;
use super::optimizer::{Moments, Optimizer, OptimizerConfig};
use super::packed::Packed;
use crate::error::{Error, Result};
use crate::weights;

/// What was read back for a report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Readings {
    /// Mean loss in nats per target since the last report; NaN if no step was made.
    pub loss: f64,
    /// Global gradient norm of the last step, before clipping.
    pub gradient_norm: f64,
    /// Targets that carried loss since the last report.
    pub targets: u64,
}

/// Trains a model of any task.
#[derive(Debug)]
pub struct Trainer<M> {
    model: M,
    packed: Packed,
    state: State,
    optimizer: OptimizerConfig,
    /// State at the last report whose loss was finite.
    good: State,
    /// Sum of the losses of all targets since the last report, and the last gradient norm.
    seen: Option<(Tensor<1>, Tensor<1>)>,
    targets: u64,
    /// Counts every change of the weights, steps taken back included.
    version: u64,
}

/// What a step changes. Cloning shares the tensors.
#[derive(Debug, Clone)]
struct State {
    weights: Tensor<1>,
    moments: Option<Moments>,
    step: u64,
}

impl<M: Module> Trainer<M> {
    /// Takes a model on a device with autodiff, that has made `step` steps.
    pub fn new(model: M, step: u64) -> Self {
        let packed = Packed::new(&model);
        let weights = packed.join(weights::flatten(&model));
        let model = packed.unpack(model, &weights);
        let state = State { weights, moments: None, step };
        let optimizer = OptimizerConfig::default();
        Self {
            model,
            packed,
            good: state.clone(),
            state,
            optimizer,
            seen: None,
            targets: 0,
            version: 0,
        }
    }

    /// The model with its present weights, on a device with autodiff.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// The model without autodiff, for inference. Shares the weights.
    pub fn inference_model(&self) -> M {
        self.model.valid()
    }

    /// Another number for other weights: what was computed from the weights can be kept as long as
    /// this stays.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Optimizer steps made so far.
    pub fn step_count(&self) -> u64 {
        self.state.step
    }

    /// Where the trainable weights stand in flat tensors.
    pub fn packed(&self) -> &Packed {
        &self.packed
    }

    /// All trainable weights, flat.
    pub fn weights(&self) -> &Tensor<1> {
        &self.state.weights
    }

    /// The optimizer's moments, flat.
    pub fn moments(&self) -> Option<&Moments> {
        self.state.moments.as_ref()
    }

    /// Settings of the optimizer.
    pub fn optimizer(&self) -> OptimizerConfig {
        self.optimizer
    }

    /// Sets the optimizer. Its moments are kept unless the rule changes.
    pub fn set_optimizer(&mut self, config: OptimizerConfig) {
        if config.kind != self.optimizer.kind {
            self.state.moments = None;
            self.good = self.state.clone();
        }
        self.optimizer = config;
    }

    /// Sets the moments, as read from a file.
    pub fn set_moments(&mut self, moments: Moments) {
        self.state.moments = Some(moments);
        self.good = self.state.clone();
    }

    /// One optimizer step at `rate`. Nothing is read back.
    ///
    /// `loss` gives the sum of the losses of `targets` targets; the step follows their mean.
    pub fn step(&mut self, rate: f64, targets: u64, loss: impl FnOnce(&M) -> Tensor<1>) {
        let contribution = Contribution::compute(&self.model, &self.packed, targets, loss);
        self.follow(rate, targets, contribution);
    }

    /// One optimizer step at `rate` after what its `targets` targets come to, all together.
    pub fn follow(&mut self, rate: f64, targets: u64, contribution: Contribution) {
        let Contribution { loss: sum, gradient } = contribution;
        let mut optimizer =
            Optimizer { config: self.optimizer, moments: self.state.moments.take() };
        let (weights, norm) = optimizer.step(rate, self.state.weights.clone(), gradient);
        self.state = State { weights, moments: optimizer.moments, step: self.state.step + 1 };
        self.renew();
        self.seen = Some(match self.seen.take() {
            Some((before, _)) => (before + sum, norm),
            None => (sum, norm),
        });
        self.targets += targets;
    }

    /// Takes over what `steps` optimizer steps made elsewhere came to: weights and moments, the sum of
    /// the losses of `targets` targets, and the last gradient norm, `[1]` each.
    #[cfg(feature = "distributed")]
    pub(crate) fn adopt(
        &mut self,
        weights: Tensor<1>,
        moments: Option<Moments>,
        steps: u64,
        (sum, norm): (Tensor<1>, Tensor<1>),
        targets: u64,
    ) {
        self.state = State { weights, moments, step: self.state.step + steps };
        self.renew();
        self.seen = Some(match self.seen.take() {
            Some((before, _)) => (before + sum, norm),
            None => (sum, norm),
        });
        self.targets += targets;
    }

    /// All trainable weights, flat, read from the device.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`]
    pub async fn read_weights(&self) -> Result<Vec<f32>> {
        weights::values(&self.state.weights).await
    }

    /// The model and where its weights stand; what the optimizer remembers is dropped.
    pub fn into_parts(self) -> (M, Packed) {
        (self.model, self.packed)
    }

    /// Makes the model's weights views of the present state.
    fn renew(&mut self) {
        self.version += 1;
        // The model is moved through the mapping; a clone of its handles stands in meanwhile.
        self.model = self.packed.unpack(self.model.clone(), &self.state.weights);
    }

    /// Reads the losses since the last report, and waits for the device in doing so.
    ///
    /// # Errors
    ///
    /// - [`Error::Diverged`] if the loss is not finite; the state of the last good report is back
    /// - [`Error::DeviceLost`]
    pub async fn report(&mut self) -> Result<Readings> {
        let targets = std::mem::take(&mut self.targets);
        let Some((sum, norm)) = self.seen.take() else {
            return Ok(Readings { loss: f64::NAN, gradient_norm: f64::NAN, targets });
        };
        // The new weights are looked at too: a step can leave finite losses and infinite weights.
        let probe = self.state.weights.clone().sum();
        let read = Transaction::default().register(Tensor::cat(vec![sum, norm, probe], 0));
        let data = read.execute_async().await.map_err(weights::lost)?;
        let values = data[0].try_to_vec::<f32>().map_err(weights::lost)?;
        if values.iter().any(|value| !value.is_finite()) {
            let step = self.state.step;
            self.state = self.good.clone();
            self.renew();
            return Err(Error::Diverged { step, restored: self.state.step });
        }
        self.good = self.state.clone();
        let loss = f64::from(values[0]) / targets as f64;
        Ok(Readings { loss, gradient_norm: f64::from(values[1]), targets })
    }

    /// Forgets the losses since the last report, of a run that was left before its next one. They
    /// would be counted in the next run, whose time does not include theirs.
    pub fn forget_losses(&mut self) {
        self.seen = None;
        self.targets = 0;
    }

    /// Waits until the device has done what was queued.
    pub async fn settle(&self) -> Result<()> {
        match &self.seen {
            Some((sum, _)) => sum.to_data_async().await.map(drop).map_err(weights::lost),
            None => Ok(()),
        }
    }
}
