// What docs/api.md says of an option has the limits that it is held to.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Engine, SynthError } from "synthattn/cpu";

/** @import { Model } from "synthattn/cpu" */

const documented = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
const text = "the cat sat on the mat. ".repeat(20);
const rows = [
  { text: "up and up", label: "up" },
  { text: "all the way down", label: "down" },
];
const sizes = { attention: /** @type {const} */ ("vanilla"), dModel: 4, heads: 1, layers: 1, dFf: 4, maxLength: 8 };

/** @type {Engine} */
let engine;
/** @type {Record<"writes" | "judges" | "fills" | "translates", Model>} */
let models;

before(async () => {
  engine = await Engine.create({ device: "cpu" });
  models = {
    writes: await engine.createModel({ ...sizes, task: "language-model" }, { text }),
    judges: await engine.createModel({ ...sizes, task: "classification" }, { rows }),
    fills: await engine.createModel({ ...sizes, task: "masked-language-model" }, { text }),
    translates: await engine.createModel({ ...sizes, task: "sequence-to-sequence" }, { rows: [{ source: "abc", target: "cba" }] }),
  };
});
after(() => engine.dispose());

/** Options by the type that has them, and the call that judges them. @type {Record<string, { names: string[], call: (options: any) => Promise<unknown> }>} */
const CALLS = {
  EngineOptions: { names: ["workers", "seed"], call: (options) => Engine.create({ device: "cpu", ...options }) },
  ModelSpec: {
    names: ["dModel", "layers", "dFf", "maxLength", "dropout", "seed"],
    call: (options) => engine.createModel({ ...sizes, task: "language-model", ...options }, { text }),
  },
  TrainOptions: {
    names: ["steps", "batch", "learningRate", "warmup", "weightDecay", "clipNorm", "validation", "every"],
    call: (options) => models.writes.train({ steps: 1, ...options }).next(),
  },
  EvaluateOptions: { names: ["batch"], call: (options) => models.writes.evaluate({ text }, options) },
  ClassifyAllOptions: { names: ["batch"], call: (options) => models.judges.classifyAll(["up"], options) },
  GenerateOptions: {
    names: ["maxTokens", "temperature", "topK", "topP", "seed"],
    call: (options) => models.writes.generate("the", options).next(),
  },
  FillOptions: { names: ["top"], call: (options) => models.fills.fill("the [MASK]", options) },
  TranslateOptions: { names: ["maxTokens", "beams"], call: (options) => models.translates.translate("abc", options) },
  BenchmarkOptions: {
    names: ["batch", "dModel", "layers", "repeats"],
    call: (options) => engine.benchmark({ kinds: ["random"], lengths: [4], heads: 1, ...options }).next(),
  },
};

/** All numbers in a sentence. @param {string} sentence @returns {string[]} */
function numbersIn(sentence) {
  const powers = sentence.replace(/2\^(\d+) - 1/g, (_, power) => String(2 ** power - 1)).replace(/2\^(\d+)/g, (_, power) => String(2 ** power));
  return powers.replace(/(?<=\d),(?=\d{3})/g, "").match(/\d+(\.\d+)?/g) ?? [];
}

/** What the document says of an option. @param {string} type @param {string} option */
function sentenceOf(type, option) {
  const section = documented.split(`\n### type ${type}\n`)[1]?.split("\n### ")[0] ?? "";
  const row = section.split("\n").find((line) => line.startsWith(`| \`${option}\``) || line.startsWith(`| \`${option}?\``));
  assert.ok(row, `docs/api.md has ${type}.${option}`);
  return row;
}

/** What is expected where a value is refused. @param {() => Promise<unknown>} call @param {string} option */
async function expectedBy(call, option) {
  try {
    await call();
  } catch (error) {
    assert.ok(error instanceof SynthError && error.details?.option === option, String(error));
    return String(error.details.expected);
  }
  assert.fail(`${option} was taken`);
}

for (const [type, { names, call }] of Object.entries(CALLS)) {
  test(`${type}: the reference has the limits of every number`, async () => {
    for (const name of names) {
      const expected = await expectedBy(() => call({ [name]: -1 }), name);
      const limits = numbersIn(expected);
      assert.ok(limits.length > 0, expected);
      const said = numbersIn(sentenceOf(type, name));
      for (const limit of limits) assert.ok(said.includes(limit), `${type}.${name}: ${limit} of "${expected}" is not in "${sentenceOf(type, name)}"`);
    }
  });
}

test("lengths of a benchmark, bins and stop texts have theirs", async () => {
  const { writes } = models;
  const cases = /** @type {const} */ ([
    ["lengths", () => engine.benchmark({ kinds: ["random"], lengths: [1] }).next(), sentenceOf("BenchmarkOptions", "lengths")],
    ["bins", () => writes.weightHistogram("the", 0), /** @type {string} */ (/- `bins`: .*/.exec(documented)?.[0])],
    ["stop", () => writes.generate("the", { stop: Array(10_001).fill("x") }).next(), sentenceOf("GenerateOptions", "stop")],
    ["tokenizer.vocabulary", () => engine.createModel({ ...sizes, task: "language-model", tokenizer: { kind: "word", vocabulary: 1 } }, { text }), sentenceOf("ModelSpec", "tokenizer")],
    ["tokenizer.vocabulary", () => engine.createModel({ ...sizes, task: "language-model", tokenizer: { kind: "bpe", vocabulary: 1 } }, { text }), sentenceOf("ModelSpec", "tokenizer")],
  ]);
  for (const [option, call, sentence] of cases) {
    const limits = numbersIn(await expectedBy(call, option));
    assert.ok(limits.length > 0, option);
    for (const limit of limits) assert.ok(numbersIn(sentence).includes(limit), `${option}: ${limit} is not in "${sentence}"`);
  }
});
