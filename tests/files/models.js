// Small models of all tasks, and what is asked of them before a file is written and after it is read. What stands here is
// what the files of earlier releases were made with: add to it, and change nothing.

/** @import { Metrics, Model, ModelSpec, TaskName, TrainOptions, TrainingData } from "synthattn" */

/**
 * @typedef {object} Sample
 * @property {string} name of the file
 * @property {ModelSpec} spec
 * @property {TrainingData} data
 * @property {TrainOptions} training
 */

/**
 * What a model says, its numbers and its words.
 *
 * @typedef {{ metrics: Metrics, written?: string, filled?: { token: string, probability: number }[],
 *   classified?: Record<string, number>, translated?: string, attention?: number[] }} Answers
 */

/**
 * @typedef {object} Expected
 * @property {Required<ModelSpec>} spec
 * @property {number} step
 * @property {number} parameterCount
 * @property {string[]} vocabulary
 * @property {string[]} [labels]
 * @property {Answers} answers
 * @property {number} further the loss of the next step
 */

const text = "How doth the little busy bee\nImprove each shining hour,\nAnd gather honey all the day\nFrom every opening flower!\n".repeat(3);
const reviews = ["good and fast", "slow and bad", "fast and cheap", "bad, broken and late", "cheap and good", "late and slow"];
const labelled = reviews.map((text, index) => ({ text, label: index % 2 }));
const pairs = labelled.map(({ text, label }) => ({ text, second: label ? "it was late" : "it was fast", label: label ? "fits" : "else" }));
const turned = ["abc", "cab", "bca", "aab", "cc", "bac"].map((source) => ({ source, target: [...source].reverse().join("") }));

const sizes = { dModel: 12, heads: 2, layers: 1, dFf: 16, maxLength: 16, seed: 11 };

/** Between them: every task, tokenizer, optimizer and kind of position, tied and untied heads. @type {Sample[]} */
export const MODELS = [
  {
    name: "language-model",
    spec: { ...sizes, task: "language-model", attention: "random+vanilla", dropout: 0.1 },
    data: { text },
    training: { steps: 300, batch: 4, learningRate: 0.02 },
  },
  {
    name: "language-model-byte",
    spec: { ...sizes, task: "language-model", attention: "factorized-dense", tokenizer: "byte", positions: "sinusoidal", tieEmbeddings: true },
    data: { text },
    training: { steps: 300, batch: 4, learningRate: 0.5, optimizer: "sgd" },
  },
  {
    name: "masked-language-model",
    spec: { ...sizes, task: "masked-language-model", attention: "linformer", tokenizer: "word" },
    data: { text },
    training: { steps: 300, batch: 4, learningRate: 0.02, optimizer: "adam" },
  },
  {
    name: "classification",
    spec: { ...sizes, task: "classification", attention: "random+dense+vanilla" },
    data: { rows: labelled },
    training: { steps: 15, batch: 4, learningRate: 0.01 },
  },
  {
    name: "pair-classification",
    spec: { ...sizes, task: "pair-classification", attention: "fixed-random", positions: "none" },
    data: { rows: pairs },
    training: { steps: 15, batch: 4, learningRate: 0.01 },
  },
  {
    name: "sequence-to-sequence",
    spec: { ...sizes, dModel: 8, task: "sequence-to-sequence", attention: "lightweight-convolution", tokenizer: { kind: "bpe", vocabulary: 280 } },
    data: { rows: turned },
    training: { steps: 80, batch: 4, learningRate: 0.02 },
  },
];

/** Trains, and gives the losses. @param {Model} model @param {TrainOptions} options */
export async function trained(model, options) {
  /** @type {number[]} */
  const losses = [];
  for await (const { phase, loss } of model.train(options)) if (phase === "training") losses.push(loss);
  return losses;
}

/** @type {Record<TaskName, (model: Model) => Promise<Partial<Answers>>>} */
const ASKED = {
  "language-model": async (model) => {
    let written = "";
    for await (const piece of model.generate("How doth", { maxTokens: 30, temperature: 0 })) written += piece;
    return { written };
  },
  "masked-language-model": async (model) => ({ filled: (await model.fill("the little [MASK] bee"))[0].candidates }),
  classification: async (model) => ({ classified: (await model.classify("cheap and fast")).probabilities }),
  "pair-classification": async (model) => ({ classified: (await model.classify(["slow and bad", "it was late"])).probabilities }),
  "sequence-to-sequence": async (model) => ({ translated: await model.translate("bca", { beams: 2 }) }),
};

/** @type {Record<TaskName, string | [string, string]>} */
const LOOKED_AT = {
  "language-model": "How doth",
  "masked-language-model": "the little busy bee",
  classification: "cheap and fast",
  "pair-classification": ["slow and bad", "it was late"],
  "sequence-to-sequence": ["bca", "acb"],
};

/** @param {Model} model @param {TrainingData} data @returns {Promise<Answers>} */
export async function answersOf(model, data) {
  const { task } = model.spec;
  const metrics = await model.evaluate(data);
  const { weights } = await model.attention(LOOKED_AT[task]);
  return { metrics, ...(await ASKED[task](model)), attention: [...weights.subarray(0, 12)] };
}
