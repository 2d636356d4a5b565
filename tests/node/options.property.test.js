// Whatever a caller passes, only SynthErrors come out, and the engine goes on.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { Engine, builtinData } from "synthattn";
import { codeOf, holds, stillTrains, take } from "./properties/bench.js";
import { ODD, changed, changes, oddName } from "./properties/odd-values.js";

/** @import { Model } from "synthattn" */

const text = "the cat sat on the mat. ".repeat(20);
const rows = [
  { text: "up and up", label: "up" },
  { text: "all the way down", label: "down" },
  { text: "and up again", label: "up" },
];
const sizes = { attention: "vanilla", dModel: 4, heads: 1, layers: 1, dFf: 4, maxLength: 8 };
const wasm = await WebAssembly.compile(readFileSync(new URL("../../pkg/wasm/synthattn_bg.wasm", import.meta.url)));

/** @type {Engine} */
let engine;
/** @type {Record<"writes" | "judges" | "fills" | "translates", Model>} */
let models;
/** @type {Uint8Array<ArrayBuffer>} */
let file;

before(async () => {
  engine = await Engine.create({ device: "cpu", wasm });
  const make = (/** @type {any} */ spec, /** @type {any} */ data) => engine.createModel({ ...sizes, ...spec }, data);
  models = {
    writes: await make({ task: "language-model" }, { text }),
    judges: await make({ task: "classification" }, { rows }),
    fills: await make({ task: "masked-language-model" }, { text }),
    translates: await make({ task: "sequence-to-sequence" }, { rows: [{ source: "abc", target: "cba" }, { source: "ab", target: "ba" }] }),
  };
  file = await models.writes.save();
});
after(() => engine.dispose());

/** @param {any} maker makes a model; it is gone at once */
async function brief(maker) {
  const model = await maker;
  await take(model.train({ steps: 1, batch: 1 }), 2).finally(() => model.dispose());
}

const OPTIONS = {
  spec: ["task", "attention", "dModel", "heads", "layers", "dFf", "maxLength", "dropout", "positions", "tokenizer", "tieEmbeddings", "seed"],
  training: [
    ...["steps", "batch", "learningRate", "warmup", "schedule", "optimizer", "weightDecay", "clipNorm", "validation", "every", "signal", "span"],
  ],
  generation: ["maxTokens", "temperature", "topK", "topP", "seed", "stop", "signal"],
  benchmark: ["kinds", "lengths", "batch", "dModel", "heads", "layers", "repeats", "signal"],
};
const smallBenchmark = { kinds: ["vanilla"], lengths: [4], batch: 1, dModel: 4, heads: 1, layers: 1, repeats: 1 };

/**
 * Each call with one argument to be made odd: `base` changed in its options, or another value altogether.
 *
 * @type {Record<string, { base: object, names: string[], call: (odd: any) => unknown }>}
 */
const CALLS = {
  "createModel, spec": {
    base: { task: "language-model", ...sizes },
    names: OPTIONS.spec,
    call: (spec) => brief(engine.createModel(spec, { text })),
  },
  "createModel, attention": {
    base: { kind: "factorized-random+vanilla" },
    names: ["kind", "rank", "mixing", "hidden", "kernel"],
    call: (attention) => brief(engine.createModel({ task: "language-model", ...sizes, attention }, { text })),
  },
  "createModel, tokenizer": {
    base: { kind: "bpe", vocabulary: 300 },
    names: ["kind", "vocabulary"],
    call: (tokenizer) => brief(engine.createModel(/** @type {any} */ ({ task: "language-model", ...sizes, tokenizer }), { text })),
  },
  "createModel, data": {
    base: { text },
    names: ["text", "rows", "builtin"],
    call: (data) => brief(engine.createModel(/** @type {any} */ ({ task: "language-model", ...sizes }), data)),
  },
  "createModel, a row": {
    base: rows[0],
    names: ["text", "label", "second", "source", "target"],
    call: (row) => brief(engine.createModel(/** @type {any} */ ({ task: "classification", ...sizes }), { rows: [...rows, row] })),
  },
  "createModel, rows": {
    base: rows,
    names: ["0", "1", "length"],
    call: (rows) => brief(engine.createModel(/** @type {any} */ ({ task: "classification", ...sizes }), { rows })),
  },
  "load, bytes": { base: {}, names: ["length"], call: (bytes) => brief(engine.load(bytes, { text })) },
  "load, data": { base: { text }, names: ["text", "rows", "builtin"], call: (data) => brief(engine.load(file, data)) },
  train: { base: { steps: 2, batch: 1, every: 1 }, names: OPTIONS.training, call: (options) => take(models.writes.train(options), 3) },
  "train, span": {
    base: { start: 0, end: 10 },
    names: ["start", "end"],
    call: (span) => take(models.judges.train({ steps: 2, batch: 1, every: 1, warmup: 1, schedule: "cosine", span }), 3),
  },
  generate: { base: { maxTokens: 3, seed: 1 }, names: OPTIONS.generation, call: (options) => take(models.writes.generate("the", options), 3) },
  "generate, prompt": { base: {}, names: ["length"], call: (prompt) => take(models.writes.generate(prompt), 3) },
  "evaluate, data": { base: { rows }, names: ["text", "rows", "builtin"], call: (data) => models.judges.evaluate(data) },
  "evaluate, options": { base: { batch: 2 }, names: ["batch", "signal"], call: (options) => models.writes.evaluate({ text }, options) },
  classify: { base: ["a", "b"], names: ["0", "1"], call: (text) => models.judges.classify(text) },
  "classifyAll, texts": { base: ["a", "b"], names: ["0", "1"], call: (texts) => models.judges.classifyAll(texts) },
  "classifyAll, options": { base: { batch: 2 }, names: ["batch", "signal"], call: (options) => models.judges.classifyAll(["a", "b"], options) },
  "fill, text": { base: {}, names: ["length"], call: (text) => models.fills.fill(text) },
  "fill, options": { base: { top: 2 }, names: ["top", "signal"], call: (options) => models.fills.fill("the [MASK]", options) },
  "translate, source": { base: {}, names: ["length"], call: (source) => models.translates.translate(source) },
  "translate, options": {
    base: { maxTokens: 3, beams: 2 },
    names: ["maxTokens", "beams", "signal"],
    call: (options) => models.translates.translate("ab", options),
  },
  "attention, text": { base: ["ab", "ba"], names: ["0", "1"], call: (text) => models.translates.attention(text) },
  "attention, options": { base: { part: "encoder" }, names: ["part"], call: (options) => models.translates.attention(["ab", "ba"], options) },
  "weightHistogram, text": { base: ["ab", "ba"], names: ["0"], call: (text) => models.translates.weightHistogram(text) },
  "weightHistogram, bins": { base: {}, names: ["bins"], call: (bins) => models.writes.weightHistogram("the", bins) },
  "compare, specs": {
    base: [{ task: "language-model", ...sizes }],
    names: ["0", "1", "length"],
    call: (specs) => comparison(specs, { steps: 1, batch: 1 }),
  },
  "compare, options": {
    base: { steps: 1, batch: 1 },
    names: [...OPTIONS.training, "models"],
    call: (options) => comparison([{ task: "language-model", ...sizes }], options),
  },
  "compare, models": {
    base: [0],
    names: ["0", "length"],
    call: (models) => comparison([{ task: "language-model", ...sizes }], { steps: 1, batch: 1, models }),
  },
  benchmark: { base: smallBenchmark, names: OPTIONS.benchmark, call: (options) => take(engine.benchmark(options), 4) },
  "benchmark, lengths": {
    base: [4],
    names: ["0", "length"],
    call: (lengths) => take(engine.benchmark(/** @type {any} */ ({ ...smallBenchmark, lengths })), 4),
  },
  builtinData: { base: {}, names: ["length"], call: (name) => builtinData(name) },
};

/** @param {any} specs @param {any} options */
async function comparison(specs, options) {
  /** @type {Set<Model>} */
  const made = new Set();
  try {
    let taken = 0;
    for await (const { model } of engine.compare(specs, { text }, options)) {
      if (model !== models.writes) made.add(model);
      if ((taken += 1) === 3) break;
    }
  } finally {
    for (const model of made) await model.dispose();
  }
}

for (const [what, { base, names, call }] of Object.entries(CALLS)) {
  test(`${what}: every odd value is taken or refused with words`, async () => {
    for (const [name, odd] of Object.entries(ODD)) {
      await codeOf(() => call(odd()), `${what}: ${name}`);
    }
    await stillTrains(engine, models.writes);
  });

  test(`${what}: odd values in it are, too`, async () => {
    await holds(changes(names), 60, async (list) => {
      const odd = Array.isArray(base) ? Object.assign([...base], changed({}, list.filter(([name, odd]) => name !== "length" || isLength(ODD[odd]())))) : changed(base, list);
      await codeOf(() => call(odd), what);
      await stillTrains(engine, models.writes);
    });
    assert.equal((await engine.memory()).models, Object.keys(models).length, "a model was left behind");
  });
}

/** What a list's length can be set to, and small. @param {unknown} value */
const isLength = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 100;

test("create: odd options are refused with words, and no worker stays", async () => {
  const names = ["device", "wasm", "workers", "seed"];
  const options = fc.oneof(
    oddName().map((odd) => ({ whole: odd })),
    changes(names).map((list) => ({ list })),
  );
  const attempt = async (/** @type {any} */ options, /** @type {string} */ what) => {
    await codeOf(async () => (await Engine.create(options)).dispose(), what);
  };
  for (const name of Object.keys(ODD)) await attempt({ device: "cpu", wasm: ODD[name]() }, `wasm: ${name}`);
  await holds(options, 100, async (option) => {
    await attempt("whole" in option ? ODD[option.whole]() : changed({ device: "cpu", wasm }, option.list), JSON.stringify(option));
  });
  await stillTrains(engine, models.writes);
});
