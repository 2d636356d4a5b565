//! The experiment of a table as cross-attention: all that holds for dot products.

use burn::tensor::{Device, Int, Tensor, TensorData, Tolerance};
use futures_lite::future::block_on;
use serde_json::{Value as Json, json};

use super::super::{Part, Session};
use super::tasks::{ROUNDING, data, evaluate, kinds_for, pair, train};
use crate::attention::Mask;
use crate::config::ModelSpec;
use crate::data::batches::Padded;
use crate::device;
use crate::error::Error;
use crate::model::{CrossAttention, Net, Reading, SequenceModel};
use crate::session::loss::{ids, reading};
use crate::task::Task;
use crate::value::Value;

const MAX_LENGTH: usize = 14;

fn spec(attention: &str) -> ModelSpec {
    let spec = json!({
        "task": "sequence-to-sequence", "attention": attention, "dModel": 16, "heads": 2,
        "layers": 2, "maxLength": MAX_LENGTH, "dropout": 0.1,
    });
    let spec = ModelSpec::parse(&Value::from(&spec)).expect("a valid spec");
    spec.with_cross(CrossAttention::Random).expect("the task has sources")
}

fn rows() -> Json {
    data(Task::SequenceToSequence)
}

fn create(attention: &str) -> Session {
    Session::create(spec(attention), Value::from(&rows()), &device::cpu()).expect("valid data")
}

fn run(steps: u32) -> Json {
    json!({ "steps": steps, "batch": 3, "learningRate": 0.01 })
}

/// A model that has learned something, without autodiff.
fn model(session: &Session) -> SequenceModel {
    match session.trainer.inference_model() {
        Net::Sequence(model) => model,
        _ => panic!("the task is sequence-to-sequence"),
    }
}

fn values<const D: usize>(tensor: Tensor<D>) -> TensorData {
    block_on(tensor.into_data_async()).expect("the CPU is there")
}

#[test]
fn it_learns_saves_and_loads_with_every_kind() {
    for kind in kinds_for(Task::SequenceToSequence) {
        let mut whole = create(kind.name);
        let losses = train(&mut whole, run(6));
        let mut first = create(kind.name);
        train(&mut first, run(3));
        let file = block_on(first.save()).expect("a file");
        let mut second = Session::load(&file, Some(Value::from(&rows())), &device::cpu())
            .unwrap_or_else(|error| panic!("{}: {error}", kind.name));
        assert_eq!(second.spec().cross, CrossAttention::Random);
        assert_eq!(train(&mut second, run(3)), losses[3..], "{}", kind.name);
        assert_eq!(block_on(second.save()).expect("a file").len(), file.len());
    }
}

#[test]
fn it_has_a_table_for_queries_and_keys() {
    let session = create("random");
    let weights = crate::weights::list(session.model());
    let of_cross = weights.iter().filter_map(|weight| {
        let (_, name) = weight.name.split_once("decoder.0.cross.")?;
        Some((name, weight.shape.clone()))
    });
    let expected = [
        ("random.logits", vec![2, MAX_LENGTH, MAX_LENGTH]),
        ("value.weight", vec![16, 16]),
        ("value.bias", vec![16]),
        ("out.weight", vec![16, 16]),
        ("out.bias", vec![16]),
    ];
    assert_eq!(of_cross.collect::<Vec<_>>(), expected);
    let attention = |name: &str| name.contains(".attn.") || name.contains(".cross.");
    let counted = weights.iter().filter(|weight| attention(&weight.name));
    let counted: usize = counted.map(crate::weights::Entry::len).sum();
    assert_eq!(session.spec().attention_parameters(), counted as u64);
    let table = weights.iter().find(|weight| weight.name == "decoder.1.cross.random.logits");
    assert!(table.expect("a table a layer").trainable);
}

#[test]
fn padding_is_inert() {
    for kind in kinds_for(Task::SequenceToSequence) {
        let mut session = create(kind.name);
        train(&mut session, json!({ "steps": 8, "batch": 4, "learningRate": 0.02 }));
        let together = evaluate(&mut session, Some(&rows()), 8);
        let alone = evaluate(&mut session, Some(&rows()), 1);
        assert!((together.loss - alone.loss).abs() < ROUNDING, "{}: {together:?}", kind.name);
        assert_eq!(together.exact_match, alone.exact_match, "{}", kind.name);
    }
}

/// Sources of several lengths in one batch, and targets for them.
fn batch(device: &Device) -> (Reading, Tensor<2, Int>) {
    let sources: [&[u32]; 3] = [&[4, 5, 6, 7, 8], &[6], &[5, 4, 7]];
    let targets = [2, 4, 5, 6, 2, 7, 7, 4, 2, 5, 8, 6];
    (reading(&Padded::new(&sources, 0), None, device), ids(&targets, [3, 4], device))
}

#[test]
fn decoding_with_a_cache_gives_the_logits_of_the_full_pass() {
    let device = device::cpu();
    let rows = Tensor::<1, Int>::from_ints([2, 0, 2, 1], &device);
    for kind in kinds_for(Task::SequenceToSequence) {
        let mut session = create(kind.name);
        train(&mut session, run(3));
        let model = model(&session);
        let (source, targets) = batch(&device);
        let full = model.forward(&source, targets.clone(), &Mask::causal(4, &device), None);
        let mut decoding = model.begin(&source);
        for at in 0..4 {
            let [.., vocab] = full.dims();
            let mut expected = full.clone().slice([0..3, at..at + 1]).reshape([3, vocab]);
            let mut ids = targets.clone().slice([0..3, at..at + 1]).reshape([3]);
            // Beams come and go between tokens.
            if at >= 2 {
                (expected, ids) = (expected.select(0, rows.clone()), ids.select(0, rows.clone()));
            }
            if at == 2 {
                decoding.select(&rows);
            }
            let logits = values(model.decode_next(ids, &mut decoding));
            logits.assert_approx_eq::<f32>(&values(expected), Tolerance::absolute(1e-5));
        }
    }
}

#[test]
fn later_targets_and_padding_change_nothing() {
    let device = device::cpu();
    let mut session = create("random+vanilla");
    train(&mut session, run(3));
    let model = model(&session);
    let (source, targets) = batch(&device);
    let mask = Mask::causal(4, &device);
    let past = |source: &Reading, targets| {
        values(model.forward(source, targets, &mask, None).slice([0..3, 0..2]))
    };
    let expected = past(&source, targets);
    let other = ids(&[2, 4, 8, 8, 2, 7, 4, 4, 2, 5, 5, 5], [3, 4], &device);
    past(&source, other.clone()).assert_approx_eq::<f32>(&expected, Tolerance::absolute(1e-6));
    let filled = ids(&[4, 5, 6, 7, 8, 6, 7, 4, 8, 8, 5, 4, 7, 7, 7], [3, 5], &device);
    let filled = Reading { ids: filled, ..source };
    past(&filled, other).assert_approx_eq::<f32>(&expected, Tolerance::absolute(1e-6));
}

#[test]
fn its_maps_are_of_positions_and_not_of_words() {
    let mut session = create("dense");
    train(&mut session, run(3));
    let map = |source: &str, target: &str| {
        let maps = block_on(session.attention(&pair(source, target), Some(Part::Cross)));
        maps.expect("maps")
    };
    let maps = map("a b c", "A B");
    assert_eq!((maps.layers, maps.heads, maps.queries, maps.keys), (2, 2, 4, 5));
    for row in maps.weights.chunks(maps.keys) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
    assert_eq!(maps.weights, map("e d a", "C D").weights);
    assert_ne!(maps.weights[..5], maps.weights[5..10]);
}

#[test]
fn a_file_names_it_and_those_of_dot_products_do_not() {
    let stored = spec("random").stored();
    assert_eq!(stored["cross"], json!("random"));
    assert_eq!(spec("random").to_json().get("cross"), None);
    let dots = spec("random").with_cross(CrossAttention::DotProduct).expect("the default");
    assert_eq!(dots.stored(), dots.to_json());
    // As every reader of specs that has no experiments says it.
    let refused = ModelSpec::parse(&Value::from(&stored)).expect_err("no option of the package");
    assert!(matches!(refused, Error::InvalidOption { option, .. } if option == "cross"));
    for wrong in [json!("dense"), json!(1), json!(null)] {
        let mut stored = stored.clone();
        stored["cross"] = wrong;
        assert!(ModelSpec::parse_stored(&Value::from(&stored)).is_err(), "{stored}");
    }
}

#[test]
fn a_model_without_source_has_none() {
    let spec = json!({ "task": "language-model", "attention": "random" });
    let spec = ModelSpec::parse(&Value::from(&spec)).expect("a valid spec");
    let refused = spec.clone().with_cross(CrossAttention::Random).expect_err("no source");
    let expected = Error::option("cross", "\"random\"", "the task \"sequence-to-sequence\"");
    assert_eq!(refused, expected);
    assert!(spec.with_cross(CrossAttention::DotProduct).is_ok());
    let unknown = CrossAttention::named("dense").expect_err("there is none");
    assert_eq!(unknown, Error::option("cross", "\"dense\"", "\"dot-product\" or \"random\""));
}
