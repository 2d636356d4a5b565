//! Every kind learns a tiny task, and the same seed gives the same curve to the last bit.
#![cfg(not(target_arch = "wasm32"))]

use burn::tensor::{Device, Int, Tensor, TensorData};
use futures_lite::future::block_on;
use synthattn::attention::{Dims, KINDS, Kind, KindOptions, Mask};
use synthattn::init::Init;
use synthattn::model::language_model::token_losses;
use synthattn::model::layers::Activation;
use synthattn::model::{
    BlockConfig, CrossAttention, Dropout, LanguageModel, Positions, WriterConfig,
};
use synthattn::rng::{Purpose, Rng};
use synthattn::train::{OptimizerConfig, OptimizerKind, Schedule, ScheduleKind, Trainer};

/// Token ids of the task.
const VOCAB: usize = 8;
const LEN: usize = 16;
const BATCH: usize = 16;

/// Rows of two counters that take turns, each starting anywhere: `a b a+1 b+1 a+2 b+2 ..`.
///
/// A token says nothing about the next one; the token before it says all. So a model that does not
/// mix positions stays at the unigram entropy, `ln VOCAB`.
fn rows(seed: u32, step: u64) -> (Vec<i32>, Vec<i32>) {
    let mut rng = Rng::new(seed, Purpose::Batches, step);
    let (mut inputs, mut targets) = (Vec::new(), Vec::new());
    for _ in 0..BATCH {
        let starts = [rng.below(VOCAB), rng.below(VOCAB)];
        let row: Vec<i32> =
            (0..=LEN).map(|at| ((starts[at % 2] + at / 2) % VOCAB) as i32).collect();
        inputs.extend(&row[..LEN]);
        targets.extend(&row[1..]);
    }
    (inputs, targets)
}

/// A language model in training.
struct Run {
    trainer: Trainer<LanguageModel>,
    mask: Mask,
    device: Device,
    seed: u32,
    dropout: f32,
    schedule: Schedule,
}

impl Run {
    fn new(kind: &'static Kind, seed: u32, dropout: f32, steps: u64) -> Self {
        let device = synthattn::device::cpu().autodiff();
        let dims = Dims { d_model: 32, heads: 4, max_len: LEN };
        let config = WriterConfig {
            block: BlockConfig {
                kind,
                options: KindOptions::defaults(&dims),
                dims,
                d_ff: 64,
                activation: Activation::Gelu,
                cross: CrossAttention::default(),
            },
            layers: 1,
            vocab: VOCAB,
            positions: Positions::Learned,
            tied: false,
            head_bias: true,
        };
        let model = LanguageModel::init(&config, &Init::new(seed, &device));
        let warmup = 20;
        let schedule =
            Schedule { kind: ScheduleKind::Cosine, peak: 1e-2, warmup, start: 0, end: steps };
        // Kinds that cannot hide the future may look at the targets: they must find them.
        let mask = if kind.causal() { LanguageModel::mask(LEN, &device) } else { Mask::none() };
        Self { trainer: Trainer::new(model, 0), mask, device, seed, dropout, schedule }
    }

    fn step(&mut self) {
        let step = self.trainer.step_count();
        let (inputs, targets) = rows(self.seed, step);
        let tensor =
            |ids| Tensor::<2, Int>::from_data(TensorData::new(ids, [BATCH, LEN]), &self.device);
        let (inputs, targets) = (tensor(inputs), tensor(targets));
        let dropout = Dropout::new(self.dropout, self.seed, step);
        self.trainer.step(self.schedule.rate(step), (BATCH * LEN) as u64, |model| {
            token_losses(model.forward(inputs, &self.mask, dropout.as_ref()), targets).sum()
        });
    }

    /// Mean loss in nats per token since the last call.
    fn loss(&mut self) -> f64 {
        block_on(self.trainer.report()).expect("training does not diverge").loss
    }
}

#[test]
fn every_kind_learns_a_task_that_needs_it() {
    const STEPS: u64 = 160;
    /// Without attention the loss stays at the unigram entropy; only the first target of a row,
    /// one in `LEN`, cannot be known.
    const LEARNT: f64 = 0.5;
    let entropy = (VOCAB as f64).ln();
    for kind in KINDS {
        let mut run = Run::new(kind, 5, 0.0, STEPS);
        run.step();
        let first = run.loss();
        (1..STEPS - 20).for_each(|_| run.step());
        run.loss();
        (0..20).for_each(|_| run.step());
        let last = run.loss();
        println!("{}: {first:.3} to {last:.3} nats per token", kind.name);
        assert!((first - entropy).abs() < 0.2, "{}: a fresh model at {first}", kind.name);
        assert!(last < LEARNT * entropy, "{}: {last} of {entropy}", kind.name);
    }
}

#[test]
fn the_same_seed_gives_the_same_curve_whatever_is_trained_in_between() {
    const STEPS: u64 = 12;
    let curve = |kind, seed, mut between: Option<&mut Run>| -> Vec<u64> {
        let mut run = Run::new(kind, seed, 0.1, STEPS);
        let mut losses = Vec::new();
        for _ in 0..STEPS {
            run.step();
            if let Some(other) = between.as_deref_mut() {
                other.step();
            }
            losses.push(run.loss().to_bits());
        }
        losses
    };
    let mut other = Run::new(&KINDS[0], 9, 0.2, 1000);
    for kind in KINDS {
        let first = curve(kind, 5, None);
        assert_eq!(first, curve(kind, 5, None), "{}", kind.name);
        assert_eq!(first, curve(kind, 5, Some(&mut other)), "{}", kind.name);
        assert_ne!(first, curve(kind, 6, None), "{}", kind.name);
    }
}

#[test]
fn every_optimizer_learns() {
    const STEPS: u64 = 160;
    let kind = Kind::named("random+vanilla").expect("a kind");
    for (optimizer, rate) in
        [(OptimizerKind::AdamW, 1e-2), (OptimizerKind::Adam, 1e-2), (OptimizerKind::Sgd, 0.5)]
    {
        let mut run = Run::new(kind, 2, 0.0, STEPS);
        run.schedule.peak = rate;
        // Decay that SGD and Adam add to the gradient would win over gradients this small.
        let weight_decay = if optimizer == OptimizerKind::AdamW { 0.01 } else { 0.0 };
        let config = OptimizerConfig { kind: optimizer, weight_decay, ..Default::default() };
        run.trainer.set_optimizer(config);
        (0..STEPS - 20).for_each(|_| run.step());
        run.loss();
        (0..20).for_each(|_| run.step());
        let last = run.loss();
        println!("{optimizer:?}: {last:.3} nats per token");
        assert!(last < 0.8 * (VOCAB as f64).ln(), "{optimizer:?}: {last}");
    }
}
