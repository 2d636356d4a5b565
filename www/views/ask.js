// One question, one column a model, every model's answer: the box that people try their own sentences in.
import { calmly, freshId, h, setText } from "../dom.js";
import { codeOf, explain } from "../errors.js";
import { fieldView, firstWrong, helpOf } from "../field.js";
import { FIELDS } from "../fields.js";
import { follow } from "../follow.js";
import { whole } from "../format.js";
import { kindName, labelOf } from "../kinds.js";
import { t } from "../messages/index.js";
import { answerOf, inputOf, shapeOf } from "../tasks.js";
import { entriesOf, keepColumns } from "./bench.js";

/** @typedef {import("./bench.js").Bench} Bench */
/** @typedef {import("../entry.js").Entry} Entry */
/** @typedef {import("../state.js").Settings} Settings */
/** @typedef {import("../tasks.js").Row} Row */
/**
 * @typedef {{ element: HTMLElement, body: HTMLElement, foot: HTMLElement, step: number, asked: string }} Column
 */

/**
 * What is asked, and how an answer looks.
 *
 * @template Answer
 * @typedef {object} Manner
 * @property {string} name of its messages
 * @property {("prompt" | "second")[]} boxes settings that hold what is asked
 * @property {string[]} [fields] further settings
 * @property {(entry: Entry, texts: string[], settings: Settings, signal: AbortSignal) => Promise<Answer>} ask
 * @property {(answer: Answer, entry: Entry, texts: string[], known?: string) => (Node | string)[]} draw
 *   `known`: the right answer, if the data has it
 * @property {(texts: string[]) => string} [refuse] a message's key if there is nothing to ask in these texts
 */

/** Milliseconds of rest in typing after which answers follow. */
const TYPING = 400;

/** @template Answer */
export class Ask {
  /** @type {HTMLElement} */
  element;
  #bench;
  #manner;
  /** @type {Map<string, HTMLTextAreaElement>} */
  #boxes = new Map();
  /** @type {import("../field.js").FieldView[]} */
  #fields;
  #ask = h(
    "button",
    { type: "button", class: "primary", "data-testid": "ask", onclick: () => this.#press() },
    t("ask.ask"),
  );
  #another = h(
    "button",
    { type: "button", "data-testid": "another-row", onclick: () => this.#takeRow() },
    t("ask.another"),
  );
  #columns = h("div", {
    class: "columns answers",
    tabindex: 0,
    role: "region",
    "aria-label": t("ask.columns"),
  });
  #empty = h("p", { class: "hint" }, t("ask.empty"));
  #problem = h("p", { class: "hint wrong", role: "status", "data-testid": "ask-problem" });
  #known = h("p", { class: "hint", "data-testid": "known-answer" });
  #spoken = h("p", { class: "visually-hidden", role: "status" });
  /** @type {Map<string, Column>} */
  #shown = new Map();
  /** Boxes that a person is typing in: what is in them is not in the settings yet. @type {Set<string>} */
  #typed = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #typing;
  /** @type {AbortController | undefined} */
  #abort;
  #row = 0;
  #follow;
  #extra;

  /**
   * @param {Bench} bench
   * @param {Manner<Answer>} manner
   * @param {{ element: HTMLElement, show: (texts: string[]) => void }} [extra] stands below the boxes and is shown what
   *   is in them
   */
  constructor(bench, manner, extra) {
    this.#bench = bench;
    this.#manner = manner;
    this.#extra = extra;
    const { state, lab, data } = bench;
    const { name, boxes, fields = [] } = manner;
    this.#fields = fields.map((field) => this.#field(field));
    this.element = h(
      "section",
      { id: "answers", "aria-labelledby": "answers-title" },
      h("div", { class: "head" }, h("h2", { id: "answers-title" }, t(`answers.${name}.title`))),
      h("p", { class: "lead" }, t(`answers.${name}.lead`)),
      h(
        "div",
        { class: "ask-controls" },
        boxes.map((box) => this.#box(box)),
        this.#fields.map(({ element }) => element),
      ),
      extra?.element ?? null,
      this.#problem,
      h("div", { class: "row actions" }, this.#ask, this.#another, this.#known),
      this.#empty,
      this.#columns,
      this.#spoken,
    );
    this.#follow = follow(
      lab,
      this.element,
      () => this.#askAll(),
      () => entriesOf(bench).some((entry) => this.#shown.get(entry.id)?.step !== entry.model.step),
    );
    const draw = calmly(() => this.#draw());
    lab.addEventListener("entries", draw);
    state.listen(() => this.#fill());
    data.addEventListener("data", () => {
      this.#row = 0;
      this.#fill();
      void this.#follow();
    });
  }

  /** It has come into the page. */
  shown() {
    this.#fill();
    this.#draw();
  }

  /** @param {"prompt" | "second"} name */
  #box(name) {
    const id = freshId();
    const box = h("textarea", {
      id,
      rows: 2,
      "data-testid": name,
      spellcheck: "false",
      oninput: () => {
        this.#typed.add(name);
        clearTimeout(this.#typing);
        this.#typing = setTimeout(() => {
          this.#take();
          void this.ask();
        }, TYPING);
      },
      onchange: () => this.#take(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        this.#take();
        this.#press();
      },
    });
    this.#boxes.set(name, box);
    return h(
      "div",
      { class: "field prompt" },
      h("label", { for: id }, t(`answers.${this.#manner.name}.${name}`)),
      box,
    );
  }

  /** Puts what was typed into the settings. */
  #take() {
    clearTimeout(this.#typing);
    const typed = [...this.#typed].map((name) => [name, this.#boxes.get(name)?.value ?? ""]);
    this.#typed.clear();
    if (typed.length > 0) this.#bench.state.set(Object.fromEntries(typed));
  }

  /** @param {string} name */
  #field(name) {
    const { state } = this.#bench;
    const view = fieldView({
      name,
      field: FIELDS[name],
      label: t(`field.${name}`),
      help: helpOf(name, state.settings.task),
      change: (value) => {
        state.set({ [name]: value });
        void this.ask();
      },
    });
    const show = () => view.show(/** @type {Record<string, any>} */ (state.settings)[name]);
    view.input.addEventListener("input", () => this.#showProblem());
    state.listen(show);
    show();
    return view;
  }

  /** A test row that a person has not seen yet. */
  #takeRow() {
    const { data, state } = this.#bench;
    const { loaded } = data;
    if (!loaded || loaded.test.length === 0) return;
    this.#row = (this.#row + 1) % loaded.test.length;
    const input = inputOf(loaded.test[this.#row], shapeOf(loaded.task));
    const boxes = this.#manner.boxes.map((name, index) => [name, input[index] ?? ""]);
    state.set(Object.fromEntries(boxes));
    void this.ask();
  }

  /** Boxes show the settings, or a test row where a person has written nothing. */
  #fill() {
    if (!this.element.isConnected) return; // the settings are those of another task
    const { state, data } = this.#bench;
    const { loaded, watched } = data;
    this.#manner.boxes.forEach((name, index) => {
      const box = /** @type {HTMLTextAreaElement} */ (this.#boxes.get(name));
      if (document.activeElement === box || this.#typed.has(name)) return;
      const example = loaded && watched[0] ? inputOf(watched[0], shapeOf(loaded.task))[index] : "";
      box.value = state.settings[name] || example || "";
    });
    this.#another.hidden = !loaded || loaded.test.length === 0;
    this.#showProblem();
  }

  /** What stands in the boxes. */
  get texts() {
    return this.#manner.boxes.map((name) => this.#boxes.get(name)?.value ?? "");
  }

  #showProblem() {
    const { texts } = this;
    this.#extra?.show(texts);
    const key = texts.some((text) => text.trim() === "")
      ? "ask.nothing"
      : (this.#manner.refuse?.(texts) ?? "");
    const problem = firstWrong(this.#fields)?.trouble() ?? (key && t(key));
    this.#problem.hidden = problem === "";
    setText(this.#problem, problem);
    const known = this.#knownAnswer();
    setText(this.#known, known === undefined ? "" : t("ask.known", { answer: known }));
    return problem !== "";
  }

  /** The answer that the test data gives to what is asked. */
  #knownAnswer() {
    const { loaded } = this.#bench.data;
    if (!loaded || loaded.test.length === 0) return undefined;
    const shape = shapeOf(loaded.task);
    const asked = JSON.stringify(this.texts);
    const row = loaded.test.find((one) => JSON.stringify(inputOf(one, shape)) === asked);
    return row && answerOf(row, shape);
  }

  /** A person wants answers: as the fields say, or not before what is wrong in them is mended. */
  #press() {
    const wrong = firstWrong(this.#fields);
    if (!wrong) return void this.ask();
    wrong.input.focus();
    this.#showProblem();
  }

  /** Asks every model on the bench; training waits meanwhile. */
  async ask() {
    this.#abort?.abort();
    setText(this.#spoken, "");
    await this.#follow();
    if (!this.#problem.hidden || entriesOf(this.#bench).length === 0) return;
    setText(this.#spoken, t("ask.done"));
  }

  async #askAll() {
    const abort = (this.#abort = new AbortController());
    const refused = this.#showProblem();
    this.#draw();
    if (refused) return;
    const { texts } = this;
    const known = this.#knownAnswer();
    for (const entry of entriesOf(this.#bench)) {
      if (abort.signal.aborted) return;
      await this.#answer(entry, texts, known, abort.signal);
    }
  }

  /**
   * @param {Entry} entry
   * @param {string[]} texts
   * @param {string | undefined} known
   * @param {AbortSignal} signal
   */
  async #answer(entry, texts, known, signal) {
    const { lab, state } = this.#bench;
    const { ask, draw } = this.#manner;
    const column = this.#shown.get(entry.id);
    if (!column) return;
    try {
      const answer = await lab.between(() => ask(entry, texts, state.settings, signal));
      column.body.replaceChildren(...draw(answer, entry, texts, known));
    } catch (error) {
      if (["aborted", "disposed"].includes(codeOf(error))) return;
      column.body.replaceChildren(h("p", { class: "hint wrong" }, explain(error)));
    }
    column.step = entry.model.step;
    column.asked = JSON.stringify(texts);
    setText(column.foot, t("ask.after", { count: entry.model.step, step: whole(entry.model.step) }));
  }

  #draw() {
    if (!this.element.isConnected) return;
    const entries = entriesOf(this.#bench);
    this.#empty.hidden = entries.length > 0;
    this.#columns.hidden = entries.length === 0;
    this.#ask.disabled = entries.length === 0;
    keepColumns(this.#columns, this.#shown, entries, (entry) => {
      const body = h("div", { class: "answer-body", "data-testid": `answer-${entry.kind}` });
      const foot = h("small", { class: "hint" }, t("ask.silent"));
      const label = labelOf(entry.kind);
      const attributes = { class: "column", "data-kind": entry.kind, "aria-label": label };
      const element = h("article", attributes, h("h3", {}, kindName(entry.kind)), body, foot);
      return { element, body, foot, step: -1, asked: "" };
    });
  }
}
