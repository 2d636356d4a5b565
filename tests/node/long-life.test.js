// One engine for a day's work: many models, many steps, and no more memory at the end than at the beginning.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { BroadcastChannel, Worker } from "node:worker_threads";
import { kinds, support } from "synthattn";
import { createEngine } from "../../pkg/client/engine.js";
import { nodePort } from "../../pkg/spawn.js";
import { heapInUse } from "./heap.js";

/** @import { KindInfo, ModelSpec, TrainingData } from "synthattn" */
/** @import { Engine } from "../../pkg/client/engine.js" */

const MODELS = 200;
const STEPS_OF_EACH = 100;
/** How much more may be in use at the end than after a tenth. */
const GROWTH = 1.05;

const text = "the cat sat on the mat. ".repeat(20);
const rows = Array.from({ length: 40 }, (_, index) => ({
  text: index % 2 ? "up and up we go" : "down it all comes",
  label: index % 2 ? "up" : "down",
}));

/** @param {KindInfo} kind @returns {{ spec: ModelSpec, data: TrainingData }} */
function smallest({ name, causal }) {
  const sizes = { attention: name, dModel: 4, heads: 1, layers: 1, dFf: 4, maxLength: 8 };
  if (causal) return { spec: { task: "language-model", ...sizes }, data: { text } };
  return { spec: { task: "classification", ...sizes }, data: { rows } };
}

/**
 * Everything that leaves something behind in the worker: runs that end and runs that are left, a file, an answer.
 *
 * @param {Engine} engine
 * @param {KindInfo} kind
 * @param {AbortSignal} signal
 */
async function live(engine, kind, signal) {
  const { spec, data } = smallest(kind);
  const model = await engine.createModel(spec, data);
  const left = model.train({ steps: STEPS_OF_EACH, batch: 2, every: 10, signal });
  await left.next();
  await left.return();
  for await (const _ of model.train({ steps: STEPS_OF_EACH - 10, batch: 2, every: 45, validation: 0.2, signal }));
  assert.equal(model.step, STEPS_OF_EACH);
  if (kind.causal) {
    for await (const _ of model.generate("the ", { maxTokens: 20, signal })) break;
  } else {
    await model.classifyAll(["up", "down"], { signal });
  }
  await model.evaluate(data, { signal });
  const loaded = await engine.load(await model.save(), data);
  await Promise.all([model.dispose(), loaded.dispose()]);
}

test("twenty thousand steps over two hundred models leave nothing behind", async () => {
  const all = await kinds();
  assert.ok(all.length <= MODELS / 10, "the first tenth must meet every kind");
  const channel = new BroadcastChannel("heap");
  /** @type {() => Promise<number>} */
  const workerHeap = () =>
    new Promise((resolve) => {
      channel.onmessage = (event) => resolve(/** @type {any} */ (event).data.heap);
      channel.postMessage("question");
    });
  /** @type {Worker[]} */
  const workers = [];
  const spawn = async () => {
    const worker = new Worker(new URL("./watched-worker.js", import.meta.url), { execArgv: [] });
    workers.push(worker);
    return nodePort(worker);
  };
  const { signal } = new AbortController();
  const engine = await createEngine({ device: "cpu" }, { spawn, support });
  const use = async () => ({
    wasm: (await engine.memory()).wasmBytes,
    "the page's heap": await heapInUse(),
    "the worker's heap": await workerHeap(),
  });
  /** @type {Awaited<ReturnType<typeof use>> | undefined} */
  let early;
  for (let made = 0; made < MODELS; made += 1) {
    if (made === MODELS / 10) early = await use();
    await live(engine, /** @type {KindInfo} */ (all[made % all.length]), signal);
  }
  const late = await use();
  const { models } = await engine.memory();
  assert.equal(models, 0);
  for (const [what, bytes] of Object.entries(/** @type {NonNullable<typeof early>} */ (early))) {
    const now = late[/** @type {keyof typeof late} */ (what)];
    assert.ok(now <= GROWTH * bytes, `${what}: ${bytes} bytes after a tenth, ${now} at the end`);
  }

  assert.equal(getEventListeners(signal, "abort").length, 0, "listeners on the signal");
  const ended = Promise.all(workers.map((worker) => new Promise((resolve) => worker.once("exit", resolve))));
  channel.close();
  await engine.dispose();
  await ended;
  assert.equal(workers.length, 1, "no worker was ever replaced");
  const left = process.getActiveResourcesInfo().filter((name) => /worker|messageport/i.test(name));
  assert.deepEqual(left, []);
});
