// Runs the same training step in every library, in turn in one Chromium, and compares speed where losses agree. Then all write,
// and those too that do not train.

import { join } from "node:path";
import { launchChromium } from "../scripts/lib/browser.js";
import { at } from "../scripts/lib/paths.js";
import { ISOLATED, serve } from "../scripts/lib/serve.js";
import { ORT_FILES, PEERS, WRITERS, buildPeers } from "./build.js";
import { SIZES, operationsOf } from "./src/model.js";

/**
 * Losses are means over a batch in float32, in another order of summation in each library: first steps differ by 1e-7.
 * Adam divides by the root of tiny second moments, so differences grow over steps: after 100 they are near 1e-6 here.
 */
const LOSS_TOLERANCE = 1e-4;
/** Whose weights a library gets that does not train. */
const TRAINER = "jax";
/** Texts are written so often, or until a library has written for so many milliseconds. */
const MOST_TEXTS = 30;
const LONG_ENOUGH = 2000;

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("./src/counters.js").Counts} Counts */

/** @typedef {{ ids: number[], milliseconds: number, dispatches: number }} Text the median time of several takes */

/**
 * What is known of every library.
 *
 * @typedef {object} Writing
 * @property {string} peer
 * @property {string} name
 * @property {string} version
 * @property {string} backend
 * @property {number} firstLoss of step 0
 * @property {number} lastStep
 * @property {number} lastLoss
 * @property {Text} [written] tokens, if they were asked for
 */

/**
 * And of those that train.
 *
 * @typedef {object} Trained
 * @property {number} firstMilliseconds of step 0, compiling included
 * @property {number[]} windows milliseconds a step, each window ending in a read-back
 * @property {number} median of the windows
 * @property {number} processor milliseconds of processor time a step of the page's thread, the least of the windows
 * @property {Counts} counts of WebGPU calls, a step, over all windows
 * @property {Counts} queued of those, what comes before losses are read
 * @property {number} [share] of the operations that the adapter makes in a plain product of matrices, those that a step makes in the same time; on WebGPU
 */
/** @typedef {Writing & Trained} Result */

/**
 * @param {object} options
 * @param {string} options.size
 * @param {import("./src/model.js").Kind} options.kind
 * @param {"cpu" | "webgpu"} [options.device] WebGPU in software unless `hardware`
 * @param {boolean} [options.hardware]
 * @param {number} [options.steps] the last step
 * @param {string[]} [options.peers] that train, ours first
 * @param {string[]} [options.writers] that only write; they need a peer to train for them
 * @param {number} [options.warmUp] steps before anything is measured
 * @param {number} [options.window] steps between read-backs
 * @param {number} [options.tokens] to write at the end
 * @param {(text: string) => void} [options.say]
 * @returns {Promise<{ trained: Result[], writers: Writing[] }>}
 */
export async function compareLibraries({
  size,
  kind,
  device = "cpu",
  hardware = false,
  steps: lastStep = 100,
  peers = ["synthattn", ...PEERS],
  writers = WRITERS,
  warmUp = 4,
  window = 8,
  tokens = 0,
  say = () => {},
}) {
  const server = await serve(
    {
      "/peers/": join(import.meta.dirname, "dist"),
      "/wasm/": at("pkg", "wasm"),
      "/ort/": ORT_FILES,
      "/text.txt": at("node_modules", "@stdlib", "datasets-moby-dick", "data", "data.txt"),
    },
    ISOLATED,
  );
  // All pages stay open and take turns, so that a disturbance from outside meets all of them alike.
  const args = ["--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows", "--disable-background-timer-throttling"];
  const webgpu = device === "cpu" ? false : hardware ? "hardware" : "software";
  const browser = await launchChromium({ webgpu, args });
  try {
    const open = async (/** @type {string} */ peer) => {
      const page = await browser.newPage();
      page.on("pageerror", (why) => say(`${peer}: ${why.message}`));
      await page.goto(`${server.origin}/peers/${peer}/`);
      const about = await page.evaluate(({ size, kind, device }) => bench.begin(size, kind, device), { size, kind, device });
      say(`${peer}: ${about.name} ${about.version} (${about.backend}), loss ${about.loss} after ${about.milliseconds.toFixed(0)} ms`);
      return { peer, page, about };
    };
    const lanes = [];
    for (const peer of peers) {
      const { page, about } = await open(peer);
      const processor = await processorTime(page);
      const run = async (/** @type {number} */ steps) => {
        const before = await processor();
        const made = await page.evaluate((steps) => bench.run(steps), steps);
        return { ...made, steps, processor: (await processor()) - before };
      };
      lanes.push({ peer, page, about, run, turns: /** @type {Awaited<ReturnType<typeof run>>[]} */ ([]), lastLoss: NaN });
    }
    for (const lane of lanes) await lane.run(warmUp);
    for (let step = 1 + warmUp; step < lastStep; ) {
      const steps = Math.min(window, lastStep - step);
      for (const lane of lanes) {
        await lane.page.bringToFront();
        lane.turns.push(await lane.run(steps));
      }
      step += steps;
    }
    // Opened late, so that nothing of theirs runs beside a step that is measured.
    const only = [];
    for (const peer of tokens ? writers : []) only.push({ ...(await open(peer)), lastLoss: NaN });
    await adopt(only, lanes);
    // By itself, because ours gives the mean of the steps since it was last asked.
    for (const lane of lanes) lane.lastLoss = (await lane.run(1)).loss;
    for (const lane of only) lane.lastLoss = (await lane.page.evaluate((step) => bench.look(step), lastStep)).loss;
    await adopt(only, lanes);
    const rate = device === "webgpu" ? await rateOf(lanes[0].page, hardware, say) : undefined;
    const texts = tokens ? await textsOf([...lanes, ...only].map(({ page }) => page), tokens) : new Map();
    const known = (/** @type {Awaited<ReturnType<typeof open>> & { lastLoss: number }} */ { peer, page, about, lastLoss }) => {
      const { name, version, backend, loss: firstLoss } = about;
      return { peer, name, version, backend, firstLoss, lastStep, lastLoss, written: texts.get(page) };
    };
    const trained = lanes.map((lane) => {
      const { about, turns } = lane;
      const windows = turns.map(({ milliseconds, steps }) => milliseconds / steps);
      const made = turns.reduce((sum, { steps }) => sum + steps, 0);
      return {
        ...known(lane),
        firstMilliseconds: about.milliseconds,
        windows,
        median: median(windows),
        share: rate && operationsOf(SIZES[size], kind) / (median(windows) / 1000) / rate,
        processor: Math.min(...turns.map(({ processor, steps }) => processor / steps)),
        counts: meanOf(turns.map(({ counts }) => counts), made),
        queued: meanOf(turns.map(({ queued }) => queued), made),
      };
    });
    return { trained, writers: only.map(known) };
  } finally {
    await browser.close();
    server.close();
  }
}

/** Gives some what others have trained so far. @param {{ page: Page }[]} writers @param {{ peer: string, page: Page }[]} lanes */
async function adopt(writers, lanes) {
  for (const { page } of writers) {
    const trainer = lanes.find(({ peer }) => peer === TRAINER);
    if (!trainer) throw new Error(`libraries that do not train need ${TRAINER} among the peers`);
    await page.evaluate((weights) => bench.adopt(weights), await trainer.page.evaluate(() => bench.weights()));
  }
}

/**
 * The same text by every page, the pages taking turns.
 *
 * @param {Page[]} pages
 * @param {number} tokens
 * @returns {Promise<Map<Page, Text>>}
 */
async function textsOf(pages, tokens) {
  /** @type {Map<Page, Text[]>} */
  const takes = new Map(pages.map((page) => [page, []]));
  const write = async (/** @type {Page} */ page) => {
    await page.bringToFront();
    return page.evaluate((count) => bench.generate(count), tokens);
  };
  // Once before, so that what is compiled for it is not measured.
  for (const page of pages) await write(page);
  for (let turn = 0; turn < MOST_TEXTS; turn += 1) {
    for (const [page, made] of takes) {
      if (made.reduce((sum, { milliseconds }) => sum + milliseconds, 0) < LONG_ENOUGH) made.push(await write(page));
    }
  }
  const timed = [...takes].map(([page, made]) => /** @type {const} */ ([page, { ...made[0], milliseconds: median(made.map(({ milliseconds }) => milliseconds)) }]));
  return new Map(timed);
}

/** Operations a second by hardware and in software, measured once. @type {Map<boolean, number>} */
const rates = new Map();

/** @param {Page} page @param {boolean} hardware @param {(text: string) => void} say */
async function rateOf(page, hardware, say) {
  const rate = rates.get(hardware) ?? (await page.evaluate(() => bench.rateOfProducts()));
  if (!rates.has(hardware)) say(`the adapter: ${(rate / 1e9).toFixed(1)} GFLOP/s in products of 1,024² matrices`);
  rates.set(hardware, rate);
  return rate;
}

/**
 * Reads how much processor time the page's main thread has used, in milliseconds: what else the machine does, a GPU in
 * software included, does not count.
 *
 * @param {Page} page
 */
async function processorTime(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN);
  };
}

/** @param {Counts[]} all @param {number} steps @returns {Counts} */
function meanOf(all, steps) {
  const mean = (/** @type {keyof Counts} */ what) => all.reduce((sum, counts) => sum + counts[what], 0) / steps;
  return { dispatches: mean("dispatches"), submits: mean("submits"), buffers: mean("buffers"), writes: mean("writes"), bytes: mean("bytes") };
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
 * @param {Writing} ours
 * @param {Writing} theirs
 */
export function disagreement(ours, theirs) {
  for (const [step, a, b] of [[0, ours.firstLoss, theirs.firstLoss], [ours.lastStep, ours.lastLoss, theirs.lastLoss]]) {
    if (!(Math.abs(a - b) <= LOSS_TOLERANCE * Math.abs(b))) return `loss of step ${step}: ${a} in ${ours.name}, ${b} in ${theirs.name}`;
  }
}

/**
 * Why two results are not of the same text, or undefined if they are.
 *
 * @param {Writing} ours
 * @param {Writing} theirs
 */
export function otherText(ours, theirs) {
  const [a, b] = [ours, theirs].map(({ written }) => written?.ids ?? []);
  const at = a.findIndex((id, index) => id !== b[index]);
  if (at >= 0 || a.length !== b.length) return `token ${at}: ${a[at]} in ${ours.name}, ${b[at]} in ${theirs.name}`;
}

export { buildPeers };
