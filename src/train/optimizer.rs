//! AdamW, Adam and SGD on one flat tensor of weights, with clipping by the global norm.
//! AdamW: Loshchilov and Hutter, "Decoupled Weight Decay Regularization", algorithm 2,
//! <https://arxiv.org/abs/1711.05101>. Adam: Kingma and Ba, <https://arxiv.org/abs/1412.6980>.

use burn::tensor::Tensor;

use crate::ops::{self, AdamRule};

/// The rule by which weights follow gradients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OptimizerKind {
    /// Adam with decoupled weight decay.
    #[default]
    AdamW,
    /// Adam; decay is added to the gradient.
    Adam,
    /// Plain gradient descent; decay is added to the gradient.
    Sgd,
}

impl OptimizerKind {
    /// All, in the order of menus.
    pub const ALL: [OptimizerKind; 3] =
        [OptimizerKind::AdamW, OptimizerKind::Adam, OptimizerKind::Sgd];

    /// The name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            OptimizerKind::AdamW => "adamw",
            OptimizerKind::Adam => "adam",
            OptimizerKind::Sgd => "sgd",
        }
    }

    /// Whether it keeps moments of the gradients.
    pub fn has_moments(self) -> bool {
        self != OptimizerKind::Sgd
    }
}

/// Settings of the optimizer. Every weight is updated and decayed, biases and norms included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptimizerConfig {
    /// The rule.
    pub kind: OptimizerKind,
    /// Decay of the first moment, default 0.9.
    pub beta1: f64,
    /// Decay of the second moment, default 0.999.
    pub beta2: f64,
    /// Added to the root of the second moment, default 1e-8.
    pub epsilon: f64,
    /// Weight decay, default 0.01.
    pub weight_decay: f64,
    /// The longest gradient, over all weights together; infinite for no clipping. Default 1.
    pub clip_norm: f64,
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        Self {
            kind: OptimizerKind::AdamW,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            weight_decay: 0.01,
            clip_norm: 1.0,
        }
    }
}

/// Moments of the gradients of one flat tensor.
#[derive(Debug, Clone)]
pub struct Moments {
    /// Mean of the gradients.
    pub first: Tensor<1>,
    /// Mean of their squares.
    pub second: Tensor<1>,
    /// Steps they were taken over.
    pub steps: u64,
}

/// An optimizer and what it remembers.
#[derive(Debug, Clone, Default)]
pub struct Optimizer {
    /// Settings; they may change between steps.
    pub config: OptimizerConfig,
    /// Absent before the first step and for SGD.
    pub moments: Option<Moments>,
}

impl Optimizer {
    /// New weights, and the norm of the gradient before clipping, `[1]`, still on the device.
    ///
    /// # Shapes
    ///
    /// - weights, gradient: `[len]`
    pub fn step(
        &mut self,
        rate: f64,
        weights: Tensor<1>,
        gradient: Tensor<1>,
    ) -> (Tensor<1>, Tensor<1>) {
        let norm = ops::norm(gradient.clone());
        let weights = match self.config.kind {
            OptimizerKind::Sgd => self.descend(rate, weights, gradient, norm.clone()),
            OptimizerKind::Adam | OptimizerKind::AdamW => {
                self.adam(rate, weights, gradient, norm.clone())
            }
        };
        (weights, norm)
    }

    fn descend(
        &self,
        rate: f64,
        weights: Tensor<1>,
        gradient: Tensor<1>,
        norm: Tensor<1>,
    ) -> Tensor<1> {
        let OptimizerConfig { weight_decay, clip_norm, .. } = self.config;
        let mut gradient = gradient;
        if clip_norm.is_finite() {
            // The small summand keeps a zero gradient from being divided by zero.
            let scale = norm.add_scalar(1e-6).recip().mul_scalar(clip_norm).clamp_max(1.0);
            gradient = gradient * scale;
        }
        if weight_decay != 0.0 {
            gradient = gradient + weights.clone().mul_scalar(weight_decay);
        }
        weights - gradient.mul_scalar(rate)
    }

    /// `rate * m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps)`, with the two corrections taken
    /// together, into rate and epsilon.
    fn adam(
        &mut self,
        rate: f64,
        weights: Tensor<1>,
        gradient: Tensor<1>,
        norm: Tensor<1>,
    ) -> Tensor<1> {
        let OptimizerConfig { kind, beta1, beta2, epsilon, weight_decay, clip_norm } = self.config;
        let Moments { first, second, steps } = self.moments.take().unwrap_or_else(|| {
            let zeros = weights.zeros_like();
            Moments { first: zeros.clone(), second: zeros, steps: 0 }
        });
        let steps = steps + 1;
        let decoupled = kind == OptimizerKind::AdamW;
        let first_correction = 1.0 - libm::pow(beta1, steps as f64);
        let second_root = (1.0 - libm::pow(beta2, steps as f64)).sqrt();
        let rule = AdamRule {
            rate: rate * second_root / first_correction,
            beta1,
            beta2,
            epsilon: epsilon * second_root,
            keep: if decoupled { 1.0 - rate * weight_decay } else { 1.0 },
            decay: if decoupled { 0.0 } else { weight_decay },
            clip: clip_norm,
        };
        let (weights, [first, second]) = ops::adam(weights, gradient, norm, [first, second], rule);
        self.moments = Some(Moments { first, second, steps });
        weights
    }
}
