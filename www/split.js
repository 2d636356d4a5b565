// A person's own rows in two parts: to train on, and to be tested on.
import { answerOf, inputOf } from "./tasks.js";

/** @typedef {import("./tasks.js").Row} Row */
/** @typedef {import("./tasks.js").Shape} Shape */

/** The share of rows that is tested on: more of few, for a score that says something. */
const SHARES = [
  { upTo: 1000, share: 0.2 },
  { upTo: Infinity, share: 0.1 },
];

/**
 * Splits rows by seed. Labels keep their proportions, and rows that read the same stay together: a row known from
 * training would test nothing. A label's only row is for training.
 *
 * @param {Row[]} rows
 * @param {Shape} shape
 * @param {number} seed
 * @returns {{ training: Row[], test: Row[], share: number }}
 */
export function splitRows(rows, shape, seed) {
  const { share } = /** @type {{ share: number }} */ (SHARES.find(({ upTo }) => rows.length <= upTo));
  const random = randomNumbers(seed);
  /** @type {Row[]} */
  const test = [];
  /** @type {Row[]} */
  const training = [];
  for (const group of grouped(rows, (row) => (shape.classes ? answerOf(row, shape) : "")).values()) {
    const wanted = Math.min(group.length - 1, Math.round(group.length * share));
    const alike = shuffled(
      [...grouped(group, (row) => JSON.stringify(inputOf(row, shape))).values()],
      random,
    );
    let taken = 0;
    for (const same of alike) {
      const fits = taken + same.length <= wanted;
      (fits ? test : training).push(...same);
      if (fits) taken += same.length;
    }
  }
  return { training: shuffled(training, random), test: shuffled(test, random), share };
}

/**
 * The same rows again and again, to be watched while training goes on: a few, with every label in turn.
 *
 * @param {Row[]} rows
 * @param {Shape} shape
 * @param {number} count
 * @returns {Row[]}
 */
export function watchedRows(rows, shape, count) {
  const groups = [...grouped(rows, (row) => (shape.classes ? answerOf(row, shape) : "")).values()];
  const most = Math.max(0, ...groups.map((group) => group.length));
  const inTurn = Array.from({ length: most }, (_, place) => groups.flatMap((group) => group[place] ?? []));
  return inTurn.flat().slice(0, count);
}

/** At most `count` rows, evenly from all of them. @param {Row[]} rows @param {number} count */
export function spreadRows(rows, count) {
  if (rows.length <= count) return rows;
  return Array.from({ length: count }, (_, index) => rows[Math.floor((index * rows.length) / count)]);
}

/**
 * @template T
 * @param {T[]} rows
 * @param {(row: T) => string} keyOf
 * @returns {Map<string, T[]>}
 */
function grouped(rows, keyOf) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/**
 * @template T
 * @param {T[]} items
 * @param {() => number} random
 */
function shuffled(items, random) {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other], result[last]];
  }
  return result;
}

/** Numbers from 0 to 1 that a seed decides: mulberry32. @param {number} seed */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
