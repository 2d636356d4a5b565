// Calls that must fail, with the error that each must give. Runs in Node and in a page, on either device.

/** @import { Engine, Model, ModelSpec, TrainOptions } from "synthattn" */

/**
 * @typedef {object} Place
 * @property {Engine} engine
 * @property {Model} model a language model of `SPEC`, on `TEXT`
 * @property {Uint8Array} file what `model.save()` gave
 */

/**
 * @typedef {object} BadCall
 * @property {string} what
 * @property {string} code
 * @property {Record<string, unknown>} [details] part of the error's details
 * @property {(place: Place) => unknown} call
 */

export const TEXT = "It was the best of times, it was the worst of times. ".repeat(40);

/** @type {ModelSpec} */
export const SPEC = { task: "language-model", attention: "random+vanilla", dModel: 16, heads: 2, layers: 1, maxLength: 16 };

/** Reads an iterator to its end. @param {AsyncIterable<unknown>} things */
async function drain(things) {
  for await (const _ of things);
}

/** @param {Record<string, unknown>} fields */
const spec = (fields) => /** @type {ModelSpec} */ (/** @type {unknown} */ ({ ...SPEC, ...fields }));

/** @param {string} option @param {unknown} value @returns {BadCall} */
function badSpec(option, value) {
  const call = (/** @type {Place} */ { engine }) => engine.createModel(spec({ [option]: value }), { text: TEXT });
  return { what: `createModel with ${option}: ${show(value)}`, code: "invalid-option", details: { option }, call };
}

/** @param {string} option @param {unknown} value @returns {BadCall} */
function badTraining(option, value) {
  const options = /** @type {TrainOptions} */ (/** @type {unknown} */ ({ steps: 2, [option]: value }));
  const call = (/** @type {Place} */ { model }) => drain(model.train(options));
  return { what: `train with ${option}: ${show(value)}`, code: "invalid-option", details: { option }, call };
}

/** @param {string} option @param {unknown} value @returns {BadCall} */
function badSampling(option, value) {
  const call = (/** @type {Place} */ { model }) => drain(model.generate("It", { [option]: value }));
  return { what: `generate with ${option}: ${show(value)}`, code: "invalid-option", details: { option }, call };
}

/** @param {unknown} value */
const show = (value) => (typeof value === "number" ? String(value) : JSON.stringify(value));

/** More weights than 32 bits can count, the size of numbers in WebAssembly. @type {BadCall} */
const TOO_LARGE = {
  what: "createModel with 2^32 weights",
  code: "invalid-option",
  details: { option: "dModel" },
  call: ({ engine }) => engine.createModel(spec({ attention: "random", dModel: 256, heads: 256, maxLength: 4096 }), { text: TEXT }),
};

/** @param {string} what @param {unknown} data @returns {BadCall} */
function badData(what, data) {
  const call = (/** @type {Place} */ { engine }) => engine.createModel(SPEC, /** @type {any} */ (data));
  return { what: `createModel on ${what}`, code: "invalid-data", call };
}

/** The file with another format version in its header. @param {Uint8Array} file @param {string} version */
function withVersion(file, version) {
  const size = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + size)));
  header.__metadata__.version = version;
  const text = JSON.stringify(header);
  const bytes = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 8) * 8));
  const changed = new Uint8Array(8 + bytes.length + file.length - 8 - size);
  new DataView(changed.buffer).setBigUint64(0, BigInt(bytes.length), true);
  changed.set(bytes, 8);
  changed.set(file.subarray(8 + size), 8 + bytes.length);
  return changed;
}

/** @type {BadCall[]} */
export const BAD_CALLS = [
  ...[NaN, Infinity, 0, -1, 1.5, "64", null].map((value) => badSpec("dModel", value)),
  ...[["heads", 3], ["layers", 0], ["dFf", "wide"], ["maxLength", 1], ["dropout", 1], ["dropout", NaN]].map(([o, v]) => badSpec(/** @type {string} */ (o), v)),
  ...[["positions", "rotary"], ["tokenizer", "morse"], ["tieEmbeddings", 1], ["seed", null], ["seed", -1], ["seed", 2 ** 32]].map(([o, v]) => badSpec(/** @type {string} */ (o), v)),
  badSpec("colour", "blue"),
  TOO_LARGE,
  { what: "createModel for a task that does not exist", code: "invalid-option", details: { option: "task" }, call: ({ engine }) => engine.createModel(spec({ task: "poetry" }), { text: TEXT }) },
  { what: "createModel with an option of another kind", code: "invalid-option", call: ({ engine }) => engine.createModel(spec({ attention: { kind: "random", rank: 4 } }), { text: TEXT }) },
  { what: "createModel with a kind's option out of range", code: "invalid-option", call: ({ engine }) => engine.createModel(spec({ attention: { kind: "factorized-random", rank: 0 } }), { text: TEXT }) },
  { what: "createModel with an unknown kind", code: "unknown-kind", call: ({ engine }) => engine.createModel(spec({ attention: "telepathy" }), { text: TEXT }) },

  { what: "createModel of a decoder whose kind sees the future", code: "invalid-option", call: ({ engine }) => engine.createModel(spec({ attention: "linformer" }), { text: TEXT }) },

  badData("an empty text", { text: "" }),
  badData("a text of maxLength characters", { text: "0123456789abcdef" }),
  badData("a text that is a number", { text: 7 }),
  badData("rows where text is needed", { rows: [{ text: "a", label: "b" }] }),
  badData("nothing", undefined),

  ...[0, -5, 2.5, NaN, Infinity, "20", undefined].map((value) => badTraining("steps", value)),
  ...[["batch", 0], ["learningRate", -1], ["learningRate", NaN], ["warmup", -1], ["schedule", "sawtooth"]].map(([o, v]) => badTraining(/** @type {string} */ (o), v)),
  ...[["optimizer", "lion"], ["weightDecay", "1"], ["clipNorm", -1], ["validation", 0.9], ["every", 0]].map(([o, v]) => badTraining(/** @type {string} */ (o), v)),
  badTraining("epochs", 3),

  ...[["maxTokens", -1], ["temperature", -0.1], ["temperature", NaN], ["topK", 0], ["topP", 2], ["seed", 1.5]].map(([o, v]) => badSampling(/** @type {string} */ (o), v)),
  ...[["stop", "end"], ["beams", 4]].map(([o, v]) => badSampling(/** @type {string} */ (o), v)),
  { what: "generate from a number", code: "invalid-option", call: ({ model }) => drain(model.generate(/** @type {any} */ (5))) },

  { what: "attention for a text over maxLength", code: "text-too-long", call: ({ model }) => model.attention("x".repeat(17)) },
  {
    what: "attention of a mixer without weights",
    code: "attention-unavailable",
    async call({ engine }) {
      const mixer = await engine.createModel(spec({ attention: "aft" }), { text: TEXT });
      try {
        await mixer.attention("It was");
      } finally {
        await mixer.dispose();
      }
    },
  },
  { what: "evaluate on an empty text", code: "invalid-data", call: ({ model }) => model.evaluate({ text: "" }) },
  { what: "weightHistogram with no bins", code: "invalid-option", call: ({ model }) => model.weightHistogram("It was", 0) },

  { what: "classify on a language model", code: "wrong-task", call: ({ model }) => model.classify("good") },
  { what: "classifyAll on a language model", code: "wrong-task", call: ({ model }) => model.classifyAll(["good"]) },
  { what: "fill on a language model", code: "wrong-task", call: ({ model }) => model.fill("It was the [MASK]") },
  { what: "translate on a language model", code: "wrong-task", call: ({ model }) => model.translate("It was") },

  { what: "load of no file", code: "corrupt-file", call: ({ engine }) => engine.load(new Uint8Array(0)) },
  { what: "load of text", code: "corrupt-file", call: ({ engine }) => engine.load(new TextEncoder().encode("this is not a model")) },
  { what: "load of half a file", code: "corrupt-file", call: ({ engine, file }) => engine.load(file.slice(0, file.length / 2)) },
  { what: "load of a file from the future", code: "unsupported-version", call: ({ engine, file }) => engine.load(withVersion(file, "9999")) },
  {
    what: "train on a loaded model without data",
    code: "invalid-data",
    async call({ engine, file }) {
      const loaded = await engine.load(file);
      try {
        await drain(loaded.train({ steps: 1 }));
      } finally {
        await loaded.dispose();
      }
    },
  },

  {
    what: "train while training",
    code: "busy",
    async call({ model }) {
      const first = model.train({ steps: 4, every: 2 });
      await first.next();
      try {
        await drain(model.train({ steps: 1 }));
      } finally {
        await first.return();
      }
    },
  },
  {
    what: "train with a signal that is aborted",
    code: "aborted",
    async call({ model }) {
      const stop = new AbortController();
      for await (const _ of model.train({ steps: 1000, every: 1, signal: stop.signal })) stop.abort();
    },
  },
  {
    what: "generate with a signal that is aborted",
    code: "aborted",
    async call({ model }) {
      const stop = new AbortController();
      for await (const _ of model.generate("It", { maxTokens: 1000, signal: stop.signal })) stop.abort();
    },
  },
  {
    what: "train at a rate that no weight survives",
    code: "diverged",
    async call({ engine }) {
      const doomed = await engine.createModel(SPEC, { text: TEXT });
      try {
        await drain(doomed.train({ steps: 40, every: 1, learningRate: 1e30, optimizer: "sgd", clipNorm: 1e30 }));
      } finally {
        await doomed.dispose();
      }
    },
  },
  {
    what: "use after dispose",
    code: "disposed",
    async call({ engine }) {
      const gone = await engine.createModel(SPEC, { text: TEXT });
      await gone.dispose();
      await gone.dispose();
      await gone.evaluate({ text: TEXT });
    },
  },
];

/**
 * What happened instead of the expected error, or undefined if it came as expected.
 *
 * @param {BadCall} bad
 * @param {Place} place
 */
export async function fault({ code, details = {}, call }, place) {
  try {
    await call(place);
    return `no error, expected ${code}`;
  } catch (why) {
    const error = /** @type {import("synthattn").SynthError} */ (why);
    if (error.name !== "SynthError" || error.code !== code) return `${error.name} ${error.code}: ${error.message}, expected ${code}`;
    for (const [key, value] of Object.entries(details)) {
      if (error.details?.[key] !== value) return `details.${key} is ${error.details?.[key]}, expected ${value}`;
    }
  }
}
