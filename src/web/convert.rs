//! JavaScript values to settings, and results to JavaScript values.

use js_sys::{Array, Float32Array, JSON, Object, Reflect, Uint32Array};
use wasm_bindgen::{JsCast, JsValue};

use crate::session::{AttentionMaps, Baseline, FilledMask, Metrics, WeightHistogram};
use crate::value::Value;

/// How deep settings may be nested; none is deeper than three.
const DEEPEST: usize = 8;

/// Any JavaScript value. `undefined` entries of objects are left out, as if never written.
pub fn value(js: &JsValue) -> Value {
    nested(js, DEEPEST)
}

fn nested(js: &JsValue, depth: usize) -> Value {
    if js.is_null() || js.is_undefined() {
        return Value::Null;
    }
    if let Some(flag) = js.as_bool() {
        return Value::Bool(flag);
    }
    if let Some(number) = js.as_f64() {
        return Value::Number(number);
    }
    if let Some(text) = js.as_string() {
        return Value::Text(text);
    }
    if depth == 0 {
        return Value::Other("an object nested too deep".to_owned());
    }
    if Array::is_array(js) {
        return Value::List(Array::from(js).iter().map(|item| nested(&item, depth - 1)).collect());
    }
    let plain = js.dyn_ref::<Object>().filter(|_| !js.is_function() && !js.is_symbol());
    let Some(object) = plain else {
        let kind = js.js_typeof().as_string().unwrap_or_default();
        return Value::Other(format!("a {kind}"));
    };
    let mut entries = Vec::new();
    for entry in Object::entries(object).iter() {
        let entry: Array = entry.unchecked_into();
        let (name, item) = (entry.get(0), entry.get(1));
        if !item.is_undefined() {
            entries.push((name.as_string().unwrap_or_default(), nested(&item, depth - 1)));
        }
    }
    Value::Map(entries)
}

/// A plain object from JSON made by this crate.
pub fn json(value: &impl serde::Serialize) -> JsValue {
    let text = serde_json::to_string(value).expect("results are made of plain values");
    JSON::parse(&text).expect("serde_json writes JSON")
}

/// An object under construction.
pub struct Build(Object);

impl Build {
    /// An empty object.
    pub fn new() -> Self {
        Self(Object::new())
    }

    /// With one more entry.
    pub fn with(self, name: &str, value: impl Into<JsValue>) -> Self {
        Reflect::set(&self.0, &name.into(), &value.into()).expect("a fresh object is extensible");
        self
    }

    /// With one more entry if there is a value for it.
    pub fn with_some(self, name: &str, value: Option<f64>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The object.
    pub fn done(self) -> JsValue {
        self.0.into()
    }
}

/// A list of strings.
pub fn texts(items: &[String]) -> JsValue {
    items.iter().map(|item| JsValue::from_str(item)).collect::<Array>().into()
}

/// `AttentionMaps` of the API.
pub fn attention_maps(maps: &AttentionMaps) -> JsValue {
    let mut object = Build::new()
        .with("layers", maps.layers as f64)
        .with("heads", maps.heads as f64)
        .with("queries", maps.queries as f64)
        .with("keys", maps.keys as f64)
        .with("tokens", texts(&maps.tokens))
        .with("weights", Float32Array::from(maps.weights.as_slice()));
    if let Some(tokens) = &maps.key_tokens {
        object = object.with("keyTokens", texts(tokens));
    }
    if let Some(mixture) = &maps.mixture {
        object = object.with("mixture", Float32Array::from(mixture.as_slice()));
    }
    if let Some(parts) = &maps.parts {
        object = object.with("parts", texts(parts));
    }
    object.done()
}

/// The result of `weightHistogram`.
pub fn weight_histogram(histogram: &WeightHistogram) -> JsValue {
    let counts: Array =
        histogram.counts.iter().map(|layer| Uint32Array::from(layer.as_slice())).collect();
    Build::new()
        .with("edges", Float32Array::from(histogram.edges.as_slice()))
        .with("counts", counts)
        .done()
}

/// `Metrics` of the API. Not through JSON, which has no infinity: a perplexity may be infinite.
pub fn metrics(metrics: &Metrics) -> JsValue {
    let Metrics { loss, perplexity, bits_per_character, accuracy, f1, exact_match, bleu, .. } =
        *metrics;
    let mut object = Build::new()
        .with("loss", loss)
        .with_some("perplexity", perplexity)
        .with_some("bitsPerCharacter", bits_per_character)
        .with_some("accuracy", accuracy)
        .with_some("f1", f1)
        .with_some("exactMatch", exact_match)
        .with_some("bleu", bleu)
        .with_some("rougeL", metrics.rouge_l);
    if let Some(Baseline { accuracy, f1, exact_match, bleu, rouge_l }) = metrics.baseline {
        let baseline = Build::new()
            .with_some("accuracy", accuracy)
            .with_some("f1", f1)
            .with_some("exactMatch", exact_match)
            .with_some("bleu", bleu)
            .with_some("rougeL", rouge_l);
        object = object.with("baseline", baseline.done());
    }
    if let Some(confusion) = &metrics.confusion {
        object = object.with("confusion", json(confusion));
    }
    object.done()
}

/// `Classification[]` of the API.
pub fn classifications(rows: &[Vec<f64>], labels: &[String]) -> JsValue {
    let row = |row: &Vec<f64>| {
        let probabilities = Object::new();
        for (label, probability) in labels.iter().zip(row) {
            // A label may be `__proto__`, which plain assignment would take for something else.
            let descriptor = Build::new()
                .with("value", *probability)
                .with("enumerable", true)
                .with("configurable", true)
                .with("writable", true)
                .done();
            Object::define_property(&probabilities, &label.into(), descriptor.unchecked_ref());
        }
        let best = row.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
        let (best, _) = best.expect("there are labels");
        Build::new()
            .with("label", labels[best].as_str())
            .with("probabilities", probabilities)
            .done()
    };
    rows.iter().map(row).collect::<Array>().into()
}

/// `{ position, candidates }[]` of the API.
pub fn filled_masks(masks: &[FilledMask]) -> JsValue {
    let mask = |mask: &FilledMask| {
        let candidate = |candidate: &crate::session::Candidate| {
            Build::new()
                .with("token", candidate.token.as_str())
                .with("probability", candidate.probability)
                .done()
        };
        let candidates: Array = mask.candidates.iter().map(candidate).collect();
        Build::new().with("position", mask.position as f64).with("candidates", candidates).done()
    };
    masks.iter().map(mask).collect::<Array>().into()
}
