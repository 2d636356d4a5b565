//! A model at work: spec, tokenizer, weights, data and what is going on with them.
//! This is what the package's `Model` is made of; it knows no browser and runs natively.

mod attention;
mod evaluate;
mod file;
mod generate;
mod run;
#[cfg(test)]
mod tests;

pub use attention::{AttentionMaps, WeightHistogram};
pub use evaluate::{EvaluateConfig, Metrics};
pub use file::FORMAT_VERSION;
pub use generate::{GenerateConfig, Generated};
pub use run::{RunInfo, RunReport};

use std::collections::HashMap;

use burn::module::Module;
use burn::tensor::Device;

use crate::config::ModelSpec;
use crate::data::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::init::Init;
use crate::model::LanguageModel;
use crate::train::Trainer;
use crate::value::Value;

/// Data for a language model.
#[derive(Debug, Clone)]
pub struct Text(pub String);

impl Text {
    /// Reads `TrainingData` for a language model, `{ text }`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidData`] if it is of another form or empty.
    pub fn parse(value: Value) -> Result<Self> {
        let Value::Map(entries) = value else {
            return Err(Error::data(format!("data is {value}, expected {{ text }}")));
        };
        let mut text = None;
        for (name, value) in entries {
            match (name.as_str(), value) {
                ("text", Value::Text(value)) => text = Some(value),
                ("text", value) => {
                    return Err(Error::data(format!("`text` is {value}, expected a string")));
                }
                ("rows", _) => {
                    return Err(Error::data(
                        "a language model learns from { text }, not from rows",
                    ));
                }
                (other, _) => {
                    return Err(Error::data(format!(
                        "`{other}` is no field of data, expected text"
                    )));
                }
            }
        }
        match text {
            None => Err(Error::data("`text` is missing")),
            Some(text) if text.is_empty() => Err(Error::data("the text is empty")),
            Some(text) => Ok(Self(text)),
        }
    }
}

/// A text as token ids.
#[derive(Debug, Clone)]
struct Encoded {
    ids: Vec<u32>,
    /// Unicode code points that begin in each token.
    code_points: Vec<u32>,
}

impl Encoded {
    fn new(tokenizer: &Tokenizer, text: &Text) -> Self {
        Self { ids: tokenizer.encode(&text.0), code_points: tokenizer.code_points(&text.0) }
    }
}

/// A model and everything that goes on with it.
#[derive(Debug)]
pub struct Session {
    spec: ModelSpec,
    tokenizer: Tokenizer,
    /// Without autodiff.
    device: Device,
    trainer: Trainer<LanguageModel>,
    /// The training text; absent in a model loaded without data.
    text: Option<Encoded>,
    run: Option<run::Run>,
    evaluations: HashMap<u32, evaluate::Evaluation>,
    generations: HashMap<u32, generate::Generation>,
    next_id: u32,
}

impl Session {
    /// Fits a tokenizer on `data` and makes a model with fresh weights on `device`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidData`] for a text of fewer than `maxLength + 1` tokens,
    /// [`Error::InvalidOption`] for a vocabulary that makes the model too large.
    pub fn create(spec: ModelSpec, data: Text, device: &Device) -> Result<Self> {
        let special = spec.task.special_tokens();
        let tokenizer = Tokenizer::fit(&spec.tokenizer, special, &[&data.0])?;
        let text = Encoded::new(&tokenizer, &data);
        check_length(text.ids.len(), &spec)?;
        spec.check_vocabulary(tokenizer.len())?;
        let device = device.clone().inner();
        let model = fresh(&spec, &tokenizer, &device);
        Ok(Self::assemble(spec, tokenizer, device, Trainer::new(model, 0), Some(text)))
    }

    fn assemble(
        spec: ModelSpec,
        tokenizer: Tokenizer,
        device: Device,
        trainer: Trainer<LanguageModel>,
        text: Option<Encoded>,
    ) -> Self {
        Self {
            spec,
            tokenizer,
            device,
            trainer,
            text,
            run: None,
            evaluations: HashMap::new(),
            generations: HashMap::new(),
            next_id: 0,
        }
    }

    /// What the model is made of.
    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// The model with its present weights, on a device with autodiff.
    pub fn model(&self) -> &LanguageModel {
        self.trainer.model()
    }

    /// How text becomes ids.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Optimizer steps made so far.
    pub fn step_count(&self) -> u64 {
        self.trainer.step_count()
    }

    /// All weights, frozen tables included.
    pub fn parameter_count(&self) -> usize {
        self.trainer.model().num_params()
    }

    /// Refuses a call that belongs to other tasks.
    pub fn wrong_task(&self, call: &str) -> Error {
        Error::WrongTask { task: self.spec.task.name().to_owned(), call: call.to_owned() }
    }

    fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    /// Ids of a text that must fit into the model as a whole.
    fn encode_whole(&self, text: &str) -> Result<Vec<u32>> {
        let ids = self.tokenizer.encode(text);
        if ids.is_empty() {
            return Err(Error::data("the text is empty"));
        }
        if ids.len() > self.spec.max_length {
            return Err(Error::TextTooLong { tokens: ids.len(), limit: self.spec.max_length });
        }
        Ok(ids)
    }
}

fn fresh(spec: &ModelSpec, tokenizer: &Tokenizer, device: &Device) -> LanguageModel {
    let device = device.clone().autodiff();
    let config = spec.language_model(tokenizer.len());
    LanguageModel::init(&config, &Init::new(spec.seed, &device))
}

fn check_length(tokens: usize, spec: &ModelSpec) -> Result<()> {
    let needed = spec.max_length + 1;
    if tokens >= needed {
        return Ok(());
    }
    let reason = format!("the text has {tokens} tokens, fewer than maxLength + 1 = {needed}");
    Err(Error::data(reason))
}
