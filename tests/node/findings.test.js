// An experiment run to its end and left on its way, with the real engine.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Engine, SynthError } from "synthattn";
import { experimentBy } from "../../www/findings/experiments.js";
import { TIMING, runExperiment } from "../../www/findings/run.js";
import { summarize } from "../../www/findings/summary.js";

/** @typedef {import("../../www/findings/contract.js").Experiment} Experiment */
/** @typedef {import("../../www/findings/contract.js").Progress} Progress */

const engine = await Engine.create({ device: "cpu" });
after(() => engine.dispose());

/** A small experiment on first names, of these arms. @param {any[]} arms @param {any} [more] @returns {any} */
function small(arms, more = {}) {
  const scale = { steps: 7, checkpoints: 2, seeds: [1, 2] };
  const spec = { dModel: 16, heads: 2, layers: 1, maxLength: 12, tokenizer: "character" };
  const train = { batch: 4, learningRate: 1e-2, warmup: 2, schedule: "constant" };
  const setup = { id: "names", task: "language-model", builtin: "first-names", spec, train, metric: "bitsPerCharacter", better: -1, arms, scale: { quick: scale, full: scale }, ...more };
  return { id: "small", number: 1, setups: [setup], claims: [], predictions: [], right: {}, published: [] };
}

/** @param {any} experiment @param {any} [options] */
async function all(experiment, options = {}) {
  /** @type {Progress[]} */
  const told = [];
  for await (const progress of runExperiment(engine, experiment, { scale: "quick", machine: "a test", ...options })) told.push(progress);
  return { told, result: told[told.length - 1].result };
}

test("all arms get the same batches: two of a kind score alike, seeds do not", async () => {
  const { told, result } = await all(small([{ id: "one", attention: "random" }, { id: "other", attention: "random" }]));
  assert.deepEqual(result.runs.map(({ arm, seed }) => `${arm} ${seed}`), ["one 1", "other 1", "one 2", "other 2"]);
  const scores = result.runs.map((run) => run.scores);
  assert.deepEqual(scores[0], scores[1]);
  assert.deepEqual(scores[2], scores[3]);
  assert.notDeepEqual(scores[0], scores[2]);
  for (const { steps, scores: found } of result.runs) {
    assert.deepEqual(steps, [4, 7]);
    assert.ok(found.every((score) => score > 1 && score < 10));
  }
  // Progress rises to its end, and the same seed gives the same again.
  assert.ok(told.every(({ done }, index) => done >= (told[index - 1]?.done ?? 0)));
  assert.equal(told[told.length - 1].done, 1);
  assert.deepEqual([result.experiment, result.scale, result.machine, result.device], ["small", "quick", "a test", engine.device.description]);
  assert.deepEqual(result.timings.map(({ arm, milliseconds }) => [arm, milliseconds.length]), [["one", TIMING.quick.rounds], ["other", TIMING.quick.rounds]]);
  assert.ok(result.timings.every(({ milliseconds }) => milliseconds.every((one) => one > 0)));
  assert.equal((await engine.memory()).models, 0);
  assert.deepEqual((await all(small([{ id: "one", attention: "random" }]), { phases: ["training"] })).result.runs.map((run) => run.scores), [scores[0], scores[2]]);
});

test("slices make one schedule: scores in between change nothing at the end", async () => {
  const arms = [{ id: "one", attention: "vanilla" }];
  const train = { batch: 4, learningRate: 1e-2, warmup: 5, schedule: "cosine" };
  const ends = [];
  for (const checkpoints of [1, 3]) {
    const scale = { steps: 9, checkpoints, seeds: [1] };
    const { result } = await all(small(arms, { train, scale: { quick: scale, full: scale } }), { phases: ["training"] });
    ends.push(result.runs[0].scores.at(-1));
  }
  assert.equal(ends[0], ends[1]);
});

test("an arm is as large as another, within 1 %", async () => {
  const { result } = await all(small([{ id: "mixture", attention: "random+vanilla" }, { id: "wide", attention: "vanilla", sized: "mixture" }, { id: "plain", attention: "vanilla" }]), { phases: ["training"] });
  const [mixture, wide, plain] = ["mixture", "wide", "plain"].map((id) => result.runs.find(({ arm }) => arm === id)?.parameters ?? NaN);
  assert.ok(Math.abs(wide / mixture - 1) < 0.01, `${wide} against ${mixture}`);
  assert.ok(plain < 0.99 * mixture);
  assert.equal((await engine.memory()).models, 0);
});

test("what is watched is kept: ends of all, and the film of one", async () => {
  const watch = { text: "Marianne", bins: 10, nearest: 2, films: ["table"] };
  const { result } = await all(small([{ id: "table", attention: "random" }, { id: "dots", attention: "vanilla" }], { watch }), { phases: ["training"] });
  const steps = (/** @type {any[]} */ list, /** @type {string} */ arm, seed = 1) => list.filter((one) => one.arm === arm && one.seed === seed).map(({ step }) => step);
  assert.deepEqual(steps(result.nearness, "table", 2), [0, 4, 7]);
  assert.deepEqual([steps(result.snapshots, "table"), steps(result.snapshots, "dots"), steps(result.snapshots, "table", 2)], [[0, 4, 7], [0, 7], []]);
  assert.deepEqual(steps(result.histograms, "dots", 2), [0, 7]);
  // A triangle of 8 tokens and 2 heads.
  for (const { counts } of result.histograms) assert.deepEqual(counts.map((layer) => layer.reduce((sum, one) => sum + one, 0)), [72]);
  assert.ok(result.nearness.every(({ layers }) => layers.every((share) => share > 0 && share < 1)));
});

test("stopping is within a step, with an error that says so, and leaves no model", async () => {
  for (const phase of /** @type {const} */ (["training", "timing"])) {
    const stop = new AbortController();
    /** @type {string[]} */
    const seen = [];
    await assert.rejects(
      async () => {
        for await (const progress of runExperiment(engine, small([{ id: "one", attention: "vanilla" }, { id: "two", attention: "random" }]), { scale: "quick", signal: stop.signal })) {
          seen.push(progress.phase);
          if (progress.phase === phase) stop.abort();
        }
      },
      (/** @type {any} */ error) => error instanceof SynthError && error.code === "aborted",
    );
    assert.equal(seen.filter((one) => one === phase).length, 1);
    assert.equal((await engine.memory()).models, 0);
  }
});

test("leaving the loop leaves no model", async () => {
  for await (const { phase } of runExperiment(engine, small([{ id: "one", attention: "vanilla" }, { id: "two", attention: "random" }]), { scale: "quick" })) {
    if (phase === "timing") break;
  }
  assert.equal((await engine.memory()).models, 0);
});

test("a fault in one arm is told, and leaves no model", async () => {
  await assert.rejects(all(small([{ id: "one", attention: "vanilla" }, { id: "bad", attention: "vanilla", spec: { heads: 3 } }])), (/** @type {any} */ error) => error.code === "invalid-option");
  assert.equal((await engine.memory()).models, 0);
});

test("what the engine can't make is made by whoever can, and else refused", async () => {
  const experiment = small([{ id: "dot", attention: "vanilla" }, { id: "table", attention: "vanilla", cross: "random" }]);
  await assert.rejects(all(experiment), (/** @type {any} */ error) => error.code === "invalid-option" && error.details.option === "cross");
  /** @type {string[]} */
  const asked = [];
  const { result } = await all(experiment, {
    phases: ["training"],
    createModel: (/** @type {any} */ spec, /** @type {any} */ data, /** @type {any} */ arm) => {
      asked.push(arm.id);
      return engine.createModel(spec, data);
    },
  });
  assert.deepEqual(asked, ["dot", "table", "dot", "table"]);
  assert.equal(result.runs.length, 4);
});

test("a result of a real experiment gives verdicts on all its claims", async () => {
  const experiment = /** @type {Experiment} */ (experimentBy("pairs"));
  const scale = { steps: 3, checkpoints: 1, seeds: [1, 2] };
  const short = { ...experiment, setups: experiment.setups.map((setup) => ({ ...setup, scale: { quick: scale, full: scale } })) };
  const { result } = await all(short, { phases: ["training"] });
  const { claims, predictions } = summarize(short, result);
  assert.equal(claims.length, experiment.claims.length);
  assert.ok(claims.every(({ estimate }) => estimate && Number.isFinite(estimate.mean)));
  assert.deepEqual(Object.keys(predictions), experiment.predictions);
});
