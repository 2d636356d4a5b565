//! Random sizes, weights and inputs for laws that hold for every kind.

use std::fmt;

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestRunner};
use synthattn::attention::{AnyMixer, Dims, KINDS, Kind, KindOptions, Mixing};
use synthattn::init::Init;
use synthattn::rng::{Purpose, Rng};
use synthattn::weights;

/// Random trials of each law, beside [`Trial::fixed`]. Each goes through every kind.
const TRIALS: u32 = 24;

/// Sizes and the seed of weights and inputs. Printed when a law fails: it says everything.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Of weights and inputs.
    pub seed: u32,
    /// Rows.
    pub batch: usize,
    /// Tokens a row, at most `max_len`.
    pub len: usize,
    /// Width, heads and longest input.
    pub dims: Dims,
    /// Settings of kinds.
    pub options: KindOptions,
}

impl Trial {
    /// Sizes that must be tried whatever chance brings: one token, a prime, a long odd one.
    fn fixed() -> impl Iterator<Item = Trial> {
        [(1, 1), (1, 7), (7, 7), (7, 104), (104, 104)].into_iter().map(|(len, max_len)| {
            let dims = Dims { d_model: 15, heads: 3, max_len };
            Trial { seed: 1, batch: 2, len, dims, options: KindOptions::defaults(&dims) }
        })
    }

    /// The smallest sizes that show anything.
    pub fn small() -> Trial {
        let dims = Dims { d_model: 8, heads: 2, max_len: 6 };
        Trial { seed: 0, batch: 2, len: 6, dims, options: KindOptions::defaults(&dims) }
    }

    fn random() -> impl Strategy<Value = Trial> {
        let longest = prop_oneof![select(vec![1, 2, 7, 12, 16, 35, 104]), 1_usize..40];
        let len = prop_oneof![Just(None), any::<Index>().prop_map(Some)];
        let sizes = (select(vec![1, 2, 3, 7]), 1_usize..8, longest, len, 1_usize..4);
        let widths = (1_usize..6, 1_usize..7, 0_usize..5, any::<Index>(), 1_usize..9);
        let options = (widths, any::<Index>(), select(Mixing::ALL.to_vec()));
        (any::<u32>(), sizes, options).prop_map(|(seed, sizes, options)| {
            let (heads, d_head, max_len, len, batch) = sizes;
            let ((rank, hidden, half_kernel, projected, tokens_hidden), divisor, mixing) = options;
            let divisors: Vec<_> = (1..=max_len).filter(|a| max_len.is_multiple_of(*a)).collect();
            Trial {
                seed,
                batch,
                len: len.map_or(max_len, |len| len.index(max_len) + 1),
                dims: Dims { d_model: heads * d_head, heads, max_len },
                options: KindOptions {
                    rank: rank.min(max_len),
                    hidden,
                    a: *divisor.get(&divisors),
                    mixing,
                    kernel: 2 * half_kernel + 1,
                    projected: 1 + projected.index(max_len),
                    tokens_hidden,
                    same_keys: seed % 2 == 0,
                },
            }
        })
    }

    /// A stream of numbers for the inputs of this trial.
    pub fn rng(&self, index: u64) -> Rng {
        Rng::new(self.seed, Purpose::Checks, index)
    }

    /// A whole number from `low` to `high`, the same each time for one `index`.
    pub fn number(&self, index: u64, low: usize, high: usize) -> usize {
        low + self.rng(index).below(high - low + 1)
    }

    /// Real tokens of each row where rows are padded.
    pub fn lengths(&self) -> Vec<usize> {
        (0..self.batch).map(|row| self.number(1000 + row as u64, 1, self.len)).collect()
    }

    /// Normal values, `[batch, len, d_model]`.
    pub fn values(&self, index: u64) -> Vec<f32> {
        let mut values = vec![0.0; self.batch * self.len * self.dims.d_model];
        self.rng(index).fill_normal(&mut values, 0.0, 1.0);
        values
    }

    /// Values as a tensor, `[batch, len, d_model]`.
    pub fn tensor(&self, values: Vec<f32>, device: &Device) -> Tensor<3> {
        let shape = [self.batch, self.len, self.dims.d_model];
        Tensor::from_data(TensorData::new(values, shape), device)
    }

    /// A layer of this kind whose weights are all random: fresh ones have zero biases and equal
    /// mixtures, which would hide mistakes.
    pub fn layer(&self, kind: &Kind, device: &Device) -> AnyMixer {
        let fresh = kind.init(&self.options, &self.dims, &Init::new(self.seed, device));
        randomised(fresh, self.seed)
    }
}

/// The device of all laws.
pub fn cpu() -> Device {
    synthattn::device::cpu()
}

/// Kinds that can hide the future, as a language model must.
pub fn causal_kinds() -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().filter(|kind| kind.causal())
}

/// The same module with every weight drawn at random.
pub fn randomised<M: Module>(module: M, seed: u32) -> M {
    // A module without weights has no device either.
    let Some(device) = module.devices().first().map(|device| device.clone().inner()) else {
        return module;
    };
    let entries = weights::list(&module);
    weights::replace(module, &mut |name| {
        let entry = entries.iter().find(|entry| entry.name == name)?;
        let mut values = vec![0.0; entry.len()];
        Rng::named(seed, name).fill_normal(&mut values, 0.0, 0.5);
        Some(Tensor::from_data(TensorData::new(values, [entry.len()]), &device))
    })
}

/// Tries a law at the fixed sizes and at random ones, which shrink when it fails.
pub fn holds(law: impl Fn(&Trial)) {
    Trial::fixed().for_each(|trial| law(&trial));
    // A failure prints its trial; nothing is written beside the sources.
    let config = Config { cases: TRIALS, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&Trial::random(), |trial| {
        law(&trial);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

/// The values of a tensor, row-major.
pub fn floats<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().expect("these tensors are f32")
}

/// Largest difference that summing in another order makes, relative to the largest value: f32 has
/// 24 bits, and softmax multiplies an error of a score by at most the score's own size.
const ROUNDING: f32 = 2e-5;

/// Both the same up to rounding.
pub fn assert_close(got: &[f32], want: &[f32], what: impl fmt::Debug) {
    assert_eq!(got.len(), want.len(), "{what:?}");
    let largest = want.iter().fold(1.0_f32, |most, x| most.max(x.abs()));
    for (at, (got, want)) in got.iter().zip(want).enumerate() {
        let close = (got - want).abs() <= ROUNDING * largest;
        assert!(close, "{what:?}: {got} at {at}, expected {want} up to {}", ROUNDING * largest);
    }
}
