//! Dropout with masks drawn on the CPU from (seed, step), so that a run repeats on every device
//! whatever else draws random numbers meanwhile.
//! Srivastava et al. 2014, <https://jmlr.org/papers/v15/srivastava14a.html>.

use std::cell::RefCell;

use burn::tensor::{Tensor, TensorData};

use crate::rng::{Purpose, Rng};

/// The dropout of one training step. Masks come in the order of the calls.
#[derive(Debug)]
pub struct Dropout {
    rate: f32,
    rng: RefCell<Rng>,
}

impl Dropout {
    /// Zeroes a share of `rate` of the elements, `0 <= rate < 1`; `None` if that is none at all.
    pub fn new(rate: f32, seed: u32, step: u64) -> Option<Self> {
        let rng = RefCell::new(Rng::new(seed, Purpose::Dropout, step));
        (rate > 0.0).then_some(Self { rate, rng })
    }

    /// Scales what is kept by `1 / (1 - rate)`, so that the expectation stays.
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        let keep = 1.0 - self.rate;
        let mut mask = vec![0.0; x.shape().num_elements()];
        self.rng.borrow_mut().fill_bernoulli(&mut mask, keep, keep.recip());
        x.clone() * Tensor::from_data(TensorData::new(mask, x.dims()), &x.device())
    }
}

/// [`Dropout::forward`] where there is dropout.
pub(crate) fn maybe<const D: usize>(dropout: Option<&Dropout>, x: Tensor<D>) -> Tensor<D> {
    match dropout {
        Some(dropout) => dropout.forward(x),
        None => x,
    }
}
