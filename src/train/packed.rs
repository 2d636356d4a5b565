//! All trainable weights of a model in one flat tensor, of which the model's weights are views.
//! The optimizer then works on a handful of long tensors instead of dozens of short ones, which
//! is what small models spend their time on, and the gradient norm is one reduction.

use std::collections::HashMap;
use std::ops::Range;

use burn::module::Module;
use burn::tensor::{Device, Gradients, Tensor};

use crate::ops;
use crate::weights::{self, Entry};

/// Start of every weight, in elements. A slice that starts and ends on 256 bytes is a view on
/// every WebGPU adapter (`minStorageBufferOffsetAlignment`); anything else would be copied.
const ALIGNMENT: usize = 64;

/// Where each trainable weight stands in the flat tensor.
#[derive(Debug, Clone)]
pub struct Packed {
    slots: Vec<(Entry, Range<usize>)>,
    len: usize,
    device: Device,
}

impl Packed {
    /// The layout for `module`, which must be on a device with autodiff.
    pub fn new(module: &impl Module) -> Self {
        let device = module.devices().first().expect("a model has weights").clone().inner();
        let mut len = 0;
        let mut slots = Vec::new();
        for entry in weights::list(module).into_iter().filter(|entry| entry.trainable) {
            let range = len..len + entry.len();
            len = range.end.next_multiple_of(ALIGNMENT);
            slots.push((entry, range));
        }
        Self { slots, len, device }
    }

    /// Length of the flat tensor, gaps included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is trainable.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the weights are, without autodiff.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Names, shapes and places of the weights.
    pub fn slots(&self) -> &[(Entry, Range<usize>)] {
        &self.slots
    }

    /// Flat tensors by name joined to one of [`Packed::len`]; zeros where a name is missing.
    pub fn join(&self, mut parts: HashMap<String, Tensor<1>>) -> Tensor<1> {
        let part = |(entry, range): &(Entry, Range<usize>)| {
            let part = parts.remove(&entry.name);
            part.unwrap_or_else(|| Tensor::zeros([range.len()], &self.device))
        };
        ops::join(self.slots.iter().map(part).collect(), ALIGNMENT)
    }

    /// The gradients of all weights, joined.
    pub fn gradients(&self, module: &impl Module, gradients: &mut Gradients) -> Tensor<1> {
        self.join(weights::gradients(module, gradients))
    }

    /// The module with its trainable weights replaced by views of `flat`.
    pub fn unpack<M: Module>(&self, module: M, flat: &Tensor<1>) -> M {
        let places: HashMap<&str, &Range<usize>> =
            self.slots.iter().map(|(entry, range)| (entry.name.as_str(), range)).collect();
        weights::replace(module, &mut |name| {
            let range = places.get(name)?;
            Some(flat.clone().slice(range.start..range.end))
        })
    }
}
