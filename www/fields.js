// The page's settings one by one: what each may be, and how what a person typed is read.
import { TASKS, TOKENIZERS } from "./tasks.js";

/** @typedef {import("synthattn").OptionInfo} OptionInfo */

/**
 * How one setting is written, read and checked.
 *
 * @typedef {object} Field
 * @property {"integer" | "number" | "choice" | "text"} type
 * @property {number | string} [default] those of the others are in the table of tasks
 * @property {number} [min] @property {number} [max]
 * @property {string[]} [choices]
 */

/**
 * What is wrong with a value, as a message key with its values.
 *
 * @typedef {{ key: string, values?: Record<string, string | number> }} Problem
 */

/** Workers beyond the cores only wait for each other; the package takes 64 at most. */
export const CORES = Math.max(1, Math.min(64, globalThis.navigator?.hardwareConcurrency ?? 1));

const SEED_MAX = 2 ** 32 - 1;

/** The name of a person's own data among the built-in ones. */
export const OWN = "own";

/** @type {Record<string, Field>} */
export const FIELDS = {
  task: { type: "choice", choices: Object.keys(TASKS) },
  text: { type: "text" },
  layers: { type: "integer", min: 1, max: 12 },
  width: { type: "integer", min: 4, max: 512 },
  heads: { type: "integer", min: 1, max: 16 },
  length: { type: "integer", min: 2, max: 512 },
  dropout: { type: "number", min: 0, max: 0.9 },
  tokenizer: { type: "choice", choices: Object.keys(TOKENIZERS) },
  vocabulary: { type: "integer", min: 300, max: 50_000 },
  steps: { type: "integer", min: 1, max: 100_000 },
  batch: { type: "integer", min: 1, max: 256 },
  rate: { type: "number", min: 1e-6, max: 1 },
  warmup: { type: "integer", min: 0, max: 100_000 },
  schedule: { type: "choice", choices: ["cosine", "linear", "constant"] },
  validation: { type: "number", min: 0, max: 0.5 },
  workers: { type: "integer", default: 1, min: 1, max: CORES },
  seed: { type: "integer", default: 0, min: 0, max: SEED_MAX },
  device: { type: "choice", default: "auto", choices: ["auto", "webgpu", "cpu"] },
  axis: { type: "choice", default: "steps", choices: ["steps", "seconds"] },
  prompt: { type: "text" },
  second: { type: "text" },
  temperature: { type: "number", default: 0.8, min: 0, max: 5 },
  topK: { type: "integer", default: 0, min: 0, max: 1000 },
  tokens: { type: "integer", default: 200, min: 1, max: 2000 },
  sampleSeed: { type: "integer", default: 0, min: 0, max: SEED_MAX },
  beams: { type: "integer", default: 1, min: 1, max: 16 },
  top: { type: "integer", default: 5, min: 1, max: 20 },
  lengths: { type: "text", default: "16, 32, 64, 128" },
  look: { type: "text" },
  lookSecond: { type: "text" },
};

/** A setting as a task allows it. @param {string} name @param {string} task @returns {Field | undefined} */
export function fieldOf(name, task) {
  const field = FIELDS[name];
  return name in CHOICES ? { ...field, choices: CHOICES[name](task) } : field;
}

/** Choices that depend on the task. @type {Record<string, (task: string) => string[]>} */
const CHOICES = { tokenizer: (task) => TASKS[task].tokenizers };

/**
 * Reads what a person typed into a field.
 *
 * @param {Field | OptionInfo} field
 * @param {string} typed
 * @returns {{ value: number | string, problem?: undefined } | { problem: Problem, value?: undefined }}
 */
export function read(field, typed) {
  if (field.type === "text") return { value: typed };
  if (field.type === "choice") {
    if (field.choices?.includes(typed)) return { value: typed };
    return { problem: { key: "problem.choice", values: { choices: (field.choices ?? []).join(", ") } } };
  }
  const trimmed = typed.trim();
  const value = trimmed === "" ? NaN : Number(trimmed);
  const { min = -Infinity, max = Infinity } = field;
  if (!Number.isFinite(value)) return { problem: { key: "problem.number", values: { min, max } } };
  if (field.type === "integer" && !Number.isInteger(value))
    return { problem: { key: "problem.whole", values: { min, max } } };
  if (value < min || value > max) return { problem: { key: "problem.range", values: { min, max } } };
  return { value };
}

/**
 * Problems that only show when fields are seen together, by field.
 *
 * @param {import("./state.js").Settings} settings
 * @returns {Record<string, Problem>}
 */
export function conflicts(settings) {
  /** @type {Record<string, Problem>} */
  const found = {};
  const { width, heads, warmup, steps, kinds } = settings;
  if (width % heads !== 0) found.width = { key: "problem.heads", values: { width, heads } };
  if (warmup > steps) found.warmup = { key: "problem.warmup", values: { warmup, steps } };
  if (kinds.length === 0) found.kinds = { key: "problem.kinds" };
  return found;
}
