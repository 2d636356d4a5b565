// What `npm run quality` trains: settings and targets, and nothing that runs. A group is what the command line can name;
// each of its kinds is one run, "group/kind". What a kind names itself is laid over what the group says.
//
//   data       a name in data.js ("builtin:x" is the set x of the package)
//   spec       of the model, without task (the data's) and attention (the kind)
//   train      options of `train()`
//   limit      seconds of training (`report.seconds`), after which a run is cut
//   metric     the score that the group is about
//   references scores of others on the same data to hold it against, in the units of the table (percent)
//   target     of one run; rules over several runs are in claims.js
//   curve      how often to score during training, evenly over its steps (or over the limit, where that comes first)

/** @typedef {import("synthattn").KindName} KindName */
/** @typedef {import("synthattn").ModelSpec} ModelSpec */
/** @typedef {import("synthattn").TrainOptions} TrainOptions */
/** @typedef {"bitsPerCharacter" | "accuracy" | "exactMatch" | "bleu"} Metric */

/**
 * @typedef {object} Target `atLeast` or `atMost`, in the units of the metric as `evaluate()` gives it
 * @property {number} [atLeast]
 * @property {number} [atMost]
 * @property {number} [hoped] better still, and not demanded
 */

/**
 * What a kind has for itself; `options` are of the kind, as `rank` is.
 *
 * @typedef {{ options?: Record<string, unknown>, spec?: Partial<ModelSpec>, train?: Partial<TrainOptions>, target?: Target }} Own
 */

/**
 * @typedef {object} Group
 * @property {string} name
 * @property {string} title
 * @property {string} data
 * @property {Metric} metric
 * @property {Record<string, number>} [references]
 * @property {string} [note] a sentence for the table
 * @property {number} limit
 * @property {number} [curve]
 * @property {Omit<ModelSpec, "task" | "attention">} spec
 * @property {TrainOptions} train
 * @property {Partial<Record<KindName, Own>>} kinds
 */

const THREE_MINUTES = 180;

/** @type {Omit<ModelSpec, "task" | "attention">} */
const SENTENCE = { dModel: 64, heads: 4, layers: 2, maxLength: 48, dropout: 0.4, tokenizer: "word" };
/** @type {TrainOptions} */
const SENTENCES = { steps: 1600, batch: 32, learningRate: 1e-3, warmup: 100, schedule: "cosine", weightDecay: 0.1 };

/** @type {Omit<ModelSpec, "task" | "attention">} */
const LETTERS = { dModel: 64, heads: 4, layers: 2, maxLength: 16, tokenizer: "character" };
/** @type {TrainOptions} */
const LETTER_ROWS = { steps: 1500, batch: 32, learningRate: 2e-3, warmup: 100, schedule: "cosine", weightDecay: 0.01 };

/** @type {Group[]} */
export const GROUPS = [
  {
    name: "shakespeare",
    title: "Tiny Shakespeare by characters",
    data: "tinyshakespeare",
    metric: "bitsPerCharacter",
    references: { "a 6-gram model": 2.3, "nanoGPT's small run on a CPU": 2.71, "a plain Burn program on its training text": 2.5 },
    limit: THREE_MINUTES,
    // A narrow model sees three times the text in the same time, which counts for more here than its width.
    spec: { dModel: 64, heads: 4, layers: 2, maxLength: 64, tokenizer: "character" },
    train: { steps: 6000, batch: 16, learningRate: 8e-3, warmup: 100, schedule: "cosine", weightDecay: 0.01 },
    // Cut at the limit: a schedule that ended in time came out 0.04 bits worse.
    kinds: { "random+vanilla": { target: { atMost: 2.5, hoped: 2.35 } }, vanilla: {}, random: {}, dense: {} },
  },
  {
    name: "rt-polarity",
    title: "Sentence polarity (rt-polarity)",
    data: "rt-polarity",
    metric: "accuracy",
    references: { "a linear model": 77.4 },
    limit: THREE_MINUTES,
    spec: SENTENCE,
    train: SENTENCES,
    kinds: { dense: {}, random: {}, "factorized-random": {}, "random+vanilla": {}, vanilla: {} },
  },
  {
    name: "trec",
    title: "TREC questions, six coarse classes",
    data: "trec",
    metric: "accuracy",
    references: { "the reference": 85.1 },
    limit: THREE_MINUTES,
    spec: { ...SENTENCE, dModel: 128, maxLength: 32 },
    train: { ...SENTENCES, steps: 1400 },
    kinds: { dense: {}, random: {}, "factorized-random": {}, "random+vanilla": {}, vanilla: {} },
  },
  {
    name: "ag-news",
    title: "AG News, four classes, trained on 4,906 rows",
    data: "ag_news",
    metric: "accuracy",
    references: { "the reference": 87.2 },
    limit: THREE_MINUTES,
    spec: SENTENCE,
    train: { ...SENTENCES, steps: 1000 },
    kinds: { dense: {}, random: {}, "factorized-random": {}, "random+vanilla": {}, vanilla: {} },
  },
  {
    name: "sick",
    title: "SICK, entailment of sentence pairs",
    data: "sick",
    metric: "accuracy",
    references: { "the reference": 82.4 },
    limit: THREE_MINUTES,
    spec: { ...SENTENCE, dropout: 0.1 },
    train: SENTENCES,
    kinds: { vanilla: {}, "random+vanilla": {}, "dense+vanilla": {}, random: {}, dense: {} },
  },
  {
    name: "entailment",
    title: "Built-in \"entailment\"",
    data: "builtin:entailment",
    metric: "accuracy",
    limit: THREE_MINUTES,
    spec: { ...SENTENCE, maxLength: 32, dropout: 0 },
    train: { ...SENTENCES, steps: 3000, learningRate: 1.5e-3, weightDecay: 0.01 },
    kinds: { vanilla: {}, "random+vanilla": {}, "dense+vanilla": {}, random: {}, dense: {} },
  },
  {
    name: "numbers",
    title: "Built-in \"numbers\", figures to words",
    data: "builtin:numbers",
    metric: "exactMatch",
    limit: THREE_MINUTES,
    spec: { ...LETTERS, maxLength: 56 },
    train: { ...LETTER_ROWS, steps: 1200, learningRate: 3e-3 },
    kinds: {
      "random+vanilla": { target: { atLeast: 0.95 } },
      vanilla: { target: { atLeast: 0.95 } },
      random: { target: { atLeast: 0.95 } },
    },
  },
  {
    name: "copy",
    title: "Built-in \"copy\"",
    data: "builtin:copy",
    metric: "exactMatch",
    limit: THREE_MINUTES,
    spec: LETTERS,
    train: LETTER_ROWS,
    kinds: { random: { target: { atLeast: 0.99 } } },
  },
  {
    name: "reverse",
    title: "Built-in \"reverse\"",
    data: "builtin:reverse",
    metric: "exactMatch",
    limit: THREE_MINUTES,
    spec: LETTERS,
    train: LETTER_ROWS,
    kinds: { random: { target: { atLeast: 0.99 } } },
  },
  {
    name: "recall",
    title: "Built-in \"recall\", a value by its key",
    data: "builtin:recall",
    metric: "accuracy",
    limit: THREE_MINUTES,
    spec: { dModel: 64, heads: 4, layers: 2, maxLength: 12, tokenizer: "word" },
    train: { steps: 1000, batch: 64, learningRate: 2e-3, warmup: 100, schedule: "cosine", weightDecay: 0.01 },
    kinds: { vanilla: { target: { atLeast: 0.95 } }, "random+vanilla": { target: { atLeast: 0.95 } }, random: {} },
  },
  {
    name: "multi30k",
    title: "Multi30k, English to German",
    data: "multi30k-en-de",
    metric: "bleu",
    note: "The kind is that of the encoder's and of the decoder's self-attention. No target: shown as it is.",
    limit: 300,
    curve: 5,
    spec: { dModel: 128, heads: 4, layers: 2, maxLength: 48, dropout: 0.1, tokenizer: { kind: "word", vocabulary: 4000 } },
    train: { steps: 800, batch: 32, learningRate: 1e-3, warmup: 100, schedule: "cosine", weightDecay: 0.01 },
    kinds: { vanilla: {}, random: {}, "random+vanilla": {} },
  },
];
