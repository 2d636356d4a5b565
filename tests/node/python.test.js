// Model files as Python reads them: what docs/file-format.md says of names and shapes, and its program in NumPy.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Engine, kinds } from "synthattn";
import { at, outputFolder } from "../../scripts/lib/paths.js";
import { checkPython } from "../../scripts/lib/python.js";
import { codeOf, documentText, tableUnder } from "../documents.js";
import { open, values } from "../model-file.js";

/** @import { Model, ModelSpec, TaskName, TrainingData } from "synthattn" */
/** @typedef {{ dtype: string, shape: number[], first: number, sum: number }} Facts */
/** @typedef {{ metadata: Record<string, string>, tensors: Record<string, Facts> }} Contents */

const folder = join(outputFolder, "python");
const page = documentText("docs/file-format.md");
const book = readFileSync(at("node_modules", "@stdlib", "datasets-moby-dick", "data", "data.txt"), "utf8").slice(0, 20_000);

/** float64 against float32, over a sum of some hundred logarithms. */
const LOSS_TOLERANCE = 1e-5;

const films = ["a good film", "a bad film", "great fun", "no fun at all", "good acting", "bad acting"];
const labelled = films.map((text, index) => ({ text, label: index % 2 ? "no" : "yes" }));
/** @type {Record<TaskName, TrainingData>} */
const DATA = {
  "language-model": { text: book },
  "masked-language-model": { text: book },
  classification: { rows: labelled },
  "pair-classification": { rows: labelled.map((row) => ({ ...row, second: "what a film" })) },
  "sequence-to-sequence": { rows: films.map((source) => ({ source, target: [...source].reverse().join("") })) },
};

/** @type {Engine} */
let engine;
/** @type {string} */
let python;
before(async () => {
  python = await checkPython();
  engine = await Engine.create({ device: "cpu" });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
});
after(() => engine?.dispose());

/** @param {string[]} args @returns {any} what the program wrote, read as JSON */
function run(...args) {
  const done = spawnSync(python, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
}

/** @param {Model} model @param {import("synthattn").TrainOptions} options */
async function train(model, options) {
  for await (const _ of model.train(options));
}

/**
 * The number that a size of a documented shape stands for.
 *
 * @param {string} size factors by name, parted by dots
 * @param {ModelSpec} spec
 * @param {Contents} contents
 */
function sized(size, spec, { metadata }) {
  const attention = /** @type {Record<string, any>} */ (spec.attention);
  const tokenizer = JSON.parse(metadata.tokenizer);
  const text = tokenizer.text;
  const words = text.characters ? [...text.characters].length : (text.words?.length ?? 256);
  /** @type {Record<string, number | undefined>} */
  const known = {
    ...{ d_model: spec.dModel, heads: spec.heads, d_ff: spec.dFf, max_len: spec.maxLength },
    ...{ vocab: tokenizer.specials.length + words, classes: JSON.parse(metadata.labels ?? "[]").length },
    ...{ parts: attention.kind.split("+").length, b: /** @type {number} */ (spec.maxLength) / attention.a },
    ...attention,
  };
  return size.split("·").reduce((product, factor) => product * (known[factor.trim()] ?? Number(factor)), 1);
}

/**
 * Names as patterns, and the shapes that the page allows for each.
 *
 * @param {string} heading
 * @param {string} prefix
 */
function documented(heading, prefix) {
  return tableUnder(page, heading).flatMap(([names, shapes]) => {
    const allowed = [...shapes.matchAll(/`\[(.*?)\]`/g)].map(([, shape]) => shape.split(","));
    if (!allowed.length) return [];
    return [...names.matchAll(/`(.*?)`/g)].map(([, name]) => {
      const pattern = new RegExp(`^${prefix}${name.replaceAll(".", "\\.")}$`);
      return { name: `${heading}: ${name}`, pattern, allowed };
    });
  });
}

const BLOCK = "(?:blocks|encoder\\.blocks|encoder|decoder)\\.\\d+\\.";

test("names, shapes and metadata of every task and kind are what the page says", async () => {
  const table = [...documented("Around the blocks", ""), ...documented("A block", BLOCK), ...documented("Attention", BLOCK)];
  assert.ok(table.length > 50, "the page has lost its tables");
  const metadataKeys = tableUnder(page, "Metadata").map(([key]) => key.replaceAll("`", ""));

  /** @type {{ path: string, model: Model, file: Uint8Array }[]} */
  const saved = [];
  for (const task of /** @type {TaskName[]} */ (Object.keys(DATA))) {
    for (const { name, causal } of await kinds()) {
      if (!causal && ["language-model", "sequence-to-sequence"].includes(task)) continue;
      /** @type {ModelSpec} */
      const spec = { task, attention: name, dModel: 12, heads: 3, layers: 2, dFf: 20, maxLength: 24, tokenizer: "character" };
      const model = await engine.createModel(spec, DATA[task]);
      await train(model, { steps: 1, batch: 2 });
      const file = await model.save();
      const path = join(folder, `${task}-${name}.safetensors`);
      writeFileSync(path, file);
      saved.push({ path, model, file });
      await model.dispose();
    }
  }

  /** @type {Contents[]} */
  const contents = run(at("tests", "python", "read.py"), ...saved.map(({ path }) => path));
  const used = new Set();
  for (const [index, { path, model, file }] of saved.entries()) {
    const found = contents[index];
    const { task } = model.spec;
    const expectedKeys = metadataKeys.filter((key) => key !== "labels" || task.includes("classification"));
    assert.deepEqual(Object.keys(found.metadata).sort(), expectedKeys.sort(), path);
    assert.equal(found.metadata.format, "synthattn");
    assert.equal(found.metadata.version, "1");
    assert.deepEqual(JSON.parse(found.metadata.spec), model.spec);
    assert.deepEqual(JSON.parse(found.metadata.training), { step: 1, optimizer: "adamw", momentSteps: 1 });
    if (model.labels) assert.deepEqual(JSON.parse(found.metadata.labels), model.labels);
    const specials = tableUnder(page, "The tokenizer").find(([name]) => name === `\`${task}\``)?.[1];
    assert.equal(JSON.parse(found.metadata.tokenizer).specials.map((/** @type {string} */ name) => `\`${name}\``).join(", "), specials);

    const ours = open(file).tensors;
    assert.deepEqual(Object.keys(found.tensors).sort(), Object.keys(ours).sort());
    let weights = 0;
    for (const [name, { dtype, shape, first, sum }] of Object.entries(found.tensors)) {
      assert.equal(dtype, "float32", name);
      const bytes = values(ours[name]);
      assert.equal(first, bytes[0], name);
      assert.ok(Math.abs(sum - bytes.reduce((total, value) => total + value, 0)) < 1e-9 * (1 + Math.abs(sum)), name);
      const [, moment, weight] = /^(optimizer\.(?:first|second)\.)?(.*)$/.exec(name) ?? [];
      const rows = table.filter(({ pattern }) => pattern.test(weight));
      assert.ok(rows.length > 0, `the page does not know ${weight} of ${path}`);
      const allowed = rows.flatMap((row) => row.allowed.map((sizes) => sizes.map((size) => sized(size, model.spec, found))));
      assert.ok(allowed.some((sizes) => String(sizes) === String(shape)), `${weight} of ${path} is [${shape}], on the page [${allowed.join("] or [")}]`);
      for (const row of rows) used.add(row);
      if (moment) assert.deepEqual(shape, found.tensors[weight].shape);
      else weights += bytes.length;
    }
    assert.equal(weights, model.parameterCount, path);
    const trained = Object.keys(ours).filter((name) => !name.startsWith("optimizer.") && !(name.endsWith("random.logits") && path.includes("fixed-random")));
    for (const prefix of ["optimizer.first.", "optimizer.second."]) {
      const moments = Object.keys(ours).filter((name) => name.startsWith(prefix));
      assert.deepEqual(moments.map((name) => name.slice(prefix.length)).sort(), trained.sort(), path);
    }
  }
  assert.deepEqual(table.filter((row) => !used.has(row)).map(({ name }) => name), [], "the page names tensors that no file has");
});

describe("the page's program computes what the package computes, for", async () => {
  const text = book.slice(5000, 5000 + 333);
  const prompt = "the whale ";
  const length = 12;
  before(() => {
    writeFileSync(join(folder, "rebuild.py"), codeOf(page, "rebuild.py"));
    writeFileSync(join(folder, "text.txt"), text);
  });

  for (const { name, family } of await kinds()) {
    if (family === "baseline") continue;
    test(name, async () => {
      /** @type {ModelSpec} */
      const spec = { task: "language-model", attention: name, dModel: 24, heads: 3, layers: 2, maxLength: 32, seed: 3 };
      const model = await engine.createModel(spec, { text: book });
      await train(model, { steps: 200, batch: 8, learningRate: 1e-2 });
      const path = join(folder, `${name}.safetensors`);
      writeFileSync(path, await model.save());
      const { loss } = await model.evaluate({ text });
      let written = "";
      for await (const piece of model.generate(prompt, { maxTokens: length, temperature: 0 })) written += piece;
      await model.dispose();

      const rebuilt = run(join(folder, "rebuild.py"), path, join(folder, "text.txt"), prompt, String(length));
      assert.ok(loss < 2.8, "it has learned nothing, so that nothing is compared");
      assert.ok(Math.abs(rebuilt.loss - loss) < LOSS_TOLERANCE, `${rebuilt.loss} in NumPy, ${loss} here`);
      assert.equal(rebuilt.written, written);
    });
  }
});
