//! A text as training windows at seeded places, and as consecutive windows for evaluation.

use serde::{Deserialize, Serialize};

use crate::rng::{Purpose, Rng};

/// Token ids of a text, cut into inputs and the targets that follow them.
#[derive(Debug, Clone)]
pub struct Windows {
    tokens: Vec<u32>,
    len: usize,
}

/// Inputs and targets of a batch, row-major `[batch, len]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Token ids.
    pub inputs: Vec<i32>,
    /// The id after each input.
    pub targets: Vec<i32>,
    /// Number of rows.
    pub batch: usize,
    /// Tokens a row.
    pub len: usize,
}

impl Windows {
    /// Windows of `len` tokens. Training needs at least `len + 1` tokens, evaluation two.
    pub fn new(tokens: Vec<u32>, len: usize) -> Self {
        assert!(len > 0, "a window has at least one token");
        Self { tokens, len }
    }

    /// Number of tokens in the text.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Whether there is room for a training window.
    pub fn trainable(&self) -> bool {
        self.tokens.len() > self.len
    }

    /// The batch of step `step`: it depends on seed, text and step alone.
    pub fn batch(&self, seed: u32, step: u64, batch: usize) -> Batch {
        assert!(self.trainable(), "a text of more than {} tokens", self.len);
        let mut rng = Rng::new(seed, Purpose::Windows, step);
        let places = self.tokens.len() - self.len;
        let starts: Vec<usize> = (0..batch).map(|_| rng.below(places)).collect();
        self.cut(starts.into_iter(), self.len)
    }

    /// Consecutive windows, each starting at the last token of the one before, so that every
    /// token but the text's first is a target once. Batches of up to `batch` full windows, then
    /// what is left as one shorter window.
    pub fn consecutive(&self, batch: usize) -> impl Iterator<Item = Batch> + '_ {
        let targets = self.tokens.len().saturating_sub(1);
        let (full, rest) = (targets / self.len, targets % self.len);
        let groups = (0..full).step_by(batch.max(1)).map(move |first| {
            let last = (first + batch.max(1)).min(full);
            self.cut((first..last).map(|window| window * self.len), self.len)
        });
        let tail = (rest > 0).then(|| self.cut(std::iter::once(full * self.len), rest));
        groups.chain(tail)
    }

    fn cut(&self, starts: impl Iterator<Item = usize>, len: usize) -> Batch {
        let (mut inputs, mut targets, mut batch) = (Vec::new(), Vec::new(), 0);
        for start in starts {
            let window = &self.tokens[start..=start + len];
            inputs.extend(window[..len].iter().map(|&id| id as i32));
            targets.extend(window[1..].iter().map(|&id| id as i32));
            batch += 1;
        }
        Batch { inputs, targets, batch, len }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(tokens: u32, len: usize) -> Windows {
        Windows::new((0..tokens).collect(), len)
    }

    #[test]
    fn a_step_has_the_same_batch_whatever_was_drawn_before() {
        let windows = windows(1000, 8);
        let batch = windows.batch(3, 17, 4);
        windows.batch(3, 16, 4);
        assert_eq!(windows.batch(3, 17, 4), batch);
        assert_ne!(windows.batch(3, 18, 4), batch);
        assert_ne!(windows.batch(4, 17, 4), batch);
    }

    #[test]
    fn targets_follow_their_inputs() {
        let batch = windows(100, 8).batch(0, 0, 16);
        assert_eq!((batch.batch, batch.len), (16, 8));
        for (input, target) in batch.inputs.iter().zip(&batch.targets) {
            assert_eq!(input + 1, *target);
        }
    }

    #[test]
    fn the_last_token_of_a_text_can_be_a_target() {
        let windows = windows(9, 8);
        assert_eq!(windows.batch(0, 0, 1).targets, (1..=8).collect::<Vec<_>>());
    }

    #[test]
    fn consecutive_windows_score_every_token_but_the_first_once() {
        for tokens in [2, 3, 8, 9, 10, 17, 33, 100] {
            for batch in [1, 3, 64] {
                let windows = windows(tokens, 8);
                let scored: Vec<i32> =
                    windows.consecutive(batch).flat_map(|batch| batch.targets).collect();
                assert_eq!(scored, (1..tokens as i32).collect::<Vec<_>>(), "{tokens} by {batch}");
            }
        }
    }
}
