//! Attention weights of a text, for pictures and histograms.

use burn::tensor::{Int, Tensor, TensorData, Transaction};

use super::Session;
use crate::error::{Error, Result};
use crate::model::LanguageModel;
use crate::weights::lost;

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
    /// Printable tokens of the text.
    pub tokens: Vec<String>,
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

impl Session {
    /// Weights of every layer and head for `text`.
    ///
    /// # Errors
    ///
    /// [`Error::TextTooLong`], [`Error::InvalidData`] for an empty text,
    /// [`Error::AttentionUnavailable`] for a kind without weights.
    pub async fn attention(&self, text: &str) -> Result<AttentionMaps> {
        let ids = self.encode_whole(text)?;
        let (len, heads, layers) = (ids.len(), self.spec.heads, self.spec.layers);
        let row: Vec<i32> = ids.iter().map(|&id| id as i32).collect();
        let row = Tensor::<2, Int>::from_data(TensorData::new(row, [1, len]), &self.device);
        let model = self.trainer.inference_model();
        let maps = model.attention(row, &LanguageModel::mask(len, &self.device));
        let maps = maps
            .ok_or_else(|| Error::AttentionUnavailable { kind: self.spec.kind.name.to_owned() })?;
        let [_batch, _heads, queries, keys] = maps[0].dims();
        let mixture = model.mixture();
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
        Ok(AttentionMaps {
            layers,
            heads,
            queries,
            keys,
            tokens: ids.iter().map(|&id| self.tokenizer.label(id)).collect(),
            weights,
            parts: mixture.is_some().then_some(parts),
            mixture: mixture.is_some().then_some(mixed),
        })
    }

    /// Histogram of the weights that a position may give: hidden ones, always zero, are left out.
    pub async fn weight_histogram(&self, text: &str, bins: usize) -> Result<WeightHistogram> {
        let maps = self.attention(text).await?;
        let edges = (0..=bins).map(|edge| edge as f32 / bins as f32).collect();
        let layer_len = maps.heads * maps.queries * maps.keys;
        let counts = maps.weights.chunks(layer_len).map(|layer| {
            let mut counts = vec![0; bins];
            for (place, weight) in layer.iter().enumerate() {
                let (query, key) = (place / maps.keys % maps.queries, place % maps.keys);
                if key <= query {
                    counts[((weight * bins as f32) as usize).min(bins - 1)] += 1;
                }
            }
            counts
        });
        Ok(WeightHistogram { edges, counts: counts.collect() })
    }
}
