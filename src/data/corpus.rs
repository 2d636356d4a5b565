//! Data as token ids, cut into the batches a model is trained and scored on.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::batches::{Batches, Padded, by_length};
use super::examples::{ToClassify, ToTranslate};
use super::given::Given;
use super::masking::{drop_words, forget_rare, mask};
use super::rows::Translated;
use super::split::Split;
use super::tokenizer::{Special, Tokenizer};
use super::windows::{self, Windows};
use crate::error::{Error, Result};
use crate::rng::{Purpose, Rng};
use crate::task::{Form, Task};

/// How often a rare word is taken for an unknown one in training, so that a classifier learns what
/// to make of words it has never seen.
const FORGOTTEN: f32 = 0.2;

/// Data of any task as token ids. Cloning shares them.
#[derive(Debug, Clone)]
pub enum Corpus {
    /// A running text.
    Text(Arc<Text>),
    /// Texts or pairs with the numbers of their labels.
    Labelled(Arc<Vec<(ToClassify, u32)>>),
    /// Texts and what they turn into, as ids and as they were given.
    Translated(Arc<Vec<(ToTranslate, Translated)>>),
}

/// A running text.
#[derive(Debug, Clone)]
pub struct Text {
    /// Token ids.
    pub ids: Vec<u32>,
    /// Unicode code points that begin in each token.
    pub code_points: Vec<u32>,
}

/// What a model is given at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Batch {
    /// Windows of a text and the tokens that follow each of theirs.
    Next(windows::Batch),
    /// Texts with hidden tokens.
    Masked {
        /// What the model reads.
        rows: Padded,
        /// Where it must guess, `row * len + position`.
        places: Vec<i32>,
        /// What is hidden there.
        targets: Vec<i32>,
    },
    /// Texts, or pairs, and their classes.
    Labelled {
        /// What the model reads.
        rows: Padded,
        /// 0 for the first text and 1 for the second, `[batch, len]`, for pairs.
        segments: Option<Vec<i32>>,
        /// Classes, `[batch]`.
        labels: Vec<i32>,
    },
    /// Sources and their targets.
    Translated {
        /// What the encoder reads.
        source: Padded,
        /// What the decoder reads.
        inputs: Padded,
        /// What it should say at each of these, as long as the inputs.
        outputs: Padded,
        /// Which rows of the corpus these are.
        rows: Vec<u32>,
    },
}

impl Batch {
    /// Targets that carry loss.
    pub fn targets(&self) -> u64 {
        let targets = match self {
            Batch::Next(batch) => batch.targets.len(),
            Batch::Masked { targets, .. } => targets.len(),
            Batch::Labelled { labels, .. } => labels.len(),
            Batch::Translated { outputs, .. } => outputs.lengths.iter().sum(),
        };
        targets as u64
    }
}

/// Texts to be classified, as a batch: the ids, and for pairs the segments.
pub fn to_classify(
    rows: &[&ToClassify],
    pairs: bool,
    tokenizer: &Tokenizer,
) -> (Padded, Option<Vec<i32>>) {
    let ids: Vec<&[u32]> = rows.iter().map(|row| row.ids.as_slice()).collect();
    let padded = Padded::new(&ids, padding(tokenizer));
    let segments = pairs.then(|| {
        let segment = |row: &&ToClassify| {
            let second_at = row.second_at;
            (0..padded.len).map(move |at| i32::from(at >= second_at))
        };
        rows.iter().flat_map(segment).collect()
    });
    (padded, segments)
}

fn padding(tokenizer: &Tokenizer) -> u32 {
    tokenizer.special(Special::Padding).expect("tokenizers for rows have padding")
}

impl Corpus {
    /// The ids of `data`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidData`] for a source or target that is too long.
    pub fn new(data: &Given, tokenizer: &Tokenizer, task: Task, max_length: usize) -> Result<Self> {
        Ok(match data {
            Given::Text(text) => {
                let (ids, code_points) = (tokenizer.encode(text), tokenizer.code_points(text));
                Corpus::Text(Arc::new(Text { ids, code_points }))
            }
            Given::Labelled { rows, .. } => {
                debug_assert!(task.form() != Form::Text);
                let row = |row: &super::rows::Labelled| {
                    let ids = match &row.second {
                        Some(second) => ToClassify::pair(tokenizer, &row.text, second, max_length),
                        None => ToClassify::single(tokenizer, &row.text, max_length),
                    };
                    (ids, row.label)
                };
                Corpus::Labelled(Arc::new(rows.iter().map(row).collect()))
            }
            Given::Translated(rows) => {
                let row = |(index, row): (usize, &Translated)| {
                    let ids = ToTranslate::new(tokenizer, row, index, max_length)?;
                    Ok((ids, row.clone()))
                };
                Corpus::Translated(Arc::new(
                    rows.iter().enumerate().map(row).collect::<Result<_>>()?,
                ))
            }
        })
    }

    /// Whether there is enough to train on, once `held_out` was taken away.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidData`] for a text of fewer than `max_length + 1` tokens.
    pub fn check_trainable(&self, max_length: usize, held_out: Option<&Corpus>) -> Result<()> {
        let Corpus::Text(text) = self else { return Ok(()) };
        let (tokens, needed) = (text.ids.len(), max_length + 1);
        if tokens >= needed {
            return Ok(());
        }
        let fewer = format!("fewer than maxLength + 1 = {needed}");
        Err(Error::data(match held_out {
            Some(Corpus::Text(apart)) => {
                let apart = apart.ids.len();
                let all = tokens + apart;
                format!(
                    "the text has {all} tokens; without the {apart} held out, {tokens}: {fewer}"
                )
            }
            _ => format!("the text has {tokens} tokens, {fewer}"),
        }))
    }

    /// What is trained on, and what is held out: the last share of a text, or a seeded share of
    /// rows that keeps the proportions of labels.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidData`] if nothing can be held out.
    pub fn split(&self, share: f64, seed: u32) -> Result<(Corpus, Option<Corpus>)> {
        if share == 0.0 {
            return Ok((self.clone(), None));
        }
        fn parts<T: Clone>(
            rows: &[T],
            classes: &[u32],
            share: f64,
            seed: u32,
        ) -> Result<[Arc<Vec<T>>; 2]> {
            let Split { training, validation } = Split::new(classes, share, seed)?;
            let pick =
                |part: &[usize]| Arc::new(part.iter().map(|&row| rows[row].clone()).collect());
            Ok([pick(&training), pick(&validation)])
        }
        match self {
            Corpus::Text(text) => {
                let held_out = (text.ids.len() as f64 * share).round() as usize;
                if held_out < 2 {
                    let reason = format!("a share of {share} holds out fewer than 2 tokens");
                    return Err(Error::data(reason));
                }
                let at = text.ids.len() - held_out;
                let part = |range: std::ops::Range<usize>| {
                    Corpus::Text(Arc::new(Text {
                        ids: text.ids[range.clone()].to_vec(),
                        code_points: text.code_points[range].to_vec(),
                    }))
                };
                Ok((part(0..at), Some(part(at..text.ids.len()))))
            }
            Corpus::Labelled(rows) => {
                let classes: Vec<u32> = rows.iter().map(|(_, label)| *label).collect();
                let [training, held_out] = parts(rows, &classes, share, seed)?;
                Ok((Corpus::Labelled(training), Some(Corpus::Labelled(held_out))))
            }
            Corpus::Translated(rows) => {
                let [training, held_out] = parts(rows, &vec![0; rows.len()], share, seed)?;
                Ok((Corpus::Translated(training), Some(Corpus::Translated(held_out))))
            }
        }
    }

    /// Everything once, in batches of up to `size`, for evaluation.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidData`] for a text of fewer tokens than can be scored.
    pub fn batches(
        &self,
        task: Task,
        size: usize,
        max_length: usize,
        tokenizer: &Tokenizer,
    ) -> Result<VecDeque<Batch>> {
        match self {
            Corpus::Text(text) if task == Task::MaskedLanguageModel => {
                // Whole windows together, then what is left: padding would cost more.
                let windows: Vec<&[u32]> = text.ids.chunks(max_length).collect();
                let whole = windows.len() - usize::from(text.ids.len() % max_length != 0);
                let (whole, rest) = windows.split_at(whole);
                let groups = whole.chunks(size).chain((!rest.is_empty()).then_some(rest));
                // Far from the indices of training steps.
                let batch = |(index, rows): (usize, &[&[u32]])| {
                    masked(
                        rows,
                        tokenizer,
                        &mut Rng::new(0, Purpose::Masking, u64::MAX - index as u64),
                    )
                };
                Ok(groups.enumerate().map(batch).collect())
            }
            Corpus::Text(text) => {
                let tokens = text.ids.len();
                if tokens < 2 {
                    let reason = format!(
                        "the text has {tokens} tokens; the first is not scored, so two are needed"
                    );
                    return Err(Error::data(reason));
                }
                let windows = Windows::new(text.ids.clone(), max_length);
                Ok(windows.consecutive(size).map(Batch::Next).collect())
            }
            Corpus::Labelled(_) | Corpus::Translated(_) => {
                let batches = by_length(&self.lengths(), size);
                Ok(batches.iter().map(|rows| self.rows(rows, task, tokenizer, None)).collect())
            }
        }
    }

    /// Tokens of each row.
    fn lengths(&self) -> Vec<u32> {
        match self {
            Corpus::Text(_) => Vec::new(),
            Corpus::Labelled(rows) => rows.iter().map(|(row, _)| row.ids.len() as u32).collect(),
            Corpus::Translated(rows) => {
                let tokens = |row: &ToTranslate| (row.source.len() + row.inputs.len()) as u32;
                rows.iter().map(|(row, _)| tokens(row)).collect()
            }
        }
    }

    /// A batch of these rows; in training with what hides some of their words.
    fn rows(
        &self,
        rows: &[u32],
        task: Task,
        tokenizer: &Tokenizer,
        hide: Option<&mut Hide>,
    ) -> Batch {
        let padding = padding(tokenizer);
        match self {
            Corpus::Text(_) => unreachable!("a text has no rows"),
            Corpus::Labelled(all) => {
                let mut picked: Vec<ToClassify> =
                    rows.iter().map(|&row| all[row as usize].0.clone()).collect();
                if let Some(Hide { rng, dropout }) = hide {
                    for row in &mut picked {
                        forget_rare(&mut row.ids, tokenizer, FORGOTTEN, rng);
                        drop_words(&mut row.ids, tokenizer, *dropout, rng);
                    }
                }
                let pairs = task.form() == Form::LabelledPairs;
                let picked: Vec<&ToClassify> = picked.iter().collect();
                let (padded, segments) = to_classify(&picked, pairs, tokenizer);
                let labels = rows.iter().map(|&row| all[row as usize].1 as i32).collect();
                Batch::Labelled { rows: padded, segments, labels }
            }
            Corpus::Translated(all) => {
                let column = |ids: fn(&ToTranslate) -> &Vec<u32>| {
                    let picked: Vec<&[u32]> =
                        rows.iter().map(|&row| ids(&all[row as usize].0).as_slice()).collect();
                    Padded::new(&picked, padding)
                };
                Batch::Translated {
                    source: column(|row| &row.source),
                    inputs: column(|row| &row.inputs),
                    outputs: column(|row| &row.outputs),
                    rows: rows.to_vec(),
                }
            }
        }
    }
}

/// Rows with some of their tokens hidden.
fn masked(rows: &[&[u32]], tokenizer: &Tokenizer, rng: &mut Rng) -> Batch {
    let hidden: Vec<_> = rows.iter().map(|row| mask(row, tokenizer, rng)).collect();
    let inputs: Vec<&[u32]> = hidden.iter().map(|row| row.inputs.as_slice()).collect();
    let padded = Padded::new(&inputs, padding(tokenizer));
    let (mut places, mut targets) = (Vec::new(), Vec::new());
    for (index, (row, hidden)) in rows.iter().zip(&hidden).enumerate() {
        places.extend(hidden.places.iter().map(|at| (index * padded.len + at) as i32));
        targets.extend(hidden.places.iter().map(|&at| row[at] as i32));
    }
    if places.is_empty() {
        // Nothing but unknown words: there is a guess to be made all the same.
        places.push(0);
        targets.push(rows[0][0] as i32);
    }
    Batch::Masked { rows: padded, places, targets }
}

/// Which words a classifier does not get to see in training.
struct Hide {
    rng: Rng,
    /// Share of all words.
    dropout: f32,
}

/// What a run draws its batches by.
#[derive(Debug, Clone, Copy)]
pub struct FeedConfig {
    /// What the model is for.
    pub task: Task,
    /// Its longest input in tokens.
    pub max_length: usize,
    /// Windows, or most rows, of a batch.
    pub size: usize,
    /// Share of the words of labelled rows that a step does not see, 0 to below 1.
    pub dropout: f32,
    /// Seed of places, order and masks.
    pub seed: u32,
}

/// The batches of a training run.
#[derive(Debug, Clone)]
pub struct Feed {
    config: FeedConfig,
    corpus: Corpus,
    order: Order,
}

#[derive(Debug, Clone)]
enum Order {
    /// Windows of a text at seeded places.
    Windows(Windows),
    /// Rows, all once in each epoch.
    Rows(Batches),
}

impl Feed {
    /// # Errors
    ///
    /// See [`Corpus::check_trainable`].
    pub fn new(corpus: Corpus, config: FeedConfig) -> Result<Self> {
        let FeedConfig { max_length, size, seed, .. } = config;
        corpus.check_trainable(max_length, None)?;
        let order = match &corpus {
            Corpus::Text(text) => Order::Windows(Windows::new(text.ids.clone(), max_length)),
            _ => Order::Rows(Batches::new(corpus.lengths(), size, seed)),
        };
        Ok(Self { config, corpus, order })
    }

    /// The batch of step `step`: it depends on the data, the config and the step alone.
    pub fn batch(&mut self, step: u64, tokenizer: &Tokenizer) -> Batch {
        let FeedConfig { task, size, dropout, seed, .. } = self.config;
        let mut rng = Rng::new(seed, Purpose::Masking, step);
        match &mut self.order {
            Order::Windows(windows) => {
                let batch = windows.batch(seed, step, size);
                if task != Task::MaskedLanguageModel {
                    return Batch::Next(batch);
                }
                let ids: Vec<u32> = batch.inputs.iter().map(|&id| id as u32).collect();
                let rows: Vec<&[u32]> = ids.chunks(batch.len).collect();
                masked(&rows, tokenizer, &mut rng)
            }
            Order::Rows(batches) => {
                let rows = batches.rows(step).to_vec();
                self.corpus.rows(&rows, task, tokenizer, Some(&mut Hide { rng, dropout }))
            }
        }
    }
}
