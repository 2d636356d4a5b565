//! Text and what is made of it. Knows no tensors.

pub mod batches;
pub mod corpus;
pub mod examples;
pub mod given;
pub mod masking;
pub mod pieces;
pub mod rows;
pub mod share;
pub mod split;
pub mod tokenizer;
pub mod windows;
pub mod writer;

pub use windows::Windows;
