// The model in TensorFlow.js on its wasm backend, with the fewest operations that its kernels allow.

import "@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops.js";
import "@tensorflow/tfjs-core/dist/register_all_gradients.js";
import "@tensorflow/tfjs-backend-webgpu";
import { getThreadsCount, setWasmPaths } from "@tensorflow/tfjs-backend-wasm";
import * as tf from "@tensorflow/tfjs-core";
import { offer, writeOn } from "./harness.js";
import { ADAM } from "./model.js";

/** @type {Record<string, tf.Variable>} */
let weights;
/** @type {Record<string, tf.Tensor>} */
let constants;
/** @type {tf.AdamOptimizer} */
let optimizer;
/** @type {tf.Scalar | null} */
let lastLoss = null;
/** @type {import("./model.js").Sizes} */
let sizes;
/** @type {import("./model.js").Kind} */
let kind;

/** @param {tf.Tensor} x @param {tf.Tensor} gain @param {tf.Tensor} bias */
function norm(x, gain, bias) {
  const centred = tf.sub(x, tf.mean(x, -1, true));
  const variance = tf.mean(tf.square(centred), -1, true);
  return tf.add(tf.mul(tf.mul(centred, tf.rsqrt(tf.add(variance, constants.epsilon))), gain), bias);
}
// 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))) = x sigmoid(2 √(2/π) x (1 + 0.044715 x²)): the same in fewer operations.
/** @param {tf.Tensor} x */
function gelu(x) {
  return tf.mul(x, tf.sigmoid(tf.mul(x, tf.add(tf.mul(tf.square(x), constants.cubic), constants.linear))));
}
// The wasm backend writes int32 bits into a float32 oneHot (1 becomes 1.4e-45): hence the cast, at one more operation.
/** @param {tf.Tensor1D} ids */
const oneHot = (ids) => tf.cast(tf.oneHot(ids, sizes.vocabulary), "float32");
/** @param {tf.Tensor} x @param {tf.Tensor} weight @param {tf.Tensor} bias */
const linear = (x, weight, bias) => tf.fused.matMul({ a: x, b: weight, bias, activation: "linear" });

/** @param {tf.Tensor1D} ids */
function logits(ids) {
  const { length, width, layers, heads, batch } = sizes;
  const rows = batch * length;
  const headWidth = width / heads;
  const embedded = tf.reshape(tf.matMul(oneHot(ids), weights["tok_embed.weight"]), [batch, length, width]);
  /** @type {tf.Tensor} */
  let x = tf.reshape(tf.add(embedded, weights["pos_embed.weight"]), [rows, width]);
  for (let layer = 0; layer < layers; layer++) {
    const of = (/** @type {string} */ name) => weights[`blocks.${layer}.${name}`];
    const h = norm(x, of("ln1.weight"), of("ln1.bias"));
    const value = linear(h, of("attn.value.weight"), of("attn.value.bias"));
    let mixed;
    if (kind === "vanilla") {
      const split = (/** @type {tf.Tensor} */ t) => tf.transpose(tf.reshape(t, [batch, length, heads, headWidth]), [0, 2, 1, 3]);
      const query = split(tf.mul(linear(h, of("attn.query.weight"), of("attn.query.bias")), constants.scale));
      const key = split(linear(h, of("attn.key.weight"), of("attn.key.bias")));
      const attention = tf.softmax(tf.add(tf.matMul(query, key, false, true), constants.mask));
      mixed = tf.transpose(tf.matMul(attention, split(value)), [0, 2, 1, 3]);
    } else if (kind === "random") {
      // One matrix product a head: [length, length] by [length, batch * headWidth].
      const attention = tf.softmax(tf.add(of("attn.random.logits"), constants.mask));
      const columns = tf.transpose(tf.reshape(value, [batch, length, heads, headWidth]), [2, 1, 0, 3]);
      const product = tf.matMul(attention, tf.reshape(columns, [heads, length, batch * headWidth]));
      mixed = tf.transpose(tf.reshape(product, [heads, length, batch, headWidth]), [2, 1, 0, 3]);
    } else {
      const hidden = tf.relu(linear(h, of("attn.dense.w1"), of("attn.dense.b1")));
      const perHead = tf.reshape(tf.transpose(tf.reshape(hidden, [rows, heads, headWidth]), [1, 0, 2]), [heads, rows, headWidth]);
      const bias = tf.reshape(of("attn.dense.b2"), [heads, 1, length]);
      const scores = tf.reshape(tf.add(tf.matMul(perHead, of("attn.dense.w2")), bias), [heads, batch, length, length]);
      const values = tf.transpose(tf.reshape(value, [batch, length, heads, headWidth]), [2, 0, 1, 3]);
      mixed = tf.transpose(tf.matMul(tf.softmax(tf.add(scores, constants.mask)), values), [1, 2, 0, 3]);
    }
    x = tf.add(x, linear(tf.reshape(mixed, [rows, width]), of("attn.out.weight"), of("attn.out.bias")));
    const inner = gelu(linear(norm(x, of("ln2.weight"), of("ln2.bias")), of("ffn.w1"), of("ffn.b1")));
    x = tf.add(x, linear(inner, of("ffn.w2"), of("ffn.b2")));
  }
  return linear(norm(x, weights["ln_f.weight"], weights["ln_f.bias"]), weights["head.weight"], weights["head.bias"]);
}

offer({
  async init(device) {
    setWasmPaths("/peers/tfjs/");
    const backend = device === "cpu" ? "wasm" : "webgpu";
    if (!(await tf.setBackend(backend))) throw new Error(`TensorFlow.js refused its ${backend} backend`);
    await tf.ready();
    const shown = device === "cpu" ? `wasm, ${getThreadsCount()} threads` : "WebGPU";
    return { name: "TensorFlow.js", version: tf.version_core, backend: shown };
  },

  async build(ofSizes, ofKind, first) {
    [sizes, kind] = [ofSizes, ofKind];
    weights = {};
    for (const [name, { shape, data }] of Object.entries(first)) weights[name] = tf.variable(tf.tensor(data, shape), true);
    const { length, width, heads } = sizes;
    const slope = 2 * Math.sqrt(2 / Math.PI);
    const mask = Float32Array.from({ length: length ** 2 }, (_, i) => (i % length > Math.floor(i / length) ? -1e9 : 0));
    constants = {
      epsilon: tf.scalar(1e-5),
      linear: tf.scalar(slope),
      cubic: tf.scalar(slope * 0.044715),
      scale: tf.scalar(1 / Math.sqrt(width / heads)),
      mask: tf.tensor(mask, [length, length]),
    };
    optimizer = tf.train.adam(ADAM.rate, ADAM.beta1, ADAM.beta2, ADAM.epsilon);
  },

  step(inputs, targets) {
    lastLoss?.dispose();
    const [ids, wanted] = [tf.tensor1d(inputs, "int32"), tf.tensor1d(targets, "int32")];
    const loss = () => tf.losses.softmaxCrossEntropy(oneHot(wanted), logits(ids));
    lastLoss = optimizer.minimize(/** @type {() => tf.Scalar} */ (loss), true);
    ids.dispose();
    wanted.dispose();
  },

  loss: async () => (await /** @type {tf.Scalar} */ (lastLoss).data())[0],

  async generate(prompt, count) {
    const { length, vocabulary } = sizes;
    const training = sizes;
    sizes = { ...sizes, batch: 1 };
    try {
      return await writeOn(prompt, count, length, vocabulary, async (window) => {
        const all = tf.tidy(() => logits(tf.tensor1d(window, "int32")));
        const values = /** @type {Float32Array} */ (await all.data());
        all.dispose();
        return values;
      });
    } finally {
      sizes = training;
    }
  },
});
