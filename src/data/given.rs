//! Data as people hand them in, checked to be of the form that a task wants.

use super::rows::{Labelled, Labels, Translated, labelled, translated};
use crate::error::{Error, Result};
use crate::task::{Form, Task};
use crate::value::Value;

/// Data of any task.
#[derive(Debug, Clone)]
pub enum Given {
    /// A running text.
    Text(String),
    /// Texts or pairs with labels.
    Labelled {
        /// One for each text or pair.
        rows: Vec<Labelled>,
        /// All labels.
        labels: Labels,
    },
    /// Texts and what they turn into.
    Translated(Vec<Translated>),
}

impl Given {
    /// Reads `TrainingData` for `task`. With the labels of a model, `known`, no others may occur.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidData`] if the data are of another form, empty, or a row is at fault.
    pub fn parse(value: Value, task: Task, known: Option<&Labels>) -> Result<Self> {
        let expected = task.form().shown();
        let Value::Map(entries) = value else {
            return Err(Error::data(format!("data is {value}, expected {expected}")));
        };
        let wants_text = task.form() == Form::Text;
        let mut found = None;
        for (name, value) in entries {
            match (name.as_str(), wants_text) {
                ("text", true) | ("rows", false) => found = Some(value),
                ("text" | "rows", _) => {
                    let reason =
                        format!("a {} learns from {expected}, not from `{name}`", task.name());
                    return Err(Error::data(reason));
                }
                (other, _) => {
                    let reason = format!("`{other}` is no field of data, expected {expected}");
                    return Err(Error::data(reason));
                }
            }
        }
        let Some(found) = found else {
            let field = if wants_text { "text" } else { "rows" };
            return Err(Error::data(format!("`{field}` is missing")));
        };
        match task.form() {
            Form::Text => text(found).map(Given::Text),
            Form::Translated => translated(&found).map(Given::Translated),
            form => {
                let (rows, labels) = labelled(&found, form == Form::LabelledPairs, known)?;
                Ok(Given::Labelled { rows, labels })
            }
        }
    }

    /// All texts, to fit a tokenizer on.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Given::Text(text) => vec![text],
            Given::Labelled { rows, .. } => {
                let mut texts = Vec::with_capacity(2 * rows.len());
                for Labelled { text, second, .. } in rows {
                    texts.push(text.as_str());
                    texts.extend(second.as_deref());
                }
                texts
            }
            Given::Translated(rows) => {
                rows.iter().flat_map(|row| [row.source.as_str(), row.target.as_str()]).collect()
            }
        }
    }

    /// The labels of classes.
    pub fn labels(&self) -> Option<&Labels> {
        match self {
            Given::Labelled { labels, .. } => Some(labels),
            Given::Text(_) | Given::Translated(_) => None,
        }
    }
}

fn text(value: Value) -> Result<String> {
    match value {
        Value::Text(text) if text.is_empty() => Err(Error::data("the text is empty")),
        Value::Text(text) => Ok(text),
        other => Err(Error::data(format!("`text` is {other}, expected a string"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(task: Task, data: serde_json::Value) -> Result<Given> {
        Given::parse(Value::from(&data), task, None)
    }

    #[test]
    fn every_task_takes_its_own_form_and_no_other() {
        let of_form = |form| match form {
            Form::Text => json!({ "text": "a b" }),
            Form::Labelled => {
                json!({ "rows": [{ "text": "a", "label": 1 }, { "text": "b", "label": 2 }] })
            }
            Form::LabelledPairs => json!({ "rows": [
                { "text": "a", "second": "c", "label": 1 }, { "text": "b", "second": "d", "label": 2 },
            ] }),
            Form::Translated => json!({ "rows": [{ "source": "a", "target": "b" }] }),
        };
        for task in Task::ALL {
            for other in Task::ALL {
                let read = parse(*task, of_form(other.form()));
                assert_eq!(read.is_ok(), task.form() == other.form(), "{task:?}, {other:?}");
                assert!(read.map_or_else(|error| error.code() == "invalid-data", |_| true));
            }
        }
    }

    #[test]
    fn what_is_wrong_with_data_is_said() {
        for (data, why) in [
            (json!([]), "data is a list of 0, expected { text }"),
            (json!({}), "`text` is missing"),
            (json!({ "text": "" }), "the text is empty"),
            (json!({ "text": 3 }), "`text` is 3, expected a string"),
            (json!({ "rows": [] }), "learns from { text }, not from `rows`"),
            (json!({ "texts": "a" }), "`texts` is no field of data"),
        ] {
            let error = parse(Task::LanguageModel, data).unwrap_err();
            assert_eq!(error.code(), "invalid-data");
            assert!(error.to_string().contains(why), "{error}");
        }
        let error = parse(Task::Classification, json!({ "rows": "a" })).unwrap_err();
        assert!(error.to_string().contains("`rows` is \"a\", not a list"), "{error}");
    }
}
