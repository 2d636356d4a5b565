//! Laws that hold for language models of every kind and many sizes.

use std::collections::HashSet;

use super::trials::{Trial, assert_close, causal_kinds, cpu, floats, holds, randomised};
use burn::tensor::{Device, Int, Tensor, TensorData};
use synthattn::attention::{Dims, Kind, Part};
use synthattn::init::Init;
use synthattn::model::language_model::{Cache, token_losses};
use synthattn::model::layers::Activation;
use synthattn::model::{BlockConfig, CrossAttention, LanguageModel, Positions, WriterConfig};
use synthattn::train::{OptimizerConfig, Trainer};
use synthattn::weights;

const VOCAB: usize = 11;

/// The least width of these models. A layer norm of two numbers is a step where they are equal: there
/// the last bit of an embedding moves a logit by more than the rounding that is allowed.
const LEAST_WIDTH: usize = 4;

/// A language model of this trial. Its positions, head, activation and depth change with the seed.
fn config(trial: &Trial, kind: &'static Kind) -> WriterConfig {
    let [positions, activation, head, layers] = [0, 1, 2, 3].map(|i| trial.number(20 + i, 0, 2));
    let narrow = trial.dims.d_model;
    let d_model = narrow * LEAST_WIDTH.div_ceil(narrow);
    WriterConfig {
        block: BlockConfig {
            kind,
            options: trial.options,
            dims: Dims { d_model, ..trial.dims },
            d_ff: 2 * d_model,
            activation: [Activation::Gelu, Activation::GeluTanh, Activation::Relu][activation],
            cross: CrossAttention::default(),
        },
        layers: 1 + layers % 2,
        vocab: VOCAB,
        positions: Positions::ALL[positions],
        tied: head == 0,
        head_bias: head == 1,
    }
}

/// Fresh weights for that model.
fn language_model(trial: &Trial, kind: &'static Kind, device: &Device) -> LanguageModel {
    LanguageModel::init(&config(trial, kind), &Init::new(trial.seed, device))
}

/// Random token ids, `[batch, len]`.
fn ids(trial: &Trial, index: u64, device: &Device) -> Tensor<2, Int> {
    let mut rng = trial.rng(index);
    let ids: Vec<i32> = (0..trial.batch * trial.len).map(|_| rng.below(VOCAB) as i32).collect();
    Tensor::from_data(TensorData::new(ids, [trial.batch, trial.len]), device)
}

/// Feeding a text a token at a time, or in pieces, gives the logits of the full pass at every
/// position up to the longest.
#[test]
fn a_language_model_fed_in_pieces_equals_the_full_pass() {
    holds(|trial| {
        let device = cpu();
        let ids = ids(trial, 0, &device);
        let mask = LanguageModel::mask(trial.len, &device);
        let mut rng = trial.rng(6);
        for kind in causal_kinds() {
            let model = randomised(language_model(trial, kind, &device), trial.seed);
            let expected = model.forward(ids.clone(), &mask, None);
            let check = |piece: &mut dyn FnMut(usize) -> usize| {
                let (mut cache, mut past) = (Cache::default(), 0);
                while past < trial.len {
                    let len = piece(trial.len - past);
                    let tokens = ids.clone().slice([0..trial.batch, past..past + len]);
                    let got = model.forward_cached(tokens, &mut cache);
                    past += len;
                    assert_eq!(cache.past(), past);
                    let last = [0..trial.batch, past - 1..past, 0..VOCAB];
                    let expected = floats(expected.clone().slice(last));
                    assert_close(&floats(got), &expected, (kind.name, past, trial));
                }
            };
            check(&mut |_| 1);
            check(&mut |left| 1 + rng.below(left));
        }
    });
}

/// Changing later tokens of a text leaves the logits at every earlier one alone.
#[test]
fn a_language_model_does_not_see_the_future() {
    holds(|trial| {
        let device = cpu();
        let cut = trial.number(3, 1, trial.len);
        let first = ids(trial, 0, &device);
        let past = first.clone().slice([0..trial.batch, 0..cut]);
        let mut parts = vec![past];
        if cut < trial.len {
            parts.push(ids(trial, 1, &device).slice([0..trial.batch, cut..trial.len]));
        }
        let second = Tensor::cat(parts, 1);
        let mask = LanguageModel::mask(trial.len, &device);
        for kind in causal_kinds() {
            let model = randomised(language_model(trial, kind, &device), trial.seed);
            let [first, second] = [&first, &second].map(|ids| {
                let logits = model.forward(ids.clone(), &mask, None);
                floats(logits.slice([0..trial.batch, 0..cut, 0..VOCAB]))
            });
            assert_eq!(first, second, "{} {trial:?}", kind.name);
        }
    });
}

/// Names are unique within a model, and depend neither on sizes nor on seed nor on training.
#[test]
fn weight_names_are_unique_and_stable() {
    let names = |module: &LanguageModel| -> Vec<String> {
        weights::list(module).into_iter().map(|weight| weight.name).collect()
    };
    holds(|trial| {
        for kind in causal_kinds() {
            let small = Trial { seed: trial.seed, ..Trial::small() };
            let found = names(&language_model(trial, kind, &cpu()));
            let unique: HashSet<_> = found.iter().collect();
            assert_eq!(unique.len(), found.len(), "{} {trial:?}", kind.name);
            assert_eq!(found, names(&language_model(&small, kind, &cpu())), "{}", kind.name);
        }
    });
    // Files keep these names: a change would make every earlier one unreadable.
    let kind = Kind::named("random+dense+vanilla").expect("a kind");
    let config = WriterConfig {
        layers: 1,
        positions: Positions::Learned,
        tied: false,
        head_bias: false,
        ..config(&Trial::small(), kind)
    };
    let mut found = names(&LanguageModel::init(&config, &Init::new(0, &cpu())));
    found.sort();
    let expected = "blocks.0.attn.dense.b1 blocks.0.attn.dense.b2 blocks.0.attn.dense.w1 \
        blocks.0.attn.dense.w2 blocks.0.attn.key.bias blocks.0.attn.key.weight \
        blocks.0.attn.mixture.logits blocks.0.attn.out.bias blocks.0.attn.out.weight \
        blocks.0.attn.query.bias blocks.0.attn.query.weight blocks.0.attn.random.logits \
        blocks.0.attn.value.bias blocks.0.attn.value.weight blocks.0.ffn.b1 blocks.0.ffn.b2 \
        blocks.0.ffn.w1 blocks.0.ffn.w2 blocks.0.ln1.bias blocks.0.ln1.weight \
        blocks.0.ln2.bias blocks.0.ln2.weight head.weight ln_f.bias ln_f.weight \
        pos_embed.weight tok_embed.weight";
    assert_eq!(found, expected.split(' ').collect::<Vec<_>>());
}

/// Training moves every weight but frozen tables.
#[test]
fn training_moves_all_weights_but_frozen_tables() {
    let trial = Trial::small();
    let device = cpu().autodiff();
    let (inputs, targets) = (ids(&trial, 0, &device), ids(&trial, 1, &device));
    let mask = LanguageModel::mask(trial.len, &device);
    let count = (trial.batch * trial.len) as u64;
    for kind in causal_kinds() {
        let model = randomised(language_model(&trial, kind, &device), trial.seed);
        let before = weights::flatten(&model);
        let entries = weights::list(&model);
        let mut trainer = Trainer::new(model, 0);
        trainer.set_optimizer(OptimizerConfig { weight_decay: 0.1, ..OptimizerConfig::default() });
        for _ in 0..5 {
            trainer.step(0.01, count, |model| {
                token_losses(model.forward(inputs.clone(), &mask, None), targets.clone()).sum()
            });
        }
        for (module, what) in
            [(trainer.model().clone(), "trained"), (trainer.inference_model(), "for inference")]
        {
            let after = weights::flatten(&module);
            for entry in &entries {
                let [before, after] =
                    [&before, &after].map(|weights| floats(weights[&entry.name].clone()));
                let place = format!("{} {} {what}", kind.name, entry.name);
                let frozen = kind.parts().contains(&Part::FixedRandom)
                    && entry.name.ends_with("attn.random.logits");
                assert_eq!(entry.trainable, !frozen, "{place}");
                match frozen {
                    true => assert_eq!(before, after, "{place}"),
                    false => assert_ne!(before, after, "{place}"),
                }
            }
        }
    }
}
