// The data to train on: a built-in set of the task, or a person's own.
import { h } from "./dom.js";
import { OWN } from "./fields.js";
import { percent, size, whole } from "./format.js";
import { has, t } from "./messages/index.js";
import { inputOf, answerOf, shapeOf, TASKS } from "./tasks.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./tasks.js").Row} Row */

/** Rows of the chosen set that are shown. */
const SHOWN = 3;

export class DataPanel {
  element;
  #state;
  #data;
  #choices = h("div", { class: "choices", role: "radiogroup", "aria-label": t("data.which") });
  #trouble = h("div", { class: "notice", hidden: true, role: "alert", "data-testid": "data-error" });
  #rows = h("div", { class: "sample-rows", "data-testid": "sample-rows" });
  #ownPlace = h("div", {});
  #own;
  #drawn = "";

  /**
   * @param {State} state
   * @param {import("./data.js").DataSource} data
   * @param {import("./own-data.js").OwnPanels} own where a person's own data is given
   */
  constructor(state, data, own) {
    this.#state = state;
    this.#data = data;
    this.#own = own;
    this.element = h(
      "div",
      { class: "panel-grid two" },
      h("div", {}, h("h3", {}, t("data.which")), this.#choices, this.#trouble, this.#rows),
      this.#ownPlace,
    );
    state.listen(() => this.#draw());
    data.addEventListener("data", () => this.#drawRows());
    this.#draw();
  }

  #draw() {
    const { task, text } = this.#state.settings;
    const { shape } = TASKS[task];
    const { element } = this.#own.of(shape);
    if (this.#ownPlace.firstChild !== element) this.#ownPlace.replaceChildren(element);
    if (this.#drawn !== task) this.#drawChoices();
    this.#drawn = task;
    for (const input of this.#choices.querySelectorAll("input")) input.checked = input.value === text;
    this.#drawRows();
  }

  #drawChoices() {
    const { task } = this.#state.settings;
    const { shape } = TASKS[task];
    const builtins = this.#state
      .builtins()
      .map(({ name, label, rows, bytes, licence, source }) =>
        this.#choice(
          name,
          label,
          t(`data.builtin.${shape}`, { count: rows, rows: whole(rows), size: size(bytes), licence, source }),
          has(`set.${name}`) ? t(`set.${name}`) : "",
        ),
      );
    const own = this.#choice(OWN, t(`data.own.${shape}`), t(`data.ownHelp.${shape}`), "");
    this.#choices.replaceChildren(...builtins, own);
  }

  /**
   * @param {string} value
   * @param {string} title
   * @param {string} about
   * @param {string} what
   */
  #choice(value, title, about, what) {
    const radio = h("input", {
      type: "radio",
      name: "text",
      value,
      "data-testid": `text-${value}`,
      onchange: () => this.#state.set({ text: value }),
    });
    const label = h("span", {}, h("b", {}, title), what, h("small", { class: "hint" }, about));
    return h("label", { class: "choice" }, radio, label);
  }

  /** A few rows, to see what there is to learn. */
  #drawRows() {
    const { loaded, trouble } = this.#data;
    this.#trouble.hidden = trouble === undefined;
    const reason = trouble instanceof Error ? trouble.message : String(trouble);
    if (trouble !== undefined) this.#trouble.replaceChildren(h("p", {}, t("data.fetchFailed", { reason })));
    // A person's own are shown where they are given.
    const rows = loaded && loaded.name !== OWN && "rows" in loaded.training ? loaded.training.rows : [];
    this.#rows.hidden = rows.length === 0;
    if (!loaded || rows.length === 0) return;
    const shape = shapeOf(loaded.task);
    const ceiling = loaded.ceiling;
    this.#rows.replaceChildren(
      h("h3", {}, t("data.sample")),
      h(
        "ul",
        {},
        rows.slice(0, SHOWN).map((/** @type {Row} */ row) =>
          h(
            "li",
            {},
            inputOf(row, shape).map((text) => h("span", { class: "sample-text" }, text)),
            h("span", { class: "sample-answer" }, answerOf(row, shape)),
          ),
        ),
      ),
      ...(ceiling === undefined
        ? []
        : [h("p", { class: "hint" }, t("race.ceiling", { value: percent(ceiling, 1) }))]),
    );
  }
}
