//! Dispatch over parts and mixers: the enums behind the table of kinds.
//!
//! To add a part: its file, a `mod` line, a line in `parts!`. To add a mixer that is no scores: its
//! file, a `mod` line, a line in `mixers!`.

use burn::module::Module;
use burn::tensor::{Int, Tensor};

use super::options::{
    A, HIDDEN, KERNEL, KindOptions, MIXING, OptionSpec, PROJECTED, RANK, TOKENS_HIDDEN,
};
use super::registry::ConditionsOn;
use super::{Attention, Baseline, CausalMixer, Dims, KeptRows, Mask, Past, Scores, TokenMixer};
use crate::init::Init;

/// Expands to the enum of part names and the module enum that dispatches to them.
macro_rules! parts {
    ($($part:ident in $file:ident, [$($option:ident),*], $inputs:ident;)*) => {
        /// A way to make scores; kinds are lists of these.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Part {
            $(#[doc = concat!("See `attention/", stringify!($file), ".rs`.")] $part,)*
        }

        /// Scores of any part.
        #[derive(Module, Debug)]
        pub enum AnyScores {
            $(#[doc = concat!("See `attention/", stringify!($file), ".rs`.")]
            $part(super::$file::$part),)*
        }

        impl Part {
            /// Every part.
            pub const ALL: &'static [Part] = &[$(Part::$part),*];

            /// Fresh weights.
            pub fn init(self, options: &KindOptions, dims: &Dims, init: &Init) -> AnyScores {
                match self {
                    $(Part::$part => {
                        let scope = init.scope(<super::$file::$part as Scores>::SCOPE);
                        AnyScores::$part(Scores::init(options, dims, &scope))
                    })*
                }
            }

            /// Number of weights.
            pub fn parameters(self, options: &KindOptions, dims: &Dims) -> u64 {
                match self {
                    $(Part::$part => <super::$file::$part as Scores>::parameters(options, dims),)*
                }
            }

            /// Where the weights of the variant `variant` of [`AnyScores`] stand in files.
            pub(crate) fn scope(variant: &str) -> Option<&'static str> {
                match variant {
                    $(stringify!($part) => Some(<super::$file::$part as Scores>::SCOPE),)*
                    _ => None,
                }
            }

            /// Its options.
            pub fn options(self) -> &'static [&'static OptionSpec] {
                match self {
                    $(Part::$part => {
                        static OPTIONS: &[&OptionSpec] = &[$(&$option),*];
                        OPTIONS
                    })*
                }
            }

            /// What the scores depend on.
            pub fn conditions_on(self) -> ConditionsOn {
                match self { $(Part::$part => ConditionsOn::$inputs,)* }
            }
        }

        impl AnyScores {
            /// See [`Scores::scores`].
            pub fn scores(&self, x: &Tensor<3>, past: usize, keys: Option<&mut Past>, causal: bool) -> Tensor<4> {
                match self { $(AnyScores::$part(part) => part.scores(x, past, keys, causal),)* }
            }
        }
    };
}

parts! {
    Vanilla in vanilla, [], TokenPair;
    Random in random, [], Nothing;
    FixedRandom in fixed_random, [], Nothing;
    FactorizedRandom in factorized_random, [RANK], Nothing;
    Dense in dense, [HIDDEN], Token;
    FactorizedDense in factorized_dense, [HIDDEN, A], Token;
}

/// What only mixers have that can be causal.
macro_rules! reach {
    (causal, can hide the future) => {
        true
    };
    (whole, can hide the future) => {
        false
    };
    (causal, cache of $mixer:ty) => {
        <$mixer as CausalMixer>::Cache
    };
    // Nothing: such a cache is never made.
    (whole, cache of $mixer:ty) => {
        std::convert::Infallible
    };
    (causal, $variant:ident continues $mixer:ident with $x:ident and $cache:ident) => {{
        if !matches!($cache, AnyCache::$variant(_)) {
            *$cache = AnyCache::$variant(Default::default());
        }
        let AnyCache::$variant(cache) = $cache else { unreachable!("just set") };
        $mixer.forward_cached($x, cache)
    }};
    (whole, $variant:ident continues $mixer:ident with $x:ident and $cache:ident) => {{
        let _ = ($mixer, $x, $cache);
        panic!("{} needs the whole sequence: no decoder has it", stringify!($variant))
    }};
}

/// Expands to the enum of mixers, the module enum that dispatches to them, and the one of caches.
macro_rules! mixers {
    ($($mixer:ident in $file:ident, [$($option:ident),*], $inputs:ident, $reach:ident;)*) => {
        /// A way to mix tokens: what a kind is made of.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Mixer {
            /// Softmax over scores from these parts, mixed if there are several.
            Scores(&'static [Part]),
            $(#[doc = concat!("See `attention/", stringify!($file), ".rs`.")] $mixer,)*
        }

        /// A token mixer of any kind.
        #[derive(Module, Debug)]
        #[allow(clippy::large_enum_variant, reason = "there is one a layer")]
        pub enum AnyMixer {
            /// Softmax over scores.
            Attention(Attention),
            $(#[doc = concat!("See `attention/", stringify!($file), ".rs`.")]
            $mixer(super::$file::$mixer),)*
        }

        /// What generation keeps between tokens, of any kind.
        #[derive(Debug, Clone, Default)]
        #[allow(clippy::large_enum_variant, reason = "there is one a layer")]
        pub enum AnyCache {
            /// Nothing yet.
            #[default]
            Empty,
            /// Of softmax over scores.
            Attention(<Attention as CausalMixer>::Cache),
            $(#[doc = concat!("See `attention/", stringify!($file), ".rs`.")]
            $mixer(reach!($reach, cache of super::$file::$mixer)),)*
        }

        impl KeptRows for AnyCache {
            fn select(&mut self, rows: &Tensor<1, Int>) {
                match self {
                    AnyCache::Empty => {}
                    AnyCache::Attention(cache) => cache.select(rows),
                    $(AnyCache::$mixer(cache) => cache.select(rows),)*
                }
            }
        }

        impl Mixer {
            /// Fresh weights.
            pub fn init(self, options: &KindOptions, dims: &Dims, init: &Init) -> AnyMixer {
                match self {
                    Mixer::Scores(parts) => {
                        AnyMixer::Attention(Attention::init(parts, options, dims, init))
                    }
                    $(Mixer::$mixer => AnyMixer::$mixer(Baseline::init(options, dims, init)),)*
                }
            }

            /// Number of weights, frozen ones included.
            pub fn parameters(self, options: &KindOptions, dims: &Dims) -> u64 {
                match self {
                    Mixer::Scores(parts) => Attention::parameters(parts, options, dims),
                    $(Mixer::$mixer => {
                        <super::$file::$mixer as Baseline>::parameters(options, dims)
                    })*
                }
            }

            /// Whether it can hide the future, as a decoder must.
            pub fn causal(self) -> bool {
                match self {
                    Mixer::Scores(_) => true,
                    $(Mixer::$mixer => reach!($reach, can hide the future),)*
                }
            }

            /// Its options, each once.
            pub fn options(self) -> Vec<&'static OptionSpec> {
                match self {
                    Mixer::Scores(parts) => options_of_scores(parts),
                    $(Mixer::$mixer => vec![$(&$option),*],)*
                }
            }

            /// What decides where a position looks: the most that any part depends on.
            pub fn conditions_on(self) -> ConditionsOn {
                match self {
                    Mixer::Scores(parts) => {
                        let parts = parts.iter().map(|part| part.conditions_on());
                        parts.max().expect("scores have at least one part")
                    }
                    $(Mixer::$mixer => ConditionsOn::$inputs,)*
                }
            }
        }

        impl TokenMixer for AnyMixer {
            fn forward(
                &self,
                x: Tensor<3>,
                mask: &Mask,
                watch: bool,
            ) -> (Tensor<3>, Option<Tensor<4>>) {
                match self {
                    AnyMixer::Attention(mixer) => mixer.forward(x, mask, watch),
                    $(AnyMixer::$mixer(mixer) => mixer.forward(x, mask, watch),)*
                }
            }

            fn mixture(&self) -> Option<Tensor<2>> {
                match self {
                    AnyMixer::Attention(mixer) => mixer.mixture(),
                    $(AnyMixer::$mixer(mixer) => mixer.mixture(),)*
                }
            }
        }

        impl AnyMixer {
            /// See [`CausalMixer::forward_cached`].
            ///
            /// # Panics
            ///
            /// If the mixer cannot be [causal](Mixer::causal). No decoder is made of such a kind:
            /// settings that ask for one are refused.
            pub fn forward_cached(&self, x: Tensor<3>, cache: &mut AnyCache) -> Tensor<3> {
                match self {
                    AnyMixer::Attention(mixer) => {
                        reach!(causal, Attention continues mixer with x and cache)
                    }
                    $(AnyMixer::$mixer(mixer) => {
                        reach!($reach, $mixer continues mixer with x and cache)
                    })*
                }
            }
        }
    };
}

mixers! {
    LightweightConvolution in convolution, [KERNEL], Nothing, causal;
    DynamicConvolution in convolution, [KERNEL], Token, causal;
    Linformer in linformer, [PROJECTED], TokenPair, whole;
    MlpMixer in mlp_mixer, [TOKENS_HIDDEN], Nothing, whole;
    Fnet in fnet, [], Nothing, whole;
    Aft in aft, [], Token, causal;
}

fn options_of_scores(parts: &[Part]) -> Vec<&'static OptionSpec> {
    let mut options: Vec<&'static OptionSpec> = Vec::new();
    for option in parts.iter().flat_map(|part| part.options()) {
        if !options.contains(option) {
            options.push(option);
        }
    }
    if parts.len() > 1 {
        options.push(&MIXING);
    }
    options
}
