//! Text and what is made of it. Knows no tensors.

pub mod windows;

pub use windows::Windows;
