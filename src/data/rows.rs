//! Rows of a data set as people hand them in, checked: labelled texts, labelled pairs of texts,
//! and texts with the texts they turn into.

use crate::error::{Error, Result};
use crate::order::sorted;
use crate::value::Value;

/// More different labels than this are no classes: numbers to estimate, or texts in their place.
const MAX_LABELS: usize = 10_000;
/// All names that a field of a row has for some task.
const FIELDS: [&str; 5] = ["text", "second", "label", "source", "target"];

/// The labels of a data set: different texts in order of code point, numbered from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels(Vec<String>);

impl Labels {
    /// Labels from a model file.
    ///
    /// # Errors
    ///
    /// `corrupt-file` unless there are two or more, each above the one before it.
    pub fn from_sorted(labels: Vec<String>) -> Result<Self> {
        if labels.len() < 2 || !labels.is_sorted_by(|a, b| a < b) {
            return Err(Error::corrupt("the labels are out of order, or fewer than two"));
        }
        Ok(Self(labels))
    }

    /// The different labels among those of all rows.
    fn fit(of_rows: &[String]) -> Result<Self> {
        // UTF-8 sorts by code point.
        let mut labels = sorted(of_rows.to_vec(), String::cmp);
        labels.dedup();
        match labels.as_slice() {
            [one] => {
                Err(Error::data(format!("every row has the label {one:?}, but two are needed")))
            }
            many if many.len() > MAX_LABELS => Err(Error::data(format!(
                "there are {} different labels, more than {MAX_LABELS}",
                many.len()
            ))),
            _ => Ok(Self(labels)),
        }
    }

    /// The number of a label.
    pub fn index(&self, label: &str) -> Option<u32> {
        self.0.binary_search_by(|other| other.as_str().cmp(label)).ok().map(|index| index as u32)
    }

    /// All labels in order.
    pub fn names(&self) -> &[String] {
        &self.0
    }
}

/// A text, or two, and its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// What to classify.
    pub text: String,
    /// The other text of a pair.
    pub second: Option<String>,
    /// Number of the label in [`Labels`].
    pub label: u32,
}

/// A text and what it turns into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translated {
    /// What goes in.
    pub source: String,
    /// What should come out.
    pub target: String,
}

/// Reads `{ text, label }` or, as `pairs`, `{ text, second, label }`.
///
/// With the labels of a model, `known`, no others may occur; else the rows make up the labels.
/// Labels are compared as strings, letter for letter; whole numbers stand for their digits.
///
/// # Errors
///
/// `invalid-data`, with the index of the row at fault: a missing or blank text, a label that is
/// neither text nor a whole number up to 2⁵³ - 1, an unknown label; or no rows, or one label only.
pub fn labelled(
    rows: &Value,
    pairs: bool,
    known: Option<&Labels>,
) -> Result<(Vec<Labelled>, Labels)> {
    let fields: &[&str] = if pairs { &["text", "second", "label"] } else { &["text", "label"] };
    let mut texts = Vec::new();
    let mut of_rows = Vec::new();
    for (index, row) in list(rows)?.iter().enumerate() {
        let row = Row::new(index, row, fields)?;
        let second = if pairs { Some(row.text("second")?) } else { None };
        texts.push((row.text("text")?, second));
        let label = row.label()?;
        if known.is_some_and(|known| known.index(&label).is_none()) {
            return row.wrong(format!("the model does not know the label {label:?}"));
        }
        of_rows.push(label);
    }
    let labels = known.cloned().map_or_else(|| Labels::fit(&of_rows), Ok)?;
    let rows = texts.into_iter().zip(&of_rows).map(|((text, second), label)| {
        let label = labels.index(label).expect("every row's label is in the table");
        Labelled { text, second, label }
    });
    Ok((rows.collect(), labels))
}

/// Reads `{ source, target }`.
///
/// # Errors
///
/// `invalid-data`, with the index of the row at fault: a missing or blank text; or no rows.
pub fn translated(rows: &Value) -> Result<Vec<Translated>> {
    let read = |(index, row)| {
        let row = Row::new(index, row, &["source", "target"])?;
        Ok(Translated { source: row.text("source")?, target: row.text("target")? })
    };
    list(rows)?.iter().enumerate().map(read).collect()
}

fn list(rows: &Value) -> Result<&[Value]> {
    match rows {
        Value::List(rows) if rows.is_empty() => Err(Error::data("there are no rows")),
        Value::List(rows) => Ok(rows),
        other => Err(Error::data(format!("`rows` is {other}, not a list"))),
    }
}

/// A row that is being read.
struct Row<'a> {
    index: usize,
    entries: &'a [(String, Value)],
}

impl<'a> Row<'a> {
    /// Fields with other names are left alone, but those of other tasks are not: such data were
    /// meant for something else.
    fn new(index: usize, row: &'a Value, fields: &[&str]) -> Result<Self> {
        let Value::Map(entries) = row else {
            let reason = format!("the row is {row}, not an object");
            return Err(Error::InvalidData { row: Some(index), reason });
        };
        let row = Self { index, entries };
        let foreign =
            FIELDS.iter().find(|name| !fields.contains(name) && row.field(name).is_some());
        match foreign {
            Some(name) => row.wrong(format!("rows of this task have no field `{name}`")),
            None => Ok(row),
        }
    }

    fn wrong<T>(&self, reason: impl Into<String>) -> Result<T> {
        Err(Error::InvalidData { row: Some(self.index), reason: reason.into() })
    }

    fn field(&self, name: &str) -> Option<&'a Value> {
        let entry =
            self.entries.iter().find(|(entry, value)| entry == name && *value != Value::Null);
        entry.map(|(_, value)| value)
    }

    fn text(&self, name: &str) -> Result<String> {
        match self.field(name) {
            None => self.wrong(format!("`{name}` is missing")),
            Some(Value::Text(text)) if text.trim().is_empty() => {
                self.wrong(format!("`{name}` is empty"))
            }
            Some(Value::Text(text)) => Ok(text.clone()),
            Some(other) => self.wrong(format!("`{name}` is {other}, expected a text")),
        }
    }

    fn label(&self) -> Result<String> {
        // Above this, numbers in JavaScript are not those that were written.
        const LARGEST: f64 = 9_007_199_254_740_991.0;
        match self.field("label") {
            None => self.wrong("`label` is missing"),
            Some(Value::Text(label)) if label.is_empty() => self.wrong("`label` is empty"),
            Some(Value::Text(label)) => Ok(label.clone()),
            Some(Value::Number(n)) if n.fract() == 0.0 && n.abs() <= LARGEST => {
                Ok((*n as i64).to_string())
            }
            Some(other) => {
                let expected = "a text or a whole number up to 2^53 - 1";
                self.wrong(format!("`label` is {other}, expected {expected}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(rows: serde_json::Value, pairs: bool) -> Result<(Vec<Labelled>, Labels)> {
        labelled(&Value::from(&rows), pairs, None)
    }

    fn reason(result: Result<impl std::fmt::Debug>) -> (Option<usize>, String) {
        match result {
            Err(Error::InvalidData { row, reason }) => (row, reason),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn labels_are_texts_in_order_of_code_point() {
        let (rows, labels) = read(
            json!([
                { "text": "a", "label": "b" }, { "text": "b", "label": 10 },
                { "text": "c", "label": "B" }, { "text": "d", "label": "b " },
                { "text": "e", "label": "9" }, { "text": "f", "label": 9 },
                { "text": "g", "label": "é" }, { "text": "h", "label": -1.0 },
                { "text": "i", "label": "😀" }, { "text": "j", "label": "\u{ffff}" },
            ]),
            false,
        )
        .unwrap();
        assert_eq!(labels.names(), ["-1", "10", "9", "B", "b", "b ", "é", "\u{ffff}", "😀"]);
        let of_rows: Vec<u32> = rows.iter().map(|row| row.label).collect();
        assert_eq!(of_rows, [4, 1, 3, 5, 2, 2, 6, 0, 8, 7]);
        assert_eq!(labels.index("c"), None);
    }

    #[test]
    fn pairs_and_translations_keep_their_texts_as_they_are() {
        let (rows, _) = read(
            json!([
                { "text": " a\0\r\n", "second": "[MASK]", "label": 1, "id": 7 },
                { "text": "b", "second": "<b>&amp;", "label": 2, "source": null },
            ]),
            true,
        )
        .unwrap();
        assert_eq!(
            (rows[0].text.as_str(), rows[1].second.as_deref()),
            (" a\0\r\n", Some("<b>&amp;"))
        );
        let rows = translated(&Value::from(&json!([{ "source": "1", "target": "one" }]))).unwrap();
        assert_eq!(rows, [Translated { source: "1".into(), target: "one".into() }]);
    }

    #[test]
    fn rows_at_fault_are_named() {
        let good = json!({ "text": "a", "label": "x" });
        for (bad, why) in [
            (json!({ "label": "x" }), "`text` is missing"),
            (json!({ "text": null, "label": "x" }), "`text` is missing"),
            (json!({ "text": "", "label": "x" }), "`text` is empty"),
            (json!({ "text": " \n", "label": "x" }), "`text` is empty"),
            (json!({ "text": 5, "label": "x" }), "`text` is 5, expected a text"),
            (json!({ "text": "a" }), "`label` is missing"),
            (json!({ "text": "a", "label": "" }), "`label` is empty"),
            (
                json!({ "text": "a", "label": 1.5 }),
                "`label` is 1.5, expected a text or a whole number up to 2^53 - 1",
            ),
            (
                json!({ "text": "a", "label": 1_u64 << 53 }),
                "`label` is 9007199254740992, expected a text or a whole number up to 2^53 - 1",
            ),
            (
                json!({ "text": "a", "label": 1e300 }),
                "`label` is 1e300, expected a text or a whole",
            ),
            (json!({ "text": "a", "label": true }), "`label` is true, expected a text or a whole"),
            (json!({ "text": "a", "second": "b", "label": 1 }), "no field `second`"),
            (json!("text"), "the row is \"text\", not an object"),
        ] {
            let (row, reason) = reason(read(json!([good, bad]), false));
            assert_eq!(row, Some(1));
            assert!(reason.contains(why), "{reason}");
        }
        let nan = Value::Map(vec![
            ("text".into(), Value::Text("a".into())),
            ("label".into(), Value::Number(f64::NAN)),
        ]);
        let (row, reason) = reason(labelled(&Value::List(vec![nan]), false, None));
        assert_eq!((row, reason.contains("NaN")), (Some(0), true));
        assert_eq!(reason_of_translated(json!([{ "source": "a" }])), "`target` is missing");
        assert_eq!(
            reason_of_translated(json!([{ "text": "a" }])),
            "rows of this task have no field `text`"
        );
    }

    fn reason_of_translated(rows: serde_json::Value) -> String {
        reason(translated(&Value::from(&rows))).1
    }

    #[test]
    fn data_sets_without_a_choice_are_refused() {
        let row = json!({ "text": "a", "label": "x" });
        assert_eq!(reason(read(json!([]), false)), (None, "there are no rows".into()));
        assert_eq!(reason(read(json!({ "0": row }), false)).0, None);
        let (row, reason) = reason(read(json!([row, row]), false));
        assert_eq!((row, reason.contains("every row has the label \"x\"")), (None, true));
    }

    #[test]
    fn a_model_knows_its_labels_and_no_others() {
        let (_, labels) =
            read(json!([{ "text": "a", "label": 1 }, { "text": "a", "label": 2 }]), false).unwrap();
        let again = |label| {
            let rows = json!([{ "text": "b", "label": label }]);
            labelled(&Value::from(&rows), false, Some(&labels))
        };
        assert_eq!(again("2").unwrap().0[0].label, 1);
        assert_eq!(reason(again("3")), (Some(0), "the model does not know the label \"3\"".into()));
        assert_eq!(Labels::from_sorted(labels.names().to_vec()).unwrap(), labels);
        for wrong in [vec!["a"], vec!["b", "a"], vec!["a", "a"], vec![]] {
            let wrong = wrong.into_iter().map(String::from).collect();
            assert_eq!(Labels::from_sorted(wrong).unwrap_err().code(), "corrupt-file");
        }
    }
}
