// What a training step asks of WebGPU at each length of text, for every kind. A software adapter's times say nothing about a
// graphics card; how much is asked of it does.

import { kinds } from "synthattn";
import { launchChromium } from "../scripts/lib/browser.js";
import { at } from "../scripts/lib/paths.js";
import { serve } from "../scripts/lib/serve.js";

/** @import { KindName } from "synthattn" */

/** Steps before any is counted: buffers are made in the first. */
const WARM_UP = 3;

/**
 * @typedef {object} Counted
 * @property {KindName} kind
 * @property {number} length
 * @property {number} dispatches a step
 * @property {number} submits a step
 * @property {number} buffers made a step
 * @property {number} bytes handed over a step
 * @property {number} megabytes that the device holds after training
 */

/**
 * @param {object} options
 * @param {number[]} options.lengths
 * @param {number} options.tokens a step, whatever the length
 * @param {number} options.dModel
 * @param {number} [options.steps] that are counted
 * @param {KindName[]} [options.only] default: all kinds
 * @param {(text: string) => void} [options.say]
 * @returns {Promise<Counted[]>}
 */
export async function countLengths({ lengths, tokens, dModel, steps = 4, only, say = () => {} }) {
  const chosen = (await kinds()).filter(({ name }) => only?.includes(name) ?? true);
  const server = await serve({ "/page/": at("bench", "page"), "/src/": at("bench", "src"), "/wasm/": at("pkg", "wasm") });
  const browser = await launchChromium({ webgpu: true });
  try {
    /** @type {Counted[]} */
    const all = [];
    for (const length of lengths) {
      for (const { name: kind, causal } of chosen) {
        // A page each: what the device holds is the model's.
        const page = await browser.newPage();
        await page.goto(`${server.origin}/page/`);
        const task = causal ? "language-model" : "masked-language-model";
        const spec = { task, attention: kind, dModel, heads: 4, layers: 2, maxLength: length };
        const made = await page.evaluate(inPage, { spec, batch: Math.max(1, Math.round(tokens / length)), warmUp: WARM_UP, steps });
        await page.close();
        all.push({ kind, length, ...made });
        say(`${length}, ${kind}: ${made.dispatches} dispatches, ${made.submits} submits, ${made.megabytes.toFixed(1)} MB`);
      }
    }
    return all;
  } finally {
    await browser.close();
    server.close();
  }
}

/** @param {{ spec: { maxLength: number }, batch: number, warmUp: number, steps: number }} order */
async function inPage({ spec, batch, warmUp, steps }) {
  const load = (/** @type {string} */ path) => import(path);
  // Before the module is there, so that nothing goes uncounted.
  const { countsNow, since } = await load("/src/counters.js");
  const { default: init, WebEngine } = await load("/wasm/synthattn.js");
  await init({ module_or_path: "/wasm/synthattn_bg.wasm" });
  const engine = await WebEngine.create("webgpu");
  const text = Array.from({ length: 4 * batch * spec.maxLength }, (_, index) => String.fromCharCode(97 + ((index * index) % 23))).join("");
  const model = await engine.createModel(spec, { text });
  model.beginTraining({ steps: warmUp + 3 * steps, batch, every: 1000 });
  /** With the wait at their end, which asks for something itself. */
  const count = async (/** @type {number} */ made) => {
    const before = countsNow();
    for (let step = 0; step < made; step += 1) model.trainStep();
    await model.settle();
    return since(before);
  };
  await count(warmUp);
  const [few, twice] = [await count(steps), await count(2 * steps)];
  const { loss } = await model.report();
  if (!Number.isFinite(loss)) throw new Error(`a loss of ${loss}: there was no training to count`);
  const more = (/** @type {string} */ what) => (twice[what] - few[what]) / steps;
  return { dispatches: more("dispatches"), submits: more("submits"), buffers: more("buffers"), bytes: more("bytes"), megabytes: engine.gpuBytes() / 1e6 };
}
