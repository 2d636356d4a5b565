//! Token mixing of MLP-Mixer: a small network along the sequence, the same for every channel.
//! Tolstikhin et al., "MLP-Mixer: An all-MLP Architecture for Vision", section 2,
//! <https://arxiv.org/abs/2105.01601>.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::{Baseline, Dims, KindOptions, Mask, TokenMixer};
use crate::init::Init;
use crate::ops::{self, Gelu, gelu};

/// `w2ᵀ gelu(w1ᵀ X + b1) + b2`, with the exact GELU.
#[derive(Module, Debug)]
pub struct MlpMixer {
    mixer: TokenMlp,
}

#[derive(Module, Debug)]
struct TokenMlp {
    /// `[max_len, hidden]`
    w1: Param<Tensor<2>>,
    /// `[hidden]`
    b1: Param<Tensor<1>>,
    /// `[hidden, max_len]`
    w2: Param<Tensor<2>>,
    /// `[max_len]`
    b2: Param<Tensor<1>>,
}

/// `weightᵀ x + bias` along the sequence, `[batch, len, d_model]` to `[batch, out, d_model]`.
fn along(x: Tensor<3>, weight: Tensor<2>, bias: Tensor<1>) -> Tensor<3> {
    let [out] = bias.dims();
    let mixed = ops::mix(weight.transpose().unsqueeze(), x);
    mixed + bias.reshape([1, out, 1])
}

impl TokenMixer for MlpMixer {
    fn forward(&self, x: Tensor<3>, mask: &Mask, _watch: bool) -> (Tensor<3>, Option<Tensor<4>>) {
        assert!(!mask.is_causal(), "a network over the whole sequence knows its future");
        let [_batch, len, _d_model] = x.dims();
        let TokenMlp { w1, b1, w2, b2 } = &self.mixer;
        let [_max_len, hidden] = w1.dims();
        let x = mask.without_padding(x);
        let x = along(x, w1.val().slice([0..len, 0..hidden]), b1.val());
        let x = gelu(x, Gelu::Exact);
        let x = along(x, w2.val().slice([0..hidden, 0..len]), b2.val().narrow(0, 0, len));
        (x, None)
    }
}

impl Baseline for MlpMixer {
    fn init(options: &KindOptions, dims: &Dims, init: &Init) -> Self {
        let (max_len, hidden) = (dims.max_len, options.tokens_hidden);
        let init = init.scope("mixer");
        let mixer = TokenMlp {
            w1: init.xavier("w1", [max_len, hidden], max_len, hidden),
            b1: init.zeros("b1", [hidden]),
            w2: init.xavier("w2", [hidden, max_len], hidden, max_len),
            b2: init.zeros("b2", [max_len]),
        };
        Self { mixer }
    }

    fn parameters(options: &KindOptions, dims: &Dims) -> u64 {
        let [_d_model, _heads, max_len] = dims.wide();
        let hidden = options.tokens_hidden as u64;
        2 * max_len * hidden + hidden + max_len
    }
}
