//! A model as Burn's learner takes it: what a portion of a batch comes to, and how the gradients of
//! all are followed.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::lr_scheduler::module_lr_scheduler::ModuleLearningRate;
use burn::optim::{GradientsParams, ModuleOptimizer, MultiGradientsParams};
use burn::tensor::Tensor;
use burn::train::{InferenceStep, ItemLazy, TrainOutput, TrainStep};

use super::super::loss::{CausalMask, cost, guesses};
use super::portions::Portion;
use crate::config::ModelSpec;
use crate::model::{Dropout, Net};

/// What was seen of some steps, on whatever device.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Sums of the losses of portions, `[1]` each.
    pub(super) losses: Vec<Tensor<1>>,
    /// The targets that these are of.
    pub(super) targets: u64,
    /// Norm of the last gradient before clipping, `[1]`.
    pub(super) norm: Option<Tensor<1>>,
}

/// What goes with the model to every device.
#[derive(Debug, Clone)]
struct Settings {
    /// The longest gradient.
    clip: f64,
    dropout: f32,
    seed: u32,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Module, Debug)]
pub(super) struct Learned {
    net: Net,
    #[module(skip)]
    settings: Settings,
}

impl Learned {
    pub(super) fn new(net: Net, clip: f64, spec: &ModelSpec, seen: Arc<Mutex<Seen>>) -> Self {
        let settings = Settings { clip, dropout: spec.dropout_rate(), seed: spec.seed, seen };
        Self { net, settings }
    }

    pub(super) fn into_net(self) -> Net {
        self.net
    }

    /// Gradients whose norm, over all weights together, is at most the longest.
    fn clipped(&self, mut gradients: GradientsParams) -> GradientsParams {
        let mut squares = Squares { gradients: &gradients, sum: None };
        self.net.visit(&mut squares);
        let Some(sum) = squares.sum else { return gradients };
        let norm = sum.sqrt();
        if self.settings.clip.is_finite() {
            // The small summand keeps a zero gradient from being divided by zero.
            let scale = norm.clone().add_scalar(1e-6).recip().mul_scalar(self.settings.clip);
            let scale = scale.clamp_max(1.0);
            self.net.visit(&mut Scaled { gradients: &mut gradients, scale });
        }
        self.settings.seen.lock().expect("nobody panicked").norm = Some(norm);
        gradients
    }
}

/// The sum of the squares of all gradients.
struct Squares<'a> {
    gradients: &'a GradientsParams,
    sum: Option<Tensor<1>>,
}

impl ModuleVisitor for Squares<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Some(gradient) = self.gradients.get::<D>(param.id) else { return };
        let squares = gradient.square().sum();
        self.sum = Some(match self.sum.take() {
            Some(sum) => squares.to_device(&sum.device()) + sum,
            None => squares,
        });
    }
}

/// All gradients times a number.
struct Scaled<'a> {
    gradients: &'a mut GradientsParams,
    scale: Tensor<1>,
}

impl ModuleVisitor for Scaled<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Some(gradient) = self.gradients.remove::<D>(param.id) else { return };
        let scale = self.scale.clone().to_device(&gradient.device()).reshape([1; D]);
        self.gradients.register(param.id, gradient * scale);
    }
}

/// The gradients of several devices, each weight's added up on the device that Burn has chosen for it.
struct Added<'a> {
    of_devices: &'a mut MultiGradientsParams,
    sums: GradientsParams,
}

impl ModuleVisitor for Added<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some((sum, _device)) = self.of_devices.remove::<D>(param.id) {
            self.sums.register(param.id, sum);
        }
    }
}

/// The learner is told nothing of a step: losses stay on their devices.
pub(super) struct Made;

impl ItemLazy for Made {
    fn sync(self) -> Result<Self, burn::tensor::ExecutionError> {
        Ok(self)
    }
}

impl TrainStep for Learned {
    type Input = Portion;
    type Output = Made;

    fn step(&self, portion: Portion) -> TrainOutput<Made> {
        let Settings { dropout, seed, seen, .. } = &self.settings;
        let device = self.net.device();
        let share = &portion.share;
        let dropout = Dropout::new(*dropout, *seed, portion.step);
        let dropout = dropout.map(|dropout| dropout.for_rows(share.rows.clone(), share.of));
        let mut causal = CausalMask::new(&device);
        let guesses = guesses(&self.net, &share.batch, &mut causal, dropout.as_ref());
        let sum = cost(guesses, &share.batch, &device);
        let weight = if portion.counts { 1.0 / portion.targets as f64 } else { 0.0 };
        let gradients = sum.clone().mul_scalar(weight).backward();
        if portion.counts {
            let mut seen = seen.lock().expect("nobody panicked");
            seen.losses.push(sum.inner());
            seen.targets += share.batch.targets();
        }
        TrainOutput::new(self, gradients, Made)
    }

    fn optimize(
        self,
        optimizer: &mut ModuleOptimizer,
        rate: ModuleLearningRate,
        gradients: GradientsParams,
    ) -> Self {
        let gradients = self.clipped(gradients);
        optimizer.step(rate, self, gradients)
    }

    fn optimize_multi(
        self,
        optimizer: &mut ModuleOptimizer,
        rate: ModuleLearningRate,
        mut gradients: MultiGradientsParams,
    ) -> Self {
        let mut added = Added { of_devices: &mut gradients, sums: GradientsParams::new() };
        self.net.visit(&mut added);
        // A weight is updated where its gradient is.
        let sums = self.clipped(added.sums);
        optimizer.step(rate, self, sums)
    }
}

/// Nothing is validated by the learner: the session evaluates.
impl InferenceStep for Learned {
    type Input = Infallible;
    type Output = Made;

    fn step(&self, item: Infallible) -> Made {
        match item {}
    }
}
