// `npm run bench`: the same training step, and the same text, in this project and in other libraries. `-- --short` is the
// quick form that tests use: it fails unless ours agrees with the others and is no slower, and asks no more of WebGPU
// than it may. `-- --gpu` times WebGPU on this machine's graphics card. Also the package's own step by several workers.

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { at } from "./lib/paths.js";
import { Stop, main, say } from "./lib/run.js";
import { checkBrowser, checkNodeModules } from "./lib/tools.js";
import { buildPackage } from "./build.js";
import { setup } from "./setup.js";

/** @typedef {import("../bench/run.js").Result} Result */
/** @typedef {import("../bench/run.js").Writing} Writing */
/** @typedef {{ size: string, kind: import("../bench/src/model.js").Kind, steps: number, window: number, warmUp?: number, tokens?: number, peers?: string[], writers?: string[] }} Round */

/** @type {Round[]} */
const ON_CPU = [
  { size: "small", kind: "vanilla", steps: 100, window: 8, tokens: 32 },
  { size: "small", kind: "random", steps: 100, window: 8, tokens: 32 },
  { size: "small", kind: "dense", steps: 100, window: 8, tokens: 32 },
  { size: "base", kind: "vanilla", steps: 28, window: 4, tokens: 64 },
  { size: "base", kind: "random", steps: 28, window: 4, tokens: 64 },
  { size: "base", kind: "dense", steps: 28, window: 4, tokens: 64 },
];

/** In software a step of another library takes seconds. @type {Round[]} */
const ON_WEBGPU = [
  { size: "small", kind: "vanilla", steps: 12, window: 4, warmUp: 3, tokens: 8 },
  { size: "small", kind: "random", steps: 12, window: 4, warmUp: 3, tokens: 8 },
  { size: "small", kind: "dense", steps: 12, window: 4, warmUp: 3, tokens: 8 },
  { size: "base", kind: "vanilla", steps: 6, window: 2, warmUp: 3, tokens: 4, peers: ["synthattn", "jax"] },
  { size: "base", kind: "random", steps: 6, window: 2, warmUp: 3, tokens: 4, peers: ["synthattn", "jax"] },
];

/** Turns of a few steps, by one worker and by two. @type {{ size: "small" | "base", kind: "vanilla" | "random", turns: number, window: number }[]} */
const SHARED = [
  { size: "small", kind: "vanilla", turns: 15, window: 20 },
  { size: "small", kind: "random", turns: 15, window: 20 },
  { size: "base", kind: "vanilla", turns: 12, window: 2 },
  { size: "base", kind: "random", turns: 12, window: 2 },
];

/** What a warm step of the small model may ask of WebGPU at most, and a token of it. */
const MOST = {
  vanilla: { dispatches: 150, submits: 8, token: 40 },
  random: { dispatches: 110, submits: 8, token: 34 },
  dense: { dispatches: 150, submits: 8, token: 40 },
};
/** Share of jax-js's processor time that the page's thread may take for a step on WebGPU. */
const MOST_PROCESSOR = 0.5;

const HEADS = {
  cpu: `| model | attention | library | ms a step | fastest | against ours | first step, ms | loss at first | at last |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |`,
  gpu: `| model | attention | library | ms a step | fastest | of the adapter's rate | against ours | first step, ms | loss at first | at last |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |`,
  webgpu: `| model | attention | library | dispatches a step | submits | buffers made | KB written | processor, ms | against ours | first step, ms | loss at first | at last |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |`,
  workers: `| model | attention | workers | ms a step | fastest | fastest, against one |
| --- | --- | ---: | ---: | ---: | ---: |`,
  text: `| model | attention | library | tokens/s | ours against it | dispatches a token |
| --- | --- | --- | ---: | ---: | ---: |`,
};

await main(async () => {
  const short = process.argv.includes("--short");
  const hardware = process.argv.includes("--gpu");
  if (!short) {
    await setup();
    await checkBrowser();
    await checkNodeModules(at("bench"));
    await buildPackage();
  }
  // These need what was just installed.
  const { buildPeers, compareLibraries, disagreement, otherText } = await import("../bench/run.js");
  const { apart, compareWorkers } = await import("../bench/workers.js");
  await buildPeers();
  /** @type {Record<keyof typeof HEADS, string[]>} */
  const rows = { cpu: [], workers: [], gpu: [], webgpu: [], text: [] };
  /** @type {string[]} */
  const faults = [];

  /** @param {Round} round @param {"cpu" | "webgpu"} device */
  async function measure(round, device) {
    const what = `${round.size}, ${round.kind}, ${device === "cpu" ? "CPU" : "WebGPU"}`;
    say(`\n${what}`);
    const { trained, writers } = await compareLibraries({ ...round, device, hardware, say });
    const [ours, ...theirs] = trained;
    const table = device === "webgpu" && hardware ? "gpu" : device;
    for (const one of trained) rows[table].push(row(round, one, { cpu: timeOf, gpu: shareOf, webgpu: countsOf }[table](one, ours)));
    for (const one of [...trained, ...writers]) if (one.written) rows.text.push(row(round, one, textOf(one, ours, device)));
    for (const peer of [...theirs, ...writers]) {
      const differs = disagreement(ours, peer) ?? otherText(ours, peer);
      if (differs) faults.push(`${what}: ${differs}; the comparison does not count`);
    }
    return trained;
  }

  if (!hardware)
    for (const round of short ? ON_CPU.slice(0, 1) : ON_CPU) {
      const [ours, ...theirs] = await measure(round, "cpu");
      for (const peer of theirs)
        if (short && ours.median > peer.median) faults.push(`a step takes ${ours.median.toFixed(1)} ms, in ${peer.name} ${peer.median.toFixed(1)} ms`);
    }
  if (!hardware)
    for (const { size, kind, turns, window } of short ? SHARED.slice(0, 1) : SHARED) {
      const all = await compareWorkers({ size, kind, workers: [1, 2], turns: short ? 3 : turns, window });
      const fault = apart(all);
      if (fault) faults.push(`${size}, ${kind}: ${fault}`);
      for (const { workers, median, fastest } of all) {
        rows.workers.push(`| ${[size, kind, workers, median.toFixed(1), fastest.toFixed(1), `${(all[0].fastest / fastest).toFixed(2)} ×`].join(" | ")} |`);
      }
    }
  // The short form has no time for what others compile in software: those that only write are in it on the CPU.
  for (const round of short ? [{ ...ON_WEBGPU[0], peers: ["synthattn", "jax"], writers: [] }, { ...ON_WEBGPU[1], peers: ["synthattn"], writers: [] }] : ON_WEBGPU) {
    const results = await measure(round, "webgpu");
    // In software too, where it says nothing, so that it works where it does.
    for (const { name, share = NaN } of results) if (!(share > 0 && share < Infinity)) faults.push(`${name} makes ${share} of what the adapter can`);
    if (hardware) continue;
    if (round.size === "small") faults.push(...excesses(round, results));
    const [ours, ...theirs] = results;
    for (const { name, peer, firstMilliseconds } of theirs)
      if (peer === "jax" && ours.firstMilliseconds > firstMilliseconds)
        faults.push(`${round.size}, ${round.kind} on WebGPU: the first step takes ${ours.firstMilliseconds.toFixed(0)} ms, in ${name} ${firstMilliseconds.toFixed(0)} ms`);
  }

  const tables = [
    ...(rows.cpu.length ? [["Training steps on the CPU", HEADS.cpu, rows.cpu]] : []),
    ...(rows.workers.length ? [["The package's own steps on the CPU by several workers", HEADS.workers, rows.workers]] : []),
    hardware ? ["Training steps on WebGPU", HEADS.gpu, rows.gpu] : ["Training steps on WebGPU, in software: what they ask of it", HEADS.webgpu, rows.webgpu],
    ["Text, the likeliest token each time", HEADS.text, rows.text],
  ].map(([title, head, rows]) => `## ${title}\n\n${[head, .../** @type {string[]} */ (rows)].join("\n")}`);
  const note = "Medians of windows of steps, each ending in a read-back of the loss, the libraries taking turns. Processor time is that of the page's thread.";
  say(`\n${tables.join("\n\n")}\n\n${note}`);
  if (!short) keep(`${tables.join("\n\n")}\n\n${note}`, hardware);
  if (faults.length) throw new Stop(faults.join("\n"));
});

/** What of WebGPU is asked for beyond what may be. @param {Round} round @param {Result[]} results */
function excesses({ kind }, [ours, ...theirs]) {
  /** @type {string[]} */
  const faults = [];
  const atMost = (/** @type {string} */ what, /** @type {number} */ value, /** @type {number} */ limit) => {
    if (value > limit) faults.push(`${kind} on WebGPU: ${value.toFixed(1)} ${what}, at most ${limit.toFixed(1)}`);
  };
  const { counts, queued, processor, written } = ours;
  const most = MOST[kind];
  atMost("dispatches a step", counts.dispatches, most.dispatches);
  atMost("submits a step", counts.submits, most.submits);
  atMost("buffers made in a warm step", queued.buffers, 0);
  if (written) atMost("dispatches a token", written.dispatches / written.ids.length, most.token);
  const jax = theirs.find(({ peer }) => peer === "jax");
  if (jax) atMost("ms of processor time a step", processor, MOST_PROCESSOR * jax.processor);
  return faults;
}

/** @param {Round} round @param {Writing} result @param {(string | number)[]} cells */
function row({ size, kind }, { name, version, backend }, cells) {
  return `| ${[size, kind, `${name} ${version} (${backend})`, ...cells].join(" | ")} |`;
}

/** @param {Result} result @param {Result} ours */
function timeOf({ median, windows, firstMilliseconds, firstLoss, lastLoss }, ours) {
  return [median.toFixed(1), Math.min(...windows).toFixed(1), `${(median / ours.median).toFixed(2)} ×`, firstMilliseconds.toFixed(0), firstLoss.toFixed(6), lastLoss.toFixed(6)];
}

/** @param {Result} result @param {Result} ours */
function shareOf(result, ours) {
  const [median, fastest, ...others] = timeOf(result, ours);
  return [median, fastest, `${(100 * (result.share ?? NaN)).toFixed(1)} %`, ...others];
}

/** @param {Result} result @param {Result} ours */
function countsOf({ counts, processor, firstMilliseconds, firstLoss, lastLoss }, ours) {
  const asked = [counts.dispatches.toFixed(0), counts.submits.toFixed(1), counts.buffers.toFixed(1), (counts.bytes / 1000).toFixed(1)];
  return [...asked, processor.toFixed(1), `${(processor / ours.processor).toFixed(2)} ×`, firstMilliseconds.toFixed(0), firstLoss.toFixed(6), lastLoss.toFixed(6)];
}

/** @param {Writing} result @param {Writing} ours @param {"cpu" | "webgpu"} device */
function textOf({ written }, ours, device) {
  const rate = (/** @type {Writing["written"]} */ text) => (text ? (text.ids.length / text.milliseconds) * 1000 : NaN);
  const dispatches = written && device === "webgpu" ? (written.dispatches / written.ids.length).toFixed(0) : "–";
  return [rate(written).toFixed(0), `${(rate(ours.written) / rate(written)).toFixed(1)} ×`, dispatches];
}

/** @param {string} tables @param {boolean} hardware */
function keep(tables, hardware) {
  const date = new Date().toISOString().slice(0, 10);
  const folder = at("bench", "results");
  mkdirSync(folder, { recursive: true });
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}`;
  const name = `${date}${hardware ? "-gpu" : ""}.md`;
  writeFileSync(`${folder}/${name}`, `# Bench in Chromium, ${date}\n\n${machine}\n\n${tables}\n`);
  say(`Kept in bench/results/${name}.`);
}
