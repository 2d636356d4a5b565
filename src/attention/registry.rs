//! The table of kinds. To add a kind: a row in [`KINDS`], once its parts or its mixer stand in
//! `dispatch.rs`. Nothing else in the crate, the package or the page names kinds.

use super::Dims;
use super::dispatch::{AnyMixer, Mixer, Part};
use super::options::{KindOptions, OptionSpec};
use crate::error::{Error, Result};
use crate::init::Init;

/// What decides where a position looks: the paper's table 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConditionsOn {
    /// The weights alone.
    Nothing,
    /// Single tokens.
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
    /// What it computes, in its paper's notation.
    pub formula: &'static str,
    /// Paper and section.
    pub source: &'static str,
    /// Where it belongs.
    pub family: Family,
    /// How tokens meet.
    pub mixer: Mixer,
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
        mixer: Mixer::Scores(&[Part::Vanilla]),
    },
    Kind {
        name: "random",
        label: "Random",
        summary: "A learned table of scores that never looks at the input.",
        formula: "softmax(R) V",
        source: "Tay et al. 2021, section 3.1.2",
        family: Family::Synthesizer,
        mixer: Mixer::Scores(&[Part::Random]),
    },
    Kind {
        name: "fixed-random",
        label: "Fixed random",
        summary: "A table of scores drawn once and never trained.",
        formula: "softmax(R) V, R frozen",
        source: "Tay et al. 2021, section 3.1.3",
        family: Family::Synthesizer,
        mixer: Mixer::Scores(&[Part::FixedRandom]),
    },
    Kind {
        name: "factorized-random",
        label: "Factorized random",
        summary: "A learned table of scores kept as two thin factors.",
        formula: "softmax(R₁ R₂ᵀ) V",
        source: "Tay et al. 2021, section 3.1.4",
        family: Family::Synthesizer,
        mixer: Mixer::Scores(&[Part::FactorizedRandom]),
    },
    Kind {
        name: "dense",
        label: "Dense",
        summary: "Each token predicts its own row of scores with a small network.",
        formula: "softmax(relu(X W₁ + b₁) W₂ + b₂) V",
        source: "Tay et al. 2021, section 3.1.1",
        family: Family::Synthesizer,
        mixer: Mixer::Scores(&[Part::Dense]),
    },
    Kind {
        name: "factorized-dense",
        label: "Factorized dense",
        summary: "Each token predicts two short rows whose outer product is its row of scores.",
        formula: "softmax(A(X) ⊗ C(X)) V",
        source: "Tay et al. 2021, section 3.1.4",
        family: Family::Synthesizer,
        mixer: Mixer::Scores(&[Part::FactorizedDense]),
    },
    Kind {
        name: "random+vanilla",
        label: "Random + Vanilla",
        summary: "A learned table and dot products, mixed with learned weights.",
        formula: "softmax(α₁ R + α₂ Q Kᵀ / √d) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        mixer: Mixer::Scores(&[Part::Random, Part::Vanilla]),
    },
    Kind {
        name: "dense+vanilla",
        label: "Dense + Vanilla",
        summary: "Rows predicted by each token and dot products, mixed with learned weights.",
        formula: "softmax(α₁ D(X) + α₂ Q Kᵀ / √d) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        mixer: Mixer::Scores(&[Part::Dense, Part::Vanilla]),
    },
    Kind {
        name: "random+dense",
        label: "Random + Dense",
        summary: "A learned table and rows predicted by each token, mixed with learned weights.",
        formula: "softmax(α₁ R + α₂ D(X)) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        mixer: Mixer::Scores(&[Part::Random, Part::Dense]),
    },
    Kind {
        name: "random+dense+vanilla",
        label: "Random + Dense + Vanilla",
        summary: "All three ways to make scores, mixed with learned weights.",
        formula: "softmax(α₁ R + α₂ D(X) + α₃ Q Kᵀ / √d) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        mixer: Mixer::Scores(&[Part::Random, Part::Dense, Part::Vanilla]),
    },
    Kind {
        name: "factorized-random+vanilla",
        label: "Factorized random + Vanilla",
        summary: "A factorized table and dot products, mixed with learned weights.",
        formula: "softmax(α₁ R₁ R₂ᵀ + α₂ Q Kᵀ / √d) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        mixer: Mixer::Scores(&[Part::FactorizedRandom, Part::Vanilla]),
    },
    Kind {
        name: "factorized-dense+vanilla",
        label: "Factorized dense + Vanilla",
        summary: "Factorized rows from each token and dot products, mixed with learned weights.",
        formula: "softmax(α₁ A(X) ⊗ C(X) + α₂ Q Kᵀ / √d) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        mixer: Mixer::Scores(&[Part::FactorizedDense, Part::Vanilla]),
    },
    Kind {
        name: "factorized-random+factorized-dense",
        label: "Factorized random + Factorized dense",
        summary: "A factorized table and factorized rows from each token, mixed.",
        formula: "softmax(α₁ R₁ R₂ᵀ + α₂ A(X) ⊗ C(X)) V",
        source: "Tay et al. 2021, section 3.2",
        family: Family::Mixture,
        mixer: Mixer::Scores(&[Part::FactorizedRandom, Part::FactorizedDense]),
    },
    Kind {
        name: "lightweight-convolution",
        label: "Lightweight convolution",
        summary: "A learned window of weights slides over the text, the same at every position.",
        formula: "softmax(W) ∗ U, U = X W₁ ⊙ σ(X W₂)",
        source: "Wu et al. 2019, section 3",
        family: Family::Baseline,
        mixer: Mixer::LightweightConvolution,
    },
    Kind {
        name: "dynamic-convolution",
        label: "Dynamic convolution",
        summary: "Each token predicts the weights of a window around it.",
        formula: "softmax(U W) ∗ U, U = X W₁ ⊙ σ(X W₂)",
        source: "Wu et al. 2019, section 4",
        family: Family::Baseline,
        mixer: Mixer::DynamicConvolution,
    },
    Kind {
        name: "linformer",
        label: "Linformer",
        summary: "Compares every token with a few learned summaries of the whole text.",
        formula: "softmax(Q (Eᵀ K)ᵀ / √d) Fᵀ V",
        source: "Wang et al. 2020, section 4",
        family: Family::Baseline,
        mixer: Mixer::Linformer,
    },
    Kind {
        name: "mlp-mixer",
        label: "MLP-Mixer",
        summary: "A small network along the text mixes positions, the same for every channel.",
        formula: "W₂ᵀ gelu(W₁ᵀ X + b₁) + b₂",
        source: "Tolstikhin et al. 2021, section 2",
        family: Family::Baseline,
        mixer: Mixer::MlpMixer,
    },
    Kind {
        name: "fnet",
        label: "FNet",
        summary: "Two Fourier transforms, over positions and channels, and no weights at all.",
        formula: "Re(F X F)",
        source: "Lee-Thorp et al. 2021, section 3.2",
        family: Family::Baseline,
        mixer: Mixer::Fnet,
    },
    Kind {
        name: "aft",
        label: "AFT",
        summary: "Each channel averages values by keys and learned position biases; queries only gate.",
        formula: "σ(Qᵢ) ⊙ Σⱼ exp(Kⱼ + wᵢⱼ) ⊙ Vⱼ / Σⱼ exp(Kⱼ + wᵢⱼ)",
        source: "Zhai et al. 2021, section 3.1",
        family: Family::Baseline,
        mixer: Mixer::Aft,
    },
];

impl Kind {
    /// The row called `name`, or [`Error::UnknownKind`].
    pub fn named(name: &str) -> Result<&'static Kind> {
        let found = KINDS.iter().find(|kind| kind.name == name);
        found.ok_or_else(|| Error::UnknownKind { kind: name.to_owned() })
    }

    /// The parts of its scores in the order of the mixture weights; none if it has no scores.
    pub fn parts(&self) -> &'static [Part] {
        match self.mixer {
            Mixer::Scores(parts) => parts,
            _ => &[],
        }
    }

    /// What decides where a position looks: the most that any part depends on.
    pub fn conditions_on(&self) -> ConditionsOn {
        self.mixer.conditions_on()
    }

    /// Whether the kind can hide the future, as a decoder must.
    pub fn causal(&self) -> bool {
        self.mixer.causal()
    }

    /// Its options, each once.
    pub fn options(&self) -> Vec<&'static OptionSpec> {
        self.mixer.options()
    }

    /// Number of weights of one layer, frozen ones included.
    pub fn parameters(&self, options: &KindOptions, dims: &Dims) -> u64 {
        self.mixer.parameters(options, dims)
    }

    /// Fresh weights of this kind.
    pub fn init(&self, options: &KindOptions, dims: &Dims, init: &Init) -> AnyMixer {
        self.mixer.init(options, dims, init)
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
            let parts = kind.parts().len();
            assert_eq!(parts > 1, kind.family == Family::Mixture, "{}", kind.name);
            assert_eq!(parts == 0, kind.family == Family::Baseline, "{}", kind.name);
            assert_eq!(parts.max(1), kind.name.split('+').count(), "{}", kind.name);
        }
    }
}
