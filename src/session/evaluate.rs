//! Scores on data, in slices so that a caller can stop between them.

use std::collections::{HashMap, VecDeque};

use burn::tensor::{Tensor, Transaction};
use serde::Serialize;

use super::Session;
use super::loss::{CausalMask, Guesses, cost, guesses, reading};
use super::translate::greedy;
use crate::data::corpus::{Batch, Corpus};
use crate::data::examples::ToTranslate;
use crate::data::rows::Translated;
use crate::error::{Error, Result};
use crate::metrics::{Confusion, TextScores, bits_per_character, perplexity};
use crate::model::Net;
use crate::value::{Fields, Value};
use crate::weights::lost;

/// Scores of a model. Which there are depends on the task.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// Nats per token; per row in classification.
    pub loss: f64,
    /// `exp(loss)`, where tokens are guessed.
    pub perplexity: Option<f64>,
    /// Total nats / ln 2 / Unicode code points scored, of a language model.
    pub bits_per_character: Option<f64>,
    /// Share of the rows, or of the hidden tokens, guessed right.
    pub accuracy: Option<f64>,
    /// Macro-averaged F1 over the labels, 0 to 1.
    pub f1: Option<f64>,
    /// Share of the targets made letter for letter.
    pub exact_match: Option<f64>,
    /// Corpus BLEU as sacreBLEU defines it, 0 to 100.
    pub bleu: Option<f64>,
    /// Mean ROUGE-L F-measure as rouge-score defines it, 0 to 1.
    pub rouge_l: Option<f64>,
    /// What takes no learning, on the same rows.
    pub baseline: Option<Baseline>,
    /// How often rows of each class (outer) were taken for each class (inner).
    pub confusion: Option<Vec<Vec<u64>>>,
}

/// Scores of always saying the commonest answer, or of copying the input.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Baseline {
    /// See [`Metrics::accuracy`].
    pub accuracy: Option<f64>,
    /// See [`Metrics::f1`].
    pub f1: Option<f64>,
    /// See [`Metrics::exact_match`].
    pub exact_match: Option<f64>,
    /// See [`Metrics::bleu`].
    pub bleu: Option<f64>,
    /// See [`Metrics::rouge_l`].
    pub rouge_l: Option<f64>,
}

/// Settings of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvaluateConfig {
    /// Windows or rows scored at once, default 16.
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
    net: Net,
    batches: VecDeque<Batch>,
    causal: CausalMask,
    nats: f64,
    targets: u64,
    tally: Tally,
}

/// What is counted beside the loss.
#[derive(Debug)]
enum Tally {
    /// Of a language model: code points of all tokens but the first, which is not scored.
    Next {
        code_points: u64,
    },
    /// Of hidden tokens: those guessed right, and how often each was the one.
    Masked {
        right: u64,
        hidden: HashMap<i32, u64>,
    },
    Classes(Confusion),
    Texts {
        rows: Corpus,
        made: Box<TextScores>,
        copied: Box<TextScores>,
    },
}

impl Session {
    /// Begins to score `data`, or without it the held-out share of the open run.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidData`] for data of another task, a text of fewer than two tokens, or where
    /// nothing is held out.
    pub fn begin_evaluation(&mut self, data: Option<Value>, options: &Value) -> Result<u32> {
        let EvaluateConfig { batch } = EvaluateConfig::parse(options)?;
        self.check_fits(batch)?;
        let corpus = match data {
            Some(data) => self.corpus_of(data)?,
            None => {
                let held_out = self.run.as_ref().and_then(|run| run.held_out.clone());
                held_out.ok_or_else(|| Error::data("no share is held out for validation"))?
            }
        };
        let (task, max_length) = (self.spec.task, self.spec.max_length);
        let batches = corpus.batches(task, batch, max_length, &self.tokenizer)?;
        let net = self.trainer.inference_model();
        let tally = match (&net, corpus) {
            (Net::LanguageModel(_), Corpus::Text(text)) => {
                let code_points = text.code_points.iter().skip(1).map(|&n| u64::from(n)).sum();
                Tally::Next { code_points }
            }
            (Net::Masked(_), _) => Tally::Masked { right: 0, hidden: HashMap::new() },
            (Net::Classifier(_), _) => {
                let labels = self.labels().expect("a classifier has labels");
                Tally::Classes(Confusion::new(labels.len()))
            }
            (_, rows) => Tally::Texts { rows, made: Box::default(), copied: Box::default() },
        };
        let causal = CausalMask::new(&self.device);
        let evaluation = Evaluation { net, batches, causal, nats: 0.0, targets: 0, tally };
        let id = self.id();
        self.evaluations.insert(id, evaluation);
        Ok(id)
    }

    /// Scores the next batch; the metrics once all are done.
    pub async fn evaluate_next(&mut self, id: u32) -> Result<Option<Metrics>> {
        let evaluation = self.evaluations.get_mut(&id);
        let evaluation =
            evaluation.ok_or_else(|| Error::Internal { reason: "no such evaluation".into() })?;
        if let Some(batch) = evaluation.batches.pop_front() {
            let guesses = guesses(&evaluation.net, &batch, &mut evaluation.causal, None);
            evaluation.targets += batch.targets();
            let rows = match &guesses {
                Guesses::Rows(logits) => Some(logits.clone()),
                Guesses::Tokens(_) => None,
            };
            let (nats, rows) = read(cost(guesses, &batch, &self.device), rows).await?;
            evaluation.nats += nats;
            match (&mut evaluation.tally, &batch) {
                (Tally::Next { .. }, _) => {}
                (Tally::Masked { right, hidden }, Batch::Masked { targets, .. }) => {
                    for (guess, &target) in rows.iter().zip(targets) {
                        *right += u64::from(*guess as i32 == target);
                        *hidden.entry(target).or_default() += 1;
                    }
                }
                (Tally::Classes(confusion), Batch::Labelled { labels, .. }) => {
                    for (guess, &label) in rows.iter().zip(labels) {
                        confusion.add(label as usize, *guess);
                    }
                }
                (
                    Tally::Texts { rows: all, made, copied },
                    Batch::Translated { source, rows, .. },
                ) => {
                    let (Net::Sequence(model), Corpus::Translated(all)) = (&evaluation.net, all)
                    else {
                        unreachable!("targets are made by an encoder-decoder, from rows")
                    };
                    let source = reading(source, None, &self.device);
                    let limit = self.spec.max_length;
                    let targets =
                        greedy(model, &source, limit, &self.tokenizer, &self.device).await?;
                    for (target, &row) in targets.iter().zip(rows) {
                        let (_, Translated { source, target: wanted }): &(ToTranslate, Translated) =
                            &all[row as usize];
                        made.add(&self.tokenizer.decode(target), wanted);
                        copied.add(source, wanted);
                    }
                }
                _ => unreachable!("a corpus gives the batches of its task"),
            }
        }
        if !evaluation.batches.is_empty() {
            return Ok(None);
        }
        let evaluation = self.evaluations.remove(&id).expect("found above");
        Ok(Some(evaluation.metrics()))
    }

    /// Forgets an evaluation; does nothing if it is over.
    pub fn end_evaluation(&mut self, id: u32) {
        self.evaluations.remove(&id);
    }
}

/// A sum of losses, and of rows of logits the index of the largest, read at once.
async fn read(cost: Tensor<1>, rows: Option<Tensor<2>>) -> Result<(f64, Vec<usize>)> {
    let width = rows.as_ref().map_or(1, |rows| rows.dims()[1]);
    let mut reads = Transaction::default().register(cost);
    if let Some(rows) = rows {
        reads = reads.register(rows);
    }
    let mut values = reads.execute_async().await.map_err(lost)?.into_iter();
    let cost = values.next().expect("registered above").try_to_vec::<f32>().map_err(lost)?[0];
    let Some(rows) = values.next() else { return Ok((f64::from(cost), Vec::new())) };
    let rows = rows.try_to_vec::<f32>().map_err(lost)?;
    let largest = |row: &[f32]| {
        let places = row.iter().enumerate().rev();
        places.max_by(|a, b| a.1.total_cmp(b.1)).expect("rows have logits").0
    };
    Ok((f64::from(cost), rows.chunks(width).map(largest).collect()))
}

impl Evaluation {
    fn metrics(self) -> Metrics {
        let loss = self.nats / self.targets as f64;
        let of_tokens = || Some(perplexity(loss));
        match self.tally {
            Tally::Next { code_points } => Metrics {
                loss,
                perplexity: of_tokens(),
                bits_per_character: Some(bits_per_character(self.nats, code_points)),
                ..Metrics::default()
            },
            Tally::Masked { right, hidden } => {
                let share = |n: u64| Some(n as f64 / self.targets as f64);
                let commonest = hidden.values().copied().max().unwrap_or(0);
                Metrics {
                    loss,
                    perplexity: of_tokens(),
                    accuracy: share(right),
                    baseline: Some(Baseline { accuracy: share(commonest), ..Baseline::default() }),
                    ..Metrics::default()
                }
            }
            Tally::Classes(confusion) => Metrics {
                loss,
                accuracy: Some(confusion.accuracy()),
                f1: Some(confusion.macro_f1()),
                baseline: Some(Baseline {
                    accuracy: Some(confusion.majority()),
                    f1: Some(confusion.majority_f1()),
                    ..Baseline::default()
                }),
                confusion: Some(confusion.rows().map(<[u64]>::to_vec).collect()),
                ..Metrics::default()
            },
            Tally::Texts { made, copied, .. } => Metrics {
                loss,
                perplexity: of_tokens(),
                exact_match: Some(made.exact_match()),
                bleu: Some(made.bleu()),
                rouge_l: Some(made.rouge_l()),
                baseline: Some(Baseline {
                    exact_match: Some(copied.exact_match()),
                    bleu: Some(copied.bleu()),
                    rouge_l: Some(copied.rouge_l()),
                    ..Baseline::default()
                }),
                ..Metrics::default()
            },
        }
    }
}
