// After a panic or a lost device: who is told, what is kept, and that everything goes on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { macrotask } from "../../pkg/macrotask.js";
import { SynthError } from "../../pkg/errors.js";
import { DATA, GPU, SPEC, drain, engineFor, gate, modelFor, rejects } from "./bench.js";
import { Control, panic, synthError } from "./fake-wasm.js";

/** Breaks at the `nth` call of a method, once. */
function breakAt(control, method, error = panic(), nth = 1) {
  let calls = 0;
  control.before = (name) => {
    if (name !== method || (calls += 1) < nth) return;
    control.before = () => {};
    throw error;
  };
}

test("a panic rejects what is pending with internal and tells lost, once", async (t) => {
  const { engine, model, control, workers } = await modelFor(t);
  breakAt(control, "attention");
  const [first, second] = [model.attention("a"), model.save()];
  await Promise.all([rejects(first, "internal"), rejects(second, "internal")]);
  const lost = await engine.lost;
  assert.ok(lost instanceof SynthError);
  assert.equal(lost.code, "internal");
  assert.equal(
    lost.message,
    "The engine crashed; the next call starts it anew, from the last snapshots: " +
      "panicked at src/lib.rs:1:1:\nthe cat sat on it",
  );
  assert.equal(workers[0].closed, true);
  breakAt(control, "attention");
  await rejects(model.attention("a"), "internal");
  assert.equal(await engine.lost, lost);
});

test("the engine and its models go on in a new worker", async (t) => {
  const { engine, model, control, workers } = await modelFor(t);
  const other = await engine.createModel({ ...SPEC, seed: 5 }, DATA);
  breakAt(control, "attention");
  await rejects(model.attention("a"), "internal");
  const [evaluated, saved] = await Promise.all([model.evaluate(DATA), other.save()]);
  assert.equal(evaluated.loss, 8, "same spec and seed: same weights");
  assert.deepEqual(JSON.parse(new TextDecoder().decode(saved)).weight, 13);
  assert.equal(workers.length, 2);
  assert.equal(control.instances, 2);
  assert.deepEqual(control.source, { module: { compiled: 1 } }, "compiled once");
  assert.equal((await engine.memory()).models, 2);
  assert.equal((await engine.createModel(SPEC, DATA)).step, 0);
});

test("a model goes on from its last snapshot, with the step it had there", async (t) => {
  let clock = 0;
  const { model, control } = await modelFor(t, { now: () => clock });
  control.before = (name) => void (name === "trainStep" && (clock += 100));
  const reports = [];
  const training = model.train({ steps: 1000 });
  for (let report = 0; report < 8; report += 1) reports.push((await training.next()).value.step);
  assert.equal(reports.at(-1), 160);
  assert.equal(
    control.log.filter((name) => name === "save").length,
    2,
    "at reports, every ten seconds at most: at 20 and 120",
  );
  breakAt(control, "trainStep", panic(), 5);
  await rejects(training.next(), "internal");
  assert.deepEqual(JSON.parse(new TextDecoder().decode(await model.save())).step, 120);
  const { yielded } = await drain(model.train({ steps: 20 }));
  assert.equal(yielded[0].step, 140);
  assert.equal(model.step, 140);
  assert.deepEqual(control.received.at(-1), DATA, "the data came along");
});

test("save() gives the snapshot while no worker runs, and the caller may keep it", async (t) => {
  const { engine, model, control, workers } = await modelFor(t);
  await (await model.train({ steps: 20 })).next();
  breakAt(control, "attention");
  await rejects(model.attention("a"), "internal");
  const file = await model.save();
  assert.equal(workers.length, 1, "nothing was started for it");
  assert.equal(JSON.parse(new TextDecoder().decode(file)).step, 20);
  structuredClone(file, { transfer: [file.buffer] });
  assert.equal((await model.save()).length > 0, true);
  assert.equal((await engine.load(await model.save(), DATA)).step, 20);
});

test("a model that was never trained and is lost saves what it started from", async (t) => {
  const { model, control } = await modelFor(t);
  breakAt(control, "attention");
  await rejects(model.attention("a"), "internal");
  assert.equal(JSON.parse(new TextDecoder().decode(await model.save())).step, 0);
});

test("a loaded model goes on from its file, though the caller's bytes are gone", async (t) => {
  const { engine, model, control } = await modelFor(t);
  await drain(model.train({ steps: 20 }));
  const bytes = await model.save();
  const loaded = await engine.load(bytes, DATA);
  bytes.fill(0);
  breakAt(control, "attention");
  await rejects(loaded.attention("a"), "internal");
  assert.equal((await drain(loaded.train({ steps: 1 }))).yielded[0].step, 21);
});

test("open runs and generations end; they do not go on in another worker", async (t) => {
  const { engine, model, control } = await modelFor(t);
  const other = await engine.createModel(SPEC, DATA);
  const training = model.train({ steps: 100 });
  const writing = model.generate("a");
  await training.next();
  await writing.next();
  breakAt(control, "attention");
  await rejects(other.attention("a"), "internal");
  await other.save();
  await rejects(training.next(), "internal");
  await rejects(writing.next(), "internal");
  assert.equal((await training.next()).done, true);
  await drain(model.train({ steps: 20 }));
});

test("a lost device is told by its code", async (t) => {
  const { engine, model, control, workers } = await modelFor(t, { options: {}, support: GPU });
  breakAt(control, "report", synthError("device-lost", "the GPU went away"));
  await rejects(drain(model.train({ steps: 20 })), "device-lost");
  assert.equal((await engine.lost).code, "device-lost");
  const { yielded } = await drain(model.train({ steps: 20 }));
  assert.deepEqual(
    yielded.map(({ phase }) => phase),
    ["compiling", "training"],
    "a new worker compiles anew",
  );
  assert.equal(workers.length, 2);
});

test("a device lost while idle, or while Rust waits for it for ever, is told too", async (t) => {
  const { engine, model, control, workers } = await modelFor(t, { options: {}, support: GPU });
  const inside = gate();
  control.before = (name) => (name === "report" ? (inside.open(), new Promise(() => {})) : undefined);
  const pending = drain(model.train({ steps: 20 }));
  await inside.promise;
  workers[0].core.die(new SynthError("device-lost", "lost"));
  await rejects(pending, "device-lost");
  control.before = () => {};
  workers.at(-1).core.die(new SynthError("device-lost", "again"));
  assert.equal((await engine.lost).message, "lost");
  await model.save();
});

test("auto goes on with the CPU where WebGPU does not come back", async (t) => {
  const { engine, model, control } = await modelFor(t, { options: {}, support: GPU });
  breakAt(control, "attention", synthError("device-lost", "lost"));
  await rejects(model.attention("a"), "device-lost");
  control.gpu.fails = synthError("webgpu-unavailable", "no adapter any more");
  await drain(model.train({ steps: 1 }));
  assert.equal(engine.device.kind, "cpu");
  assert.equal(engine.device.fallbackReason, "no adapter any more");
});

test("webgpu, asked for, that does not come back is said at each call until it does", async (t) => {
  const { engine, model, control } = await modelFor(t, { options: { device: "webgpu" }, support: GPU });
  breakAt(control, "attention", synthError("device-lost", "lost"));
  await rejects(model.attention("a"), "device-lost");
  control.gpu.fails = synthError("webgpu-unavailable", "no adapter any more");
  await rejects(engine.memory(), "webgpu-unavailable");
  await rejects(model.attention("a"), "webgpu-unavailable");
  control.gpu.fails = undefined;
  await model.attention("a");
});

test("a worker that fails from outside is replaced too", async (t) => {
  const { engine, model, workers } = await modelFor(t);
  workers[0].fail(new Error("killed"));
  assert.match((await engine.lost).message, /killed/);
  await model.save();
  assert.equal(workers.length, 2);
});

for (const [what, error] of [
  ["a buffer that cannot be made", new RangeError("Array buffer allocation failed")],
  ["an allocation that fails, which Rust has no words for", panic("")],
  ["a vector too large", panic("panicked at raw_vec/mod.rs:28:5:\ncapacity overflow")],
]) {
  test(`memory that runs out has its own code: ${what}`, async (t) => {
    const { engine, model, control } = await modelFor(t);
    control.error("a word from an earlier call");
    breakAt(control, "attention", error);
    await rejects(model.attention("a"), "out-of-memory");
    assert.equal((await engine.lost).code, "out-of-memory");
    await model.attention("a");
  });
}

test("a model that cannot be restored leaves the others alone", async (t) => {
  const { engine, model, control } = await modelFor(t);
  const other = await engine.createModel({ ...SPEC, seed: 5 }, DATA);
  breakAt(control, "attention");
  await rejects(model.attention("a"), "internal");
  breakAt(control, "createModel", synthError("invalid-data", "changed meanwhile"));
  await rejects(model.attention("a"), "invalid-data");
  await other.attention("a");
  await model.attention("a");
});

test("calls made while a model is restored keep their order and restore it once", async (t) => {
  const { model, control } = await modelFor(t);
  breakAt(control, "attention");
  await rejects(model.attention("a"), "internal");
  control.log.length = 0;
  await Promise.all([model.evaluate(DATA), model.save(), model.attention("a")]);
  const made = control.log.filter((name) =>
    ["createModel", "beginEvaluation", "save", "attention"].includes(name),
  );
  assert.deepEqual(made, ["createModel", "beginEvaluation", "save", "attention"]);
});

test("a model disposed of while it is restored is freed", async (t) => {
  const { engine, model, control } = await modelFor(t);
  breakAt(control, "attention");
  await rejects(model.attention("a"), "internal");
  control.live.clear();
  const [inside, go] = [gate(), gate()];
  control.before = (name) => (name === "createModel" ? (inside.open(), go.promise) : undefined);
  const ended = rejects(model.save(), "aborted");
  await inside.promise;
  const disposing = model.dispose();
  await macrotask();
  go.open();
  await Promise.all([ended, disposing]);
  await engine.memory();
  assert.equal(control.live.size, 0);
});

test("disposing of an engine while its worker is replaced ends that worker", async (t) => {
  const control = new Control();
  const { engine, workers } = await engineFor(t, { control });
  workers[0].fail(new Error("killed"));
  const [inside, go] = [gate(), gate()];
  control.before = (name) => (name === "init" ? (inside.open(), go.promise) : undefined);
  const pending = rejects(engine.memory(), "aborted");
  await inside.promise;
  const disposing = engine.dispose();
  go.open();
  await Promise.all([pending, disposing]);
  assert.deepEqual(
    workers.map(({ closed }) => closed),
    [true, true],
  );
});
