// The short form: every built-in set for a few steps, so that tests notice when a run would no longer work.

import { tasks } from "synthattn";
import { allRuns } from "./select.js";

/** @typedef {import("./select.js").Run} Run */
/** @typedef {import("./data.js").Loaded} Loaded */

export const SHORT_STEPS = 5;
const SCORED_ROWS = 20;
const SCORED_CHARACTERS = 2000;

/** @type {Record<import("synthattn").TaskName, import("./runs.js").Metric>} */
const METRIC_OF = {
  "language-model": "bitsPerCharacter",
  "masked-language-model": "accuracy",
  classification: "accuracy",
  "pair-classification": "accuracy",
  "sequence-to-sequence": "exactMatch",
};

/** A run for each built-in set: the first that uses it, or else vanilla as it comes. @returns {Promise<Run[]>} */
export async function builtinRuns(known = allRuns()) {
  /** @type {Map<string, Run>} */
  const runs = new Map();
  for (const { name: task, builtins } of await tasks()) {
    for (const { name } of builtins) {
      const data = `builtin:${name}`;
      if (!runs.has(name)) runs.set(name, known.find((run) => run.data === data) ?? plainRun(name, data, METRIC_OF[task]));
    }
  }
  return [...runs.values()];
}

/** @param {string} name @param {string} data @param {import("./runs.js").Metric} metric @returns {Run} */
function plainRun(name, data, metric) {
  const kind = "vanilla";
  return { id: `${name}/${kind}`, group: name, kind, data, metric, limit: 60, spec: {}, train: { steps: SHORT_STEPS } };
}

/** Few steps, and little to score. @param {Run} run @param {Loaded} data @returns {[Run, Loaded]} */
export function shortened(run, data) {
  const { test } = data;
  const some = /** @type {Loaded["test"]} */ ("text" in test ? { text: test.text.slice(0, SCORED_CHARACTERS) } : { rows: test.rows.slice(0, SCORED_ROWS) });
  return [{ ...run, train: { ...run.train, steps: SHORT_STEPS, warmup: 0 } }, { ...data, test: some }];
}
