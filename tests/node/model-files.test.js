// Model files at the level of the package: training resumed from one goes on as if never stopped, whatever the task and the
// optimizer; one that was tampered with is refused before there is a model of it, and the engine goes on.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Engine, SynthError } from "synthattn";
import { at } from "../../scripts/lib/paths.js";
import { MODELS, trained } from "../files/models.js";
import { close, open, tensor, values } from "../model-file.js";

/** @import { ModelSpec } from "synthattn" */
/** @import { ModelFile } from "../model-file.js" */

/** @type {Engine} */
let engine;
before(async () => {
  engine = await Engine.create({ device: "cpu" });
});
after(() => engine?.dispose());

/** The tensors and the metadata, whatever their order in the file. @param {Uint8Array} file */
function contentsOf(file) {
  const { metadata, tensors } = open(file);
  const sorted = (/** @type {Record<string, unknown>} */ record) => Object.fromEntries(Object.entries(record).sort());
  return { metadata: sorted(metadata), tensors: sorted(tensors) };
}

describe("training resumed from a file", () => {
  for (const { name, spec, data, training } of MODELS) {
    for (const optimizer of /** @type {const} */ (["adamw", "adam", "sgd"])) {
      test(`is as if never stopped: ${name} with ${optimizer}`, async () => {
        const options = { ...training, optimizer, steps: 4, every: 1, warmup: 3, schedule: /** @type {const} */ ("linear"), span: { start: 0, end: 8 } };
        const model = await engine.createModel({ ...spec, dropout: 0.1 }, data);
        await trained(model, options);
        const saved = await model.save();
        const uninterrupted = await trained(model, options);
        const loaded = await engine.load(saved, data);
        // Nothing was lost on the way, and nothing added.
        assert.deepEqual(contentsOf(await loaded.save()), contentsOf(saved));
        assert.deepEqual(await trained(loaded, options), uninterrupted);
        // Weights and moments too are those of a run that never stopped.
        assert.deepEqual(contentsOf(await loaded.save()), contentsOf(await model.save()));
        assert.equal(JSON.parse(open(saved).metadata.training).momentSteps, optimizer === "sgd" ? 0 : 4);
        for (const one of [model, loaded]) await one.dispose();
      });
    }
  }
});

/** In place of letters, which are everywhere. @type {import("synthattn").TrainingData} */
const phrases = { rows: [["busy bee", "bee at work"], ["all day", "day by day"], ["one hour", "it is late"]].map(([source, target]) => ({ source, target })) };

for (const { name, spec, ...sample } of MODELS) {
  const data = spec.task === "sequence-to-sequence" ? phrases : sample.data;
  test(`what a model was trained on is not in its file: ${name}`, async () => {
    const model = await engine.createModel(spec, data);
    const file = Buffer.from(await model.save());
    await model.dispose();
    const texts = "text" in data ? data.text.split("\n") : "rows" in data ? data.rows.flatMap((row) => Object.values(row)) : [];
    // Single words may be there: a tokenizer of words holds them.
    const sentences = texts.filter((text) => typeof text === "string" && text.includes(" "));
    assert.ok(sentences.length >= 6);
    for (const sentence of sentences) assert.ok(!file.includes(String(sentence)), `${sentence} is in the file`);
    const tokenizer = open(file).metadata.tokenizer;
    const kind = JSON.parse(tokenizer).text.kind;
    assert.equal(/honey|broken|cheap/.test(tokenizer), kind === "word", "only a tokenizer of words holds words");
  });
}

const bytes = new Uint8Array(readFileSync(at("tests", "files", "0.1.0", "language-model.safetensors")));
const classifier = new Uint8Array(readFileSync(at("tests", "files", "0.1.0", "classification.safetensors")));

/**
 * The file after a change of its contents.
 *
 * @param {(contents: ModelFile) => void} change
 * @param {Uint8Array} [file]
 */
function changed(change, file = bytes) {
  const contents = open(file);
  change(contents);
  return close(contents);
}

/** @param {string} key @param {(json: any) => unknown} change @param {Uint8Array} [file] */
const changedJson = (key, change, file) =>
  changed(({ metadata }) => {
    const json = JSON.parse(metadata[key]);
    metadata[key] = JSON.stringify(change(json) ?? json);
  }, file);

/** @param {Partial<ModelSpec>} fields */
const withSpec = (fields) => changedJson("spec", (spec) => void Object.assign(spec, fields));
/** @param {Record<string, unknown>} fields */
const withTraining = (fields) => changedJson("training", (training) => void Object.assign(training, fields));

const WEIGHT = "blocks.0.ffn.w1";

/** What was done to a file, and the file. @type {[string, () => Uint8Array<ArrayBuffer>][]} */
const TAMPERED = [
  ...["format", "version", "spec", "tokenizer", "training"].flatMap((key) => [
    /** @type {[string, () => Uint8Array<ArrayBuffer>]} */ ([`no ${key}`, () => changed(({ metadata }) => delete metadata[key])]),
    ...["", "null", "[]", "-1", '"', "{}", "{", "\u0000", "1e400"].map((value) => {
      /** @type {[string, () => Uint8Array<ArrayBuffer>]} */
      const row = [`${key} is ${JSON.stringify(value)}`, () => changed(({ metadata }) => (metadata[key] = value))];
      return row;
    }),
  ]),
  ["of another program", () => changed(({ metadata }) => (metadata.format = "pt"))],
  ["no metadata at all", () => changed((contents) => (contents.metadata = {}))],

  ["another width", () => withSpec({ dModel: 16 })],
  ["more heads", () => withSpec({ heads: 3 })],
  ["heads that do not divide the width", () => withSpec({ heads: 5 })],
  ["a layer more than there is", () => withSpec({ layers: 2 })],
  ["another feed-forward width", () => withSpec({ dFf: 17 })],
  ["a longer input", () => withSpec({ maxLength: 17 })],
  ["a model far larger than the file", () => withSpec({ dModel: 2048, heads: 4, layers: 3, dFf: 64 })],
  ["another kind", () => withSpec({ attention: "vanilla" })],
  ["a kind that does not exist", () => withSpec({ attention: /** @type {any} */ ("telepathy") })],
  ["a kind that sees the future", () => withSpec({ attention: "fnet" })],
  ["another task", () => withSpec({ task: "sequence-to-sequence" })],
  ["a task with labels", () => withSpec({ task: "classification" })],
  ["a task that does not exist", () => withSpec({ task: /** @type {any} */ ("poetry") })],
  ["positions that have no weights", () => withSpec({ positions: "none" })],
  ["a tied head", () => withSpec({ tieEmbeddings: true })],
  ["an unknown field in the spec", () => withSpec(/** @type {any} */ ({ colour: "blue" }))],
  ["a seed that is none", () => withSpec({ seed: -1 })],

  ["steps below zero", () => withTraining({ step: -1 })],
  ["half a step", () => withTraining({ step: 0.5 })],
  ["an optimizer that does not exist", () => withTraining({ optimizer: "lion" })],
  ["an unknown field in the training", () => withTraining({ mood: "good" })],
  ["moments over no steps", () => withTraining({ momentSteps: 0 })],
  ["moments over steps below zero", () => withTraining({ momentSteps: -1 })],

  ["a weight less", () => changed(({ tensors }) => delete tensors[WEIGHT])],
  ["a weight more", () => changed(({ tensors }) => (tensors.surplus = tensor([1], () => 0)))],
  ["a weight under another name", () => changed(({ tensors }) => ((tensors[`${WEIGHT}x`] = tensors[WEIGHT]), delete tensors[WEIGHT]))],
  ["a weight with its axes swapped", () => changed(({ tensors }) => tensors[WEIGHT].shape.reverse())],
  ["a weight as one row", () => changed(({ tensors }) => (tensors[WEIGHT].shape = [12 * 16]))],
  ["a weight of another type", () => changed(({ tensors }) => (tensors[WEIGHT].dtype = "I32"))],
  ...[NaN, Infinity, -Infinity].map((value) => {
    /** @type {[string, () => Uint8Array<ArrayBuffer>]} */
    const row = [`a weight with ${value}`, () => changed(({ tensors }) => (tensors[WEIGHT] = tensor(tensors[WEIGHT].shape, (i) => (i === 7 ? value : 0))))];
    return row;
  }),
  ["no first moments of a weight", () => changed(({ tensors }) => delete tensors[`optimizer.first.${WEIGHT}`])],
  ["no second moments of a weight", () => changed(({ tensors }) => delete tensors[`optimizer.second.${WEIGHT}`])],
  ["no moments at all", () => changed(({ tensors }) => Object.keys(tensors).filter((name) => name.startsWith("optimizer.")).forEach((name) => delete tensors[name]))],
  ["moments of what is no weight", () => changed(({ tensors }) => (tensors["optimizer.first.surplus"] = tensor([1], () => 0)))],
  ["moments of another shape", () => changed(({ tensors }) => tensors[`optimizer.first.${WEIGHT}`].shape.reverse())],
  ["moments that are no numbers", () => changed(({ tensors }) => (tensors[`optimizer.second.${WEIGHT}`] = tensor(tensors[WEIGHT].shape, () => NaN)))],

  ["a character twice", () => changedJson("tokenizer", ({ text }) => void (text.characters += text.characters.at(-1)))],
  ["a character more than the weights know", () => changedJson("tokenizer", ({ text }) => void (text.characters += "\u{10ffff}"))],
  ["no characters", () => changedJson("tokenizer", ({ text }) => void (text.characters = ""))],
  ["an opening that is no token", () => changedJson("tokenizer", (tokenizer) => void (tokenizer.opening = 1e6))],
  ["an opening that is a special token", () => changedJson("tokenizer", (tokenizer) => void (tokenizer.opening = 0))],
  ["special tokens of another task", () => changedJson("tokenizer", (tokenizer) => void tokenizer.specials.push("mask"))],
  ["special tokens that do not exist", () => changedJson("tokenizer", (tokenizer) => void tokenizer.specials.push("smile"))],
  ["a tokenizer that does not exist", () => changedJson("tokenizer", ({ text }) => void (text.kind = "morse"))],
  ["a tokenizer of bytes", () => changedJson("tokenizer", (tokenizer) => void (tokenizer.text = { kind: "byte" }))],

  ["a label more", () => changedJson("labels", (labels) => void labels.push("z"), classifier)],
  ["one label", () => changedJson("labels", (labels) => void labels.pop(), classifier)],
  ["labels out of order", () => changedJson("labels", (labels) => void labels.reverse(), classifier)],
  ["a label twice", () => changedJson("labels", () => ["a", "a"], classifier)],
  ["labels that are numbers", () => changedJson("labels", () => [0, 1], classifier)],
  ["no labels", () => changed(({ metadata }) => delete metadata.labels, classifier)],
  ["a word twice", () => changedJson("tokenizer", ({ text }) => void (text.words[1] = text.words[0]), classifier)],
  ["more rare words than words", () => changedJson("tokenizer", ({ text }) => void (text.rare_from = 1e6), classifier)],

  ["a header longer than the file", () => withLength(BigInt(bytes.length))],
  ["a header without end", () => withLength(2n ** 63n)],
  ["no header", () => withLength(0n)],
  ["bytes behind the last tensor", () => Uint8Array.from([...bytes, 0, 0, 0, 0])],
];

/** The file with another length of its header. @param {bigint} length */
function withLength(length) {
  const file = bytes.slice();
  new DataView(file.buffer).setBigUint64(0, length, true);
  return file;
}

/** @param {Uint8Array<ArrayBuffer>} file @returns {Promise<string>} the code, or that it was loaded */
async function outcome(file) {
  try {
    const model = await engine.load(file);
    await model.dispose();
    return "loaded";
  } catch (why) {
    assert.ok(why instanceof SynthError, String(why));
    return why.code;
  }
}

describe("a file is refused as corrupt-file with", () => {
  after(async () => {
    assert.equal((await engine.memory()).models, 0, "something is left of a refused file");
    assert.equal(await outcome(bytes), "loaded", "the engine must go on");
  });
  test("nothing done to it: it loads, also when only put together again", async () => {
    for (const file of [bytes, changed(() => {}), classifier, changed(() => {}, classifier)]) assert.equal(await outcome(file.slice()), "loaded");
  });
  for (const [what, file] of TAMPERED) {
    test(what, async () => assert.equal(await outcome(file()), "corrupt-file"));
  }
});

test("metadata that it does not know are no fault", async () => {
  const file = changed(({ metadata }) => (metadata.note = "mine"));
  assert.equal(await outcome(file), "loaded");
});

test("a file with any byte changed loads or is refused, and the engine goes on", async () => {
  // A fixed sequence (Knuth's MMIX constants): the same places every time.
  let state = 2026n;
  const below = (/** @type {number} */ n) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) % 2n ** 64n;
    return Number((state >> 33n) % BigInt(n));
  };
  const header = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const worker = engine.lost;
  /** @type {Record<string, number>} */
  const counts = {};
  for (let i = 0; i < 400; i++) {
    const file = bytes.slice();
    // Nine of ten in the header, where the meaning is.
    const place = below(10) ? below(header) : below(file.length);
    file[place] ^= 1 << below(8);
    const code = await outcome(file);
    counts[code] = (counts[code] ?? 0) + 1;
    assert.ok(["loaded", "corrupt-file", "unsupported-version"].includes(code), `${code} with a bit of byte ${place} changed, run ${i}`);
  }
  assert.ok(counts["corrupt-file"] > 100, JSON.stringify(counts));
  assert.equal(await Promise.race([worker, Promise.resolve("alive")]), "alive");
  assert.equal(await outcome(bytes.slice()), "loaded");
});

test("what a file holds is what the model holds", async () => {
  const halved = changed(({ tensors }) => {
    for (const name of ["head.weight", "head.bias"]) {
      const before = values(tensors[name]);
      tensors[name] = tensor(tensors[name].shape, (i) => before[i] / 2);
    }
  });
  const [model, other] = [await engine.load(bytes.slice()), await engine.load(halved)];
  const text = "And gather honey all the day";
  assert.notEqual((await model.evaluate({ text })).loss, (await other.evaluate({ text })).loss);
  for (const one of [model, other]) await one.dispose();
});
