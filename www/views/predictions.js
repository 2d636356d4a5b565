// A few test rows, always the same, and what each model makes of them as training goes on.
import { h, setText } from "../dom.js";
import { codeOf, explain } from "../errors.js";
import { follow } from "../follow.js";
import { percent } from "../format.js";
import { kindName } from "../kinds.js";
import { t } from "../messages/index.js";
import { answerOf, inputOf, shapeOf, TASKS } from "../tasks.js";
import { mark } from "./bars.js";
import { entriesOf } from "./bench.js";

/** @typedef {import("./bench.js").Bench} Bench */
/** @typedef {import("../entry.js").Entry} Entry */
/** @typedef {import("../tasks.js").Row} Row */
/** @typedef {{ said: string, sure?: number }} Said */

/**
 * How models are asked about rows: all at once where they can be.
 *
 * @type {Record<string, (entry: Entry, inputs: string[][]) => Promise<Said[]>>}
 */
const ASKING = {
  labelled: async ({ model }, inputs) => sayings(await model.classifyAll(inputs.map(([text]) => text))),
  pairs: async ({ model }, inputs) =>
    sayings(await model.classifyAll(inputs.map(([first, second]) => [first, second]))),
  translated: async ({ model }, inputs) => {
    const said = [];
    for (const [source] of inputs) said.push({ said: await model.translate(source) });
    return said;
  },
};

/** @param {import("synthattn").Classification[]} answers @returns {Said[]} */
function sayings(answers) {
  return answers.map(({ label, probabilities }) => ({ said: label, sure: probabilities[label] }));
}

export class Predictions {
  element;
  #bench;
  #list = h("ol", { class: "test-rows", "data-testid": "predictions" });
  #trouble = h("p", { class: "hint wrong", hidden: true });
  /** @type {Row[]} */
  #rows = [];
  /** The answer cells, by row and model. @type {Map<string, HTMLElement>} */
  #cells = new Map();
  #entries = "";
  /** The step of each model's answers. @type {Map<string, number>} */
  #steps = new Map();

  /** @param {Bench} bench */
  constructor(bench) {
    this.#bench = bench;
    this.element = h("div", {}, h("h3", {}, t("predictions.title")), this.#trouble, this.#list);
    const ask = follow(
      bench.lab,
      this.element,
      () => this.#ask(),
      () => entriesOf(bench).some(({ id, model }) => this.#steps.get(id) !== model.step),
    );
    bench.data.addEventListener("data", () => {
      this.#draw();
      void ask();
    });
  }

  /** It has come into the page. */
  shown() {
    this.#draw();
  }

  async #ask() {
    const { lab, state } = this.#bench;
    this.#draw();
    const rows = this.#rows;
    if (rows.length === 0) return;
    const { task } = state.settings;
    const shape = shapeOf(task);
    const inputs = rows.map((row) => inputOf(row, shape));
    this.#trouble.hidden = true;
    for (const entry of entriesOf(this.#bench)) {
      try {
        const said = await lab.between(() => ASKING[TASKS[task].shape](entry, inputs));
        if (rows !== this.#rows) return;
        said.forEach((answer, index) => this.#fill(entry, index, answer, answerOf(rows[index], shape)));
        this.#steps.set(entry.id, entry.model.step);
      } catch (error) {
        if (["aborted", "disposed"].includes(codeOf(error))) return;
        this.#trouble.hidden = false;
        setText(this.#trouble, explain(error));
      }
    }
  }

  /** Makes the rows anew when data or models have changed. */
  #draw() {
    if (!this.element.isConnected) return;
    const entries = entriesOf(this.#bench);
    const { loaded, watched } = this.#bench.data;
    const key = JSON.stringify([loaded?.task, loaded?.name, watched, entries.map(({ id }) => id)]);
    if (key === this.#entries) return;
    this.#entries = key;
    this.#rows = watched;
    this.#cells.clear();
    this.#steps.clear();
    const shape = shapeOf(this.#bench.state.settings.task);
    this.#list.replaceChildren(...watched.map((row, index) => this.#row(row, index, shape, entries)));
  }

  /**
   * @param {Row} row
   * @param {number} index
   * @param {import("../tasks.js").Shape} shape
   * @param {Entry[]} entries
   */
  #row(row, index, shape, entries) {
    const answers = entries.map((entry) => {
      const cell = h(
        "span",
        { class: "prediction", "data-testid": `prediction-${entry.kind}` },
        t("predictions.none"),
      );
      this.#cells.set(`${index} ${entry.id}`, cell);
      return h("li", { "data-kind": entry.kind }, kindName(entry.kind), cell);
    });
    return h(
      "li",
      { class: "test-row" },
      h(
        "div",
        { class: "test-text" },
        inputOf(row, shape).map((text) => h("p", {}, text)),
        h("p", { class: "hint" }, t("predictions.truth"), " ", h("b", {}, answerOf(row, shape))),
      ),
      h("ul", { class: "test-answers" }, answers),
    );
  }

  /** @param {Entry} entry @param {number} index @param {Said} answer @param {string} truth */
  #fill(entry, index, { said, sure }, truth) {
    const cell = this.#cells.get(`${index} ${entry.id}`);
    if (!cell) return;
    const right = said === truth;
    cell.dataset.right = String(right);
    cell.replaceChildren(
      mark(right, t(right ? "predictions.right" : "predictions.wrong")),
      " ",
      h("span", { class: "said-text" }, said === "" ? t("ask.nothingSaid") : said),
      ...(sure === undefined ? [] : [" ", h("span", { class: "number hint" }, percent(sure))]),
    );
  }
}
