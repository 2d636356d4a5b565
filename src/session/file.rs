//! Model files: safetensors with weights, optimizer state and everything else to go on as if
//! never stopped. The text a model was trained on is not in it, but its vocabulary is: with words, every
//! word that is kept.
//!
//! | entry | what |
//! |---|---|
//! | `NAME` | a weight, names as in [`crate::weights`], float32 |
//! | `optimizer.first.NAME`, `optimizer.second.NAME` | Adam's moments of the trainable weights |
//! | metadata `format` | `synthattn` |
//! | metadata `version` | [`FORMAT_VERSION`] |
//! | metadata `spec` | JSON of the spec, as the API has it, and `cross` of an experiment |
//! | metadata `tokenizer` | JSON of the fitted tokenizer |
//! | metadata `labels` | JSON of the classes in order, for tasks that have any |
//! | metadata `training` | JSON: `step`, `optimizer` and `momentSteps` |

use std::collections::HashMap;

use burn::tensor::{Device, Tensor, TensorData};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use super::{Session, classes, fresh};
use crate::config::{LAST_STEP, ModelSpec};
use crate::data::rows::Labels;
use crate::data::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::train::{Moments, OptimizerConfig, OptimizerKind, Trainer};
use crate::value::Value;
use crate::weights::{self, lost};

/// Version of the files this crate writes, and the newest it reads.
pub const FORMAT_VERSION: u64 = 1;

/// The most steps of a model in a file; those that it can still make are whole numbers in JavaScript too.
const MOST_STEPS: u64 = LAST_STEP / 2;

const FORMAT: &str = "synthattn";
const FIRST: &str = "optimizer.first.";
const SECOND: &str = "optimizer.second.";

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Training {
    step: u64,
    optimizer: String,
    moment_steps: u64,
}

/// A named tensor on its way into a file.
struct Stored {
    name: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Session {
    /// The bytes of a model file.
    pub async fn save(&self) -> Result<Vec<u8>> {
        let mut stored = Vec::new();
        for (name, data) in weights::read_frozen(self.trainer.model()).await? {
            let shape = data.shape().to_vec();
            let values = data.try_into_vec::<f32>().map_err(lost)?;
            stored.push(Stored { name, shape, bytes: bytes_of(&values) });
        }
        let moments = self.trainer.moments();
        let mut flat = vec![("", self.trainer.weights())];
        if let Some(Moments { first, second, .. }) = moments {
            flat.extend([(FIRST, first), (SECOND, second)]);
        }
        // One after the other: what is read goes through another buffer of its size.
        for (prefix, tensor) in flat {
            let values = weights::values(tensor).await?;
            for (entry, range) in self.trainer.packed().slots() {
                let bytes = bytes_of(&values[range.clone()]);
                let name = format!("{prefix}{}", entry.name);
                stored.push(Stored { name, shape: entry.shape.clone(), bytes });
            }
        }
        let training = Training {
            step: self.trainer.step_count(),
            optimizer: self.trainer.optimizer().kind.name().to_owned(),
            moment_steps: moments.map_or(0, |moments| moments.steps),
        };
        let mut metadata = HashMap::from([
            ("format".to_owned(), FORMAT.to_owned()),
            ("version".to_owned(), FORMAT_VERSION.to_string()),
            ("spec".to_owned(), self.spec.stored().to_string()),
            ("tokenizer".to_owned(), self.tokenizer.to_json()),
            ("training".to_owned(), serde_json::to_string(&training).map_err(internal)?),
        ]);
        if let Some(labels) = self.labels() {
            metadata.insert("labels".to_owned(), serde_json::to_string(labels).map_err(internal)?);
        }
        let views = stored.iter().map(|tensor| {
            let view = TensorView::new(Dtype::F32, tensor.shape.clone(), &tensor.bytes);
            view.map(|view| (tensor.name.as_str(), view))
        });
        let views = views.collect::<Result<Vec<_>, _>>().map_err(internal)?;
        let mut file = safetensors::serialize(views, Some(metadata)).map_err(internal)?;
        sort_header(&mut file)?;
        Ok(file)
    }

    /// A model from the bytes of a file, on `device`; with `data` it can be trained on.
    ///
    /// # Errors
    ///
    /// [`Error::CorruptFile`], [`Error::UnsupportedVersion`]; [`Error::InvalidData`] as for
    /// [`Session::create`].
    pub fn load(bytes: &[u8], data: Option<Value>, device: &Device) -> Result<Self> {
        let (_, header) = SafeTensors::read_metadata(bytes)
            .map_err(|error| Error::corrupt(format!("not a safetensors file ({error})")))?;
        let metadata = header.metadata().clone().unwrap_or_default();
        let entry = |name: &str| {
            let found = metadata.get(name).map(String::as_str);
            found.ok_or_else(|| Error::corrupt(format!("metadata `{name}` is missing")))
        };
        if entry("format")? != FORMAT {
            return Err(Error::corrupt("not written by synthattn"));
        }
        let version = version_of(entry("version")?)?;
        if version > FORMAT_VERSION {
            return Err(Error::UnsupportedVersion { found: version, newest: FORMAT_VERSION });
        }
        let spec: serde_json::Value = parse_json(entry("spec")?, "spec")?;
        let spec = ModelSpec::parse_stored(&Value::from(&spec))
            .map_err(|error| Error::corrupt(format!("metadata `spec`: {error}")))?;
        let tokenizer = Tokenizer::from_json(entry("tokenizer")?)?;
        if !tokenizer.is_for(spec.task.special_tokens()) {
            return Err(Error::corrupt("the tokenizer is one for another task"));
        }
        if !tokenizer.follows(&spec.tokenizer) {
            return Err(Error::corrupt("the tokenizer is not the one that the spec asks for"));
        }
        let labels = match spec.task.only_reads() {
            true => Some(Labels::from_sorted(parse_json(entry("labels")?, "labels")?)?),
            false => None,
        };
        let training: Training = parse_json(entry("training")?, "training")?;
        let optimizer = OptimizerKind::ALL.iter().find(|kind| kind.name() == training.optimizer);
        let optimizer = *optimizer
            .ok_or_else(|| Error::corrupt(format!("{:?} is no optimizer", training.optimizer)))?;
        let classes = classes(labels.as_ref());
        if training.step.max(training.moment_steps) > MOST_STEPS {
            return Err(Error::corrupt(format!("no model makes more than {MOST_STEPS} steps")));
        }
        if training.moment_steps > training.step {
            return Err(Error::corrupt("optimizer moments over more steps than the model made"));
        }
        if training.moment_steps > 0 && !optimizer.has_moments() {
            return Err(Error::corrupt(format!("{} keeps no moments", optimizer.name())));
        }
        spec.check_vocabulary(tokenizer.len(), classes)
            .map_err(|error| Error::corrupt(error.to_string()))?;
        check_size(&spec, tokenizer.len(), classes, bytes.len())?;

        let file = SafeTensors::deserialize(bytes)
            .map_err(|error| Error::corrupt(format!("not a safetensors file ({error})")))?;
        let mut values: HashMap<String, TensorData> = HashMap::new();
        for (name, view) in file.tensors() {
            values.insert(name.clone(), float_values(&name, &view)?);
        }
        let mut take = |prefix: &str| -> HashMap<String, TensorData> {
            let names: Vec<String> =
                values.keys().filter(|name| name.starts_with(prefix)).cloned().collect();
            let strip = |name: String| {
                let value = values.remove(&name).expect("listed above");
                (name[prefix.len()..].to_owned(), value)
            };
            names.into_iter().map(strip).collect()
        };
        let (first, second) = (take(FIRST), take(SECOND));
        for (name, data) in &second {
            // A mean of squares. The root of a negative one would end the next run as diverged.
            if data.as_slice::<f32>().map_err(internal)?.iter().any(|&value| value < 0.0) {
                return Err(Error::corrupt(format!("a second moment of `{name}` is negative")));
            }
        }

        let device = device.clone().inner();
        let net = fresh(&spec, &tokenizer, labels.as_ref(), &device);
        let net = weights::load(net, &values)?;
        let mut trainer = Trainer::new(net, training.step);
        trainer.set_optimizer(OptimizerConfig { kind: optimizer, ..trainer.optimizer() });
        if training.moment_steps > 0 {
            let first = join_moments(&trainer, first, &device)?;
            let second = join_moments(&trainer, second, &device)?;
            trainer.set_moments(Moments { first, second, steps: training.moment_steps });
        } else if !first.is_empty() || !second.is_empty() {
            return Err(Error::corrupt("optimizer moments over no steps"));
        }
        let mut session = Self::assemble(spec, tokenizer, labels, device, trainer, None);
        if let Some(data) = data {
            let corpus = session.corpus_of(data)?;
            corpus.check_trainable(session.spec.max_length, None)?;
            session.corpus = Some(corpus);
        }
        Ok(session)
    }
}

/// Puts the header's names in order. The library writes metadata in another one each time, and of the
/// same model there should be one file.
fn sort_header(file: &mut [u8]) -> Result<()> {
    let (length, _) = SafeTensors::read_metadata(file).map_err(internal)?;
    let header = &mut file[8..8 + length];
    let text = str::from_utf8(header).map_err(internal)?;
    // Objects are read into sorted maps.
    let sorted = serde_json::from_str::<serde_json::Value>(text).map_err(internal)?.to_string();
    // The same entries are as long in any order; what follows them is blank.
    header[..sorted.len()].copy_from_slice(sorted.as_bytes());
    Ok(())
}

/// A version as this crate writes it: a whole number from 1, without a sign or leading zeros.
fn version_of(text: &str) -> Result<u64> {
    let digits = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    match digits && !text.is_empty() {
        // One with more digits than that is newer still.
        true => Ok(text.parse().unwrap_or(u64::MAX)),
        false => Err(Error::corrupt(format!("metadata `version` is {text:?}, no version"))),
    }
}

/// Refuses a header that claims a larger model than the file can hold, before anything is made.
fn check_size(spec: &ModelSpec, vocab: usize, classes: usize, bytes: usize) -> Result<()> {
    let least = 4 * spec.least_parameters(vocab, classes);
    match least <= bytes as u64 {
        true => Ok(()),
        false => Err(Error::corrupt(format!(
            "the spec needs at least {least} bytes of weights, the file has {bytes}"
        ))),
    }
}

fn join_moments<M: burn::module::Module>(
    trainer: &Trainer<M>,
    mut values: HashMap<String, TensorData>,
    device: &Device,
) -> Result<Tensor<1>> {
    let mut parts = HashMap::new();
    for (entry, range) in trainer.packed().slots() {
        let name = &entry.name;
        let data = values.remove(name);
        let data =
            data.ok_or_else(|| Error::corrupt(format!("moments of `{name}` are missing")))?;
        if data.shape().to_vec() != entry.shape {
            return Err(Error::corrupt(format!("moments of `{name}` have another shape")));
        }
        let values = data.try_into_vec::<f32>().map_err(internal)?;
        let flat = TensorData::new(values, [range.len()]);
        parts.insert(name.clone(), Tensor::from_data(flat, device));
    }
    match values.keys().min() {
        Some(name) => Err(Error::corrupt(format!("moments of `{name}`, which is no weight"))),
        None => Ok(trainer.packed().join(parts)),
    }
}

fn float_values(name: &str, view: &TensorView<'_>) -> Result<TensorData> {
    if view.dtype() != Dtype::F32 {
        return Err(Error::corrupt(format!("`{name}` is {:?}, expected F32", view.dtype())));
    }
    let values: Vec<f32> = view
        .data()
        .chunks_exact(4)
        .map(|bytes| f32::from_le_bytes(bytes.try_into().expect("chunks of four")))
        .collect();
    if values.iter().any(|value| !value.is_finite()) {
        return Err(Error::corrupt(format!("`{name}` holds a value that is not finite")));
    }
    Ok(TensorData::new(values, view.shape().to_vec()))
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn parse_json<T: serde::de::DeserializeOwned>(text: &str, name: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Error::corrupt(format!("metadata `{name}` is not as expected: {error}")))
}

fn internal(error: impl std::fmt::Debug) -> Error {
    Error::Internal { reason: format!("{error:?}") }
}
