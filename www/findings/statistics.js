// Means and how sure they are, from a few numbers: Student's t. Nothing here knows what the numbers are of.

/**
 * Quantiles of Student's t distribution at 0.975, by degrees of freedom from 1: between minus and plus these lie 95 %.
 * A table, since nobody has more seeds, and since what would work them out is larger than all else the page has for
 * statistics. A test holds it to the distribution's density.
 */
export const T_95 = [
  12.706204736, 4.30265273, 3.182446305, 2.776445105, 2.570581836, 2.446911851, 2.364624252, 2.306004135, 2.262157163,
  2.228138852, 2.20098516, 2.17881283, 2.160368656, 2.144786688, 2.131449546, 2.119905299, 2.109815578, 2.10092204,
  2.093024054, 2.085963447, 2.079613845, 2.073873068, 2.06865761, 2.063898562, 2.059538553, 2.055529439, 2.051830516,
  2.048407142, 2.045229642, 2.042272456,
];

/**
 * A mean with the ends of its 95 % interval.
 *
 * @typedef {{ mean: number, low: number, high: number, n: number }} Estimate
 */

/** @param {number[]} values at least one */
export function mean(values) {
  if (values.length === 0) throw new RangeError("There is no mean of no values.");
  // Differences from the first are small where the values are alike: no digits are lost to their size.
  const [first] = values;
  return first + values.reduce((sum, value) => sum + (value - first), 0) / values.length;
}

/** The sample standard deviation. @param {number[]} values at least two */
export function deviation(values) {
  if (values.length < 2) throw new RangeError("A deviation takes two values.");
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

/**
 * The mean with its 95 % interval; none of fewer than two values, which say nothing of how they spread.
 *
 * @param {number[]} values
 * @returns {Estimate | undefined}
 */
export function estimate(values) {
  const n = values.length;
  if (n < 2) return undefined;
  if (n > T_95.length + 1) throw new RangeError(`An interval is made of at most ${T_95.length + 1} values, not ${n}.`);
  const middle = mean(values);
  const half = (T_95[n - 2] * deviation(values)) / Math.sqrt(n);
  return { mean: middle, low: middle - half, high: middle + half, n };
}

/** @param {number[]} values at least one */
export function median(values) {
  if (values.length === 0) throw new RangeError("There is no median of no values.");
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Differences of what two lists have for the same keys, in the order of the keys.
 *
 * @param {Map<number, number>} values by key
 * @param {Map<number, number>} others by key
 * @returns {{ key: number, value: number }[]}
 */
export function paired(values, others) {
  return [...values.keys()]
    .filter((key) => others.has(key))
    .sort((a, b) => a - b)
    .map((key) => ({ key, value: /** @type {number} */ (values.get(key)) - /** @type {number} */ (others.get(key)) }));
}

/**
 * The value at a place between known ones, on the straight line between its neighbours; none beyond them.
 *
 * @param {number[]} places rising
 * @param {number[]} values
 * @param {number} at
 * @returns {number | undefined}
 */
export function between(places, values, at) {
  const next = places.findIndex((place) => place >= at);
  if (next < 0) return undefined;
  if (places[next] === at) return values[next];
  if (next === 0) return undefined;
  const [from, to] = [places[next - 1], places[next]];
  const share = (at - from) / (to - from);
  return values[next - 1] + share * (values[next] - values[next - 1]);
}
