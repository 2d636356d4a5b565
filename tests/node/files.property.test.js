// Files that were damaged or made to harm: refused with words, or loaded and fit for work; never more memory than they warrant.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { Engine } from "synthattn";
import { codeOf, holds, stillTrains, take } from "./properties/bench.js";
import { assembled, mistaken, mistakes, parts } from "./properties/model-file.js";

/** @import { Model, TrainingData } from "synthattn" */

const text = "the cat sat on the mat. ".repeat(20);
const rows = [
  { text: "up and up", second: "up", label: "up" },
  { text: "all the way down", second: "below", label: "down" },
  { text: "and up again", second: "up", label: "up" },
];
const pairs = [{ source: "abc", target: "cba" }, { source: "ab", target: "ba" }];
const sizes = { dModel: 4, heads: 1, layers: 1, dFf: 4, maxLength: 8 };
/** What may be kept by the allocator of what a refused file needed: its bytes a few times over. */
const PAGE = 65_536;
const wasm = await WebAssembly.compile(readFileSync(new URL("../../pkg/wasm/synthattn_bg.wasm", import.meta.url)));

/** @type {Record<string, { spec: object, data: TrainingData }>} */
const SORTS = {
  "characters, a random table": { spec: { task: "language-model", attention: "random+vanilla" }, data: { text } },
  "byte pairs, a convolution": { spec: { task: "language-model", attention: "dynamic-convolution", tokenizer: { kind: "bpe", vocabulary: 300 } }, data: { text } },
  "words, labels": { spec: { task: "classification", attention: "linformer" }, data: { rows: rows.map(({ text, label }) => ({ text, label })) } },
  "pairs, a mixer": { spec: { task: "pair-classification", attention: "mlp-mixer" }, data: { rows } },
  "masks, no weights": { spec: { task: "masked-language-model", attention: "fnet" }, data: { text } },
  "source and target": { spec: { task: "sequence-to-sequence", attention: "factorized-dense", positions: "sinusoidal" }, data: { rows: pairs } },
};

/** @type {Engine} */
let engine;
/** @type {Model} */
let witness;
/** @type {Map<string, Uint8Array>} */
const files = new Map();

before(async () => {
  engine = await Engine.create({ device: "cpu", wasm });
  witness = await engine.createModel(/** @type {any} */ ({ task: "language-model", attention: "vanilla", ...sizes }), { text });
  for (const [name, { spec, data }] of Object.entries(SORTS)) {
    const model = await engine.createModel(/** @type {any} */ ({ ...sizes, ...spec }), data);
    for await (const _ of model.train({ steps: 2, batch: 2 }));
    files.set(name, await model.save());
    await model.dispose();
  }
});
after(() => engine.dispose());

/** Everything a loaded model may be asked. @param {Uint8Array} file @param {TrainingData} data */
async function use(file, data) {
  const model = await engine.load(file, data);
  try {
    const calls = [
      () => take(model.train({ steps: 2, every: 1, batch: 1 }), 3),
      () => model.evaluate(data),
      () => take(model.generate("the", { maxTokens: 3 }), 4),
      () => model.classify("up and up"),
      () => model.classify(["up", "and up"]),
      () => model.fill("the [MASK]"),
      () => model.translate("ab", { maxTokens: 3 }),
      () => model.save(),
    ];
    for (const call of calls) await codeOf(call, String(call));
  } finally {
    await model.dispose();
  }
}

for (const [name, { data }] of Object.entries(SORTS)) {
  test(`a damaged file is refused or works: ${name}`, async () => {
    const file = /** @type {Uint8Array} */ (files.get(name));
    await holds(mistakes, 150, async (list) => {
      const damaged = list.reduce(mistaken, file);
      const code = await codeOf(() => use(damaged, data), "load");
      assert.ok(code === undefined || ["corrupt-file", "unsupported-version", "invalid-data"].includes(code), `load gave ${code}`);
      await stillTrains(engine, witness);
    });
  });
}

describe("a file that claims more than it holds is refused, and takes no more memory than it warrants", () => {
  /** @typedef {(header: any, spec: any) => void} Claim */
  /** @type {Record<string, Claim>} */
  const CLAIMS = {
    "a width of 2048": (_, spec) => Object.assign(spec, { dModel: 2048, dFf: 8192 }),
    "a width of a thousand millions": (_, spec) => Object.assign(spec, { dModel: 1e9 }),
    "a wide part between": (_, spec) => Object.assign(spec, { dFf: 8192, dModel: 1024 }),
    "64 layers": (_, spec) => Object.assign(spec, { layers: 64, dModel: 256, dFf: 2048 }),
    "a length of 4096": (_, spec) => Object.assign(spec, { maxLength: 4096 }),
    "a length of 4096 and a table for it": (_, spec) => Object.assign(spec, { maxLength: 4096, attention: "random", heads: 4 }),
    "sinusoids for a length of 4096": (_, spec) => Object.assign(spec, { maxLength: 4096, dModel: 2048, positions: "sinusoidal", attention: "fnet" }),
    "a hundred thousand tokens": ({ __metadata__ }) => {
      const tokenizer = JSON.parse(__metadata__.tokenizer);
      if (tokenizer.text.characters === undefined) return;
      tokenizer.text.characters = Array.from({ length: 100_000 }, (_, index) => String.fromCodePoint(0x10000 + index)).join("");
      __metadata__.tokenizer = JSON.stringify(tokenizer);
    },
    "merges that double": ({ __metadata__ }, spec) => {
      const merges = Array.from({ length: 60 }, (_, index) => (index === 0 ? [97, 97] : [255 + index, 255 + index]));
      __metadata__.tokenizer = JSON.stringify({ specials: [], opening: 0, text: { kind: "bpe", merges } });
      spec.tokenizer = { kind: "bpe", vocabulary: 316 };
    },
    "a tensor of a thousand millions": (header) => {
      const [name] = Object.keys(header).filter((key) => key !== "__metadata__");
      header[name].shape = [1e9, 1e9];
    },
    "offsets beyond the end": (header) => {
      const [name] = Object.keys(header).filter((key) => key !== "__metadata__");
      header[name].data_offsets = [0, 2 ** 40];
    },
  };
  for (const [what, claim] of Object.entries(CLAIMS)) {
    test(what, async () => {
      const { wasmBytes: before } = await engine.memory();
      let most = 0;
      for (const [name, file] of files) {
        const { header, data } = parts(file);
        const spec = JSON.parse(header.__metadata__.spec);
        header.__metadata__.spec = JSON.stringify(spec);
        const untouched = JSON.stringify(header);
        claim(header, spec);
        header.__metadata__.spec = JSON.stringify(spec);
        const crafted = assembled({ header, data });
        most = Math.max(most, crafted.length);
        const code = await codeOf(() => use(crafted, SORTS[name].data), `${what}, ${name}`);
        if (JSON.stringify(header) !== untouched) assert.equal(code, "corrupt-file", name);
      }
      const grown = (await engine.memory()).wasmBytes - before;
      assert.ok(grown <= 16 * most + 16 * PAGE, `files of at most ${most} bytes made the engine ${grown} bytes larger`);
      await stillTrains(engine, witness);
    });
  }
});

test("a model that has made more steps than 32 bits count goes on", async () => {
  for (const step of [2 ** 31, 2 ** 32, 2 ** 40]) {
    const { header, data } = parts(/** @type {Uint8Array} */ (files.get("characters, a random table")));
    header.__metadata__.training = header.__metadata__.training.replace(/"step":\d+/, `"step":${step}`);
    const model = await engine.load(assembled({ header, data }), { text });
    const reported = [];
    for await (const { step } of model.train({ steps: 3, every: 1, batch: 1 })) reported.push(step);
    assert.deepEqual(reported, [step + 1, step + 2, step + 3]);
    await model.dispose();
  }
});

describe("texts of any sort", () => {
  const units = fc.array(fc.oneof(fc.nat(0xffff), fc.nat(0x7f), fc.integer({ min: 0xd800, max: 0xdfff })), { maxLength: 40 });
  const anyText = fc.oneof(
    units.map((list) => String.fromCharCode(...list)),
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc.constantFrom("[MASK]", "[MASK][MASK]", "[PAD]", "[UNKNOWN] [CLS]", "\0", "\r\n", "\u202e\u202d", "👩‍👩‍👧‍👦", "e\u0301".repeat(9), "\ufeff"),
    fc.constantFrom("the cat", "up", "ab").chain((known) => units.map((list) => known + String.fromCharCode(...list))),
  );

  test("are judged, filled, continued and translated, and what comes out is well-formed", async () => {
    /** @type {Record<string, Model>} */
    const models = {};
    for (const [name, file] of files) models[name] = await engine.load(file);
    await holds(fc.tuple(anyText, anyText), 150, async ([text, second]) => {
      await codeOf(async () => {
        const { label, probabilities } = await models["words, labels"].classify(text);
        assert.ok(label in probabilities);
        assert.ok(Math.abs(Object.values(probabilities).reduce((sum, one) => sum + one) - 1) < 1e-4);
      }, "classify");
      await codeOf(() => models["pairs, a mixer"].classify([text, second]), "classify a pair");
      await codeOf(async () => {
        for (const { candidates } of await models["masks, no weights"].fill(`${text}[MASK]${second}`)) {
          for (const { token, probability } of candidates) assert.ok(token.isWellFormed() && probability >= 0 && probability <= 1);
        }
      }, "fill");
      await codeOf(async () => {
        assert.ok((await models["source and target"].translate(text, { maxTokens: 4 })).isWellFormed());
      }, "translate");
      for (const name of ["characters, a random table", "byte pairs, a convolution"]) {
        let written = "";
        for await (const piece of models[name].generate(text, { maxTokens: 5, temperature: 2, stop: second === "" ? [] : [second] })) written += piece;
        assert.ok(written.isWellFormed());
      }
      await stillTrains(engine, witness);
    });
    for (const model of Object.values(models)) await model.dispose();
  });
});
