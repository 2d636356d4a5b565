// Runs the same training step in every library, in turn in one Chromium, and compares speed where losses agree.

import { join } from "node:path";
import { launchChromium } from "../scripts/lib/browser.js";
import { at } from "../scripts/lib/paths.js";
import { ISOLATED, serve } from "../scripts/lib/serve.js";
import { PEERS, buildPeers } from "./build.js";

/**
 * Losses are means over a batch in float32, in another order of summation in each library: first steps differ by 1e-7.
 * Adam divides by the root of tiny second moments, so differences grow over steps: after 100 they are near 1e-6 here.
 */
const LOSS_TOLERANCE = 1e-4;
const WARM_UP = 4;

/**
 * @typedef {object} Result
 * @property {string} peer
 * @property {string} name
 * @property {string} version
 * @property {string} backend
 * @property {number} firstLoss of step 0
 * @property {number} lastStep
 * @property {number} lastLoss
 * @property {number} firstMilliseconds of step 0, compiling included
 * @property {number[]} windows milliseconds a step, each window ending in a read-back
 * @property {number} median of the windows
 */

/**
 * @param {object} options
 * @param {string} options.size
 * @param {import("./src/model.js").Kind} options.kind
 * @param {number} [options.steps] the last step
 * @param {string[]} [options.peers]
 * @param {number} [options.window] steps between read-backs
 * @param {(text: string) => void} [options.say]
 * @returns {Promise<Result[]>}
 */
export async function compareLibraries({ size, kind, steps: lastStep = 100, peers = ["synthattn", ...PEERS], window = 8, say = () => {} }) {
  const server = await serve(
    {
      "/peers/": join(import.meta.dirname, "dist"),
      "/wasm/": at("pkg", "wasm"),
      "/text.txt": at("node_modules", "@stdlib", "datasets-moby-dick", "data", "data.txt"),
    },
    ISOLATED,
  );
  // All pages stay open and take turns, so that a disturbance from outside meets all of them alike.
  const args = ["--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows", "--disable-background-timer-throttling"];
  const browser = await launchChromium({ args });
  try {
    const lanes = [];
    for (const peer of peers) {
      const page = await browser.newPage();
      page.on("pageerror", (why) => say(`${peer}: ${why.message}`));
      await page.goto(`${server.origin}/peers/${peer}/`);
      const about = await page.evaluate(({ size, kind }) => bench.begin(size, kind), { size, kind });
      say(`${peer}: ${about.name} ${about.version} (${about.backend}), loss ${about.loss} after ${about.milliseconds.toFixed(0)} ms`);
      const run = (/** @type {number} */ steps) => page.evaluate((steps) => bench.run(steps), steps);
      lanes.push({ peer, page, about, run, windows: /** @type {number[]} */ ([]), lastLoss: NaN });
    }
    for (const lane of lanes) await lane.run(WARM_UP);
    for (let step = 1 + WARM_UP; step < lastStep; ) {
      const steps = Math.min(window, lastStep - step);
      for (const lane of lanes) {
        await lane.page.bringToFront();
        lane.windows.push((await lane.run(steps)).milliseconds / steps);
      }
      step += steps;
    }
    // By itself, because ours gives the mean of the steps since it was last asked.
    for (const lane of lanes) lane.lastLoss = (await lane.run(1)).loss;
    return lanes.map(({ peer, about, windows, lastLoss }) => ({
      peer,
      name: about.name,
      version: about.version,
      backend: about.backend,
      firstLoss: about.loss,
      lastStep,
      lastLoss,
      firstMilliseconds: about.milliseconds,
      windows,
      median: median(windows),
    }));
  } finally {
    await browser.close();
    server.close();
  }
}

/** @param {number[]} numbers */
function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Why two results are not of the same computation, or undefined if they are.
 *
 * @param {Result} ours
 * @param {Result} theirs
 */
export function disagreement(ours, theirs) {
  for (const [step, a, b] of [[0, ours.firstLoss, theirs.firstLoss], [ours.lastStep, ours.lastLoss, theirs.lastLoss]]) {
    if (!(Math.abs(a - b) <= LOSS_TOLERANCE * Math.abs(b))) return `loss of step ${step}: ${a} in ${ours.name}, ${b} in ${theirs.name}`;
  }
}

export { buildPeers };
