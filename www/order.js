// From the page's settings to what the package is asked to do.
import { TOKENIZERS } from "./tasks.js";

/** @typedef {import("./state.js").Settings} Settings */
/** @typedef {import("./data.js").DataSet} DataSet */
/** @typedef {import("synthattn").ModelSpec} ModelSpec */
/** @typedef {import("./lab.js").Order} Order */

/**
 * @param {Settings} settings
 * @param {DataSet} data
 * @param {string} hash
 * @returns {Order}
 */
export function orderFrom(settings, data, hash) {
  const { steps, batch, rate, warmup, schedule, validation } = settings;
  return {
    specs: settings.kinds.map((kind) => specFrom(settings, kind)),
    data,
    options: {
      steps,
      batch,
      learningRate: rate,
      warmup,
      // Rows come in two parts already.
      validation: data.text === "" ? 0 : validation,
      optimizer: "adamw",
      schedule: /** @type {"constant" | "cosine" | "linear"} */ (schedule),
    },
    settings: hash,
  };
}

/** @param {Settings} settings @param {string} kind @returns {ModelSpec} */
function specFrom(settings, kind) {
  const { width, heads, layers, length, dropout, tokenizer, vocabulary, seed, task, options } = settings;
  return {
    task: /** @type {ModelSpec["task"]} */ (task),
    attention: /** @type {ModelSpec["attention"]} */ ({ kind, ...options[kind] }),
    dModel: width,
    heads,
    layers,
    maxLength: length,
    dropout,
    seed,
    tokenizer: /** @type {ModelSpec["tokenizer"]} */ (
      TOKENIZERS[tokenizer].sized ? { kind: tokenizer, vocabulary } : tokenizer
    ),
  };
}

/** The settings that decide a run. */
const DECISIVE = /** @type {const} */ ([
  "kinds",
  "options",
  "task",
  "text",
  "layers",
  "width",
  "heads",
  "length",
  "dropout",
  "tokenizer",
  "vocabulary",
  "steps",
  "batch",
  "rate",
  "warmup",
  "schedule",
  "validation",
  "seed",
]);

/**
 * What decides a run: when it differs from that of the last one, its numbers are another experiment's.
 *
 * @param {Settings} settings
 */
export function runKey(settings) {
  return JSON.stringify(DECISIVE.map((name) => settings[name]));
}
