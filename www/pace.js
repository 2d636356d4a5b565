// How much faster one model trains than another, and how sure that is: from the reports of a race in which they take turns.
import { median } from "./format.js";

/** @typedef {import("./entry.js").Entry} Entry */

/**
 * How many steps a model makes in the time of one step of another: the median of what the reports say, with the ends of
 * its interval, where they are enough for one.
 *
 * @typedef {{ factor: number, low?: number, high?: number }} Pace
 */

/**
 * What is to be said of the fastest, and first of those that surely are faster: `short` if there is too little for an
 * interval, `open` if it holds 1, `level` if it hardly leaves it.
 *
 * @typedef {{ verdict: "faster" | "slower" | "level" | "open" | "short", fastest: Entry, pace: Pace }} SpeedVerdict
 */

/** Intervals hold what they are of, all at once, in 95 of 100 races. */
const RISK = 0.05;
/** Seconds that each has trained: before them a browser is still at work on the code of the module. */
const LEAST_SECONDS = 1;
/** Reports that follow each other have some of their noise in common; so many groups of them have little. */
const GROUPS = 20;
/** A difference that is surely smaller is none that anyone would notice. */
const LEVEL = 0.03;

/**
 * @param {Entry} entry
 * @param {Entry} reference
 * @param {number} others how many are held against the reference
 * @returns {Pace | undefined} none where one of them has no speed
 */
export function paceOf(entry, reference, others) {
  if (entry.speeds.length === 0 || reference.speeds.length === 0) return undefined;
  if (entry === reference) return { factor: 1 };
  const ratios = pairedRatios(entry, reference);
  if (ratios.length === 0) return { factor: median(entry.speeds) / median(reference.speeds) };
  const factor = median(ratios);
  if (Math.min(entry.seconds, reference.seconds) < LEAST_SECONDS) return { factor };
  return { factor, ...medianInterval(grouped(ratios), RISK / others) };
}

/**
 * What the reports of a race let be said of the fastest beside the reference.
 *
 * @param {Entry[]} entries
 * @param {Entry | undefined} reference
 * @returns {SpeedVerdict | undefined} none before both have a speed
 */
export function speedVerdict(entries, reference) {
  const others = entries.filter((entry) => entry !== reference);
  const found = others.flatMap((fastest) => {
    const pace = reference && paceOf(fastest, reference, others.length);
    return pace ? { fastest, pace } : [];
  });
  if (found.length === 0) return undefined;
  const surely = found.filter(({ pace: { low } }) => low !== undefined && low > 1);
  const first = (surely.length > 0 ? surely : found).reduce((best, one) => (one.pace.factor > best.pace.factor ? one : best));
  const { low, high } = first.pace;
  const all = found.map(({ pace }) => pace);
  if (low === undefined || high === undefined) return { ...first, verdict: "short" };
  if (low > 1 - LEVEL && high < 1 + LEVEL) return { ...first, verdict: "level" };
  if (low > 1) return { ...first, verdict: "faster" };
  // That none is faster is said of all of them.
  return { ...first, verdict: all.every((pace) => pace.high !== undefined && pace.high < 1) ? "slower" : "open" };
}

/**
 * The speeds of two models by turns: what slows the machine down for a while slows both.
 *
 * @param {Entry} entry
 * @param {Entry} reference
 */
function pairedRatios(entry, reference) {
  const theirs = byEnd(reference);
  /** @type {number[]} */
  const ratios = [];
  for (const [index, end] of entry.ends.entries()) {
    const ratio = entry.speeds[index] / (theirs.get(end) ?? NaN);
    if (ratio > 0 && !Number.isNaN(end)) ratios.push(ratio);
  }
  return ratios;
}

/** Speeds by the steps at which they ended, and how many there were. @type {WeakMap<Entry, { count: number, speeds: Map<number, number> }>} */
const known = new WeakMap();

/** All others are held against the same. @param {Entry} entry */
function byEnd(entry) {
  const count = entry.ends.length;
  const before = known.get(entry);
  if (before?.count === count) return before.speeds;
  const speeds = new Map(entry.ends.map((end, index) => [end, entry.speeds[index]]));
  known.set(entry, { count, speeds });
  return speeds;
}

/** Medians of neighbours. @param {number[]} values */
function grouped(values) {
  const size = Math.ceil(values.length / GROUPS);
  return Array.from({ length: Math.ceil(values.length / size) }, (_, group) =>
    median(values.slice(group * size, (group + 1) * size)),
  );
}

/**
 * Between which of the values in their order the median lies, whatever they are distributed like: each is on either
 * side of it with even chances. None if they are too few.
 *
 * @param {number[]} values
 * @param {number} risk
 */
export function medianInterval(values, risk) {
  const { length } = values;
  let [log, below, rank] = [-length * Math.LN2, 0, 0];
  while (rank < length) {
    below += Math.exp(log); // the chance that at most `rank` values lie below
    if (below > risk / 2) break;
    log += Math.log((length - rank) / (rank + 1));
    rank += 1;
  }
  if (rank === 0) return undefined;
  const sorted = Float64Array.from(values).sort();
  return { low: sorted[rank - 1], high: sorted[length - rank] };
}
