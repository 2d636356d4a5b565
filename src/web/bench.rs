//! One training step with given weights and batches, for comparing speed with other libraries.
//! Not part of the package's API.

use std::collections::HashMap;

use burn::tensor::{Int, Tensor, TensorData};
use js_sys::{Float32Array, Object, Reflect};
use wasm_bindgen::prelude::*;

use super::convert;
use super::engine::WebEngine;
use crate::attention::Mask;
use crate::config::ModelSpec;
use crate::error::{Error, Result};
use crate::init::Init;
use crate::model::LanguageModel;
use crate::model::language_model::{Cache, token_losses};
use crate::model::layers::Activation;
use crate::train::{OptimizerConfig, OptimizerKind, Trainer};
use crate::value::Value;
use crate::weights;

/// A language model with tanh GELU and a head bias, trained by plain Adam at 1e-3.
#[wasm_bindgen]
pub struct BenchModel {
    trainer: Trainer<LanguageModel>,
    mask: Mask,
    length: usize,
}

#[wasm_bindgen]
impl BenchModel {
    /// `spec`: `{ attention, vocabulary, maxLength, dModel, layers, heads, dFf }`;
    /// `weights`: `{ name: { shape, data: Float32Array } }`, names as in model files.
    pub async fn create(
        engine: &WebEngine,
        spec: JsValue,
        weights: Object,
    ) -> Result<BenchModel, JsValue> {
        let Value::Map(mut entries) = convert::value(&spec) else {
            return Err(Error::option("spec", "no object", "an object").into());
        };
        let vocab = entries.iter().position(|(name, _)| name == "vocabulary");
        let vocab = vocab.map(|index| entries.remove(index).1);
        let Some(Value::Number(vocab)) = vocab else {
            return Err(Error::option("vocabulary", "missing", "a number").into());
        };
        entries.push(("task".to_owned(), Value::Text("language-model".to_owned())));
        let mut spec = ModelSpec::parse(&Value::Map(entries))?;
        spec.activation = Activation::GeluTanh;
        let device = engine.device.clone().autodiff();
        let config = spec.writer(vocab as usize);
        let model = LanguageModel::init(&config, &Init::new(0, &device));
        let mut trainer = Trainer::new(weights::load(model, &named_values(&weights)?)?, 0);
        trainer.set_optimizer(OptimizerConfig {
            kind: OptimizerKind::Adam,
            weight_decay: 0.0,
            clip_norm: f64::INFINITY,
            ..OptimizerConfig::default()
        });
        let mask = LanguageModel::mask(spec.max_length, &engine.device);
        Ok(Self { trainer, mask, length: spec.max_length })
    }

    /// One optimizer step on `[batch, length]` ids, row-major.
    pub fn step(&mut self, inputs: Vec<i32>, targets: Vec<i32>) {
        let shape = [inputs.len() / self.length, self.length];
        let count = targets.len() as u64;
        let device = self.trainer.model().device();
        let ids = |values| Tensor::from_data(TensorData::new(values, shape), &device);
        let mask = &self.mask;
        self.trainer.step(1e-3, count, |model| {
            token_losses(model.forward(ids(inputs), mask, None), ids(targets)).sum()
        });
    }

    /// The likeliest tokens after a prompt, one after the other; with it at most as many as the model
    /// has positions, and one more.
    pub async fn generate(&mut self, prompt: Vec<i32>, count: u32) -> Result<Vec<i32>, JsValue> {
        let model = self.trainer.inference_model();
        let device = model.device();
        let mut cache = Cache::default();
        let mut written = Vec::new();
        let mut news = prompt;
        for _ in 0..count {
            let shape = [1, news.len()];
            let ids = Tensor::<2, Int>::from_data(TensorData::new(news, shape), &device);
            let logits = model.forward_cached(ids, &mut cache);
            let data = logits.into_data_async().await.map_err(weights::lost)?;
            let logits = data.try_to_vec::<f32>().map_err(weights::lost)?;
            let likelier =
                |(a, x): (usize, f32), (b, y): (usize, f32)| if y > x { (b, y) } else { (a, x) };
            let (next, _) = logits.into_iter().enumerate().reduce(likelier).unwrap_or_default();
            written.push(next as i32);
            news = vec![next as i32];
        }
        Ok(written)
    }

    /// Mean loss of the steps since the last call, read back.
    pub async fn loss(&mut self) -> Result<f64, JsValue> {
        Ok(self.trainer.report().await?.loss)
    }
}

fn named_values(weights: &Object) -> Result<HashMap<String, TensorData>> {
    let mut values = HashMap::new();
    for name in Object::keys(weights).iter() {
        let entry = Reflect::get(weights, &name).unwrap_or_default();
        let get = |field: &str| Reflect::get(&entry, &field.into()).unwrap_or_default();
        let shape: Vec<usize> = match convert::value(&get("shape")) {
            Value::List(sizes) => sizes.iter().map(size).collect(),
            other => return Err(Error::option("weights", other, "{ shape, data } for each name")),
        };
        let data = Float32Array::new(&get("data")).to_vec();
        values.insert(name.as_string().unwrap_or_default(), TensorData::new(data, shape));
    }
    Ok(values)
}

fn size(value: &Value) -> usize {
    match value {
        Value::Number(size) => *size as usize,
        _ => 0,
    }
}
