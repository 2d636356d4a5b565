// The module for the CPU alone is compiled otherwise, and functions that never run are emptied in it: whatever the full one
// does on the CPU, it does too.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Engine, SynthError, kinds } from "synthattn";
import { Engine as CpuEngine } from "synthattn/cpu";
import { open, values } from "../model-file.js";

/** @import { Model, ModelSpec, TrainingData, TrainOptions } from "synthattn" */

const WORDS = ["red", "green", "blue", "small", "large", "old", "new", "warm"];
/** Texts of different lengths, so that rows are padded. @param {number} index */
const text = (index) => Array.from({ length: 1 + (index % 4) }, (_, place) => WORDS[(index * 3 + place * 5) % WORDS.length]).join(" ");
const NUMBERS = [...Array(24).keys()];

/** @type {Record<ModelSpec["task"], { data: TrainingData, more: Partial<ModelSpec> }>} */
const TASKS = {
  "language-model": { data: { text: NUMBERS.map(text).join(". ") }, more: { tokenizer: { kind: "bpe", vocabulary: 280 }, tieEmbeddings: true } },
  "masked-language-model": { data: { text: NUMBERS.map(text).join(". ") }, more: { tokenizer: "character", positions: "sinusoidal" } },
  classification: { data: { rows: NUMBERS.map((index) => ({ text: text(index), label: index % 3 })) }, more: { tokenizer: "word", dropout: 0.2 } },
  "pair-classification": { data: { rows: NUMBERS.map((index) => ({ text: text(index), second: text(index + 1), label: String(index % 2) })) }, more: { tokenizer: { kind: "word", vocabulary: 16 }, positions: "none" } },
  "sequence-to-sequence": { data: { rows: NUMBERS.map((index) => ({ source: text(index), target: text(index).toUpperCase() })) }, more: { tokenizer: "byte", dropout: 0.1, maxLength: 28 } },
};
/** Each optimizer and schedule in turn. @type {Partial<TrainOptions>[]} */
const RUNS = [
  { optimizer: "adamw", schedule: "cosine", warmup: 2 },
  { optimizer: "adam", weightDecay: 0.1, clipNorm: 0.01 },
  { optimizer: "sgd", learningRate: 0.1, schedule: "linear", clipNorm: 0.5 },
];

/** @type {Engine[]} */
let engines;
/** @type {Engine} */
let crew;
before(async () => {
  engines = [await Engine.create({ device: "cpu" }), await CpuEngine.create()];
  crew = await CpuEngine.create({ workers: 2 });
});
after(() => Promise.all([...(engines ?? []), crew].map((engine) => engine?.dispose())));

/** @template T @param {AsyncGenerator<T, unknown>} generator */
async function all(generator) {
  /** @type {T[]} */
  const found = [];
  for await (const one of generator) found.push(one);
  return found;
}

/** All that can be asked of a model of its task, as numbers and texts. @param {Model} model @param {TrainingData} data @param {boolean} shown whether it has attention weights */
async function asked(model, data, shown) {
  const { task } = model.spec;
  /** @type {unknown[]} */
  const found = [await model.evaluate(data, { batch: 5 })];
  if (task === "language-model") {
    for (const options of [{ temperature: 0 }, { topK: 3, seed: 1 }, { topP: 0.7, seed: 2 }]) found.push((await all(model.generate("red b", { ...options, maxTokens: 30 }))).join(""));
  } else if (task === "masked-language-model") {
    found.push(await model.fill("red [MASK]lue"));
  } else if (task === "classification") {
    found.push(await model.classify("red new"), await model.classifyAll(["old", "warm blue red", "unheard of"], { batch: 2 }));
  } else if (task === "pair-classification") {
    found.push(await model.classify(["red new", "blue"]));
  } else {
    found.push(await model.translate("red new", { maxTokens: 8 }), await model.translate("blue", { maxTokens: 8, beams: 3 }));
  }
  if (!shown) return found;
  const pair = task === "sequence-to-sequence" || task === "pair-classification";
  const { weights, mixture, tokens } = await model.attention(pair ? ["red", "blue"] : "red b");
  found.push([...weights], mixture && [...mixture], tokens);
  if (task === "language-model") found.push((await model.weightHistogram("red blue green")).counts.length);
  return found;
}

/** The numbers of a file: weights and moments. @param {Uint8Array} file */
const tensorsOf = (file) => Object.fromEntries(Object.entries(open(file).tensors).map(([name, tensor]) => [name, [...values(tensor)]]));

/** What a call is refused with. @param {() => Promise<unknown>} call */
async function refusal(call) {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof SynthError)) throw error;
    return { code: error.code, message: error.message, details: error.details };
  }
  assert.fail("it was not refused");
}

/** Whether two results are the same but for the rounding of numbers. @param {unknown} a @param {unknown} b @param {string} where */
function alike(a, b, where) {
  if (typeof a === "number" && typeof b === "number") return assert.ok(Object.is(a, b) || Math.abs(a - b) <= 1e-4 * (1 + Math.abs(b)), `${where}: ${a} and ${b}`);
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return assert.equal(a, b, where);
  assert.deepEqual(Object.keys(a), Object.keys(b), where);
  for (const key of Object.keys(a)) alike(Reflect.get(a, key), Reflect.get(b, key), `${where}.${key}`);
}

for (const [index, { name, causal, family }] of (await kinds()).entries()) {
  test(`the module for the CPU does what the full one does: ${name}`, async () => {
    for (const [at, [task, { data, more }]] of Object.entries(TASKS).entries()) {
      if (!causal && (task === "language-model" || task === "sequence-to-sequence")) continue;
      const spec = /** @type {ModelSpec} */ ({ task, attention: name, dModel: 8, heads: 2, layers: 1, maxLength: 12, seed: 3, ...more });
      const options = { steps: 3, batch: 6, every: 2, validation: 0.2, learningRate: 0.01, ...RUNS[(index + at) % RUNS.length] };
      // Those without weights are refused, by a test of their own.
      const shown = family !== "baseline";
      const results = [];
      for (const engine of engines) {
        const model = await engine.createModel(spec, data);
        const reports = (await all(model.train(options))).map(({ loss, gradientNorm, validation }) => ({ loss, gradientNorm, validation }));
        const file = await model.save();
        const loaded = await engine.load(file, data);
        const [{ loss }] = (await all(loaded.train({ ...options, steps: 1, validation: 0 }))).slice(-1);
        results.push({ reports, asked: await asked(model, data, shown), tensors: tensorsOf(file), loss, spec: loaded.spec, vocabulary: loaded.vocabulary });
        await model.dispose();
        await loaded.dispose();
      }
      alike(results[1], results[0], task);
      if (index % 6 === 0) {
        const model = await crew.createModel(spec, data);
        const reports = (await all(model.train(options))).map(({ loss, gradientNorm, validation }) => ({ loss, gradientNorm, validation }));
        alike(reports, results[0].reports, `${task} by two workers`);
        await model.dispose();
      }
    }
  });
}

test("the module for the CPU refuses what the full one does, in the same words", async () => {
  const { data } = TASKS["language-model"];
  const spec = /** @type {ModelSpec} */ ({ task: "language-model", attention: "random", dModel: 8, heads: 2, layers: 1, maxLength: 12 });
  const model = await engines[0].createModel(spec, data);
  const file = await model.save();
  const broken = file.slice(0, file.length - 9);
  const found = [];
  for (const engine of engines) {
    const mine = await engine.load(file, data);
    /** @type {(() => Promise<unknown>)[]} */
    const calls = [
      ...[{ dropout: 1.5 }, { dropout: 0.123456789 - 1 }, { dModel: 9 }, { heads: -1 }, { maxLength: 1e9 }, { attention: "none" }, { attention: { kind: "random", rank: 2 } }, { seed: 0.1 }, { tokenizer: { kind: "bpe", vocabulary: 2.5 } }].map(
        (wrong) => () => engine.createModel(/** @type {ModelSpec} */ ({ ...spec, ...wrong }), data),
      ),
      () => engine.createModel(spec, { text: "" }),
      () => engine.createModel(spec, { rows: [] }),
      () => engine.load(broken, data),
      () => engine.load(new Uint8Array(50), data),
      () => all(mine.train({ steps: 1, learningRate: -1e-7 })),
      () => all(mine.train({ steps: 1, validation: 0.7 })),
      () => all(mine.generate("red", { temperature: 1e9 })),
      () => all(mine.generate("red", { topP: 1.25 })),
      () => mine.classify("red"),
      () => mine.attention("red ".repeat(50)),
    ];
    const refusals = [];
    for (const call of calls) refusals.push(await refusal(call));
    // It goes on as if nothing had been.
    refusals.push(...(await all(mine.train({ steps: 2, every: 1 }))).map(({ step }) => step));
    found.push(refusals);
    await mine.dispose();
  }
  await model.dispose();
  assert.deepEqual(found[1], found[0]);
});
