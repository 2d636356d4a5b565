//! BLEU: how many runs of one to four words are those of the reference.
//! Papineni et al., "BLEU", <https://aclanthology.org/P02-1040>; in detail as sacreBLEU 2.6 (Post,
//! "A Call for Clarity in Reporting BLEU Scores", <https://aclanthology.org/W18-6319>) with its
//! defaults: `case:mixed|eff:no|tok:13a|smooth:exp`, here with one reference.

use std::collections::HashMap;

/// Longest run of words.
const ORDER: usize = 4;

/// Corpus BLEU: counts are summed over all texts before the score is worked out.
#[derive(Debug, Clone, Default)]
pub struct Bleu {
    made_words: u64,
    wanted_words: u64,
    /// Runs of `i + 1` words that are in the reference as well.
    matching: [u64; ORDER],
    /// All runs of `i + 1` words that were made.
    total: [u64; ORDER],
}

impl Bleu {
    /// Counts one text.
    pub fn add(&mut self, made: &str, wanted: &str) {
        let (made, wanted) = (tokenize(made), tokenize(wanted));
        let made: Vec<&str> = made.split_whitespace().collect();
        let wanted: Vec<&str> = wanted.split_whitespace().collect();
        self.made_words += made.len() as u64;
        self.wanted_words += wanted.len() as u64;
        for length in 1..=ORDER {
            let available = runs(&wanted, length);
            for (run, count) in runs(&made, length) {
                self.total[length - 1] += count;
                self.matching[length - 1] += count.min(*available.get(run).unwrap_or(&0));
            }
        }
    }

    /// The score, 0 to 100.
    pub fn score(&self) -> f64 {
        if self.matching.iter().all(|matching| *matching == 0) {
            return 0.0;
        }
        // An order without a match counts as half a match, the next such order as a quarter.
        let mut part = 1.0;
        let mut log_precisions = 0.0;
        for (matching, total) in self.matching.into_iter().zip(self.total) {
            if total == 0 {
                return 0.0;
            }
            let matching = if matching == 0 {
                part /= 2.0;
                part
            } else {
                matching as f64
            };
            log_precisions += libm::log(100.0 * matching / total as f64);
        }
        let shortness = self.wanted_words as f64 / self.made_words as f64;
        let penalty = if shortness > 1.0 { libm::exp(1.0 - shortness) } else { 1.0 };
        // Rounding alone takes a perfect text above 100.
        (penalty * libm::exp(log_precisions / ORDER as f64)).min(100.0)
    }
}

/// The runs of `length` words, and how often each occurs.
fn runs<'a>(words: &'a [&'a str], length: usize) -> HashMap<&'a [&'a str], u64> {
    let mut counts = HashMap::new();
    words.windows(length).for_each(|run| *counts.entry(run).or_default() += 1);
    counts
}

/// Puts spaces between words and marks, as "13a", the tokenizer of `mteval-v13a.pl`, does.
fn tokenize(text: &str) -> String {
    let text = text.trim_end_matches(is_blank);
    let text = text.replace("<skipped>", "").replace("-\n", "").replace('\n', " ");
    // The order matters: `&amp;lt;` becomes `<`.
    let text = text.replace("&quot;", "\"").replace("&amp;", "&");
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    let mut spaced = String::from(" ");
    for c in text.chars().chain([' ']) {
        if is_mark(c) {
            spaced.extend([' ', c, ' ']);
        } else {
            spaced.push(c);
        }
    }
    // Points and commas stay inside numbers, and dashes everywhere but after numbers.
    let text = replace(&spaced, |a, b| !a.is_ascii_digit() && is_point(b), |a, b| [a, ' ', b, ' ']);
    let text = replace(&text, |a, b| is_point(a) && !b.is_ascii_digit(), |a, b| [' ', a, ' ', b]);
    let text = replace(&text, |a, b| a.is_ascii_digit() && b == '-', |a, b| [a, ' ', b, ' ']);
    text.chars().map(|c| if is_blank(c) { ' ' } else { c }).collect()
}

/// Replaces every two characters that fit, from the left, each taken once.
fn replace(text: &str, fits: fn(char, char) -> bool, by: fn(char, char) -> [char; 4]) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(a) = chars.next() {
        match chars.next_if(|b| fits(a, *b)) {
            Some(b) => replaced.extend(by(a, b)),
            None => replaced.push(a),
        }
    }
    replaced
}

fn is_point(c: char) -> bool {
    matches!(c, '.' | ',')
}

/// The marks of ASCII but for the apostrophe, points and the dash.
fn is_mark(c: char) -> bool {
    matches!(c, '{'..='~' | '['..='`' | ' '..='&' | '('..='+' | ':'..='@' | '/')
}

/// What Python takes for white space: four separators more than Unicode does.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\x1c'..='\x1f')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Room for rounding in float64; expected scores are sacreBLEU 2.6.0's.
    const TOLERANCE: f64 = 1e-9;

    #[test]
    fn scores_agree_with_sacrebleu() {
        let cases: [(&[(&str, &str)], f64); 12] = [
            (&[("the cat sat on the mat", "the cat sat on the mat")], 100.0),
            (&[("the cat sat on a mat", "the cat sat on the mat")], 53.728_496_591_177_1),
            (&[("the the the the the the the", "the cat is on the mat")], 7.809_849_842_300_637),
            (&[("the cat", "the cat sat on the mat")], 0.0),
            (&[("the cat sat on", "the cat sat on the mat today")], 47.236_655_274_101_49),
            (&[("a b c d e", "a x c y e")], 14.058_533_129_758_727),
            (
                &[(
                    "It costs $3.50, i.e. 1,000-2,000 units (approx.).",
                    "It costs $3.50, i.e. 1,000-2,000 units, approximately.",
                )],
                70.825_936_330_171_44,
            ),
            (&[("&quot;Hello&quot; &amp; don't", "\"Hello\" & don't")], 100.0),
            (&[("", "something here")], 0.0),
            (&[("something here now then", "")], 0.0),
            (
                &[
                    (
                        "Ein Mann fährt Fahrrad in der Stadt .",
                        "Ein Mann fährt mit dem Fahrrad durch die Stadt .",
                    ),
                    ("Zwei Hunde spielen im Schnee .", "Zwei Hunde spielen im Schnee ."),
                    ("", "Eine Frau liest ."),
                ],
                37.270_446_815_889_215,
            ),
            (&[("白鯨 を 読む 人", "白鯨 を 読む 人")], 100.0),
        ];
        for (rows, expected) in cases {
            let mut bleu = Bleu::default();
            rows.iter().for_each(|(made, wanted)| bleu.add(made, wanted));
            assert!((bleu.score() - expected).abs() < TOLERANCE, "{rows:?}: {}", bleu.score());
        }
    }

    #[test]
    fn words_and_marks_are_those_of_13a() {
        let words = |text| tokenize(text).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            words("It costs $3.50, i.e. 1,000-2,000 units (approx.)."),
            "It costs $ 3.50 , i . e . 1,000 - 2,000 units ( approx . ) ."
        );
        assert_eq!(
            words("a.b,c .5 5. ,., 3-4 self-made don't a/b é. \u{a0}x"),
            "a . b , c . 5 5 . , . , 3 - 4 self-made don't a / b é . x"
        );
        assert_eq!(words("<skipped>a-\nb\nc &amp;lt; &lt;\u{1c}"), "ab c < <");
    }

    #[test]
    fn no_texts_score_nothing() {
        assert_eq!(Bleu::default().score(), 0.0);
    }
}
