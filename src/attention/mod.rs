//! Attention kinds: how a position decides where to look.
//!
//! Every kind of the Synthesizer family is one equation, `Y = softmax(mask(B)) V`, with another
//! way to make the scores `B`. A kind is a list of [parts](Scores), mixed with learned softmax
//! weights where there are several (Tay et al., "Synthesizer", <https://arxiv.org/abs/2005.00743>,
//! sections 3.1 and 3.2). [`KINDS`] is the table that configuration, file names, menus and tests
//! walk; the seam to the rest of a model is [`TokenMixer`], one level above scores, so that kinds
//! that are no scores (convolutions, say) stand in the same table.
//!
//! A kind as a layer of a module of one's own, with gradients:
//!
//! ```
//! use burn::module::Module;
//! use burn::nn::{LayerNorm, LayerNormConfig, Linear, LinearConfig};
//! use burn::tensor::Tensor;
//! use synthattn::attention::{AnyMixer, Dims, Kind, KindOptions, Mask, TokenMixer};
//! use synthattn::init::Init;
//!
//! #[derive(Module, Debug)]
//! struct Tagger {
//!     norm: LayerNorm,
//!     attention: AnyMixer,
//!     tags: Linear,
//! }
//!
//! impl Tagger {
//!     /// `[batch, len, d_model]` to `[batch, len, tags]`
//!     fn forward(&self, x: Tensor<3>, mask: &Mask) -> Tensor<3> {
//!         let (mixed, _weights) = self.attention.forward(self.norm.forward(x.clone()), mask, false);
//!         self.tags.forward(x + mixed)
//!     }
//! }
//!
//! let device = synthattn::device::cpu().autodiff();
//! let dims = Dims { d_model: 16, heads: 2, max_len: 8 };
//! let options = KindOptions { hidden: 4, ..KindOptions::defaults(&dims) };
//! let init = Init::new(0, &device);
//! let tagger = Tagger {
//!     norm: LayerNormConfig::new(16).init(&device),
//!     attention: Kind::named("dense")?.init(&options, &dims, &init.scope("attention")),
//!     tags: LinearConfig::new(16, 3).init(&device),
//! };
//!
//! // Two texts, of eight and of five tokens.
//! let mask = Mask::padded(&[8, 5], 8, false, &device);
//! let x = Tensor::ones([2, 8, 16], &device).require_grad();
//! let tags = tagger.forward(x.clone(), &mask);
//! assert_eq!(tags.dims(), [2, 8, 3]);
//! let gradients = tags.square().mean().backward();
//! assert_eq!(x.grad(&gradients).expect("it was asked for").dims(), [2, 8, 16]);
//! # Ok::<(), synthattn::Error>(())
//! ```

mod aft;
mod convolution;
mod dense;
mod dispatch;
mod factorized_dense;
mod factorized_random;
mod fixed_random;
mod fnet;
mod frame;
mod linformer;
mod mask;
mod mixture;
mod mlp_mixer;
mod options;
pub(crate) mod random;
mod registry;
mod table;
mod vanilla;

pub use dispatch::{AnyCache, AnyMixer, AnyScores, Mixer, Part};
pub use frame::Attention;
pub use mask::Mask;
pub use mixture::{Mixing, Mixture};
pub use options::{KindOptions, OptionKind, OptionSpec};
pub use registry::{ConditionsOn, Family, KINDS, Kind};
pub use table::table;

use burn::module::Module;
use burn::tensor::{Int, Tensor};

use crate::init::Init;
use crate::ops;

/// Sizes that every kind needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dims {
    /// Width of a token's vector.
    pub d_model: usize,
    /// Number of heads; divides `d_model`.
    pub heads: usize,
    /// The longest input.
    pub max_len: usize,
}

impl Dims {
    /// Width of one head, `d_model / heads`.
    pub fn d_head(&self) -> usize {
        self.d_model / self.heads
    }

    /// `d_model`, `heads` and `max_len` for counting: products of sizes that are too large pass 2³²,
    /// and in a browser `usize` ends there.
    pub fn wide(&self) -> [u64; 3] {
        [self.d_model, self.heads, self.max_len].map(|size| size as u64)
    }
}

/// What a part of scores keeps of the tokens before, while text is made a token at a time.
/// Vanilla keeps its keys, `[batch, past, d_model]`; synthesized scores keep nothing.
pub type Past = Option<Tensor<3>>;

/// What was kept and what is new, both along the sequence; and keeps that.
fn keep(past: &mut Past, new: Tensor<3>) -> Tensor<3> {
    let all = match past.take() {
        Some(before) => ops::append(before, new),
        None => new,
    };
    *past = Some(all.clone());
    all
}

/// One way to score every pair of positions: a summand of the `B` in `Y = softmax(B) V`.
pub trait Scores: Module {
    /// Where the weights stand in a model file, below the attention's own name.
    const SCOPE: &'static str;

    /// Fresh weights.
    fn init(options: &KindOptions, dims: &Dims, init: &Init) -> Self;

    /// Number of weights, frozen ones included.
    fn parameters(options: &KindOptions, dims: &Dims) -> u64;

    /// Scores before masking, of the positions `past..past + len` for the keys `0..past + len`.
    ///
    /// # Shapes
    ///
    /// - x: `[batch, len, d_model]`, the tokens at those positions
    /// - past: how many tokens came before; `keys` holds what this part kept of them
    /// - output: `[batch or 1, heads, len, past + len]`; a leading 1 says that the scores do not
    ///   depend on the input, and is never copied over the batch
    ///
    /// `causal`: a mask hides the future and no token came before, so that scores above the diagonal may
    /// be anything finite, and get no gradient.
    fn scores(
        &self,
        x: &Tensor<3>,
        past: usize,
        keys: Option<&mut Past>,
        causal: bool,
    ) -> Tensor<4>;
}

/// Mixes the tokens of a sequence: the part of a block where positions meet.
pub trait TokenMixer: Module {
    /// # Shapes
    ///
    /// - x: `[batch, len, d_model]`
    /// - output: the same, and the weights `[batch or 1, heads, len, keys]` if `watch` asks for
    ///   them and the kind has any
    fn forward(&self, x: Tensor<3>, mask: &Mask, watch: bool) -> (Tensor<3>, Option<Tensor<4>>);

    /// Learned weights of the parts after softmax, `[heads, parts]`, where parts are mixed.
    fn mixture(&self) -> Option<Tensor<2>> {
        None
    }
}

/// A mixer that can hide the future, as a decoder must.
pub trait CausalMixer: TokenMixer {
    /// What generation keeps between tokens.
    type Cache: KeptRows + Clone + Default + Send + std::fmt::Debug;

    /// The next `len` positions of a causal sequence, given the cache of those before.
    ///
    /// Equal to [`TokenMixer::forward`] over the whole sequence, cut to its last `len` rows.
    fn forward_cached(&self, x: Tensor<3>, cache: &mut Self::Cache) -> Tensor<3>;
}

/// What is kept for each row of a batch while text is made: several continuations of one text can
/// be tried, and the worst of them dropped.
pub trait KeptRows {
    /// Keeps these rows, in this order; a row may come more than once.
    fn select(&mut self, rows: &Tensor<1, Int>);
}

impl<const D: usize> KeptRows for Tensor<D> {
    fn select(&mut self, rows: &Tensor<1, Int>) {
        *self = Tensor::select(self.clone(), 0, rows.clone());
    }
}

impl<T: KeptRows> KeptRows for Option<T> {
    fn select(&mut self, rows: &Tensor<1, Int>) {
        self.iter_mut().for_each(|kept| kept.select(rows));
    }
}

impl<A: KeptRows, B: KeptRows> KeptRows for (A, B) {
    fn select(&mut self, rows: &Tensor<1, Int>) {
        self.0.select(rows);
        self.1.select(rows);
    }
}

impl KeptRows for std::convert::Infallible {
    fn select(&mut self, _rows: &Tensor<1, Int>) {
        match *self {}
    }
}

/// A mixer that is a kind by itself, where [`Attention`] is made of [parts](Scores).
pub trait Baseline: TokenMixer {
    /// Fresh weights.
    fn init(options: &KindOptions, dims: &Dims, init: &Init) -> Self;

    /// Number of weights.
    fn parameters(options: &KindOptions, dims: &Dims) -> u64;
}
