//! What a model and a run are made of: defaults, limits, and the only parsing of settings.
//! A [`ModelSpec`] or [`TrainConfig`] that was parsed is valid. Its fields can be set; whoever takes one
//! to make a model or a run of it checks it again.

use serde_json::json;

use crate::attention::{ConditionsOn, Dims, KINDS, Kind, KindOptions, Mixing, OptionKind};
use crate::data::tokenizer::TokenizerSpec;
use crate::error::{Error, Result};
use crate::model::cross::Cross;
use crate::model::layers::Activation;
use crate::model::net::NetConfig;
use crate::model::{BlockConfig, CrossAttention, EncoderConfig, Positions, WriterConfig};
use crate::task::Task;
use crate::train::{OptimizerConfig, OptimizerKind, Schedule, ScheduleKind};
use crate::value::{Fields, Value};

/// Widest model.
const MOST_WIDTH: usize = 2048;
/// Longest input in tokens.
const MOST_LENGTH: usize = 4096;
/// Most weights of a model: with gradients and two moments 1.6 GB, what a browser tab can hold.
const MOST_PARAMETERS: u64 = 100_000_000;
/// The last step a model can have made: JavaScript has no whole numbers beyond.
pub const LAST_STEP: u64 = 1 << 53;

/// Everything that makes a model but its data: same spec, data and seed, same weights.
#[derive(Debug, Clone)]
pub struct ModelSpec {
    /// What the model is for.
    pub task: Task,
    /// How positions meet.
    pub kind: &'static Kind,
    /// Settings of the kind.
    pub options: KindOptions,
    /// Width of a token's vector, default 64.
    pub d_model: usize,
    /// Heads, default 4; divides the width.
    pub heads: usize,
    /// Blocks, default 2.
    pub layers: usize,
    /// Width of the feed-forward part, default four times the model's.
    pub d_ff: usize,
    /// Longest input in tokens, default 64.
    pub max_length: usize,
    /// Share of activations dropped in training, and half of it of the words of texts to classify; 0
    /// to below 1, default 0.
    pub dropout: f64,
    /// How positions are told, default learned.
    pub positions: Positions,
    /// How text is cut, default characters.
    pub tokenizer: TokenizerSpec,
    /// Whether the head is the token embedding, default no.
    pub tie_embeddings: bool,
    /// Seed of weights, windows and dropout, default 0.
    pub seed: u32,
    /// Non-linearity of the feed-forward part, default GELU. Crate only.
    pub activation: Activation,
    /// Whether the untied head has a bias, default yes. Crate only.
    pub head_bias: bool,
    /// How a decoder scores its source, default by dot products. Crate only.
    pub cross: CrossAttention,
}

impl ModelSpec {
    /// Reads and checks a `ModelSpec` as API users write it.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOption`] or [`Error::UnknownKind`], naming the option, its value and what
    /// was expected.
    pub fn parse(value: &Value) -> Result<Self> {
        Self::read(Fields::new(value, "spec")?)
    }

    /// Reads and checks what [`ModelSpec::stored`] gave: the spec, and an experiment if it is one.
    pub(crate) fn parse_stored(value: &Value) -> Result<Self> {
        let mut fields = Fields::new(value, "spec")?;
        let cross = fields.choice("cross", &CrossAttention::ALL, CrossAttention::name)?;
        Self::read(fields)?.with_cross(cross.unwrap_or_default())
    }

    fn read(mut fields: Fields) -> Result<Self> {
        let task = fields.choice("task", Task::ALL, Task::name)?;
        let task = task.ok_or_else(|| Error::option("task", "missing", Task::expected()))?;
        let attention = fields.take("attention").ok_or_else(|| {
            Error::option("attention", "missing", "the name of an attention kind, see kinds()")
        })?;
        let d_model = fields.size("dModel", 1, MOST_WIDTH)?.unwrap_or(64);
        let heads = fields.size("heads", 1, d_model)?.unwrap_or(4);
        if d_model % heads != 0 {
            return Err(Error::option("heads", heads, format!("a divisor of dModel, {d_model}")));
        }
        let max_length = fields.size("maxLength", task.least_length(), MOST_LENGTH)?.unwrap_or(64);
        let dims = Dims { d_model, heads, max_len: max_length };
        let (kind, options) = parse_attention(&attention, &dims)?;
        if task.decodes() && !kind.causal() {
            return Err(Error::option("attention", format!("{:?}", kind.name), causal_kinds()));
        }
        let share = "a number from 0 to below 1";
        let spec = Self {
            task,
            kind,
            options,
            d_model,
            heads,
            layers: fields.size("layers", 1, 64)?.unwrap_or(2),
            d_ff: fields.size("dFf", 1, 4 * MOST_WIDTH)?.unwrap_or(4 * d_model),
            max_length,
            dropout: fields
                .number("dropout", |p| (0.0..1.0).contains(&(p as f32)), share)?
                .unwrap_or(0.0),
            positions: fields
                .choice("positions", &Positions::ALL, Positions::name)?
                .unwrap_or_default(),
            tokenizer: match fields.take("tokenizer") {
                Some(value) => parse_tokenizer(&value, task)?,
                None => task.default_tokenizer(),
            },
            tie_embeddings: fields.boolean("tieEmbeddings")?.unwrap_or(false),
            seed: fields.seed("seed")?.unwrap_or(0),
            activation: Activation::default(),
            head_bias: true,
            cross: CrossAttention::default(),
        };
        fields.finish(
            "task, attention, dModel, heads, layers, dFf, maxLength, dropout, positions, \
             tokenizer, tieEmbeddings, seed",
        )?;
        let blocks = spec.parameters_without_vocabulary();
        if blocks > MOST_PARAMETERS {
            let expected =
                format!("sizes that make at most {MOST_PARAMETERS} weights, not {blocks}");
            return Err(Error::option("dModel", d_model, expected));
        }
        Ok(spec)
    }

    /// Refuses what [`ModelSpec::parse`] would, for a spec whose fields were set.
    ///
    /// # Errors
    ///
    /// As [`ModelSpec::parse`].
    pub fn check(&self) -> Result<()> {
        let Value::Map(mut entries) = Value::from(&self.stored()) else {
            unreachable!("a spec is an object");
        };
        for (name, value) in &mut entries {
            // JSON has no NaN.
            if name == "dropout" {
                *value = Value::Number(self.dropout);
            }
        }
        let checked = Self::parse_stored(&Value::Map(entries))?;
        if checked.tokenizer != self.tokenizer {
            let expected = "`normalized` for tasks that only read, and for no other";
            return Err(Error::option("tokenizer", "words", expected));
        }
        Ok(())
    }

    /// The same with another way to score sources.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOption`] for a model that has no source.
    pub fn with_cross(self, cross: CrossAttention) -> Result<Self> {
        if cross == CrossAttention::DotProduct || self.has_two_halves() {
            return Ok(Self { cross, ..self });
        }
        let expected = format!("the task {:?}", Task::SequenceToSequence.name());
        Err(Error::option("cross", format!("{:?}", cross.name()), expected))
    }

    /// The sizes that attention needs to know.
    pub fn dims(&self) -> Dims {
        Dims { d_model: self.d_model, heads: self.heads, max_len: self.max_length }
    }

    /// The blocks of the model.
    pub fn block(&self) -> BlockConfig {
        BlockConfig {
            kind: self.kind,
            // What reads texts to judge them has to find what occurs twice.
            options: KindOptions { same_keys: self.task.only_reads(), ..self.options },
            dims: self.dims(),
            d_ff: self.d_ff,
            activation: self.activation,
            cross: self.cross,
        }
    }

    /// A model that writes, over `vocab` token ids.
    pub fn writer(&self, vocab: usize) -> WriterConfig {
        WriterConfig {
            block: self.block(),
            layers: self.layers,
            vocab,
            positions: self.positions,
            tied: self.tie_embeddings,
            head_bias: self.head_bias,
        }
    }

    /// A bidirectional encoder over `vocab` token ids.
    pub fn encoder(&self, vocab: usize) -> EncoderConfig {
        EncoderConfig {
            block: self.block(),
            layers: self.layers,
            vocab,
            positions: self.positions,
            segments: self.task == Task::PairClassification,
        }
    }

    /// The model of the task, over `vocab` token ids and, where there are any, `classes`.
    pub fn net(&self, vocab: usize, classes: usize) -> NetConfig {
        match self.task {
            Task::LanguageModel => NetConfig::LanguageModel(self.writer(vocab)),
            Task::MaskedLanguageModel => NetConfig::Masked {
                encoder: self.encoder(vocab),
                tied: self.tie_embeddings,
                head_bias: self.head_bias,
            },
            Task::Classification | Task::PairClassification => {
                NetConfig::Classifier { encoder: self.encoder(vocab), classes }
            }
            Task::SequenceToSequence => NetConfig::Sequence(self.writer(vocab)),
        }
    }

    /// [`Self::dropout`] for tensors. The field is as it was given: 0.1 stays 0.1 in files.
    pub fn dropout_rate(&self) -> f32 {
        self.dropout as f32
    }

    /// Weights of attention in all layers, cross-attention and frozen tables included.
    pub fn attention_parameters(&self) -> u64 {
        let own = self.kind.parameters(&self.options, &self.dims());
        let layers = self.layers as u64;
        match self.has_two_halves() {
            true => layers * (2 * own + Cross::parameters(self.cross, &self.dims())),
            false => layers * own,
        }
    }

    fn has_two_halves(&self) -> bool {
        self.task == Task::SequenceToSequence
    }

    /// Weights of blocks and positions.
    fn parameters_without_vocabulary(&self) -> u64 {
        let [d_model, _heads, max_len] = self.dims().wide();
        let (layers, d_ff) = (self.layers as u64, self.d_ff as u64);
        let feed_forward = 2 * d_model * d_ff + d_ff + d_model;
        let halves = if self.has_two_halves() { 2 } else { 1 };
        let positions = if self.positions == Positions::Learned { max_len * d_model } else { 0 };
        self.attention_parameters() + halves * (layers * (feed_forward + 4 * d_model) + positions)
    }

    /// Weights of embeddings and of the head, which has tokens or classes.
    fn vocabulary_parameters(&self, vocab: usize, classes: usize) -> u64 {
        let [d_model, ..] = self.dims().wide();
        if self.task.only_reads() {
            return (vocab + 2 * classes) as u64 * d_model;
        }
        let tables = if self.has_two_halves() { 3 } else { 2 };
        (tables - u64::from(self.tie_embeddings)) * vocab as u64 * d_model
    }

    /// The weights that grow with sizes: all but a few biases and norms.
    pub fn least_parameters(&self, vocab: usize, classes: usize) -> u64 {
        self.parameters_without_vocabulary() + self.vocabulary_parameters(vocab, classes)
    }

    /// Bytes of the largest tensor of a pass over `batch` rows, of any kind.
    pub fn largest_tensor(&self, batch: usize, vocab: usize, classes: usize) -> u64 {
        let [d_model, heads, max_len] = self.dims().wide();
        let rows = batch as u64;
        let scores = match self.kind.conditions_on() {
            ConditionsOn::Nothing if !self.has_two_halves() => heads * max_len * max_len,
            _ => rows * heads * max_len * max_len,
        };
        let logits = if self.task.only_reads() { 0 } else { rows * max_len * vocab as u64 };
        let between = rows * max_len * d_model.max(self.d_ff as u64);
        let sizes = [scores, logits, between, self.least_parameters(vocab, classes)];
        4 * sizes.into_iter().fold(0, u64::max)
    }

    /// Refuses a vocabulary with which the model would be too large.
    pub fn check_vocabulary(&self, vocab: usize, classes: usize) -> Result<()> {
        let all = self.least_parameters(vocab, classes);
        if all <= MOST_PARAMETERS {
            return Ok(());
        }
        let expected =
            format!("a vocabulary that makes at most {MOST_PARAMETERS} weights, not {all}");
        Err(Error::option("tokenizer", format!("one of {vocab} tokens"), expected))
    }

    /// The spec as it is in files: as API users write it, and an experiment by its name if it is one.
    pub(crate) fn stored(&self) -> serde_json::Value {
        let mut stored = self.to_json();
        if self.cross != CrossAttention::default() {
            stored["cross"] = json!(self.cross.name());
        }
        stored
    }

    /// Every option with its value, as API users write it; [`ModelSpec::parse`] reads it back.
    pub fn to_json(&self) -> serde_json::Value {
        let mut options = self.options;
        let mut attention = serde_json::Map::new();
        attention.insert("kind".to_owned(), json!(self.kind.name));
        for option in self.kind.options() {
            let value = match option.kind {
                OptionKind::Integer { field, .. } => json!(*field(&mut options)),
                OptionKind::Mixing => json!(options.mixing.name()),
            };
            attention.insert(option.name.to_owned(), value);
        }
        json!({
            "task": self.task.name(),
            "attention": attention,
            "dModel": self.d_model,
            "heads": self.heads,
            "layers": self.layers,
            "dFf": self.d_ff,
            "maxLength": self.max_length,
            "dropout": self.dropout,
            "positions": self.positions.name(),
            "tokenizer": tokenizer_json(&self.tokenizer),
            "tieEmbeddings": self.tie_embeddings,
            "seed": self.seed,
        })
    }
}

/// A kind's name, or an object with it and its options.
fn parse_attention(value: &Value, dims: &Dims) -> Result<(&'static Kind, KindOptions)> {
    let mut options = KindOptions::defaults(dims);
    match value {
        Value::Text(name) => return Ok((Kind::named(name)?, options)),
        Value::Map(_) => {}
        _ => {
            let expected = "the name of a kind, see kinds(), or { kind } with options of its own";
            return Err(Error::option("attention", value, expected));
        }
    }
    let mut fields = Fields::nested(value, "attention")?;
    let kind = match fields.take("kind") {
        Some(Value::Text(name)) => Kind::named(&name)?,
        other => {
            let value = other.map_or("missing".to_owned(), |value| value.to_string());
            return Err(Error::option("attention.kind", value, "the name of a kind, see kinds()"));
        }
    };
    for option in kind.options() {
        match option.kind {
            OptionKind::Integer { min, max, field, wrong } => {
                if let Some(value) = fields.size(option.name, min, max(dims))? {
                    if let Some(expected) = wrong(value, dims) {
                        let name = format!("attention.{}", option.name);
                        return Err(Error::option(name, value, expected));
                    }
                    *field(&mut options) = value;
                }
            }
            OptionKind::Mixing => {
                let chosen = fields.choice(option.name, &Mixing::ALL, Mixing::name)?;
                options.mixing = chosen.unwrap_or(options.mixing);
            }
        }
    }
    let own = kind.options().into_iter().map(|option| option.name);
    let names: Vec<&str> = std::iter::once("kind").chain(own).collect();
    fields.finish(&names.join(", "))?;
    Ok((kind, options))
}

/// The kinds a decoder can be made of, for error messages.
fn causal_kinds() -> String {
    let causal = KINDS.iter().filter(|kind| kind.causal()).map(|kind| kind.name);
    format!("a kind that can hide the future: {}", causal.collect::<Vec<_>>().join(", "))
}

fn parse_tokenizer(value: &Value, task: Task) -> Result<TokenizerSpec> {
    let expected = "\"character\", \"byte\", \"word\", \"bpe\" or { kind, vocabulary }";
    let (name, vocabulary) = match value {
        Value::Text(name) => (name.clone(), None),
        Value::Map(_) => {
            let mut fields = Fields::nested(value, "tokenizer")?;
            let Some(Value::Text(name)) = fields.take("kind") else {
                return Err(Error::option("tokenizer", value, expected));
            };
            let most = TokenizerSpec::MAX_VOCABULARY;
            let vocabulary = fields.size("vocabulary", 1, most)?;
            fields.finish("kind and vocabulary")?;
            (name, vocabulary)
        }
        _ => return Err(Error::option("tokenizer", value, expected)),
    };
    let spec = match (name.as_str(), vocabulary) {
        ("character", None) => TokenizerSpec::Character,
        ("byte", None) => TokenizerSpec::Byte,
        ("word", size) => TokenizerSpec::Word {
            vocabulary: size.unwrap_or(TokenizerSpec::WORD_VOCABULARY),
            normalized: task.only_reads(),
        },
        ("bpe", size) => {
            TokenizerSpec::Bpe { vocabulary: size.unwrap_or(TokenizerSpec::BPE_VOCABULARY) }
        }
        ("character" | "byte", Some(size)) => {
            let expected = format!("nothing: a {name} tokenizer has as many tokens as it needs");
            return Err(Error::option("tokenizer.vocabulary", size, expected));
        }
        _ => return Err(Error::option("tokenizer", value, expected)),
    };
    spec.validate()?;
    Ok(spec)
}

/// The tokenizer as API users write it.
fn tokenizer_json(spec: &TokenizerSpec) -> serde_json::Value {
    match spec {
        TokenizerSpec::Character => json!("character"),
        TokenizerSpec::Byte => json!("byte"),
        TokenizerSpec::Word { vocabulary, .. } => {
            json!({ "kind": "word", "vocabulary": vocabulary })
        }
        TokenizerSpec::Bpe { vocabulary } => json!({ "kind": "bpe", "vocabulary": vocabulary }),
    }
}

/// One call of training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainConfig {
    /// Steps to make.
    pub steps: u64,
    /// Rows a batch, default 16.
    pub batch: usize,
    /// The learning rate of each step.
    pub schedule: Schedule,
    /// The rule, decay and clipping.
    pub optimizer: OptimizerConfig,
    /// Share held out, 0 to 0.5, default 0.
    pub validation: f64,
    /// Steps between reports, default 20.
    pub every: u64,
}

impl TrainConfig {
    /// Defaults, for `steps` steps of a model that has made `step`.
    pub fn new(steps: u64, step: u64) -> Self {
        Self {
            steps,
            batch: 16,
            schedule: Schedule {
                kind: ScheduleKind::default(),
                peak: 1e-3,
                warmup: 0,
                start: step,
                end: step.saturating_add(steps),
            },
            optimizer: OptimizerConfig::default(),
            validation: 0.0,
            every: 20,
        }
    }

    /// Refuses what [`TrainConfig::parse`] would, for settings that were not parsed.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOption`], with the names JavaScript uses.
    pub fn check(&self) -> Result<()> {
        let Self { schedule, optimizer, .. } = self;
        let text = |name: &str| Value::Text(name.to_owned());
        let map = |entries: Vec<(&str, Value)>| {
            Value::Map(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
        };
        let mut entries = vec![
            ("steps", Value::Number(self.steps as f64)),
            ("batch", Value::Number(self.batch as f64)),
            ("learningRate", Value::Number(schedule.peak)),
            ("warmup", Value::Number(schedule.warmup as f64)),
            ("schedule", text(schedule.kind.name())),
            ("optimizer", text(optimizer.kind.name())),
            ("weightDecay", Value::Number(optimizer.weight_decay)),
            ("validation", Value::Number(self.validation)),
            ("every", Value::Number(self.every as f64)),
            (
                "span",
                map(vec![
                    ("start", Value::Number(schedule.start as f64)),
                    ("end", Value::Number(schedule.end as f64)),
                ]),
            ),
        ];
        // Infinite is no clipping, which JavaScript has no way to say.
        if optimizer.clip_norm != f64::INFINITY {
            entries.push(("clipNorm", Value::Number(optimizer.clip_norm)));
        }
        Self::parse(&map(entries), schedule.start)?;
        for (name, beta) in [("beta1", optimizer.beta1), ("beta2", optimizer.beta2)] {
            if !(0.0..1.0).contains(&beta) {
                return Err(Error::option(name, beta, "a number from 0 to below 1"));
            }
        }
        if !(optimizer.epsilon > 0.0 && optimizer.epsilon.is_finite()) {
            return Err(Error::option("epsilon", optimizer.epsilon, "a number above 0"));
        }
        Ok(())
    }

    /// Reads and checks `TrainOptions` for a model that has made `step` steps.
    pub fn parse(value: &Value, step: u64) -> Result<Self> {
        const MOST_STEPS: u64 = 100_000_000;
        let mut fields = Fields::new(value, "options")?;
        let steps = fields.integer("steps", 1, MOST_STEPS)?;
        let steps = steps.ok_or_else(|| {
            Error::option("steps", "missing", format!("a whole number from 1 to {MOST_STEPS}"))
        })?;
        let batch = fields.size("batch", 1, 4096)?.unwrap_or(16);
        let above_zero = "a number above 0";
        let not_negative = "a number from 0";
        let peak = fields.number("learningRate", |rate| rate > 0.0, above_zero)?.unwrap_or(1e-3);
        let warmup = fields.integer("warmup", 0, MOST_STEPS)?.unwrap_or(0);
        let kind = fields.choice("schedule", &ScheduleKind::ALL, ScheduleKind::name)?;
        let rule = fields.choice("optimizer", &OptimizerKind::ALL, OptimizerKind::name)?;
        let decay = fields.number("weightDecay", |decay| decay >= 0.0, not_negative)?;
        let clip = fields.number("clipNorm", |norm| norm > 0.0, above_zero)?;
        let share = |share| (0.0..=0.5).contains(&share);
        let validation = fields.number("validation", share, "a share from 0 to 0.5")?;
        let every = fields.integer("every", 1, MOST_STEPS)?.unwrap_or(20);
        let (start, end) = match fields.take("span") {
            None => (step, step + steps),
            Some(span) => parse_span(&span)?,
        };
        fields.finish(
            "steps, batch, learningRate, warmup, schedule, optimizer, weightDecay, clipNorm, \
             validation, every, span, signal",
        )?;
        let defaults = OptimizerConfig::default();
        Ok(Self {
            steps,
            batch,
            schedule: Schedule { kind: kind.unwrap_or_default(), peak, warmup, start, end },
            optimizer: OptimizerConfig {
                kind: rule.unwrap_or_default(),
                weight_decay: decay.unwrap_or(defaults.weight_decay),
                clip_norm: clip.unwrap_or(defaults.clip_norm),
                ..defaults
            },
            validation: validation.unwrap_or(0.0),
            every,
        })
    }
}

fn parse_span(span: &Value) -> Result<(u64, u64)> {
    let mut fields = Fields::nested(span, "span")?;
    let missing = |name: &str| Error::option(format!("span.{name}"), "missing", "a model step");
    let start = fields.integer("start", 0, LAST_STEP)?.ok_or_else(|| missing("start"))?;
    let end = fields.integer("end", 0, LAST_STEP)?.ok_or_else(|| missing("end"))?;
    fields.finish("start, end")?;
    if end <= start {
        return Err(Error::option("span.end", end, format!("a model step after start, {start}")));
    }
    Ok((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A language model, or why there is none, with this `attention`.
    fn spec(attention: serde_json::Value) -> Result<ModelSpec> {
        let json = json!({ "task": "language-model", "attention": attention, "maxLength": 12 });
        ModelSpec::parse(&Value::from(&json))
    }

    #[test]
    fn a_language_model_is_made_of_a_kind_that_can_hide_the_future() {
        for kind in KINDS {
            match spec(json!(kind.name)) {
                Ok(spec) => assert!(kind.causal() && spec.kind == kind, "{}", kind.name),
                Err(Error::InvalidOption { option, value, expected }) => {
                    assert!(!kind.causal(), "{}", kind.name);
                    assert_eq!((option.as_str(), value), ("attention", format!("{:?}", kind.name)));
                    assert!(expected.contains("dynamic-convolution"), "{expected}");
                    assert!(!expected.contains(kind.name), "{expected}");
                }
                Err(error) => panic!("{}: {error}", kind.name),
            }
        }
    }

    #[test]
    fn sizes_that_no_32_bits_can_count_are_refused() {
        for attention in [
            json!("random"),
            json!({ "kind": "dense", "hidden": 1024 }),
            json!({ "kind": "factorized-random", "rank": 4096 }),
            json!({ "kind": "dynamic-convolution", "kernel": 255 }),
        ] {
            let json = json!({
                "task": "language-model", "attention": attention, "dModel": 2048, "heads": 2048,
                "layers": 64, "maxLength": 4096, "positions": "none",
            });
            let error = ModelSpec::parse(&Value::from(&json)).expect_err("it is too large");
            let Error::InvalidOption { option, expected, .. } = error else { panic!("{error}") };
            let counted = expected.rsplit(' ').next().and_then(|count| count.parse::<u64>().ok());
            assert!(option == "dModel" && counted > Some(1 << 32), "{attention}: {expected}");
        }
    }

    #[test]
    fn what_is_said_of_a_model_makes_the_same_model() {
        for kind in KINDS.iter().filter(|kind| kind.causal()) {
            let said = spec(json!(kind.name)).expect("defaults are valid").to_json();
            let again = ModelSpec::parse(&Value::from(&said)).expect("what was said is valid");
            assert_eq!(said, again.to_json());
        }
    }

    #[test]
    fn an_option_that_breaks_its_rule_is_named() {
        for (kind, option, value, expected) in [
            ("factorized-dense", "a", 5, "a divisor of maxLength, 12"),
            ("dynamic-convolution", "kernel", 4, "an odd number"),
            ("lightweight-convolution", "kernel", 0, "a whole number from 1 to 255"),
            ("aft", "kernel", 3, "no such option; there is only kind"),
            ("dense", "kernel", 3, "no such option; there are kind, hidden"),
        ] {
            let error = spec(json!({ "kind": kind, option: value })).expect_err(kind);
            let wanted = Error::option(format!("attention.{option}"), value, expected);
            assert_eq!(error, wanted);
        }
        assert!(spec(json!({ "kind": "dynamic-convolution", "kernel": 31 })).is_ok());
    }
}
