//! Settings as they come from outside, before they are anything: a small JSON-like value, and a
//! reader that checks names, types and ranges and says which option was wrong.

use std::fmt;

use crate::error::{Error, Result};

/// A value a caller passed. Unlike JSON it can hold NaN and infinities, so that they can be refused
/// by name.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing was said.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Any number.
    Number(f64),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Names and values, in the caller's order.
    Map(Vec<(String, Value)>),
    /// Something of no use here, described: a function, a date.
    Other(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => write!(f, "null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(value) if value.is_nan() => write!(f, "NaN"),
            Value::Number(value) if value.is_infinite() => {
                write!(f, "{}Infinity", if *value < 0.0 { "-" } else { "" })
            }
            // With an exponent where JavaScript has one: nobody reads 309 digits.
            Value::Number(value) if *value != 0.0 && !(1e-6..1e21).contains(&value.abs()) => {
                write!(f, "{value:e}")
            }
            Value::Number(value) => write!(f, "{value}"),
            // Long texts are data pasted in the wrong place; the start is enough to recognise them.
            Value::Text(text) if text.chars().count() > 60 => {
                write!(f, "{:?} and more", text.chars().take(60).collect::<String>())
            }
            Value::Text(text) => write!(f, "{text:?}"),
            Value::List(items) => write!(f, "a list of {}", items.len()),
            Value::Map(entries) if entries.is_empty() => write!(f, "an empty object"),
            Value::Map(entries) => {
                let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
                write!(f, "an object with {}", names.join(", "))
            }
            Value::Other(what) => write!(f, "{what}"),
        }
    }
}

impl From<&serde_json::Value> for Value {
    fn from(json: &serde_json::Value) -> Self {
        match json {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(value) => Value::Bool(*value),
            serde_json::Value::Number(value) => Value::Number(value.as_f64().unwrap_or(f64::NAN)),
            serde_json::Value::String(text) => Value::Text(text.clone()),
            serde_json::Value::Array(items) => Value::List(items.iter().map(Value::from).collect()),
            serde_json::Value::Object(entries) => Value::Map(
                entries.iter().map(|(name, value)| (name.clone(), Value::from(value))).collect(),
            ),
        }
    }
}

/// Reads the entries of an object one by one; what was not read in the end is refused.
#[derive(Debug)]
pub struct Fields {
    /// Prefix of option names, e.g. `attention.`.
    scope: String,
    entries: Vec<(String, Value)>,
}

impl Fields {
    /// `value` must be an object; `option` names it in errors.
    pub fn new(value: &Value, option: &str) -> Result<Self> {
        match value {
            Value::Map(entries) => Ok(Self { scope: String::new(), entries: entries.clone() }),
            // Saying nothing is saying that every option has its default.
            Value::Null => Ok(Self::empty()),
            other => Err(Error::option(option, other, "an object")),
        }
    }

    /// The same, with `option.` before the names in errors.
    pub fn nested(value: &Value, option: &str) -> Result<Self> {
        let fields = Self::new(value, option)?;
        Ok(Self { scope: format!("{option}."), ..fields })
    }

    /// An object without entries.
    pub fn empty() -> Self {
        Self { scope: String::new(), entries: Vec::new() }
    }

    /// The entry as it is.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let index = self.entries.iter().position(|(entry, _)| entry == name)?;
        Some(self.entries.remove(index).1)
    }

    fn wrong<T>(&self, name: &str, value: &Value, expected: impl Into<String>) -> Result<T> {
        Err(Error::option(format!("{}{name}", self.scope), value, expected))
    }

    /// A whole number from `min` to `max`.
    pub fn integer(&mut self, name: &str, min: u64, max: u64) -> Result<Option<u64>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match value {
            Value::Number(n) if n.fract() == 0.0 && n >= min as f64 && n <= max as f64 => {
                Ok(Some(n as u64))
            }
            _ => self.wrong(name, &value, format!("a whole number from {min} to {max}")),
        }
    }

    /// The same as `usize`.
    pub fn size(&mut self, name: &str, min: usize, max: usize) -> Result<Option<usize>> {
        Ok(self.integer(name, min as u64, max as u64)?.map(|value| value as usize))
    }

    /// A seed, 0 to 2³² - 1.
    pub fn seed(&mut self, name: &str) -> Result<Option<u32>> {
        Ok(self.integer(name, 0, u32::MAX.into())?.map(|value| value as u32))
    }

    /// A finite number for which `holds`; `expected` says the same in words.
    pub fn number(
        &mut self,
        name: &str,
        holds: impl Fn(f64) -> bool,
        expected: &str,
    ) -> Result<Option<f64>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match value {
            Value::Number(n) if n.is_finite() && holds(n) => Ok(Some(n)),
            _ => self.wrong(name, &value, expected),
        }
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, name: &str) -> Result<Option<bool>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match value {
            Value::Bool(value) => Ok(Some(value)),
            _ => self.wrong(name, &value, "true or false"),
        }
    }

    /// One of `items` by its name.
    pub fn choice<T: Copy>(
        &mut self,
        name: &str,
        items: &[T],
        name_of: impl Fn(T) -> &'static str,
    ) -> Result<Option<T>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        if let Value::Text(text) = &value
            && let Some(item) = items.iter().find(|item| name_of(**item) == text)
        {
            return Ok(Some(*item));
        }
        let names: Vec<String> = items.iter().map(|item| format!("{:?}", name_of(*item))).collect();
        self.wrong(name, &value, format!("one of {}", names.join(", ")))
    }

    /// A list of strings.
    pub fn texts(&mut self, name: &str) -> Result<Option<Vec<String>>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let list = match &value {
            Value::List(items) => items.iter().map(|item| match item {
                Value::Text(text) => Some(text.clone()),
                _ => None,
            }),
            _ => return self.wrong(name, &value, "a list of strings"),
        };
        match list.collect() {
            Some(texts) => Ok(Some(texts)),
            None => self.wrong(name, &value, "a list of strings"),
        }
    }

    /// Refuses what was not asked for.
    pub fn finish(self, known: &str) -> Result<()> {
        match self.entries.first() {
            None => Ok(()),
            Some((name, value)) => {
                let there = if known.contains(' ') { "there are" } else { "there is only" };
                self.wrong(name, value, format!("no such option; {there} {known}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_print_so_that_people_can_read_them() {
        for (value, printed) in [
            (Value::Number(1e308), "1e308"),
            (Value::Number(-2.5e21), "-2.5e21"),
            (Value::Number(1e-50), "1e-50"),
            (Value::Number(9_007_199_254_740_992.0), "9007199254740992"),
            (Value::Number(0.000_001), "0.000001"),
            (Value::Number(0.0), "0"),
            (Value::Number(-3.5), "-3.5"),
            (Value::Map(vec![]), "an empty object"),
            (Value::Map(vec![("kind".into(), Value::Null)]), "an object with kind"),
            (Value::List(vec![]), "a list of 0"),
        ] {
            assert_eq!(value.to_string(), printed);
        }
    }
}
