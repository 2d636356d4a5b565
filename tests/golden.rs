//! Scores, attention, outputs, losses and every gradient against golden vectors: the formulas in
//! float64 NumPy, sharing no code with the crate (`tests/golden/generate.py`).
//!
//! `SYNTHATTN_GOLDEN` names another folder of vectors, by an absolute path; every size is taken
//! from its manifest. In a browser the folder is the one named when the test was compiled.

#[path = "common/comparison.rs"]
mod comparison;
#[path = "common/devices.rs"]
mod devices;
#[path = "common/golden_set.rs"]
mod golden_set;
#[path = "common/kernels.rs"]
mod kernels;
#[path = "common/tasks.rs"]
mod tasks;

use std::collections::BTreeMap;

use burn::module::Module;
use burn::tensor::{Device, Gradients, Int, Tensor, TensorData};
use comparison::{Comparison, Readout};
use devices::say;
use golden_set::{
    Case, Config, Content, Entry, Layer, Result, Sequence, Set, Steps, Tensors, take, take_one,
};
use synthattn::attention::{AnyMixer, KINDS, Kind, Mask, TokenMixer};
use synthattn::init::Init;
use synthattn::model::language_model::token_losses;
use synthattn::model::layers::Activation;
use synthattn::model::{
    Block, BlockConfig, LanguageModel, Positions, Reading, SequenceModel, WriterConfig,
};
use synthattn::train::{OptimizerConfig, OptimizerKind, Trainer};
use synthattn::weights;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);

on_every_device!(
    every_kind_agrees,
    blocks_agree,
    training_steps_agree,
    encoder_decoders_agree,
    tasks_agree,
    activations_agree,
    fused_operations_agree
);

async fn every_kind_agrees(device: Device) {
    let set = Set::open().expect("a set of golden vectors");
    say(&kinds_agree_with(&set, &device).await.expect("a whole set"));
}

async fn blocks_agree(device: Device) {
    let set = Set::open().expect("a set of golden vectors");
    say(&blocks_agree_with(&set, &device).await.expect("a whole set"));
}

async fn training_steps_agree(device: Device) {
    let set = Set::open().expect("a set of golden vectors");
    say(&steps_agree_with(&set, &device).await.expect("a whole set"));
}

async fn encoder_decoders_agree(device: Device) {
    let set = Set::open().expect("a set of golden vectors");
    say(&sequences_agree_with(&set, &device).await.expect("a whole set"));
}

/// What the vectors do not cover, against the CPU.
async fn tasks_agree(device: Device) {
    tasks::agree(device).await;
}

/// What models are made of, at odd sizes.
async fn fused_operations_agree(device: Device) {
    kernels::agree(device).await;
}

/// Activations and their slopes against the formulas in float64: the blocks of the reference have
/// ReLU alone, and a device can have the value of one GELU and the gradient of the other.
async fn activations_agree(device: Device) {
    use std::f64::consts::{FRAC_1_SQRT_2, PI};
    let points: Vec<f64> = (-60..60).map(|i| f64::from(i) / 10.0 + 0.05).collect();
    let gelu = |x: f64| {
        let phi = 0.5 * (1.0 + libm::erf(x * FRAC_1_SQRT_2));
        (x * phi, phi + x * (-0.5 * x * x).exp() / (2.0 * PI).sqrt())
    };
    let gelu_tanh = |x: f64| {
        let scale = (2.0 / PI).sqrt();
        let tanh = (scale * (x + 0.044715 * x.powi(3))).tanh();
        let inner = scale * (1.0 + 3.0 * 0.044715 * x * x);
        (0.5 * x * (1.0 + tanh), 0.5 * (1.0 + tanh) + 0.5 * x * (1.0 - tanh * tanh) * inner)
    };
    let relu = |x: f64| if x > 0.0 { (x, 1.0) } else { (0.0, 0.0) };
    let mut comparison = Comparison::default();
    let data = |values: Vec<f64>| {
        let values: Vec<f32> = values.into_iter().map(|value| value as f32).collect();
        TensorData::from(values.as_slice())
    };
    for (activation, exact) in [
        (Activation::Gelu, &gelu as &dyn Fn(f64) -> (f64, f64)),
        (Activation::GeluTanh, &gelu_tanh),
        (Activation::Relu, &relu),
    ] {
        let x = Tensor::<1>::from_data(data(points.clone()), &device).require_grad();
        let value = activation.forward(x.clone());
        let mut gradients = value.clone().sum().backward();
        let mut readout = Readout::default();
        readout.add("value", value.inner());
        readout.add("slope", x.grad_remove(&mut gradients).expect("the input has a gradient"));
        let got = readout.read().await;
        let (values, slopes) = points.iter().map(|x| exact(*x)).unzip();
        comparison.check(&format!("{activation:?} value"), &got["value"], &data(values));
        comparison.check(&format!("{activation:?} slope"), &got["slope"], &data(slopes));
    }
    say(&comparison.conclude("activations"));
}

/// The kind that golden files call `variant`, or a word that its file is not covered.
fn kind_of(variant: &str, file: &str, comparison: &mut Comparison) -> Option<&'static Kind> {
    let found = KINDS.iter().find(|kind| golden_set::variant_of(kind) == variant);
    if found.is_none() {
        comparison.leave_out(format!("{file}: no kind corresponds to {variant:?}"));
    }
    found
}

/// Every token mixer alone. Each kind of the table must have a file.
async fn kinds_agree_with(set: &Set, device: &Device) -> Result<String> {
    let mut comparison = Comparison::default();
    let mut covered = Vec::new();
    for entry in set.entries()? {
        let Content::TokenMixing(layer) = &entry.content else { continue };
        let tensors = set.tensors(&entry)?;
        let Some(kind) = kind_of(&layer.variant, &entry.file, &mut comparison) else { continue };
        let options = layer.config.options()?;
        let mixer = kind.init(&options, &layer.config.dims(), &Init::new(0, device));
        let forward = |mixer: &AnyMixer, x: Tensor<3>, mask: &Mask| {
            let scores = match mixer {
                AnyMixer::Attention(attention) => Some(attention.scores(&x, 0, None, false)),
                _ => None,
            };
            let (output, attention) = mixer.forward(x, mask, true);
            Outputs { output, attention, scores }
        };
        compare_layer(&mut comparison, &entry, layer, tensors, mixer, device, forward).await?;
        covered.push(kind.name);
    }
    let missing = KINDS.iter().filter(|kind| !covered.contains(&kind.name));
    let (added, missing): (Vec<_>, Vec<_>) =
        missing.partition(|kind| golden_set::ADDED.contains(&kind.name));
    // A set that has one of them comes from a generator that knows them all.
    let before_them = added.len() == golden_set::ADDED.len();
    match missing.iter().chain(added.iter().filter(|_| !before_them)).next() {
        None => {
            for kind in added {
                let what = "its set was written before the reference knew it";
                comparison.leave_out(format!("kind {:?}: {what}", kind.name));
            }
            Ok(comparison.conclude("token mixers"))
        }
        Some(kind) => {
            let variant = golden_set::variant_of(kind);
            Err(format!("kind {:?} has no file of variant {variant:?}", kind.name))
        }
    }
}

/// Blocks: norms, token mixer, feed-forward part and residuals.
async fn blocks_agree_with(set: &Set, device: &Device) -> Result<String> {
    let mut comparison = Comparison::default();
    for entry in set.entries()? {
        let Content::Block(layer) = &entry.content else { continue };
        let tensors = set.tensors(&entry)?;
        let Some(kind) = kind_of(&layer.variant, &entry.file, &mut comparison) else { continue };
        let block = Block::init(&block_config(kind, &layer.config)?, &Init::new(0, device));
        let forward = |block: &Block, x: Tensor<3>, mask: &Mask| {
            let (output, _) = block.forward(x, mask, None, false);
            Outputs { output, attention: None, scores: None }
        };
        compare_layer(&mut comparison, &entry, layer, tensors, block, device, forward).await?;
    }
    Ok(comparison.conclude("blocks"))
}

/// Language models: logits, gradients, and the first steps of two optimizers.
async fn steps_agree_with(set: &Set, device: &Device) -> Result<String> {
    let mut comparison = Comparison::default();
    for entry in set.entries()? {
        let Content::LmStep(steps) = &entry.content else { continue };
        let tensors = set.tensors(&entry)?;
        compare_steps(&mut comparison, &entry.file, steps, tensors, device).await?;
    }
    Ok(comparison.conclude("training steps"))
}

/// Encoder-decoders: logits, loss and gradients, with padding in sources and targets.
async fn sequences_agree_with(set: &Set, device: &Device) -> Result<String> {
    let mut comparison = Comparison::default();
    for entry in set.entries()? {
        let Content::Seq2seq(sequence) = &entry.content else { continue };
        let tensors = set.tensors(&entry)?;
        compare_sequence(&mut comparison, &entry.file, sequence, tensors, device).await?;
    }
    Ok(comparison.conclude("encoder-decoders"))
}

/// A block as the reference has it: its feed-forward part is ReLU.
fn block_config(kind: &'static Kind, config: &Config) -> Result<BlockConfig> {
    Ok(BlockConfig {
        kind,
        options: config.options()?,
        dims: config.dims(),
        d_ff: config.d_ff.ok_or("no d_ff")?,
        activation: Activation::Relu,
        cross: config.cross()?,
    })
}

/// What a layer makes of one input.
struct Outputs {
    output: Tensor<3>,
    attention: Option<Tensor<4>>,
    scores: Option<Tensor<4>>,
}

/// Compares a token mixer or block in all cases of its file.
async fn compare_layer<M: Module>(
    comparison: &mut Comparison,
    entry: &Entry,
    layer: &Layer,
    mut tensors: Tensors,
    module: M,
    device: &Device,
    forward: impl Fn(&M, Tensor<3>, &Mask) -> Outputs,
) -> Result<()> {
    let file = &entry.file;
    let module = weights::load(module, &take(&mut tensors, "param."))
        .map_err(|error| format!("{file}: {error}"))?;
    let frozen: Vec<String> = weights::list(&module)
        .into_iter()
        .filter_map(|weight| (!weight.trainable).then_some(weight.name))
        .collect();
    if frozen != layer.frozen {
        comparison.fail(format!("{file}: frozen are {frozen:?}, expected {:?}", layer.frozen));
    }
    for case in &layer.cases {
        let place = format!("{file} {}", case.name);
        let mut want = take(&mut tensors, &format!("{}.", case.name));
        let mask = mask_of(case, want.remove("key_mask"), device)
            .map_err(|error| format!("{place}: {error}"))?;
        let mut input = |name| {
            let data = take_one(&mut want, name).map_err(|error| format!("{place}: {error}"))?;
            match data.shape()[..] {
                [batch, len, _] if (batch, len) == (case.batch, case.length) => {
                    Ok::<_, String>(Tensor::<3>::from_data(data, device))
                }
                _ => Err(format!("{place}: {name} is {:?}", data.shape())),
            }
        };
        let (x, g) = (input("x")?.require_grad(), input("g")?);
        let outputs = forward(&module, x.clone(), &mask);
        let loss = (outputs.output.clone() * g).sum();
        let mut gradients = loss.backward();

        let mut readout = Readout::default();
        readout.add("output", outputs.output.inner());
        readout.add("loss", loss.inner());
        for (name, tensor) in [("attention", outputs.attention), ("scores", outputs.scores)] {
            if let Some(tensor) = tensor {
                readout.add(name, tensor.inner());
            }
        }
        readout.add("grad.x", x.grad_remove(&mut gradients).expect("the input has a gradient"));
        let mut got = readout.read().await;
        got.extend(weight_gradients(&module, &mut gradients).await);
        comparison.check_all(&place, &got, &want);
        if let (Some(got), Some(want)) = (got.get("attention"), want.get("attention")) {
            comparison.check_zeros(&format!("{place} attention"), got, want);
        }
    }
    all_used(file, &tensors)
}

/// The mask of a case; `key_mask` is 1 for tokens and 0 for the padding on their right.
fn mask_of(case: &Case, key_mask: Option<TensorData>, device: &Device) -> Result<Mask> {
    let Some(lengths) = &case.key_lengths else {
        return match (key_mask, case.causal) {
            (Some(_), _) => Err("a key_mask without key_lengths".to_owned()),
            (None, true) => Ok(Mask::causal(case.length, device)),
            (None, false) => Ok(Mask::none()),
        };
    };
    let row = |&tokens: &usize| (0..case.length).map(move |at| u8::from(at < tokens));
    let expected: Vec<u8> = lengths.iter().flat_map(row).collect();
    match key_mask.ok_or("no key_mask")?.try_to_vec::<u8>() {
        Ok(values) if values == expected => {
            Ok(Mask::padded(lengths, case.length, case.causal, device))
        }
        _ => Err("key_mask and key_lengths disagree".to_owned()),
    }
}

/// Gradients of all trainable weights, as `grad.NAME`. One that the loss does not depend on has
/// none on the device, which says zero.
async fn weight_gradients(
    module: &impl Module,
    gradients: &mut Gradients,
) -> BTreeMap<String, TensorData> {
    let mut readout = Readout::default();
    for (name, gradient) in weights::gradients(module, gradients) {
        readout.add(name, gradient);
    }
    let mut flat = readout.read().await;
    let shaped = weights::list(module).into_iter().filter_map(|weight| {
        let gradient = flat.remove(&weight.name).map(|data| data.iter::<f32>().collect());
        let zeros = || weight.trainable.then(|| vec![0.0; weight.len()]);
        let values: Vec<f32> = gradient.or_else(zeros)?;
        Some((format!("grad.{}", weight.name), TensorData::new(values, weight.shape)))
    });
    shaped.collect()
}

/// Compares the language models of a steps file.
async fn compare_steps(
    comparison: &mut Comparison,
    file: &str,
    steps: &Steps,
    mut tensors: Tensors,
    device: &Device,
) -> Result<()> {
    let mut ids = |name| {
        let data = take_one(&mut tensors, name).map_err(|error| format!("{file}: {error}"))?;
        match data.shape()[..] == [steps.batch, steps.length] {
            true => Ok::<_, String>(Tensor::<2, Int>::from_data(data, device)),
            false => Err(format!("{file}: {name} is {:?}", data.shape())),
        }
    };
    let (inputs, targets) = (ids("inputs")?, ids("targets")?);
    let mask = LanguageModel::mask(steps.length, device);
    let logits = |model: &LanguageModel| model.forward(inputs.clone(), &mask, None);
    let loss = |model: &LanguageModel| token_losses(logits(model), targets.clone()).sum();
    let count = (steps.batch * steps.length) as u64;

    for variant in &steps.variants {
        let place = format!("{file} {}", variant.name);
        let told = |error: String| format!("{place}: {error}");
        let mut want = take(&mut tensors, &format!("{}.", variant.name));
        let Some(kind) = kind_of(&variant.name, file, comparison) else { continue };
        let config = WriterConfig {
            block: block_config(kind, &steps.config)?,
            layers: steps.config.layers.ok_or("no layers")?,
            vocab: steps.config.vocab.ok_or("no vocab")?,
            positions: Positions::Learned,
            tied: false,
            head_bias: false,
        };
        let model = LanguageModel::init(&config, &Init::new(0, device));
        let model = weights::load(model, &take(&mut want, "param."))
            .map_err(|error| told(error.to_string()))?;

        let mut gradients = loss(&model).div_scalar(count as f64).backward();
        let mut readout = Readout::default();
        readout.add("logits", logits(&model).inner());
        let mut got = readout.read().await;
        got.extend(weight_gradients(&model, &mut gradients).await);

        let sgd = OptimizerConfig { kind: OptimizerKind::Sgd, weight_decay: 0.0, ..no_clipping() };
        let adamw = OptimizerConfig {
            kind: OptimizerKind::AdamW,
            beta1: steps.adamw.beta1,
            beta2: steps.adamw.beta2,
            epsilon: steps.adamw.eps,
            weight_decay: steps.adamw.weight_decay,
            ..no_clipping()
        };
        for (name, rate, optimizer) in
            [("sgd", steps.sgd.lr, sgd), ("adamw", steps.adamw.lr, adamw)]
        {
            let mut trainer = Trainer::new(model.clone(), 0);
            trainer.set_optimizer(optimizer);
            // `losses[t]` is the loss after `t` steps: a step reports the loss before it.
            let mut losses = Vec::new();
            for _ in 0..steps.steps {
                trainer.step(rate, count, loss);
                let readings = trainer.report().await.map_err(|error| told(error.to_string()))?;
                losses.push(readings.loss as f32);
            }
            let mut readout = Readout::default();
            readout.add("last", loss(trainer.model()).div_scalar(count as f64).inner());
            let last = readout.read().await.remove("last").expect("just read");
            losses.extend(last.iter::<f32>());
            got.insert(format!("{name}.loss"), TensorData::from(losses.as_slice()));

            // The reference keeps the final weights of one optimizer.
            if want.keys().any(|key| key.starts_with(&format!("{name}.final."))) {
                let weights = weights::read(trainer.model()).await;
                for (weight, data) in weights.map_err(|error| told(error.to_string()))? {
                    got.insert(format!("{name}.final.{weight}"), data);
                }
            }
        }
        comparison.check_all(&place, &got, &want);
    }
    all_used(file, &tensors)
}

/// Compares the encoder-decoder of a file.
async fn compare_sequence(
    comparison: &mut Comparison,
    file: &str,
    sequence: &Sequence,
    mut tensors: Tensors,
    device: &Device,
) -> Result<()> {
    let Sequence { variant, config, batch, src_len, src_lengths, tgt_len, tgt_lengths } = sequence;
    let Some(kind) = kind_of(variant, file, comparison) else { return Ok(()) };
    let told = |error: String| format!("{file}: {error}");
    let config = WriterConfig {
        block: block_config(kind, config)?,
        layers: config.layers.ok_or("no layers")?,
        vocab: config.vocab.ok_or("no vocab")?,
        positions: Positions::Learned,
        tied: false,
        head_bias: false,
    };
    let model = SequenceModel::init(&config, &Init::new(0, device));
    let model = weights::load(model, &take(&mut tensors, "param."))
        .map_err(|error| told(error.to_string()))?;
    let mut input = |name: &str, len: usize| {
        let data = take_one(&mut tensors, name).map_err(told)?;
        match data.shape()[..] == [*batch, len] {
            true => Ok::<_, String>(data),
            false => Err(format!("{file}: {name} is {:?}", data.shape())),
        }
    };
    for (name, len, lengths) in
        [("src_mask", *src_len, src_lengths), ("tgt_weight", *tgt_len, tgt_lengths)]
    {
        let row = |&tokens: &usize| (0..len).map(move |at| u8::from(at < tokens));
        let expected: Vec<u8> = lengths.iter().flat_map(row).collect();
        if !input(name, len)?.try_to_vec::<u8>().is_ok_and(|values| values == expected) {
            return Err(format!("{file}: {name} and the lengths disagree"));
        }
    }
    let ids = |data: TensorData| Tensor::<2, Int>::from_data(data, device);
    let source = Reading {
        ids: ids(input("src", *src_len)?),
        segments: None,
        mask: Mask::padded(src_lengths, *src_len, false, device),
    };
    let (inputs, outputs) = (ids(input("tgt_in", *tgt_len)?), ids(input("tgt_out", *tgt_len)?));
    let counts =
        |&tokens: &usize| (0..*tgt_len).map(move |at| if at < tokens { 1.0_f32 } else { 0.0 });
    let counts: Vec<f32> = tgt_lengths.iter().flat_map(counts).collect();
    let counted = counts.iter().sum::<f32>();
    let counts = Tensor::<1>::from_data(TensorData::from(counts.as_slice()), device);

    let logits = model.forward(&source, inputs, &Mask::causal(*tgt_len, device), None);
    let loss = (token_losses(logits.clone(), outputs) * counts).sum().div_scalar(counted);
    let mut gradients = loss.backward();
    let mut readout = Readout::default();
    readout.add("logits", logits.inner());
    readout.add("loss", loss.inner());
    let mut got = readout.read().await;
    got.extend(weight_gradients(&model, &mut gradients).await);
    let want = std::mem::take(&mut tensors);
    comparison.check_all(file, &got, &want);
    Ok(())
}

/// The optimizers of the reference follow gradients of any length.
fn no_clipping() -> OptimizerConfig {
    OptimizerConfig { clip_norm: f64::INFINITY, ..OptimizerConfig::default() }
}

/// A tensor that nothing was compared with would be a gap that nobody sees.
fn all_used(file: &str, left: &Tensors) -> Result<()> {
    match left.keys().min() {
        Some(name) => Err(format!("{file}: no case or variant uses {name}")),
        None => Ok(()),
    }
}

/// The comparison must be able to fail, and a set that is not whole must not pass.
#[cfg(not(target_arch = "wasm32"))]
mod broken_sets {
    use super::*;
    use futures_lite::future::block_on;

    fn set() -> Set {
        Set::beside_the_tests().expect("a set of golden vectors")
    }

    fn kinds_error(set: &Set) -> String {
        block_on(kinds_agree_with(set, &block_on(devices::cpu()))).expect_err("a broken set")
    }

    /// Replaces `from` by `to` in the manifest.
    fn edited(from: &str, to: &str) -> Set {
        let mut set = set();
        let manifest = set.files.get_mut("manifest.json").expect("a manifest");
        let text = String::from_utf8(manifest.clone()).expect("a manifest is text");
        assert!(text.contains(from), "the manifest has {from}");
        *manifest = text.replacen(from, to, 1).into_bytes();
        set
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let error = Set::read(std::path::Path::new("/nonexistent/golden")).err();
        assert!(error.expect("no such folder").contains("/nonexistent/golden"));
    }

    #[test]
    fn a_folder_without_manifest_is_an_error() {
        let error = Set { files: BTreeMap::new() }.entries().err();
        assert_eq!(error.expect("no manifest"), "manifest.json is missing");
    }

    #[test]
    fn a_listed_file_that_is_missing_is_named() {
        let mut set = set();
        set.files.remove("dense.safetensors");
        assert_eq!(kinds_error(&set), "dense.safetensors is missing");
    }

    #[test]
    fn a_kind_without_file_is_named() {
        let error = kinds_error(&edited(
            r#""kind": "token_mixing", "variant": "fixed_random""#,
            r#""kind": "token_mixing", "variant": "something_else""#,
        ));
        assert!(error.contains("\"fixed-random\""), "{error}");
    }

    /// Whatever set `SYNTHATTN_GOLDEN` names, ours has every kind.
    #[test]
    fn the_set_beside_the_tests_has_every_kind() {
        let entries = set().entries().expect("a manifest");
        for kind in KINDS {
            let variant = golden_set::variant_of(kind);
            let covers = |entry: &Entry| match &entry.content {
                Content::TokenMixing(layer) => layer.variant == variant,
                _ => false,
            };
            assert!(entries.iter().any(covers), "{}", kind.name);
        }
    }

    #[test]
    fn a_kind_that_the_reference_learnt_later_is_missed_beside_another_of_them() {
        let added = r#""kind": "token_mixing", "variant": "fnet""#;
        let error = kinds_error(&edited(added, &added.replace("fnet", "something_else")));
        assert!(error.contains("\"fnet\""), "{error}");
    }

    #[test]
    fn a_file_cut_short_is_named() {
        let mut set = set();
        set.files.get_mut("random.safetensors").expect("a file").truncate(5000);
        assert!(kinds_error(&set).starts_with("random.safetensors: "));
    }

    #[test]
    fn another_format_is_an_error() {
        assert!(kinds_error(&edited("\"format\": 1", "\"format\": 2")).contains("format 2"));
    }

    #[test]
    fn one_changed_value_is_found() {
        let mut set = set();
        let file = set.files.get_mut("vanilla.safetensors").expect("a file");
        // Somewhere among the tensors of the reference; the byte is the high one of a value.
        let high = (file.len() / 2).next_multiple_of(4) - 1;
        file[high] ^= 0x40;
        let device = block_on(devices::cpu());
        let outcome = std::panic::AssertUnwindSafe(|| block_on(kinds_agree_with(&set, &device)));
        let panic = std::panic::catch_unwind(outcome).expect_err("a disagreement");
        let message = panic.downcast_ref::<String>().expect("a message");
        assert!(message.contains("vanilla.safetensors"), "{message}");
    }
}
