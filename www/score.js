// Scores in words and numbers: of models, and of what needs no model.
import { fixed, NONE, percent } from "./format.js";

/** @typedef {import("./tasks.js").Score} Score */
/** @typedef {import("./entry.js").Entry} Entry */
/** @typedef {import("./entry.js").Held} Held */

/** @type {Record<Score["format"], (value: number, whole: boolean) => string>} */
const FORMATS = {
  bits: (value, whole) => fixed(value, whole ? 3 : 2),
  share: (value, whole) => percent(value, whole ? 1 : 0),
  points: (value) => fixed(value, 1),
};

/**
 * A score as a person reads it; with fewer digits if it is of a part only.
 *
 * @param {Score} score
 * @param {number | undefined} value
 * @param {boolean} [whole]
 */
export function scoreText({ format }, value, whole = true) {
  return value === undefined || !Number.isFinite(value) ? NONE : FORMATS[format](value, whole);
}

/** @param {Held | undefined} held @param {Score} score */
export function valueOf(held, { metric }) {
  return held?.metrics[metric];
}

/**
 * What the baseline reaches on the same rows.
 *
 * @param {Held | undefined} held
 * @param {Score} score
 * @returns {number | undefined}
 */
export function baselineOf(held, { metric, baseline }) {
  if (!baseline) return undefined;
  return /** @type {Record<string, number | undefined> | undefined} */ (held?.metrics.baseline)?.[metric];
}

/** The newest score of all models of a race: that on the most rows. @param {Entry[]} entries */
export function lastHeld(entries) {
  const last = entries.flatMap(({ held }) => held.at(-1) ?? []);
  return last.find(({ whole }) => whole) ?? last.at(-1);
}
