//! The small layers every model is made of: linear map, layer norm, embedding, activation.
//! Weight layouts are those of the golden vectors: a linear map is `x @ weight + bias` with
//! `weight` of shape `[d_in, d_out]`.

use burn::module::{Module, Param};
use burn::tensor::{Device, Int, Tensor, activation, module};

use crate::init::Init;
use crate::ops::{self, Gelu};

/// Epsilon inside the square root of every layer norm.
pub const LAYER_NORM_EPSILON: f64 = 1e-5;

/// `x @ weight + bias`.
#[derive(Module, Debug)]
pub struct Linear {
    /// `[d_in, d_out]`
    pub weight: Param<Tensor<2>>,
    /// `[d_out]`, absent in a head without bias
    pub bias: Option<Param<Tensor<1>>>,
}

impl Linear {
    /// Xavier-uniform weight and zero bias.
    pub fn init(d_in: usize, d_out: usize, init: &Init) -> Self {
        Self {
            weight: init.xavier("weight", [d_in, d_out], d_in, d_out),
            bias: Some(init.zeros("bias", [d_out])),
        }
    }

    /// A normal weight of the given deviation, and a zero bias if wanted.
    pub fn init_normal(d_in: usize, d_out: usize, deviation: f32, bias: bool, init: &Init) -> Self {
        Self {
            weight: init.normal("weight", [d_in, d_out], deviation),
            bias: bias.then(|| init.zeros("bias", [d_out])),
        }
    }

    /// `[.., d_in]` to `[.., d_out]`.
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        ops::linear(x, self.weight.val(), self.bias.as_ref().map(Param::val))
    }
}

/// Normalises the last axis with the biased variance, then scales and shifts.
#[derive(Module, Debug)]
pub struct LayerNorm {
    /// Gain, `[d_model]`
    pub weight: Param<Tensor<1>>,
    /// Shift, `[d_model]`
    pub bias: Param<Tensor<1>>,
}

impl LayerNorm {
    /// Gain one, shift zero.
    pub fn init(d_model: usize, init: &Init) -> Self {
        Self { weight: init.ones("weight", [d_model]), bias: init.zeros("bias", [d_model]) }
    }

    /// `[.., d_model]` to the same.
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        ops::layer_norm(x, self.weight.val(), self.bias.val(), LAYER_NORM_EPSILON)
    }
}

/// A table of vectors, one a row.
#[derive(Module, Debug)]
pub struct Embedding {
    /// `[rows, d_model]`
    pub weight: Param<Tensor<2>>,
}

impl Embedding {
    /// Normal rows of the given deviation.
    pub fn init(rows: usize, d_model: usize, deviation: f32, init: &Init) -> Self {
        Self { weight: init.normal("weight", [rows, d_model], deviation) }
    }

    /// `[batch, len]` ids to `[batch, len, d_model]`.
    pub fn forward(&self, ids: Tensor<2, Int>) -> Tensor<3> {
        module::embedding(self.weight.val(), ids)
    }
}

/// The non-linearity of the feed-forward part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Activation {
    /// GELU by the error function: `x Φ(x)`.
    #[default]
    Gelu,
    /// GELU by its `tanh` approximation.
    GeluTanh,
    /// `max(x, 0)`.
    Relu,
}

impl Activation {
    /// The name in configurations and files.
    pub fn name(self) -> &'static str {
        match self {
            Activation::Gelu => "gelu",
            Activation::GeluTanh => "gelu-tanh",
            Activation::Relu => "relu",
        }
    }

    /// Element by element.
    pub fn forward<const D: usize>(self, x: Tensor<D>) -> Tensor<D> {
        match self {
            Activation::Gelu => ops::gelu(x, Gelu::Exact),
            Activation::GeluTanh => ops::gelu(x, Gelu::Tanh),
            Activation::Relu => activation::relu(x),
        }
    }
}

/// `activation(x w1 + b1) w2 + b2`.
#[derive(Module, Debug)]
pub struct FeedForward {
    /// `[d_model, d_ff]`
    pub w1: Param<Tensor<2>>,
    /// `[d_ff]`
    pub b1: Param<Tensor<1>>,
    /// `[d_ff, d_model]`
    pub w2: Param<Tensor<2>>,
    /// `[d_model]`
    pub b2: Param<Tensor<1>>,
    #[module(skip)]
    activation: Activation,
}

impl FeedForward {
    /// Xavier-uniform weights and zero biases.
    pub fn init(d_model: usize, d_ff: usize, activation: Activation, init: &Init) -> Self {
        Self {
            w1: init.xavier("w1", [d_model, d_ff], d_model, d_ff),
            b1: init.zeros("b1", [d_ff]),
            w2: init.xavier("w2", [d_ff, d_model], d_ff, d_model),
            b2: init.zeros("b2", [d_model]),
            activation,
        }
    }

    /// `[batch, len, d_model]` to the same.
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let hidden = ops::linear(x, self.w1.val(), Some(self.b1.val()));
        let hidden = self.activation.forward(hidden);
        ops::linear(hidden, self.w2.val(), Some(self.b2.val()))
    }
}

/// Sine and cosine positions of "Attention Is All You Need", section 3.5:
/// `sin(p / 10000^(2i/d))` in even columns, the cosine in odd ones. `[max_len, d_model]`.
pub fn sinusoidal(max_len: usize, d_model: usize, device: &Device) -> Tensor<2> {
    let mut table = Vec::with_capacity(max_len * d_model);
    for position in 0..max_len {
        for column in 0..d_model {
            let exponent = (column / 2 * 2) as f64 / d_model as f64;
            let angle = position as f64 / libm::pow(10_000.0, exponent);
            let value = if column % 2 == 0 { libm::sin(angle) } else { libm::cos(angle) };
            table.push(value as f32);
        }
    }
    Tensor::<1>::from_floats(table.as_slice(), device).reshape([max_len, d_model])
}
