//! Bytes as tokens: 256 of them, the UTF-8 of the text. Every text can be read and written back.

use super::spacing::Spacing;
use super::{Cut, Emit, TextTokens, printable};

/// The 256 bytes, each its own token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bytes;

/// Does a code point begin with this byte of UTF-8?
pub(super) fn begins_code_point(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

impl TextTokens for Bytes {
    fn len(&self) -> usize {
        256
    }

    fn cut(&self, parts: &[&str], emit: &mut Emit) {
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                emit(Cut::Mask, 0);
            }
            for byte in part.bytes() {
                emit(Cut::Known(byte.into()), begins_code_point(byte).into());
            }
        }
    }

    fn decode(&self, token: u32, _: &mut Spacing, out: &mut Vec<u8>) {
        out.push(token as u8);
    }

    fn printable(&self, token: u32) -> String {
        printable::bytes(&[token as u8])
    }
}
