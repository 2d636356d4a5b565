//! The table of kinds as API users see it.

use serde_json::{Value, json};

use super::mixture::Mixing;
use super::options::{KindOptions, OptionKind};
use super::registry::KINDS;
use super::{Dims, Kind};

/// Sizes of a model whose spec names none: defaults and limits in the table are for these.
const DEFAULT_DIMS: Dims = Dims { d_model: 64, heads: 4, max_len: 64 };

/// `KindInfo[]`, one a row of [`KINDS`].
pub fn table() -> Value {
    let row = |kind: &Kind| {
        json!({
            "name": kind.name,
            "label": kind.label,
            "summary": kind.summary,
            "formula": kind.formula,
            "source": kind.source,
            "family": kind.family.name(),
            "conditionsOn": kind.conditions_on().name(),
            "causal": kind.causal(),
            "options": options(kind),
        })
    };
    KINDS.iter().map(row).collect()
}

fn options(kind: &Kind) -> Value {
    let mut defaults = KindOptions::defaults(&DEFAULT_DIMS);
    let mut rows = Vec::new();
    for option in kind.options() {
        rows.push(match option.kind {
            OptionKind::Integer { min, max, field, .. } => json!({
                "name": option.name, "type": "integer", "default": *field(&mut defaults),
                "min": min, "max": max(&DEFAULT_DIMS), "help": option.help,
            }),
            OptionKind::Mixing => json!({
                "name": option.name, "type": "choice", "default": Mixing::default().name(),
                "choices": Mixing::ALL.map(Mixing::name), "help": option.help,
            }),
        });
    }
    rows.into()
}
