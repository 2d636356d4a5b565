//! Numbers that say how good a model is, each over all rows of a data set.

mod bleu;
mod classes;
mod rouge;
mod texts;

pub use bleu::Bleu;
pub use classes::Confusion;
pub use rouge::RougeL;
pub use texts::TextScores;

/// How many equally likely tokens would be as hard to guess, given the loss in nats per token.
pub fn perplexity(loss: f64) -> f64 {
    libm::exp(loss)
}

/// Loss in bits for each Unicode code point, which tokenizers of every kind can be compared by.
///
/// `nats` is the total over all scored tokens, `code_points` the length of the text they make up.
/// NaN if that is 0.
pub fn bits_per_character(nats: f64, code_points: u64) -> f64 {
    nats / std::f64::consts::LN_2 / code_points as f64
}

/// A share of a whole; 0 of nothing.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uniform_guess_has_the_perplexity_of_its_choices() {
        assert!((perplexity(f64::from(65).ln()) - 65.0).abs() < 1e-9);
        // 100 tokens of 4 bits each over 200 characters.
        assert!((bits_per_character(100.0 * 16_f64.ln(), 200) - 2.0).abs() < 1e-12);
        assert!(bits_per_character(0.0, 0).is_nan());
    }
}
