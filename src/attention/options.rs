//! Settings that single kinds have, and the table that describes them to menus and validation.

use super::Dims;
use super::mixture::Mixing;

/// Settings of every kind; one that a kind does not list is not used by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindOptions {
    /// Factorized random: columns of the two factors, 1 to `max_len`, default 8.
    pub rank: usize,
    /// Dense kinds: width of the hidden layer per head, default `d_model / heads`.
    pub hidden: usize,
    /// Factorized dense: columns of the first factor, a divisor of `max_len`;
    /// default the largest one not above its root.
    pub a: usize,
    /// Mixtures: weights per head or one set for the layer.
    pub mixing: Mixing,
    /// Convolutions: taps of the kernel, an odd number, default 7.
    pub kernel: usize,
    /// Linformer: summaries of the text, 1 to `max_len`, default a quarter of it.
    pub projected: usize,
    /// MLP-Mixer: width of the hidden layer, default `max_len`.
    pub tokens_hidden: usize,
    /// Vanilla: whether fresh keys are equal to fresh queries, default no. Crate only.
    pub same_keys: bool,
}

impl KindOptions {
    /// The defaults for a model of these sizes.
    pub fn defaults(dims: &Dims) -> Self {
        Self {
            rank: 8.min(dims.max_len),
            hidden: dims.d_head(),
            a: largest_divisor_to_root(dims.max_len),
            mixing: Mixing::Head,
            kernel: 7,
            projected: (dims.max_len / 4).max(1),
            tokens_hidden: dims.max_len,
            same_keys: false,
        }
    }
}

/// The largest divisor of `n` that is not above its square root.
fn largest_divisor_to_root(n: usize) -> usize {
    (1..=n.isqrt()).rev().find(|a| n.is_multiple_of(*a)).unwrap_or(1)
}

/// What values an option takes.
#[derive(Debug, Clone, Copy)]
pub enum OptionKind {
    /// A whole number from `min` to the bound that the sizes give.
    Integer {
        /// The smallest value.
        min: usize,
        /// The largest value in a model of these sizes.
        max: fn(&Dims) -> usize,
        /// Where the value stands in [`KindOptions`].
        field: fn(&mut KindOptions) -> &mut usize,
        /// What else is expected of a value in a model of these sizes, if it is not so.
        wrong: fn(usize, &Dims) -> Option<String>,
    },
    /// One of the names of [`Mixing`].
    Mixing,
}

/// One option of one or more kinds; equal if the names are.
#[derive(Debug)]
pub struct OptionSpec {
    /// The name in configurations.
    pub name: &'static str,
    /// What it takes.
    pub kind: OptionKind,
    /// One sentence for menus and docs.
    pub help: &'static str,
}

impl PartialEq for OptionSpec {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// The widest hidden layer of the dense kinds, a bound against typing errors.
const MOST_HIDDEN: usize = 1024;

/// `rank` of factorized random.
pub static RANK: OptionSpec = OptionSpec {
    name: "rank",
    kind: OptionKind::Integer {
        min: 1,
        max: |dims| dims.max_len,
        field: |options| &mut options.rank,
        wrong: |_, _| None,
    },
    help: "Columns of the two factors of the table.",
};

/// `hidden` of the dense kinds.
pub static HIDDEN: OptionSpec = OptionSpec {
    name: "hidden",
    kind: OptionKind::Integer {
        min: 1,
        max: |_| MOST_HIDDEN,
        field: |options| &mut options.hidden,
        wrong: |_, _| None,
    },
    help: "Width of the hidden layer for each head; by default dModel / heads.",
};

/// `a` of factorized dense.
pub static A: OptionSpec = OptionSpec {
    name: "a",
    kind: OptionKind::Integer {
        min: 1,
        max: |dims| dims.max_len,
        field: |options| &mut options.a,
        wrong: |a, dims| {
            let divides = dims.max_len.is_multiple_of(a);
            (!divides).then(|| format!("a divisor of maxLength, {}", dims.max_len))
        },
    },
    help: "Length of the first factor; divides maxLength, by default the largest divisor not above its root.",
};

/// The longest kernel, a bound against typing errors.
const MOST_TAPS: usize = 255;

/// `kernel` of the convolutions.
pub static KERNEL: OptionSpec = OptionSpec {
    name: "kernel",
    kind: OptionKind::Integer {
        min: 1,
        max: |_| MOST_TAPS,
        field: |options| &mut options.kernel,
        wrong: |taps, _| (taps % 2 == 0).then(|| "an odd number".to_owned()),
    },
    help: "Positions in the window of the convolution, an odd number.",
};

/// `projected` of Linformer.
pub static PROJECTED: OptionSpec = OptionSpec {
    name: "projected",
    kind: OptionKind::Integer {
        min: 1,
        max: |dims| dims.max_len,
        field: |options| &mut options.projected,
        wrong: |_, _| None,
    },
    help: "Number of summaries that stand for the text; by default maxLength / 4.",
};

/// `tokensHidden` of MLP-Mixer.
pub static TOKENS_HIDDEN: OptionSpec = OptionSpec {
    name: "tokensHidden",
    kind: OptionKind::Integer {
        min: 1,
        max: |dims| 4 * dims.max_len,
        field: |options| &mut options.tokens_hidden,
        wrong: |_, _| None,
    },
    help: "Width of the hidden layer along the text; by default maxLength.",
};

/// `mixing` of mixtures.
pub static MIXING: OptionSpec = OptionSpec {
    name: "mixing",
    kind: OptionKind::Mixing,
    help: "Whether each head learns its own mixture or the layer one for all heads.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_factor_is_the_largest_divisor_up_to_the_root() {
        for (n, a) in [(1, 1), (7, 1), (12, 3), (32, 4), (36, 6), (64, 8), (104, 8)] {
            assert_eq!(largest_divisor_to_root(n), a, "of {n}");
        }
    }
}
