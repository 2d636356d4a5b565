// The model in jax-js, with the whole training step (forward, backward, Adam) in one jit: the library's best case.

import { defaultDevice, init, jit, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";
import { offer, writeOn } from "./harness.js";
import { ADAM } from "./model.js";

// jax-js moves its arguments: `.ref` keeps one for a second use. Its types follow only literal trees, hence `any`.
/** @type {any} */
let weights;
/** @type {any} */
let firstMoments;
/** @type {any} */
let secondMoments;
/** @type {any} */
let lastLoss;
/** @type {any} */
let trainStep;
let done = 0;
/** @type {any} */
let nextLogits;
/** @type {import("./model.js").Sizes} */
let ofOne;

/** @param {any} x @param {any} gain @param {any} bias */
const norm = (x, gain, bias) => nn.standardize(x, -1, { epsilon: 1e-5 }).mul(gain).add(bias);
/** @param {any} x @param {any} weight @param {any} bias */
const linear = (x, weight, bias) => np.matmul(x, weight).add(bias);

/** @param {any} w @param {any} ids @param {import("./model.js").Sizes} sizes @param {import("./model.js").Kind} kind */
function logits(w, ids, { vocabulary, length, width, layers, heads, batch }, kind) {
  const rows = batch * length;
  const headWidth = width / heads;
  let x = np.matmul(nn.oneHot(ids, vocabulary), w["tok_embed.weight"]).reshape([batch, length, width]);
  x = x.add(w["pos_embed.weight"]).reshape([rows, width]);
  for (let layer = 0; layer < layers; layer++) {
    const of = (/** @type {string} */ name) => w[`blocks.${layer}.${name}`];
    const split = (/** @type {any} */ t) => t.reshape([batch, length, heads, headWidth]);
    const h = norm(x.ref, of("ln1.weight"), of("ln1.bias"));
    const value = split(linear(h.ref, of("attn.value.weight"), of("attn.value.bias")));
    let mixed;
    if (kind === "vanilla") {
      const query = split(linear(h.ref, of("attn.query.weight"), of("attn.query.bias")));
      const key = split(linear(h, of("attn.key.weight"), of("attn.key.bias")));
      mixed = nn.dotProductAttention(query, key, value, { isCausal: true });
    } else {
      const mask = np.tri(length, length, 0, { dtype: np.bool });
      if (kind === "random") {
        h.dispose();
        const attention = nn.softmax(np.where(mask, of("attn.random.logits"), -1e9), -1);
        mixed = np.einsum("hnm,bmhd->bnhd", attention, value);
      } else {
        const hidden = split(nn.relu(linear(h, of("attn.dense.w1"), of("attn.dense.b1"))));
        const scores = np.einsum("bnhd,hdm->bhnm", hidden, of("attn.dense.w2"));
        const biased = scores.add(of("attn.dense.b2").reshape([heads, 1, length]));
        mixed = np.einsum("bhnm,bmhd->bnhd", nn.softmax(np.where(mask, biased, -1e9), -1), value);
      }
    }
    x = x.add(linear(mixed.reshape([rows, width]), of("attn.out.weight"), of("attn.out.bias")));
    const inner = nn.gelu(linear(norm(x.ref, of("ln2.weight"), of("ln2.bias")), of("ffn.w1"), of("ffn.b1")));
    x = x.add(linear(inner, of("ffn.w2"), of("ffn.b2")));
  }
  return linear(norm(x, w["ln_f.weight"], w["ln_f.bias"]), w["head.weight"], w["head.bias"]);
}

offer({
  async init(device) {
    const backend = device === "cpu" ? "wasm" : "webgpu";
    const available = await init();
    if (!available.includes(backend)) throw new Error(`jax-js has no ${backend} device, only ${available}`);
    defaultDevice(backend);
    return { name: "jax-js", version: __JAX_VERSION__, backend: device === "cpu" ? "wasm" : "WebGPU" };
  },

  async build(sizes, kind, first) {
    const ofAll = (/** @type {(weight: import("./model.js").Weight) => any} */ make) =>
      Object.fromEntries(Object.entries(first).map(([name, weight]) => [name, make(weight)]));
    weights = ofAll(({ shape, data }) => np.array(/** @type {any} */ (data), { shape, dtype: np.float32 }));
    firstMoments = ofAll(({ shape }) => np.zeros(shape));
    secondMoments = ofAll(({ shape }) => np.zeros(shape));

    /** @param {any} w @param {any} inputs @param {any} targets */
    const lossOf = (w, inputs, targets) =>
      nn
        .logSoftmax(logits(w, inputs, sizes, kind), -1)
        .mul(nn.oneHot(targets, sizes.vocabulary))
        .sum()
        .mul(-1 / (sizes.batch * sizes.length));

    /** @type {(...args: any[]) => any} */
    const step = (w, m, v, inputs, targets, rate, correction) => {
      const [loss, gradients] = /** @type {any} */ (valueAndGrad(lossOf)(/** @type {any} */ (tree).ref(w), inputs, targets));
      /** @type {Record<string, any>[]} */
      const [nextW, nextM, nextV] = [{}, {}, {}];
      for (const name in w) {
        const mean = m[name].mul(ADAM.beta1).add(gradients[name].ref.mul(1 - ADAM.beta1));
        const square = v[name].mul(ADAM.beta2).add(np.square(gradients[name]).mul(1 - ADAM.beta2));
        nextM[name] = mean.ref;
        nextV[name] = square.ref;
        nextW[name] = w[name].sub(mean.mul(rate.ref).div(np.sqrt(square.mul(correction.ref)).add(ADAM.epsilon)));
      }
      rate.dispose();
      correction.dispose();
      return [nextW, nextM, nextV, loss];
    };
    trainStep = jit(/** @type {any} */ (step));
    ofOne = { ...sizes, batch: 1 };
    // Of one row, the whole window at once: the library has no cache.
    nextLogits = jit(/** @type {any} */ ((/** @type {any} */ w, /** @type {any} */ ids) => logits(w, ids, ofOne, kind)));
  },

  step(inputs, targets) {
    done++;
    lastLoss?.dispose();
    const ids = (/** @type {Int32Array} */ data) => np.array(/** @type {any} */ (data), { shape: [data.length], dtype: np.int32 });
    const rate = np.array(ADAM.rate / (1 - ADAM.beta1 ** done));
    const correction = np.array(1 / (1 - ADAM.beta2 ** done));
    [weights, firstMoments, secondMoments, lastLoss] = trainStep(weights, firstMoments, secondMoments, ids(inputs), ids(targets), rate, correction);
  },

  loss: async () => (await lastLoss.ref.data())[0],

  async weights() {
    const all = Object.entries(/** @type {Record<string, any>} */ (weights));
    const entries = all.map(async ([name, array]) => [name, { shape: array.shape, data: await array.ref.data() }]);
    return Object.fromEntries(await Promise.all(entries));
  },

  async generate(prompt, count) {
    const { length, vocabulary } = ofOne;
    return writeOn(prompt, count, length, vocabulary, (window) => {
      const ids = np.array(/** @type {any} */ (window), { shape: [length], dtype: np.int32 });
      return nextLogits(/** @type {any} */ (tree).ref(weights), ids).data();
    });
  },
});
