// The page's side of the bench: one library, asked by the runner to do so many steps and say how long they took.

import { SIZES, batchOf, encode, firstWeights } from "./model.js";

/**
 * A library under test.
 *
 * @typedef {object} Peer
 * @property {() => Promise<{ name: string, version: string, backend: string }>} init loads the library and its backend
 * @property {(sizes: import("./model.js").Sizes, kind: import("./model.js").Kind, weights: Record<string, import("./model.js").Weight>) => Promise<void>} build
 * @property {(inputs: Int32Array, targets: Int32Array) => void | Promise<void>} step forward, backward and Adam, perhaps only queued
 * @property {() => Promise<number>} loss of the last step, or the mean of those since it was last asked: waits until they are done
 */

/** @param {Peer} peer */
export function offer(peer) {
  /** @type {import("./model.js").Sizes} */
  let sizes;
  /** @type {Int32Array} */
  let tokens;
  let step = 0;

  async function run(/** @type {number} */ steps) {
    const batches = Array.from({ length: steps }, (_, i) => batchOf(tokens, sizes, step + i));
    const start = performance.now();
    for (const { inputs, targets } of batches) await peer.step(inputs, targets);
    const loss = await peer.loss();
    const milliseconds = performance.now() - start;
    step += steps;
    return { loss, milliseconds };
  }

  /** Loads everything and does step 0. */
  async function begin(/** @type {keyof SIZES} */ size, /** @type {import("./model.js").Kind} */ kind) {
    sizes = SIZES[size];
    tokens = encode(await (await fetch("/text.txt")).text(), sizes.vocabulary);
    const about = await peer.init();
    await peer.build(sizes, kind, firstWeights(sizes, kind));
    return { ...about, isolated: crossOriginIsolated, ...(await run(1)) };
  }

  globalThis.bench = { begin, run };
}
