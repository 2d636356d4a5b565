// The page's side of the bench: one library, asked by the runner to do so many steps and say how long they took.

import { countsNow, since } from "./counters.js";
import { SIZES, batchOf, encode, firstWeights } from "./model.js";
import { rateOfProducts } from "./rate.js";

/** @typedef {Record<string, import("./model.js").Weight>} Weights */

/**
 * A library under test, whether it trains or not.
 *
 * @typedef {object} Library
 * @property {(device: "cpu" | "webgpu") => Promise<{ name: string, version: string, backend: string }>} init loads the library and its backend
 * @property {(sizes: import("./model.js").Sizes, kind: import("./model.js").Kind, weights: Weights) => Promise<void>} build
 * @property {(prompt: Int32Array, count: number) => Promise<number[]>} generate the likeliest tokens after a prompt, one after the other; at most as many as the model has positions
 */

/**
 * One that trains.
 *
 * @typedef {object} Training
 * @property {(inputs: Int32Array, targets: Int32Array) => void | Promise<void>} step forward, backward and Adam, perhaps only queued
 * @property {() => Promise<number>} loss of the last step, or the mean of those since it was last asked: waits until they are done
 * @property {() => Promise<Weights>} [weights] as they are now, by the names that they were given with
 */
/** @typedef {Library & Training} Peer */

/**
 * One that only runs models: it goes on with what another has trained.
 *
 * @typedef {object} Running
 * @property {(window: Int32Array) => Promise<ArrayLike<number>>} logits of a window, [length, vocabulary]
 */
/** @typedef {Library & Running} Writer */

/**
 * The likeliest tokens after a prompt, for a library without a cache: the whole window again for each.
 *
 * @param {Int32Array} prompt
 * @param {number} count
 * @param {number} length of the window
 * @param {number} vocabulary
 * @param {(window: Int32Array) => Promise<ArrayLike<number>>} logitsOf the window, [length, vocabulary]
 */
export async function writeOn(prompt, count, length, vocabulary, logitsOf) {
  const window = new Int32Array(length);
  window.set(prompt);
  /** @type {number[]} */
  const ids = [];
  for (let at = prompt.length; ids.length < count; at++) {
    const logits = await logitsOf(window);
    const row = Array.from({ length: vocabulary }, (_, id) => logits[(at - 1) * vocabulary + id]);
    const next = row.indexOf(Math.max(...row));
    ids.push(next);
    if (at < length) window[at] = next;
  }
  return ids;
}

/**
 * Mean over targets, in nats.
 *
 * @param {ArrayLike<number>} logits [length, vocabulary]
 * @param {Int32Array} targets [length]
 */
function lossOf(logits, targets) {
  const vocabulary = logits.length / targets.length;
  const losses = Array.from(targets, (target, row) => {
    const scores = Array.from({ length: vocabulary }, (_, id) => logits[row * vocabulary + id]);
    const most = Math.max(...scores);
    return most + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - most), 0)) - scores[target];
  });
  return losses.reduce((a, b) => a + b) / losses.length;
}

/** @param {Peer | Writer} peer */
export function offer(peer) {
  /** @type {import("./model.js").Sizes} */
  let sizes;
  /** @type {import("./model.js").Kind} */
  let kind;
  /** @type {Int32Array} */
  let tokens;
  let step = 0;

  /** With what was asked of WebGPU, and of that the part before the loss is read: some libraries begin only then. */
  async function run(/** @type {number} */ steps) {
    if (!("step" in peer)) throw new Error("a library that does not train was asked for a step");
    const batches = Array.from({ length: steps }, (_, i) => batchOf(tokens, sizes, step + i));
    const before = countsNow();
    const start = performance.now();
    for (const { inputs, targets } of batches) await peer.step(inputs, targets);
    const queued = since(before);
    const loss = await peer.loss();
    const milliseconds = performance.now() - start;
    step += steps;
    return { loss, milliseconds, counts: since(before), queued };
  }

  /** The loss of a step's batch and no more, window by window, of a library that does not train. */
  async function look(/** @type {number} */ step) {
    if (!("logits" in peer)) throw new Error("a library that trains was asked to look only");
    const { inputs, targets } = batchOf(tokens, sizes, step);
    const start = performance.now();
    let loss = 0;
    for (let at = 0; at < inputs.length; at += sizes.length) {
      const logits = await peer.logits(inputs.slice(at, at + sizes.length));
      loss += lossOf(logits, targets.subarray(at, at + sizes.length)) / sizes.batch;
    }
    return { loss, milliseconds: performance.now() - start };
  }

  /** Writes on from the first token of the text. */
  async function generate(/** @type {number} */ count) {
    const prompt = tokens.slice(0, 1);
    const before = countsNow();
    const start = performance.now();
    const ids = await peer.generate(prompt, count);
    const milliseconds = performance.now() - start;
    return { ids, milliseconds, dispatches: since(before).dispatches };
  }

  /** Loads everything and does step 0, or as much of it as the library can. */
  async function begin(/** @type {keyof SIZES} */ size, /** @type {import("./model.js").Kind} */ ofKind, /** @type {"cpu" | "webgpu"} */ device) {
    [sizes, kind] = [SIZES[size], ofKind];
    tokens = encode(await (await fetch("/text.txt")).text(), sizes.vocabulary);
    const about = await peer.init(device);
    await peer.build(sizes, kind, firstWeights(sizes, kind));
    return { ...about, isolated: crossOriginIsolated, ...("step" in peer ? await run(1) : await look(0)) };
  }

  /** Of a library that can give them. */
  async function weights() {
    if (!("weights" in peer && peer.weights)) throw new Error("a library was asked for weights that it cannot give");
    return peer.weights();
  }

  /** Instead of those it has. */
  const adopt = (/** @type {Weights} */ trained) => peer.build(sizes, kind, trained);

  globalThis.bench = { begin, run, look, weights, adopt, generate, rateOfProducts };
}
