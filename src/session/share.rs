//! One training step by several workers. The first owns the model: it cuts the batch into shares,
//! adds up what they come to in the order of the workers, and takes the step. The others hold
//! nothing of the model but its form: weights come with each share.

use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::Session;
use super::loss::{CausalMask, cost, guesses};
use crate::config::ModelSpec;
use crate::data::share::Share;
use crate::error::{Error, Result};
use crate::model::{Dropout, Net};
use crate::train::{Contribution, Packed};

/// A worker's part of a step.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Assignment {
    /// Steps the model made before this one.
    step: u64,
    /// Targets of the whole step.
    targets: u64,
    share: Share,
}

impl Assignment {
    fn compute(
        &self,
        net: &Net,
        packed: &Packed,
        spec: &ModelSpec,
        causal: &mut CausalMask,
    ) -> Contribution {
        let Share { batch, rows, of } = &self.share;
        let dropout = Dropout::new(spec.dropout_rate(), spec.seed, self.step);
        let dropout = dropout.map(|dropout| dropout.for_rows(rows.clone(), *of));
        let device = net.device();
        Contribution::compute(net, packed, self.targets, |net| {
            cost(guesses(net, batch, causal, dropout.as_ref()), batch, &device)
        })
    }
}

/// A step that was begun and not finished.
#[derive(Debug)]
pub(super) struct SharedStep {
    rate: f64,
    targets: u64,
    /// The first worker's part, until it is computed.
    own: Option<Assignment>,
    /// What has been added up so far.
    sum: Option<Contribution>,
}

impl SharedStep {
    fn add(&mut self, contribution: Contribution) {
        self.sum = Some(match self.sum.take() {
            Some(sum) => sum.plus(contribution),
            None => contribution,
        });
    }
}

fn no_step() -> Error {
    Error::Internal { reason: "no shared step was begun".to_owned() }
}

impl Session {
    /// Begins an optimizer step by `workers` of them. Gives the assignment of each worker after the
    /// first, `None` for one with nothing to do: the batch may have fewer rows. Then come
    /// [`Session::compute_own_share`], [`Session::add_share`] in the order of the workers, and
    /// [`Session::finish_step`].
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] if no run is open or it has made all its steps.
    pub fn begin_step(&mut self, workers: usize) -> Result<Vec<Option<String>>> {
        let step = self.trainer.step_count();
        let (rate, batch) = self.next_batch()?;
        let targets = batch.targets();
        let assign = |share: Option<Share>| share.map(|share| Assignment { step, targets, share });
        let mut assignments = Share::cut(&batch, workers).into_iter().map(assign);
        let own = assignments.next().flatten();
        let json = |assignment| serde_json::to_string(&assignment).expect("plain numbers");
        let others = assignments.map(|assignment| assignment.map(json)).collect();
        self.shared = Some(SharedStep { rate, targets, own, sum: None });
        Ok(others)
    }

    /// Computes the first worker's share, if it has one.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] if no step was begun.
    pub fn compute_own_share(&mut self) -> Result<()> {
        let shared = self.shared.as_mut().ok_or_else(no_step)?;
        let Some(own) = shared.own.take() else { return Ok(()) };
        let run = self.run.as_mut().ok_or_else(no_step)?;
        let (net, packed) = (self.trainer.model(), self.trainer.packed());
        shared.add(own.compute(net, packed, &self.spec, &mut run.causal));
        Ok(())
    }

    /// Adds what another worker has computed.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] if no step was begun.
    pub fn add_share(&mut self, loss: f32, gradient: Vec<f32>) -> Result<()> {
        let shared = self.shared.as_mut().ok_or_else(no_step)?;
        shared.add(Contribution::received(loss, gradient, self.trainer.packed()));
        Ok(())
    }

    /// Takes the step that all shares together ask for; nothing is read back.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] if no step was begun, or nothing of it computed.
    pub fn finish_step(&mut self) -> Result<()> {
        let SharedStep { rate, targets, sum, .. } = self.shared.take().ok_or_else(no_step)?;
        self.trainer.follow(rate, targets, sum.ok_or_else(no_step)?);
        Ok(())
    }

    /// Length of [`Session::flat_weights`] and of every gradient.
    pub fn flat_len(&self) -> usize {
        self.trainer.packed().len()
    }

    /// All trainable weights as one list, which another worker's [`Helper`] computes with.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`]
    pub async fn flat_weights(&self) -> Result<Vec<f32>> {
        self.trainer.read_weights().await
    }
}

/// A model as a worker after the first has it.
#[derive(Debug)]
pub struct Helper {
    net: Net,
    packed: Packed,
    spec: ModelSpec,
    causal: CausalMask,
    /// Without autodiff.
    device: Device,
}

impl Helper {
    /// From the file of the model.
    ///
    /// # Errors
    ///
    /// As [`Session::load`].
    pub fn load(file: &[u8], device: &Device) -> Result<Self> {
        let Session { spec, device, trainer, .. } = Session::load(file, None, device)?;
        let causal = CausalMask::new(&device);
        let (net, packed) = trainer.into_parts();
        Ok(Self { net, packed, spec, causal, device })
    }

    /// Loss and gradient of a share, with the weights of [`Session::flat_weights`].
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] for what [`Session::begin_step`] never gave, or weights of another model.
    pub async fn compute(
        &mut self,
        assignment: &str,
        weights: Vec<f32>,
    ) -> Result<(f32, Vec<f32>)> {
        let assignment: Assignment = serde_json::from_str(assignment)
            .map_err(|error| Error::Internal { reason: format!("no assignment: {error}") })?;
        if weights.len() != self.packed.len() {
            let (found, expected) = (weights.len(), self.packed.len());
            let reason = format!("{found} weights for a model of {expected}");
            return Err(Error::Internal { reason });
        }
        let len = weights.len();
        let flat = Tensor::from_data(TensorData::new(weights, [len]), &self.device);
        // The model is moved through the mapping; a clone of its handles stands in meanwhile.
        self.net = self.packed.unpack(self.net.clone(), &flat);
        assignment.compute(&self.net, &self.packed, &self.spec, &mut self.causal).read().await
    }
}
