//! Scores on text, in slices so that a caller can stop between them.

use serde::Serialize;

use super::run::{HeldOut, upload};
use super::{Encoded, Session, Text};
use crate::data::Windows;
use crate::data::windows::Batch;
use crate::error::{Error, Result};
use crate::model::LanguageModel;
use crate::model::language_model::token_losses;
use crate::value::{Fields, Value};
use crate::weights::lost;

/// Scores of a language model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// Nats per token.
    pub loss: f64,
    /// `exp(loss)`.
    pub perplexity: f64,
    /// Total nats / ln 2 / Unicode code points scored.
    pub bits_per_character: f64,
}

/// Settings of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvaluateConfig {
    /// Windows scored at once, default 16.
    pub batch: usize,
}

impl EvaluateConfig {
    /// Reads and checks the options of `evaluate`.
    pub fn parse(options: &Value) -> Result<Self> {
        let mut fields = Fields::new(options, "options")?;
        let batch = fields.size("batch", 1, 4096)?.unwrap_or(16);
        fields.finish("batch, signal")?;
        Ok(Self { batch })
    }
}

/// An evaluation under way. It keeps the weights it was begun with.
#[derive(Debug)]
pub(super) struct Evaluation {
    model: LanguageModel,
    batches: std::vec::IntoIter<Batch>,
    nats: f64,
    tokens: u64,
    code_points: u64,
}

impl Session {
    /// Begins to score `data`, or without it the held-out share of the open run.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidData`] for a text of fewer than two tokens or where nothing is held out.
    pub fn begin_evaluation(&mut self, data: Option<Text>, options: &Value) -> Result<u32> {
        let EvaluateConfig { batch } = EvaluateConfig::parse(options)?;
        let HeldOut { windows, code_points } = match data {
            Some(text) => {
                let Encoded { ids, code_points } = Encoded::new(&self.tokenizer, &text);
                let code_points = code_points.iter().skip(1).map(|&n| u64::from(n)).sum();
                HeldOut { windows: Windows::new(ids, self.spec.max_length), code_points }
            }
            None => {
                let held_out = self.run.as_ref().and_then(|run| run.held_out.clone());
                held_out.ok_or_else(|| Error::data("no share is held out for validation"))?
            }
        };
        let tokens = windows.tokens().len();
        if tokens < 2 {
            let reason =
                format!("the text has {tokens} tokens; the first is not scored, so two are needed");
            return Err(Error::data(reason));
        }
        let evaluation = Evaluation {
            model: self.trainer.inference_model(),
            batches: windows.consecutive(batch).collect::<Vec<_>>().into_iter(),
            nats: 0.0,
            tokens: 0,
            code_points,
        };
        let id = self.id();
        self.evaluations.insert(id, evaluation);
        Ok(id)
    }

    /// Scores the next batch; the metrics once all are done.
    pub async fn evaluate_next(&mut self, id: u32) -> Result<Option<Metrics>> {
        let evaluation = self.evaluations.get_mut(&id);
        let evaluation =
            evaluation.ok_or_else(|| Error::Internal { reason: "no such evaluation".into() })?;
        if let Some(batch) = evaluation.batches.next() {
            let mask = LanguageModel::mask(batch.len, &self.device);
            evaluation.tokens += batch.targets.len() as u64;
            let (inputs, targets) = upload(batch, &self.device);
            let losses = token_losses(evaluation.model.forward(inputs, &mask, None), targets);
            let data = losses.sum().into_data_async().await.map_err(lost)?;
            evaluation.nats += f64::from(data.try_to_vec::<f32>().map_err(lost)?[0]);
        }
        if evaluation.batches.len() > 0 {
            return Ok(None);
        }
        let Evaluation { nats, tokens, code_points, .. } = *evaluation;
        self.evaluations.remove(&id);
        let loss = nats / tokens as f64;
        Ok(Some(Metrics {
            loss,
            perplexity: loss.exp(),
            bits_per_character: nats / std::f64::consts::LN_2 / code_points as f64,
        }))
    }

    /// Forgets an evaluation; does nothing if it is over.
    pub fn end_evaluation(&mut self, id: u32) {
        self.evaluations.remove(&id);
    }
}
