//! Bytes as a source of choices, and settings and data made of them.

use synthattn::attention::KINDS;
use synthattn::data::tokenizer::TokenizerSpec;
use synthattn::task::{Form, Task};
use synthattn::value::Value;

/// Names and values that mean something somewhere.
const WORDS: &[&str] = &[
    "task",
    "attention",
    "kind",
    "dModel",
    "heads",
    "layers",
    "dFf",
    "maxLength",
    "dropout",
    "positions",
    "tokenizer",
    "tieEmbeddings",
    "seed",
    "vocabulary",
    "rank",
    "hidden",
    "a",
    "mixing",
    "kernel",
    "projected",
    "tokensHidden",
    "steps",
    "batch",
    "learningRate",
    "warmup",
    "schedule",
    "optimizer",
    "weightDecay",
    "clipNorm",
    "validation",
    "every",
    "span",
    "start",
    "end",
    "maxTokens",
    "temperature",
    "topK",
    "topP",
    "stop",
    "beams",
    "text",
    "rows",
    "second",
    "label",
    "source",
    "target",
    "learned",
    "sinusoidal",
    "none",
    "character",
    "byte",
    "word",
    "bpe",
    "head",
    "layer",
    "constant",
    "cosine",
    "linear",
    "adamw",
    "adam",
    "sgd",
    "signal",
    "",
];

/// Numbers at which limits are, and such as are none.
const NUMBERS: &[f64] = &[
    0.0,
    -0.0,
    0.1,
    0.5,
    0.999,
    1.0,
    2.0,
    3.0,
    4.0,
    8.0,
    12.0,
    16.0,
    64.0,
    100.0,
    255.0,
    256.0,
    279.0,
    280.0,
    1024.0,
    2047.0,
    2048.0,
    4096.0,
    8192.0,
    65_536.0,
    65_537.0,
    1e6,
    1e8,
    -1.0,
    1.5,
    1e-300,
    1e300,
    4_294_967_295.0,
    4_294_967_296.0,
    9_007_199_254_740_991.0,
    9_007_199_254_740_992.0,
    18_446_744_073_709_551_616.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

/// What is left of the bytes; where nothing is left, all choices are the first.
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    pub fn number(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// 0 to below `end`, which is at most 65,536.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % end
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.byte()) % from.len()]
    }

    /// Bytes up to one of 0xff, which no UTF-8 has, or the end; as text.
    pub fn text(&mut self) -> String {
        let end = self.0.iter().position(|byte| *byte == 0xff);
        let (text, rest) = match end {
            Some(end) => (&self.0[..end], &self.0[end + 1..]),
            None => (self.0, &[][..]),
        };
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn word(&mut self) -> String {
        match self.byte() {
            byte if usize::from(byte) < WORDS.len() => WORDS[usize::from(byte)].to_owned(),
            byte if byte < 0x60 => KINDS[usize::from(byte) % KINDS.len()].name.to_owned(),
            byte if byte < 0xa0 => Task::ALL[usize::from(byte) % Task::ALL.len()].name().to_owned(),
            _ => self.text(),
        }
    }

    fn float(&mut self) -> f64 {
        match self.byte() {
            byte if usize::from(byte) < NUMBERS.len() => NUMBERS[usize::from(byte)],
            byte if byte < 0x80 => f64::from(byte & 0x3f),
            byte if byte < 0xc0 => self.below(65_536) as f64,
            _ => f64::from_bits(self.number()),
        }
    }

    /// Any value. It ends where the bytes do.
    pub fn value(&mut self, depth: usize) -> Value {
        match self.byte() % 16 {
            0 => Value::Null,
            1 => Value::Bool(self.byte() % 2 == 1),
            2..=6 => Value::Number(self.float()),
            7..=10 => Value::Text(self.word()),
            11 => Value::Text(self.text()),
            12 => Value::Other("a function".to_owned()),
            13 if depth > 0 => Value::List(self.list(depth)),
            _ if depth > 0 => Value::Map(self.entries(depth)),
            _ => Value::Null,
        }
    }

    fn list(&mut self, depth: usize) -> Vec<Value> {
        let length = usize::from(self.byte() % 8);
        (0..length).map_while(|_| (!self.is_empty()).then(|| self.value(depth - 1))).collect()
    }

    pub fn entries(&mut self, depth: usize) -> Vec<(String, Value)> {
        let length = usize::from(self.byte() % 16);
        let entry = |input: &mut Self| (input.word(), input.value(depth.saturating_sub(1)));
        (0..length).map_while(|_| (!self.is_empty()).then(|| entry(self))).collect()
    }

    /// Options: as JSON where the bytes are JSON of an object, for inputs that can be read and
    /// written by hand; else of any entries.
    pub fn options(&mut self) -> Value {
        match serde_json::from_slice::<serde_json::Value>(self.0) {
            Ok(json) => Value::from(&json),
            Err(_) if self.byte() == 0 => self.value(3),
            Err(_) => Value::Map(self.entries(3)),
        }
    }

    /// Data, most of it of the form that `task` wants.
    pub fn data(&mut self, task: Task) -> Value {
        if let Ok(json) = serde_json::from_slice::<serde_json::Value>(self.0) {
            return Value::from(&json);
        }
        let fields: &[&str] = match task.form() {
            Form::Text => {
                return Value::Map(vec![("text".to_owned(), Value::Text(self.text()))]);
            }
            Form::Labelled => &["text", "label"],
            Form::LabelledPairs => &["text", "second", "label"],
            Form::Translated => &["source", "target"],
        };
        let mut rows = Vec::new();
        while !self.is_empty() && rows.len() < 200 {
            let cell = |name: &&str| {
                let value = match self.byte() {
                    0 => self.value(2),
                    byte if byte < 0x10 => Value::Number(self.float()),
                    byte if byte < 0x60 => Value::Text(format!("{}", byte % 4)),
                    _ => Value::Text(self.text()),
                };
                ((*name).to_owned(), value)
            };
            rows.push(Value::Map(fields.iter().map(cell).collect()));
        }
        Value::Map(vec![("rows".to_owned(), Value::List(rows))])
    }

    /// A tokenizer with a vocabulary within its limits.
    pub fn tokenizer(&mut self) -> TokenizerSpec {
        match self.byte() % 5 {
            0 => TokenizerSpec::Character,
            1 => TokenizerSpec::Byte,
            2 => TokenizerSpec::Word { vocabulary: 16 + self.below(100), normalized: false },
            3 => TokenizerSpec::Word { vocabulary: 16 + self.below(100), normalized: true },
            _ => TokenizerSpec::Bpe { vocabulary: 280 + self.below(200) },
        }
    }
}
