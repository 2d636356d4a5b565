//! JavaScript values to settings, and results to JavaScript values.

use js_sys::{Array, Float32Array, JSON, Object, Reflect, Uint32Array};
use wasm_bindgen::{JsCast, JsValue};

use crate::session::{AttentionMaps, WeightHistogram};
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
