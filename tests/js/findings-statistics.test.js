// Means and intervals: known values, and laws for any numbers.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { T_95, between, deviation, estimate, mean, median, paired } from "../../www/findings/statistics.js";

/** The logarithm of the gamma function at halves and wholes, from its recurrence. */
function logGamma(x) {
  let sum = 0;
  let at = x;
  for (; at > 1; at -= 1) sum += Math.log(at - 1);
  return at === 1 ? sum : sum + Math.log(Math.PI) / 2;
}

/** What lies below `t`: half, and Simpson's rule over the density from 0 on. */
function below(t, degrees) {
  const front = Math.exp(logGamma((degrees + 1) / 2) - logGamma(degrees / 2)) / Math.sqrt(degrees * Math.PI);
  const density = (x) => front * (1 + (x * x) / degrees) ** (-(degrees + 1) / 2);
  const pieces = 20_000;
  const width = t / pieces;
  let sum = density(0) + density(t);
  for (let piece = 1; piece < pieces; piece += 1) sum += (piece % 2 ? 4 : 2) * density(piece * width);
  return 0.5 + (sum * width) / 3;
}

test("the table is that of Student's distribution: 97.5 % lie below each", () => {
  for (const [index, t] of T_95.entries()) assert.ok(Math.abs(below(t, index + 1) - 0.975) < 1e-9, `${index + 1} degrees`);
  // As in printed tables.
  assert.deepEqual([1, 2, 4, 9, 29].map((degrees) => T_95[degrees - 1].toFixed(3)), ["12.706", "4.303", "2.776", "2.262", "2.045"]);
});

test("an interval worked out by hand", () => {
  // Deviation √2.5, so that the half width is 2.776 × √2.5 / √5.
  const found = estimate([1, 2, 3, 4, 5]);
  assert.equal(found.mean, 3);
  assert.equal(found.n, 5);
  assert.ok(Math.abs(found.high - 3 - 1.963243) < 1e-6 && Math.abs(3 - found.low - 1.963243) < 1e-6);
  assert.equal(deviation([1, 2, 3, 4, 5]), Math.sqrt(2.5));
  assert.deepEqual(estimate([0.7, 0.7, 0.7]), { mean: 0.7, low: 0.7, high: 0.7, n: 3 });
});

test("one value has no interval, and too many are refused", () => {
  assert.equal(estimate([]), undefined);
  assert.equal(estimate([3]), undefined);
  assert.equal(estimate(Array.from({ length: 31 }, (_, index) => index)).n, 31);
  assert.throws(() => estimate(Array(32).fill(0)), RangeError);
  for (const of of [mean, median]) assert.throws(() => of([]), RangeError);
  assert.throws(() => deviation([1]), RangeError);
});

test("medians", () => {
  assert.equal(median([5, 1, 3]), 3);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  const given = [3, 1, 2];
  median(given);
  assert.deepEqual(given, [3, 1, 2]);
});

test("differences are of the same key", () => {
  const first = new Map([[3, 30], [1, 10], [2, 20]]);
  assert.deepEqual(paired(first, new Map([[1, 1], [3, 3], [4, 4]])), [{ key: 1, value: 9 }, { key: 3, value: 27 }]);
});

test("between places lies a straight line, and beyond them nothing", () => {
  const at = (/** @type {number} */ place) => between([10, 20, 40], [1, 2, 6], place);
  assert.deepEqual([10, 15, 20, 30, 40].map(at), [1, 1.5, 2, 4, 6]);
  assert.deepEqual([9, 41].map(at), [undefined, undefined]);
});

const value = fc.double({ min: -1000, max: 1000, noNaN: true });
const values = fc.array(value, { minLength: 2, maxLength: 12 });
const close = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));

test("an interval moves and stretches with its values, and is around their mean", () => {
  fc.assert(
    fc.property(values, value, fc.double({ min: 0.01, max: 100, noNaN: true }), (given, by, factor) => {
      const before = estimate(given);
      const later = estimate(given.map((one) => one * factor + by));
      assert.ok(before.low <= before.mean && before.mean <= before.high);
      assert.ok(before.mean >= Math.min(...given) - 1e-9 && before.mean <= Math.max(...given) + 1e-9);
      for (const end of ["mean", "low", "high"]) assert.ok(close(later[end], before[end] * factor + by), end);
    }),
  );
});

test("the order of values changes nothing, and more of the same narrow an interval", () => {
  fc.assert(
    fc.property(values, (given) => {
      const before = estimate(given);
      const turned = estimate([...given].reverse());
      for (const end of ["mean", "low", "high"]) assert.ok(close(turned[end], before[end]));
      const twice = estimate([...given, ...given]);
      assert.ok(twice.high - twice.low <= before.high - before.low + 1e-9);
    }),
  );
});

test("what all seeds have in common cancels in their differences", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value), { minLength: 2, maxLength: 8 }), (rows) => {
      const list = (/** @type {(row: [number, number]) => number} */ of) => new Map(rows.map((row, seed) => [seed, of(row)]));
      const differences = paired(list(([common]) => common + 1), list(([common]) => common)).map((one) => one.value);
      const found = estimate(differences);
      assert.ok(Math.abs(found.low - 1) < 1e-6 && Math.abs(found.high - 1) < 1e-6);
    }),
  );
});
