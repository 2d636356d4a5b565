// Results as JSON lines, one for every run that was made; the newest of each counts.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname } from "node:path";
import { at } from "../paths.js";

/** Git leaves it out, as everything in this folder. */
export const resultsFile = at("bench", "results", "quality.jsonl");

/** @typedef {{ cpu: string, cores: number, node: string, version: string, parallel: number }} Place */

/**
 * @typedef {object} Result
 * @property {string} id
 * @property {string} settings `settingsKey` of the run
 * @property {string} date ISO 8601
 * @property {Place} place
 * @property {import("./train.js").Outcome} [outcome]
 * @property {{ code: string, message: string }} [error] why there is no outcome
 */

/** @param {number} parallel runs at a time @returns {Place} */
export function thisPlace(parallel) {
  const { version } = JSON.parse(readFileSync(at("pkg", "package.json"), "utf8"));
  return { cpu: cpus()[0].model.trim(), cores: cpus().length, node: process.versions.node, version, parallel };
}

/** @param {Result} result */
export function keepResult(result, file = resultsFile) {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(result)}\n`);
}

/** The newest result of every run. @returns {Map<string, Result>} */
export function newestResults(file = resultsFile) {
  /** @type {Map<string, Result>} */
  const newest = new Map();
  if (!existsSync(file)) return newest;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (!line) continue;
    /** @type {Result} */
    const result = JSON.parse(line);
    const before = newest.get(result.id);
    if (!before || before.date <= result.date) newest.set(result.id, result);
  }
  return newest;
}
