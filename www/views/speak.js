// One prompt, one column a model, all of them writing at once.
import { calmly, freshId, h, setText } from "../dom.js";
import { notice } from "../errors.js";
import { fieldView, firstWrong, helpOf } from "../field.js";
import { whole } from "../format.js";
import { kindName, labelOf } from "../kinds.js";
import { isAborted } from "../lab.js";
import { t } from "../messages/index.js";
import { FIELDS } from "../fields.js";
import { entriesOf, keepColumns } from "./bench.js";

/** @typedef {import("../entry.js").Entry} Entry */
/** @typedef {{ element: HTMLElement, prompt: HTMLElement, output: Text, foot: HTMLElement }} Column */

export class Speak {
  /** @type {HTMLElement} */
  element;
  #bench;
  #lab;
  #state;
  #prompt;
  #button = h(
    "button",
    { type: "button", class: "primary", "data-testid": "speak", onclick: () => void this.#ask() },
    t("speak.speak"),
  );
  #quiet = h(
    "button",
    { type: "button", "data-testid": "quiet", onclick: () => this.#abort?.abort() },
    t("speak.stop"),
  );
  #columns = h("div", { class: "columns", tabindex: 0, role: "region", "aria-label": t("speak.columns") });
  #empty = h("p", { class: "hint" }, t("speak.empty"));
  #notice = notice("speak-error");
  #announcement = h("p", { class: "visually-hidden", role: "status" });
  /** @type {Map<string, Column>} */
  #shown = new Map();
  /** @type {AbortController | undefined} */
  #abort;
  #spoken = false;
  /** @type {import("../field.js").FieldView[]} */
  #fields;

  /** @param {import("./bench.js").Bench} bench */
  constructor(bench) {
    const { lab, state } = bench;
    this.#bench = bench;
    this.#lab = lab;
    this.#state = state;
    const promptId = freshId();
    this.#prompt = h("textarea", {
      id: promptId,
      rows: 2,
      "data-testid": "prompt",
      spellcheck: "false",
      value: state.settings.prompt,
      onchange: () => state.set({ prompt: this.#prompt.value }),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        void this.#ask();
      },
    });
    this.#fields = ["temperature", "topK", "tokens", "sampleSeed"].map((name) => {
      const view = fieldView({
        name,
        field: FIELDS[name],
        label: t(`field.${name}`),
        help: helpOf(name, state.settings.task),
        change: (value) => state.set({ [name]: value }),
      });
      const show = () => view.show(/** @type {Record<string, any>} */ (state.settings)[name]);
      state.listen(show);
      show();
      return view;
    });
    state.listen(() => {
      if (document.activeElement !== this.#prompt) this.#prompt.value = state.settings.prompt;
      draw();
    });
    this.element = h(
      "section",
      { id: "speak", "aria-labelledby": "speak-title" },
      h("div", { class: "head" }, h("h2", { id: "speak-title" }, t("speak.title"))),
      h("p", { class: "lead" }, t("speak.lead")),
      h(
        "div",
        { class: "speak-controls" },
        h("div", { class: "field prompt" }, h("label", { for: promptId }, t("speak.prompt")), this.#prompt),
        ...this.#fields.map(({ element }) => element),
        h("div", { class: "row actions" }, this.#button, this.#quiet),
      ),
      this.#notice.element,
      this.#empty,
      this.#columns,
      this.#announcement,
    );
    const draw = calmly(() => this.#draw());
    lab.addEventListener("entries", draw);
    lab.addEventListener("phase", () => {
      if (lab.phase === "preparing") this.#spoken = false;
      // The race is over: let them be heard once without being asked.
      const here = this.element.isConnected && entriesOf(bench).length > 0;
      if (lab.phase === "done" && !this.#spoken && here && !firstWrong(this.#fields)) void this.speak();
    });
  }

  /** It has come into the page. */
  shown() {
    this.#draw();
  }

  /** A person wants to hear them: as the fields say, or not before what is wrong in them is mended. */
  async #ask() {
    const wrong = firstWrong(this.#fields);
    if (!wrong) return this.speak();
    wrong.input.focus();
    setText(this.#announcement, wrong.trouble());
  }

  /** Lets every model on the bench go on from the prompt. Training waits meanwhile. */
  async speak() {
    if (this.#prompt.value !== this.#state.settings.prompt) this.#state.set({ prompt: this.#prompt.value });
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    this.#spoken = true;
    this.#notice.clear();
    this.#quiet.disabled = false;
    this.#draw();
    for (const { foot } of this.#shown.values()) setText(foot, t("speak.waiting"));
    try {
      await this.#lab.between(() =>
        Promise.all(entriesOf(this.#bench).map((entry) => this.#stream(entry, abort.signal))),
      );
      if (!abort.signal.aborted) setText(this.#announcement, t("speak.done"));
    } catch (error) {
      if (!abort.signal.aborted) this.#notice.fail(error);
    } finally {
      if (this.#abort === abort) this.#quiet.disabled = true;
    }
  }

  /** @param {Entry} entry @param {AbortSignal} signal */
  async #stream(entry, signal) {
    const column = this.#shown.get(entry.id);
    if (!column || signal.aborted) return;
    const { prompt, temperature, topK, tokens, sampleSeed } = this.#state.settings;
    setText(column.prompt, prompt);
    column.output.data = "";
    const options = {
      maxTokens: tokens,
      temperature,
      topK: topK === 0 ? undefined : topK,
      seed: sampleSeed,
      signal,
    };
    const pieces = entry.model.generate(prompt, definedOnly(options));
    try {
      while (true) {
        const { value, done } = await pieces.next();
        if (done) {
          setText(
            column.foot,
            t("speak.ended", {
              count: value.tokens,
              tokens: whole(value.tokens),
              step: whole(entry.model.step),
            }),
          );
          return;
        }
        column.output.appendData(value);
        setText(column.foot, t("speak.writing"));
      }
    } catch (error) {
      setText(column.foot, t("speak.stopped"));
      if (!isAborted(error)) throw error;
    }
  }

  #draw() {
    if (!this.element.isConnected) return; // the models are those of another task
    const entries = entriesOf(this.#bench);
    this.#empty.hidden = entries.length > 0;
    this.#columns.hidden = entries.length === 0;
    this.#button.disabled = entries.length === 0;
    if (!this.#abort) this.#quiet.disabled = true;
    keepColumns(this.#columns, this.#shown, entries, columnOf);
  }
}

/** @param {Entry} entry @returns {Column} */
function columnOf(entry) {
  const prompt = h("span", { class: "said" });
  const output = document.createTextNode("");
  const foot = h("small", { class: "hint" }, t("speak.silent"));
  const element = h(
    "article",
    { class: "column", "data-kind": entry.kind, "aria-label": labelOf(entry.kind) },
    h("h3", {}, kindName(entry.kind)),
    h(
      "p",
      // Focusable, so that the keyboard can move a long text.
      { class: "speech", "data-testid": `speech-${entry.kind}`, tabindex: 0, role: "region", "aria-label": labelOf(entry.kind) },
      prompt,
      h("span", { class: "new" }, output),
    ),
    foot,
  );
  return { element, prompt, output, foot };
}

/**
 * Options that have a value: the package refuses the others.
 *
 * @template {object} T
 * @param {T} options
 * @returns {T}
 */
function definedOnly(options) {
  return /** @type {T} */ (
    Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  );
}
