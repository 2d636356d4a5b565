// What follows from results made by hand, whose verdicts are known.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nearness, snapshotOf, weightsOf } from "../../www/findings/attention.js";
import { settingsOf } from "../../www/findings/settings.js";
import { judge, summarize } from "../../www/findings/summary.js";

const COMPARISON = { setup: "one", arm: "a", against: "b", says: "better", margin: 0.1, view: "steps" };

/** An experiment of arms a, b, c and d. @param {any[]} claims @param {any} [more] @returns {any} */
function experimentOf(claims, { better = 1, right = {}, chance = undefined } = {}) {
  const arms = ["a", "b", "c", "d"].map((id) => ({ id, attention: "vanilla" }));
  const scale = { steps: 100, checkpoints: 2, seeds: [1, 2, 3] };
  const setup = { id: "one", task: "classification", builtin: "topics", spec: {}, train: {}, metric: "accuracy", better, chance, arms, scale: { quick: scale, full: scale } };
  return { id: "made", number: 1, setups: [setup], claims: claims.map((claim, index) => ({ ...COMPARISON, id: `c${index}`, why: "", ...claim })), predictions: Object.keys(right), right, published: [] };
}

/**
 * A result: by arm, a score for each seed at both checkpoints, and milliseconds a step.
 *
 * @param {Record<string, { scores?: number[][], ends?: number[], milliseconds?: number[] }>} arms
 * @returns {any}
 */
function resultOf(arms) {
  const entries = Object.entries(arms);
  return {
    experiment: "made", settings: "", scale: "full", date: "2026-01-31", machine: "", device: "", seconds: 1, histograms: [], snapshots: [], nearness: [],
    runs: entries.flatMap(([arm, { ends = [], scores = ends.map((end) => [0, end]) }]) => scores.map((one, index) => ({ setup: "one", arm, seed: index + 1, parameters: 7, steps: [50, 100].slice(0, one.length), scores: one }))),
    timings: entries.flatMap(([arm, { milliseconds }]) => (milliseconds ? [{ setup: "one", arm, milliseconds }] : [])),
  };
}

const verdictsOf = (experiment, result) => summarize(experiment, result).claims.map(({ verdict }) => verdict);

test("each verdict on each saying is reached, and an interval across a margin decides nothing", () => {
  const at = (/** @type {number} */ low, /** @type {number} */ high) => ({ mean: (low + high) / 2, low, high, n: 3 });
  for (const [says, low, high, verdict] of /** @type {const} */ ([
    ["better", 0.11, 0.2, "agrees"],
    ["better", 0.1, 0.2, "undecided"],
    ["better", 0.05, 0.2, "undecided"],
    ["better", -0.2, 0.1, "disagrees"],
    ["better", -0.3, -0.2, "disagrees"],
    ["close", -0.1, 0.1, "agrees"],
    ["close", -0.11, 0.05, "undecided"],
    ["close", -0.05, 0.11, "undecided"],
    ["close", -0.2, 0.2, "undecided"],
    ["close", -0.3, -0.11, "disagrees"],
    ["close", 0.11, 0.3, "disagrees"],
    ["no-worse", -0.1, 0.5, "agrees"],
    ["no-worse", 0.3, 0.5, "agrees"],
    ["no-worse", -0.11, 0.5, "undecided"],
    ["no-worse", -0.3, -0.11, "disagrees"],
  ])) {
    assert.equal(judge({ says, margin: 0.1 }, at(low, high)), verdict, `${says} ${low} ${high}`);
  }
  assert.equal(judge({ says: "no-worse", margin: 0.1 }, undefined), "undecided");
});

test("differences are paired by seed: what seeds have in common does not blur them", () => {
  const result = resultOf({ a: { ends: [0.3, 0.6, 0.9] }, b: { ends: [0.15, 0.45, 0.75] } });
  const { setups, claims } = summarize(experimentOf([{}]), result);
  const [a] = setups[0].arms;
  assert.ok(a.score.high - a.score.low > 1);
  assert.deepEqual(claims[0].differences.map(({ seed, value }) => [seed, value.toFixed(6)]), [[1, "0.150000"], [2, "0.150000"], [3, "0.150000"]]);
  assert.equal(claims[0].verdict, "agrees");
});

test("the same mean difference with a wide spread is undecided", () => {
  const result = resultOf({ a: { ends: [0.3, 0.3, 0.3] }, b: { ends: [0.1, 0.3, 0.05] } });
  assert.deepEqual(verdictsOf(experimentOf([{}, { says: "close" }, { says: "no-worse", margin: 0.3 }]), result), ["undecided", "undecided", "agrees"]);
});

test("where less is better, differences are turned", () => {
  const result = resultOf({ a: { ends: [2, 2.1, 2.2] }, b: { ends: [2.5, 2.6, 2.7] } });
  const [claim] = summarize(experimentOf([{}], { better: -1 }), result).claims;
  assert.ok(Math.abs(claim.estimate.mean - 0.5) < 1e-9);
  assert.equal(claim.verdict, "agrees");
});

test("a difference beyond another", () => {
  const result = resultOf({ a: { ends: [0.5, 0.6, 0.7] }, b: { ends: [0.3, 0.4, 0.5] }, c: { ends: [0.9, 0.8, 0.9] }, d: { ends: [0.85, 0.75, 0.85] } });
  const [claim] = summarize(experimentOf([{ beyond: { arm: "c", against: "d" } }]), result).claims;
  assert.ok(Math.abs(claim.estimate.mean - 0.15) < 1e-9);
});

test("chance stands on either side of a comparison", () => {
  const result = resultOf({ a: { ends: [0.5, 0.5, 0.6] } });
  const experiment = experimentOf([{ against: "chance" }, { arm: "chance", against: "a", says: "no-worse", margin: 0 }], { chance: 0.25 });
  const { claims } = summarize(experiment, result);
  assert.deepEqual(claims.map(({ verdict }) => verdict), ["agrees", "disagrees"]);
  assert.deepEqual(claims[1].differences.map(({ value }) => value.toFixed(2)), ["-0.25", "-0.25", "-0.35"]);
});

test("after as long: the slower is read off on its way", () => {
  // 100 steps of 10 ms take 1 s; of 20 ms, 50 steps do.
  const result = resultOf({
    a: { scores: [[0.2, 0.4], [0.2, 0.5], [0.3, 0.4]], milliseconds: [10, 10, 90] },
    b: { scores: [[0.3, 0.6], [0.3, 0.7], [0.4, 0.6]], milliseconds: [20, 20, 20] },
  });
  const { setups, claims } = summarize(experimentOf([{ view: "time", says: "close", margin: 0.2 }, { says: "close", margin: 0.25 }]), result);
  assert.equal(setups[0].budget, undefined); // c and d have no times
  assert.deepEqual(claims[0].differences.map(({ value }) => value.toFixed(2)), ["0.10", "0.20", "0.00"]);
  assert.deepEqual(claims[1].differences.map(({ value }) => value.toFixed(2)), ["-0.20", "-0.20", "-0.20"]);
});

test("after as long as the fastest of a setup", () => {
  const arm = (/** @type {number} */ milliseconds) => ({ scores: [[0.2, 0.4], [0.2, 0.4]], milliseconds: [milliseconds, milliseconds] });
  const { setups } = summarize(experimentOf([]), resultOf({ a: arm(10), b: arm(20), c: arm(12.5), d: arm(40) }));
  assert.equal(setups[0].budget, 1);
  const scores = setups[0].arms.map(({ timedScore }) => timedScore?.mean.toFixed(2));
  // 100, 50, 80 and 25 steps; of the last nothing is known before its first checkpoint.
  assert.deepEqual(scores, ["0.40", "0.20", "0.32", undefined]);
});

test("speed is a factor a round, averaged so that twice and half are even", () => {
  const result = resultOf({ a: { milliseconds: [10, 20, 10, 20] }, b: { milliseconds: [20, 10, 20, 10] }, c: { milliseconds: [10, 10.1, 10] }, d: { milliseconds: [20, 20, 20.1] } });
  const { claims } = summarize(experimentOf([{ view: "speed", margin: 0 }, { view: "speed", arm: "c", against: "d", margin: 0.5 }, { view: "speed", arm: "d", against: "c", margin: 0 }]), result);
  assert.ok(Math.abs(claims[0].estimate.mean) < 1e-9);
  assert.deepEqual(claims[0].differences.map(({ value }) => value), [1, -0.5, 1, -0.5]);
  assert.deepEqual(claims.map(({ verdict }) => verdict), ["undecided", "agrees", "disagrees"]);
});

test("where attention lies: of one arm the change, of two what they have in the end", () => {
  const near = (arm, seed, step, ...layers) => ({ setup: "one", arm, seed, step, layers, uniform: 0.25 });
  const result = {
    ...resultOf({}),
    nearness: [
      ...[near("a", 1, 0, 0.2, 0.2), near("a", 1, 50, 0.9, 0.9), near("a", 1, 100, 0.6, 0.4)],
      ...[near("a", 2, 0, 0.3, 0.3), near("a", 2, 100, 0.6, 0.6), near("b", 1, 100, 0.1, 0.1), near("b", 2, 100, 0.3, 0.1)],
    ],
  };
  const { setups, claims } = summarize(experimentOf([{ view: "near", against: "a" }, { view: "near" }]), result);
  assert.deepEqual(claims.map(({ differences }) => differences.map(({ value }) => value.toFixed(2))), [["0.30", "0.30"], ["0.40", "0.40"]]);
  assert.deepEqual(setups[0].arms[0].near.map(({ step, uniform, mean }) => [step, uniform, mean.toFixed(2)]), [[0, 0.25, "0.25"], [100, 0.25, "0.55"]]);
});

test("without times, or with one seed, nothing is decided", () => {
  const experiment = experimentOf([{ view: "time" }, { view: "speed" }]);
  assert.deepEqual(verdictsOf(experiment, resultOf({ a: { ends: [0.9, 0.9] }, b: { ends: [0.1, 0.1] } })), ["undecided", "undecided"]);
  assert.deepEqual(verdictsOf(experimentOf([{}]), resultOf({ a: { ends: [0.9] }, b: { ends: [0.1] } })), ["undecided"]);
});

test("runs on their way count at the checkpoints that they passed, and not as ends", () => {
  const { setups } = summarize(experimentOf([]), resultOf({ a: { scores: [[0.1, 0.5], [0.2, 0.6], [0.3]] } }));
  const [a, b] = setups[0].arms;
  assert.deepEqual(a.seeds, [{ seed: 1, value: 0.5 }, { seed: 2, value: 0.6 }]);
  assert.deepEqual(a.curve.map(({ step, n }) => [step, n]), [[50, 3], [100, 2]]);
  assert.deepEqual([b.seeds, b.curve, b.score, b.step], [[], [], undefined, undefined]);
});

test("a prediction is right when all of it holds, wrong when one thing does not, and otherwise open", () => {
  const holds = { ...COMPARISON, arm: "a", against: "b" };
  const open = { ...COMPARISON, arm: "c", against: "b" };
  const fails = { ...COMPARISON, arm: "b", against: "a" };
  const experiment = experimentOf([], { right: { yes: [holds], both: [holds, open], no: [holds, open, fails] } });
  const result = resultOf({ a: { ends: [0.9, 0.9, 0.8] }, b: { ends: [0.1, 0.1, 0.1] }, c: { ends: [0.1, 0.5, 0.1] } });
  assert.deepEqual(summarize(experiment, result).predictions, { yes: "agrees", both: "undecided", no: "disagrees" });
});

test("the nearest tokens are the position and those just before it", () => {
  // Two heads of four tokens: one looks at itself, one at the first token.
  const self = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const first = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
  const maps = { layers: 1, heads: 2, queries: 4, weights: Float32Array.from([...self, ...first]) };
  const found = nearness(maps, 2);
  // Rows three and four have tokens before the nearest two: a half each in the mean, and 2/3 and 2/4 by chance.
  assert.deepEqual(found.layers, [0.5]);
  assert.ok(Math.abs(found.uniform - 7 / 12) < 1e-9);
  assert.throws(() => nearness(maps, 4), RangeError);
});

test("a snapshot gives the weights back within what a byte can tell", () => {
  const weights = Float32Array.from({ length: 2 * 3 * 70 * 70 }, (_, index) => (0.4 * (index % 97)) / 96);
  const snapshot = snapshotOf({ layers: 2, heads: 3, queries: 70, keys: 70, tokens: [], weights });
  const back = weightsOf(snapshot);
  assert.equal(back.length, weights.length);
  assert.ok(back.every((weight, index) => Math.abs(weight - weights[index]) <= snapshot.largest / 510 + 1e-7));
  assert.ok(weightsOf(snapshotOf({ layers: 1, heads: 1, queries: 1, keys: 1, tokens: [], weights: new Float32Array(1) })).every((weight) => weight === 0));
});

test("the digest is of what a result depends on, and of nothing said of it", () => {
  const experiment = experimentOf([{}]);
  const [setup] = experiment.setups;
  const digest = settingsOf(experiment, "full");
  const same = (/** @type {any} */ other) => settingsOf({ ...experiment, ...other }, "full") === digest;
  assert.match(digest, /^[0-9a-f]{16}$/);
  assert.ok(same({ claims: [], predictions: [], published: [1] }));
  assert.ok(same({ setups: [{ ...setup, scale: { ...setup.scale, quick: { steps: 1, checkpoints: 1, seeds: [1] } } }] }));
  assert.ok(same({ setups: [{ ...setup, scale: setup.scale, id: setup.id, chance: 0.3 }] }));
  assert.ok(!same({ setups: [{ ...setup, spec: { layers: 3 } }] }));
  assert.ok(!same({ setups: [{ ...setup, scale: { ...setup.scale, full: { ...setup.scale.full, seeds: [1] } } }] }));
  assert.ok(!same({ setups: [setup, setup] }));
});
