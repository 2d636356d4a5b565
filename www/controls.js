// The experiment as one sentence, and the panels that unfold from it.
import { freshId, h, setText } from "./dom.js";
import { describe, fieldView, firstWrong, helpOf } from "./field.js";
import { conflicts, CORES, fieldOf } from "./fields.js";
import { size, whole } from "./format.js";
import { KindPicker } from "./kind-picker.js";
import { infoOf, kindName } from "./kinds.js";
import { has, language, said, t, tNodes } from "./messages/index.js";
import { shapeOf, TOKENIZERS } from "./tasks.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./field.js").FieldView} FieldView */
/** @typedef {import("synthattn").KindInfo} KindInfo */

/**
 * What the package calls the page's settings, to put its complaints beside the right field.
 *
 * @type {Record<string, string>}
 */
const OPTION_FIELDS = {
  dModel: "width",
  heads: "heads",
  layers: "layers",
  maxLength: "length",
  dropout: "dropout",
  tokenizer: "tokenizer",
  "tokenizer.vocabulary": "vocabulary",
  seed: "seed",
  steps: "steps",
  batch: "batch",
  learningRate: "rate",
  warmup: "warmup",
  schedule: "schedule",
  validation: "validation",
  workers: "workers",
};

const BUDGET = ["steps", "batch", "rate", "warmup", "schedule", "validation", "workers"];
const SIZE = ["layers", "width", "heads", "length", "tokenizer", "vocabulary", "dropout"];

/**
 * Fields that do nothing in some settings.
 *
 * @type {Record<string, (settings: import("./state.js").Settings) => boolean>}
 */
const NEEDED = {
  validation: ({ task }) => shapeOf(task).input.length === 0,
  vocabulary: ({ tokenizer }) => TOKENIZERS[tokenizer].sized,
  workers: ({ device }) => CORES > 1 && device !== "webgpu",
};

/** Fields with more to say than fits below one: they have the place of two. */
const ROOMY = ["workers"];

/** More kinds than this are counted in the sentence, not named. */
const NAMED = 6;

export class Controls {
  /** @type {HTMLElement} */
  element;
  #state;
  #data;
  /** @type {Map<string, FieldView>} */
  #fields = new Map();
  /** @type {{ button: HTMLButtonElement, panel: HTMLElement }[]} */
  #panels = [];
  #picker;
  #kindOptions = h("div", { class: "kind-options" });
  #kindOptionsOf = "";
  #kindsNow = h("span", { class: "kinds-now" });
  #task;
  #textNow;
  #budgetNow;
  #sizeNow;
  #about = h("p", { class: "hint about-data", "data-testid": "about-data" });
  #refused = h("div", { class: "notice", hidden: true, role: "status", "data-testid": "link-notice" });

  /**
   * @param {State} state
   * @param {KindInfo[]} kinds
   * @param {import("./data.js").DataSource} data
   * @param {import("./data-panel.js").DataPanel} dataPanel
   */
  constructor(state, kinds, data, dataPanel) {
    this.#state = state;
    this.#data = data;
    const textPanel = this.#panel("text", dataPanel.element);
    const budget = this.#panel("budget", this.#grid(BUDGET));
    const model = this.#panel("size", h("div", {}, this.#grid(SIZE), this.#kindOptions));
    this.#textNow = textPanel.button;
    this.#budgetNow = budget.button;
    this.#sizeNow = model.button;
    this.#task = this.#taskPicker();
    this.#picker = new KindPicker(state, kinds);
    const sentence = h(
      "p",
      { class: "sentence" },
      ...tNodes("experiment.sentence", {
        kinds: this.#kindsNow,
        task: this.#task,
        text: textPanel.button,
        budget: budget.button,
        size: model.button,
        seed: this.#field("seed", true).element,
      }),
    );
    this.element = h(
      "section",
      { id: "experiment", "aria-labelledby": "experiment-title" },
      h("h2", { id: "experiment-title", class: "visually-hidden" }, t("experiment.title")),
      this.#refused,
      sentence,
      this.#about,
      ...this.#panels.map(({ panel }) => panel),
      ...this.#picker.elements,
    );
    state.listen(() => this.#show());
    data.addEventListener("data", () => this.#showSentence());
    this.#show();
  }

  /** Checks everything; shows and focuses what is wrong first. Returns whether Compare may go ahead. */
  check() {
    this.#show();
    const wrong = this.#wrong();
    if (wrong) this.#reveal(wrong.input);
    else if (this.#state.settings.kinds.length === 0) this.#picker.focus();
    return this.trouble() === "";
  }

  /** What keeps a run from starting; empty if nothing does. */
  trouble() {
    const { kinds } = conflicts(this.#state.settings);
    return this.#wrong()?.trouble() ?? (kinds ? describe(kinds) : "");
  }

  #wrong() {
    return firstWrong([...this.#fields].filter(([name]) => this.#needed(name)).map(([, view]) => view));
  }

  /**
   * Shows the package's complaint about an option beside its field. Returns whether there is such a field.
   *
   * @param {string} option
   * @param {string} expected
   * @param {string} kind whose model was being made
   */
  complain(option, expected, kind) {
    const name = option.replace(/^attention\./, "");
    const view = this.#fields.get(OPTION_FIELDS[name] ?? `${kind}.${name}`);
    if (!view) return false;
    view.complain({ key: "problem.package", values: { expected: said(expected) } });
    this.#reveal(view.input);
    return true;
  }

  /** Opens the panel of the data. */
  openText() {
    this.#open(this.#panels[0]);
  }

  /** @param {HTMLElement} input */
  #reveal(input) {
    const panel = this.#panels.find((one) => one.panel.contains(input));
    if (panel) this.#open(panel);
    input.focus();
  }

  #taskPicker() {
    const select = h(
      "select",
      {
        class: "inline",
        "aria-label": t("experiment.task"),
        "data-testid": "task",
        onchange: () => this.#state.set({ task: select.value }),
      },
      this.#state.tasks.map((task) => h("option", { value: task.name }, t(`task.${task.name}`))),
    );
    return select;
  }

  /** @param {string} name @param {HTMLElement} content */
  #panel(name, content) {
    const id = freshId();
    const button = h("button", {
      type: "button",
      class: "unfold",
      "aria-expanded": "false",
      "aria-controls": id,
      "data-testid": `open-${name}`,
      onclick: () => (panel.hidden ? this.#open(made) : this.#close()),
    });
    const panel = h(
      "div",
      {
        id,
        class: "panel",
        role: "group",
        "aria-label": t(`panel.${name}`),
        hidden: true,
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key !== "Escape") return;
          this.#close();
          button.focus();
        },
      },
      content,
    );
    const made = { button, panel };
    this.#panels.push(made);
    return made;
  }

  /** @param {{ button: HTMLButtonElement, panel: HTMLElement }} opened */
  #open(opened) {
    for (const one of this.#panels) {
      one.panel.hidden = one !== opened;
      one.button.setAttribute("aria-expanded", String(one === opened));
    }
  }

  #close() {
    for (const { button, panel } of this.#panels) {
      panel.hidden = true;
      button.setAttribute("aria-expanded", "false");
    }
  }

  /** @param {string[]} names */
  #grid(names) {
    return h(
      "div",
      { class: "panel-grid" },
      names.map((name) => this.#field(name).element),
    );
  }

  /** @param {string} name @param {boolean} [bare] */
  #field(name, bare = false) {
    const view = fieldView({
      name,
      field: this.#fieldOf(name),
      label: t(`field.${name}`),
      help: helpOf(name, this.#state.settings.task),
      bare,
      choiceLabel: (choice) => t(`choice.${choice}`),
      change: (value) => this.#state.set({ [name]: value }),
    });
    view.element.classList.toggle("roomy", ROOMY.includes(name));
    this.#fields.set(name, view);
    return view;
  }

  /** @param {string} name */
  #fieldOf(name) {
    return /** @type {import("./fields.js").Field} */ (fieldOf(name, this.#state.settings.task));
  }

  /** @param {string} name */
  #needed(name) {
    return NEEDED[name]?.(this.#state.settings) ?? true;
  }

  #show() {
    const { settings } = this.#state;
    const found = conflicts(settings);
    for (const [name, view] of this.#fields) {
      if (name in settings) {
        view.limit(this.#fieldOf(name), helpOf(name, settings.task));
        view.show(/** @type {Record<string, any>} */ (settings)[name]);
        view.element.hidden = !this.#needed(name);
      }
      view.complain(found[name]);
    }
    this.#task.value = settings.task;
    this.#picker.show();
    this.#showSentence();
    this.#showKindOptions();
    this.#showRefused();
  }

  #showSentence() {
    const { kinds, steps, layers, width, heads } = this.#state.settings;
    const list = new Intl.ListFormat(language, { type: "conjunction" });
    const named = kinds.length <= NAMED && kinds.length > 0;
    this.#kindsNow.replaceChildren(
      ...(named
        ? list.formatToParts(kinds).map(({ type, value }) => (type === "element" ? kindName(value) : value))
        : [t("experiment.countedKinds", { count: kinds.length })]),
    );
    setText(this.#textNow, this.#data.title);
    setText(this.#budgetNow, t("experiment.budget", { count: steps, steps: whole(steps) }));
    setText(this.#sizeNow, t("experiment.size", { count: layers, layers, width, heads }));
    this.#showAbout();
  }

  /** Where the data comes from, and under which licence. */
  #showAbout() {
    const { info, loaded } = this.#data;
    const own = loaded && "rows" in loaded.training ? loaded.training.rows.length : 0;
    if (info) setText(this.#about, aboutBuiltin(info, shapeOf(this.#state.settings.task).input.length > 0));
    else if (loaded)
      setText(this.#about, t("data.ownSplit", { training: whole(own), test: whole(loaded.test.length) }));
    else setText(this.#about, "");
    this.#about.hidden = this.#about.textContent === "";
  }

  /** Fields for the options of the chosen kinds, as the table of kinds describes them. */
  #showKindOptions() {
    const { kinds, options } = this.#state.settings;
    const key = JSON.stringify([kinds, options]);
    if (key === this.#kindOptionsOf) return;
    this.#kindOptionsOf = key;
    const holdsFocus = this.#kindOptions.contains(document.activeElement)
      ? document.activeElement?.getAttribute("name")
      : undefined;
    for (const name of this.#fields.keys()) if (name.includes(".")) this.#fields.delete(name);
    this.#kindOptions.replaceChildren(
      ...kinds.flatMap((name) => {
        const wanted = infoOf(name)?.options ?? [];
        if (wanted.length === 0) return [];
        return h(
          "fieldset",
          {},
          h("legend", {}, kindName(name)),
          h(
            "div",
            { class: "panel-grid" },
            wanted.map((option) => this.#optionField(name, option).element),
          ),
        );
      }),
    );
    if (holdsFocus) this.#fields.get(holdsFocus)?.input.focus();
  }

  /** @param {string} kind @param {import("synthattn").OptionInfo} option */
  #optionField(kind, option) {
    const name = `${kind}.${option.name}`;
    const isChoice = option.type === "choice";
    const view = fieldView({
      name,
      field: option,
      label: t(`field.option.${option.name}`),
      help: option.help,
      placeholder: isChoice ? undefined : t("field.usual"),
      choiceLabel: (choice) => t(`choice.${choice}`),
      change: (value) => {
        const options = structuredClone(this.#state.settings.options);
        const own = (options[kind] ??= {});
        // A number's default follows the model's size, so a number is kept even if it equals the table's.
        if (value === undefined || (isChoice && value === option.default)) delete own[option.name];
        else own[option.name] = value;
        if (Object.keys(own).length === 0) delete options[kind];
        this.#state.set({ options });
      },
    });
    const chosen = this.#state.settings.options[kind]?.[option.name];
    view.show(chosen ?? (isChoice ? option.default : undefined));
    this.#fields.set(name, view);
    return view;
  }

  #showRefused() {
    const { refused } = this.#state;
    this.#refused.hidden = refused.length === 0;
    this.#refused.replaceChildren(
      ...refused.map(({ name, problem }) => {
        // What is a sentence beside a field goes into one here.
        const own = `link.${problem.key}`;
        const reason = describe(has(own) ? { ...problem, key: own } : problem);
        return h("p", {}, problem.key === "link.kinds" ? reason : t("link.refused", { name, reason }));
      }),
    );
  }
}

/** @param {import("synthattn").TaskInfo["builtins"][number]} info @param {boolean} inRows */
function aboutBuiltin({ label, rows, testRows, bytes, licence, source }, inRows) {
  return inRows
    ? t("data.about.rows", {
        label,
        training: whole(rows - testRows),
        test: whole(testRows),
        licence,
        source,
      })
    : t("data.about.text", { label, size: size(bytes), licence, source });
}
