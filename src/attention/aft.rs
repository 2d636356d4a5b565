//! AFT-full, the attention free Transformer: every channel averages values with weights from keys
//! and learned position biases, and the query gates the result.
//! Zhai et al., "An Attention Free Transformer", section 3.1, <https://arxiv.org/abs/2105.14103>;
//! the projection of the output is that of the attention it replaces.

use burn::module::{Module, Param};
use burn::tensor::{Tensor, activation};

use super::mask::future;
use super::{Baseline, CausalMixer, Dims, KindOptions, Mask, TokenMixer};
use crate::init::Init;
use crate::model::layers::Linear;
use crate::ops;

/// How far in nats a key may be from the first one, and a bias below the largest of its row; what
/// is further counts as this far. So sums of products of their exponentials stay within the range
/// of f32, and so do the inverses.
const KEYS: f64 = 60.0;
/// See [`KEYS`]. Its exponential, 2e-9, is below the precision of f32.
const BIASES: f64 = 20.0;

/// `sigmoid(Q_i) ⊙ Σ_j exp(K_j + w_ij) ⊙ V_j / Σ_j exp(K_j + w_ij)`.
///
/// `exp(K_j + w_ij)` is a product, so that both sums are matrix products and nothing of the size
/// `len · len · d_model` is ever made.
#[derive(Module, Debug)]
pub struct Aft {
    query: Linear,
    key: Linear,
    value: Linear,
    aft: Biases,
    out: Linear,
}

#[derive(Module, Debug)]
struct Biases {
    /// `[max_len, max_len]`
    w: Param<Tensor<2>>,
}

/// Keys and values of the tokens so far, each `[batch, past, d_model]`.
pub type Cache = Option<(Tensor<3>, Tensor<3>)>;

impl Aft {
    fn key(&self, x: Tensor<3>) -> Tensor<3> {
        // A shift that all keys share cancels out, as in vanilla: no gradient rather than noise.
        let bias = self.key.bias.as_ref().map(|bias| bias.val().detach());
        ops::linear(x, self.key.weight.val(), bias)
    }

    /// `exp(w_ij)` of the last `len` of `keys` positions up to a factor a row, zero where `hidden`,
    /// `[1, 1, len, keys]`.
    fn positions(&self, len: usize, keys: usize, causal: bool) -> Tensor<4> {
        let w = self.aft.w.val().slice([keys - len..keys, 0..keys]);
        let w = w.reshape([1, 1, len, keys]);
        let hidden = (causal && len > 1).then(|| future(keys - len, len, &w.device()));
        let visible = match &hidden {
            Some(hidden) => w.clone() + hidden.clone(),
            None => w.clone(),
        };
        let largest = visible.detach().max_dim(3);
        let weights = (w - largest).clamp(-BIASES, 0.0).exp();
        match hidden {
            Some(hidden) => weights * hidden.equal_elem(0.0).float(),
            None => weights,
        }
    }

    /// The weighted means of values, `[batch, len, d_model]`.
    ///
    /// Keys count relative to the first: of all tokens it alone is seen by every position, so that
    /// nothing, not even rounding, depends on what a position must not see.
    fn means(
        &self,
        weights: Tensor<4>,
        key: Tensor<3>,
        value: Tensor<3>,
        mask: &Mask,
    ) -> Tensor<3> {
        let [batch, _keys, d_model] = key.dims();
        let first = key.clone().detach().slice([0..batch, 0..1, 0..d_model]);
        let key = mask.without_padding((key - first).clamp(-KEYS, KEYS).exp());
        let columns = Tensor::cat(vec![key.clone() * value, key], 2);
        let mut sums = ops::mix(weights, columns).chunk(2, 2);
        let below = sums.pop().expect("two halves");
        let above = sums.pop().expect("two halves");
        // Both made about one, since the gradient of a quotient has the square of what is below.
        let scale = below.clone().detach().recip();
        (above * scale.clone()) / (below * scale)
    }
}

impl TokenMixer for Aft {
    fn forward(&self, x: Tensor<3>, mask: &Mask, _watch: bool) -> (Tensor<3>, Option<Tensor<4>>) {
        let [_batch, len, _d_model] = x.dims();
        let weights = self.positions(len, len, mask.is_causal());
        let (key, value) = (self.key(x.clone()), self.value.forward(x.clone()));
        let gate = activation::sigmoid(self.query.forward(x));
        (self.out.forward(gate * self.means(weights, key, value, mask)), None)
    }
}

impl CausalMixer for Aft {
    type Cache = Cache;

    fn forward_cached(&self, x: Tensor<3>, cache: &mut Cache) -> Tensor<3> {
        let [_batch, len, _d_model] = x.dims();
        let (mut key, mut value) = (self.key(x.clone()), self.value.forward(x.clone()));
        if let Some((keys, values)) = cache.take() {
            key = Tensor::cat(vec![keys, key], 1);
            value = Tensor::cat(vec![values, value], 1);
        }
        *cache = Some((key.clone(), value.clone()));
        let [_batch, keys, _d_model] = key.dims();
        let weights = self.positions(len, keys, true);
        let gate = activation::sigmoid(self.query.forward(x));
        self.out.forward(gate * self.means(weights, key, value, &Mask::none()))
    }
}

impl Baseline for Aft {
    fn init(_options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        let Dims { d_model, max_len, .. } = *dims;
        let linear = |name| Linear::init(d_model, d_model, &init.scope(name));
        Self {
            query: linear("query"),
            key: linear("key"),
            value: linear("value"),
            aft: Biases { w: init.scope("aft").normal("w", [max_len, max_len], 1.0) },
            out: linear("out"),
        }
    }

    fn parameters(_options: &KindOptions, dims: &Dims) -> u64 {
        let [d_model, _heads, max_len] = dims.wide();
        4 * (d_model + 1) * d_model + max_len * max_len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Rng};
    use burn::tensor::{Device, TensorData};

    const DIMS: Dims = Dims { d_model: 6, heads: 1, max_len: 9 };

    fn values(seed: u32, scale: f32) -> Vec<f32> {
        let mut values = vec![0.0; 2 * DIMS.max_len * DIMS.d_model];
        Rng::new(seed, Purpose::Checks, 0).fill_normal(&mut values, 0.0, scale);
        values
    }

    fn tensor(values: Vec<f32>, device: &Device) -> Tensor<3> {
        Tensor::from_data(TensorData::new(values, [2, DIMS.max_len, DIMS.d_model]), device)
    }

    fn floats<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        tensor.into_data().try_to_vec().expect("f32")
    }

    fn layer(device: &Device) -> Aft {
        Aft::init(&KindOptions::defaults(&DIMS), &DIMS, &Init::new(3, device))
    }

    /// The mean of values with weights `exp(K_j + w_ij)`, in f64, as the paper has it but for a
    /// maximum that cancels out.
    fn mean(w: &[f32], key: &[f32], value: &[f32], causal: bool) -> Vec<f64> {
        let Dims { d_model, max_len, .. } = DIMS;
        let mut means = Vec::new();
        for row in 0..2 {
            for i in 0..max_len {
                for c in 0..d_model {
                    let at = |j: usize| (row * max_len + j) * d_model + c;
                    let seen = 0..if causal { i + 1 } else { max_len };
                    let logit = |j: usize| f64::from(key[at(j)]) + f64::from(w[i * max_len + j]);
                    let largest = seen.clone().map(logit).fold(f64::MIN, f64::max);
                    let (mut above, mut below) = (0.0, 0.0);
                    for j in seen {
                        let weight = (logit(j) - largest).exp();
                        above += weight * f64::from(value[at(j)]);
                        below += weight;
                    }
                    means.push(above / below);
                }
            }
        }
        means
    }

    #[test]
    fn keys_many_nats_apart_give_the_mean_of_the_formula() {
        let device = crate::device::cpu();
        let layer = layer(&device);
        let w = floats(layer.aft.w.val());
        for causal in [false, true] {
            // A deviation of 8 nats puts keys up to some 40 nats apart.
            let (key, value) = (values(1, 8.0), values(2, 1.0));
            let weights = layer.positions(DIMS.max_len, DIMS.max_len, causal);
            let (keys, vectors) = (tensor(key.clone(), &device), tensor(value.clone(), &device));
            let got = floats(layer.means(weights, keys, vectors, &Mask::none()));
            for (got, want) in got.iter().zip(mean(&w, &key, &value, causal)) {
                assert!((f64::from(*got) - want).abs() < 1e-4, "{got} {want}");
            }
        }
    }

    #[test]
    fn any_input_gives_finite_outputs_and_gradients() {
        let device = crate::device::cpu().autodiff();
        for scale in [10.0, 1e3, 1e6] {
            for mask in [
                Mask::none(),
                Mask::causal(DIMS.max_len, &device),
                Mask::padded(&[9, 4], DIMS.max_len, false, &device),
            ] {
                let x = tensor(values(4, scale), &device).require_grad();
                let (output, _) = layer(&device).forward(x.clone(), &mask, false);
                assert!(floats(output.clone()).iter().all(|value| value.is_finite()), "{scale}");
                let mut gradients = output.sum().backward();
                let gradient = floats(x.grad_remove(&mut gradients).expect("a gradient"));
                assert!(gradient.iter().all(|value| value.is_finite()), "{scale}");
            }
        }
    }
}
