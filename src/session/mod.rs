//! A model at work: spec, tokenizer, weights, data and what is going on with them.
//! This is what the package's `Model` is made of; it knows no browser and runs natively.

mod attention;
mod classify;
#[cfg(feature = "distributed")]
mod distributed;
mod evaluate;
mod file;
mod fill;
mod generate;
mod loss;
mod run;
mod share;
#[cfg(test)]
mod tests;
mod translate;

pub use attention::{AttentionMaps, Part, WeightHistogram};
#[cfg(feature = "distributed")]
pub use distributed::Exchange;
pub use evaluate::{Baseline, EvaluateConfig, Metrics};
pub use file::FORMAT_VERSION;
pub use fill::{Candidate, FilledMask};
pub use generate::{GenerateConfig, Generated};
pub use run::{RunInfo, RunReport};
pub use share::Helper;
pub use translate::TranslateConfig;

use std::collections::HashMap;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use crate::config::ModelSpec;
use crate::data::corpus::Corpus;
use crate::data::examples::uncut;
use crate::data::given::Given;
use crate::data::rows::Labels;
use crate::data::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::init::Init;
use crate::model::Net;
use crate::train::Trainer;
use crate::value::Value;

/// A model and everything that goes on with it.
#[derive(Debug)]
pub struct Session {
    spec: ModelSpec,
    tokenizer: Tokenizer,
    /// The classes, for tasks that have any.
    labels: Option<Labels>,
    /// Without autodiff.
    device: Device,
    trainer: Trainer<Net>,
    /// The training data; absent in a model loaded without.
    corpus: Option<Corpus>,
    run: Option<run::Run>,
    /// A step of the run that several workers are at.
    shared: Option<share::SharedStep>,
    evaluations: HashMap<u32, evaluate::Evaluation>,
    generations: HashMap<u32, generate::Generation>,
    translations: HashMap<u32, translate::Translation>,
    next_id: u32,
    /// Bytes that the device can hold at once, if that is known.
    largest_buffer: Option<u64>,
}

impl Session {
    /// Fits a tokenizer on `data`, which is `TrainingData` as API users write it, and makes a model
    /// with fresh weights on `device`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidData`] for data of another task, a row at fault or a text of fewer than
    /// `maxLength + 1` tokens, [`Error::InvalidOption`] for a vocabulary that makes the model too
    /// large, and as [`ModelSpec::check`].
    pub fn create(spec: ModelSpec, data: Value, device: &Device) -> Result<Self> {
        spec.check()?;
        let data = Given::parse(data, spec.task, None)?;
        let special = spec.task.special_tokens();
        let tokenizer = Tokenizer::fit(&spec.tokenizer, special, &data.texts())?;
        let corpus = Corpus::new(&data, &tokenizer, spec.task, spec.max_length)?;
        corpus.check_trainable(spec.max_length, None)?;
        let labels = data.labels().cloned();
        spec.check_vocabulary(tokenizer.len(), classes(labels.as_ref()))?;
        let device = device.clone().inner();
        let net = fresh(&spec, &tokenizer, labels.as_ref(), &device);
        Ok(Self::assemble(spec, tokenizer, labels, device, Trainer::new(net, 0), Some(corpus)))
    }

    fn assemble(
        spec: ModelSpec,
        tokenizer: Tokenizer,
        labels: Option<Labels>,
        device: Device,
        trainer: Trainer<Net>,
        corpus: Option<Corpus>,
    ) -> Self {
        Self {
            spec,
            tokenizer,
            labels,
            device,
            trainer,
            corpus,
            run: None,
            shared: None,
            evaluations: HashMap::new(),
            generations: HashMap::new(),
            translations: HashMap::new(),
            next_id: 0,
            largest_buffer: None,
        }
    }

    /// Tells how many bytes the device can hold at once. More than that is refused from then on.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if not even one row fits.
    pub fn set_largest_buffer(&mut self, bytes: u64) -> Result<()> {
        self.largest_buffer = Some(bytes);
        self.check_fits(1)
    }

    /// Refuses a pass over `batch` rows with a tensor that the device cannot hold.
    fn check_fits(&self, batch: usize) -> Result<()> {
        let vocab = self.tokenizer.len();
        let needed = self.spec.largest_tensor(batch, vocab, classes(self.labels.as_ref()));
        match self.largest_buffer {
            Some(limit) if needed > limit => Err(Error::OutOfMemory { needed, limit }),
            _ => Ok(()),
        }
    }

    /// What the model is made of.
    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// The model with its present weights, on a device with autodiff.
    pub fn model(&self) -> &Net {
        self.trainer.model()
    }

    /// How text becomes ids.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The classes in order, for tasks that have any.
    pub fn labels(&self) -> Option<&[String]> {
        self.labels.as_ref().map(Labels::names)
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

    /// Data of the model's task, as token ids.
    fn corpus_of(&self, data: Value) -> Result<Corpus> {
        let data = Given::parse(data, self.spec.task, self.labels.as_ref())?;
        Corpus::new(&data, &self.tokenizer, self.spec.task, self.spec.max_length)
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
        uncut(ids, self.spec.max_length)
    }
}

/// How many classes there are.
fn classes(labels: Option<&Labels>) -> usize {
    labels.map_or(0, |labels| labels.names().len())
}

/// Burn notes every weight that can have a gradient, and forgets the notes on models that are gone in
/// the next backward pass, of whatever model on whatever device. This is one, for where models come and
/// go and none is trained.
fn forget_models_that_are_gone() {
    let anything = Tensor::<1>::zeros([1], &crate::device::cpu().autodiff()).require_grad();
    drop(anything.sum().backward());
}

fn fresh(spec: &ModelSpec, tokenizer: &Tokenizer, labels: Option<&Labels>, device: &Device) -> Net {
    forget_models_that_are_gone();
    let device = device.clone().autodiff();
    Net::init(&spec.net(tokenizer.len(), classes(labels)), &Init::new(spec.seed, &device))
}
