// Calls in any order, waited for or not: only SynthErrors come out, nothing hangs, and the engine goes on.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { Engine } from "synthattn";
import { codeOf, holds, stillTrains } from "./properties/bench.js";

/** @import { Model, ModelSpec } from "synthattn" */

const text = "the cat sat on the mat. ".repeat(20);
/** @type {ModelSpec} */
const spec = { task: "language-model", attention: "random", dModel: 4, heads: 1, layers: 1, dFf: 4, maxLength: 8 };
const wasm = await WebAssembly.compile(readFileSync(new URL("../../pkg/wasm/synthattn_bg.wasm", import.meta.url)));

/** @type {Engine} */
let engine;
/** @type {Model} */
let witness;
before(async () => {
  engine = await Engine.create({ device: "cpu", wasm });
  witness = await engine.createModel(spec, { text });
});
after(() => engine.dispose());

/** What one order of calls works on; `slot`s are small numbers. */
class Play {
  /** @type {Model[]} */
  models = [];
  /** @type {AsyncGenerator<unknown, unknown>[]} */
  generators = [];
  /** @type {Uint8Array[]} */
  files = [];
  controllers = [new AbortController(), new AbortController()];
  /** @type {Promise<string | undefined>[]} */
  calls = [];

  /** @param {Engine} engine @param {Model} first */
  constructor(engine, first) {
    this.engine = engine;
    this.models.push(first);
  }

  /** @param {number} slot */
  model = (slot) => /** @type {Model} */ (this.models[slot % this.models.length]);
  /** @param {number} slot */
  signal = (slot) => this.controllers[slot % 3]?.signal;

  /** @param {number} slot */
  generator = (slot) => this.generators[slot % this.generators.length];
}

/** @typedef {(play: Play, slot: number) => Promise<unknown> | undefined} Step */

/** @type {Record<string, Step>} */
const STEPS = {
  create: async (play, slot) => play.models.push(await play.engine.createModel({ ...spec, seed: slot }, { text })),
  load: async (play) => play.files[0] && play.models.push(await play.engine.load(play.files[0], { text })),
  save: async (play, slot) => play.files.push(await play.model(slot).save()),
  evaluate: (play, slot) => play.model(slot).evaluate({ text }, { signal: play.signal(slot) }),
  attention: (play, slot) => play.model(slot).attention("the cat"),
  "weight histogram": (play, slot) => play.model(slot).weightHistogram("the cat"),
  memory: (play) => play.engine.memory(),
  "begin to train": async (play, slot) => begin(play, play.model(slot).train({ steps: 6, every: 2, batch: 1, validation: slot % 2 ? 0.2 : 0, signal: play.signal(slot) })),
  "begin to write": async (play, slot) => begin(play, play.model(slot).generate("the ", { maxTokens: 4, signal: play.signal(slot) })),
  "begin to compare": async (play, slot) =>
    begin(play, play.engine.compare([spec, spec], { text }, { steps: 2, every: 1, batch: 1, models: slot % 2 ? undefined : [play.model(slot), play.model(slot + 1)] })),
  "begin to measure": async (play, slot) =>
    begin(play, play.engine.benchmark({ kinds: ["random"], lengths: [4], batch: 1, dModel: 4, heads: 1, layers: 1, repeats: 1, signal: play.signal(slot) })),
  next: async (play, slot) => proceed(play, play.generator(slot)),
  leave: (play, slot) => play.generator(slot)?.return(undefined),
  throw: (play, slot) =>
    play.generator(slot)?.throw(new Error("the caller's own")).catch((error) => {
      if (error.message !== "the caller's own") throw error;
    }),
  dispose: (play, slot) => play.model(slot).dispose(),
  abort: async (play, slot) => play.controllers[slot % 2]?.abort(),
};

/** @param {Play} play @param {AsyncGenerator<any, unknown>} generator */
async function begin(play, generator) {
  play.generators.push(generator);
  await proceed(play, generator);
}

/** @param {Play} play @param {AsyncGenerator<any, unknown> | undefined} generator */
async function proceed(play, generator) {
  const result = await generator?.next();
  // A comparison's models are its caller's.
  if (result && !result.done && result.value?.model) play.models.push(result.value.model);
}

const order = fc.array(
  fc.record({ step: fc.constantFrom(...Object.keys(STEPS)), slot: fc.nat(5), wait: fc.boolean() }),
  { minLength: 2, maxLength: 14 },
);

/**
 * @param {Engine} engine
 * @param {{ step: string, slot: number, wait: boolean }[]} steps
 */
async function play(engine, steps) {
  const stage = new Play(engine, await engine.createModel(spec, { text }));
  for (const { step, slot, wait } of steps) {
    const call = codeOf(async () => STEPS[step](stage, slot), step);
    stage.calls.push(call);
    if (wait) await call;
  }
  await Promise.all(stage.calls);
  return stage;
}

test("any order of calls ends, and leaves the engine as it was", async () => {
  await holds(order, 250, async (steps) => {
    const { models } = await engine.memory();
    const stage = await play(engine, steps);
    await Promise.all(stage.generators.map((generator) => codeOf(() => generator.return(undefined), "leaving")));
    await Promise.all(stage.models.map((model) => model.dispose()));
    for (const { signal } of stage.controllers) assert.equal(getEventListeners(signal, "abort").length, 0, "a listener stayed");
    assert.equal((await engine.memory()).models, models, "a model stayed");
    await stillTrains(engine, witness);
  });
});

test("an engine that is disposed of among them ends them all, and its worker", async () => {
  await holds(fc.tuple(order, fc.nat(6)), 25, async ([steps, end]) => {
    const other = await Engine.create({ device: "cpu", wasm });
    // The first model may not have been there yet.
    const running = codeOf(() => play(other, steps.map((step) => ({ ...step, wait: false }))), "the order");
    for (let task = 0; task < end; task += 1) await new Promise((resolve) => setImmediate(resolve));
    await other.dispose();
    const code = await running;
    assert.ok(code === undefined || code === "aborted" || code === "disposed", code);
    assert.equal(await codeOf(() => other.memory(), "memory"), "disposed");
    const lost = await Promise.race([other.lost, undefined]);
    assert.equal(lost, undefined);
  });
  await stillTrains(engine, witness);
});
