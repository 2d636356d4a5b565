// Results of the findings: a file an experiment, which the page reads too.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { EXPERIMENTS } from "../../../www/findings/experiments.js";
import { settingsOf } from "../../../www/findings/settings.js";
import { at } from "../paths.js";

/** @typedef {import("../../../www/findings/contract.js").Experiment} Experiment */
/** @typedef {import("../../../www/findings/contract.js").Result} Result */
/** @typedef {import("../../../www/findings/contract.js").Scale} Scale */

/** Where the report of a scale lies, with its results below. Git leaves out those of the quick one. @param {Scale} scale */
export const folderOf = (scale) => (scale === "full" ? at("docs", "findings") : at("bench", "results", "findings"));

/** @param {string} id @param {Scale} scale */
const fileOf = (id, scale) => join(folderOf(scale), "results", `${id}.json`);

/** @param {Result} result */
export function keepResult(result) {
  const file = fileOf(result.experiment, result.scale);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, written(result));
}

/** What was kept of an experiment. @param {Experiment} experiment @param {Scale} scale @returns {Result | undefined} */
export function resultOf({ id }, scale) {
  const file = fileOf(id, scale);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/** All that was kept, by experiment. @param {Scale} scale @returns {Map<string, Result>} */
export function allResults(scale) {
  return new Map(EXPERIMENTS.flatMap((experiment) => {
    const result = resultOf(experiment, scale);
    return result ? [[experiment.id, result]] : [];
  }));
}

/** Whether a result is of the experiment as it is now. @param {Experiment} experiment @param {Result | undefined} result @returns {result is Result} */
export const isCurrent = (experiment, result) => result !== undefined && result.settings === settingsOf(experiment, result.scale);

/** JSON with a run, or whatever a list has, on a line. @param {Result} result */
function written(result) {
  const lines = Object.entries(result).map(([name, value]) => {
    const text = Array.isArray(value) && value.length ? `[\n${value.map((one) => `    ${JSON.stringify(one)}`).join(",\n")}\n  ]` : JSON.stringify(value);
    return `  ${JSON.stringify(name)}: ${text}`;
  });
  return `{\n${lines.join(",\n")}\n}\n`;
}
