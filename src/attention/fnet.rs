//! FNet: two Fourier transforms mix positions and channels, without a single weight.
//! Lee-Thorp et al., "FNet: Mixing Tokens with Fourier Transforms", section 3,
//! <https://arxiv.org/abs/2105.03824>.
//!
//! The transform is unitary, the paper's divided by `sqrt(max_len d_model)`. There a layer norm
//! follows the sum of input and transform, so that the factor hardly matters; here blocks normalise
//! before mixing, and a transform that is dozens of times larger would drown what it is added to.

use std::f64::consts::TAU;

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};

use super::{Baseline, Dims, KindOptions, Mask, TokenMixer};
use crate::init::Init;
use crate::ops;

/// `Re(F X F)`, always of `max_len` positions: zeros stand after the last token, so that padding
/// changes nothing.
#[derive(Module, Debug)]
pub struct Fnet {
    /// Cosines and sines over channels, `[d_model, 2, d_model]`. Constants, no weights.
    #[module(skip)]
    channels: Tensor<3>,
    /// Cosines and negative sines over positions, `[max_len, 2, max_len]`.
    #[module(skip)]
    positions: Tensor<3>,
}

/// `cos(2π j k / n) / sqrt(n)` and `sign` times the sine, `[n, 2, n]`, without autodiff.
fn transform(n: usize, sign: f64, device: &Device) -> Tensor<3> {
    let scale = (n as f64).sqrt().recip();
    let angle = |step: usize| TAU * step as f64 / n as f64;
    let cosines: Vec<f32> = (0..n).map(|step| (libm::cos(angle(step)) * scale) as f32).collect();
    let sines: Vec<f32> =
        (0..n).map(|step| (libm::sin(angle(step)) * scale * sign) as f32).collect();
    let mut values = Vec::with_capacity(2 * n * n);
    for j in 0..n {
        for table in [&cosines, &sines] {
            values.extend((0..n).map(|k| table[j * k % n]));
        }
    }
    Tensor::from_data(TensorData::new(values, [n, 2, n]), &device.clone().inner())
}

impl TokenMixer for Fnet {
    fn forward(&self, x: Tensor<3>, mask: &Mask, _watch: bool) -> (Tensor<3>, Option<Tensor<4>>) {
        assert!(!mask.is_causal(), "a transform of the whole sequence knows its future");
        let [batch, len, d_model] = x.dims();
        let x = mask.without_padding(x);
        // (a - bi)(c - di) has the real part ac - bd: cosines with cosines, sines with sines.
        let channels = self.channels.clone().reshape([d_model, 2 * d_model]);
        let both = ops::linear(x, channels, None);
        let both = both.reshape([batch, len, 2, d_model]).swap_dims(1, 2);
        let both = both.reshape([batch, 2 * len, d_model]);
        let positions = self.positions.clone().slice([0..len, 0..2, 0..len]);
        (ops::mix(positions.reshape([1, 1, len, 2 * len]), both), None)
    }
}

impl Baseline for Fnet {
    fn init(_options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        Self {
            channels: init.shared("fnet.channels", |device| transform(dims.d_model, 1.0, device)),
            positions: init
                .shared("fnet.positions", |device| transform(dims.max_len, -1.0, device)),
        }
    }

    fn parameters(_options: &KindOptions, _dims: &Dims) -> u64 {
        0
    }
}
