//! What the CPU device computes against the same in Burn's operations, at odd sizes.

use burn::backend::ops::{FloatTensorOps, IntTensorOps, ModuleOps};
use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Flex, Scalar, TensorMetadata};
use burn::tensor::{Shape, TensorData};

use super::{AdamRule, FusedGradients, FusedOps, Gelu, StepOps, plain};
use crate::rng::{Purpose, Rng};

type Floats = FloatTensor<Flex>;

/// For sums of a few hundred numbers of about one, taken in another order.
const TOLERANCE: f32 = 1e-5;

fn draw<const D: usize>(index: u64, shape: [usize; D]) -> Floats {
    let mut rng = Rng::new(0, Purpose::Checks, index);
    let values: Vec<f32> = (0..shape.iter().product()).map(|_| 2.0 * rng.normal()).collect();
    Flex::float_from_data(TensorData::new(values, shape), &Default::default())
}

fn targets(rows: usize, classes: usize) -> IntTensor<Flex> {
    let mut rng = Rng::new(1, Purpose::Checks, rows as u64);
    let ids: Vec<i32> = (0..rows).map(|_| rng.below(classes) as i32).collect();
    Flex::int_from_data(TensorData::new(ids, [rows]), &Default::default())
}

fn agree(ours: Floats, plain: Floats, what: &str) {
    assert_eq!(ours.shape(), plain.shape(), "{what}");
    let (ours, plain) = (ours.to_contiguous(), plain.to_contiguous());
    let pairs = ours.as_slice::<f32>().unwrap().iter().zip(plain.as_slice::<f32>().unwrap());
    for (index, (a, b)) in pairs.enumerate() {
        assert!((a - b).abs() <= TOLERANCE * b.abs().max(1.0), "{what}[{index}]: {a}, not {b}");
    }
}

/// The same values, lying in memory with their last two axes swapped.
fn swapped(x: Floats) -> Floats {
    let last = x.shape().num_dims() - 1;
    Flex::float_swap_dims(x, last - 1, last).to_contiguous().transpose(last - 1, last)
}

const WIDTHS: [usize; 7] = [1, 3, 8, 13, 64, 104, 257];

#[test]
fn gelu_agrees() {
    for which in [Gelu::Exact, Gelu::Tanh] {
        for width in WIDTHS {
            let (x, gradient) = (draw(1, [5, width]), draw(2, [5, width]));
            let ours = Flex::fused_gelu(swapped(x.clone()), which);
            agree(ours, plain::gelu::<Flex>(x.clone(), which), "gelu");
            let ours = Flex::fused_gelu_gradient(x.clone(), swapped(gradient.clone()), which);
            agree(ours, plain::gelu_gradient::<Flex>(x, gradient, which), "its gradient");
        }
    }
}

#[test]
fn softmax_agrees_whatever_is_hidden() {
    for keys in WIDTHS {
        let shape = [3, 2, 5, keys];
        let (scores, gradient) = (draw(3, shape), draw(4, shape));
        for hidden in [None, Some([1, 1, 5, keys]), Some([3, 1, 1, keys]), Some([3, 2, 5, 1])] {
            let (ours, plain) = match hidden {
                Some(hidden) => {
                    let hidden = draw(5, hidden);
                    let all = Flex::float_add(scores.clone(), hidden.clone());
                    (Flex::fused_hidden_softmax(swapped(scores.clone()), hidden), all)
                }
                None => (Flex::fused_softmax(swapped(scores.clone())), scores.clone()),
            };
            agree(ours, plain::softmax::<Flex>(plain), "softmax");
        }
        let weights = plain::softmax::<Flex>(scores);
        let ours = Flex::fused_softmax_gradient(weights.clone(), swapped(gradient.clone()));
        agree(ours, plain::softmax_gradient::<Flex>(weights, gradient), "its gradient");
    }
}

#[test]
fn softmax_of_a_part_holds_no_more_than_its_own_weights() {
    // As a table of scores is a part of all weights.
    let all = draw(18, [1000]);
    let part = all.narrow(0, 64, 2 * 5 * 7).reshape(Shape::new([1, 2, 5, 7]));
    let given = part.as_slice::<f32>().unwrap().to_vec();
    let expected = plain::softmax::<Flex>(part.clone());
    for hidden in [None, Some(draw(19, [1, 1, 5, 1]))] {
        let ours = match hidden {
            Some(hidden) => Flex::fused_hidden_softmax(part.clone(), hidden),
            None => Flex::fused_softmax(part.clone()),
        };
        assert_eq!(ours.storage::<f32>().len(), given.len());
        // What is added to a whole row changes none of its weights.
        agree(ours, expected.clone(), "softmax of a part");
    }
    assert_eq!(part.as_slice::<f32>().unwrap(), given);
}

fn made<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> Floats {
    Flex::float_from_data(TensorData::new(values, shape), &Default::default())
}

fn read(x: &Floats) -> &[f32] {
    x.as_slice().unwrap()
}

/// Summands of rows that see so many keys, the first or the last.
fn hiding(seen: &[usize], keys: usize, last: bool) -> Vec<f32> {
    let hides = |&seen: &usize, key| if last { key + seen < keys } else { key >= seen };
    let row = |seen| (0..keys).map(move |key| if hides(seen, key) { -1e30 } else { 0.5 });
    seen.iter().flat_map(row).collect()
}

#[test]
fn leaving_out_hidden_keys_changes_nothing() {
    for keys in WIDTHS.into_iter().chain([40, 600]) {
        let shape = [3, 2, 5, keys];
        // Nothing, a few, within and at the end of lanes and blocks, all.
        let seen = [0, 1, 7, 8, 9, 24, 63, 64, 65, 256, 300, keys - 1, keys, 2, 5];
        let seen = seen.map(|seen| seen.min(keys));
        let by_row = hiding(&seen, keys, false);
        let at_the_front = hiding(&seen, keys, true);
        let hidden = [
            made(by_row[..5 * keys].to_vec(), [1, 1, 5, keys]),
            made(by_row[5 * keys..8 * keys].to_vec(), [3, 1, 1, keys]),
            made(by_row, [3, 1, 5, keys]),
            made(at_the_front, [3, 1, 5, keys]),
        ];
        for hidden in hidden {
            let scores = draw(31, shape);
            let shown = Flex::float_add(scores.clone(), hidden.clone());
            let plain = plain::softmax::<Flex>(shown.clone());
            let of_shared = Flex::fused_hidden_softmax(scores.clone(), hidden.clone());
            let in_place = Flex::fused_hidden_softmax(scores, hidden);
            assert_eq!(read(&of_shared), read(&in_place));
            let rows = read(&shown).chunks_exact(keys).zip(read(&in_place).chunks_exact(keys));
            for (shown, weights) in rows.filter(|(shown, _)| shown.iter().any(|&x| x > -1e20)) {
                let exact = shown.iter().zip(weights).all(|(&x, &w)| x > -1e20 || w == 0.0);
                assert!(exact, "what is hidden has no weight");
            }
            agree(in_place, plain, "softmax");
        }
    }
}

#[test]
fn hidden_keys_are_not_looked_at() {
    let (keys, seen) = (70, 20);
    let mut scores = vec![0.0; 2 * keys];
    // Behind the lanes of what is seen in the one row, and within what is seen in the other.
    scores[24..keys].fill(f32::NAN);
    scores[keys + 3] = f32::NAN;
    let hidden = || made(hiding(&[seen; 2], keys, false), [1, 1, 2, keys]);
    let shared = made(scores, [1, 1, 2, keys]);
    let of_shared = Flex::fused_hidden_softmax(shared.clone(), hidden());
    for weights in [of_shared, Flex::fused_hidden_softmax(shared, hidden())] {
        let (first, second) = read(&weights).split_at(keys);
        let even = |key| if key < seen { 1.0 / seen as f32 } else { 0.0 };
        assert!(first.iter().enumerate().all(|(key, &weight)| (weight - even(key)).abs() < 1e-7));
        assert!(second.iter().all(|weight| weight.is_nan()));
    }
}

#[test]
fn weights_of_zero_get_no_gradient() {
    for keys in WIDTHS.into_iter().chain([65, 600]) {
        let seen = [1, 2, 8, 63, 64, 65, 128, 129, 256, keys].map(|seen| seen.min(keys));
        let hidden = made(hiding(&seen, keys, false), [1, 1, 10, keys]);
        let weights = Flex::fused_hidden_softmax(draw(32, [1, 1, 10, keys]), hidden);
        let gradient = draw(33, [1, 1, 10, keys]);
        let given = read(&gradient).to_vec();
        let ours = Flex::fused_softmax_gradient(weights.clone(), gradient.clone());
        assert_eq!(read(&gradient), given, "somebody else has it too");
        agree(ours, plain::softmax_gradient::<Flex>(weights.clone(), gradient.clone()), "gradient");
        // In place.
        let ours = Flex::fused_softmax_gradient(weights.clone(), made(given, [1, 1, 10, keys]));
        agree(ours, plain::softmax_gradient::<Flex>(weights, gradient), "gradient in place");
    }
}

#[test]
fn the_gradient_of_weights_of_zero_is_not_looked_at() {
    let keys = 200;
    let weights = made(vec![0.5, 0.5].into_iter().chain([0.0; 198]).collect(), [1, 1, 1, keys]);
    let with = |at: usize| {
        let mut gradient = vec![1.0; keys];
        gradient[at] = f32::NAN;
        Flex::fused_softmax_gradient(weights.clone(), made(gradient, [1, 1, 1, keys]))
    };
    assert!(read(&with(64)).iter().all(|&gradient| gradient == 0.0));
    assert!(read(&with(1)).iter().all(|gradient| gradient.is_nan()));
}

/// Zeros above the diagonal, what `of` gives for a place below and on it, `[rows, heads, len, len]`.
fn triangles([rows, heads, len]: [usize; 3], of: impl Fn(usize) -> f32) -> Floats {
    let below = |at: &usize| at % len <= at / len % len;
    let all = 0..rows * heads * len * len;
    let values: Vec<f32> = all.map(|at| if below(&at) { of(at) } else { 0.0 }).collect();
    Flex::float_from_data(TensorData::new(values, [rows, heads, len, len]), &Default::default())
}

/// Sums of `len` products, as large as they would be if they were sums of one.
fn agree_in_sums(ours: Floats, plain: Floats, len: usize, what: &str) {
    let scale = Scalar::Float(0.25 / (len as f64).sqrt());
    agree(Flex::float_mul_scalar(ours, scale), Flex::float_mul_scalar(plain, scale), what);
}

#[test]
fn linear_maps_agree() {
    // One row and a few, whole and broken tiles, and more of everything than a block holds.
    let sizes = [[1, 1, 1], [1, 70, 33], [3, 5, 9], [4, 8, 16], [7, 13, 31], [64, 128, 48]];
    for [rows, d_in, d_out] in sizes.into_iter().chain([[300, 530, 20], [9, 20, 530]]) {
        let x = draw(20, [rows, d_in]);
        let (weight, bias) = (draw(21, [d_in, d_out]), draw(22, [d_out]));
        let gradient = draw(23, [rows, d_out]);
        for (x, weight) in
            [(x.clone(), weight.clone()), (swapped(x.clone()), swapped(weight.clone()))]
        {
            let ours = Flex::fused_linear(x.clone(), weight.clone(), bias.clone());
            let plain = Flex::linear(x.clone(), weight.clone(), Some(bias.clone()));
            agree_in_sums(ours, plain, d_in, "linear");
            let ours = Flex::fused_plain_linear(x.clone(), weight.clone());
            agree_in_sums(ours, Flex::float_matmul(x.clone(), weight.clone()), d_in, "product");
            let ours = Flex::fused_linear_of_x(weight.clone(), swapped(gradient.clone()));
            let plain = Flex::linear_x_backward(weight, gradient.clone());
            agree_in_sums(ours, plain, d_out, "gradient of x");
            let ours = Flex::fused_linear_of_weight(x.clone(), gradient.clone());
            let plain = Flex::linear_weight_backward(x, gradient.clone());
            agree_in_sums(ours, plain, rows, "gradient of the weight");
        }
        let ours = Flex::fused_linear_of_bias(gradient.clone());
        agree_in_sums(ours, Flex::linear_bias_backward(gradient), rows, "gradient of the bias");
    }
}

#[test]
fn products_of_heads_agree() {
    let sizes = [[1, 1, 1, 1, 1], [2, 7, 5, 3, 5], [3, 33, 40, 2, 16], [2, 3, 65, 4, 8]];
    for [batch, len, keys, heads, width] in sizes {
        let d_model = heads * width;
        let (query, key) = (draw(24, [batch, len, d_model]), draw(25, [batch, keys, d_model]));
        let gradient = draw(26, [batch, heads, len, keys]);
        let ours = Flex::fused_scores(swapped(query.clone()), key.clone(), heads, 0.3, false);
        agree_in_sums(
            ours,
            plain::scores::<Flex>(query.clone(), key.clone(), heads, 0.3),
            8,
            "scores",
        );
        let ours =
            Flex::fused_scores_of_query(key.clone(), swapped(gradient.clone()), heads, 0.3, false);
        let plain = plain::scores_of_query::<Flex>(key.clone(), gradient.clone(), heads, 0.3);
        agree_in_sums(ours, plain, keys, "gradient of queries");
        let ours = Flex::fused_scores_of_key(query.clone(), gradient.clone(), heads, 0.3, false);
        let plain = plain::scores_of_key::<Flex>(query.clone(), gradient.clone(), heads, 0.3);
        agree_in_sums(ours, plain, len, "gradient of keys");

        let (weight, bias) = (draw(27, [heads, width, keys]), draw(28, [heads, keys]));
        let ours = Flex::fused_linear_by_head(query.clone(), swapped(weight.clone()), bias.clone());
        let plain = plain::linear_by_head::<Flex>(query.clone(), weight.clone(), bias);
        agree_in_sums(ours, plain, width, "linear by head");
        let ours = Flex::fused_linear_by_head_of_x(weight.clone(), gradient.clone());
        let plain = plain::linear_by_head_of_x::<Flex>(weight, gradient.clone());
        agree_in_sums(ours, plain, keys, "its gradient of x");
        let ours = Flex::fused_linear_by_head_of_weight(query.clone(), swapped(gradient.clone()));
        let plain = plain::linear_by_head_of_weight::<Flex>(query, gradient.clone());
        agree_in_sums(ours, plain, batch * len, "its gradient of the weight");
        let ours = Flex::fused_linear_by_head_of_bias(gradient.clone());
        let plain = plain::linear_by_head_of_bias::<Flex>(gradient);
        agree_in_sums(ours, plain, batch * len, "its gradient of the bias");

        for rows in [batch, 1] {
            let weights = draw(29, [rows, heads, len, keys]);
            let gradient = draw(30, [batch, len, d_model]);
            let ours = Flex::fused_mix(swapped(weights.clone()), key.clone(), false);
            let plain = plain::mix::<Flex>(weights.clone(), key.clone());
            agree_in_sums(ours, plain, keys, "weighted values");
            let shared = rows < batch;
            let (v, g) = (key.clone(), gradient.clone());
            let ours = Flex::fused_mix_of_weights(v.clone(), g.clone(), heads, shared, false);
            let plain = plain::mix_of_weights::<Flex>(v, g, heads, shared);
            agree_in_sums(ours, plain, batch * width, "gradient of weights");
            let ours = Flex::fused_mix_of_value(weights.clone(), gradient.clone(), false);
            let plain = plain::mix_of_value::<Flex>(weights, gradient);
            agree_in_sums(ours, plain, len, "gradient of values");
        }
    }
}

#[test]
fn leaving_out_the_future_changes_nothing() {
    let (batch, heads) = (3, 2);
    // Whole and broken tiles, and more rows and terms than a block holds.
    for (len, width) in [(1, 3), (13, 1), (64, 16), (127, 5), (150, 8), (257, 3), (515, 1)] {
        // Weights of each row, and those of the whole batch.
        for rows in [batch, 1] {
            let drawn = draw(15, [rows * heads * len * len]);
            let drawn = drawn.as_slice::<f32>().unwrap();
            let weights = triangles([rows, heads, len], |at| drawn[at]);
            let ones = triangles([rows, heads, len], |_| 1.0);
            let shape = [batch, len, heads * width];
            let (value, gradient) = (draw(16, shape), draw(17, shape));
            let by = |causal| {
                let mixed = Flex::fused_mix(weights.clone(), swapped(value.clone()), causal);
                let (v, g) = (value.clone(), gradient.clone());
                let of_weights = Flex::fused_mix_of_weights(v, g, heads, rows == 1, causal);
                let of_value = Flex::fused_mix_of_value(weights.clone(), gradient.clone(), causal);
                // Above the diagonal anything goes.
                [mixed, Flex::float_mul(of_weights, ones.clone()), of_value]
            };
            let scored = |causal| {
                let map = triangles([batch, heads, len], |at| drawn[at % drawn.len()]);
                let (v, g) = (value.clone(), gradient.clone());
                let scores = Flex::fused_scores(v.clone(), g.clone(), heads, 0.3, causal);
                let shown = triangles([batch, heads, len], |_| 1.0);
                let of_query = Flex::fused_scores_of_query(g, map.clone(), heads, 0.3, causal);
                let of_key = Flex::fused_scores_of_key(v, map, heads, 0.3, causal);
                [Flex::float_mul(scores, shown), of_query, of_key]
            };
            let names = ["product", "of weights", "of value", "scores", "of query", "of key"];
            for ((ours, whole), what) in by(true)
                .into_iter()
                .chain(scored(true))
                .zip(by(false).into_iter().chain(scored(false)))
                .zip(names)
            {
                // The gradient of shared weights sums over the batch too.
                agree_in_sums(ours, whole, batch * len, what);
            }
        }
    }
}

#[test]
fn layer_norm_agrees() {
    for width in WIDTHS {
        let (x, gradient) = (draw(6, [2, 7, width]), draw(7, [2, 7, width]));
        let (gain, shift) = (draw(8, [width]), draw(9, [width]));
        let ours = Flex::fused_layer_norm(swapped(x.clone()), gain.clone(), shift.clone(), 1e-5);
        agree(ours, plain::layer_norm::<Flex>(x.clone(), gain.clone(), shift, 1e-5), "norm");
        let ours = Flex::fused_layer_norm_gradient(
            x.clone(),
            gain.clone(),
            swapped(gradient.clone()),
            1e-5,
        );
        let plain = plain::layer_norm_gradient::<Flex>(x, gain, gradient, 1e-5);
        agree(ours.0, plain.0, "gradient of x");
        agree(ours.1, plain.1, "gradient of the gain");
        agree(ours.2, plain.2, "gradient of the shift");
    }
}

#[test]
fn cross_entropy_agrees() {
    for classes in WIDTHS {
        let (logits, gradient) = (draw(10, [9, classes]), draw(11, [9]));
        let targets = targets(9, classes);
        let ours = Flex::fused_cross_entropy(swapped(logits.clone()), targets.clone());
        agree(ours, plain::cross_entropy::<Flex>(logits.clone(), targets.clone()), "loss");
        let ours =
            Flex::fused_cross_entropy_gradient(logits.clone(), targets.clone(), gradient.clone());
        let plain = plain::cross_entropy_gradient::<Flex>(logits, targets, gradient);
        agree(ours, plain, "its gradient");
    }
}

#[test]
fn not_a_number_is_passed_on() {
    let x =
        || Flex::float_from_data(TensorData::new(vec![1.0, f32::NAN], [1, 2]), &Default::default());
    let shown = |x: Floats| x.as_slice::<f32>().unwrap().iter().any(|x| x.is_nan());
    assert!(shown(Flex::fused_gelu(x(), Gelu::Exact)));
    assert!(shown(Flex::fused_gelu(x(), Gelu::Tanh)));
    assert!(shown(Flex::fused_softmax(x())));
    assert!(shown(Flex::fused_cross_entropy(x(), targets(1, 2))));
    let ones =
        || Flex::float_from_data(TensorData::new(vec![1.0_f32; 2], [2]), &Default::default());
    assert!(shown(Flex::fused_layer_norm(x(), ones(), ones(), 1e-5)));
}

#[test]
fn adam_agrees_and_leaves_what_is_shared_alone() {
    let clip = [1.0, f64::INFINITY];
    for (len, clip) in WIDTHS.into_iter().flat_map(|len| clip.map(|clip| (len, clip))) {
        let rule = AdamRule {
            rate: 0.01,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-6,
            keep: 0.99,
            decay: 0.1,
            clip,
        };
        // Parts of longer tensors, which do not begin where their memory begins.
        let part = |index| draw(index, [len + 3]).narrow(0, 2, len);
        let [weights, gradient, first] = [12, 13, 14].map(part);
        let second = Flex::float_mul(first.clone(), first.clone());
        let norm = Flex::fused_norm(gradient.clone());
        agree(norm.clone(), plain::norm::<Flex>(gradient.clone()), "norm");
        let given = first.as_slice::<f32>().unwrap().to_vec();
        let inputs = (weights, gradient, norm, first, second);
        let (w, g, n, m, v) = inputs.clone();
        let ours = Flex::fused_adam(w, g, n, m, v, rule);
        let (w, g, n, m, v) = inputs.clone();
        let plain = plain::adam::<Flex>(w, g, n, m, v, rule);
        agree(ours.0, plain.0, "weights");
        agree(ours.1, plain.1, "first moment");
        agree(ours.2, plain.2, "second moment");
        assert_eq!(inputs.3.as_slice::<f32>().unwrap(), given);
    }
}
