// What a training step of the package takes when several workers share it: one engine for each number of workers, in
// turn in one page.

import { launchChromium } from "../scripts/lib/browser.js";
import { at } from "../scripts/lib/paths.js";
import { serve } from "../scripts/lib/serve.js";

/** Sums in another order round otherwise; over the steps made here that stays far below. */
const LOSS_TOLERANCE = 1e-5;

/** The sizes of the comparison with other libraries. */
export const SIZES = {
  small: { model: { dModel: 64, layers: 2, maxLength: 32 }, batch: 8 },
  base: { model: { dModel: 128, layers: 4, maxLength: 64 }, batch: 16 },
};

/** @typedef {{ workers: number, median: number, fastest: number, loss: number }} Shared milliseconds a step */

/**
 * @param {object} options
 * @param {keyof typeof SIZES} options.size
 * @param {"vanilla" | "random" | "dense"} options.kind
 * @param {number[]} options.workers
 * @param {number} options.turns
 * @param {number} options.window steps a turn, ending in a read-back
 * @returns {Promise<Shared[]>}
 */
export async function compareWorkers({ size, kind, workers, turns, window }) {
  const mounts = { "/page/": at("bench", "page"), "/synthattn/": at("pkg"), "/text.txt": at("node_modules", "@stdlib", "datasets-moby-dick", "data", "data.txt") };
  const server = await serve(mounts);
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(`${server.origin}/page/`);
    return await page.evaluate(measure, { ...SIZES[size], kind, workers, turns, window });
  } finally {
    await browser.close();
    server.close();
  }
}

/**
 * Runs in the page.
 *
 * @param {(typeof SIZES)["small"] & { kind: "vanilla" | "random" | "dense", workers: number[], turns: number, window: number }} options
 * @returns {Promise<Shared[]>}
 */
async function measure({ model: sizes, batch, kind, workers, turns, window }) {
  const entry = "/synthattn/cpu.js";
  /** @type {typeof import("synthattn")} */
  const { Engine } = await import(entry);
  const text = (await (await fetch("/text.txt")).text()).slice(0, 100_000);
  const lanes = [];
  for (const count of workers) {
    const engine = await Engine.create({ device: "cpu", workers: count });
    const model = await engine.createModel({ task: "language-model", attention: kind, heads: 4, ...sizes }, { text });
    const reports = model.train({ steps: (turns + 1) * window, batch, every: window });
    // Compiled code gets faster for a while.
    await reports.next();
    lanes.push({ workers: count, engine, reports, times: /** @type {number[]} */ ([]), loss: NaN });
  }
  for (let turn = 0; turn < turns; turn += 1) {
    for (const lane of lanes) {
      const report = /** @type {import("synthattn").Report} */ ((await lane.reports.next()).value);
      lane.times.push(1000 / report.stepsPerSecond);
      lane.loss = report.loss;
    }
  }
  for (const { engine } of lanes) await engine.dispose();
  return lanes.map(({ workers, times, loss }) => {
    const sorted = times.sort((a, b) => a - b);
    const middle = (sorted.length - 1) / 2;
    return { workers, median: (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2, fastest: sorted[0], loss };
  });
}

/**
 * Why some of these are not of the same training, or undefined if they are.
 *
 * @param {Shared[]} all
 */
export function apart([first, ...others]) {
  const other = others.find(({ loss }) => !(Math.abs(loss - first.loss) <= LOSS_TOLERANCE * first.loss));
  return other && `the loss is ${other.loss} with ${other.workers} workers, ${first.loss} with ${first.workers}`;
}
