// Several workers at one training step: who does what, and how all of them end when one does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createEngine } from "../../pkg/client/engine.js";
import { SynthError } from "../../pkg/errors.js";
import { DATA, GPU, SPEC, drain, engineFor, gate, modelFor, place, rejects } from "./bench.js";
import { Control, panic, synthError } from "./fake-wasm.js";

const CREW = { device: "cpu", workers: 3 };
const count = (control, name) => control.log.filter((one) => one === name).length;
const closed = (workers) => workers.map((worker) => worker.closed);

/** Losses of a run, which say what its weights were. */
async function losses(model, options) {
  return (await drain(model.train(options))).yielded.map(({ loss }) => loss);
}

test("each worker computes its share, and the steps are those of one", async (t) => {
  const { engine, model, control, workers } = await modelFor(t, { options: CREW });
  assert.deepEqual(engine.device, { kind: "cpu", description: "CPU, 3 threads", software: false });
  assert.equal(workers.length, 3);
  const shared = await losses(model, { steps: 50 });
  assert.equal(count(control, "finishStep"), 50);
  assert.equal(count(control, "compute"), 100);
  assert.equal(count(control, "trainStep"), 0);
  const alone = await losses((await modelFor(t)).model, { steps: 50 });
  for (const [index, loss] of shared.entries()) assert.ok(Math.abs(loss - alone[index]) < 1e-6, `${loss} ${alone[index]}`);
});

test("helpers start from the module that the first has compiled", async (t) => {
  const { workers } = await engineFor(t, { options: CREW });
  const starts = workers.map(({ messages }) => messages.find(({ name }) => name === "start").args.wasm);
  assert.deepEqual(starts, [{ default: true }, { module: { compiled: 1 } }, { module: { compiled: 1 } }]);
});

test("a worker without a row has nothing to do", async (t) => {
  const { model, control } = await modelFor(t, { options: CREW });
  const [loss] = await losses(model, { steps: 10, batch: 1 });
  assert.equal(count(control, "compute"), 10, "of the last worker, whose the only row is");
  const [alone] = await losses((await modelFor(t)).model, { steps: 10, batch: 1 });
  assert.ok(Math.abs(loss - alone) < 1e-6);
});

test("nothing of a step goes over the page's thread", async (t) => {
  const { model, workers } = await modelFor(t, { options: CREW });
  const before = workers.map(({ messages }) => messages.length);
  await drain(model.train({ steps: 40 }));
  const named = workers.map(({ messages }, index) => messages.slice(before[index]).map(({ name }) => name));
  assert.deepEqual(named, [["beginTraining", "interval", "interval", "endTraining"], [], []]);
});

test("copies go when their run ends, is left, or loses its model", async (t) => {
  const { engine, model, control } = await modelFor(t, { options: CREW });
  await drain(model.train({ steps: 3 }));
  assert.equal(control.copies.size, 0);
  for await (const _ of model.train({ steps: 40 })) {
    assert.equal(control.copies.size, 2);
    break;
  }
  assert.equal(control.copies.size, 0);
  const other = await engine.createModel(SPEC, DATA);
  const training = other.train({ steps: 40 });
  await training.next();
  await other.dispose();
  assert.equal(control.copies.size, 0);
  await rejects(training.next(), "disposed");
});

test("compared models have copies of their own", async (t) => {
  const { engine, control } = await engineFor(t, { options: CREW });
  let most = 0;
  const comparison = engine.compare([SPEC, { ...SPEC, seed: 1 }], DATA, { steps: 40 });
  for await (const _ of comparison) most = Math.max(most, control.copies.size);
  assert.equal(most, 4);
  assert.equal(control.copies.size, 0);
});

test("memory is that of all workers", async (t) => {
  const { engine } = await modelFor(t, { options: CREW });
  assert.deepEqual(await engine.memory(), { wasmBytes: 3 * 65_536 * 17, gpuBytes: 0, models: 1 });
});

test("an abort ends a run after the step at work, and the next goes on", async (t) => {
  const { model, control } = await modelFor(t, { options: CREW });
  const [inside, go] = [gate(), gate()];
  control.before = (name) => (name === "compute" ? (inside.open(), go.promise) : undefined);
  const abort = new AbortController();
  const pending = rejects(drain(model.train({ steps: 40, signal: abort.signal })), "aborted");
  await inside.promise;
  abort.abort();
  go.open();
  await pending;
  assert.equal(count(control, "finishStep"), 1);
  assert.equal(model.step, 1);
  assert.equal((await drain(model.train({ steps: 40 }))).yielded.at(-1).step, 41);
});

for (const [how, end, words] of [
  ["ends", (workers) => workers[2].fail(new Error("it exited with code 3")), /code 3/],
  ["panics", (_, control) => control.panics.open(), /crashed.*the cat sat on it/s],
]) {
  test(`a helper that ${how} in the middle of a step is a lost worker`, async (t) => {
    const { engine, model, control, workers } = await modelFor(t, { options: CREW });
    await drain(model.train({ steps: 20 }));
    const inside = gate();
    control.panics = gate();
    control.before = (name) => {
      if (name !== "compute") return undefined;
      inside.open();
      return control.panics.promise.then(() => {
        throw panic();
      });
    };
    const pending = rejects(drain(model.train({ steps: 40 })), "internal");
    await inside.promise;
    control.before = () => {};
    end(workers, control);
    assert.match((await pending).message, words);
    assert.match((await engine.lost).message, words);
    assert.deepEqual(closed(workers), [true, true, true]);
    assert.deepEqual((await drain(model.train({ steps: 40 }))).yielded.map(({ step }) => step), [40, 60]);
    assert.deepEqual(closed(workers), [true, true, true, false, false, false]);
  });
}

test("the first that ends takes its helpers along", async (t) => {
  const { engine, workers } = await modelFor(t, { options: CREW });
  workers[0].fail(new Error("gone"));
  await engine.lost;
  assert.deepEqual(closed(workers), [true, true, true]);
});

test("a copy that a helper refuses ends no more than its run", async (t) => {
  const { model, control, workers } = await modelFor(t, { options: CREW });
  control.before = (name) => {
    if (name === "helper") throw synthError("corrupt-file", "no copy today");
  };
  await rejects(drain(model.train({ steps: 20 })), "corrupt-file");
  control.before = () => {};
  assert.equal((await drain(model.train({ steps: 20 }))).yielded.length, 1);
  assert.deepEqual(closed(workers), [false, false, false]);
});

test("helpers that cannot start are an error, and nobody stays", async () => {
  for (const at of ["init", "spawn"]) {
    const control = new Control();
    const { host, workers } = place(control);
    const spawn = async () => {
      if (workers.length > 0 && at === "spawn") throw new DOMException("too many", "QuotaExceededError");
      return host.spawn();
    };
    control.before = (name) => {
      if (name === "init" && at === "init" && control.instances === 2) throw new SynthError("internal", "no room");
    };
    await rejects(createEngine(CREW, { ...host, spawn }), "internal");
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(closed(workers).every(Boolean), `${at}: ${closed(workers)}`);
  }
});

test("disposing of the engine ends all workers", async (t) => {
  const { engine, model, workers } = await modelFor(t, { options: CREW });
  const training = model.train({ steps: 40 });
  await training.next();
  await engine.dispose();
  assert.deepEqual(closed(workers), [true, true, true]);
  await rejects(training.next(), "disposed");
});

test("auto that takes WebGPU has one worker, and as many as asked for when it goes on with the CPU", async (t) => {
  const { engine, model, control, workers } = await modelFor(t, { options: { workers: 3 }, support: GPU });
  assert.equal(engine.device.kind, "webgpu");
  assert.equal(workers.length, 1);
  control.gpu.check = synthError("webgpu-unavailable", "the numbers differ");
  workers[0].core.die(new SynthError("device-lost", "lost"));
  await engine.lost;
  await drain(model.train({ steps: 20 }));
  assert.equal(engine.device.description, "CPU, 3 threads");
  assert.equal(workers.filter((worker) => !worker.closed).length, 3);
});
