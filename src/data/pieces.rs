//! Generated text in pieces that can be shown as they come: whole characters, and never any of
//! a stop text.

use unicode_segmentation::UnicodeSegmentation;

use crate::error::{Error, Result};

/// A cluster longer than this is shown in parts. Real ones are far shorter, but a model may go
/// on with combining marks for ever.
const MAX_CLUSTER_BYTES: usize = 64;

/// Holds back text until it is sure to be shown.
///
/// The last character, as readers see it (a grapheme cluster: `é`, a flag, a family of emoji),
/// waits until the next one begins. The end of the text waits while it may be the beginning of a
/// stop text. Pieces and what [`Pieces::finish`] gives make up the text before the stop text.
///
/// ```
/// # use synthattn::data::pieces::Pieces;
/// let mut pieces = Pieces::new(vec!["\n\n".into()])?;
/// assert_eq!(pieces.push("end."), "end");
/// assert_eq!(pieces.push("\n"), ".");
/// assert_eq!(pieces.push("\n"), "");
/// assert!(pieces.stopped());
/// # Ok::<_, synthattn::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pieces {
    stops: Vec<String>,
    pending: String,
    stopped: bool,
}

impl Pieces {
    /// Nothing shown yet; the first of `stops` to be complete ends the text.
    ///
    /// # Errors
    ///
    /// `invalid-option` if a stop text is empty.
    pub fn new(stops: Vec<String>) -> Result<Self> {
        if stops.iter().any(String::is_empty) {
            return Err(Error::option("stop", "\"\"", "texts of at least one character"));
        }
        Ok(Self { stops, pending: String::new(), stopped: false })
    }

    /// Has a stop text ended the text?
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// Takes more text; gives what can be shown now, which may be nothing.
    pub fn push(&mut self, text: &str) -> String {
        if self.stopped {
            return String::new();
        }
        self.pending.push_str(text);
        if let Some(at) = self.stop() {
            self.stopped = true;
            self.pending.truncate(at);
            return std::mem::take(&mut self.pending);
        }
        let sure = self.begins_cluster().min(self.begins_stop());
        self.pending.drain(..sure).collect()
    }

    /// What is left to show when the text ends without a stop text.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.pending)
    }

    /// Where the stop text begins that is complete first; of several, the longest.
    fn stop(&self) -> Option<usize> {
        let found = self.stops.iter().filter_map(|stop| {
            let at = self.pending.find(stop.as_str())?;
            Some((at + stop.len(), at))
        });
        found.min().map(|(_, at)| at)
    }

    /// Where the last cluster begins, to which more may belong.
    fn begins_cluster(&self) -> usize {
        let last = self.pending.grapheme_indices(true).next_back();
        last.map_or(
            0,
            |(at, cluster)| if cluster.len() > MAX_CLUSTER_BYTES { at + cluster.len() } else { at },
        )
    }

    /// Where the longest end of the text begins that is the beginning of a stop text.
    fn begins_stop(&self) -> usize {
        let begins =
            |at: &usize| self.stops.iter().any(|stop| stop.starts_with(&self.pending[*at..]));
        let mut places = self.pending.char_indices().map(|(at, _)| at);
        places.find(begins).unwrap_or(self.pending.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pieces(stops: &[&str]) -> Pieces {
        Pieces::new(stops.iter().map(|stop| stop.to_string()).collect()).unwrap()
    }

    fn run(pieces: &mut Pieces, texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| pieces.push(text)).collect()
    }

    #[test]
    fn a_character_waits_for_the_marks_that_belong_to_it() {
        let mut text = pieces(&[]);
        assert_eq!(run(&mut text, &["e", "\u{301}", "x"]), ["", "", "e\u{301}"]);
        assert_eq!(run(&mut text, &["👨", "\u{200d}", "👩", " "]), ["x", "", "", "👨\u{200d}👩"]);
        assert_eq!(run(&mut text, &["🇩", "🇪", "🇫", "🇷"]), [" ", "", "🇩🇪", ""]);
        assert_eq!(run(&mut text, &["\r", "\n", "a"]), ["🇫🇷", "", "\r\n"]);
        assert_eq!(text.finish(), "a");
        assert_eq!(text.finish(), "");
    }

    #[test]
    fn a_character_without_end_is_shown_in_parts() {
        let mut text = pieces(&[]);
        let shown: usize = (0..1000).map(|_| text.push("\u{301}").len()).sum();
        assert!(shown > 1800);
        assert_eq!(shown + text.finish().len(), 2000);
    }

    #[test]
    fn no_part_of_a_stop_text_is_shown() {
        let mut text = pieces(&["User:", "\n\n"]);
        assert_eq!(
            run(&mut text, &["Hi.", "\n", "Us", "er", "s ", "a"]),
            ["Hi", ".", "\n", "", "Users", " "]
        );
        assert_eq!(run(&mut text, &["\nUse", "r: hello", "more"]), ["a\n", "", ""]);
        assert!(text.stopped());
        assert_eq!(text.finish(), "");
    }

    #[test]
    fn the_stop_text_that_is_complete_first_ends_the_text() {
        let mut text = pieces(&["cde", "b", "abcd"]);
        assert_eq!(text.push("xabcdey"), "xa");
        let mut text = pieces(&["bc", "abc", "c"]);
        assert_eq!(text.push("xabcy"), "x", "of those that end together, the longest");
    }

    #[test]
    fn the_beginning_of_a_stop_text_is_text_when_nothing_follows() {
        let mut text = pieces(&["END"]);
        assert_eq!(run(&mut text, &["the ", "EN"]), ["the", " "]);
        assert_eq!((text.finish(), text.stopped()), ("EN".to_string(), false));
    }

    #[test]
    fn an_empty_stop_text_is_refused() {
        let error = Pieces::new(vec!["a".into(), String::new()]).unwrap_err();
        assert_eq!(error.code(), "invalid-option");
    }

    proptest! {
        #[test]
        fn pieces_make_up_the_text_before_the_stop(
            texts in prop::collection::vec("[ab\u{301}👩\u{200d}]{0,4}", 0..12),
            stops in prop::collection::vec("[ab👩]{1,3}", 0..3),
        ) {
            let mut text = Pieces::new(stops.clone()).unwrap();
            let mut shown = Vec::new();
            for part in &texts {
                shown.push(text.push(part));
            }
            let whole = texts.concat();
            // The same by looking at ever longer beginnings of the whole text.
            let ends = whole.char_indices().map(|(at, c)| at + c.len_utf8());
            let first = ends.into_iter().find_map(|end| {
                let fitting = stops.iter().filter(|stop| whole[..end].ends_with(stop.as_str()));
                fitting.map(|stop| end - stop.len()).min()
            });
            prop_assert_eq!(text.stopped(), first.is_some());
            shown.push(text.finish());
            prop_assert_eq!(shown.concat(), &whole[..first.unwrap_or(whole.len())]);
            if stops.is_empty() {
                let mut boundaries = whole.grapheme_indices(true).map(|(at, _)| at);
                let mut at = 0;
                for piece in shown.iter().filter(|piece| !piece.is_empty()) {
                    prop_assert!(boundaries.any(|boundary| boundary == at));
                    at += piece.len();
                }
            }
        }
    }
}
