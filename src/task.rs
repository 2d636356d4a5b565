//! The table of tasks: what goes in, what comes out, how it is scored.

use serde_json::json;

use crate::data::tokenizer::{Special, TokenizerSpec};

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Guess the next token of a running text.
    LanguageModel,
}

/// A row of the table.
struct Row {
    name: &'static str,
    label: &'static str,
    summary: &'static str,
    input: &'static str,
    output: &'static str,
    metrics: &'static [&'static str],
}

impl Task {
    /// Every task, in the order of menus.
    pub const ALL: &'static [Task] = &[Task::LanguageModel];

    fn row(self) -> Row {
        match self {
            Task::LanguageModel => Row {
                name: "language-model",
                label: "Language model",
                summary: "Learns a text by guessing each next token, then writes on.",
                input: "a text",
                output: "more text",
                metrics: &["loss", "perplexity", "bitsPerCharacter"],
            },
        }
    }

    /// The name in configurations and files.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// All names, for error messages.
    pub fn expected() -> String {
        let names: Vec<String> =
            Self::ALL.iter().map(|task| format!("{:?}", task.name())).collect();
        format!("one of {}", names.join(", "))
    }

    /// How text is cut if the spec does not say.
    pub fn default_tokenizer(self) -> TokenizerSpec {
        match self {
            Task::LanguageModel => TokenizerSpec::Character,
        }
    }

    /// Whether models never write text, so that case and blanks can be dropped.
    pub fn only_reads(self) -> bool {
        match self {
            Task::LanguageModel => false,
        }
    }

    /// Whether positions must not see what follows them, so that text can be made.
    pub fn decodes(self) -> bool {
        match self {
            Task::LanguageModel => true,
        }
    }

    /// Tokens beside those of the text.
    pub fn special_tokens(self) -> &'static [Special] {
        match self {
            Task::LanguageModel => Special::LANGUAGE_MODEL,
        }
    }
}

/// The table as API users see it (`TaskInfo[]`).
pub fn table() -> serde_json::Value {
    let rows = Task::ALL.iter().map(|task| {
        let Row { name, label, summary, input, output, metrics } = task.row();
        json!({
            "name": name, "label": label, "summary": summary, "input": input, "output": output,
            "metrics": metrics, "builtins": [],
        })
    });
    rows.collect()
}
