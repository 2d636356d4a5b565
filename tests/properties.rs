//! Laws that hold for every kind and many sizes, tried at fixed odd sizes and at random ones.
#![cfg(not(target_arch = "wasm32"))]

#[path = "properties/language_models.rs"]
mod language_models;
#[path = "properties/trials.rs"]
mod trials;

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use synthattn::attention::{AnyMixer, ConditionsOn, KINDS, Kind, Mask, Mixing, TokenMixer};
use synthattn::init::Init;
use synthattn::weights;
use trials::{Trial, assert_close, causal_kinds, cpu, floats, holds};

/// The masks a trial can have, by name.
fn masks(trial: &Trial, device: &Device) -> Vec<(&'static str, Mask)> {
    vec![
        ("none", Mask::none()),
        ("causal", Mask::causal(trial.len, device)),
        ("padded", Mask::padded(&trial.lengths(), trial.len, false, device)),
        ("causal padded", Mask::padded(&trial.lengths(), trial.len, true, device)),
    ]
}

/// The masks that a kind understands.
fn masks_of(kind: &Kind, trial: &Trial, device: &Device) -> Vec<(&'static str, Mask)> {
    let mut masks = masks(trial, device);
    masks.retain(|(_, mask)| kind.causal() || !mask.is_causal());
    masks
}

/// Values with new ones wherever `change` says so of (row, position).
fn changed(trial: &Trial, values: &[f32], change: impl Fn(usize, usize) -> bool) -> Vec<f32> {
    let d_model = trial.dims.d_model;
    let mut values = values.to_vec();
    for (at, (value, new)) in values.iter_mut().zip(trial.values(7)).enumerate() {
        let position = at / d_model;
        if change(position / trial.len, position % trial.len) {
            *value = new;
        }
    }
    values
}

/// The values of those positions that `keep` chooses of (row, position).
fn kept(trial: &Trial, values: &[f32], keep: impl Fn(usize, usize) -> bool) -> Vec<f32> {
    let chosen = |(position, _): &(usize, _)| keep(position / trial.len, position % trial.len);
    values
        .chunks(trial.dims.d_model)
        .enumerate()
        .filter(chosen)
        .flat_map(|(_, vector)| vector.to_vec())
        .collect()
}

/// The output of a layer, `[batch, len, d_model]`.
fn output(trial: &Trial, layer: &AnyMixer, values: Vec<f32>, mask: &Mask) -> Vec<f32> {
    let (output, _) = layer.forward(trial.tensor(values, &cpu()), mask, false);
    assert_eq!(output.dims(), [trial.batch, trial.len, trial.dims.d_model]);
    floats(output)
}

/// Gradients of a weighted sum of outputs: with respect to the input, and to all weights by name.
fn gradients(
    trial: &Trial,
    layer: &AnyMixer,
    values: Vec<f32>,
    outgoing: Vec<f32>,
    mask: &Mask,
) -> (Vec<f32>, Vec<(String, Vec<f32>)>) {
    let device = cpu().autodiff();
    let x = trial.tensor(values, &device).require_grad();
    let (output, _) = layer.forward(x.clone(), mask, false);
    let mut gradients = (output * trial.tensor(outgoing, &device)).sum().backward();
    let of_input = floats(x.grad_remove(&mut gradients).expect("the output depends on the input"));
    let of_weights = weights::gradients(layer, &mut gradients);
    let mut of_weights: Vec<_> =
        of_weights.into_iter().map(|(name, gradient)| (name, floats(gradient))).collect();
    of_weights.sort_by(|a, b| a.0.cmp(&b.0));
    (of_input, of_weights)
}

/// Changing later tokens leaves every earlier output alone, to the last bit.
#[test]
fn the_future_does_not_leak() {
    holds(|trial| {
        let cut = trial.number(3, 1, trial.len);
        let mask = Mask::causal(trial.len, &cpu());
        let past = |_row, position| position < cut;
        for kind in causal_kinds() {
            let layer = trial.layer(kind, &cpu());
            let values = trial.values(0);
            let other = changed(trial, &values, |row, position| !past(row, position));
            let before = output(trial, &layer, values, &mask);
            let after = output(trial, &layer, other, &mask);
            let (before, after) = (kept(trial, &before, past), kept(trial, &after, past));
            assert_eq!(before, after, "{} {trial:?}", kind.name);
        }
    });
}

/// An output has no gradient with respect to later tokens, to the last bit.
#[test]
fn no_gradient_comes_from_the_future() {
    holds(|trial| {
        let device = cpu().autodiff();
        let cut = trial.number(3, 1, trial.len);
        let mask = Mask::causal(trial.len, &device);
        let future = |_row, position| position >= cut;
        for kind in causal_kinds() {
            let layer = trial.layer(kind, &device);
            let mut outgoing = trial.values(1);
            let d_model = trial.dims.d_model;
            for (position, vector) in outgoing.chunks_mut(d_model).enumerate() {
                if future(0, position % trial.len) {
                    vector.fill(0.0);
                }
            }
            let (of_input, _) = gradients(trial, &layer, trial.values(0), outgoing, &mask);
            let leaked = kept(trial, &of_input, future);
            assert!(leaked.iter().all(|gradient| *gradient == 0.0), "{} {trial:?}", kind.name);
        }
    });
}

/// What stands in padding changes no real output and no gradient, to the last bit.
#[test]
fn padding_is_inert() {
    holds(|trial| {
        let (plain, device) = (cpu(), cpu().autodiff());
        let lengths = trial.lengths();
        let real = |row: usize, position| position < lengths[row];
        let padding = |row, position| !real(row, position);
        for kind in KINDS {
            for causal in [false, true] {
                if causal && !kind.causal() {
                    continue;
                }
                let what = format!("{} causal {causal} {trial:?}", kind.name);
                let values = trial.values(0);
                let other = changed(trial, &values, padding);
                let mask = Mask::padded(&lengths, trial.len, causal, &plain);
                let layer = trial.layer(kind, &plain);
                let [first, second] = [&values, &other]
                    .map(|values| kept(trial, &output(trial, &layer, values.clone(), &mask), real));
                assert_eq!(first, second, "{what}");

                let mask = Mask::padded(&lengths, trial.len, causal, &device);
                let layer = trial.layer(kind, &device);
                let mut outgoing = trial.values(1);
                for (at, vector) in outgoing.chunks_mut(trial.dims.d_model).enumerate() {
                    if padding(at / trial.len, at % trial.len) {
                        vector.fill(0.0);
                    }
                }
                let [first, second] = [values, other]
                    .map(|values| gradients(trial, &layer, values, outgoing.clone(), &mask));
                assert_eq!(first, second, "gradients, {what}");
                let of_padding = kept(trial, &first.0, padding);
                assert!(of_padding.iter().all(|gradient| *gradient == 0.0), "{what}");
            }
        }
    });
}

/// A padded row gives what the row gives alone and unpadded.
#[test]
fn padding_equals_absence() {
    holds(|trial| {
        let device = cpu();
        let lengths = trial.lengths();
        let d_model = trial.dims.d_model;
        for kind in KINDS {
            let layer = trial.layer(kind, &device);
            for causal in [false, true] {
                if causal && !kind.causal() {
                    continue;
                }
                let mask = Mask::padded(&lengths, trial.len, causal, &device);
                let values = trial.values(0);
                let all = output(trial, &layer, values.clone(), &mask);
                for (row, &len) in lengths.iter().enumerate() {
                    let alone = Trial { batch: 1, len, ..trial.clone() };
                    let mask = match causal {
                        true => Mask::causal(len, &device),
                        false => Mask::none(),
                    };
                    let start = row * trial.len * d_model;
                    let real = start..start + len * d_model;
                    let expected = output(&alone, &layer, values[real.clone()].to_vec(), &mask);
                    assert_close(&all[real], &expected, (kind.name, causal, row, trial));
                }
            }
        }
    });
}

/// Kinds that are a softmax over scores.
fn kinds_with_scores() -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().filter(|kind| !kind.parts().is_empty())
}

/// Weights of a row sum to one, are never negative, and are exactly zero where hidden.
#[test]
fn attention_rows_sum_to_one_and_hidden_entries_are_zero() {
    holds(|trial| {
        let device = cpu();
        let lengths = trial.lengths();
        for kind in kinds_with_scores() {
            let layer = trial.layer(kind, &device);
            for (name, mask) in masks_of(kind, trial, &device) {
                let what = format!("{} mask {name} {trial:?}", kind.name);
                let x = trial.tensor(trial.values(0), &device);
                let (_, attention) = layer.forward(x, &mask, true);
                let attention = attention.expect("softmax over scores has weights");
                let [rows, heads, len, keys] = attention.dims();
                assert_eq!((heads, len, keys), (trial.dims.heads, trial.len, trial.len), "{what}");
                let hidden = |row: usize, query, key| {
                    let padded = mask.tokens().is_some() && key >= lengths[row];
                    padded || mask.is_causal() && key > query
                };
                for (at, weights) in floats(attention).chunks(keys).enumerate() {
                    let (row, query) = (at / len / heads % rows, at % len);
                    let sum: f32 = weights.iter().sum();
                    assert!((sum - 1.0).abs() < 1e-5, "{what}: a row sums to {sum}");
                    for (key, &weight) in weights.iter().enumerate() {
                        match hidden(row, query, key) {
                            true => assert_eq!(weight, 0.0, "{what}: hidden {query} {key}"),
                            false => assert!(weight >= 0.0, "{what}: {weight}"),
                        }
                    }
                }
            }
        }
    });
}

/// Weights of the kinds without scores: a convolution's kernels as bands, which are one in all
/// where the sequence does not cut them, and Linformer's rows over summaries. The others have none.
#[test]
fn weights_of_baselines_are_bands_or_rows_over_summaries() {
    holds(|trial| {
        let device = cpu();
        let taps = trial.options.kernel;
        for kind in KINDS.iter().filter(|kind| kind.parts().is_empty()) {
            let layer = trial.layer(kind, &device);
            for (name, mask) in masks_of(kind, trial, &device) {
                let what = format!("{} mask {name} {trial:?}", kind.name);
                let x = trial.tensor(trial.values(0), &device);
                let (_, weights) = layer.forward(x, &mask, true);
                let before = if mask.is_causal() { taps - 1 } else { taps / 2 };
                let (rows, window, keys) = match layer {
                    AnyMixer::LightweightConvolution(_) => (1, Some(before), trial.len),
                    AnyMixer::DynamicConvolution(_) => (trial.batch, Some(before), trial.len),
                    AnyMixer::Linformer(_) => (trial.batch, None, trial.options.projected),
                    _ => {
                        assert!(weights.is_none(), "{what}");
                        continue;
                    }
                };
                let weights = weights.expect("this mixer has weights");
                assert_eq!(weights.dims(), [rows, trial.dims.heads, trial.len, keys], "{what}");
                for (at, row) in floats(weights).chunks(keys).enumerate() {
                    let query = at % trial.len;
                    let sees = match window {
                        Some(before) => query.saturating_sub(before)..query + taps - before,
                        None => 0..keys,
                    };
                    for (key, &weight) in row.iter().enumerate() {
                        match sees.contains(&key) {
                            true => assert!(weight >= 0.0, "{what}: {query} {key}"),
                            false => assert_eq!(weight, 0.0, "{what}: {query} {key}"),
                        }
                    }
                    let cut = window.is_some_and(|before| query < before || sees.end > keys);
                    let sum: f32 = row.iter().sum();
                    let most = 1.0 + 1e-5;
                    assert!(
                        sum < most && (cut || sum > 2.0 - most),
                        "{what}: {query} sums to {sum}"
                    );
                }
            }
        }
    });
}

/// Under a causal mask a short input gives the slice of a long one.
#[test]
fn a_short_input_gives_the_slice_of_a_long_one() {
    holds(|trial| {
        let device = cpu();
        let short = Trial { len: trial.number(4, 1, trial.len), ..trial.clone() };
        let front = |_row, position| position < short.len;
        for kind in causal_kinds() {
            let layer = trial.layer(kind, &device);
            let values = trial.values(0);
            let long_mask = Mask::causal(trial.len, &device);
            let long = output(trial, &layer, values.clone(), &long_mask);
            let short_mask = Mask::causal(short.len, &device);
            let got = output(&short, &layer, kept(trial, &values, front), &short_mask);
            assert_close(&got, &kept(trial, &long, front), (kind.name, short.len, trial));
        }
    });
}

/// A row gives the same whatever rows stand beside it.
#[test]
fn a_batch_row_is_independent_of_its_neighbours() {
    holds(|trial| {
        let device = cpu();
        let chosen = trial.number(5, 0, trial.batch - 1);
        let own = |row, _position| row == chosen;
        let alone = Trial { batch: 1, ..trial.clone() };
        for kind in KINDS {
            let layer = trial.layer(kind, &device);
            for (name, mask) in masks_of(kind, trial, &device) {
                let what = (kind.name, name, trial);
                let values = trial.values(0);
                let other = changed(trial, &values, |row, position| !own(row, position));
                let [first, second] = [&values, &other]
                    .map(|values| kept(trial, &output(trial, &layer, values.clone(), &mask), own));
                assert_eq!(first, second, "{what:?}");
                if mask.tokens().is_none() {
                    let got = output(&alone, &layer, kept(trial, &values, own), &mask);
                    assert_close(&got, &first, what);
                }
            }
        }
    });
}

/// The scores of an input-independent kind are made once, not for each row of a batch.
#[test]
fn scores_that_ignore_the_input_have_one_row() {
    holds(|trial| {
        let device = cpu();
        let x = trial.tensor(trial.values(0), &device);
        for kind in kinds_with_scores() {
            let AnyMixer::Attention(layer) = trial.layer(kind, &device) else {
                panic!("{} has scores", kind.name);
            };
            let scores = layer.scores(&x, 0, None, false);
            let rows = match kind.conditions_on() {
                ConditionsOn::Nothing => 1,
                ConditionsOn::Token | ConditionsOn::TokenPair => trial.batch,
            };
            let expected = [rows, trial.dims.heads, trial.len, trial.len];
            assert_eq!(scores.dims(), expected, "{} {trial:?}", kind.name);
        }
    });
}

/// Only mixtures have mixture weights; they sum to one in every head.
#[test]
fn mixture_weights_sum_to_one() {
    holds(|trial| {
        for kind in KINDS {
            let what = format!("{} {trial:?}", kind.name);
            let Some(mixture) = trial.layer(kind, &cpu()).mixture() else {
                assert!(kind.parts().len() <= 1, "{what}");
                continue;
            };
            assert_eq!(mixture.dims(), [trial.dims.heads, kind.parts().len()], "{what}");
            let weights = floats(mixture);
            for head in weights.chunks(kind.parts().len()) {
                let sum: f32 = head.iter().sum();
                assert!((sum - 1.0).abs() < 1e-5 && head.iter().all(|x| *x > 0.0), "{what}");
            }
            if trial.options.mixing == Mixing::Layer {
                let first = &weights[..kind.parts().len()];
                assert!(weights.chunks(kind.parts().len()).all(|head| head == first), "{what}");
            }
        }
    });
}

/// Feeding a sequence in pieces to a layer gives what it gives in one pass, at every position.
#[test]
fn a_layer_fed_in_pieces_equals_the_full_pass() {
    holds(|trial| {
        let device = cpu();
        let d_model = trial.dims.d_model;
        let mask = Mask::causal(trial.len, &device);
        let x = trial.tensor(trial.values(0), &device);
        let mut rng = trial.rng(6);
        for kind in causal_kinds() {
            let layer = trial.layer(kind, &device);
            let (expected, _) = layer.forward(x.clone(), &mask, false);
            let (mut cache, mut pieces, mut past) = (Default::default(), Vec::new(), 0);
            let mut split = Vec::new();
            while past < trial.len {
                let len = 1 + rng.below(trial.len - past);
                let piece = x.clone().slice([0..trial.batch, past..past + len, 0..d_model]);
                pieces.push(layer.forward_cached(piece, &mut cache));
                split.push(len);
                past += len;
            }
            let got = floats(Tensor::cat(pieces, 1));
            assert_close(&got, &floats(expected), (kind.name, split, trial));
        }
    });
}

/// The table of kinds counts weights as a layer has them.
#[test]
fn the_count_of_weights_is_right() {
    holds(|trial| {
        for kind in KINDS {
            let layer = trial.layer(kind, &cpu());
            let counted = kind.parameters(&trial.options, &trial.dims);
            assert_eq!(counted, layer.num_params() as u64, "{} {trial:?}", kind.name);
        }
    });
}

/// A fresh weight depends on its name and the seed alone: kinds that share a part start alike.
#[test]
fn kinds_that_share_a_weight_start_with_the_same() {
    let trial = Trial::small();
    let weights = |kind: &Kind, seed| {
        let layer = kind.init(&trial.options, &trial.dims, &Init::new(seed, &cpu()));
        weights::flatten(&layer)
    };
    let all: Vec<_> = KINDS.iter().map(|kind| (kind.name, weights(kind, 3))).collect();
    for (kind, own) in &all {
        for (other_kind, other) in &all {
            for (name, value) in own {
                // Of the same name but another shape: `mixture.logits` of two and three parts.
                let Some(found) = other.get(name).filter(|w| w.dims() == value.dims()) else {
                    continue;
                };
                let (value, found) = (floats(value.clone()), floats(found.clone()));
                assert_eq!(value, found, "{name} of {kind} and {other_kind}");
            }
        }
    }
    for kind in KINDS {
        let (one, another) = (weights(kind, 3), weights(kind, 4));
        let differ = one
            .iter()
            .any(|(name, weight)| floats(weight.clone()) != floats(another[name].clone()));
        assert_eq!(differ, !one.is_empty(), "{}", kind.name);
    }
}
