// What a clock may do: stand still because it is coarse, or jump because the computer slept.

import assert from "node:assert/strict";
import { test } from "node:test";
import { drain, modelFor, rejects } from "./bench.js";
import { Control, panic } from "./fake-wasm.js";

const HOURS = 8 * 3_600_000;

/** A model whose steps take ten milliseconds each, but for what `jumps` adds at some of them. */
async function clockwork(t, jumps = {}) {
  let clock = 5;
  let steps = 0;
  const control = new Control();
  control.before = (name) => {
    if (name === "trainStep") clock += 10 + (jumps[(steps += 1)] ?? 0);
  };
  return { control, ...(await modelFor(t, { control, now: () => clock })) };
}

test("a clock that did not move gives no speed, and no infinity", async (t) => {
  const { model } = await modelFor(t, { now: () => 1000 });
  const [{ seconds, stepsPerSecond, tokensPerSecond }] = (await drain(model.train({ steps: 2 }))).yielded;
  assert.deepEqual({ seconds, stepsPerSecond, tokensPerSecond }, { seconds: 0, stepsPerSecond: 0, tokensPerSecond: 0 });
});

test("hours of sleep in the middle of a step are no training", async (t) => {
  const { model, control } = await clockwork(t, { 33: HOURS });
  const { yielded } = await drain(model.train({ steps: 60 }));
  assert.deepEqual(
    yielded.map(({ seconds }) => Math.round(1000 * seconds)),
    [200, 400, 600],
  );
  for (const { stepsPerSecond, tokensPerSecond } of yielded) {
    assert.ok(Math.abs(stepsPerSecond - 100) < 1e-9 && Math.abs(tokensPerSecond - 25_600) < 1e-6);
  }
  assert.equal(control.log.filter((name) => name === "save").length, 2, "it is told as a snapshot that was due");
});

test("slow steps are slow, however slow they are", async (t) => {
  const slow = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [index + 1, 90_000]));
  const { model } = await clockwork(t, slow);
  const { yielded } = await drain(model.train({ steps: 40 }));
  assert.deepEqual(
    yielded.map(({ seconds }) => Math.round(seconds)),
    [1800, 3600],
  );
});

test("the date is nobody's business: it may be wrong, or set back", async (t) => {
  t.mock.method(Date, "now", () => {
    throw new Error("the date was asked for");
  });
  const { model, control } = await clockwork(t, { 25: 20_000 });
  const { yielded } = await drain(model.train({ steps: 40 }));
  assert.equal(yielded.length, 2);
  control.before = () => {
    control.before = () => {};
    throw panic();
  };
  await rejects(model.attention("a"), "internal");
  assert.equal(JSON.parse(new TextDecoder().decode(await model.save())).step, 40);
});
