//! What is written behind an example's name.

use std::process::ExitCode;

use serde_json::{Map, Value as Json, json};
use synthattn::value::Value;

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Files, and `--NAME VALUE`.
pub struct Arguments {
    pub files: Vec<String>,
    options: Vec<(String, String)>,
}

impl Arguments {
    pub fn read(usage: &str) -> Result<Self> {
        let (mut files, mut options) = (Vec::new(), Vec::new());
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.strip_prefix("--") {
                Some(name) => {
                    let value =
                        words.next().ok_or_else(|| format!("{word} has no value; {usage}"))?;
                    options.push((name.to_owned(), value));
                }
                None => files.push(word),
            }
        }
        Ok(Self { files, options })
    }

    /// The value of an argument that is no option of training.
    pub fn take(&mut self, name: &str) -> Option<String> {
        let at = self.options.iter().position(|(found, _)| found == name)?;
        Some(self.options.remove(at).1)
    }

    /// The others, as options of training by the names that API users know: `--learning-rate` is
    /// `learningRate`.
    pub fn options(&self) -> Json {
        // A number, or a name.
        let value = |text: &String| {
            serde_json::from_str(text).unwrap_or_else(|_| Json::String(text.clone()))
        };
        let option = |(name, text): &(String, String)| (camel_case(name), value(text));
        Json::Object(self.options.iter().map(option).collect::<Map<_, _>>())
    }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        name + &initial.to_uppercase() + rest
    })
}

pub fn bytes(file: &str) -> Result<Vec<u8>> {
    std::fs::read(file).map_err(|error| format!("{file}: {error}").into())
}

pub fn json_file(file: &str) -> Result<Json> {
    serde_json::from_slice(&bytes(file)?).map_err(|error| format!("{file}: {error}").into())
}

/// Training data in a file: JSON, or else a text.
pub fn data_file(file: &str) -> Result<Value> {
    if file.ends_with(".json") {
        return Ok(Value::from(&json_file(file)?));
    }
    let text = String::from_utf8(bytes(file)?).map_err(|error| format!("{file}: {error}"))?;
    Ok(Value::from(&json!({ "text": text })))
}

/// An error in one line.
pub fn finish(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
