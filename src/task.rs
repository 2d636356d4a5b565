//! The table of tasks: what goes in, what comes out, how it is scored.

use serde_json::json;

use crate::data::tokenizer::{Special, TokenizerSpec};

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Guess the next token of a running text.
    LanguageModel,
    /// Guess hidden tokens of a running text.
    MaskedLanguageModel,
    /// Tell the class of a text.
    Classification,
    /// Tell the class of a pair of texts.
    PairClassification,
    /// Turn a text into another.
    SequenceToSequence,
}

/// The form of a task's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `{ text }`
    Text,
    /// Rows of `{ text, label }`.
    Labelled,
    /// Rows of `{ text, second, label }`.
    LabelledPairs,
    /// Rows of `{ source, target }`.
    Translated,
}

impl Form {
    /// The form as API users write it.
    pub fn shown(self) -> &'static str {
        match self {
            Form::Text => "{ text }",
            Form::Labelled => "{ rows: { text, label }[] }",
            Form::LabelledPairs => "{ rows: { text, second, label }[] }",
            Form::Translated => "{ rows: { source, target }[] }",
        }
    }
}

/// A row of the table.
struct Row {
    name: &'static str,
    label: &'static str,
    summary: &'static str,
    input: &'static str,
    output: &'static str,
    metrics: &'static [&'static str],
    form: Form,
    specials: &'static [Special],
    /// Whether text is cut into words unless the spec says otherwise.
    words: bool,
    /// Whether positions must not see what follows them.
    decodes: bool,
    /// The least `maxLength`.
    least_length: usize,
}

const LANGUAGE_MODEL: Row = Row {
    name: "language-model",
    label: "Language model",
    summary: "Learns a text by guessing each next token, then writes on.",
    input: "a text",
    output: "more text",
    metrics: &["loss", "perplexity", "bitsPerCharacter"],
    form: Form::Text,
    specials: Special::LANGUAGE_MODEL,
    words: false,
    decodes: true,
    least_length: 2,
};

const MASKED_LANGUAGE_MODEL: Row = Row {
    name: "masked-language-model",
    label: "Fill in the blanks",
    summary: "Learns a text by guessing hidden tokens from what stands on both sides.",
    input: "a text with masks",
    output: "tokens for each mask",
    metrics: &["loss", "perplexity", "accuracy"],
    form: Form::Text,
    specials: Special::MASKED_LANGUAGE_MODEL,
    words: false,
    decodes: false,
    least_length: 2,
};

const CLASSIFICATION: Row = Row {
    name: "classification",
    label: "Classify texts",
    summary: "Learns which label a text has.",
    input: "a text",
    output: "a label",
    metrics: &["loss", "accuracy", "f1"],
    form: Form::Labelled,
    specials: Special::CLASSIFICATION,
    words: true,
    decodes: false,
    least_length: 2,
};

const PAIR_CLASSIFICATION: Row = Row {
    name: "pair-classification",
    label: "Compare pairs",
    summary: "Learns what a second text is to a first: whether it follows, say.",
    input: "two texts",
    output: "a label",
    metrics: &["loss", "accuracy", "f1"],
    form: Form::LabelledPairs,
    specials: Special::PAIR_CLASSIFICATION,
    words: true,
    decodes: false,
    least_length: 4,
};

const SEQUENCE_TO_SEQUENCE: Row = Row {
    name: "sequence-to-sequence",
    label: "Translate",
    summary: "Learns to turn one text into another, of any length.",
    input: "a text",
    output: "another text",
    metrics: &["loss", "perplexity", "exactMatch", "bleu", "rougeL"],
    form: Form::Translated,
    specials: Special::SEQUENCE_TO_SEQUENCE,
    words: false,
    decodes: true,
    least_length: 2,
};

impl Task {
    /// Every task, in the order of menus.
    pub const ALL: &'static [Task] = &[
        Task::LanguageModel,
        Task::MaskedLanguageModel,
        Task::Classification,
        Task::PairClassification,
        Task::SequenceToSequence,
    ];

    fn row(self) -> &'static Row {
        match self {
            Task::LanguageModel => &LANGUAGE_MODEL,
            Task::MaskedLanguageModel => &MASKED_LANGUAGE_MODEL,
            Task::Classification => &CLASSIFICATION,
            Task::PairClassification => &PAIR_CLASSIFICATION,
            Task::SequenceToSequence => &SEQUENCE_TO_SEQUENCE,
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

    /// The form of its data.
    pub fn form(self) -> Form {
        self.row().form
    }

    /// How text is cut if the spec does not say.
    pub fn default_tokenizer(self) -> TokenizerSpec {
        match self.row().words {
            true => TokenizerSpec::Word {
                vocabulary: TokenizerSpec::WORD_VOCABULARY,
                normalized: self.only_reads(),
            },
            false => TokenizerSpec::Character,
        }
    }

    /// Whether models never write text, so that case and blanks can be dropped.
    pub fn only_reads(self) -> bool {
        matches!(self.form(), Form::Labelled | Form::LabelledPairs)
    }

    /// Whether positions must not see what follows them, so that text can be made.
    pub fn decodes(self) -> bool {
        self.row().decodes
    }

    /// The least `maxLength` with which there is room for special tokens and some text.
    pub fn least_length(self) -> usize {
        self.row().least_length
    }

    /// Tokens beside those of the text.
    pub fn special_tokens(self) -> &'static [Special] {
        self.row().specials
    }
}

/// The table as API users see it (`TaskInfo[]`). The data sets are the package's.
pub fn table() -> serde_json::Value {
    let rows = Task::ALL.iter().map(|task| {
        let Row { name, label, summary, input, output, metrics, .. } = task.row();
        json!({
            "name": name, "label": label, "summary": summary, "input": input, "output": output,
            "metrics": metrics, "builtins": [],
        })
    });
    rows.collect()
}
