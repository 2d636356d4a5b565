// The whole setting of the page as one object, checked field by field and kept in the URL's hash to be shared.
import { fieldOf, FIELDS, OWN, read } from "./fields.js";
import { t } from "./messages/index.js";
import { canDo, defaultsOf, TASKS, TEXTS, textsOf } from "./tasks.js";

/** @typedef {import("synthattn").KindInfo} KindInfo */
/** @typedef {import("synthattn").TaskInfo} TaskInfo */
/** @typedef {import("./fields.js").Problem} Problem */

/**
 * @typedef {object} Settings
 * @property {string[]} kinds
 * @property {Record<string, Record<string, number | string>>} options of kinds, those that were chosen
 * @property {string} task
 * @property {string} text name of a built-in set of data, or "own"
 * @property {number} layers @property {number} width @property {number} heads @property {number} length
 * @property {number} dropout
 * @property {string} tokenizer @property {number} vocabulary
 * @property {number} steps @property {number} batch @property {number} rate @property {number} warmup
 * @property {string} schedule
 * @property {number} validation
 * @property {number} seed
 * @property {number} workers on the CPU
 * @property {string} device
 * @property {string} axis what the race runs over: "steps" or "seconds"
 * @property {string} prompt @property {string} second what the models are asked
 * @property {number} temperature @property {number} topK @property {number} tokens
 * @property {number} sampleSeed
 * @property {number} beams @property {number} top
 * @property {string} look @property {string} lookSecond the text, or two, whose attention is shown
 * @property {string} lengths the lengths of the speed lab, with commas between them
 */

/** The four kinds of the first run, as far as the table of kinds has them. */
export const FIRST_KINDS = ["vanilla", "random", "dense", "random+vanilla"];

/**
 * The settings and who listens to them.
 */
export class State {
  /** @type {Settings} */
  settings;
  /** The package's tasks that this page can show. @type {TaskInfo[]} */
  tasks;
  /** What the link asked for and did not get. @type {{ name: string, problem: Problem }[]} */
  refused = [];
  /** @type {Map<string, KindInfo>} */
  #kinds;
  #listeners = new Set();

  /** @param {KindInfo[]} kinds @param {TaskInfo[]} tasks */
  constructor(kinds, tasks) {
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    this.tasks = tasks.filter(({ name }) => name in TASKS);
    this.settings = this.#defaults(this.tasks[0].name);
    this.#readHash();
    addEventListener("hashchange", () => {
      if (location.hash === this.hash()) return;
      this.#readHash();
      this.#tell();
    });
  }

  /** The package's row of the task. @param {string} [task] */
  taskInfo(task = this.settings.task) {
    return /** @type {TaskInfo} */ (this.tasks.find(({ name }) => name === task));
  }

  /** The built-in sets of data for the task. @param {string} [task] */
  builtins(task = this.settings.task) {
    return this.taskInfo(task).builtins;
  }

  /**
   * Another task or other data brings its own defaults; what a person set otherwise stays.
   *
   * @param {Partial<Settings>} change
   */
  set(change) {
    const { task, text } = this.settings;
    Object.assign(this.settings, change);
    if (this.settings.task !== task) this.#enterTask(task, text, "text" in change);
    else if (this.settings.text !== text) this.#follow(task, text);
    history.replaceState(history.state, "", this.hash());
    this.#tell();
  }

  /**
   * @param {string} task the one before
   * @param {string} text its data
   * @param {boolean} chosen whether data was chosen
   */
  #enterTask(task, text, chosen) {
    const { settings } = this;
    const sameShape = TASKS[settings.task].shape === TASKS[task].shape;
    const known = settings.text === OWN ? sameShape : this.#sets(settings.task).includes(settings.text);
    if (!chosen && !known) settings.text = this.#sets(settings.task)[0];
    settings.kinds = settings.kinds.filter((kind) => this.#allowed(kind, settings.task));
    if (settings.kinds.length === 0) settings.kinds = this.#firstKinds(settings.task);
    this.#follow(task, text);
    Object.assign(settings, textsOf(settings.task, settings.text));
  }

  /** @param {string} task @param {string} text the data before */
  #follow(task, text) {
    const { settings } = this;
    const before = Object.entries(defaultsOf(task, text));
    const now = defaultsOf(settings.task, settings.text);
    const untouched = before
      .map(([name]) => /** @type {keyof typeof now} */ (name))
      .filter((name) => settings[name] === defaultsOf(task, text)[name]);
    Object.assign(settings, Object.fromEntries(untouched.map((name) => [name, now[name]])));
    if (!TASKS[settings.task].tokenizers.includes(settings.tokenizer)) settings.tokenizer = now.tokenizer;
    // A text that suits the data before may not suit this: a row of the one is none of the other.
    const texts = textsOf(settings.task, settings.text);
    const old = textsOf(task, text);
    for (const name of TEXTS)
      if (texts[name] === "" || settings[name] === old[name]) settings[name] = texts[name];
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
    const { kinds, options, task, text, ...rest } = this.settings;
    const query = new URLSearchParams();
    query.set("task", task);
    query.set("text", text);
    query.set("kinds", kinds.join(","));
    for (const [kind, values] of Object.entries(options)) {
      for (const [option, value] of Object.entries(values)) query.set(`${kind}.${option}`, String(value));
    }
    for (const [name, value] of Object.entries(rest)) query.set(name, String(value));
    return `#${query}`;
  }

  /** Takes the settings of another visit, but stays on the device and the workers of this one. @param {string} hash */
  open(hash) {
    const { device, workers } = this.settings;
    history.replaceState(history.state, "", hash);
    this.#readHash();
    this.set({ device, workers });
  }

  /** A link to this page with these settings, or those of a hash. @param {string} [hash] */
  link(hash = this.hash()) {
    const url = new URL(location.href);
    url.search = "";
    url.hash = hash;
    return url.href;
  }

  /** Names of the data that a task can have. @param {string} task */
  #sets(task) {
    return [...this.builtins(task).map(({ name }) => name), OWN];
  }

  /** @param {string} kind @param {string} task */
  #allowed(kind, task) {
    const info = this.#kinds.get(kind);
    return info !== undefined && canDo(info, task);
  }

  /** @param {string} task */
  #firstKinds(task) {
    const all = [...this.#kinds.keys()].filter((kind) => this.#allowed(kind, task));
    const first = FIRST_KINDS.filter((kind) => all.includes(kind));
    return first.length > 0 ? first : all.slice(0, 4);
  }

  /** @param {string} task @param {string} [text] @returns {Settings} */
  #defaults(task, text = this.#sets(task)[0]) {
    const fields = Object.entries(FIELDS).map(([name, field]) => [name, field.default]);
    return {
      kinds: this.#firstKinds(task),
      options: {},
      ...Object.fromEntries(fields),
      ...defaultsOf(task, text),
      ...textsOf(task, text),
      task,
      text,
    };
  }

  #readHash() {
    this.refused = [];
    const query = new URLSearchParams(location.hash.slice(1));
    // Tests and links may also name the device in the query.
    const device = new URLSearchParams(location.search).get("device");
    if (device !== null && !query.has("device")) query.set("device", device);
    const task = this.#choice(
      query,
      "task",
      this.tasks.map(({ name }) => name),
      "problem.unknownTask",
    );
    const text = this.#choice(query, "text", this.#sets(task), "problem.unknownText");
    this.settings = this.#defaults(task, text);
    for (const [name, typed] of query) {
      const problem = this.#readEntry(name, typed);
      if (problem) this.refused.push({ name, problem });
    }
  }

  /**
   * What the others depend on is read before them; without it, or if it can't be had, the first choice.
   *
   * @param {URLSearchParams} query what is read is taken out
   * @param {string} name
   * @param {string[]} choices
   * @param {string} complaint
   */
  #choice(query, name, choices, complaint) {
    const asked = query.get(name);
    query.delete(name);
    if (asked === null) return choices[0];
    if (choices.includes(asked)) return asked;
    this.refused.push({ name, problem: { key: complaint } });
    return choices[0];
  }

  /**
   * @param {string} name
   * @param {string} typed
   * @returns {Problem | undefined}
   */
  #readEntry(name, typed) {
    if (name === "kinds") {
      const asked = typed.split(",").filter((kind) => kind !== "");
      const known = [...new Set(asked)].filter((kind) => this.#allowed(kind, this.settings.task));
      if (known.length > 0) this.settings.kinds = known;
      const unknown = asked.filter((kind) => !known.includes(kind));
      return unknown.length > 0
        ? { key: "link.kinds", values: { kinds: unknown.join(t("list.between")) } }
        : undefined;
    }
    const dot = name.indexOf(".");
    const option =
      dot < 0
        ? undefined
        : this.#kinds.get(name.slice(0, dot))?.options.find((one) => one.name === name.slice(dot + 1));
    const field = option ?? fieldOf(name, this.settings.task);
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
