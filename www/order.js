// From the page's settings to what the package is asked to do.

/** @typedef {import("./state.js").Settings} Settings */
/** @typedef {import("synthattn").ModelSpec} ModelSpec */
/** @typedef {import("./lab.js").Order} Order */

/**
 * @param {Settings} settings
 * @param {string} text
 * @param {string} hash
 * @returns {Order}
 */
export function orderFrom(settings, text, hash) {
  const { steps, batch, rate, warmup, schedule, validation } = settings;
  return {
    specs: settings.kinds.map((kind) => specFrom(settings, kind)),
    text,
    options: {
      steps,
      batch,
      learningRate: rate,
      warmup,
      validation,
      optimizer: "adamw",
      schedule: /** @type {"constant" | "cosine" | "linear"} */ (schedule),
    },
    settings: hash,
  };
}

/** @param {Settings} settings @param {string} kind @returns {ModelSpec} */
function specFrom(settings, kind) {
  const { width, heads, layers, length, tokenizer, seed, task, options } = settings;
  return {
    task: /** @type {ModelSpec["task"]} */ (task),
    attention: /** @type {ModelSpec["attention"]} */ ({ kind, ...options[kind] }),
    dModel: width,
    heads,
    layers,
    maxLength: length,
    seed,
    tokenizer: /** @type {ModelSpec["tokenizer"]} */ (tokenizer),
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
  "tokenizer",
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
