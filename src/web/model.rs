//! One model, with its runs, evaluations and generations.

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use super::convert::{self, Build};
use crate::error::Error;
use crate::session::{GenerateConfig, Session, Text};
use crate::value::Fields;

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

fn optional_data(data: &JsValue) -> Result<Option<Text>, Error> {
    match data.is_undefined() {
        true => Ok(None),
        false => Text::parse(convert::value(data)).map(Some),
    }
}

/// The text of calls that take one text or, in other tasks, a pair.
fn single_text(text: &JsValue, option: &str) -> Result<String, Error> {
    let found = text.as_string();
    found.ok_or_else(|| Error::option(option, convert::value(text), "a string"))
}

#[wasm_bindgen]
impl WebModel {
    /// Spec, sizes, vocabulary and step.
    pub fn info(&self) -> JsValue {
        let session = &self.session;
        Build::new()
            .with("spec", convert::json(&session.spec().to_json()))
            .with("parameterCount", session.parameter_count() as f64)
            .with("attentionParameterCount", session.spec().attention_parameters() as f64)
            .with("vocabulary", convert::texts(&session.tokenizer().vocabulary()))
            .with("step", session.step_count() as f64)
            .done()
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
        let data = optional_data(&data)?;
        Ok(self.session.begin_evaluation(data, &convert::value(&options))?)
    }

    /// Scores the next batch; the metrics once all are done, else `undefined`.
    #[wasm_bindgen(js_name = evaluateNext)]
    pub async fn evaluate_next(&mut self, id: u32) -> Result<JsValue, JsValue> {
        let metrics = self.session.evaluate_next(id).await?;
        Ok(metrics.map_or(JsValue::UNDEFINED, |metrics| {
            // Not through JSON, which has no infinity, and the perplexity may be infinite.
            Build::new()
                .with("loss", metrics.loss)
                .with("perplexity", metrics.perplexity)
                .with("bitsPerCharacter", metrics.bits_per_character)
                .done()
        }))
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

    /// Attention weights of every layer and head for a text.
    pub async fn attention(&self, text: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
        const PARTS: [&str; 3] = ["encoder", "decoder", "cross"];
        let text = single_text(&text, "text")?;
        let mut fields = Fields::new(&convert::value(&options), "options")?;
        let part = fields.choice("part", &PARTS, |part| part)?;
        fields.finish("part")?;
        if let Some(part) = part.filter(|part| *part != "decoder") {
            let expected = "\"decoder\", the only part of a language model";
            return Err(Error::option("part", format!("{part:?}"), expected).into());
        }
        Ok(convert::attention_maps(&self.session.attention(&text).await?))
    }

    /// Histogram of the attention weights of a text.
    #[wasm_bindgen(js_name = weightHistogram)]
    pub async fn weight_histogram(&self, text: JsValue, bins: JsValue) -> Result<JsValue, JsValue> {
        const MOST_BINS: f64 = 10_000.0;
        let text = single_text(&text, "text")?;
        let bins = match bins.as_f64() {
            _ if bins.is_undefined() => 50.0,
            Some(bins) if bins.fract() == 0.0 && (1.0..=MOST_BINS).contains(&bins) => bins,
            _ => {
                let expected = format!("a whole number from 1 to {MOST_BINS}");
                return Err(Error::option("bins", convert::value(&bins), expected).into());
            }
        };
        let histogram = self.session.weight_histogram(&text, bins as usize).await?;
        Ok(convert::weight_histogram(&histogram))
    }

    /// The bytes of a model file.
    pub async fn save(&self) -> Result<Uint8Array, JsValue> {
        let bytes = self.session.save().await?;
        Ok(Uint8Array::from(bytes.as_slice()))
    }

    /// Not for language models.
    #[wasm_bindgen(js_name = classifyAll)]
    pub async fn classify_all(
        &self,
        _texts: JsValue,
        _options: JsValue,
    ) -> Result<JsValue, JsValue> {
        Err(self.session.wrong_task("classify").into())
    }

    /// Not for language models.
    pub async fn fill(&self, _text: JsValue, _options: JsValue) -> Result<JsValue, JsValue> {
        Err(self.session.wrong_task("fill").into())
    }

    /// Not for language models.
    pub async fn translate(&self, _text: JsValue, _options: JsValue) -> Result<JsValue, JsValue> {
        Err(self.session.wrong_task("translate").into())
    }
}
