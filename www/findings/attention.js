// What is kept of a model's attention maps: a table small enough for a file, and where the weight lies.

/** @import { AttentionMaps } from "synthattn" */
/** @import { Nearness, Snapshot } from "./contract.js" */

/** The largest whole number that a weight is kept as. */
const LEVELS = 255;
/** Bytes turned into text at once: as many as a call takes arguments. */
const PIECE = 8192;

/** @param {AttentionMaps} maps of a text with itself @returns {Omit<Snapshot, "setup" | "arm" | "seed" | "step">} */
export function snapshotOf({ layers, heads, queries, weights }) {
  const largest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  const levels = Uint8Array.from(weights, (weight) => (largest > 0 ? Math.round((weight / largest) * LEVELS) : 0));
  let characters = "";
  for (let start = 0; start < levels.length; start += PIECE) characters += String.fromCharCode(...levels.subarray(start, start + PIECE));
  return { layers, heads, length: queries, largest, weights: btoa(characters) };
}

/** The weights of a snapshot, as they were but for what rounding took. @param {Pick<Snapshot, "largest" | "weights">} snapshot */
export function weightsOf({ largest, weights }) {
  return Float32Array.from(atob(weights), (character) => (character.charCodeAt(0) / LEVELS) * largest);
}

/**
 * The share of attention on the nearest tokens, the position itself among them: a mean over heads and over rows that
 * have tokens before those. `uniform`: the same of weights that are all alike up to the position.
 *
 * @param {Pick<AttentionMaps, "layers" | "heads" | "queries" | "weights">} maps of a text with itself
 * @param {number} nearest
 * @returns {Pick<Nearness, "layers" | "uniform">}
 */
export function nearness({ layers, heads, queries, weights }, nearest) {
  const rows = Array.from({ length: Math.max(0, queries - nearest) }, (_, index) => index + nearest);
  if (rows.length === 0) throw new RangeError(`${queries} tokens have none before the nearest ${nearest}.`);
  const share = (/** @type {number} */ map, /** @type {number} */ row) => {
    const end = map * queries * queries + row * queries + row + 1;
    return weights.subarray(end - nearest, end).reduce((sum, weight) => sum + weight, 0);
  };
  const mean = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const layer = (/** @type {number} */ index) => mean(Array.from({ length: heads }, (_, head) => mean(rows.map((row) => share(index * heads + head, row)))));
  return { layers: Array.from({ length: layers }, (_, index) => layer(index)), uniform: mean(rows.map((row) => nearest / (row + 1))) };
}
