// The nine findings as experiments. Data alone: what is trained on what, how long, how often, and what a paper says of it.
// Margins were decided before anything was run, each for the reason that stands beside it.

/** @import { Comparison, Experiment, Scale, Setup } from "./contract.js" */

/** @param {number} count */
const seeds = (count) => Array.from({ length: count }, (_, index) => index + 1);

/**
 * How long, how often, and from how many seeds.
 *
 * @param {number} steps
 * @param {number} checkpoints
 * @param {{ steps: number, checkpoints: number }} quick
 * @returns {Setup["scale"]}
 */
const lasting = (steps, checkpoints, quick, count = 5) => ({
  full: { steps, checkpoints, seeds: seeds(count) },
  quick: { ...quick, seeds: seeds(3) },
});

/**
 * A novel by characters. Bits per character without looking at anything but how often which character occurs: 4.39.
 *
 * @type {Pick<Setup, "task" | "builtin" | "spec" | "train" | "metric" | "better" | "chance">}
 */
const NOVEL = {
  task: "language-model",
  builtin: "moby-dick",
  spec: { dModel: 64, heads: 4, layers: 2, maxLength: 32, tokenizer: "character" },
  // Constant after its warm-up, so that the model at every checkpoint is one that could have been stopped there.
  train: { batch: 16, learningRate: 3e-3, warmup: 100, schedule: "constant" },
  metric: "bitsPerCharacter",
  better: -1,
  chance: 4.39,
};

/** Reading whole texts at once. @type {Pick<Setup, "task" | "train" | "metric" | "better"> & { spec: Setup["spec"] }} */
const READING = {
  task: "classification",
  spec: { dModel: 64, heads: 4, layers: 1, maxLength: 48, tokenizer: "word", dropout: 0.3 },
  train: { batch: 32, learningRate: 2e-3, warmup: 30, schedule: "constant" },
  metric: "accuracy",
  better: 1,
};

/** Letters to letters. @type {Pick<Setup, "task" | "train" | "metric" | "better"> & { spec: Setup["spec"] }} */
const WRITING = {
  task: "sequence-to-sequence",
  spec: { dModel: 64, heads: 4, layers: 2, maxLength: 16, tokenizer: "character" },
  train: { batch: 32, learningRate: 2e-3, warmup: 50, schedule: "constant" },
  metric: "exactMatch",
  better: 1,
};

/** Arms that are named by their kind. @param {...import("synthattn").KindName} kinds */
const plain = (...kinds) => kinds.map((attention) => ({ id: attention, attention }));

/**
 * @param {string} setup @param {string} arm @param {Comparison["says"]} says @param {string} against @param {number} margin
 * @param {Comparison["view"]} [view]
 * @returns {Comparison}
 */
const says = (setup, arm, says, against, margin, view = "steps") => ({ setup, arm, against, says, margin, view });

/** @type {Experiment[]} */
export const EXPERIMENTS = [
  {
    id: "tables",
    number: 1,
    setups: [
      {
        ...NOVEL,
        id: "novel",
        arms: plain("vanilla", "random", "fixed-random"),
        scale: lasting(1200, 6, { steps: 300, checkpoints: 3 }),
      },
    ],
    claims: [
      { ...says("novel", "random", "no-worse", "vanilla", 0.1), id: "near", why: "about 4% of the bits that such a model reaches; the paper's losses differ by 1.7% (LM1B) and 5.7% (C4)" },
      { ...says("novel", "random", "better", "fixed-random", 0), id: "fixed", why: "any difference that is one" },
      { ...says("novel", "fixed-random", "better", "chance", 1), id: "far", why: "a bit of about four: half the probability, at every character" },
    ],
    predictions: ["near", "worse", "useless"],
    right: {
      near: [says("novel", "random", "no-worse", "vanilla", 0.1), says("novel", "fixed-random", "better", "chance", 1)],
      worse: [says("novel", "vanilla", "better", "random", 0.1)],
      useless: [says("novel", "fixed-random", "no-worse", "chance", 0), says("novel", "chance", "no-worse", "fixed-random", 1)],
    },
    published: [
      { source: "wmt", arm: "vanilla", value: 27.67, better: 1 },
      { source: "wmt", arm: "random", value: 27.27, better: 1 },
      { source: "wmt", arm: "fixed-random", value: 23.89, better: 1 },
      { source: "lm1b", arm: "vanilla", value: 38.21, better: -1 },
      { source: "lm1b", arm: "random", value: 40.6, better: -1 },
      { source: "c4", arm: "vanilla", value: 1.865, better: -1 },
      { source: "c4", arm: "random", value: 1.972, better: -1 },
      { source: "narang", arm: "vanilla", value: 1.838, better: -1 },
      { source: "narang", arm: "random", value: 2.009, better: -1 },
      { source: "rouge", arm: "vanilla", value: 13.38, better: 1 },
      { source: "rouge", arm: "random", value: 15, better: 1 },
      { source: "meteor", arm: "vanilla", value: 5.89, better: 1 },
      { source: "meteor", arm: "random", value: 6.42, better: 1 },
    ],
  },
  {
    id: "mixtures",
    number: 2,
    setups: [
      {
        ...NOVEL,
        id: "novel",
        arms: [
          ...plain("vanilla", "random+vanilla", "dense+vanilla"),
          { id: "wide-as-random", attention: "vanilla", sized: "random+vanilla" },
          { id: "wide-as-dense", attention: "vanilla", sized: "dense+vanilla" },
        ],
        scale: lasting(900, 5, { steps: 200, checkpoints: 4 }),
      },
    ],
    claims: [
      { ...says("novel", "random+vanilla", "no-worse", "vanilla", 0.02), id: "random", why: "less than 1% of the bits that such a model reaches: the paper's Dense+Vanilla is 0.4% behind in BLEU and called as good" },
      { ...says("novel", "dense+vanilla", "no-worse", "vanilla", 0.02), id: "dense", why: "as above" },
      { ...says("novel", "random+vanilla", "no-worse", "wide-as-random", 0.02), id: "randomSized", why: "as above" },
      { ...says("novel", "dense+vanilla", "no-worse", "wide-as-dense", 0.02), id: "denseSized", why: "as above" },
    ],
    predictions: ["both", "steps", "neither"],
    right: {
      both: [says("novel", "random+vanilla", "no-worse", "vanilla", 0.02), says("novel", "random+vanilla", "no-worse", "wide-as-random", 0.02)],
      steps: [says("novel", "random+vanilla", "no-worse", "vanilla", 0.02), says("novel", "wide-as-random", "better", "random+vanilla", 0.02)],
      neither: [says("novel", "vanilla", "better", "random+vanilla", 0.02)],
    },
    published: [
      { source: "wmt", arm: "vanilla", value: 27.67, better: 1 },
      { source: "wmt", arm: "random+vanilla", value: 28.47, better: 1 },
      { source: "wmt", arm: "dense+vanilla", value: 27.57, better: 1 },
      { source: "lm1b", arm: "vanilla", value: 38.21, better: -1 },
      { source: "lm1b", arm: "dense+vanilla", value: 37.27, better: -1 },
      { source: "c4", arm: "vanilla", value: 1.865, better: -1 },
      { source: "c4", arm: "random+vanilla", value: 1.849, better: -1 },
      { source: "rouge", arm: "vanilla", value: 13.38, better: 1 },
      { source: "rouge", arm: "dense+vanilla", value: 14.22, better: 1 },
      { source: "meteor", arm: "vanilla", value: 5.89, better: 1 },
      { source: "meteor", arm: "dense+vanilla", value: 6.32, better: 1 },
      { source: "narang", arm: "vanilla", value: 1.838, better: -1 },
      { source: "narang", arm: "random+vanilla", value: 1.828, better: -1 },
      { source: "narang", arm: "dense+vanilla", value: 1.828, better: -1 },
      { source: "glue", arm: "vanilla", value: 83.5, better: 1 },
      { source: "glue", arm: "random+vanilla", value: 84.1, better: 1 },
      { source: "superglue", arm: "vanilla", value: 70.3, better: 1 },
      { source: "superglue", arm: "random+vanilla", value: 72.2, better: 1 },
    ],
  },
  {
    id: "pairs",
    number: 3,
    setups: [
      {
        ...READING,
        id: "pairs",
        task: "pair-classification",
        builtin: "entailment",
        spec: { ...READING.spec, maxLength: 24, dropout: 0 },
        train: { batch: 64, learningRate: 3e-3, warmup: 100, schedule: "constant" },
        chance: 0.5,
        arms: plain("vanilla", "random", "dense", "dense+vanilla"),
        scale: lasting(800, 8, { steps: 400, checkpoints: 4 }),
      },
      {
        ...READING,
        id: "single",
        builtin: "topics",
        spec: { ...READING.spec, maxLength: 32 },
        arms: plain("vanilla", "random", "dense"),
        scale: lasting(300, 6, { steps: 150, checkpoints: 4 }),
      },
    ],
    claims: [
      { ...says("pairs", "vanilla", "better", "random", 0.1), id: "pairsRandom", why: "10 points: a fifth of what lies between guessing and knowing" },
      { ...says("pairs", "vanilla", "better", "dense", 0.1), id: "pairsDense", why: "as above" },
      { ...says("single", "random", "no-worse", "vanilla", 0.02), id: "singleRandom", why: "2 points: more than seeds differ by, and less than anyone would call a failure" },
      { ...says("single", "dense", "no-worse", "vanilla", 0.02), id: "singleDense", why: "as above" },
    ],
    predictions: ["pairs", "both", "neither"],
    right: {
      pairs: [says("pairs", "vanilla", "better", "random", 0.1), says("single", "random", "no-worse", "vanilla", 0.02)],
      both: [says("pairs", "vanilla", "better", "random", 0.1), says("single", "vanilla", "better", "random", 0.02)],
      neither: [says("pairs", "random", "no-worse", "vanilla", 0.1), says("single", "random", "no-worse", "vanilla", 0.02)],
    },
    published: [],
  },
  {
    id: "alignments",
    number: 4,
    setups: [
      {
        ...WRITING,
        id: "reverse",
        builtin: "reverse",
        arms: plain("vanilla", "random"),
        scale: lasting(500, 5, { steps: 300, checkpoints: 3 }),
      },
      {
        ...READING,
        id: "recall",
        builtin: "recall",
        spec: { dModel: 64, heads: 4, layers: 2, maxLength: 12, tokenizer: "word" },
        train: { batch: 64, learningRate: 3e-3, warmup: 100, schedule: "constant" },
        chance: 0.2367,
        arms: plain("vanilla", "random", "dense", "random+vanilla"),
        scale: lasting(600, 6, { steps: 350, checkpoints: 5 }),
      },
    ],
    claims: [
      { ...says("reverse", "random", "no-worse", "vanilla", 0.02), id: "reverse", why: "2 of 100 words: both are to solve it" },
      { ...says("recall", "vanilla", "better", "random", 0.3), id: "recall", why: "30 points, of the 76 between what can be had without comparing tokens and knowing" },
    ],
    predictions: ["lookup", "both", "neither"],
    right: {
      lookup: [says("reverse", "random", "no-worse", "vanilla", 0.02), says("recall", "vanilla", "better", "random", 0.3)],
      both: [says("reverse", "vanilla", "better", "random", 0.02), says("recall", "vanilla", "better", "random", 0.3)],
      neither: [says("reverse", "random", "no-worse", "vanilla", 0.02), says("recall", "random", "no-worse", "vanilla", 0.3)],
    },
    published: [],
  },
  {
    id: "speed",
    number: 5,
    setups: [
      {
        ...NOVEL,
        id: "novel",
        spec: { ...NOVEL.spec, maxLength: 64 },
        train: { ...NOVEL.train, batch: 8 },
        arms: plain("vanilla", "random", "dynamic-convolution"),
        scale: lasting(700, 7, { steps: 200, checkpoints: 5 }),
      },
    ],
    claims: [
      { ...says("novel", "random", "better", "vanilla", 0, "speed"), id: "vanilla", why: "any difference that is one; the paper's is 9%" },
      { ...says("novel", "random", "better", "dynamic-convolution", 0, "speed"), id: "dynamic", why: "any difference that is one; the paper's is 61%" },
    ],
    predictions: ["gains", "even", "loses"],
    right: {
      gains: [says("novel", "random", "better", "vanilla", 0, "time")],
      even: [says("novel", "random", "close", "vanilla", 0.02, "time")],
      loses: [says("novel", "vanilla", "better", "random", 0, "time")],
    },
    published: [
      { source: "c4Speed", arm: "vanilla", value: 3.9, better: 1 },
      { source: "c4Speed", arm: "random", value: 4.26, better: 1 },
      { source: "c4Speed", arm: "dynamic-convolution", value: 2.65, better: 1 },
      { source: "c4", arm: "vanilla", value: 1.865, better: -1 },
      { source: "c4", arm: "random", value: 1.972, better: -1 },
      { source: "c4", arm: "dynamic-convolution", value: 2.04, better: -1 },
      { source: "narangSpeed", arm: "vanilla", value: 3.5, better: 1 },
      { source: "narangSpeed", arm: "random", value: 4.08, better: 1 },
      { source: "narangSpeed", arm: "dynamic-convolution", value: 2.65, better: 1 },
    ],
  },
  {
    id: "heads",
    number: 6,
    setups: [
      {
        ...NOVEL,
        id: "novel",
        arms: /** @type {const} */ (["vanilla", "random", "dense"]).flatMap((attention) => [1, 8].map((heads) => ({ id: `${attention}-${heads}`, attention, spec: { heads } }))),
        scale: lasting(800, 3, { steps: 150, checkpoints: 3 }),
      },
    ],
    claims: [
      { ...says("novel", "random-8", "better", "random-1", 0), beyond: { arm: "vanilla-8", against: "vanilla-1" }, id: "random", why: "any difference that is one: nothing is said of how much more" },
      { ...says("novel", "dense-8", "better", "dense-1", 0), beyond: { arm: "vanilla-8", against: "vanilla-1" }, id: "dense", why: "as above" },
    ],
    predictions: ["more", "same", "less"],
    right: {
      more: [{ ...says("novel", "random-8", "better", "random-1", 0), beyond: { arm: "vanilla-8", against: "vanilla-1" } }],
      same: [{ ...says("novel", "random-8", "close", "random-1", 0.02), beyond: { arm: "vanilla-8", against: "vanilla-1" } }],
      less: [{ ...says("novel", "vanilla-8", "better", "vanilla-1", 0), beyond: { arm: "random-8", against: "random-1" } }],
    },
    published: [],
  },
  {
    id: "weights",
    number: 7,
    setups: [
      {
        ...NOVEL,
        id: "novel",
        watch: { text: "It was the white whale, and he s", bins: 50, nearest: 4, films: ["random"] },
        arms: plain("vanilla", "random", "dense"),
        scale: lasting(1200, 8, { steps: 300, checkpoints: 6 }, 3),
      },
    ],
    claims: [{ ...says("novel", "random", "better", "random", 0.1, "near"), id: "local", why: "a tenth of all attention, moved to the nearest tokens" }],
    predictions: ["windows", "spread"],
    right: {
      windows: [says("novel", "random", "better", "random", 0.1, "near")],
      spread: [says("novel", "random", "close", "random", 0.1, "near")],
    },
    published: [],
  },
  {
    id: "reading",
    number: 8,
    setups: [
      {
        ...READING,
        id: "topics",
        builtin: "topics",
        spec: { ...READING.spec, maxLength: 32 },
        arms: plain("vanilla", "linformer", "factorized-random", "factorized-random+vanilla"),
        scale: lasting(400, 8, { steps: 150, checkpoints: 5 }),
      },
      {
        ...READING,
        id: "sentiment",
        builtin: "sentiment",
        arms: plain("vanilla", "linformer", "factorized-random", "factorized-random+vanilla"),
        scale: lasting(400, 8, { steps: 150, checkpoints: 5 }),
      },
    ],
    claims: [
      { ...says("topics", "factorized-random", "no-worse", "linformer", 0.01), id: "topics", why: "a point: the paper's two are 0.03 apart on AG News, and others there 2 to 3" },
      { ...says("sentiment", "factorized-random", "no-worse", "linformer", 0.01), id: "sentiment", why: "as above; the paper's two are 0.53 apart on Movie Reviews" },
      { ...says("topics", "factorized-random+vanilla", "no-worse", "vanilla", 0.01), id: "topicsMixture", why: "as above" },
      { ...says("sentiment", "factorized-random+vanilla", "no-worse", "vanilla", 0.01), id: "sentimentMixture", why: "as above" },
      { ...says("topics", "vanilla", "better", "factorized-random+vanilla", 0, "speed"), id: "slower", why: "any difference that is one; the paper's is 36%" },
    ],
    predictions: ["mixture", "factorized", "alike"],
    right: {
      mixture: [says("topics", "factorized-random+vanilla", "better", "vanilla", 0), says("sentiment", "factorized-random+vanilla", "better", "vanilla", 0)],
      factorized: [says("topics", "factorized-random", "better", "linformer", 0), says("sentiment", "factorized-random", "better", "linformer", 0)],
      alike: ["topics", "sentiment"].flatMap((setup) => ["linformer", "factorized-random", "factorized-random+vanilla"].map((arm) => says(setup, arm, "close", "vanilla", 0.02))),
    },
    published: [
      { source: "agNews", arm: "vanilla", value: 88.83, better: 1 },
      { source: "agNews", arm: "linformer", value: 86.5, better: 1 },
      { source: "agNews", arm: "factorized-random", value: 86.53, better: 1 },
      { source: "agNews", arm: "factorized-random+vanilla", value: 89.13, better: 1 },
      { source: "movieReviews", arm: "vanilla", value: 81.34, better: 1 },
      { source: "movieReviews", arm: "linformer", value: 82.86, better: 1 },
      { source: "movieReviews", arm: "factorized-random", value: 83.39, better: 1 },
      { source: "movieReviews", arm: "factorized-random+vanilla", value: 84.61, better: 1 },
      { source: "readingSpeed", arm: "vanilla", value: 1.09, better: 1 },
      { source: "readingSpeed", arm: "linformer", value: 1.09, better: 1 },
      { source: "readingSpeed", arm: "factorized-random", value: 1.1, better: 1 },
      { source: "readingSpeed", arm: "factorized-random+vanilla", value: 0.8, better: 1 },
    ],
  },
  {
    id: "cross",
    number: 9,
    setups: [
      {
        ...WRITING,
        id: "dates",
        builtin: "dates",
        spec: { ...WRITING.spec, maxLength: 40 },
        arms: [
          { id: "dot", attention: "vanilla" },
          { id: "table", attention: "vanilla", cross: "random" },
        ],
        scale: lasting(900, 6, { steps: 450, checkpoints: 3 }),
      },
      {
        ...WRITING,
        id: "shift",
        builtin: "shift",
        arms: [
          { id: "dot", attention: "vanilla" },
          { id: "table", attention: "vanilla", cross: "random" },
        ],
        scale: lasting(400, 4, { steps: 250, checkpoints: 2 }),
      },
    ],
    claims: [{ ...says("dates", "dot", "better", "table", 0.2), id: "fails", why: "20 of 100 dates: a failure that nobody could miss" }],
    predictions: ["fails", "aligned", "works"],
    right: {
      fails: [says("dates", "dot", "better", "table", 0.2), says("shift", "dot", "better", "table", 0.2)],
      aligned: [says("dates", "dot", "better", "table", 0.2), says("shift", "table", "no-worse", "dot", 0.02)],
      works: [says("dates", "table", "no-worse", "dot", 0.02)],
    },
    published: [],
  },
];

/** @param {string} id */
export function experimentBy(id) {
  return EXPERIMENTS.find((experiment) => experiment.id === id);
}
