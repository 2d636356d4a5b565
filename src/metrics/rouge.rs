//! ROUGE-L: the longest common subsequence of words.
//! Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", section 3.1,
//! <https://aclanthology.org/W04-1013>; in detail as the Python package `rouge-score` 0.1.2.

/// Mean ROUGE-L over texts, each against one reference.
///
/// The F measure that weighs precision and recall alike. Words are runs of the letters a to z and
/// digits after lower-casing, without stemming, so texts in other scripts score 0.
#[derive(Debug, Clone, Default)]
pub struct RougeL {
    rows: u64,
    sum: f64,
}

impl RougeL {
    /// Counts one text.
    pub fn add(&mut self, made: &str, wanted: &str) {
        self.rows += 1;
        self.sum += f_measure(made, wanted);
    }

    /// The mean, 0 to 1; 0 of no texts.
    pub fn score(&self) -> f64 {
        if self.rows == 0 { 0.0 } else { self.sum / self.rows as f64 }
    }
}

fn f_measure(made: &str, wanted: &str) -> f64 {
    let (made, wanted) = (made.to_lowercase(), wanted.to_lowercase());
    let (made, wanted) = (words(&made), words(&wanted));
    if made.is_empty() || wanted.is_empty() {
        return 0.0;
    }
    let common = common_subsequence(&made, &wanted) as f64;
    let (precision, recall) = (common / made.len() as f64, common / wanted.len() as f64);
    if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
}

fn words(text: &str) -> Vec<&str> {
    let is_between = |c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit());
    text.split(is_between).filter(|word| !word.is_empty()).collect()
}

/// Length of the longest common subsequence.
fn common_subsequence(a: &[&str], b: &[&str]) -> usize {
    // `longest[j]`: of the words of `a` so far and the first `j` of `b`.
    let mut longest = vec![0; b.len() + 1];
    for word in a {
        let mut diagonal = 0;
        for (j, other) in b.iter().enumerate() {
            let above = longest[j + 1];
            longest[j + 1] = if word == other { diagonal + 1 } else { above.max(longest[j]) };
            diagonal = above;
        }
    }
    longest[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_agree_with_rouge_score() {
        let cases = [
            ("the cat sat on the mat", "The cat sat on the mat!", 1.0),
            ("the cat sat on a mat", "the cat sat on the mat", 5.0 / 6.0),
            ("the the the the the the the", "the cat is on the mat", 4.0 / 13.0),
            ("the cat", "the cat sat on the mat", 0.5),
            ("the cat sat on", "the cat sat on the mat today", 8.0 / 11.0),
            ("a b c d e", "a x c y e", 0.6),
            ("&quot;Hello&quot; &amp; don't", "\"Hello\" & don't", 2.0 / 3.0),
            ("", "something here", 0.0),
            ("something here", "", 0.0),
            ("a b", "c d", 0.0),
            ("白鯨 を 読む", "白鯨 を 読む", 0.0),
        ];
        let mut mean = RougeL::default();
        for (made, wanted, expected) in cases {
            assert!((f_measure(made, wanted) - expected).abs() < 1e-12, "{made:?}, {wanted:?}");
            mean.add(made, wanted);
        }
        let sum: f64 = cases.iter().map(|(_, _, expected)| expected).sum();
        assert!((mean.score() - sum / cases.len() as f64).abs() < 1e-12);
        assert_eq!(RougeL::default().score(), 0.0);
    }
}
