//! Scores of generated texts against the texts that were wanted.

use super::{Bleu, RougeL, share};

/// Exact match, BLEU and ROUGE-L over rows, each with one wanted text.
#[derive(Debug, Clone, Default)]
pub struct TextScores {
    rows: u64,
    exact: u64,
    bleu: Bleu,
    rouge: RougeL,
}

impl TextScores {
    /// Counts one row.
    pub fn add(&mut self, made: &str, wanted: &str) {
        self.rows += 1;
        self.exact += u64::from(made == wanted);
        self.bleu.add(made, wanted);
        self.rouge.add(made, wanted);
    }

    /// Share of the rows that came out letter for letter, 0 to 1.
    pub fn exact_match(&self) -> f64 {
        share(self.exact, self.rows)
    }

    /// Corpus BLEU, 0 to 100, see [`Bleu`].
    pub fn bleu(&self) -> f64 {
        self.bleu.score()
    }

    /// Mean ROUGE-L, 0 to 1, see [`RougeL`].
    pub fn rouge_l(&self) -> f64 {
        self.rouge.score()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_exact_only_letter_for_letter() {
        let mut scores = TextScores::default();
        assert_eq!(scores.exact_match(), 0.0);
        for (made, wanted) in
            [("one two", "one two"), ("One two", "one two"), ("a ", "a"), ("", "")]
        {
            scores.add(made, wanted);
        }
        assert_eq!(scores.exact_match(), 0.5);
    }
}
