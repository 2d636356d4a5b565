// Engine.create: its options, the choice of a device, and the end of everything.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine, createEngine } from "../../pkg/client/engine.js";
import { Model } from "../../pkg/client/model.js";
import { DATA, GPU, NO_GPU, SPEC, drain, engineFor, gate, modelFor, place, rejects } from "./bench.js";
import { Control, panic, synthError } from "./fake-wasm.js";

const GPU_SOFTWARE = {
  webgpu: true,
  adapter: { vendor: "google", architecture: "swiftshader", software: true },
};

for (const [options, option] of [
  [{ devise: "cpu" }, "devise"],
  [{ device: "gpu" }, "device"],
  [{ device: null }, "device"],
  [{ workers: 0 }, "workers"],
  [{ workers: 1.5 }, "workers"],
  [{ workers: 65 }, "workers"],
  [{ device: "webgpu", workers: 2 }, "workers"],
  [{ workers: "1" }, "workers"],
  [{ seed: -1 }, "seed"],
  [{ seed: 2 ** 32 }, "seed"],
  [{ seed: 1.5 }, "seed"],
  [{ seed: NaN }, "seed"],
  [{ seed: "7" }, "seed"],
  [{ wasm: 7 }, "wasm"],
  [{ wasm: {} }, "wasm"],
  ["cpu", "options"],
  [null, "options"],
  [[], "options"],
]) {
  test(`create refuses ${JSON.stringify(options)}`, async () => {
    const control = new Control();
    const { host, workers } = place(control);
    await rejects(createEngine(options, host), "invalid-option", { option });
    assert.equal(workers.length, 0, "no worker is started for nothing");
  });
}

test("auto takes the CPU and says why, where there is no WebGPU", async (t) => {
  const { engine, control } = await engineFor(t, { options: {}, support: NO_GPU });
  assert.equal(engine.device.kind, "cpu");
  assert.equal(engine.device.fallbackReason, NO_GPU.reason);
  assert.deepEqual(control.log, ["engine.create"]);
});

test("auto takes the CPU where the only adapter is a program", async (t) => {
  const { engine } = await engineFor(t, { options: {}, support: GPU_SOFTWARE });
  assert.equal(engine.device.kind, "cpu");
  assert.match(engine.device.fallbackReason, /swiftshader/);
});

test("auto takes WebGPU after its self-check", async (t) => {
  const { engine, control } = await engineFor(t, { options: {}, support: GPU });
  assert.deepEqual(engine.device, { kind: "webgpu", description: "WebGPU, acme one", software: false });
  assert.deepEqual(control.log, ["engine.create", "selfCheck"]);
  assert.equal((await engine.memory()).gpuBytes, 4096);
});

for (const [what, error, reason] of [
  ["disagrees", synthError("webgpu-unavailable", "the numbers differ"), /^the numbers differ$/],
  ["panics", panic(), /crashed.*the cat sat on it/s],
]) {
  test(`auto starts a new worker on the CPU if the self-check ${what}`, async (t) => {
    const control = new Control();
    control.gpu.check = error;
    const { engine, workers } = await engineFor(t, { control, options: {}, support: GPU });
    assert.equal(engine.device.kind, "cpu");
    assert.match(engine.device.fallbackReason, reason);
    assert.equal(control.instances, 2);
    assert.deepEqual(
      workers.map(({ closed }) => closed),
      [true, false],
    );
    assert.equal((await engine.createModel(SPEC, DATA)).step, 0);
  });
}

test("webgpu takes a software adapter, without a self-check", async (t) => {
  const { engine, control } = await engineFor(t, { options: { device: "webgpu" }, support: GPU_SOFTWARE });
  assert.equal(engine.device.kind, "webgpu");
  assert.equal(engine.device.software, true);
  assert.deepEqual(control.log, ["engine.create"]);
});

test("webgpu is refused where there is none", async () => {
  const { host, workers } = place(new Control(), { support: NO_GPU });
  const error = await rejects(createEngine({ device: "webgpu" }, host), "webgpu-unavailable");
  assert.equal(error.message, NO_GPU.reason);
  assert.equal(workers.length, 0);
});

test("WebGPU that the page has and its worker has not is refused with the reason, or the CPU's", async (t) => {
  const inWorker = { webgpu: false, reason: "This worker has none." };
  const { host, workers } = place(new Control(), { support: GPU, inWorker });
  const error = await rejects(createEngine({ device: "webgpu" }, host), "webgpu-unavailable");
  assert.match(error.message, /not in the worker.*This worker has none\./);
  assert.equal(workers[0].closed, true);
  const { engine } = await engineFor(t, { options: {}, support: GPU, inWorker });
  assert.equal(engine.device.kind, "cpu");
  assert.match(engine.device.fallbackReason, /This worker has none\./);
});

test("webgpu that fails to start says so, and its worker ends", async () => {
  const control = new Control();
  control.gpu.fails = synthError("webgpu-unavailable", "no device");
  const { host, workers } = place(control, { support: GPU });
  await rejects(createEngine({ device: "webgpu" }, host), "webgpu-unavailable");
  assert.deepEqual(
    workers.map(({ closed }) => closed),
    [true],
  );
});

test("a worker that cannot be made or does not start is an error with words", async () => {
  const { host } = place(new Control());
  const refused = {
    ...host,
    spawn: async () => {
      throw new DOMException("cross-origin", "SecurityError");
    },
  };
  const error = await rejects(createEngine({ device: "cpu" }, refused), "internal");
  assert.match(error.message, /own origin/);
  const broken = {
    ...host,
    spawn: async () => {
      const port = {
        post() {},
        hold() {},
        close: async () => {},
        listen: (_, onError) => queueMicrotask(() => onError(new Error("404"))),
      };
      return port;
    },
  };
  assert.match(
    (await rejects(createEngine({ device: "cpu" }, broken), "internal")).message,
    /did not start.*404/,
  );
});

test("the engine's seed is the model's, unless its spec has one", async (t) => {
  const { engine } = await engineFor(t, { options: { device: "cpu", seed: 41 } });
  assert.equal((await engine.createModel(SPEC, DATA)).spec.seed, 41);
  assert.equal((await engine.createModel({ ...SPEC, seed: undefined }, DATA)).spec.seed, 41);
  assert.equal((await engine.createModel({ ...SPEC, seed: 3 }, DATA)).spec.seed, 3);
  assert.equal((await engine.createModel({ ...SPEC, seed: null }, DATA)).spec.seed, null, "left to Rust, which refuses it");
});

test("memory counts live models", async (t) => {
  const { engine } = await engineFor(t);
  const model = await engine.createModel(SPEC, DATA);
  await engine.createModel(SPEC, DATA);
  assert.deepEqual(await engine.memory(), { wasmBytes: 65_536 * 17, gpuBytes: 0, models: 2 });
  await model.dispose();
  assert.equal((await engine.memory()).models, 1);
});

test("disposing of a model frees it once; after that it says disposed", async (t) => {
  const { model, control } = await modelFor(t);
  const training = model.train({ steps: 40 });
  await training.next();
  await Promise.all([model.dispose(), model.dispose()]);
  await model.dispose();
  assert.equal(control.log.filter((name) => name === "free").length, 1);
  assert.equal(control.live.size, 0);
  await rejects(training.next(), "disposed");
  await rejects(model.save(), "disposed");
  await rejects(model.evaluate(DATA), "disposed");
  await rejects(drain(model.generate("a")), "disposed");
  await rejects(drain(model.train({ steps: 1 })), "disposed");
});

test("disposing of a model ends its calls with aborted and leaves other models alone", async (t) => {
  const { engine, model, control } = await modelFor(t);
  const other = await engine.createModel(SPEC, DATA);
  const [inside, go] = [gate(), gate()];
  control.before = (name) => {
    if (name !== "evaluateNext") return undefined;
    control.before = () => {};
    inside.open();
    return go.promise;
  };
  const running = model.evaluate(DATA);
  const waiting = model.save();
  const others = other.save();
  await inside.promise;
  const ended = Promise.all([rejects(running, "aborted"), rejects(waiting, "aborted"), model.dispose()]);
  go.open();
  await ended;
  assert.ok((await others).length > 0);
  assert.deepEqual(control.log.slice(-4), ["evaluateNext", "endEvaluation", "free", "save"]);
});

test("disposing of the engine ends calls with aborted, and everything after with disposed", async (t) => {
  const { engine, model, workers, control } = await modelFor(t);
  const inside = gate();
  control.before = (name) => (name === "report" ? (inside.open(), new Promise(() => {})) : undefined);
  const pending = drain(model.train({ steps: 40 }));
  await inside.promise;
  const disposing = engine.dispose();
  await rejects(pending, "aborted");
  await disposing;
  await engine.dispose();
  assert.equal(workers[0].closed, true);
  await rejects(engine.createModel(SPEC, DATA), "disposed");
  await rejects(engine.load(new Uint8Array(3)), "disposed");
  await rejects(engine.memory(), "disposed");
  await rejects(drain(engine.compare([SPEC], DATA, { steps: 1 })), "disposed");
  await rejects(model.save(), "disposed");
  await model.dispose();
  assert.equal(await Promise.race([engine.lost, "still waiting"]), "still waiting");
});

test("await using disposes of engines and models", async (t) => {
  const { engine, workers, model } = await modelFor(t);
  await model[Symbol.asyncDispose]();
  await rejects(model.save(), "disposed");
  await engine[Symbol.asyncDispose]();
  assert.equal(workers[0].closed, true);
});

test("the worker is held only while an answer is due", async (t) => {
  const { engine, workers } = await engineFor(t);
  assert.equal(workers[0].held, false);
  const pending = engine.memory();
  await null;
  await null;
  assert.equal(workers[0].held, true);
  await pending;
  assert.equal(workers[0].held, false);
});

test("methods that are called on nothing say so", async (t) => {
  const { engine, model } = await modelFor(t);
  for (const stranger of [undefined, {}, new Engine(), Object.create(Engine.prototype), model]) {
    const { dispose, memory, createModel, load, compare, benchmark } = Engine.prototype;
    for (const method of [dispose, memory, createModel, load]) await rejects(method.call(stranger), "invalid-option", { option: "this" });
    for (const method of [compare, benchmark]) await rejects((async () => method.call(stranger))(), "invalid-option", { option: "this" });
  }
  for (const stranger of [undefined, {}, new Model(), engine]) {
    const { train, evaluate, generate, classify, classifyAll, fill, translate, attention, weightHistogram, save, dispose } = Model.prototype;
    await rejects(evaluate.call(stranger, DATA), "invalid-option", { option: "this" });
    await rejects(classifyAll.call(stranger, ["a"]), "invalid-option", { option: "this" });
    for (const method of [classify, fill, translate, attention, weightHistogram, save, dispose]) {
      await rejects(method.call(stranger, "a"), "invalid-option", { option: "this" });
    }
    for (const method of [train, generate]) await rejects((async () => method.call(stranger, "a"))(), "invalid-option", { option: "this" });
  }
  await model.save();
});
