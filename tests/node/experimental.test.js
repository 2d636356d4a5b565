// The experiments of the page: through their door they work as every model does; the package has none of them.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { Engine, SynthError, support } from "synthattn";
import { createEngine } from "../../pkg/client/engine.js";
import { createModelWithCross } from "../../pkg/experimental.js";
import { nodePort } from "../../pkg/spawn.js";
import { open } from "../model-file.js";

/** @import { Model, ModelSpec, TrainOptions } from "synthattn" */

/** @type {ModelSpec} */
const SPEC = { task: "sequence-to-sequence", attention: "random", dModel: 16, heads: 2, layers: 1, maxLength: 24, seed: 3 };

/** Letters copied one by one: a matter of places, which a table knows. */
const letters = ["ab", "ba", "cd", "dc", "ac", "ca", "bd", "db", "ad", "da", "bc", "cb"];
const copies = { rows: letters.map((word) => ({ source: word, target: word })) };

/** @param {{ train: Model["train"] }} model @param {Partial<TrainOptions>} [options] */
async function losses(model, options) {
  const seen = [];
  for await (const { loss } of model.train({ steps: 10, every: 1, batch: 8, learningRate: 0.01, ...options })) seen.push(loss);
  return seen;
}

/** Whatever the order of its metadata. @param {Uint8Array} file */
function contentsOf(file) {
  const { metadata, tensors } = open(file);
  return { metadata: Object.fromEntries(Object.entries(metadata).sort()), tensors };
}

/** @param {Promise<unknown>} call @returns {Promise<SynthError>} */
async function refused(call) {
  return call.then(
    () => assert.fail("it was not refused"),
    (error) => {
      assert.ok(error instanceof SynthError, String(error));
      return error;
    },
  );
}

/** @type {Engine} */
let engine;
before(async () => {
  engine = await Engine.create({ device: "cpu" });
});
after(() => engine.dispose());

describe("a table as cross-attention", () => {
  test("trains, is scored, generates and is looked into", async () => {
    const model = await createModelWithCross(engine, SPEC, copies, { cross: "random" });
    const dots = await engine.createModel(SPEC, copies);
    assert.deepEqual(model.spec, dots.spec);
    // Two maps of queries and keys, each with a bias, less; a table of every head more.
    const difference = 2 * 24 * 24 - 2 * (16 + 1) * 16;
    assert.equal(model.attentionParameterCount - dots.attentionParameterCount, difference);
    assert.equal(model.parameterCount - dots.parameterCount, difference);
    const seen = await losses(model, { steps: 250 });
    assert.ok(seen[249] < 0.1 && seen[0] > 1, `${seen[0]}, at last ${seen[249]}`);
    assert.equal((await model.evaluate(copies)).exactMatch, 1);
    assert.equal(await model.translate("da"), "da");
    assert.equal(await model.translate("bc", { beams: 3 }), "bc");
    const maps = await model.attention(["da", "da"], { part: "cross" });
    const others = await model.attention(["cb", "bc"], { part: "cross" });
    assert.deepEqual([maps.queries, maps.keys], [3, 2]);
    assert.deepEqual(maps.weights, others.weights);
    await model.dispose();
    await dots.dispose();
  });

  test("is the model that the package makes where it is dot products", async () => {
    const model = await createModelWithCross(engine, SPEC, copies, { cross: "dot-product" });
    const usual = await engine.createModel(SPEC, copies);
    assert.deepEqual(await losses(model), await losses(usual));
    assert.deepEqual(contentsOf(await model.save()), contentsOf(await usual.save()));
    await model.dispose();
    await usual.dispose();
  });

  test("is shared by two workers", async (t) => {
    const model = await createModelWithCross(engine, SPEC, copies, { cross: "random" });
    const alone = await losses(model);
    await model.dispose();
    const two = await Engine.create({ device: "cpu", workers: 2 });
    t.after(() => two.dispose());
    const found = await losses(await createModelWithCross(two, SPEC, copies, { cross: "random" }));
    for (const [index, loss] of found.entries()) assert.ok(Math.abs(loss / alone[index] - 1) < 1e-5, `${loss}, ${alone[index]}`);
  });

  test("comes back after its worker is lost, with and without a snapshot", async () => {
    for (const steps of [0, 10]) {
      /** @type {Worker[]} */
      const workers = [];
      const spawn = async () => {
        workers.push(new Worker(new URL("../../pkg/worker.js", import.meta.url), { execArgv: [] }));
        return nodePort(workers[workers.length - 1]);
      };
      const lossy = await createEngine({ device: "cpu" }, { spawn, support });
      const model = await createModelWithCross(lossy, SPEC, copies, { cross: "random" });
      if (steps > 0) await losses(model, { steps, every: steps });
      await workers[0].terminate();
      assert.equal((await lossy.lost).code, "internal");
      await losses(model);
      assert.equal(model.step, steps + 10);
      assert.equal(JSON.parse(open(await model.save()).metadata.spec).cross, "random");
      await lossy.dispose();
    }
  });

  test("is asked for by its name alone", async () => {
    /** @type {[unknown, unknown, string][]} */
    const wrong = [
      [engine, { cross: "dense" }, "cross"],
      [engine, { cross: 1 }, "cross"],
      [engine, {}, "cross"],
      [engine, { cross: "random", heads: 2 }, "heads"],
      [{}, { cross: "random" }, "engine"],
    ];
    for (const [of, options, option] of wrong) {
      const error = await refused(createModelWithCross(/** @type {Engine} */ (of), SPEC, copies, /** @type {any} */ (options)));
      assert.deepEqual([error.code, error.details?.option], ["invalid-option", option]);
    }
    const text = { text: "to be or not to be, that is the question. ".repeat(4) };
    const spec = /** @type {const} */ ({ ...SPEC, task: "language-model" });
    const error = await refused(createModelWithCross(engine, spec, text, { cross: "random" }));
    assert.deepEqual([error.code, error.details?.option], ["invalid-option", "cross"]);
  });
});

describe("the package", () => {
  test("knows no such option", async () => {
    const spec = /** @type {ModelSpec} */ (/** @type {object} */ ({ ...SPEC, cross: "random" }));
    const error = await refused(engine.createModel(spec, copies));
    assert.deepEqual([error.code, error.details?.option], ["invalid-option", "cross"]);
    assert.doesNotMatch(String(error.details?.expected), /cross/);
  });

  test("loads no file of one", async () => {
    const model = await createModelWithCross(engine, SPEC, copies, { cross: "random" });
    const error = await refused(engine.load(await model.save(), copies));
    assert.equal(error.code, "corrupt-file");
    assert.match(String(error.details?.reason), /cross-attention is "random", an experiment/);
    await model.dispose();
  });

  test("has no way to the door", async () => {
    const names = Object.getOwnPropertyNames(Engine.prototype).concat(Object.getOwnPropertyNames(Object.getPrototypeOf(Engine.prototype)));
    assert.deepEqual(names.filter((name) => /cross|runtime|experiment/i.test(name)), []);
    await assert.rejects(import(/** @type {string} */ ("synthattn/experimental.js")), { code: "ERR_PACKAGE_PATH_NOT_EXPORTED" });
  });
});
