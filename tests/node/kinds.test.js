// What the cards say of every kind, held to what the engine has and to what a reference in plain JavaScript does.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Engine, kinds } from "synthattn";
import { at } from "../../scripts/lib/paths.js";
import { COSTED, costAt, costOf, lettersIn, sizesOf } from "../../www/cards/costs.js";
import { added, evaluate, lettersOf, mathTrees, textOf } from "../../www/cards/formula.js";
import { QUALITY, SPEED, addressOf } from "../../www/paper.js";
import { open, values } from "../model-file.js";
import { mixed } from "./reference.js";

/** @import { KindInfo, KindName, ModelSpec } from "synthattn" */
/** @import { Weights } from "./reference.js" */

const TABLE = await kinds();
const TEXT = { text: "to be or not to be, that is the question. ".repeat(60) };

/**
 * Widths, heads and lengths, and options that are not the defaults.
 *
 * @type {{ width: number, heads: number, length: number, options: Record<string, number | string> }[]}
 */
const SIZES = [
  { width: 16, heads: 4, length: 12, options: {} },
  { width: 24, heads: 2, length: 10, options: { rank: 3, hidden: 5, a: 5, kernel: 3, projected: 4, tokensHidden: 7, mixing: "layer" } },
  { width: 40, heads: 5, length: 7, options: { rank: 7, hidden: 20, a: 1, kernel: 9, projected: 7, tokensHidden: 28, mixing: "head" } },
  { width: 64, heads: 4, length: 32, options: {} },
];

/** Those that the kind has. @param {KindInfo} info @param {Record<string, number | string>} options */
const ownOf = (info, options) => Object.fromEntries(Object.entries(options).filter(([name]) => info.options.some((option) => option.name === name)));

/** @type {Engine} */
let engine;
before(async () => {
  engine = await Engine.create({ device: "cpu" });
});
after(() => engine?.dispose());

/** A model of one layer, of a task that every kind can do. @param {KindInfo} info @param {(typeof SIZES)[number]} size */
function modelOf(info, { width, heads, length, options }) {
  const attention = /** @type {ModelSpec["attention"]} */ ({ kind: info.name, ...ownOf(info, options) });
  return engine.createModel({ task: "masked-language-model", attention, dModel: width, heads, layers: 1, maxLength: length, tokenizer: "character" }, TEXT);
}

/** The weights of the layer that mixes, by the names that golden files have too. @param {Uint8Array} file */
function layerOf(file) {
  /** @type {Weights} */
  const found = {};
  for (const [name, tensor] of Object.entries(open(file).tensors)) {
    const own = /^encoder\.blocks\.0\.attn\.(.*)$/.exec(name)?.[1];
    if (own) found[own] = { shape: tensor.shape, values: values(tensor) };
  }
  return found;
}

test("there are costs of every kind, and of nothing else", () => {
  const parts = new Set(TABLE.flatMap(({ name }) => name.split("+")));
  assert.deepEqual([...COSTED].sort(), [...parts].sort());
});

test("published numbers are of kinds that there are", () => {
  const names = TABLE.map(({ name }) => String(name));
  for (const numbers of [...Object.values(QUALITY), SPEED]) {
    for (const name of Object.keys(numbers)) assert.ok(names.includes(name), name);
  }
});

test("the paper of every source has an address", () => {
  for (const { name, source } of TABLE) assert.match(addressOf(source) ?? "none", /^https:\/\/arxiv\.org\/abs\/[\d.]+$/, name);
});

for (const info of TABLE) {
  describe(info.name, () => {
    for (const size of SIZES) {
      const { width, heads, length } = size;
      const sizes = sizesOf(size, ownOf(info, size.options));
      test(`weights and multiply-adds at width ${width}, ${heads} heads, ${length} tokens`, async () => {
        const model = await modelOf(info, size);
        const { weights, products } = costAt(info.name, sizes);
        assert.equal(weights, model.attentionParameterCount);
        const layer = layerOf(await model.save());
        await model.dispose();
        const stored = Object.values(layer).reduce((sum, { values }) => sum + values.length, 0);
        assert.equal(weights, stored, "weights in the file");
        const x = Array.from({ length }, (_, i) => Array.from({ length: width }, (_, j) => Math.sin(i * 7 + j)));
        const { count } = mixed(info.name, layer, x, heads);
        assert.equal(products, count);
      });
    }

    test("the reference that multiplications are counted in gives the golden values", () => {
      const { layer, x, output, heads } = goldenOf(info.name);
      const want = Math.max(...output.flat().map(Math.abs));
      const got = mixed(info.name, layer, x, heads).output;
      got.forEach((row, i) => row.forEach((value, j) => assert.ok(Math.abs(value - output[i][j]) <= 1e-4 * want + 5e-6, `${i}, ${j}: ${value} for ${output[i][j]}`)));
    });

    test("what an output takes from is what the card says", () => {
      const { layer, x, heads } = goldenOf(info.name);
      const before = mixed(info.name, layer, x, heads).output;
      const window = costOf(info.name).window;
      // The kernel of the golden files, or all tokens.
      const reach = window ? (5 - 1) / 2 : x.length;
      for (const changed of x.keys()) {
        const other = x.map((row, i) => (i === changed ? row.map((value, j) => value + Math.cos(j * j + 1)) : row));
        const after = mixed(info.name, layer, other, heads).output;
        const moved = before.flatMap((row, i) => (row.some((value, j) => Math.abs(value - after[i][j]) > 1e-9) ? [i] : []));
        const expected = [...x.keys()].filter((i) => Math.abs(i - changed) <= reach);
        assert.deepEqual(moved, expected, `token ${changed}`);
      }
    });

    test("its formula is drawn as it is written", () => {
      assert.equal(mathTrees(info.formula).map(textOf).join(""), info.formula.replaceAll(" ", ""));
      const { weights, products } = costOf(info.name);
      for (const formula of [weights, products]) assert.equal(mathTrees(formula, { size: true }).map(textOf).join(""), formula.replaceAll(" ", ""));
    });
  });
}

/** A text that fills the model, from the golden files. @param {KindName} kind */
function goldenOf(kind) {
  const names = new Map([["lightweight-convolution", "light_conv"], ["dynamic-convolution", "dynamic_conv"], ["mlp-mixer", "mixer"]]);
  const name = names.get(kind) ?? kind.replaceAll(/[-+]/g, "_");
  const { tensors } = open(readFileSync(at("tests", "golden", `${name}.safetensors`)));
  /** @type {Weights} */
  const layer = {};
  for (const [own, tensor] of Object.entries(tensors)) if (own.startsWith("param.")) layer[own.slice("param.".length)] = { shape: tensor.shape, values: values(tensor) };
  const rowsOf = (/** @type {string} */ tensor) => {
    const { shape: [, length, width] } = tensors[tensor];
    const all = values(tensors[tensor]);
    return Array.from({ length }, (_, row) => all.slice(row * width, (row + 1) * width));
  };
  return { layer, x: rowsOf("full.x"), output: rowsOf("full.output"), heads: 4 };
}

test("a word that is said of a symbol stands apart from it, and a comma ends a line", () => {
  const trees = mathTrees("softmax(R) V, R frozen").map((tree) => tree.children[0]);
  const tags = trees.map((row) => (typeof row === "string" ? row : row.children.map((one) => (typeof one === "string" ? one : [one.tag, ...one.children.filter((child) => typeof child === "string")].join(" ")))));
  assert.deepEqual(tags[0].at(-1), "mo ,");
  assert.deepEqual(tags[1], ["mi R", "mtext \u00a0frozen"]);
});

test("formulas of sizes are evaluated as they are read", () => {
  assert.equal(evaluate("2d(d + 1) + hn²", { d: 3, h: 2, n: 5 }), 2 * 3 * 4 + 2 * 25);
  assert.equal(evaluate("(a + b)(m + 1)h", { a: 1, b: 2, m: 3, h: 5 }), 60);
  assert.equal(evaluate("(a + b)²", { a: 1, b: 2 }), 9);
  assert.equal(evaluate("0", {}), 0);
  assert.throws(() => evaluate("2x", { d: 1 }), /no size x/);
  assert.throws(() => evaluate("2(d", { d: 1 }), /not closed/);
  assert.throws(() => evaluate("2d)", { d: 1 }), /nothing opens/);
});

test("like terms are added", () => {
  assert.equal(added(["2nd² + n²d", "2nd² + n²d", ""]), "4nd² + 2n²d");
  assert.equal(added(["2d(d + 1)", "h(a + b)(m + 1)", "2g"]), "2d(d + 1) + h(a + b)(m + 1) + 2g");
  assert.equal(added(["h(a + b)(m + 1)", "h(a + b)(m + 1)"]), "2h(a + b)(m + 1)");
});

test("the letters of a kind are those of its formulas, and all have a size", () => {
  for (const { name } of TABLE) {
    const { weights, products, window = "" } = costOf(name);
    assert.deepEqual([...lettersIn(name)].sort(), lettersOf(weights + products + window).sort(), name);
    for (const letter of lettersIn(name)) assert.ok(Number.isInteger(sizesOf(SIZES[0])[letter]), `${name}: ${letter}`);
  }
});
