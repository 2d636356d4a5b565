//! What some of the targets of a training step add to it: the unit in which workers share a step.

use burn::module::Module;
use burn::tensor::{Tensor, TensorData, Transaction};

use super::packed::Packed;
use crate::error::Result;
use crate::weights::lost;

/// Loss and gradient of some of the targets of a step. Those of all targets, added up, are the step's.
#[derive(Debug, Clone)]
pub struct Contribution {
    /// Sum of the losses in nats, `[1]`
    pub(super) loss: Tensor<1>,
    /// Their share in the gradient of the mean loss over the whole step, `[len]`
    pub(super) gradient: Tensor<1>,
}

impl Contribution {
    /// `loss` gives the sum of the losses of some targets; the whole step has `targets`.
    pub fn compute<M: Module>(
        model: &M,
        packed: &Packed,
        targets: u64,
        loss: impl FnOnce(&M) -> Tensor<1>,
    ) -> Self {
        let sum = loss(model);
        let mut gradients = sum.clone().div_scalar(targets as f64).backward();
        let gradient = packed.gradients(model, &mut gradients);
        Self { loss: sum.inner(), gradient }
    }

    /// What another worker has read, for weights packed like this.
    ///
    /// # Panics
    ///
    /// If `gradient` has another length than the packed weights.
    pub fn received(loss: f32, gradient: Vec<f32>, packed: &Packed) -> Self {
        assert_eq!(gradient.len(), packed.len(), "workers hold the same weights");
        let tensor = |values: Vec<f32>| {
            let len = values.len();
            Tensor::from_data(TensorData::new(values, [len]), packed.device())
        };
        Self { loss: tensor(vec![loss]), gradient: tensor(gradient) }
    }

    /// The sum of two. Rounding makes the order matter.
    pub fn plus(self, other: Self) -> Self {
        Self { loss: self.loss + other.loss, gradient: self.gradient + other.gradient }
    }

    /// Loss and gradient, read from the device.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`](crate::Error::DeviceLost)
    pub async fn read(self) -> Result<(f32, Vec<f32>)> {
        let read = Transaction::default().register(self.loss).register(self.gradient);
        let [loss, gradient] =
            <[TensorData; 2]>::try_from(read.execute_async().await.map_err(lost)?)
                .expect("two were registered");
        let loss = loss.try_into_vec::<f32>().map_err(lost)?;
        Ok((loss[0], gradient.try_into_vec::<f32>().map_err(lost)?))
    }
}
