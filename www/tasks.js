// What the page knows of each task, as a table: what its data looks like, what is scored and shown, and where its
// settings begin. Names, labels and built-in data come from the package's own table.

/** @typedef {import("synthattn").Metrics} Metrics */
/** @typedef {import("synthattn").KindInfo} KindInfo */
/**
 * @typedef {{ text?: string, second?: string, label?: string | number, source?: string, target?: string }} Row
 */

/**
 * What data is made of.
 *
 * @typedef {object} Shape
 * @property {(keyof Row)[]} input fields that a model reads; none for running text
 * @property {keyof Row} [answer] the field it has to give
 * @property {boolean} [classes] whether the answer is one of a few labels
 */

/** @type {Record<string, Shape>} */
export const SHAPES = {
  text: { input: [] },
  labelled: { input: ["text"], answer: "label", classes: true },
  pairs: { input: ["text", "second"], answer: "label", classes: true },
  translated: { input: ["source"], answer: "target" },
};

/**
 * A number that tells how good a model is.
 *
 * @typedef {object} Score
 * @property {string} name of its messages
 * @property {"bitsPerCharacter" | "accuracy" | "f1" | "exactMatch" | "bleu" | "perplexity"} metric
 * @property {"bits" | "share" | "points"} format
 * @property {1 | -1} better whether more or less of it is better
 * @property {string} [baseline] who reaches `metrics.baseline`: names the message that calls it by name
 */

/** @type {Score[]} */
const SCORES = [
  { name: "bits", metric: "bitsPerCharacter", format: "bits", better: -1 },
  { name: "guesses", metric: "accuracy", format: "share", better: 1, baseline: "commonToken" },
  { name: "perplexity", metric: "perplexity", format: "points", better: -1 },
  { name: "accuracy", metric: "accuracy", format: "share", better: 1, baseline: "commonest" },
  { name: "f1", metric: "f1", format: "share", better: 1, baseline: "commonest" },
  { name: "exactMatch", metric: "exactMatch", format: "share", better: 1, baseline: "copy" },
  { name: "bleu", metric: "bleu", format: "points", better: 1, baseline: "copy" },
];

/**
 * Settings that begin elsewhere for every task and set of data.
 *
 * @typedef {object} Defaults
 * @property {number} layers @property {number} width @property {number} heads @property {number} length
 * @property {number} dropout
 * @property {string} tokenizer @property {number} vocabulary
 * @property {number} steps @property {number} batch @property {number} rate @property {number} warmup
 * @property {string} schedule
 * @property {number} validation
 */

/**
 * Texts in the boxes below the race. An empty one is filled with a row of the test data.
 *
 * @typedef {{ prompt: string, second: string, look: string, lookSecond: string }} Texts
 */

/** @type {(keyof Texts)[]} */
export const TEXTS = ["prompt", "second", "look", "lookSecond"];

/**
 * @typedef {object} Special
 * @property {string[]} [scores]
 * @property {Partial<Defaults>} [defaults]
 * @property {Partial<Texts>} [texts]
 * @property {string} [language] that it is in: a page in this language offers it first
 */

/**
 * @typedef {object} Task
 * @property {string} shape of its data
 * @property {boolean} [decodes] whether it writes token after token, so that kinds must be able to hide the future
 * @property {string[]} tokenizers
 * @property {string[]} scores of `SCORES`: the table's column, then what stands below it in small
 * @property {number} quick test rows scored while training goes on
 * @property {string[]} tested views of the test rows
 * @property {string} answers the view of the box to try something in
 * @property {string[]} look the messages that name the boxes of texts to look inside of
 * @property {string[]} parts of the model that have attention maps, the first shown first
 * @property {Defaults} defaults
 * @property {Texts} texts
 * @property {Record<string, Special>} sets what is different for some sets of data
 */

/** @type {Defaults} */
const USUAL = {
  layers: 2,
  width: 64,
  heads: 4,
  length: 32,
  dropout: 0,
  tokenizer: "character",
  vocabulary: 2000,
  steps: 2000,
  batch: 8,
  rate: 3e-3,
  warmup: 100,
  schedule: "cosine",
  validation: 0.1,
};

/** Reading whole texts at once: words, and dropout against learning the few rows by heart. */
const READING = {
  ...USUAL,
  layers: 1,
  length: 48,
  dropout: 0.3,
  tokenizer: "word",
  vocabulary: 8000,
  steps: 300,
  batch: 32,
  rate: 2e-3,
  warmup: 30,
};

/** A few letters to a few letters. */
const WRITING = { ...USUAL, length: 12, steps: 500, batch: 32, warmup: 50 };

/** Puzzles made by a rule: their rows are too many to be learned by heart. */
const PUZZLE = { length: 16, dropout: 0, steps: 800, rate: 3e-3, warmup: 60 };

/** @type {Texts} */
const EXAMPLES = { prompt: "", second: "", look: "", lookSecond: "" };

/** @type {Record<string, Task>} */
export const TASKS = {
  "language-model": {
    shape: "text",
    decodes: true,
    tokenizers: ["character", "byte", "bpe"],
    scores: ["bits"],
    quick: 0,
    tested: [],
    answers: "speak",
    look: ["inside.text"],
    parts: [],
    defaults: USUAL,
    texts: { ...EXAMPLES, prompt: "The whale ", look: "It was the white whale." },
    sets: {
      "song-ci": { language: "zh-Hans", texts: { prompt: "浣溪沙\n", look: "明月几时有。把酒问青天。" } },
      "first-names": { defaults: { length: 16 }, texts: { prompt: "Mar", look: "Marianne" } },
    },
  },
  "masked-language-model": {
    shape: "text",
    tokenizers: ["word", "character"],
    scores: ["guesses", "perplexity"],
    quick: 0,
    tested: [],
    answers: "fill",
    look: ["inside.text"],
    parts: [],
    defaults: { ...USUAL, layers: 1, tokenizer: "word", vocabulary: 1000, batch: 32, steps: 1000 },
    // As long as the windows of training, nearly: a short sentence is none that the model has seen.
    texts: {
      ...EXAMPLES,
      prompt:
        "Having little or no money in my purse, and nothing particular to interest me on shore, I [MASK] I would sail about a little and see [MASK] watery part",
      look: "Having little or no money in my purse, and nothing particular to interest me on shore",
    },
    sets: {},
  },
  classification: {
    shape: "labelled",
    tokenizers: ["word", "character", "bpe"],
    scores: ["accuracy", "f1"],
    quick: 300,
    tested: ["predictions", "confusion"],
    answers: "classify",
    look: ["inside.text"],
    parts: [],
    defaults: READING,
    texts: EXAMPLES,
    sets: {
      topics: { defaults: { length: 32, steps: 500 } },
      recall: { defaults: PUZZLE },
      lookup: { defaults: { ...PUZZLE, steps: 1600 } },
    },
  },
  "pair-classification": {
    shape: "pairs",
    tokenizers: ["word", "character", "bpe"],
    scores: ["accuracy", "f1"],
    quick: 300,
    tested: ["predictions", "confusion"],
    answers: "classifyPair",
    look: ["inside.first", "inside.second"],
    parts: [],
    // Larger batches, so that a model soon leaves the plateau on which it knows nothing yet.
    defaults: { ...READING, dropout: 0.1, batch: 64, steps: 1000, rate: 3e-3, warmup: 100 },
    texts: EXAMPLES,
    sets: { entailment: { defaults: { length: 24, dropout: 0 } } },
  },
  "sequence-to-sequence": {
    shape: "translated",
    decodes: true,
    tokenizers: ["character", "word", "bpe"],
    scores: ["exactMatch", "bleu"],
    quick: 64,
    tested: ["predictions"],
    answers: "translate",
    look: ["inside.source", "inside.target"],
    parts: ["cross", "encoder", "decoder"],
    defaults: WRITING,
    texts: EXAMPLES,
    sets: {
      // Targets of one word have no runs of words to compare.
      copy: { scores: ["exactMatch"] },
      reverse: { scores: ["exactMatch"] },
      shift: { scores: ["exactMatch"] },
      sort: { scores: ["exactMatch"], defaults: { steps: 800 } },
      numbers: { defaults: { length: 56, steps: 600 } },
      dates: { scores: ["exactMatch"], defaults: { length: 40, steps: 800 } },
      emoji: { scores: ["bleu", "exactMatch"], defaults: { length: 56, steps: 1000 } },
    },
  },
};

/**
 * How a text is cut into tokens, and whether it has a size to choose.
 *
 * @type {Record<string, { sized: boolean, unit: "character" | "word" }>}
 */
export const TOKENIZERS = {
  character: { sized: false, unit: "character" },
  byte: { sized: false, unit: "character" },
  word: { sized: true, unit: "word" },
  bpe: { sized: true, unit: "word" },
};

/** @param {string} task */
export function shapeOf(task) {
  return SHAPES[TASKS[task].shape];
}

/**
 * The settings that a task and its data begin with.
 *
 * @param {string} task
 * @param {string} set
 * @returns {Defaults}
 */
export function defaultsOf(task, set) {
  const { defaults, sets } = TASKS[task];
  return { ...defaults, ...sets[set]?.defaults };
}

/** What stands in the boxes at first. @param {string} task @param {string} set @returns {Texts} */
export function textsOf(task, set) {
  const { texts, sets } = TASKS[task];
  return { ...texts, ...sets[set]?.texts };
}

/** What tells how good a model is, the main score first. @param {string} task @param {string} set */
export function scoresOf(task, set) {
  const { scores, sets } = TASKS[task];
  const names = sets[set]?.scores ?? scores;
  return names.map((wanted) => /** @type {Score} */ (SCORES.find(({ name }) => name === wanted)));
}

/**
 * Whether a kind can do a task: where text is written, it must be able to hide the future.
 *
 * @param {KindInfo} kind
 * @param {string} task
 */
export function canDo(kind, task) {
  return kind.causal || !TASKS[task].decodes;
}

/** What a model reads of a row. @param {Row} row @param {Shape} shape */
export function inputOf(row, { input }) {
  return input.map((field) => String(row[field] ?? ""));
}

/** What it has to give. @param {Row} row @param {Shape} shape */
export function answerOf(row, { answer }) {
  return answer === undefined ? "" : String(row[answer] ?? "");
}
