// Several workers at one training step, with the real WebAssembly: the steps are those of one worker.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { Engine, SynthError, support } from "synthattn";
import { createEngine } from "../../pkg/client/engine.js";
import { nodePort } from "../../pkg/spawn.js";

/** @import { Model, ModelSpec, TaskName, TrainOptions, TrainingData } from "synthattn" */

/** Sums in another order differ by the rounding of their summands; fifty steps add to that. */
const ROUNDING = 1e-5;

const STEPS = 50;
const text = "the cat sat on the mat and the dog lay on the log. ".repeat(8);
const words = ["up and up we go", "down", "it all comes down", "we go", "up", "all of it", "go down and up"];

/** Rows of unlike lengths, or a text. @type {Record<TaskName, TrainingData>} */
const DATA = {
  "language-model": { text },
  "masked-language-model": { text },
  classification: { rows: words.map((text, index) => ({ text, label: index % 3 })) },
  "pair-classification": { rows: words.map((text, index) => ({ text, second: words[(3 * index + 1) % 7], label: index % 2 })) },
  "sequence-to-sequence": { rows: words.map((source) => ({ source, target: source.toUpperCase() })) },
};
const TASKS = /** @type {TaskName[]} */ (Object.keys(DATA));

/** @param {TaskName} task @returns {ModelSpec} */
function spec(task) {
  return { task, attention: "random+vanilla", dModel: 16, heads: 2, layers: 2, maxLength: 18, dropout: 0.2 };
}

/** @param {{ train: Model["train"] }} model @param {Partial<TrainOptions>} [options] */
async function losses(model, options) {
  const seen = [];
  for await (const { phase, loss } of model.train({ steps: STEPS, every: 1, batch: 5, ...options })) if (phase === "training") seen.push(loss);
  return seen;
}

/** @param {number[]} found @param {number[]} expected @param {string} what */
function agree(found, expected, what) {
  assert.equal(found.length, expected.length);
  const worst = Math.max(...found.map((loss, index) => Math.abs(loss / expected[index] - 1)));
  assert.ok(worst < ROUNDING, `${what}: losses differ by ${worst}`);
}

/** By the number of their workers. @type {Map<number, Engine>} */
const engines = new Map();
before(async () => {
  for (const workers of [1, 2, 3]) engines.set(workers, await Engine.create({ device: "cpu", workers }));
});
after(async () => {
  for (const engine of engines.values()) await engine.dispose();
});

/** @param {number} workers */
const engineOf = (workers) => /** @type {Engine} */ (engines.get(workers));

describe("losses are those of one worker", () => {
  for (const task of TASKS) {
    test(`${task}, with dropout, odd shares and batches smaller than the workers are many`, async () => {
      for (const batch of [5, 2, 1]) {
        /** @param {number} workers */
        const of = async (workers) => {
          const model = await engineOf(workers).createModel(spec(task), DATA[task]);
          const seen = await losses(model, { batch, clipNorm: 0.5 });
          await model.dispose();
          return seen;
        };
        const alone = await of(1);
        for (const workers of [2, 3]) agree(await of(workers), alone, `batch ${batch}, ${workers} workers`);
      }
    });
  }
});

test("the same seed and the same workers give the same bits", async () => {
  const run = async () => {
    const model = await engineOf(3).createModel(spec("classification"), DATA.classification);
    const seen = await losses(model);
    const { edges, counts } = await model.weightHistogram("up we go");
    const answer = await model.classify("up we go");
    await model.dispose();
    return { seen, edges, counts, answer };
  };
  assert.deepEqual(await run(), await run());
});

test("what two workers began, one goes on with from its file", async () => {
  const span = { start: 0, end: 2 * STEPS };
  const options = { span, schedule: /** @type {const} */ ("cosine") };
  const model = await engineOf(2).createModel(spec("language-model"), DATA["language-model"]);
  const begun = model.train({ steps: 2 * STEPS, every: STEPS, batch: 5, ...options });
  await begun.next();
  const file = await model.save();
  await begun.return();
  const loaded = await engineOf(1).load(file, DATA["language-model"]);
  agree(await losses(model, options), await losses(loaded, options), "after the file");
  await Promise.all([model.dispose(), loaded.dispose()]);
});

test("a comparison is that of one worker, and nothing of it stays", async () => {
  const specs = [spec("language-model"), { ...spec("language-model"), attention: /** @type {const} */ ("dense") }];
  /** @param {number} workers */
  const compared = async (workers) => {
    const seen = [];
    for await (const { loss, validation, phase } of engineOf(workers).compare(specs, DATA["language-model"], { steps: 30, every: 10, batch: 3, validation: 0.2 })) {
      if (phase === "training") seen.push(loss);
      if (validation) seen.push(validation.loss);
    }
    return seen;
  };
  agree(await compared(3), await compared(1), "the comparison");
});

test("a diverged run gives the last good weights back, and training goes on", async () => {
  const model = await engineOf(2).createModel(spec("language-model"), DATA["language-model"]);
  await losses(model, { steps: 5 });
  /** @param {unknown} error */
  const diverged = (error) => error instanceof SynthError && error.code === "diverged";
  await assert.rejects(losses(model, { steps: 20, every: 20, learningRate: 1e30, optimizer: "sgd", clipNorm: 1e30 }), diverged);
  assert.ok((await losses(model, { steps: 5 })).every((loss) => Number.isFinite(loss) && loss < 10));
  await model.dispose();
});

test("memory is that of all workers, and grows no more once it has been used", async () => {
  const engine = engineOf(3);
  const round = async () => {
    const model = await engine.createModel(spec("language-model"), DATA["language-model"]);
    await losses(model);
    await model.dispose();
    return (await engine.memory()).wasmBytes;
  };
  const first = await round();
  const single = (await engineOf(1).memory()).wasmBytes;
  assert.ok(first > 2 * single, `${first} bytes for three workers, ${single} for one`);
  for (let index = 0; index < 10; index += 1) await round();
  assert.equal(await round(), first);
});

test("a worker that ends in the middle of a step is replaced, whichever it is", async () => {
  for (const which of [0, 1]) {
    /** @type {Worker[]} */
    const workers = [];
    const spawn = async () => {
      const worker = new Worker(new URL("../../pkg/worker.js", import.meta.url), { execArgv: [] });
      workers.push(worker);
      return nodePort(worker);
    };
    const engine = await createEngine({ device: "cpu", workers: 2 }, { spawn, support });
    const model = await engine.createModel(spec("language-model"), DATA["language-model"]);
    const first = await losses(model, { steps: 10, every: 10 });
    const endless = model.train({ steps: 1_000_000, every: 1_000_000, batch: 64 });
    const pending = endless.next().then(() => "no error", (error) => error);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await workers[which].terminate();
    const error = await pending;
    assert.ok(error instanceof SynthError, String(error));
    assert.equal(error.code, "internal");
    assert.match(error.message, /exited/);
    assert.equal((await engine.lost).message, error.message);
    const again = await losses(model, { steps: 10, every: 10 });
    assert.equal(model.step, 20, "it went on from its snapshot");
    assert.notDeepEqual(again, first);
    assert.equal(workers.length, 4);
    await engine.dispose();
  }
});

test("a script that forgot to dispose ends", async () => {
  const script = `
    import { Engine } from "synthattn";
    const engine = await Engine.create({ device: "cpu", workers: 2 });
    const model = await engine.createModel({ task: "language-model", attention: "random", maxLength: 8 }, { text: ${JSON.stringify(text)} });
    for await (const { step } of model.train({ steps: 4, every: 2 })) console.log(step);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], { timeout: 60_000 });
  assert.equal(stdout, "2\n4\n");
});
