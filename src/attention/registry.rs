//! The table of kinds, and the dispatch over parts and mixers that stands behind it.
//!
//! To add a part: its file, a `mod` line, a line in `parts!`. To add a kind: a row in [`KINDS`].
//! To add a mixer that is no scores: its file, a line in `mixers!`, a row in [`KINDS`].
//! Nothing else in the crate, the package or the page names kinds.

use burn::module::Module;
use burn::tensor::Tensor;

use super::options::{A, HIDDEN, KindOptions, MIXING, OptionSpec, RANK};
use super::{Attention, Dims, Mask, Past, Scores, TokenMixer};
use crate::error::{Error, Result};
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
            pub fn parameters(self, options: &KindOptions, dims: &Dims) -> usize {
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

            fn options(self) -> &'static [&'static OptionSpec] {
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
            pub fn scores(&self, x: &Tensor<3>, past: usize, keys: Option<&mut Past>) -> Tensor<4> {
                match self { $(AnyScores::$part(part) => part.scores(x, past, keys),)* }
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

/// What decides where a position looks: the paper's table 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConditionsOn {
    /// The weights alone.
    Nothing,
    /// The token at that position.
    Token,
    /// Pairs of tokens.
    TokenPair,
}

impl ConditionsOn {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            ConditionsOn::Nothing => "nothing",
            ConditionsOn::Token => "token",
            ConditionsOn::TokenPair => "token-pair",
        }
    }
}

/// Where a kind belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Scores from dot products.
    DotProduct,
    /// Synthesized scores.
    Synthesizer,
    /// Several parts, mixed.
    Mixture,
    /// What the paper compares with.
    Baseline,
}

impl Family {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Family::DotProduct => "dot-product",
            Family::Synthesizer => "synthesizer",
            Family::Mixture => "mixture",
            Family::Baseline => "baseline",
        }
    }
}

/// A row of the table: everything about a kind but its weights.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// The name in configurations and files.
    pub name: &'static str,
    /// The name in menus.
    pub label: &'static str,
    /// One line for menus and tables.
    pub summary: &'static str,
    /// The scores, in the paper's notation.
    pub formula: &'static str,
    /// Paper and section.
    pub source: &'static str,
    /// Where it belongs.
    pub family: Family,
    /// Parts in the order of the mixture weights.
    pub parts: &'static [Part],
}

/// Every attention kind, in the order of menus.
pub static KINDS: &[Kind] = &[
    Kind {
        name: "vanilla",
        label: "Vanilla",
        summary: "Compares every pair of tokens by a dot product.",
        formula: "softmax(Q Kᵀ / √d) V",
        source: "Vaswani et al. 2017, section 3.2.1",
        family: Family::DotProduct,
        parts: &[Part::Vanilla],
    },
    Kind {
        name: "random",
        label: "Random",
        summary: "A learned table of scores that never looks at the input.",
        formula: "softmax(R) V",
        source: "Tay et al. 2021, section 3.1.2",
        family: Family::Synthesizer,
        parts: &[Part::Random],
    },
    Kind {
        name: "fixed-random",
        label: "Fixed random",
        summary: "A table of scores drawn once and never trained.",
        formula: "softmax(R) V, R frozen",
        source: "Tay et al. 2021, section 3.1.3",
        family: Family::Synthesizer,
        parts: &[Part::FixedRandom],
    },
    Kind {
        name: "factorized-random",
        label: "Factorized random",
        summary: "A learned table of scores kept as two thin factors.",
        formula: "softmax(R₁ R₂ᵀ) V",
        source: "Tay et al. 2021, section 3.1.4",
        family: Family::Synthesizer,
        parts: &[Part::FactorizedRandom],
    },
    Kind {
        name: "dense",
        label: "Dense",
        summary: "Each token predicts its own row of scores with a small network.",
        formula: "softmax(relu(X W₁ + b₁) W₂ + b₂) V",
        source: "Tay et al. 2021, section 3.1.1",
        family: Family::Synthesizer,
        parts: &[Part::Dense],
    },
    Kind {
        name: "factorized-dense",
        label: "Factorized dense",
        summary: "Each token predicts two short rows whose outer product is its row of scores.",
        formula: "softmax(A(X) ⊗ C(X)) V",
        source: "Tay et al. 2021, section 3.1.4",
        family: Family::Synthesizer,
        parts: &[Part::FactorizedDense],
    },
    Kind {
        name: "random+vanilla",
        label: "Random + Vanilla",
        summary: "A learned table and dot products, mixed with learned weights.",
        formula: "softmax(α₁ R + α₂ Q Kᵀ / √d) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        parts: &[Part::Random, Part::Vanilla],
    },
    Kind {
        name: "dense+vanilla",
        label: "Dense + Vanilla",
        summary: "Rows predicted by each token and dot products, mixed with learned weights.",
        formula: "softmax(α₁ D(X) + α₂ Q Kᵀ / √d) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        parts: &[Part::Dense, Part::Vanilla],
    },
    Kind {
        name: "random+dense",
        label: "Random + Dense",
        summary: "A learned table and rows predicted by each token, mixed with learned weights.",
        formula: "softmax(α₁ R + α₂ D(X)) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        parts: &[Part::Random, Part::Dense],
    },
    Kind {
        name: "random+dense+vanilla",
        label: "Random + Dense + Vanilla",
        summary: "All three ways to make scores, mixed with learned weights.",
        formula: "softmax(α₁ R + α₂ D(X) + α₃ Q Kᵀ / √d) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        parts: &[Part::Random, Part::Dense, Part::Vanilla],
    },
    Kind {
        name: "factorized-random+vanilla",
        label: "Factorized random + Vanilla",
        summary: "A factorized table and dot products, mixed with learned weights.",
        formula: "softmax(α₁ R₁ R₂ᵀ + α₂ Q Kᵀ / √d) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        parts: &[Part::FactorizedRandom, Part::Vanilla],
    },
    Kind {
        name: "factorized-dense+vanilla",
        label: "Factorized dense + Vanilla",
        summary: "Factorized rows from each token and dot products, mixed with learned weights.",
        formula: "softmax(α₁ A(X) ⊗ C(X) + α₂ Q Kᵀ / √d) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        parts: &[Part::FactorizedDense, Part::Vanilla],
    },
    Kind {
        name: "factorized-random+factorized-dense",
        label: "Factorized random + Factorized dense",
        summary: "A factorized table and factorized rows from each token, mixed.",
        formula: "softmax(α₁ R₁ R₂ᵀ + α₂ A(X) ⊗ C(X)) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        parts: &[Part::FactorizedRandom, Part::FactorizedDense],
    },
];

impl Kind {
    /// The row called `name`, or [`Error::UnknownKind`].
    pub fn named(name: &str) -> Result<&'static Kind> {
        let found = KINDS.iter().find(|kind| kind.name == name);
        found.ok_or_else(|| Error::UnknownKind { kind: name.to_owned() })
    }

    /// What decides where a position looks: the most that any part depends on.
    pub fn conditions_on(&self) -> ConditionsOn {
        let parts = self.parts.iter().map(|part| part.conditions_on());
        parts.max().expect("a kind has at least one part")
    }

    /// Whether the kind can hide the future, as a decoder must.
    pub fn causal(&self) -> bool {
        true
    }

    /// Its options, each once.
    pub fn options(&self) -> Vec<&'static OptionSpec> {
        let mut options: Vec<&'static OptionSpec> = Vec::new();
        for option in self.parts.iter().flat_map(|part| part.options()) {
            if !options.contains(option) {
                options.push(option);
            }
        }
        if self.parts.len() > 1 {
            options.push(&MIXING);
        }
        options
    }

    /// Number of weights of one layer, frozen ones included.
    pub fn parameters(&self, options: &KindOptions, dims: &Dims) -> usize {
        let parts: usize = self.parts.iter().map(|part| part.parameters(options, dims)).sum();
        parts + Attention::frame_parameters(self.parts.len(), options, dims)
    }

    /// Fresh weights of this kind.
    pub fn init(&self, options: &KindOptions, dims: &Dims, init: &Init) -> AnyMixer {
        AnyMixer::Attention(Attention::init(self.parts, options, dims, init))
    }
}

/// A token mixer of any kind.
#[derive(Module, Debug)]
pub enum AnyMixer {
    /// Softmax over scores.
    Attention(Attention),
}

impl TokenMixer for AnyMixer {
    type Cache = <Attention as TokenMixer>::Cache;

    fn forward(&self, x: Tensor<3>, mask: &Mask, watch: bool) -> (Tensor<3>, Option<Tensor<4>>) {
        match self {
            AnyMixer::Attention(mixer) => mixer.forward(x, mask, watch),
        }
    }

    fn forward_cached(&self, x: Tensor<3>, cache: &mut Self::Cache) -> Tensor<3> {
        match self {
            AnyMixer::Attention(mixer) => mixer.forward_cached(x, cache),
        }
    }

    fn mixture(&self) -> Option<Tensor<2>> {
        match self {
            AnyMixer::Attention(mixer) => mixer.mixture(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for kind in KINDS {
            assert_eq!(Kind::named(kind.name), Ok(kind), "{}", kind.name);
        }
        let error = Kind::named("softmax").expect_err("no such kind");
        assert_eq!(error.code(), "unknown-kind");
    }

    #[test]
    fn a_kind_with_several_parts_is_a_mixture_named_after_them() {
        for kind in KINDS {
            assert_eq!(kind.parts.len() > 1, kind.family == Family::Mixture, "{}", kind.name);
            assert_eq!(kind.parts.len(), kind.name.split('+').count(), "{}", kind.name);
        }
    }
}
