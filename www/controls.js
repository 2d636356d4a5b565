// The experiment as one sentence, the kinds by what they see, and the panels that unfold from the sentence.
import { freshId, h, setText } from "./dom.js";
import { fieldView, helpOf, describe } from "./field.js";
import { whole } from "./format.js";
import { infoOf, kindName, labelOf, lineSample, pictogram, SIGHTS, sightOf } from "./kinds.js";
import { language, t, tNodes } from "./messages/index.js";
import { conflicts, FIELDS, FIRST_KINDS, SHOWN_TASKS } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Problem} Problem */
/** @typedef {import("./field.js").FieldView} FieldView */
/** @typedef {import("synthattn").KindInfo} KindInfo */
/** @typedef {import("synthattn").TaskInfo} TaskInfo */

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
  tokenizer: "tokenizer",
  seed: "seed",
  steps: "steps",
  batch: "batch",
  learningRate: "rate",
  warmup: "warmup",
  schedule: "schedule",
  validation: "validation",
};

/** More kinds than this are counted in the sentence, not named. */
const NAMED = 6;

export class Controls {
  /** @type {HTMLElement} */
  element;
  #state;
  #texts;
  /** @type {Map<string, FieldView>} */
  #fields = new Map();
  /** @type {{ button: HTMLButtonElement, panel: HTMLElement }[]} */
  #panels = [];
  /** @type {Map<string, HTMLButtonElement>} */
  #chips = new Map();
  #kindOptions = h("div", { class: "kind-options" });
  #kindOptionsOf = "";
  #kindsNow = h("span", { class: "kinds-now" });
  #textNow;
  #budgetNow;
  #sizeNow;
  #card = h("p", { class: "kind-card" });
  #more = h("button", {
    type: "button",
    class: "quiet more",
    "data-testid": "more-kinds",
    "aria-expanded": "false",
    onclick: () => this.#showAll(),
  });
  #all = false;
  #kindsProblem = h("p", { class: "hint wrong", role: "status" });
  #refused = h("div", { class: "notice", hidden: true, role: "status", "data-testid": "link-notice" });

  /**
   * @param {State} state
   * @param {KindInfo[]} kinds
   * @param {TaskInfo[]} tasks
   * @param {import("./text-panel.js").TextPanel} texts
   */
  constructor(state, kinds, tasks, texts) {
    this.#state = state;
    this.#texts = texts;
    const textPanel = this.#panel("text", texts.element);
    const budget = this.#panel(
      "budget",
      this.#grid(["steps", "batch", "rate", "warmup", "schedule", "validation"]),
    );
    const model = this.#panel(
      "size",
      h("div", {}, this.#grid(["layers", "width", "heads", "length", "tokenizer"]), this.#kindOptions),
    );
    this.#textNow = textPanel.button;
    this.#budgetNow = budget.button;
    this.#sizeNow = model.button;
    const sentence = h(
      "p",
      { class: "sentence" },
      ...tNodes("experiment.sentence", {
        kinds: this.#kindsNow,
        task: this.#taskPicker(tasks),
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
      ...this.#panels.map(({ panel }) => panel),
      this.#sights(kinds),
      this.#kindsProblem,
      h("div", { class: "under-sights" }, this.#more, this.#card),
    );
    state.listen(() => this.#show());
    void texts.ready.then(() => this.#show());
    this.#describeKind();
    this.#show();
  }

  /** Checks everything; shows and focuses what is wrong first. Returns whether Compare may go ahead. */
  check() {
    this.#show();
    const wrong = [...this.#fields].find(([, view]) => !view.valid());
    if (wrong) this.#reveal(wrong[1].input);
    else if (this.#state.settings.kinds.length === 0) this.#chips.values().next().value?.focus();
    return !wrong && this.#state.settings.kinds.length > 0;
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
    view.complain({ key: "problem.package", values: { expected } });
    this.#reveal(view.input);
    return true;
  }

  /** Opens the text panel. */
  openText() {
    this.#open(this.#panels[0]);
  }

  /** @param {HTMLElement} input */
  #reveal(input) {
    const panel = this.#panels.find((one) => one.panel.contains(input));
    if (panel) this.#open(panel);
    input.focus();
  }

  /** @param {TaskInfo[]} tasks */
  #taskPicker(tasks) {
    const shown = tasks.filter((task) => SHOWN_TASKS.includes(task.name));
    /** @param {TaskInfo} task */
    const name = (task) => t(`task.${task.name}`);
    if (shown.length < 2) return h("span", {}, shown.map(name));
    const select = h(
      "select",
      {
        class: "inline",
        "aria-label": t("experiment.task"),
        value: this.#state.settings.task,
        "data-testid": "task",
        onchange: () => this.#state.set({ task: select.value }),
      },
      shown.map((task) => h("option", { value: task.name }, name(task))),
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
      field: FIELDS[name],
      label: t(`field.${name}`),
      help: helpOf(name),
      bare,
      choiceLabel: (choice) => t(`choice.${choice}`),
      change: (value) => this.#state.set({ [name]: value }),
    });
    this.#fields.set(name, view);
    return view;
  }

  /** Four columns, from blind to all-seeing, each with its kinds as switches. @param {KindInfo[]} kinds */
  #sights(kinds) {
    return h(
      "div",
      { class: "sights", role: "group", "aria-label": t("experiment.kinds") },
      SIGHTS.map((sight) =>
        h(
          "div",
          { class: "sight" },
          h("h3", {}, pictogram(sight), t(`sight.${sight}`)),
          h("p", {}, t(`sight.${sight}.text`)),
          h(
            "div",
            { class: "chips" },
            kinds.filter((kind) => kind.causal && sightOf(kind) === sight).map((kind) => this.#chip(kind)),
          ),
        ),
      ),
    );
  }

  /** @param {KindInfo} kind */
  #chip(kind) {
    const id = freshId();
    const describeIt = () => this.#describeKind(kind);
    const chip = h(
      "button",
      {
        type: "button",
        class: "chip",
        "aria-pressed": "false",
        "aria-describedby": id,
        "data-testid": `kind-${kind.name}`,
        "data-kind": kind.name,
        hidden: !FIRST_KINDS.includes(kind.name),
        onclick: () => this.#toggle(kind.name),
        onpointerenter: describeIt,
        onfocus: describeIt,
      },
      lineSample(kind.name),
      kind.label,
      h("span", { id, class: "visually-hidden" }, kind.summary),
    );
    this.#chips.set(kind.name, chip);
    return chip;
  }

  /** A few kinds are enough to begin with; the others come when asked for. */
  #showAll() {
    this.#all = !this.#all;
    for (const [name, chip] of this.#chips)
      chip.hidden = !this.#all && !this.#state.settings.kinds.includes(name) && !FIRST_KINDS.includes(name);
    this.#showMore();
  }

  #showMore() {
    const hidden = [...this.#chips.values()].filter((chip) => chip.hidden).length;
    this.#more.hidden = !this.#all && hidden === 0;
    this.#more.setAttribute("aria-expanded", String(this.#all));
    setText(
      this.#more,
      this.#all ? t("experiment.fewerKinds") : t("experiment.moreKinds", { count: hidden }),
    );
  }

  /** @param {string} name */
  #toggle(name) {
    const { kinds } = this.#state.settings;
    const order = [...this.#chips.keys()];
    const next = kinds.includes(name) ? kinds.filter((kind) => kind !== name) : [...kinds, name];
    // The reference comes first, then the table's order: rows and columns stay put when a kind is added.
    const rank = (/** @type {string} */ kind) =>
      infoOf(kind)?.family === "dot-product" ? -1 : order.indexOf(kind);
    this.#state.set({ kinds: next.sort((a, b) => rank(a) - rank(b)) });
  }

  /** @param {KindInfo} [kind] */
  #describeKind(kind) {
    this.#card.replaceChildren(
      ...(kind
        ? tNodes("kind.card", {
            label: h("b", {}, kind.label),
            summary: kind.summary,
            formula: h("span", { class: "formula" }, kind.formula),
            source: kind.source,
          })
        : [t("experiment.lookFor")]),
    );
  }

  #show() {
    const { settings } = this.#state;
    for (const [name, view] of this.#fields) {
      if (name in settings) view.show(/** @type {Record<string, any>} */ (settings)[name]);
    }
    const found = conflicts(settings);
    for (const [name, view] of this.#fields) view.complain(found[name]);
    setText(this.#kindsProblem, found.kinds ? describe(found.kinds) : "");
    this.#kindsProblem.hidden = !found.kinds;
    for (const [name, chip] of this.#chips) {
      const chosen = settings.kinds.includes(name);
      chip.setAttribute("aria-pressed", String(chosen));
      if (chosen) chip.hidden = false; // and stays, when it is switched off again
    }
    this.#showMore();
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
    setText(this.#textNow, this.#texts.name);
    setText(this.#budgetNow, t("experiment.budget", { count: steps, steps: whole(steps) }));
    setText(this.#sizeNow, t("experiment.size", { count: layers, layers, width, heads }));
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
      label: t("field.option", { option: option.name }),
      help: option.help,
      placeholder: isChoice ? undefined : t("field.usual"),
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
      ...refused.map(({ name, problem }) =>
        h("p", {}, t("link.refused", { name, reason: describe(problem) })),
      ),
    );
  }
}

/** The names of the kinds in one line. @param {string[]} kinds */
export function namesOf(kinds) {
  return new Intl.ListFormat(language, { type: "conjunction" }).format(kinds.map(labelOf));
}
