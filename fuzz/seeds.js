// Writes inputs to begin with: files of tiny models of every task, and settings, texts and rows that mean something.
// `node fuzz/seeds.js` after `npm run build`; fuzzing then finds others and keeps those that go new ways.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Engine } from "../pkg/index.js";

/** @import { ModelSpec, TrainingData } from "../pkg/index.js" */

const corpus = process.argv[2] ?? join(import.meta.dirname, "corpus");

/** @param {string} target @param {string} name @param {string | Uint8Array} input */
function keep(target, name, input) {
  mkdirSync(join(corpus, target), { recursive: true });
  writeFileSync(join(corpus, target, name), input);
}

/** The lines that the target "header" makes a file of. @param {Uint8Array} file */
function linesOf(file) {
  const size = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const { __metadata__: about, ...tensors } = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + size)));
  const shapes = Object.entries(tensors).map(([name, { shape }]) => [name, shape]);
  return [about.spec, about.tokenizer, about.labels ?? "-", about.training, JSON.stringify(shapes)].join("\n");
}

/** The same lines with a spec that claims more. @param {string} lines @param {Partial<ModelSpec>} more */
function claiming(lines, more) {
  const [spec, ...rest] = lines.split("\n");
  return [JSON.stringify({ ...JSON.parse(spec), ...more }), ...rest].join("\n");
}

/** @type {Record<string, TrainingData>} */
const DATA = {
  text: { text: "ab ba\nab " },
  labels: { rows: [{ text: "a b", label: "x" }, { text: "b", label: 2 }, { text: "a", label: "x" }] },
  pairs: { rows: [{ text: "a b", second: "b", label: "y" }, { text: "b", second: "a a", label: "n" }] },
  sequences: { rows: [{ source: "ab", target: "ba" }, { source: "b", target: "b" }] },
};

/** @type {[keyof DATA, Partial<ModelSpec>][]} */
const MODELS = [
  ["text", { task: "language-model", attention: "random+vanilla" }],
  ["text", { task: "language-model", attention: "factorized-dense", tokenizer: "byte", positions: "sinusoidal" }],
  ["text", { task: "language-model", attention: { kind: "dynamic-convolution", kernel: 3 }, tokenizer: "word", tieEmbeddings: true, positions: "none" }],
  ["text", { task: "language-model", attention: "fixed-random", tokenizer: { kind: "bpe", vocabulary: 280 }, tieEmbeddings: true }],
  ["text", { task: "masked-language-model", attention: "fnet", layers: 3, maxLength: 4 }],
  ["text", { task: "masked-language-model", attention: "mlp-mixer", tieEmbeddings: true, maxLength: 4 }],
  ["labels", { task: "classification", attention: { kind: "dense", hidden: 1 } }],
  ["labels", { task: "classification", attention: "linformer", tokenizer: "character", tieEmbeddings: true }],
  ["pairs", { task: "pair-classification", attention: "vanilla", maxLength: 5 }],
  ["sequences", { task: "sequence-to-sequence", attention: "factorized-random", heads: 2 }],
  ["sequences", { task: "sequence-to-sequence", attention: "aft", positions: "sinusoidal" }],
];

const engine = await Engine.create({ device: "cpu" });
for (const [index, [data, spec]] of MODELS.entries()) {
  const sizes = { dModel: 2, heads: 1, layers: 1, dFf: 1, maxLength: 3 };
  const model = await engine.createModel(/** @type {ModelSpec} */ ({ ...sizes, ...spec }), DATA[data]);
  // Some with moments, some without.
  if (index % 2 === 0) for await (const _ of model.train({ steps: 1, batch: 1, optimizer: index % 4 ? "adam" : "adamw" }));
  const file = await model.save();
  keep("checkpoint", `model-${index}`, file);
  const lines = linesOf(file);
  keep("header", `model-${index}`, lines);
  keep("header", `wide-${index}`, claiming(lines, { dModel: 2048, heads: 1, dFf: 8192 }));
  keep("header", `deep-${index}`, claiming(lines, { layers: 64, maxLength: 512, positions: "none" }));
  keep("tokenizer", `file-${index}`, Buffer.concat([Buffer.from(lines.split("\n")[1]), Buffer.from([0xff]), Buffer.from("ab é [MASK]")]));
  keep("config", `spec-${index}`, JSON.stringify(model.spec));
  await model.dispose();
}
await engine.dispose();

keep("config", "training", JSON.stringify({ steps: 100, batch: 4, learningRate: 0.01, warmup: 5, schedule: "cosine", optimizer: "sgd", weightDecay: 0, clipNorm: 2, validation: 0.1, every: 7, span: { start: 3, end: 50 } }));
keep("config", "translation", JSON.stringify({ maxTokens: 9, beams: 4 }));
keep("config", "fnet", JSON.stringify({ task: "classification", attention: "fnet", maxLength: 4096, layers: 64, dModel: 1, heads: 1 }));
keep("config", "too-many-weights", JSON.stringify({ task: "language-model", attention: "random", dModel: 256, heads: 256, maxLength: 4096 }));
keep("sampling", "options", JSON.stringify({ maxTokens: 5, temperature: 0.5, topK: 3, topP: 0.9, seed: 4, stop: ["\n", "ab"] }));
for (const temperature of [0, 3, 5]) {
  for (const tokenizer of [0, 1, 2, 3]) {
    const settings = [temperature, tokenizer, tokenizer, 1, 2, 3, 4, 5, 6, 7, 8, tokenizer, 2];
    keep("sampling", `drawn-${temperature}-${tokenizer}`, Buffer.concat([Buffer.from(settings), Buffer.from("b\xff\n\xffab\xff", "latin1"), Buffer.from(Array.from({ length: 200 }, (_, at) => (at * 37) % 251))]));
  }
}
const TEXTS = ["ab abc \"ab\" (a-b), ab.\n", "😀 é e\u0301 日本\r\nab\0", "   a  b\t\n"];
for (const [index, text] of TEXTS.entries()) {
  for (const kind of [0, 1, 2, 3, 4]) {
    const settings = kind === 2 || kind === 3 || kind === 4 ? [kind, 9, 0, index] : [kind, index];
    keep("tokenizer", `text-${kind}-${index}`, Buffer.concat([Buffer.from(settings), Buffer.from(text), Buffer.from([0xff]), Buffer.from("ab [MASK] ?"), Buffer.from([0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9])]));
  }
}
for (const [task, data] of [DATA.text, DATA.text, DATA.labels, DATA.pairs, DATA.sequences].entries()) {
  for (const kind of [0, 1, 4]) {
    const settings = [task, 2, 0, kind, ...(kind === 4 ? [9, 0] : []), 1, 0, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8];
    keep("rows", `data-${task}-${kind}`, Buffer.concat([Buffer.from(settings), Buffer.from(JSON.stringify(data))]));
    const cells = "\x60a b\xff\x20\x60b\xff\x21\x61ab\xff\x62\x22".repeat(4);
    keep("rows", `cells-${task}-${kind}`, Buffer.concat([Buffer.from(settings), Buffer.from(cells, "latin1")]));
  }
}
