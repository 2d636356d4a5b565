// What `npm run quality` does, after everything that it needs is there.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Engine } from "synthattn";
import { at } from "../paths.js";
import { Stop, duration, say } from "../run.js";
import { loadData, missingFiles, needsFolder } from "./data.js";
import { cell } from "./format.js";
import { inParallel } from "./parallel.js";
import { report } from "./report.js";
import { keepResult, newestResults, thisPlace } from "./results.js";
import { allRuns, select, settingsKey } from "./select.js";
import { SHORT_STEPS, builtinRuns, shortened } from "./short.js";
import { trainRun } from "./train.js";

/** @typedef {import("./select.js").Run} Run */
/** @typedef {import("./results.js").Result} Result */

const tableFile = at("docs", "quality.md");
/** Milliseconds between lines that say how far a run is. */
const TELL_EVERY = 20_000;

/** @param {string[]} names of groups or runs */
export function list(names) {
  const results = newestResults();
  for (const run of select(allRuns(), names)) {
    const result = results.get(run.id);
    const score = result?.error ? `failed: ${result.error.code}` : cell(run.metric, result?.outcome?.metrics[run.metric]);
    const when = result ? `${result.date.slice(0, 16)}  ${score}${isCurrent(run, result) ? "" : "  (with other settings)"}` : "no result";
    say(`${run.id.padEnd(32)}${String(run.train.steps).padStart(6)} steps  ${when}`);
  }
}

/** Writes docs/quality.md from the results that were kept. @param {string | undefined} folder */
export function writeTable(folder) {
  mkdirSync(dirname(tableFile), { recursive: true });
  writeFileSync(tableFile, report(newestResults(), { hasFolder: folder !== undefined }));
}

/**
 * Runs, and writes the table after each.
 *
 * @param {string[]} names of groups or runs, none: all
 * @param {{ folder: string | undefined, parallel: number, missing: boolean }} options
 */
export async function runAll(names, { folder, parallel, missing }) {
  const results = newestResults();
  const selected = select(allRuns(), names).filter((run) => !missing || !isCurrent(run, results.get(run.id)));
  const runs = selected.filter(({ data }) => folder !== undefined || !needsFolder(data));
  if (runs.length < selected.length) say(`SYNTHATTN_DATA is not set: skipped ${selected.length - runs.length} of ${selected.length} runs, which need its data.`);
  if (folder !== undefined) {
    const files = [...new Set(runs.map(({ data }) => data))].filter(needsFolder).flatMap((data) => missingFiles(data, folder));
    if (files.length) throw new Stop(`The folder that SYNTHATTN_DATA names lacks ${files.join(", ")}.`);
  }
  const begun = performance.now();
  const place = thisPlace(parallel);
  /** @type {string[]} */
  const failures = [];
  await inParallel(parallel, runs, async (run) => {
    const head = { id: run.id, settings: settingsKey(run), date: new Date().toISOString(), place };
    try {
      keepResult({ ...head, outcome: await runOne(run, await loadData(run.data, folder)) });
    } catch (why) {
      const { code = "internal", message } = /** @type {Error & { code?: string }} */ (why);
      failures.push(`${run.id}: ${message}`);
      say(`${run.id} failed: ${message}`);
      keepResult({ ...head, error: { code, message } });
    }
    writeTable(folder);
  });
  if (!runs.length) writeTable(folder);
  say(`\n${runs.length} runs in ${duration(performance.now() - begun)}. The table is in docs/quality.md.`);
  if (failures.length) throw new Stop(`These failed:\n${failures.join("\n")}`);
}

/**
 * A few steps of the runs named, or of one for each built-in set. The table is made of them and thrown away.
 *
 * @param {string[]} names
 * @param {string | undefined} folder
 */
export async function runShort(names, folder) {
  /** @type {Map<string, Result>} */
  const results = new Map();
  for (const run of names.length ? select(allRuns(), names) : await builtinRuns()) {
    const outcome = await runOne(...shortened(run, await loadData(run.data, folder)));
    if (outcome.step !== SHORT_STEPS || !Number.isFinite(outcome.metrics[run.metric])) throw new Stop(`${run.id} has no score after ${outcome.step} steps.`);
    results.set(run.id, { id: run.id, settings: settingsKey(run), date: new Date().toISOString(), place: thisPlace(1), outcome });
  }
  report(results, { hasFolder: folder !== undefined });
}

/** @param {Run} run @param {import("./data.js").Loaded} data */
async function runOne(run, data) {
  const engine = await Engine.create({ device: "cpu" });
  let told = performance.now();
  try {
    const outcome = await trainRun(engine, run, data, ({ step, steps, seconds, loss }) => {
      if (performance.now() - told < TELL_EVERY) return;
      told = performance.now();
      say(`${run.id}: step ${step} of ${steps}, ${seconds.toFixed(0)} s, loss ${loss.toFixed(3)}`);
    });
    const { step, cut, seconds, metrics } = outcome;
    say(`${run.id}: ${run.metric} ${cell(run.metric, metrics[run.metric])} after ${step} steps${cut ? " (cut)" : ""}, ${seconds.toFixed(1)} s`);
    return outcome;
  } finally {
    await engine.dispose();
  }
}

/** Whether a result is of the settings that a run has now. @param {Run} run @param {Result | undefined} result */
const isCurrent = (run, result) => result?.outcome !== undefined && result.settings === settingsKey(run);
