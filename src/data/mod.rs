//! Text and what is made of it. Knows no tensors.

pub mod pieces;
pub mod tokenizer;
pub mod windows;
pub mod writer;

pub use windows::Windows;
