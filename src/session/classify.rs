//! The classes of texts and pairs.

use burn::tensor::activation;

use super::Session;
use super::loss::reading;
use crate::data::corpus::to_classify;
use crate::data::examples::ToClassify;
use crate::error::{Error, Result};
use crate::model::Net;
use crate::task::Form;
use crate::value::Value;
use crate::weights::lost;

impl Session {
    /// A text, or two, cut to what the model can take.
    fn to_classify(&self, text: &Value, call: &str) -> Result<ToClassify> {
        let max_length = self.spec.max_length;
        match self.text_or_pair(text, call)? {
            (text, None) => Ok(ToClassify::single(&self.tokenizer, text, max_length)),
            (text, Some(second)) => Ok(ToClassify::pair(&self.tokenizer, text, second, max_length)),
        }
    }

    pub(super) fn takes_pairs(&self) -> bool {
        self.spec.task.form() == Form::LabelledPairs
    }

    /// The text, and for tasks over pairs the second one.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOption`] for a pair where a text is wanted, or the other way round.
    pub(super) fn text_or_pair<'a>(
        &self,
        text: &'a Value,
        option: &str,
    ) -> Result<(&'a str, Option<&'a str>)> {
        let pairs = self.takes_pairs();
        match text {
            Value::Text(text) if !pairs => Ok((text, None)),
            Value::List(both) if pairs => match both.as_slice() {
                [Value::Text(text), Value::Text(second)] => Ok((text, Some(second))),
                _ => Err(Error::option(option, text, "two strings in a list")),
            },
            _ if pairs => Err(Error::option(option, text, "two strings in a list")),
            _ => Err(Error::option(option, text, "a string")),
        }
    }

    /// Probabilities of all labels for each text, in the order of [`Session::labels`].
    ///
    /// # Errors
    ///
    /// [`Error::WrongTask`] for a model without classes; [`Error::InvalidOption`] for a pair where
    /// a text is wanted, or the other way round.
    pub async fn classify_all(&self, texts: &[Value]) -> Result<Vec<Vec<f64>>> {
        self.check_fits(texts.len())?;
        let Net::Classifier(model) = self.trainer.inference_model() else {
            return Err(self.wrong_task("classify"));
        };
        let read = |text| self.to_classify(text, "text");
        let rows: Vec<ToClassify> = texts.iter().map(read).collect::<Result<_>>()?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let pairs = self.takes_pairs();
        let rows: Vec<&ToClassify> = rows.iter().collect();
        let (padded, segments) = to_classify(&rows, pairs, &self.tokenizer);
        let logits = model.forward(&reading(&padded, segments.as_deref(), &self.device), None);
        let [_batch, classes] = logits.dims();
        let data = activation::softmax(logits, 1).into_data_async().await.map_err(lost)?;
        let values = data.try_to_vec::<f32>().map_err(lost)?;
        let row = |row: &[f32]| {
            // Rounded to float32 they do not quite sum to 1.
            let sum: f64 = row.iter().map(|&p| f64::from(p)).sum();
            row.iter().map(|&p| f64::from(p) / sum).collect()
        };
        Ok(values.chunks(classes).map(row).collect())
    }
}
