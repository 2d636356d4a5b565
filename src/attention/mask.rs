//! Which positions may look at which: the future and padding are hidden.

use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::ops;

/// Added to a hidden score. Large enough that softmax gives an exact zero, and finite because
/// shader compilers may assume that no infinity occurs.
const HIDDEN: f32 = -1e30;

/// Hides the future, padding, both or nothing. Made once a pass and shared by all layers.
#[derive(Debug, Clone)]
pub struct Mask {
    /// Summand of the scores, `[batch or 1, 1, len or 1, len]`.
    hidden: Option<Tensor<4>>,
    /// 1 for a token, 0 for padding, `[batch, len]`.
    tokens: Option<Tensor<2>>,
    causal: bool,
}

impl Mask {
    /// Everything may look at everything.
    pub fn none() -> Self {
        Self { hidden: None, tokens: None, causal: false }
    }

    /// Position `i` looks at positions up to and with `i`.
    pub fn causal(len: usize, device: &Device) -> Self {
        Self { hidden: Some(future(0, len, device)), tokens: None, causal: true }
    }

    /// Hides padding on the right, and the future too if `causal`.
    ///
    /// `lengths[b]` real tokens stand at the front of row `b`; at least one.
    pub fn padded(lengths: &[usize], len: usize, causal: bool, device: &Device) -> Self {
        assert!(lengths.iter().all(|&n| 0 < n && n <= len), "a row has 1 to {len} tokens");
        let batch = lengths.len();
        let real = |value: f32, filler: f32| -> Vec<f32> {
            let row = |&n: &usize| (0..len).map(move |i| if i < n { value } else { filler });
            lengths.iter().flat_map(row).collect()
        };
        let tokens = Tensor::from_data(TensorData::new(real(1.0, 0.0), [batch, len]), device);
        let padding = TensorData::new(real(0.0, HIDDEN), [batch, 1, 1, len]);
        let mut hidden = Tensor::<4>::from_data(padding, device);
        if causal {
            // The smaller of two summands, not their sum, which could leave the range of f32.
            let rows = [batch, 1, len, len];
            hidden = hidden.expand(rows).min_pair(future(0, len, device).expand(rows));
        }
        Self { hidden: Some(hidden), tokens: Some(tokens), causal }
    }

    /// The mask of these rows of the batch, in this order; a row may come more than once.
    pub fn select(&self, rows: &Tensor<1, Int>) -> Self {
        let Some(tokens) = &self.tokens else { return self.clone() };
        // What hides padding has a row for each of the batch, as the tokens have.
        let hidden = self.hidden.clone().map(|hidden| hidden.select(0, rows.clone()));
        Self { hidden, tokens: Some(tokens.clone().select(0, rows.clone())), ..*self }
    }

    /// Whether the future is hidden.
    pub fn is_causal(&self) -> bool {
        self.causal
    }

    /// 1 for a token and 0 for padding, `[batch, len]`, if anything is padded.
    pub fn tokens(&self) -> Option<Tensor<2>> {
        self.tokens.clone()
    }

    /// `[batch, len, d_model]` with zeros in place of padding.
    pub fn without_padding(&self, x: Tensor<3>) -> Tensor<3> {
        match &self.tokens {
            Some(tokens) => x * tokens.clone().unsqueeze_dim(2),
            None => x,
        }
    }

    /// Weights of scores, `[batch, heads, len, len]`: zero where something is hidden.
    pub fn softmax(&self, scores: Tensor<4>) -> Tensor<4> {
        ops::softmax(scores, self.hidden.clone())
    }
}

/// The summand that hides the future of positions `past..past + len`, `[1, 1, len, past + len]`.
pub(crate) fn future(past: usize, len: usize, device: &Device) -> Tensor<4> {
    let keys = past + len;
    let row = |i: usize| (0..keys).map(move |j| if j <= past + i { 0.0 } else { HIDDEN });
    let values: Vec<f32> = (0..len).flat_map(row).collect();
    Tensor::from_data(TensorData::new(values, [1, 1, len, keys]), device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_does_not_even_look_at_the_future() {
        let (len, device) = (40, crate::device::cpu());
        let mut scores = vec![0.0; len * len];
        scores[len - 1] = f32::NAN;
        let scores = Tensor::from_data(TensorData::new(scores, [1, 1, len, len]), &device);
        let weights = Mask::causal(len, &device).softmax(scores).into_data();
        let first = &weights.as_slice::<f32>().unwrap()[..len];
        assert!(first[0] == 1.0 && first[1..].iter().all(|&weight| weight == 0.0));
    }
}
