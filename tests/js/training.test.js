// train(): reports and their phases, pulling, leaving, aborting, and what is timed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { macrotask } from "../../pkg/macrotask.js";
import { DATA, GPU, SPEC, drain, gate, modelFor, rejects } from "./bench.js";
import { Control, synthError } from "./fake-wasm.js";

const phases = (reports) => reports.map(({ phase, step }) => `${phase} ${step}`);
const count = (control, name) => control.log.filter((one) => one === name).length;

test("reports come every `every` steps and at the last", async (t) => {
  const { model, control } = await modelFor(t);
  const { yielded, returned } = await drain(model.train({ steps: 50 }));
  assert.deepEqual(phases(yielded), ["training 20", "training 40", "training 50"]);
  assert.equal(returned, undefined);
  for (const report of yielded) {
    assert.equal(report.steps, 50);
    assert.ok(report.loss > 0 && report.gradientNorm > 0 && report.learningRate === 1e-3);
    assert.equal("validation" in report, false);
  }
  assert.equal(model.step, 50);
  assert.equal(count(control, "trainStep"), 50);
  assert.equal(count(control, "report"), 3);
  const again = await drain(model.train({ steps: 4, every: 3 }));
  assert.deepEqual(phases(again.yielded), ["training 53", "training 54"]);
  assert.equal(again.yielded[0].steps, 54);
});

test("the loss is the mean since the last report", async (t) => {
  const { model } = await modelFor(t);
  const [first, second] = (await drain(model.train({ steps: 4, every: 2 }))).yielded;
  const weight = (step) => 8 * 0.99 ** step;
  assert.ok(Math.abs(first.loss - (weight(1) + weight(2)) / 2) < 1e-9);
  assert.ok(Math.abs(second.loss - (weight(3) + weight(4)) / 2) < 1e-9);
});

test("validation is told before it starts and comes with the last report", async (t) => {
  const { model, control } = await modelFor(t);
  const training = model.train({ steps: 30, validation: 0.1 });
  const reports = [];
  for await (const report of training) {
    reports.push(report);
    if (report.phase === "validating" && !report.validation)
      assert.equal(count(control, "beginEvaluation"), 0);
  }
  assert.deepEqual(phases(reports), ["training 20", "training 30", "validating 30", "validating 30"]);
  const [, last, before, after] = reports;
  assert.deepEqual(before, { ...last, phase: "validating" });
  assert.deepEqual(after, {
    ...before,
    validation: { loss: 8 * 0.99 ** 30, perplexity: Math.exp(8 * 0.99 ** 30) },
  });
  assert.equal(count(control, "endEvaluation"), 1);
});

test("compiling is told before the first step on WebGPU, once for a model", async (t) => {
  const { model, control } = await modelFor(t, { options: {}, support: GPU });
  const training = model.train({ steps: 20 });
  const { value: first } = await training.next();
  assert.equal(count(control, "trainStep"), 0);
  assert.equal(first.phase, "compiling");
  assert.equal(first.step, 0);
  assert.equal(first.steps, 20);
  assert.ok(Number.isNaN(first.loss));
  assert.deepEqual(phases((await drain(training)).yielded), ["training 20"]);
  assert.deepEqual(phases((await drain(model.train({ steps: 1 }))).yielded), ["training 21"]);
});

test("the step that compiles is left out of the speed", async (t) => {
  let clock = 0;
  const control = new Control();
  let steps = 0;
  control.before = (name) => {
    if (name === "trainStep") clock += (steps += 1) === 1 ? 10_000 : 5;
    if (name === "report") clock += 15;
  };
  const { model } = await modelFor(t, { control, options: {}, support: GPU, now: () => clock });
  const [, first, second] = (await drain(model.train({ steps: 40 }))).yielded;
  assert.equal(first.seconds, (19 * 5 + 15) / 1000);
  assert.equal(first.stepsPerSecond, 19 / 0.11);
  assert.equal(Math.round(first.tokensPerSecond), Math.round((19 * 256) / 0.11));
  assert.ok(Math.abs(second.seconds - 0.11 - 0.115) < 1e-9);
  assert.equal(second.stepsPerSecond, 20 / 0.115);
});

test("speed is of the interval up to its read-back, seconds of training alone", async (t) => {
  let clock = 0;
  const control = new Control();
  control.before = (name) => {
    if (name === "trainStep") clock += 10;
    if (name === "report") clock += 50;
    if (name === "evaluateNext" || name === "save") clock += 7777;
  };
  const { model } = await modelFor(t, { control, now: () => clock });
  const reports = [];
  for await (const report of model.train({ steps: 10, every: 5, validation: 0.5 })) {
    reports.push(report);
    clock += 60_000;
  }
  assert.deepEqual(
    reports.map(({ seconds }) => seconds),
    [0.1, 0.2, 0.2, 0.2],
  );
  assert.deepEqual(
    reports.map(({ stepsPerSecond }) => stepsPerSecond),
    [50, 50, 50, 50],
  );
  assert.deepEqual(
    reports.map(({ tokensPerSecond }) => tokensPerSecond),
    [12800, 12800, 12800, 12800],
  );
});

test("the device is waited for every eight steps", async (t) => {
  const { model, control } = await modelFor(t);
  await drain(model.train({ steps: 20 }));
  const steps = control.log.filter((name) => name === "trainStep" || name === "settle");
  const places = steps.flatMap((name, index) => (name === "settle" ? [index] : []));
  assert.deepEqual(places, [8, 17]);
});

test("training moves only when asked", async (t) => {
  const { model, control } = await modelFor(t);
  const training = model.train({ steps: 100 });
  for (let task = 0; task < 5; task += 1) await macrotask();
  assert.equal(count(control, "beginTraining"), 0);
  await training.next();
  for (let task = 0; task < 50; task += 1) await macrotask();
  assert.equal(count(control, "trainStep"), 20);
  await training.return();
});

test("leaving the loop ends the run; calling again goes on", async (t) => {
  const { model, control } = await modelFor(t);
  for await (const report of model.train({ steps: 100 })) if (report.step === 40) break;
  assert.equal(count(control, "endTraining"), 1);
  assert.equal(model.step, 40);
  assert.deepEqual(phases((await drain(model.train({ steps: 10 }))).yielded), ["training 50"]);
  await assert.rejects(async () => {
    for await (const report of model.train({ steps: 10 })) throw new Error(`mine at ${report.step}`);
  }, /mine at 60/);
  assert.deepEqual(phases((await drain(model.train({ steps: 1 }))).yielded), ["training 61"]);
});

test("a second unfinished run is busy, and the first goes on", async (t) => {
  const { model } = await modelFor(t);
  const first = model.train({ steps: 40 });
  await first.next();
  await rejects(model.train({ steps: 1 }).next(), "busy");
  assert.deepEqual(phases((await drain(first)).yielded), ["training 40"]);
  await drain(model.train({ steps: 1 }));
});

test("wrong options surface when first asked, and leave the model free", async (t) => {
  const { model } = await modelFor(t);
  await rejects(model.train({ steps: 10, rate: 3 }).next(), "invalid-option", { option: "rate" });
  await rejects(model.train({}).next(), "invalid-option", { option: "steps" });
  await rejects(model.train(7).next(), "invalid-option", { option: "options" });
  await rejects(model.train({ steps: 10, signal: {} }).next(), "invalid-option", { option: "signal" });
  await drain(model.train({ steps: 1 }));
});

test("an abort takes effect within one further step", async (t) => {
  const { model, control } = await modelFor(t);
  const controller = new AbortController();
  let made = 0;
  control.before = (name) => {
    if (name === "trainStep" && (made += 1) === 7) controller.abort(new Error("enough"));
  };
  const error = await rejects(
    drain(model.train({ steps: 1000, every: 1000, signal: controller.signal })),
    "aborted",
  );
  assert.equal(error.cause.message, "enough");
  assert.ok(made === 7 || made === 8, `${made} steps were made`);
  assert.equal(model.step, made);
  assert.equal(count(control, "report"), 0);
  control.before = () => {};
  const { yielded } = await drain(model.train({ steps: 20 }));
  assert.equal(yielded.at(-1).step, made + 20);
});

test("a signal that was aborted before starts nothing", async (t) => {
  const { model, control } = await modelFor(t);
  await rejects(drain(model.train({ steps: 5, signal: AbortSignal.abort() })), "aborted");
  assert.equal(count(control, "beginTraining"), 0);
});

test("a signal aborted between reports ends the run at the next", async (t) => {
  const { model, control } = await modelFor(t);
  const controller = new AbortController();
  const training = model.train({ steps: 60, signal: controller.signal });
  await training.next();
  controller.abort();
  await rejects(training.next(), "aborted");
  assert.equal(count(control, "trainStep"), 20);
  assert.equal((await training.next()).done, true);
  await drain(model.train({ steps: 1 }));
});

test("validation can be aborted", async (t) => {
  const { model, control } = await modelFor(t);
  const controller = new AbortController();
  control.before = (name) => void (name === "evaluateNext" && controller.abort());
  await rejects(drain(model.train({ steps: 5, validation: 0.2, signal: controller.signal })), "aborted");
  assert.equal(count(control, "evaluateNext"), 1);
  assert.equal(count(control, "endEvaluation"), 1);
});

test("divergence is told, and the step is that of the weights that are back", async (t) => {
  const { model, control } = await modelFor(t);
  control.before = (name) => {
    if (name !== "report" || count(control, "report") < 2) return;
    [...control.live][0].step = 20;
    throw synthError("diverged", "the loss is NaN", { step: 40, restored: 20 });
  };
  await rejects(drain(model.train({ steps: 60 })), "diverged", { step: 40, restored: 20 });
  assert.equal(model.step, 20);
  control.before = () => {};
  assert.deepEqual(phases((await drain(model.train({ steps: 5 }))).yielded), ["training 25"]);
});

test("generating and evaluating work inside the loop", async (t) => {
  const { model } = await modelFor(t);
  let rounds = 0;
  for await (const report of model.train({ steps: 60 })) {
    const { yielded } = await drain(model.generate("a", { maxTokens: 4 }));
    assert.equal(yielded.join(""), "<2><4>");
    assert.ok(Math.abs((await model.evaluate(DATA)).loss - 8 * 0.99 ** report.step) < 1e-9);
    rounds += 1;
  }
  assert.equal(rounds, 3);
});

test("two models train at once: their intervals take turns and never mix", async (t) => {
  const { engine, model, control } = await modelFor(t);
  const other = await engine.createModel({ ...SPEC, attention: "dense" }, DATA);
  control.log.length = 0;
  await Promise.all([drain(model.train({ steps: 60 })), drain(other.train({ steps: 60 }))]);
  const intervals = control.log.join(" ").split("report").slice(0, -1);
  assert.equal(intervals.length, 6);
  for (const interval of intervals) assert.equal(interval.match(/trainStep/g).length, 20);
});

test("leaving while an answer is due waits for it", async (t) => {
  const { model, control } = await modelFor(t);
  const go = gate();
  control.before = (name) => (name === "report" ? go.promise : undefined);
  const training = model.train({ steps: 60 });
  const due = training.next();
  const left = training.return();
  go.open();
  assert.equal((await due).value.step, 20);
  assert.equal((await left).done, true);
  assert.equal(count(control, "endTraining"), 1);
});
