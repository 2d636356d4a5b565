/**
 * How fast each kind is at each length. The kinds take turns, so that a device that grows hot or busy is fair.
 *
 * @module
 */

import { aborted } from "../errors.js";
import { generate } from "./generation.js";
import { Handle } from "./handle.js";
import { abortSignal, known, listArgument, wholeNumber } from "./options.js";
import { Run } from "./run.js";
import { dataUpload } from "./upload.js";

/** @import { BenchmarkOptions, KindName, SpeedReport } from "../contract.js" */
/** @import { Runtime } from "./runtime.js" */

/** Shorter repeats would be lost in the clock's rounding. */
const SECONDS_PER_REPEAT = 0.05;
const MOST_ROUNDS = 50;
/** What the crate takes at most, known here so that no text is made for what it would refuse. */
const LONGEST = 4096;
const LARGEST_BATCH = 4096;
const MOST_REPEATS = 10_000;
/** Letters before they come again: enough for any model that learns nothing. */
const LETTERS = 1 << 16;
const WHAT = /** @type {const} */ (["train", "forward", "generate"]);

/** @typedef {{ kind: KindName, handle: Handle }} Entrant */

/**
 * @typedef {object} Shape
 * @property {number} length
 * @property {number} batch
 * @property {number} repeats
 * @property {string} text
 * @property {AbortSignal} [signal]
 */

/**
 * @param {Runtime} runtime
 * @param {BenchmarkOptions} options
 * @returns {AsyncGenerator<SpeedReport, void>}
 */
export async function* benchmark(runtime, options) {
  const given = known(options, [
    "kinds",
    "lengths",
    "batch",
    "dModel",
    "heads",
    "layers",
    "repeats",
    "signal",
  ]);
  const { batch = 8, dModel = 64, heads = 4, layers = 2, repeats = 5 } = given;
  const signal = abortSignal(given.signal);
  const kinds = listArgument("kinds", given.kinds, "a list of names of kinds");
  const lengths = listArgument("lengths", given.lengths, "a list of lengths in tokens");
  for (const length of lengths) wholeNumber("lengths", length, 2, LONGEST);
  wholeNumber("batch", batch, 1, LARGEST_BATCH);
  wholeNumber("repeats", repeats, 1, MOST_REPEATS);
  for (const length of lengths) {
    const shape = { length, batch, repeats, text: text(batch * length + 1), signal };
    /** @type {Entrant[]} */
    const entrants = [];
    try {
      for (const attention of kinds) {
        if (signal?.aborted) throw aborted(signal);
        const spec = {
          task: /** @type {const} */ ("language-model"),
          attention,
          dModel,
          heads,
          layers,
          maxLength: length,
        };
        entrants.push({ kind: attention, handle: await Handle.create(runtime, spec, { text: shape.text }) });
      }
      for (const what of WHAT) yield* inTurn(runtime, what, entrants, shape);
    } finally {
      await Promise.all(entrants.map(({ handle }) => handle.dispose()));
    }
  }
}

/**
 * @param {Runtime} runtime
 * @param {SpeedReport["what"]} what
 * @param {Entrant[]} entrants
 * @param {Shape} shape
 * @returns {AsyncGenerator<SpeedReport, void>}
 */
async function* inTurn(runtime, what, entrants, shape) {
  const measures = [];
  for (const { handle } of entrants) measures.push(await MEASURES[what](handle, shape));
  const samples = entrants.map(() => /** @type {number[]} */ ([]));
  for (let repeat = 0; repeat < shape.repeats; repeat += 1) {
    for (const [index, { once }] of measures.entries()) samples[index]?.push(await once());
  }
  for (const { end } of measures) await end();
  const vanilla = entrants.findIndex(({ kind }) => kind === "vanilla");
  const reference = vanilla < 0 ? undefined : spread(samples[vanilla] ?? []).median;
  for (const [index, { kind }] of entrants.entries()) {
    const { median, low, high } = spread(samples[index] ?? []);
    const faster =
      reference === undefined ? undefined : what === "generate" ? median / reference : reference / median;
    const relative = faster === undefined ? {} : { relativeToVanilla: faster };
    const unit = what === "generate" ? /** @type {const} */ ("tokens/s") : /** @type {const} */ ("ms");
    yield {
      kind,
      length: shape.length,
      what,
      median,
      low,
      high,
      unit,
      ...relative,
      device: runtime.device.description,
    };
  }
}

/**
 * Each makes everything warm, then measures once per call.
 *
 * @type {Record<SpeedReport["what"], (handle: Handle, shape: Shape) =>
 *   Promise<{ once: () => Promise<number>, end: () => Promise<void> }>>}
 */
const MEASURES = {
  async train(handle, { batch, repeats, signal }) {
    const steps = 2 + repeats * MOST_ROUNDS;
    const run = await Run.begin(handle, { steps, batch, every: steps, signal });
    const seconds = (/** @type {number} */ count) => run.timed(count);
    await seconds(1);
    const count = rounds(await seconds(1));
    return { once: async () => (1000 * (await seconds(count))) / count, end: () => run.end() };
  },

  async forward(handle, { text, batch, signal }) {
    const pass = async () => {
      const uploads = { data: dataUpload({ text }) };
      return (await handle.call("evaluate", { options: { batch } }, { uploads, signal })).seconds;
    };
    await pass();
    const count = rounds(await pass());
    const once = async () => {
      let seconds = 0;
      for (let round = 0; round < count; round += 1) seconds += await pass();
      return (1000 * seconds) / count;
    };
    return { once, end: async () => {} };
  },

  async generate(handle, { length, signal }) {
    const once = async () => {
      const pieces = generate(handle, "", { maxTokens: length, temperature: 1, seed: 0, signal });
      for (;;) {
        const { done, value } = await pieces.next();
        if (done) return value.tokensPerSecond;
      }
    };
    await once();
    return { once, end: async () => {} };
  },
};

/** @param {number} seconds what one round takes */
function rounds(seconds) {
  return Math.min(MOST_ROUNDS, Math.max(1, Math.ceil(SECONDS_PER_REPEAT / Math.max(seconds, 1e-6))));
}

/** @param {number[]} samples */
function spread(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const at = (/** @type {number} */ index) => sorted[index] ?? NaN;
  const median = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
  return { median, low: at(0), high: at(sorted.length - 1) };
}

/**
 * Letters in no order, the same every time: speed does not depend on sense.
 *
 * @param {number} length
 */
function text(length) {
  let state = 1;
  const letters = Array.from({ length: Math.min(length, LETTERS) }, () => {
    // Park and Miller's generator: exact in a double.
    state = (state * 48271) % 2147483647;
    return String.fromCharCode(97 + (state % 26));
  }).join("");
  return letters.repeat(Math.ceil(length / LETTERS)).slice(0, length);
}
