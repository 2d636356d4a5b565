// The page's side of the bench: one library, asked by the runner to do so many steps and say how long they took.

import { countsNow, since } from "./counters.js";
import { SIZES, batchOf, encode, firstWeights } from "./model.js";
import { rateOfProducts } from "./rate.js";

/**
 * A library under test.
 *
 * @typedef {object} Peer
 * @property {(device: "cpu" | "webgpu") => Promise<{ name: string, version: string, backend: string }>} init loads the library and its backend
 * @property {(sizes: import("./model.js").Sizes, kind: import("./model.js").Kind, weights: Record<string, import("./model.js").Weight>) => Promise<void>} build
 * @property {(inputs: Int32Array, targets: Int32Array) => void | Promise<void>} step forward, backward and Adam, perhaps only queued
 * @property {() => Promise<number>} loss of the last step, or the mean of those since it was last asked: waits until they are done
 * @property {(prompt: Int32Array, count: number) => Promise<number[]>} generate the likeliest tokens after a prompt, one after the other; at most as many as the model has positions
 */

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

/** @param {Peer} peer */
export function offer(peer) {
  /** @type {import("./model.js").Sizes} */
  let sizes;
  /** @type {Int32Array} */
  let tokens;
  let step = 0;

  /** With what was asked of WebGPU, and of that the part before the loss is read: some libraries begin only then. */
  async function run(/** @type {number} */ steps) {
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

  /** Writes on from the first token of the text. */
  async function generate(/** @type {number} */ count) {
    const prompt = tokens.slice(0, 1);
    const before = countsNow();
    const start = performance.now();
    const ids = await peer.generate(prompt, count);
    const milliseconds = performance.now() - start;
    return { ids, milliseconds, dispatches: since(before).dispatches };
  }

  /** Loads everything and does step 0. */
  async function begin(/** @type {keyof SIZES} */ size, /** @type {import("./model.js").Kind} */ kind, /** @type {"cpu" | "webgpu"} */ device) {
    sizes = SIZES[size];
    tokens = encode(await (await fetch("/text.txt")).text(), sizes.vocabulary);
    const about = await peer.init(device);
    await peer.build(sizes, kind, firstWeights(sizes, kind));
    return { ...about, isolated: crossOriginIsolated, ...(await run(1)) };
  }

  globalThis.bench = { begin, run, generate, rateOfProducts };
}
