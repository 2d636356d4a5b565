// compare() and benchmark(): turns, whose the models are, and what is returned.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../../pkg/client/model.js";
import { DATA, GPU, SPEC, drain, engineFor, modelFor, rejects } from "./bench.js";
import { panic, synthError } from "./fake-wasm.js";

const SPECS = ["vanilla", "random", { kind: "dense", hidden: 8 }].map((attention) => ({
  ...SPEC,
  attention,
}));
const turns = (reports) => reports.map(({ index, step, phase }) => `${index}:${phase} ${step}`);

test("kinds take turns, one report interval each", async (t) => {
  const { engine, control } = await engineFor(t);
  const { yielded } = await drain(engine.compare(SPECS, DATA, { steps: 30 }));
  assert.deepEqual(turns(yielded), [
    "0:training 20",
    "1:training 20",
    "2:training 20",
    "0:training 30",
    "1:training 30",
    "2:training 30",
  ]);
  assert.deepEqual(
    yielded.slice(0, 3).map(({ kind }) => kind),
    ["vanilla", "random", "dense"],
  );
  assert.deepEqual(
    new Set(yielded.map(({ loss }) => loss)).size,
    2,
    "same seed and data: same losses in the fake",
  );
  assert.equal(control.log.filter((name) => name === "endTraining").length, 3);
});

test("the summary has each kind's last report, validation and model, which stays usable", async (t) => {
  const { engine } = await engineFor(t);
  const { yielded, returned } = await drain(engine.compare(SPECS, DATA, { steps: 20, validation: 0.1 }));
  assert.deepEqual(turns(yielded), [
    "0:training 20",
    "1:training 20",
    "2:training 20",
    "0:validating 20",
    "0:validating 20",
    "1:validating 20",
    "1:validating 20",
    "2:validating 20",
    "2:validating 20",
  ]);
  assert.deepEqual(
    returned.runs.map(({ kind }) => kind),
    ["vanilla", "random", "dense"],
  );
  for (const [index, { report, validation, parameterCount, model }] of returned.runs.entries()) {
    assert.equal(parameterCount, 100);
    assert.equal(report.step, 20);
    assert.equal(validation, report.validation);
    assert.equal(model, yielded[index].model);
    assert.ok(model instanceof Model);
    await drain(model.train({ steps: 1 }));
  }
  assert.equal((await engine.memory()).models, 3);
});

test("each kind says before its own first step that it compiles", async (t) => {
  const { engine } = await engineFor(t, { options: {}, support: GPU });
  const { yielded } = await drain(engine.compare(SPECS.slice(0, 2), DATA, { steps: 20 }));
  assert.deepEqual(turns(yielded), ["0:compiling 0", "0:training 20", "1:compiling 0", "1:training 20"]);
});

test("given models go on, and are not disposed of", async (t) => {
  const { engine } = await engineFor(t);
  const models = [];
  for (const spec of SPECS) models.push(await engine.createModel(spec, DATA));
  for await (const report of engine.compare(SPECS, DATA, { steps: 40, models }))
    if (report.index === 1) break;
  assert.deepEqual(
    models.map(({ step }) => step),
    [20, 20, 0],
  );
  const { yielded, returned } = await drain(engine.compare(SPECS, DATA, { steps: 20, models }));
  assert.deepEqual(turns(yielded), ["0:training 40", "1:training 40", "2:training 20"]);
  assert.deepEqual(
    returned.runs.map(({ model }) => model.step),
    [40, 40, 20],
  );
  await models[2].save();
});

test("specs beside given models say what these are, or are refused", async (t) => {
  const { engine, control } = await engineFor(t);
  const models = [await engine.createModel({ ...SPEC, attention: { kind: "dense", hidden: 8 } }, DATA)];
  const run = (spec, data = DATA) => drain(engine.compare([spec], data, { steps: 1, models }));
  for (const spec of [models[0].spec, {}, { attention: "dense" }, { ...SPEC, attention: { kind: "dense" } }, { dModel: 64, seed: 0, layers: undefined }])
    await run(spec);
  const steps = control.log.filter((name) => name === "trainStep").length;
  for (const [spec, option, expected] of [
    [{ ...SPEC, attention: "random" }, "attention.kind", '"dense", as the model has it'],
    [{ attention: { kind: "dense", hidden: 4 } }, "attention.hidden", "8, as the model has it"],
    [{ attention: { kind: "dense", nonsense: 1 } }, "attention.nonsense", "one of kind, hidden: there is no such option"],
    [{ attention: 3 }, "attention"],
    [{ task: "classification" }, "task", '"language-model", as the model has it'],
    [{ dModel: "64" }, "dModel"],
    [{ seed: 1 }, "seed"],
    [{ seed: null }, "seed"],
    [{ nonsense: 1 }, "nonsense"],
    ["dense", "spec"],
    [null, "spec"],
  ]) {
    const error = await rejects(run(spec), "invalid-option", { option, index: 0 });
    if (expected) assert.equal(error.details.expected, expected);
  }
  await rejects(run({}, "not data"), "invalid-data");
  await rejects(run({}, {}), "invalid-data");
  assert.equal(control.log.filter((name) => name === "trainStep").length, steps, "nothing was trained");
});

test("leaving the loop ends all runs; models in reports stay, others are freed", async (t) => {
  const { engine, control } = await engineFor(t);
  let kept;
  for await (const { model, index } of engine.compare(SPECS, DATA, { steps: 40 })) {
    kept = model;
    if (index === 0) break;
  }
  assert.equal(control.live.size, 1);
  assert.equal((await engine.memory()).models, 1);
  assert.equal(kept.step, 20);
  await drain(kept.train({ steps: 1 }));
});

test("an abort ends all runs", async (t) => {
  const { engine, control } = await engineFor(t);
  const controller = new AbortController();
  let made = 0;
  control.before = (name) => void (name === "trainStep" && (made += 1) === 30 && controller.abort());
  await rejects(drain(engine.compare(SPECS, DATA, { steps: 100, signal: controller.signal })), "aborted", {
    index: 1,
  });
  assert.ok(made <= 31);
  assert.equal(control.log.filter((name) => name === "endTraining").length, 3);
});

test("generating with a model inside the loop works", async (t) => {
  const { engine } = await engineFor(t);
  const texts = [];
  for await (const { model } of engine.compare(SPECS, DATA, { steps: 20 })) {
    texts.push((await drain(model.generate("a", { maxTokens: 2 }))).yielded.join(""));
  }
  assert.deepEqual(texts, ["<2>", "<2>", "<2>"]);
});

test("a bad option costs no training and leaves nothing behind", async (t) => {
  const { engine, model, control } = await modelFor(t);
  const refused = (specs, options, option) =>
    rejects(drain(engine.compare(specs, DATA, options)), "invalid-option", { option });
  await refused(SPECS, { steps: 20, rate: 1 }, "rate");
  await refused(SPECS, undefined, "steps");
  await refused(SPECS, 20, "options");
  await refused([], { steps: 20 }, "specs");
  await refused("random", { steps: 20 }, "specs");
  await refused(SPECS, { steps: 20, models: model }, "models");
  await refused(SPECS, { steps: 20, models: [model] }, "models");
  await refused([SPEC], { steps: 20, models: [{}] }, "models[0]");
  await refused([SPEC, SPEC], { steps: 20, models: [model, model] }, "models[1]");
  const stranger = (await modelFor(t)).model;
  await refused([SPEC], { steps: 20, models: [stranger] }, "models[0]");
  const wide = { ...SPEC, dModel: "wide" };
  await rejects(drain(engine.compare([SPEC, wide], DATA, { steps: 20 })), "invalid-option", {
    option: "dModel",
    index: 1,
  });
  assert.equal(control.log.includes("trainStep"), false);
  assert.equal(control.live.size, 1, "the one made above");
  await model.dispose();
  await rejects(drain(engine.compare([SPEC], DATA, { steps: 20, models: [model] })), "disposed");
});

test("a busy model is told before any other has trained", async (t) => {
  const { engine, model, control } = await modelFor(t);
  const open = model.train({ steps: 40 });
  await open.next();
  const other = await engine.createModel(SPEC, DATA);
  await rejects(drain(engine.compare([SPEC, SPEC], DATA, { steps: 20, models: [other, model] })), "busy", {
    index: 1,
  });
  assert.equal(other.step, 0);
  assert.equal((await open.next()).value.step, 40);
  assert.equal(control.live.size, 2);
});

test("an error says whose it is; the others' models can go on", async (t) => {
  const { engine, control } = await engineFor(t);
  let reports = 0;
  control.before = (name) => {
    if (name === "report" && (reports += 1) === 5)
      throw synthError("diverged", "the loss is NaN", { step: 40 });
  };
  const models = [];
  for (const spec of SPECS) models.push(await engine.createModel(spec, DATA));
  await rejects(drain(engine.compare(SPECS, DATA, { steps: 100, models })), "diverged", {
    index: 1,
    step: 40,
  });
  const rest = [0, 2];
  const options = { steps: 20, models: rest.map((index) => models[index]) };
  await drain(
    engine.compare(
      rest.map((index) => SPECS[index]),
      DATA,
      options,
    ),
  );
});

test("a panic ends the comparison, and its models come back", async (t) => {
  const { engine, control } = await engineFor(t);
  let steps = 0;
  control.before = (name) => {
    if (name === "trainStep" && (steps += 1) === 70) throw panic();
  };
  const models = [];
  for (const spec of SPECS) models.push(await engine.createModel(spec, DATA));
  await rejects(drain(engine.compare(SPECS, DATA, { steps: 100, models })), "internal", { index: 0 });
  const { yielded } = await drain(engine.compare(SPECS, DATA, { steps: 20, models }));
  assert.deepEqual(turns(yielded), ["0:training 40", "1:training 40", "2:training 40"]);
});

test("benchmark measures every kind at each length, in turn, and frees its models", async (t) => {
  const { engine, control } = await engineFor(t);
  const { yielded } = await drain(
    engine.benchmark({ kinds: ["random", "vanilla"], lengths: [4, 8], repeats: 3 }),
  );
  assert.deepEqual(
    yielded.map(({ kind, length, what, unit }) => `${kind} ${length} ${what} ${unit}`),
    [4, 8].flatMap((length) =>
      ["train ms", "forward ms", "generate tokens/s"].flatMap((what) => [
        `random ${length} ${what.replace(" ", " ")}`,
        `vanilla ${length} ${what}`,
      ]),
    ),
  );
  for (const { low, median, high, relativeToVanilla, kind, device } of yielded) {
    assert.ok(low > 0 && low <= median && median <= high);
    if (kind === "vanilla") assert.equal(relativeToVanilla, 1);
    else assert.ok(relativeToVanilla > 0);
    assert.equal(device, engine.device.description);
  }
  assert.equal(control.live.size, 0);
  assert.equal((await engine.memory()).models, 0);
});

test("benchmark's numbers are those of the clock", async (t) => {
  let clock = 0;
  const { engine, control } = await engineFor(t, { now: () => clock });

  control.before = (name) => {
    if (name === "trainStep") clock += 40;
    if (name === "report") clock += 20;
    if (name === "evaluateNext") clock += 30;
    if (name === "generateNext") clock += 4;
  };
  const { yielded } = await drain(engine.benchmark({ kinds: ["dense"], lengths: [5], repeats: 2 }));
  const [train, forward, generate] = yielded;
  assert.equal(train.median, 60);
  assert.equal(forward.median, 90);
  assert.equal(generate.median, 250);
  assert.equal("relativeToVanilla" in train, false, "vanilla was not measured");
});

test("benchmark refuses bad options and can be aborted or left", async (t) => {
  const { engine, control } = await engineFor(t);
  const good = { kinds: ["random"], lengths: [4] };
  const refused = (options, option) =>
    rejects(drain(engine.benchmark(options)), "invalid-option", { option });
  await refused(undefined, "kinds");
  await refused({ ...good, kinds: "random" }, "kinds");
  await refused({ ...good, lengths: [] }, "lengths");
  await refused({ ...good, lengths: [0.5] }, "lengths");
  await refused({ ...good, repeats: 0 }, "repeats");
  await refused({ ...good, batch: "8" }, "batch");
  await refused({ ...good, width: 3 }, "width");
  await refused({ ...good, signal: 3 }, "signal");
  const controller = new AbortController();
  control.before = (name) => void (name === "trainStep" && controller.abort());
  await rejects(drain(engine.benchmark({ ...good, signal: controller.signal })), "aborted");
  assert.equal(control.live.size, 0);
  control.before = () => {};
  for await (const report of engine.benchmark(good)) if (report.what === "train") break;
  assert.equal(control.live.size, 0);
});
