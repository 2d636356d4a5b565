//! The fused operations and their gradients at odd sizes on a device, against Burn's own operations
//! and gradients on the CPU.

use burn::tensor::{Device, Int, Tensor, TensorData, activation};
use synthattn::device::cpu;
use synthattn::ops::{self, AdamRule, Gelu};
use synthattn::rng::{Purpose, Rng};

use crate::comparison::{Comparison, Readout};
use crate::devices::say;

/// A function of flat tensors, which it gives their shapes itself.
type Function<'a> = &'a dyn Fn(&[Tensor<1>]) -> Tensor<1>;

struct Check {
    device: Device,
    comparison: Comparison,
    drawn: u64,
}

fn values(index: u64, len: usize) -> TensorData {
    let mut rng = Rng::new(0, Purpose::Checks, index);
    TensorData::from((0..len).map(|_| rng.normal()).collect::<Vec<f32>>().as_slice())
}

fn classes(rows: usize, count: usize, device: &Device) -> Tensor<1, Int> {
    let mut rng = Rng::new(1, Purpose::Checks, rows as u64);
    let ids: Vec<i32> = (0..rows).map(|_| rng.below(count) as i32).collect();
    Tensor::from_data(TensorData::from(ids.as_slice()), device)
}

impl Check {
    /// Output and gradients of `ours` on the device are those of `plain` on the CPU.
    async fn same(&mut self, name: &str, lens: &[usize], ours: Function<'_>, plain: Function<'_>) {
        self.drawn += 100;
        let mut sides = Vec::new();
        for (device, function) in [(self.device.clone(), ours), (cpu().autodiff(), plain)] {
            let inputs: Vec<Tensor<1>> = (self.drawn..)
                .zip(lens)
                .map(|(index, &len)| Tensor::from_data(values(index, len), &device).require_grad())
                .collect();
            let output = function(&inputs);
            let along = Tensor::from_data(values(self.drawn - 1, output.dims()[0]), &device);
            let mut gradients = (output.clone() * along).sum().backward();
            let mut readout = Readout::default();
            readout.add("the value", output.inner());
            for (index, input) in inputs.iter().enumerate() {
                let gradient = input.grad_remove(&mut gradients).expect("every input counts");
                readout.add(format!("the gradient of {index}"), gradient);
            }
            sides.push(readout.read().await);
        }
        for (what, got) in &sides[0] {
            self.comparison.check(&format!("{name}, {lens:?}: {what}"), got, &sides[1][what]);
        }
    }
}

fn flat<const D: usize>(x: Tensor<D>) -> Tensor<1> {
    let len = x.shape().num_elements();
    x.reshape([len])
}

/// All operations that models are made of.
pub async fn agree(device: Device) {
    let mut check = Check { device, comparison: Comparison::default(), drawn: 0 };
    products(&mut check).await;
    #[cfg(any(
        feature = "wgpu",
        feature = "cuda",
        all(target_arch = "wasm32", feature = "webgpu")
    ))]
    {
        // By the kernel of graphics cards, whatever adapter there is.
        ops::always_by_tiles(true);
        products(&mut check).await;
        ops::always_by_tiles(false);
    }
    for len in [1, 2, 31, 64, 104, 200, 535] {
        rows(&mut check, len).await;
    }
    for which in [Gelu::Exact, Gelu::Tanh] {
        let plain = |x: Tensor<1>| match which {
            Gelu::Exact => x.clone() * (x.mul_scalar(0.5f32.sqrt()).erf() + 1.0) * 0.5,
            Gelu::Tanh => {
                let inner = x.clone() + x.clone().powi_scalar(3) * 0.044715;
                x * (inner.mul_scalar((2.0 / std::f64::consts::PI).sqrt()).tanh() + 1.0) * 0.5
            }
        };
        let (ours, plain) = (
            |x: &[Tensor<1>]| ops::gelu(x[0].clone(), which),
            |x: &[Tensor<1>]| plain(x[0].clone()),
        );
        check.same(&format!("{which:?} GELU"), &[777], &ours, &plain).await;
    }
    for parts in [1, 5, 6, 7, 13] {
        join(&mut check, parts).await;
    }
    for len in [1, 777, 70_001] {
        adam(&mut check, len).await;
    }
    say(&check.comparison.conclude("fused operations"));
}

async fn products(check: &mut Check) {
    for [rows, d_in, d_out] in [[1, 1, 1], [5, 3, 7], [33, 17, 65], [7, 104, 33], [130, 64, 2]] {
        linear(check, rows, d_in, d_out).await;
    }
    for sizes in [[1, 1, 1, 1, 1], [2, 7, 5, 3, 5], [3, 33, 40, 2, 16], [2, 64, 64, 4, 8]] {
        heads(check, sizes).await;
    }
}

async fn linear(check: &mut Check, rows: usize, d_in: usize, d_out: usize) {
    let lens = [2 * rows * d_in, d_in * d_out, d_out];
    let x = |x: &[Tensor<1>]| x[0].clone().reshape([2, rows, d_in]);
    let flat_x = |x: &[Tensor<1>]| x[0].clone().reshape([2 * rows, d_in]);
    let weight = |x: &[Tensor<1>]| x[1].clone().reshape([d_in, d_out]);
    let ours = |t: &[Tensor<1>]| flat(ops::linear(x(t), weight(t), Some(t[2].clone())));
    let plain = |t: &[Tensor<1>]| flat(flat_x(t).matmul(weight(t)) + t[2].clone().unsqueeze());
    check.same("linear", &lens, &ours, &plain).await;

    let ours = |t: &[Tensor<1>]| flat(ops::linear(x(t), weight(t), None));
    let plain = |t: &[Tensor<1>]| flat(flat_x(t).matmul(weight(t)));
    check.same("linear without bias", &lens[..2], &ours, &plain).await;

    let tied = |x: &[Tensor<1>]| x[1].clone().reshape([d_out, d_in]).transpose();
    let ours = |t: &[Tensor<1>]| flat(ops::linear(x(t), tied(t), None));
    let plain = |t: &[Tensor<1>]| flat(flat_x(t).matmul(tied(t)));
    check.same("linear with a transposed weight", &lens[..2], &ours, &plain).await;
}

async fn heads(check: &mut Check, [batch, len, keys, heads, width]: [usize; 5]) {
    let d_model = heads * width;
    let split =
        |x: &Tensor<1>, len: usize| x.clone().reshape([batch, len, heads, width]).swap_dims(1, 2);
    let merged = |x: &Tensor<1>, len: usize| x.clone().reshape([batch, len, d_model]);

    let lens = [batch * len * d_model, batch * keys * d_model];
    let ours =
        |t: &[Tensor<1>]| flat(ops::scores(merged(&t[0], len), merged(&t[1], keys), heads, 0.37));
    let plain = |t: &[Tensor<1>]| {
        flat(split(&t[0], len).matmul(split(&t[1], keys).transpose()).mul_scalar(0.37))
    };
    check.same("scores", &lens, &ours, &plain).await;

    // A window of longer rows, as texts shorter than the longest have it.
    let all = keys + 3;
    let lens = [batch * len * d_model, heads * width * all, heads * all];
    let weight =
        |x: &Tensor<1>| x.clone().reshape([heads, width, all]).slice([0..heads, 0..width, 0..keys]);
    let bias = |x: &Tensor<1>| x.clone().reshape([heads, all]).slice([0..heads, 0..keys]);
    let ours =
        |t: &[Tensor<1>]| flat(ops::linear_by_head(merged(&t[0], len), weight(&t[1]), bias(&t[2])));
    let plain = |t: &[Tensor<1>]| {
        let weight = weight(&t[1]).reshape([1, heads, width, keys]);
        let bias = bias(&t[2]).reshape([1, heads, 1, keys]);
        flat(split(&t[0], len).matmul(weight.expand([batch, heads, width, keys])) + bias)
    };
    check.same("linear by head", &lens, &ours, &plain).await;

    for rows in [batch, 1] {
        let lens = [rows * heads * len * keys, batch * keys * d_model];
        let weights = |x: &Tensor<1>| x.clone().reshape([rows, heads, len, keys]);
        let ours = |t: &[Tensor<1>]| flat(ops::mix(weights(&t[0]), merged(&t[1], keys)));
        let plain = |t: &[Tensor<1>]| {
            let weights = weights(&t[0]).expand([batch, heads, len, keys]);
            flat(weights.matmul(split(&t[1], keys)).swap_dims(1, 2))
        };
        check.same(&format!("mix by {rows}"), &lens, &ours, &plain).await;
    }
}

async fn rows(check: &mut Check, len: usize) {
    let shape = [3, 2, 5, len];
    let count = shape.iter().product();
    let scores = |x: &[Tensor<1>]| x[0].clone().reshape(shape);
    for hidden in [None, Some([1, 1, 5, len]), Some([3, 1, 1, len]), Some([3, 2, 5, 1])] {
        let hide = |x: &Tensor<1>| {
            hidden.map(|shape| {
                let data = values(7, shape.iter().product());
                Tensor::<1>::from_data(data, &x.device().inner()).reshape(shape)
            })
        };
        let ours = |t: &[Tensor<1>]| {
            let hidden = hide(&t[0]).map(Tensor::autodiff);
            flat(ops::softmax(scores(t), hidden))
        };
        let plain = |t: &[Tensor<1>]| {
            let scores = match hide(&t[0]) {
                Some(hidden) => scores(t) + hidden.autodiff(),
                None => scores(t),
            };
            flat(activation::softmax(scores, 3))
        };
        check.same(&format!("softmax hiding {hidden:?}"), &[count], &ours, &plain).await;
    }

    // A row of one is its own mean: nothing but rounding comes through.
    if len > 1 {
        let x = |t: &[Tensor<1>]| t[0].clone().reshape([2, 15, len]);
        let ours = |t: &[Tensor<1>]| flat(ops::layer_norm(x(t), t[1].clone(), t[2].clone(), 1e-5));
        let plain = |t: &[Tensor<1>]| {
            let centred = x(t) - x(t).mean_dim(2);
            let deviation = centred.clone().powi_scalar(2).mean_dim(2).add_scalar(1e-5).sqrt();
            let wide = |gain: &Tensor<1>| gain.clone().reshape([1, 1, len]);
            flat(centred / deviation * wide(&t[1]) + wide(&t[2]))
        };
        check.same("layer norm", &[count, len, len], &ours, &plain).await;
    }

    let logits = |t: &[Tensor<1>]| t[0].clone().reshape([30, len]);
    let ours = |t: &[Tensor<1>]| {
        let targets = classes(30, len, &t[0].device().inner());
        ops::cross_entropy(logits(t), targets.autodiff())
    };
    let plain = |t: &[Tensor<1>]| {
        let targets = classes(30, len, &t[0].device().inner()).autodiff().reshape([30, 1]);
        flat(activation::log_softmax(logits(t), 1).gather(1, targets)).neg()
    };
    check.same("cross-entropy", &[count], &ours, &plain).await;
}

async fn join(check: &mut Check, count: usize) {
    let device = check.device.clone().inner();
    let data: Vec<Vec<f32>> = (0..count)
        .map(|index| values(index as u64, 1 + 37 * index).try_to_vec().expect("floats"))
        .collect();
    let parts = data.iter().map(|part| Tensor::from_data(part.as_slice(), &device)).collect();
    let mut readout = Readout::default();
    readout.add("joined", ops::join(parts, 64));
    let expected: Vec<f32> = data
        .into_iter()
        .flat_map(|mut part| {
            part.resize(part.len().next_multiple_of(64), 0.0);
            part
        })
        .collect();
    let got = readout.read().await;
    let name = format!("{count} parts joined");
    check.comparison.check(&name, &got["joined"], &TensorData::from(expected.as_slice()));
}

/// Against the formulas in float64. What somebody else holds, as a snapshot does, stays as it was; what
/// nobody does may be written over.
async fn adam(check: &mut Check, len: usize) {
    for (decay, clip) in [(0.0, 1.0), (0.1, 1.0), (0.0, f64::INFINITY)] {
        for held in [false, true] {
            adam_step(check, len, decay, clip, held).await;
        }
    }
}

async fn adam_step(check: &mut Check, len: usize, decay: f64, clip: f64, held: bool) {
    let device = check.device.clone().inner();
    let mut data: Vec<Vec<f32>> =
        (0..4).map(|index| values(index, len).try_to_vec().expect("floats")).collect();
    // Second moments are no less than zero.
    data[3].iter_mut().for_each(|value| *value *= *value);
    let at = |which: usize, index: usize| f64::from(data[which][index]);
    let tensor = |which: usize| Tensor::<1>::from_data(data[which].as_slice(), &device);
    let [weights, gradient, first, second] = [0, 1, 2, 3].map(tensor);
    let holder = held.then(|| [&weights, &gradient, &first, &second].map(Tensor::clone));

    let (rate, epsilon, keep) = (0.02, 1e-3, 0.99);
    let rule = AdamRule { rate, beta1: 0.9, beta2: 0.98, epsilon, keep, decay, clip };
    let norm = ops::norm(gradient.clone());
    let (weights, [first, second]) =
        ops::adam(weights, gradient, norm.clone(), [first, second], rule);
    let mut readout = Readout::default();
    readout.add("norm", norm);
    readout.add("weights", weights);
    readout.add("first", first);
    readout.add("second", second);
    let names = ["weights", "gradient", "first", "second"].map(|name| format!("{name} before"));
    for (name, tensor) in names.iter().zip(holder.into_iter().flatten()) {
        readout.add(name.as_str(), tensor);
    }
    let got = readout.read().await;

    let norm = (0..len).map(|index| at(1, index).powi(2)).sum::<f64>().sqrt();
    let scale = if clip.is_finite() { (clip / (norm + 1e-6)).min(1.0) } else { 1.0 };
    let step = |index: usize| {
        let slope = at(1, index) * scale + decay * at(0, index);
        let first = 0.9 * at(2, index) + 0.1 * slope;
        let second = 0.98 * at(3, index) + 0.02 * slope * slope;
        [keep * at(0, index) - rate * first / (second.sqrt() + epsilon), first, second]
    };
    let column = |which: usize| {
        let column: Vec<f32> = (0..len).map(|index| step(index)[which] as f32).collect();
        TensorData::from(column.as_slice())
    };
    let place = format!("Adam over {len}, decay {decay}, clip {clip}, held: {held}");
    let mut same = |name: &str, want: &TensorData| {
        check.comparison.check(&format!("{place}: {name}"), &got[name], want);
    };
    same("norm", &TensorData::from([norm as f32]));
    for (which, name) in ["weights", "first", "second"].into_iter().enumerate() {
        same(name, &column(which));
    }
    if held {
        names.iter().zip(&data).for_each(|(name, data)| same(name, &data.as_slice().into()));
    }
}
