//! Dropout with masks drawn on the CPU from (seed, step), so that a run repeats on every device
//! whatever else draws random numbers meanwhile.
//! Srivastava et al. 2014, <https://jmlr.org/papers/v15/srivastava14a.html>.

use std::cell::RefCell;
use std::ops::Range;

use burn::tensor::{Tensor, TensorData};

use crate::rng::{Purpose, Rng};

/// The dropout of one training step. Masks come in the order of the calls.
#[derive(Debug)]
pub struct Dropout {
    rate: f32,
    rng: RefCell<Rng>,
    /// Which rows of a batch of how many; `None` for all of them.
    rows: Option<(Range<usize>, usize)>,
}

impl Dropout {
    /// Zeroes a share of `rate` of the elements, `0 <= rate < 1`; `None` if that is none at all.
    pub fn new(rate: f32, seed: u32, step: u64) -> Option<Self> {
        let rng = RefCell::new(Rng::new(seed, Purpose::Dropout, step));
        (rate > 0.0).then_some(Self { rate, rng, rows: None })
    }

    /// For some rows of a batch of `of`: the masks that these rows have in the whole of it.
    pub fn for_rows(self, rows: Range<usize>, of: usize) -> Self {
        Self { rows: Some((rows, of)), ..self }
    }

    /// The first axis counts rows. Scales what is kept by `1 / (1 - rate)`, so that the expectation stays.
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        let keep = 1.0 - self.rate;
        let mut mask = vec![0.0; x.shape().num_elements()];
        let mut rng = self.rng.borrow_mut();
        let (before, after) = match &self.rows {
            Some((rows, of)) => {
                assert_eq!(
                    x.dims()[0],
                    rows.len(),
                    "what is dropped has a row for each of the batch"
                );
                let each = mask.len() / rows.len();
                (rows.start * each, (of - rows.end) * each)
            }
            None => (0, 0),
        };
        rng.skip(before as u64);
        rng.fill_bernoulli(&mut mask, keep, keep.recip());
        rng.skip(after as u64);
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

#[cfg(test)]
mod tests {
    use super::Dropout;
    use burn::tensor::Tensor;

    #[test]
    fn rows_have_the_masks_they_have_in_the_whole_batch() {
        let device = crate::device::cpu();
        let whole = Dropout::new(0.5, 7, 3).expect("some are dropped");
        let parts = [0..1, 1..4, 4..6]
            .map(|rows| Dropout::new(0.5, 7, 3).expect("some are dropped").for_rows(rows, 6));
        for width in [5, 1, 16] {
            let mask = whole.forward(Tensor::<2>::ones([6, width], &device));
            let sizes = [1, 3, 2].into_iter();
            let pieces = sizes
                .zip(&parts)
                .map(|(rows, dropout)| dropout.forward(Tensor::<2>::ones([rows, width], &device)));
            let together = Tensor::cat(pieces.collect(), 0);
            together.into_data().assert_eq(&mask.into_data(), true);
        }
    }
}
