//! Fresh weights, drawn on the CPU from the seed and the weight's full name.
//! So the same spec and seed give the same bits on every device, and adding a weight to a model
//! leaves the others as they were.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use burn::module::Param;
use burn::tensor::{Device, Tensor, TensorData};

use crate::rng::Rng;

/// Draws weights under one name scope, e.g. `blocks.0.attn`.
#[derive(Debug, Clone)]
pub struct Init<'a> {
    seed: u32,
    scope: String,
    device: &'a Device,
    shared: Rc<RefCell<HashMap<&'static str, Tensor<3>>>>,
}

impl<'a> Init<'a> {
    /// The root scope. Weights land on `device` as it is: give an autodiff device to train them.
    pub fn new(seed: u32, device: &'a Device) -> Self {
        Self { seed, scope: String::new(), device, shared: Rc::default() }
    }

    /// The device that weights land on.
    pub fn device(&self) -> &Device {
        self.device
    }

    /// A scope below this one; an empty name is this scope itself.
    pub fn scope(&self, name: impl AsRef<str>) -> Self {
        Self { scope: self.name(name.as_ref()), ..self.clone() }
    }

    fn name(&self, leaf: &str) -> String {
        match (self.scope.is_empty(), leaf.is_empty()) {
            (true, _) => leaf.to_owned(),
            (_, true) => self.scope.clone(),
            _ => format!("{}.{leaf}", self.scope),
        }
    }

    /// A constant that all layers have in common: `make` is called once for all scopes of a root.
    pub fn shared(&self, name: &'static str, make: impl FnOnce(&Device) -> Tensor<3>) -> Tensor<3> {
        self.shared.borrow_mut().entry(name).or_insert_with(|| make(self.device)).clone()
    }

    fn param<const D: usize>(&self, values: Vec<f32>, shape: [usize; D]) -> Param<Tensor<D>> {
        Param::from_tensor(Tensor::from_data(TensorData::new(values, shape), self.device))
    }

    /// Normal with mean zero.
    pub fn normal<const D: usize>(
        &self,
        leaf: &str,
        shape: [usize; D],
        deviation: f32,
    ) -> Param<Tensor<D>> {
        let mut values = vec![0.0; shape.iter().product()];
        Rng::named(self.seed, &self.name(leaf)).fill_normal(&mut values, 0.0, deviation);
        self.param(values, shape)
    }

    /// Uniform in `±sqrt(6 / (fan_in + fan_out))` (Glorot and Bengio, 2010).
    pub fn xavier<const D: usize>(
        &self,
        leaf: &str,
        shape: [usize; D],
        fan_in: usize,
        fan_out: usize,
    ) -> Param<Tensor<D>> {
        let bound = (6.0 / (fan_in + fan_out) as f32).sqrt();
        let mut values = vec![0.0; shape.iter().product()];
        Rng::named(self.seed, &self.name(leaf)).fill_uniform(&mut values, -bound, bound);
        self.param(values, shape)
    }

    /// All zero.
    pub fn zeros<const D: usize>(&self, _leaf: &str, shape: [usize; D]) -> Param<Tensor<D>> {
        self.param(vec![0.0; shape.iter().product()], shape)
    }

    /// All one.
    pub fn ones<const D: usize>(&self, _leaf: &str, shape: [usize; D]) -> Param<Tensor<D>> {
        self.param(vec![1.0; shape.iter().product()], shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_share_what_is_constant() {
        let device = crate::device::cpu();
        let root = Init::new(0, &device);
        let mut made = 0;
        for layer in 0..3 {
            let table = root.scope(format!("blocks.{layer}")).shared("table", |device| {
                made += 1;
                Tensor::ones([2, 3, 4], device)
            });
            assert_eq!(table.dims(), [2, 3, 4]);
        }
        assert_eq!(made, 1);
    }
}
