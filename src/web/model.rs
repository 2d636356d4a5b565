//! One model, with its runs, evaluations and generations.

use js_sys::{Array, Float32Array, Uint8Array};
use wasm_bindgen::prelude::*;

use super::convert::{self, Build};
use crate::error::Error;
use crate::session::{GenerateConfig, Part, Session};
use crate::value::{Fields, Value};

/// A model in this wasm instance. `free()` in JavaScript releases its memory.
#[wasm_bindgen]
pub struct WebModel {
    session: Session,
}

impl WebModel {
    pub(super) fn new(session: Session) -> Self {
        Self { session }
    }
}

/// Data, if any were given.
pub(super) fn optional_data(data: &JsValue) -> Option<Value> {
    (!data.is_undefined()).then(|| convert::value(data))
}

/// The text of calls that take one.
fn single_text(text: &JsValue, option: &str) -> Result<String, Error> {
    let found = text.as_string();
    found.ok_or_else(|| Error::option(option, convert::value(text), "a string"))
}

#[wasm_bindgen]
impl WebModel {
    /// Spec, sizes, vocabulary and step.
    pub fn info(&self) -> JsValue {
        let session = &self.session;
        let object = Build::new()
            .with("spec", convert::json(&session.spec().to_json()))
            .with("parameterCount", session.parameter_count() as f64)
            .with("attentionParameterCount", session.spec().attention_parameters() as f64)
            .with("vocabulary", convert::texts(&session.tokenizer().vocabulary()))
            .with("step", session.step_count() as f64);
        match session.labels() {
            Some(labels) => object.with("labels", convert::texts(labels)).done(),
            None => object.done(),
        }
    }

    /// Makes a run ready.
    #[wasm_bindgen(js_name = beginTraining)]
    pub fn begin_training(&mut self, options: JsValue) -> Result<JsValue, JsValue> {
        let info = self.session.begin_training(&convert::value(&options))?;
        Ok(Build::new()
            .with("start", info.start as f64)
            .with("end", info.end as f64)
            .with("every", info.every as f64)
            .with("validation", info.validation)
            .done())
    }

    /// One optimizer step; nothing is read back.
    #[wasm_bindgen(js_name = trainStep)]
    pub fn train_step(&mut self) -> Result<(), JsValue> {
        Ok(self.session.train_step()?)
    }

    /// Begins an optimizer step by several workers: the assignments of those after the first, for
    /// their `WebHelper`s, `undefined` for one with nothing to do.
    #[wasm_bindgen(js_name = beginStep)]
    pub fn begin_step(&mut self, workers: u32) -> Result<Array, JsValue> {
        let others = self.session.begin_step(workers as usize)?;
        let js = |one: Option<String>| one.map_or(JsValue::UNDEFINED, JsValue::from);
        Ok(others.into_iter().map(js).collect())
    }

    /// Computes the first worker's share of the step.
    #[wasm_bindgen(js_name = computeOwnShare)]
    pub fn compute_own_share(&mut self) -> Result<(), JsValue> {
        Ok(self.session.compute_own_share()?)
    }

    /// Adds what another worker has computed.
    #[wasm_bindgen(js_name = addShare)]
    pub fn add_share(&mut self, loss: f32, gradient: Vec<f32>) -> Result<(), JsValue> {
        Ok(self.session.add_share(loss, gradient)?)
    }

    /// Takes the step that all shares together ask for.
    #[wasm_bindgen(js_name = finishStep)]
    pub fn finish_step(&mut self) -> Result<(), JsValue> {
        Ok(self.session.finish_step()?)
    }

    /// Number of values of `flatWeights`.
    #[wasm_bindgen(js_name = flatLength)]
    pub fn flat_length(&self) -> u32 {
        self.session.flat_len() as u32
    }

    /// Writes all trainable weights into `to`, which is as long as they are.
    #[wasm_bindgen(js_name = flatWeights)]
    pub async fn flat_weights(&self, to: Float32Array) -> Result<(), JsValue> {
        to.copy_from(&self.session.flat_weights().await?);
        Ok(())
    }

    /// Waits until the device has done what was queued.
    pub async fn settle(&self) -> Result<(), JsValue> {
        Ok(self.session.settle().await?)
    }

    /// Reads what was learned since the last report.
    pub async fn report(&mut self) -> Result<JsValue, JsValue> {
        let report = self.session.report().await?;
        Ok(Build::new()
            .with("step", report.step as f64)
            .with("steps", report.steps as f64)
            .with("loss", report.loss)
            .with("learningRate", report.learning_rate)
            .with("gradientNorm", report.gradient_norm)
            .with("tokens", report.tokens as f64)
            .done())
    }

    /// Ends the open run, if any.
    #[wasm_bindgen(js_name = endTraining)]
    pub fn end_training(&mut self) {
        self.session.end_training();
    }

    /// Begins to score `data`, or the held-out share of the open run.
    #[wasm_bindgen(js_name = beginEvaluation)]
    pub fn begin_evaluation(&mut self, data: JsValue, options: JsValue) -> Result<u32, JsValue> {
        let data = optional_data(&data);
        Ok(self.session.begin_evaluation(data, &convert::value(&options))?)
    }

    /// Scores the next batch; the metrics once all are done, else `undefined`.
    #[wasm_bindgen(js_name = evaluateNext)]
    pub async fn evaluate_next(&mut self, id: u32) -> Result<JsValue, JsValue> {
        let metrics = self.session.evaluate_next(id).await?;
        Ok(metrics.map_or(JsValue::UNDEFINED, |metrics| convert::metrics(&metrics)))
    }

    /// Forgets an evaluation.
    #[wasm_bindgen(js_name = endEvaluation)]
    pub fn end_evaluation(&mut self, id: u32) {
        self.session.end_evaluation(id);
    }

    /// Begins to write on from `prompt`.
    #[wasm_bindgen(js_name = beginGeneration)]
    pub fn begin_generation(&mut self, prompt: JsValue, options: JsValue) -> Result<u32, JsValue> {
        let prompt = single_text(&prompt, "prompt")?;
        let seed = self.session.spec().seed;
        let config = GenerateConfig::parse(&convert::value(&options), seed)?;
        Ok(self.session.begin_generation(&prompt, config)?)
    }

    /// One more token.
    #[wasm_bindgen(js_name = generateNext)]
    pub async fn generate_next(&mut self, id: u32) -> Result<JsValue, JsValue> {
        let next = self.session.generate_next(id).await?;
        let object =
            Build::new().with("piece", next.piece.as_str()).with("tokens", next.tokens as f64);
        Ok(match next.done {
            Some(reason) => object.with("done", reason).done(),
            None => object.done(),
        })
    }

    /// Forgets a generation.
    #[wasm_bindgen(js_name = endGeneration)]
    pub fn end_generation(&mut self, id: u32) {
        self.session.end_generation(id);
    }

    /// Attention weights of every layer and head for a text or a pair.
    pub async fn attention(&self, text: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
        let mut fields = Fields::new(&convert::value(&options), "options")?;
        let part = fields.choice("part", &Part::ALL, Part::name)?;
        fields.finish("part")?;
        let maps = self.session.attention(&convert::value(&text), part).await?;
        Ok(convert::attention_maps(&maps))
    }

    /// Histogram of the attention weights of a text or a pair.
    #[wasm_bindgen(js_name = weightHistogram)]
    pub async fn weight_histogram(&self, text: JsValue, bins: JsValue) -> Result<JsValue, JsValue> {
        const MOST_BINS: f64 = 10_000.0;
        let bins = match bins.as_f64() {
            _ if bins.is_undefined() => 50.0,
            Some(bins) if bins.fract() == 0.0 && (1.0..=MOST_BINS).contains(&bins) => bins,
            _ => {
                let expected = format!("a whole number from 1 to {MOST_BINS}");
                return Err(Error::option("bins", convert::value(&bins), expected).into());
            }
        };
        let histogram =
            self.session.weight_histogram(&convert::value(&text), bins as usize).await?;
        Ok(convert::weight_histogram(&histogram))
    }

    /// The bytes of a model file.
    pub async fn save(&self) -> Result<Uint8Array, JsValue> {
        let bytes = self.session.save().await?;
        Ok(Uint8Array::from(bytes.as_slice()))
    }

    /// Labels of texts or pairs, scored in batches of `batch` (default: all at once).
    #[wasm_bindgen(js_name = classifyAll)]
    pub async fn classify_all(&self, texts: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
        let mut fields = Fields::new(&convert::value(&options), "options")?;
        let batch = fields.size("batch", 1, 4096)?;
        fields.finish("batch, signal")?;
        let Value::List(texts) = convert::value(&texts) else {
            return Err(Error::option("texts", convert::value(&texts), "a list").into());
        };
        let mut rows = Vec::with_capacity(texts.len());
        // Once even for none: the session says if it cannot classify at all.
        rows.extend(self.session.classify_all(&[]).await?);
        for texts in texts.chunks(batch.unwrap_or(usize::MAX)) {
            rows.extend(self.session.classify_all(texts).await?);
        }
        let labels = self.session.labels().unwrap_or_default();
        Ok(convert::classifications(&rows, labels))
    }

    /// Guesses for the masks of a text.
    pub async fn fill(&self, text: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
        let text = single_text(&text, "textWithMasks")?;
        let mut fields = Fields::new(&convert::value(&options), "options")?;
        let top = fields.size("top", 1, 100_000)?.unwrap_or(5);
        fields.finish("top")?;
        Ok(convert::filled_masks(&self.session.fill(&text, top).await?))
    }

    /// Begins to translate a source.
    #[wasm_bindgen(js_name = beginTranslation)]
    pub fn begin_translation(&mut self, source: JsValue, options: JsValue) -> Result<u32, JsValue> {
        let source = single_text(&source, "source")?;
        Ok(self.session.begin_translation(&source, &convert::value(&options))?)
    }

    /// One more token; the target once it is complete, else `undefined`.
    #[wasm_bindgen(js_name = translateNext)]
    pub async fn translate_next(&mut self, id: u32) -> Result<JsValue, JsValue> {
        let target = self.session.translate_next(id).await?;
        Ok(target.map_or(JsValue::UNDEFINED, JsValue::from))
    }

    /// Forgets a translation.
    #[wasm_bindgen(js_name = endTranslation)]
    pub fn end_translation(&mut self, id: u32) {
        self.session.end_translation(id);
    }
}
