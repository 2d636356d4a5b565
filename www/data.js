// The data in use, in two parts: to train on and to be tested on. Built-in sets come from the package when they are
// asked for; a person's own from the panels.
import { builtinData } from "synthattn";
import { OWN } from "./fields.js";
import { t } from "./messages/index.js";
import { splitRows, watchedRows } from "./split.js";
import { shapeOf, TASKS } from "./tasks.js";

/** @typedef {import("./tasks.js").Row} Row */
/** @typedef {import("synthattn").TrainingData} TrainingData */

/**
 * Data as the page uses it.
 *
 * @typedef {object} DataSet
 * @property {string} name of the built-in set, or "own"
 * @property {string} task
 * @property {string} title
 * @property {TrainingData} training
 * @property {string} text running text, of which a share is held out; empty for rows
 * @property {Row[]} test rows that are never trained on; none for running text
 * @property {number} [ceiling] the accuracy that can be had without comparing tokens
 */

/**
 * Where a person's own data comes from.
 *
 * @typedef {object} OwnData
 * @property {string} name
 * @property {string} [text] running text
 * @property {Row[]} [rows]
 */

/** Test rows watched while training goes on. */
const WATCHED = 6;

/** @type {Map<string, ReturnType<typeof builtinData>>} */
const fetched = new Map();

/** @param {string} name */
function fetchBuiltin(name) {
  let data = fetched.get(name);
  if (!data) {
    data = builtinData(name);
    data.catch(() => fetched.delete(name)); // a later try fetches again
    fetched.set(name, data);
  }
  return data;
}

/** Events: "data" when other data is here, is on its way, or could not be had. */
export class DataSource extends EventTarget {
  /** Rows that are here; running text is fetched only when it is trained on. @type {DataSet | undefined} */
  loaded;
  /** Why there is none. @type {unknown} */
  trouble;
  #state;
  #own;
  #key = "";

  /**
   * @param {import("./state.js").State} state
   * @param {import("./own-data.js").OwnPanels} own a person's own data
   */
  constructor(state, own) {
    super();
    this.#state = state;
    this.#own = own;
    state.listen(() => void this.#refresh());
    void this.#refresh();
  }

  /** What the sentence calls the data. */
  get title() {
    const { task, text } = this.#state.settings;
    return text === OWN
      ? this.#ownPanel.current?.name || t(`data.own.${TASKS[task].shape}`)
      : (this.info?.label ?? text);
  }

  /** The package's row of the built-in set in use. */
  get info() {
    return this.#state.builtins().find(({ name }) => name === this.#state.settings.text);
  }

  get #ownPanel() {
    return this.#own.of(TASKS[this.#state.settings.task].shape);
  }

  /** A few test rows, always the same. */
  get watched() {
    const { loaded } = this;
    return loaded ? watchedRows(loaded.test, shapeOf(loaded.task), WATCHED) : [];
  }

  /** Own data has changed. */
  ownChanged() {
    this.#key = "";
    void this.#refresh();
  }

  /** The data to train on now; undefined if there is none. @returns {Promise<DataSet | undefined>} */
  async current() {
    const { task, text } = this.#state.settings;
    const { title } = this;
    const ceiling = this.info?.ceiling;
    if (text === OWN) {
      await this.#ownPanel.ready;
      return this.#ownSet(task);
    }
    const { training, test } = await fetchBuiltin(text);
    const common = { name: text, task, title, ceiling };
    // Running text is cut where the person says, whatever part it came in.
    if ("text" in training && "text" in test) {
      const whole = training.text + test.text;
      return { ...common, training: { text: whole }, text: whole, test: [] };
    }
    return { ...common, training, text: "", test: /** @type {{ rows: Row[] }} */ (test).rows };
  }

  /** @param {string} task @returns {DataSet | undefined} */
  #ownSet(task) {
    const { title } = this;
    const { text = "", rows = [] } = this.#ownPanel.current ?? {};
    const common = { name: OWN, task, title };
    if (shapeOf(task).input.length === 0)
      return text === "" ? undefined : { ...common, training: { text }, text, test: [] };
    if (rows.length === 0) return undefined;
    const { training, test } = splitRows(rows, shapeOf(task), this.#state.settings.seed);
    return { ...common, training: /** @type {TrainingData} */ ({ rows: training }), text: "", test };
  }

  /** Fetches rows as soon as they are chosen, so that boxes can begin with one of them. */
  async #refresh() {
    const { task, text, seed } = this.#state.settings;
    const key = JSON.stringify([task, text, text === OWN ? seed : 0]);
    if (key === this.#key) return;
    this.#key = key;
    this.trouble = undefined;
    this.#take(undefined);
    if (shapeOf(task).input.length === 0) return;
    try {
      const data = await this.current();
      if (key === this.#key) this.#take(data);
    } catch (error) {
      if (key !== this.#key) return;
      this.#key = ""; // the next change tries again
      this.trouble = error;
      this.#take(undefined);
    }
  }

  /** @param {DataSet | undefined} data */
  #take(data) {
    this.loaded = data;
    this.dispatchEvent(new Event("data"));
  }
}
