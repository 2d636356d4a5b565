//! Printable forms of tokens, for vocabularies, attention maps and menus.
//!
//! Whatever has no glyph of its own gets one: a space is shown as `␣`, a line feed as `␊`, other
//! invisible characters as `<U+200D>`, a combining mark on a dotted circle, a byte that is no
//! ASCII character as `<0xC3>`. Characters that would be taken for these stand-ins are written
//! by number too, so different characters never look the same.

use unicode_segmentation::UnicodeSegmentation;

/// The printable form of the word token without text, which joins what stands around it.
pub(super) const JOINT: &str = "⁀";

/// The printable form of a text: that of its characters in turn.
pub(super) fn text(text: &str) -> String {
    text.chars().map(character).collect()
}

/// The printable form of one character.
pub(super) fn character(c: char) -> String {
    match c {
        ' ' => "␣".into(),
        // The block "Control Pictures" follows the order of the control characters.
        '\0'..='\x1f' => picture(c as u32),
        '\x7f' => "␡".into(),
        '\u{2400}'..='\u{2426}' | '◌' | '⁀' => number(c),
        _ if extends_cluster(c) => {
            if is_invisible(c) {
                number(c)
            } else {
                format!("◌{c}")
            }
        }
        _ if c.is_control() || c.is_whitespace() || is_invisible(c) => number(c),
        _ => c.into(),
    }
}

/// The printable form of a token made of bytes: as text where it is text, else byte by byte.
pub(super) fn bytes(bytes: &[u8]) -> String {
    match (bytes, std::str::from_utf8(bytes)) {
        ([byte], _) => single_byte(*byte),
        (_, Ok(whole)) => text(whole),
        _ => bytes.iter().map(|byte| single_byte(*byte)).collect(),
    }
}

fn single_byte(byte: u8) -> String {
    match byte {
        b' ' => "␣".into(),
        b'!'..=b'~' => char::from(byte).into(),
        _ => format!("<0x{byte:02X}>"),
    }
}

fn picture(control: u32) -> String {
    char::from_u32(0x2400 + control).expect("the block holds every control").into()
}

fn number(c: char) -> String {
    format!("<U+{:04X}>", c as u32)
}

/// Does it join the character before it (marks, variation selectors, joiners, skin tones)?
fn extends_cluster(c: char) -> bool {
    !c.is_ascii() && ['a', c].iter().collect::<String>().graphemes(true).nth(1).is_none()
}

/// Format characters, noncharacters and private use: nothing a font could be trusted to show.
fn is_invisible(c: char) -> bool {
    matches!(c as u32,
        0xad | 0x34f | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x115f | 0x1160 | 0x17b4 | 0x17b5
        | 0x180b..=0x180f | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164
        | 0xe000..=0xf8ff | 0xfdd0..=0xfdef | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
        | 0xfffe | 0xffff | 0x1d173..=0x1d17a | 0xe0000..=0x10ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn invisible_characters_are_made_visible() {
        let shown = [
            (' ', "␣"),
            ('\n', "␊"),
            ('\r', "␍"),
            ('\t', "␉"),
            ('\0', "␀"),
            ('\x7f', "␡"),
            ('\u{85}', "<U+0085>"),
            ('\u{a0}', "<U+00A0>"),
            ('\u{200d}', "<U+200D>"),
            ('\u{fe0f}', "<U+FE0F>"),
            ('\u{301}', "◌\u{301}"),
            ('␊', "<U+240A>"),
            ('◌', "<U+25CC>"),
            ('\u{fffd}', "\u{fffd}"),
            ('א', "א"),
            ('鯨', "鯨"),
            ('😀', "😀"),
        ];
        shown.iter().for_each(|(c, form)| assert_eq!(character(*c), *form));
    }

    #[test]
    fn no_two_characters_look_the_same() {
        let mut seen = HashMap::new();
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            if let Some(other) = seen.insert(character(c), c) {
                panic!("{c:?} and {other:?} are both shown as {}", character(c));
            }
        }
    }

    #[test]
    fn bytes_are_text_where_they_are_text() {
        assert_eq!(bytes(b"a"), "a");
        assert_eq!(bytes(b"\n"), "<0x0A>");
        assert_eq!(bytes(b" the"), "␣the");
        assert_eq!(bytes("é".as_bytes()), "é");
        assert_eq!(bytes(&[0xe2, 0x82]), "<0xE2><0x82>");
        assert_eq!(bytes(&[0xff]), "<0xFF>");
    }
}
