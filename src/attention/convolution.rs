//! Convolutions whose kernel is a softmax over its taps, one for each head.
//! Wu et al., "Pay Less Attention with Lightweight and Dynamic Convolutions", sections 3 and 4,
//! <https://arxiv.org/abs/1901.10430>.

use burn::module::{Module, ModuleDisplay, Param};
use burn::tensor::{Tensor, activation};

use super::{Baseline, CausalMixer, Dims, KindOptions, Mask, TokenMixer};
use crate::init::Init;
use crate::model::layers::Linear;
use crate::ops;

/// Where a convolution takes its kernel from.
pub trait Kernel: Module + ModuleDisplay {
    /// Fresh weights.
    fn init(options: &KindOptions, dims: &Dims, init: &Init) -> Self;

    /// Number of weights.
    fn parameters(options: &KindOptions, dims: &Dims) -> u64;

    /// Kernels of every position, summing to one.
    ///
    /// # Shapes
    ///
    /// - u: `[batch, len, d_model]`, what is convolved
    /// - output: `[batch, len, heads, taps]`, or `[1, 1, heads, taps]` if it does not depend on `u`
    fn taps(&self, u: &Tensor<3>) -> Tensor<4>;
}

/// Lightweight: one kernel for all positions.
#[derive(Module, Debug)]
pub struct Light {
    /// `[heads, taps]`
    weight: Param<Tensor<2>>,
}

impl Kernel for Light {
    fn init(options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        let (heads, taps) = (dims.heads, options.kernel);
        Self { weight: init.xavier("weight", [heads, taps], taps, heads * taps) }
    }

    fn parameters(options: &KindOptions, dims: &Dims) -> u64 {
        let [_d_model, heads, _max_len] = dims.wide();
        heads * options.kernel as u64
    }

    fn taps(&self, _u: &Tensor<3>) -> Tensor<4> {
        activation::softmax(self.weight.val(), 1).unsqueeze()
    }
}

/// Dynamic: each token predicts the kernel of its position.
#[derive(Module, Debug)]
pub struct Dynamic {
    /// `[d_model, heads * taps]`
    weight: Param<Tensor<2>>,
    #[module(skip)]
    heads: usize,
}

impl Kernel for Dynamic {
    fn init(options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        let (d_model, heads) = (dims.d_model, dims.heads);
        let columns = heads * options.kernel;
        Self { weight: init.xavier("weight", [d_model, columns], d_model, columns), heads }
    }

    fn parameters(options: &KindOptions, dims: &Dims) -> u64 {
        let [d_model, heads, _max_len] = dims.wide();
        d_model * heads * options.kernel as u64
    }

    fn taps(&self, u: &Tensor<3>) -> Tensor<4> {
        let [batch, len, _d_model] = u.dims();
        let [_d_model, columns] = self.weight.dims();
        let scores = ops::linear(u.clone(), self.weight.val(), None);
        let scores = scores.reshape([batch, len, self.heads, columns / self.heads]);
        ops::softmax(scores, None)
    }
}

/// A gated linear map, a convolution along the sequence, a linear map.
#[derive(Module, Debug)]
pub struct Convolution<K: Kernel> {
    /// To what is convolved and its gate, `[d_model, 2 * d_model]`.
    conv_in: Linear,
    conv: K,
    conv_out: Linear,
    #[module(skip)]
    taps: usize,
}

/// The same kernel everywhere.
pub type LightweightConvolution = Convolution<Light>;
/// A kernel from each token.
pub type DynamicConvolution = Convolution<Dynamic>;

impl<K: Kernel> Convolution<K> {
    /// What is convolved: `a * sigmoid(b)` of the two halves of a linear map.
    fn gated(&self, x: Tensor<3>) -> Tensor<3> {
        let mut halves = self.conv_in.forward(x).chunk(2, 2);
        let gate = halves.pop().expect("two halves");
        halves.pop().expect("two halves") * activation::sigmoid(gate)
    }

    /// Taps before the position itself.
    fn before(&self, causal: bool) -> usize {
        if causal { self.taps - 1 } else { self.taps / 2 }
    }
}

/// Positions that are convolved in one matrix product. With bands of all positions the cost would
/// grow with the square of the length; with shifts of the whole sequence, one for each tap, there
/// would be more and slower operations.
const BLOCK: usize = 16;

/// Each position's sum of its window, weighted by its kernel: `[batch, len, d_model]`.
///
/// # Shapes
///
/// - taps: `[batch, len, heads, taps]` or `[1, 1, heads, taps]`
/// - window: `[batch, len + taps - 1, d_model]`, position `t` seeing `t..t + taps`
fn convolve(taps: Tensor<4>, window: Tensor<3>) -> Tensor<3> {
    let [batch, long, d_model] = window.dims();
    let [rows, positions, heads, count] = taps.dims();
    let len = long + 1 - count;
    // So that what a block sees ends within the next one.
    let block = BLOCK.min(len).max(count - 1);
    let blocks = len.div_ceil(block);
    let window = surrounded(window, 0, (blocks + 1) * block - long);
    let window = window.reshape([batch, blocks + 1, block, d_model]);
    let mut seen = window.clone().slice([0..batch, 0..blocks, 0..block, 0..d_model]);
    if count > 1 {
        let next = window.slice([0..batch, 1..blocks + 1, 0..count - 1, 0..d_model]);
        seen = Tensor::cat(vec![seen, next], 2);
    }
    let seen = seen.reshape([batch * blocks, block + count - 1, d_model]);
    let taps = match (rows, positions) {
        (1, 1) => taps.expand([1, block, heads, count]),
        _ => {
            let taps = taps.reshape([batch, len, heads * count]);
            let taps = surrounded(taps, 0, blocks * block - len);
            taps.reshape([batch * blocks, block, heads, count])
        }
    };
    let mixed = ops::mix(band(taps.swap_dims(1, 2)), seen);
    let mixed = mixed.reshape([batch, blocks * block, d_model]);
    match blocks * block == len {
        true => mixed,
        false => mixed.slice([0..batch, 0..len, 0..d_model]),
    }
}

/// Zeros before and after a sequence, `[batch, before + len + after, d_model]`.
fn surrounded(u: Tensor<3>, before: usize, after: usize) -> Tensor<3> {
    let [batch, _len, d_model] = u.dims();
    let device = u.device();
    let zeros = |len| (len > 0).then(|| Tensor::zeros([batch, len, d_model], &device));
    let parts: Vec<_> = [zeros(before), Some(u), zeros(after)].into_iter().flatten().collect();
    Tensor::cat(parts, 1)
}

/// Kernels as a band matrix, `[rows, heads, len, taps]` to `[rows, heads, len, len + taps - 1]`:
/// the kernel of position `t` begins in column `t`.
fn band(taps: Tensor<4>) -> Tensor<4> {
    let [rows, heads, len, count] = taps.dims();
    // Rows of `count + len` values, read as rows of one value less, move by one to the right each.
    let zeros = Tensor::zeros([rows, heads, len, len], &taps.device());
    let (wide, narrow) = (count + len, count + len - 1);
    let flat = Tensor::cat(vec![taps, zeros], 3).reshape([rows, heads, len * wide]);
    let moved = flat.slice([0..rows, 0..heads, 0..len * narrow]);
    moved.reshape([rows, heads, len, narrow])
}

/// The band of a whole sequence, `[batch or 1, heads, len, len]`: what position `t` takes of `s`.
fn weights(taps: Tensor<4>, len: usize, before: usize) -> Tensor<4> {
    let [rows, _positions, heads, count] = taps.dims();
    let taps = taps.expand([rows, len, heads, count]).swap_dims(1, 2);
    band(taps).slice([0..rows, 0..heads, 0..len, before..before + len])
}

impl<K: Kernel> TokenMixer for Convolution<K> {
    fn forward(&self, x: Tensor<3>, mask: &Mask, watch: bool) -> (Tensor<3>, Option<Tensor<4>>) {
        let [_batch, len, _d_model] = x.dims();
        let u = mask.without_padding(self.gated(x));
        let taps = self.conv.taps(&u);
        let before = self.before(mask.is_causal());
        let watched = watch.then(|| weights(taps.clone(), len, before));
        let mixed = convolve(taps, surrounded(u, before, self.taps - 1 - before));
        (self.conv_out.forward(mixed), watched)
    }
}

impl<K: Kernel> CausalMixer for Convolution<K> {
    /// The last `taps - 1` positions of what is convolved, zeros before the first token.
    type Cache = Option<Tensor<3>>;

    fn forward_cached(&self, x: Tensor<3>, cache: &mut Self::Cache) -> Tensor<3> {
        let u = self.gated(x);
        let taps = self.conv.taps(&u);
        let before = self.before(true);
        let window = match cache.take() {
            Some(past) => Tensor::cat(vec![past, u], 1),
            None => surrounded(u, before, 0),
        };
        let [batch, long, d_model] = window.dims();
        if before > 0 {
            *cache = Some(window.clone().slice([0..batch, long - before..long, 0..d_model]));
        }
        self.conv_out.forward(convolve(taps, window))
    }
}

impl<K: Kernel> Baseline for Convolution<K> {
    fn init(options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        let d_model = dims.d_model;
        Self {
            conv_in: Linear::init(d_model, 2 * d_model, &init.scope("conv_in")),
            conv: K::init(options, dims, &init.scope("conv")),
            conv_out: Linear::init(d_model, d_model, &init.scope("conv_out")),
            taps: options.kernel,
        }
    }

    fn parameters(options: &KindOptions, dims: &Dims) -> u64 {
        let [d_model, ..] = dims.wide();
        3 * (d_model + 1) * d_model + K::parameters(options, dims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Rng};
    use burn::tensor::TensorData;

    fn values<const D: usize>(index: u64, shape: [usize; D]) -> Tensor<D> {
        let mut values = vec![0.0; shape.iter().product()];
        Rng::new(0, Purpose::Checks, index).fill_normal(&mut values, 0.0, 1.0);
        Tensor::from_data(TensorData::new(values, shape), &crate::device::cpu())
    }

    #[test]
    fn blocks_give_what_the_sum_over_taps_gives() {
        let (batch, heads, d_head) = (2, 3, 2);
        for len in [1, 2, 15, 16, 17, 50] {
            for count in [1, 3, 7, 41] {
                for (rows, positions) in [(1, 1), (batch, len)] {
                    let taps = values(0, [rows, positions, heads, count]);
                    let window = values(1, [batch, len + count - 1, heads * d_head]);
                    let got = convolve(taps.clone(), window.clone());
                    let split = window.reshape([batch, len + count - 1, heads, d_head]);
                    let shifted = (0..count).map(|tap| {
                        let seen = split.clone().narrow(1, tap, len);
                        seen * taps.clone().narrow(3, tap, 1)
                    });
                    let sum = shifted.reduce(|sum, term| sum + term).expect("taps");
                    let want = sum.reshape([batch, len, heads * d_head]);
                    let off = (got - want).abs().max().into_scalar::<f32>();
                    assert!(off < 1e-5, "{len} positions, {count} taps: {off}");
                }
            }
        }
    }
}
