//! What every fuzz target does with its bytes. Shared with `tests/corpus.rs`, which does the same with
//! the inputs that are kept, so that they cannot rot.
#![allow(dead_code, reason = "each target uses one of these")]

pub mod checkpoint;
pub mod config;
pub mod header;
pub mod input;
pub mod memory;
pub mod rows;
pub mod sampling;
pub mod tokenizer;

/// Panics if a law is broken.
pub type Check = fn(&[u8]);

/// All targets, by the names of their folders of inputs.
pub const TARGETS: [(&str, Check); 6] = [
    ("checkpoint", checkpoint::check),
    ("header", header::check),
    ("config", config::check),
    ("tokenizer", tokenizer::check),
    ("rows", rows::check),
    ("sampling", sampling::check),
];
