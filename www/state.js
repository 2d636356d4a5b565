// The whole setting of the page as one object, checked field by field and kept in the URL's hash to be shared.

/** @typedef {import("synthattn").KindInfo} KindInfo */
/** @typedef {import("synthattn").OptionInfo} OptionInfo */

/**
 * @typedef {object} Settings
 * @property {string[]} kinds
 * @property {Record<string, Record<string, number | string>>} options of kinds, those that were chosen
 * @property {string} task
 * @property {string} text name of a built-in text, or "own"
 * @property {number} layers @property {number} width @property {number} heads @property {number} length
 * @property {string} tokenizer
 * @property {number} steps @property {number} batch @property {number} rate @property {number} warmup
 * @property {string} schedule
 * @property {number} validation
 * @property {number} seed
 * @property {string} device
 * @property {string} axis what the race runs over: "steps" or "seconds"
 * @property {string} prompt @property {number} temperature @property {number} topK @property {number} tokens
 * @property {number} sampleSeed
 * @property {string} look the text whose attention is shown
 * @property {string} lengths the lengths of the speed lab, with commas between them
 */

/**
 * How one setting is written, read and checked.
 *
 * @typedef {object} Field
 * @property {"integer" | "number" | "choice" | "text"} type
 * @property {number | string} default
 * @property {number} [min] @property {number} [max]
 * @property {string[]} [choices]
 */

const SEED_MAX = 2 ** 32 - 1;

/** Tasks this page can show; others of the package's table are not offered. */
export const SHOWN_TASKS = ["language-model"];

/** @type {Record<string, Field>} */
export const FIELDS = {
  task: { type: "choice", default: "language-model", choices: SHOWN_TASKS },
  text: { type: "text", default: "moby-dick" },
  layers: { type: "integer", default: 2, min: 1, max: 12 },
  width: { type: "integer", default: 64, min: 4, max: 512 },
  heads: { type: "integer", default: 4, min: 1, max: 16 },
  length: { type: "integer", default: 32, min: 2, max: 512 },
  tokenizer: { type: "choice", default: "character", choices: ["character", "byte"] },
  steps: { type: "integer", default: 2000, min: 1, max: 100_000 },
  batch: { type: "integer", default: 8, min: 1, max: 256 },
  rate: { type: "number", default: 3e-3, min: 1e-6, max: 1 },
  warmup: { type: "integer", default: 100, min: 0, max: 100_000 },
  schedule: { type: "choice", default: "cosine", choices: ["cosine", "linear", "constant"] },
  validation: { type: "number", default: 0.1, min: 0, max: 0.5 },
  seed: { type: "integer", default: 0, min: 0, max: SEED_MAX },
  device: { type: "choice", default: "auto", choices: ["auto", "webgpu", "cpu"] },
  axis: { type: "choice", default: "steps", choices: ["steps", "seconds"] },
  prompt: { type: "text", default: "The whale " },
  temperature: { type: "number", default: 0.8, min: 0, max: 5 },
  topK: { type: "integer", default: 0, min: 0, max: 1000 },
  tokens: { type: "integer", default: 200, min: 1, max: 2000 },
  sampleSeed: { type: "integer", default: 0, min: 0, max: SEED_MAX },
  lengths: { type: "text", default: "16, 32, 64, 128" },
  look: { type: "text", default: "It was the white whale." },
};

/** The four kinds of the first run, as far as the table of kinds has them. */
export const FIRST_KINDS = ["vanilla", "random", "dense", "random+vanilla"];

/**
 * What is wrong with a value, as a message key with its values, or undefined.
 *
 * @typedef {{ key: string, values?: Record<string, string | number> }} Problem
 */

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
 * @param {Settings} settings
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

/**
 * The settings and who listens to them.
 */
export class State {
  /** @type {Settings} */
  settings;
  /** What the link asked for and did not get. @type {{ name: string, problem: Problem }[]} */
  refused = [];
  /** @type {Map<string, KindInfo>} */
  #kinds;
  #listeners = new Set();

  /** @param {KindInfo[]} kinds */
  constructor(kinds) {
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    this.settings = this.#defaults();
    this.#readHash();
    addEventListener("hashchange", () => {
      if (location.hash === this.hash()) return;
      this.settings = this.#defaults();
      this.#readHash();
      this.#tell();
    });
  }

  /** @param {Partial<Settings>} change */
  set(change) {
    Object.assign(this.settings, change);
    history.replaceState(history.state, "", this.hash());
    this.#tell();
  }

  /** Notes what the link asked for and can't have. @param {string} name @param {Problem} problem */
  refuse(name, problem) {
    this.refused.push({ name, problem });
    this.#tell();
  }

  /** @param {() => void} listener */
  listen(listener) {
    this.#listeners.add(listener);
  }

  /** The settings as a hash, every one of them: a link means the same when defaults change. */
  hash() {
    const { kinds, options, ...rest } = this.settings;
    const query = new URLSearchParams();
    query.set("kinds", kinds.join(","));
    for (const [kind, values] of Object.entries(options)) {
      for (const [option, value] of Object.entries(values)) query.set(`${kind}.${option}`, String(value));
    }
    for (const [name, value] of Object.entries(rest)) query.set(name, String(value));
    return `#${query}`;
  }

  /** A link to this page with these settings. */
  link() {
    const url = new URL(location.href);
    url.search = "";
    url.hash = this.hash();
    return url.href;
  }

  /** @returns {Settings} */
  #defaults() {
    const causal = [...this.#kinds.values()].filter((kind) => kind.causal).map((kind) => kind.name);
    const first = FIRST_KINDS.filter((kind) => this.#kinds.has(/** @type {KindInfo["name"]} */ (kind)));
    const fields = Object.entries(FIELDS).map(([name, field]) => [name, field.default]);
    return {
      kinds: first.length > 0 ? first : causal.slice(0, 4),
      options: {},
      ...Object.fromEntries(fields),
    };
  }

  #readHash() {
    this.refused = [];
    const query = new URLSearchParams(location.hash.slice(1));
    // Tests and links may also name the device in the query.
    const device = new URLSearchParams(location.search).get("device");
    if (device !== null && !query.has("device")) query.set("device", device);
    for (const [name, typed] of query) {
      const problem = this.#readEntry(name, typed);
      if (problem) this.refused.push({ name, problem });
    }
  }

  /**
   * @param {string} name
   * @param {string} typed
   * @returns {Problem | undefined}
   */
  #readEntry(name, typed) {
    if (name === "kinds") {
      const asked = typed.split(",").filter((kind) => kind !== "");
      const known = [...new Set(asked)].filter((kind) => this.#kinds.get(kind)?.causal);
      if (known.length > 0) this.settings.kinds = known;
      const unknown = asked.filter((kind) => !known.includes(kind));
      return unknown.length > 0
        ? { key: "problem.unknownKinds", values: { kinds: unknown.join(", ") } }
        : undefined;
    }
    const dot = name.indexOf(".");
    const option =
      dot < 0
        ? undefined
        : this.#kinds.get(name.slice(0, dot))?.options.find((one) => one.name === name.slice(dot + 1));
    const field = option ?? FIELDS[name];
    if (!field) return { key: "problem.unknownSetting" };
    const { value, problem } = read(field, typed);
    if (problem) return problem;
    if (option) (this.settings.options[name.slice(0, dot)] ??= {})[option.name] = value;
    else Object.assign(this.settings, { [name]: value });
    return undefined;
  }

  #tell() {
    for (const listener of this.#listeners) listener();
  }
}
