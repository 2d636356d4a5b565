//! Attention weights of a text, for pictures and histograms.

use burn::tensor::{Tensor, Transaction};

use super::Session;
use super::loss::{ids, reading};
use crate::attention::Mask;
use crate::data::batches::Padded;
use crate::data::corpus::to_classify;
use crate::data::examples::{ToClassify, uncut};
use crate::data::tokenizer::Special;
use crate::error::{Error, Result};
use crate::model::Net;
use crate::task::Task;
use crate::value::Value;
use crate::weights::lost;

/// Whose attention to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Self-attention over what is read.
    Encoder,
    /// Self-attention over what is written.
    Decoder,
    /// Of what is written to what was read.
    Cross,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 3] = [Part::Encoder, Part::Decoder, Part::Cross];

    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            Part::Encoder => "encoder",
            Part::Decoder => "decoder",
            Part::Cross => "cross",
        }
    }
}

/// Attention weights after softmax.
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionMaps {
    /// Number of layers.
    pub layers: usize,
    /// Number of heads.
    pub heads: usize,
    /// Number of looking positions.
    pub queries: usize,
    /// Number of positions looked at.
    pub keys: usize,
    /// Printable tokens of the text: of the looking positions.
    pub tokens: Vec<String>,
    /// Printable tokens looked at, where they are those of another text.
    pub key_tokens: Option<Vec<String>>,
    /// `[layers, heads, queries, keys]`, row-major.
    pub weights: Vec<f32>,
    /// `[layers, heads, parts]` after softmax, for a mixture.
    pub mixture: Option<Vec<f32>>,
    /// Names of the parts, for a mixture.
    pub parts: Option<Vec<String>>,
}

impl AttentionMaps {
    /// Names of the parts, none for a kind that mixes nothing.
    pub fn parts(&self) -> &[String] {
        self.parts.as_deref().unwrap_or_default()
    }
}

/// How often weights of each size occur.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightHistogram {
    /// Bounds of the bins, linear from 0 to 1; one more than bins.
    pub edges: Vec<f32>,
    /// Counts of each layer's bins.
    pub counts: Vec<Vec<u32>>,
}

/// Weights on the device, and what they are of.
struct Maps {
    /// `None` for a kind that has none
    layers: Option<Vec<Tensor<4>>>,
    mixture: Option<Vec<Tensor<2>>>,
    tokens: Vec<u32>,
    key_tokens: Option<Vec<u32>>,
}

impl Session {
    /// Weights of every layer and head for a text, a pair, or a source and its target (without
    /// which the target is what the model says). `part` is, if not given, the only one, or
    /// [`Part::Cross`] where there are three.
    ///
    /// # Errors
    ///
    /// [`Error::TextTooLong`], [`Error::InvalidData`] for an empty text,
    /// [`Error::InvalidOption`] for a part that the model lacks or a pair where it takes none,
    /// [`Error::AttentionUnavailable`] for a kind without weights.
    pub async fn attention(&self, text: &Value, part: Option<Part>) -> Result<AttentionMaps> {
        let Maps { layers, mixture, tokens, key_tokens } = self.maps(text, part).await?;
        let maps = layers
            .ok_or_else(|| Error::AttentionUnavailable { kind: self.spec.kind.name.to_owned() })?;
        let (heads, layers) = (self.spec.heads, self.spec.layers);
        let [_batch, _heads, queries, keys] = maps[0].dims();
        let mut reads = Transaction::default();
        for map in maps {
            reads = reads.register(map);
        }
        for layer in mixture.iter().flatten() {
            reads = reads.register(layer.clone());
        }
        let values = reads.execute_async().await.map_err(lost)?;
        let mut values = values.into_iter().map(|data| data.try_to_vec::<f32>().map_err(lost));
        let weights = values.by_ref().take(layers).collect::<Result<Vec<_>>>()?.concat();
        let mixed = values.collect::<Result<Vec<_>>>()?.concat();
        let parts = self.spec.kind.name.split('+').map(str::to_owned).collect();
        let shown = |ids: &[u32]| ids.iter().map(|&id| self.tokenizer.label(id)).collect();
        Ok(AttentionMaps {
            layers,
            heads,
            queries,
            keys,
            tokens: shown(&tokens),
            key_tokens: key_tokens.as_deref().map(shown),
            weights,
            parts: mixture.is_some().then_some(parts),
            mixture: mixture.is_some().then_some(mixed),
        })
    }

    async fn maps(&self, text: &Value, part: Option<Part>) -> Result<Maps> {
        let device = &self.device;
        match self.trainer.inference_model() {
            Net::LanguageModel(model) => {
                only(Part::Decoder, part)?;
                let tokens = self.encode_whole(self.single(text)?)?;
                let row: Vec<i32> = tokens.iter().map(|&id| id as i32).collect();
                let mask = Mask::causal(row.len(), device);
                let layers = model.attention(ids(&row, [1, row.len()], device), &mask);
                Ok(Maps { layers, mixture: model.mixture(), tokens, key_tokens: None })
            }
            Net::Masked(model) => {
                only(Part::Encoder, part)?;
                let tokens = self.encode_whole(self.single(text)?)?;
                let reading = reading(&Padded::new(&[&tokens], 0), None, device);
                let encoder = model.encoder();
                let layers = encoder.attention(&reading);
                Ok(Maps { layers, mixture: encoder.mixture(), tokens, key_tokens: None })
            }
            Net::Classifier(model) => {
                only(Part::Encoder, part)?;
                let row = self.whole_to_classify(text)?;
                let (padded, segments) = to_classify(&[&row], self.takes_pairs(), &self.tokenizer);
                let reading = reading(&padded, segments.as_deref(), device);
                let encoder = model.encoder();
                let layers = encoder.attention(&reading);
                let mixture = encoder.mixture();
                Ok(Maps { layers, mixture, tokens: row.ids, key_tokens: None })
            }
            Net::Sequence(model) => {
                let (source, target) = match text {
                    Value::List(both) => match both.as_slice() {
                        [Value::Text(source), Value::Text(target)] => (source, Some(target)),
                        _ => return Err(Error::option("text", text, "source and target")),
                    },
                    Value::Text(source) => (source, None),
                    _ => return Err(Error::option("text", text, "source and target in a list")),
                };
                let (source, reading) = self.source(source)?;
                let limit = self.spec.max_length;
                let target = match target {
                    Some(target) => self.tokenizer.encode(target),
                    None => {
                        let said = super::translate::greedy(
                            &model,
                            &reading,
                            limit,
                            &self.tokenizer,
                            device,
                        );
                        let mut said = said.await?.pop().expect("one source was given");
                        said.truncate(limit - 1);
                        said
                    }
                };
                let begin = self.tokenizer.special(Special::Begin);
                let begin = begin.expect("the tokenizer is one for targets");
                let target = uncut([&[begin], target.as_slice()].concat(), limit)?;
                let row: Vec<i32> = target.iter().map(|&id| id as i32).collect();
                let mask = Mask::causal(row.len(), device);
                let weights = model.attention(&reading, ids(&row, [1, row.len()], device), &mask);
                Ok(match part.unwrap_or(Part::Cross) {
                    Part::Encoder => Maps {
                        layers: weights.encoder,
                        mixture: model.encoder_mixture(),
                        tokens: source,
                        key_tokens: None,
                    },
                    Part::Decoder => Maps {
                        layers: weights.decoder,
                        mixture: model.decoder_mixture(),
                        tokens: target,
                        key_tokens: None,
                    },
                    Part::Cross => Maps {
                        layers: Some(weights.cross),
                        mixture: None,
                        tokens: target,
                        key_tokens: Some(source),
                    },
                })
            }
        }
    }

    fn single<'a>(&self, text: &'a Value) -> Result<&'a str> {
        match text {
            Value::Text(text) => Ok(text),
            other => Err(Error::option("text", other, "a string")),
        }
    }

    /// A text, or two, that the model can take uncut.
    fn whole_to_classify(&self, text: &Value) -> Result<ToClassify> {
        let (text, second) = self.text_or_pair(text, "text")?;
        if text.is_empty() || second.is_some_and(str::is_empty) {
            return Err(Error::data("the text is empty"));
        }
        let whole = match second {
            Some(second) => ToClassify::pair(&self.tokenizer, text, second, usize::MAX),
            None => ToClassify::single(&self.tokenizer, text, usize::MAX),
        };
        let ToClassify { ids, second_at } = whole;
        Ok(ToClassify { ids: uncut(ids, self.spec.max_length)?, second_at })
    }

    /// Histogram of the weights that a position may give: hidden ones, always zero, are left out.
    /// Of an encoder-decoder: the encoder's.
    pub async fn weight_histogram(&self, text: &Value, bins: usize) -> Result<WeightHistogram> {
        let part = (self.spec.task == Task::SequenceToSequence).then_some(Part::Encoder);
        let causal = matches!(self.trainer.model(), Net::LanguageModel(_));
        let maps = self.attention(text, part).await?;
        let edges = (0..=bins).map(|edge| edge as f32 / bins as f32).collect();
        let layer_len = maps.heads * maps.queries * maps.keys;
        let counts = maps.weights.chunks(layer_len).map(|layer| {
            let mut counts = vec![0; bins];
            for (place, weight) in layer.iter().enumerate() {
                let (query, key) = (place / maps.keys % maps.queries, place % maps.keys);
                if key <= query || !causal {
                    counts[((weight * bins as f32) as usize).min(bins - 1)] += 1;
                }
            }
            counts
        });
        Ok(WeightHistogram { edges, counts: counts.collect() })
    }
}

/// Refuses a part that is not the only one a model has.
fn only(has: Part, wanted: Option<Part>) -> Result<()> {
    match wanted.filter(|wanted| *wanted != has) {
        None => Ok(()),
        Some(other) => {
            let expected = format!("{:?}, the only part of this model", has.name());
            Err(Error::option("part", format!("{:?}", other.name()), expected))
        }
    }
}
