// What `npm run findings` does, after everything that it needs is there.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Engine } from "synthattn";
import { createModelFor } from "../../../www/findings/create.js";
import { EXPERIMENTS } from "../../../www/findings/experiments.js";
import { runExperiment, workOf } from "../../../www/findings/run.js";
import { inParallel } from "../quality/parallel.js";
import { thisPlace } from "../quality/results.js";
import { Stop, duration, say } from "../run.js";
import { report } from "./report.js";
import { allResults, folderOf, isCurrent, keepResult, resultOf } from "./results.js";
import { SHORT_TIMING, shortened } from "./short.js";

/** @typedef {import("../../../www/findings/contract.js").Experiment} Experiment */
/** @typedef {import("../../../www/findings/contract.js").Progress} Progress */
/** @typedef {import("../../../www/findings/contract.js").Result} Result */
/** @typedef {import("../../../www/findings/contract.js").Scale} Scale */

/** Milliseconds between lines that say how far a run is. */
const TELL_EVERY = 20_000;

/** @param {string[]} names @param {Scale} scale */
export function list(names, scale) {
  for (const experiment of select(names)) {
    const result = resultOf(experiment, scale);
    const what = result ? `${result.date}${isCurrent(experiment, result) ? "" : "  (with other settings)"}${result.timings.length ? "" : "  (steps not timed)"}` : "no result";
    say(`${String(experiment.number).padStart(2)}  ${experiment.id.padEnd(12)}  ${what}`);
  }
}

/**
 * Trains, two at a time or as many as are asked for; then measures steps, with nothing else running.
 *
 * @param {string[]} names of experiments, none: all
 * @param {{ scale: Scale, parallel: number, missing: boolean, phases: Progress["phase"][] }} options
 */
export async function runAll(names, { scale, parallel, missing, phases }) {
  const begun = performance.now();
  const place = thisPlace(parallel);
  const machine = `${place.cores} × ${place.cpu}, Node ${place.node}, synthattn ${place.version}`;
  const chosen = select(names);
  const current = (/** @type {Experiment} */ experiment) => {
    const result = resultOf(experiment, scale);
    return isCurrent(experiment, result) ? result : undefined;
  };
  if (phases.includes("training")) {
    const wanted = chosen.filter((experiment) => !missing || !current(experiment));
    // The longest first: none is then left to run alone at the end.
    wanted.sort((a, b) => workOf(b, scale, "training") - workOf(a, scale, "training"));
    await inParallel(parallel, wanted, async (experiment) => {
      const before = current(experiment);
      const result = await runOne(experiment, { scale, machine, phases: ["training"] });
      // The time of a step is a matter of the settings and the machine alone.
      keepResult({ ...result, timings: before?.machine === machine ? before.timings : [] });
    });
  }
  if (phases.includes("timing")) {
    for (const experiment of chosen) {
      const result = current(experiment);
      if (!result) say(`${experiment.id} has no result to which the time of its steps could be added.`);
      else if (!missing || !result.timings.length) keepResult({ ...result, timings: (await runOne(experiment, { scale, machine, phases: ["timing"] })).timings });
    }
  }
  writeReport(scale);
  say(`\nDone in ${duration(performance.now() - begun)}. The report is in ${folderOf(scale)}.`);
}

/** Writes the report from the results that were kept. @param {Scale} scale */
export function writeReport(scale) {
  const folder = folderOf(scale);
  const figures = join(folder, "figures");
  const files = report(allResults(scale));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  // Those of a figure that is gone would be taken for one that is there.
  if (existsSync(figures)) for (const name of readdirSync(figures)) if (!files.has(`figures/${name}`)) rmSync(join(figures, name));
}

/** A few steps of each, in every phase; nothing is kept. @param {string[]} names */
export async function runShort(names) {
  for (const experiment of select(names)) {
    const short = shortened(experiment);
    const result = await runOne(short, { scale: "quick", machine: "", phases: ["training", "timing"], timing: SHORT_TIMING });
    const runs = short.setups.reduce((sum, { arms, scale }) => sum + arms.length * scale.quick.seeds.length, 0);
    if (result.runs.length !== runs || !result.runs.every(({ scores }) => scores.every(Number.isFinite))) throw new Stop(`${experiment.id} has no scores.`);
  }
}

/**
 * @param {Experiment} experiment
 * @param {Omit<import("../../../www/findings/run.js").Options, "createModel">} options
 * @returns {Promise<Result>}
 */
async function runOne(experiment, options) {
  const engine = await Engine.create({ device: "cpu" });
  const begun = performance.now();
  let told = begun;
  try {
    /** @type {Progress | undefined} */
    let last;
    for await (const progress of runExperiment(engine, experiment, { ...options, createModel: createModelFor(engine) })) {
      last = progress;
      if (performance.now() - told < TELL_EVERY) continue;
      told = performance.now();
      const { setup, arm, seed, phase, step, steps, done } = progress;
      say(`${experiment.id}: ${(100 * done).toFixed(0)} %, ${phase} ${setup} ${arm}, seed ${seed}, step ${step} of ${steps}`);
    }
    if (!last) throw new Stop(`${experiment.id} made no step.`);
    say(`${experiment.id}: ${options.phases?.join(" and ")} in ${duration(performance.now() - begun)}`);
    return last.result;
  } finally {
    await engine.dispose();
  }
}

/** @param {string[]} names none: all */
function select(names) {
  const unknown = names.find((name) => !EXPERIMENTS.some(({ id }) => id === name));
  if (unknown) throw new Stop(`There is no experiment ${unknown}, only ${EXPERIMENTS.map(({ id }) => id).join(", ")}.`);
  return EXPERIMENTS.filter(({ id }) => names.length === 0 || names.includes(id));
}
