// Whether a result is of the experiment as it is now.

/** @import { Experiment, Scale } from "./contract.js" */

/**
 * A digest of all that a result of this scale depends on, in 16 letters: FNV-1a of 64 bits. What is said of a result,
 * as claims and their margins, is no part of it.
 *
 * @param {Experiment} experiment
 * @param {Scale} scale
 */
export function settingsOf({ setups }, scale) {
  const ran = setups.map((setup) => ({ ...setup, chance: undefined, scale: setup.scale[scale] }));
  const text = JSON.stringify(ran, (_, value) => (value && typeof value === "object" && !Array.isArray(value) ? sorted(value) : value));
  let digest = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) digest = BigInt.asUintN(64, (digest ^ BigInt(byte)) * 0x100000001b3n);
  return digest.toString(16).padStart(16, "0");
}

/** The same with its keys in one order. @param {Record<string, unknown>} value */
const sorted = (value) => Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
