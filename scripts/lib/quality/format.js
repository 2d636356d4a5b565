// Scores as a table shows them.

/** @typedef {import("./runs.js").Metric} Metric */

/** @type {Record<Metric, string>} */
export const METRICS = { bitsPerCharacter: "bits per character", accuracy: "accuracy", exactMatch: "exact match", bleu: "BLEU" };

/** A score in the units that people use. @param {Metric} metric @param {number} score */
export function number(metric, score) {
  if (metric === "accuracy" || metric === "exactMatch") return `${trimmed(100 * score, 2)} %`;
  return trimmed(score, 3);
}

/** @param {Metric} metric @param {number | undefined} score */
export function cell(metric, score) {
  if (score === undefined) return "–";
  if (metric === "bitsPerCharacter") return score.toFixed(3);
  return (metric === "bleu" ? score : 100 * score).toFixed(1);
}

/** How much two scores are apart. @param {Metric} metric @param {number} by not negative */
export function distance(metric, by) {
  const points = metric === "accuracy" || metric === "exactMatch";
  const text = points ? trimmed(100 * by, 2) : trimmed(by, 3);
  // A miss must not read as none.
  const shown = text === "0" && by > 0 ? `less than ${points ? 0.01 : 0.001}` : text;
  return points ? `${shown} points` : shown;
}

/** @param {number} value @param {number} digits */
const trimmed = (value, digits) => String(Number(value.toFixed(digits)));
