//! Where a space goes without saying: between words, after a comma, not before it.
//!
//! Word tokens leave such spaces out, and both cutting and joining follow the rules here, so
//! that what was left out comes back.

/// What a character at the edge of a token says about spaces beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// Letters and digits of scripts that put spaces between words; anything not listed below.
    Word,
    /// Characters and marks of scripts that write words without spaces between them.
    Unspaced,
    /// Leans on what stands before it.
    Closing,
    /// Leans on what stands after it.
    Opening,
    /// Leans on both.
    Joining,
    /// The straight quotation mark, opening and closing in turn.
    Quote,
}

/// How the text so far ends, as far as the next space depends on it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Spacing {
    /// Nothing after a beginning, a blank or a joint: no space is implied there.
    last: Option<Edge>,
    /// Has the last straight quotation mark opened a quotation?
    quoting: bool,
}

impl Spacing {
    /// Is there a space before `token` unless it is said that there is none?
    pub(super) fn expects_space(&self, token: &str) -> bool {
        let first = token.chars().next().filter(|c| !c.is_whitespace());
        let (Some(last), Some(next)) = (self.last, first.map(edge)) else {
            return false;
        };
        match (last, next) {
            (_, Edge::Closing) | (Edge::Opening, _) => false,
            (Edge::Joining, _) | (_, Edge::Joining) => false,
            (Edge::Unspaced, Edge::Unspaced) => false,
            (Edge::Quote, _) => !self.quoting,
            (_, Edge::Quote) => !self.quoting,
            _ => true,
        }
    }

    /// Goes on behind `token`, a word, a mark or a blank; the empty text is a joint.
    pub(super) fn pass(&mut self, token: &str) {
        if token == "\n" {
            // Quotations end with their paragraph, so one stray mark spoils one paragraph.
            self.quoting = false;
        }
        let last = token.chars().next_back().filter(|c| !c.is_whitespace()).map(edge);
        self.last = last;
        if last == Some(Edge::Quote) {
            self.quoting = !self.quoting;
        }
    }
}

fn edge(c: char) -> Edge {
    match c {
        ',' | '.' | ';' | ':' | '!' | '?' | ')' | ']' | '}' | '%' | '\'' | '’' | '”' | '»'
        | '›' | '…' | '،' | '؛' | '؟' | '।' | '™' | '°' => Edge::Closing,
        '(' | '[' | '{' | '“' | '„' | '‘' | '«' | '‹' | '¿' | '¡' | '$' | '£' | '€' | '#' | '@' => {
            Edge::Opening
        }
        '-' | '/' | '\\' | '–' | '—' => Edge::Joining,
        '"' => Edge::Quote,
        _ if is_unspaced(c) => Edge::Unspaced,
        _ => Edge::Word,
    }
}

/// Thai, Lao, Burmese, Khmer, and the ideographs and kana with their marks, but not Hangul.
fn is_unspaced(c: char) -> bool {
    matches!(c as u32,
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x2e80..=0x312f | 0x3190..=0x9fff
        | 0xf900..=0xfaff | 0xff01..=0xff9f | 0x1aff0..=0x1b16f | 0x20000..=0x3ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(tokens: &[&str]) -> String {
        let mut spacing = Spacing::default();
        let mut text = String::new();
        for token in tokens {
            if spacing.expects_space(token) {
                text.push(' ');
            }
            text.push_str(token);
            spacing.pass(token);
        }
        text
    }

    #[test]
    fn ordinary_sentences_need_no_help() {
        let sentence = ["Call", "me", "\"", "Ishmael", "\"", "(", "some", "years", "-", "ago", ")"];
        assert_eq!(join(&sentence), "Call me \"Ishmael\" (some years-ago)");
        assert_eq!(join(&["\"", "No", ",", "\"", "he", "said", "."]), "\"No,\" he said.");
        assert_eq!(join(&["白", "鯨", "。", "完"]), "白鯨。完");
        assert_eq!(join(&["모비", "딕"]), "모비 딕");
    }

    #[test]
    fn blanks_and_joints_imply_no_space() {
        assert_eq!(join(&["a", "\n", "b", "", "c", "d"]), "a\nbc d");
    }

    #[test]
    fn a_stray_quotation_mark_spoils_one_paragraph_only() {
        assert_eq!(join(&["a", "\"", "\n", "b", "\"", "c", "\""]), "a \"\nb \"c\"");
    }
}
