// The kinds to compare, as switches, in four columns by what they see.
import { costsNow, formulaView } from "./cards/cards.js";
import { freshId, h, setText } from "./dom.js";
import { describe } from "./field.js";
import { conflicts } from "./fields.js";
import { short, whole } from "./format.js";
import { infoOf, lineSample, pictogram, SIGHTS, sightOf } from "./kinds.js";
import { said, t, tNodes } from "./messages/index.js";
import { FIRST_KINDS } from "./state.js";
import { canDo } from "./tasks.js";

/** @typedef {import("synthattn").KindInfo} KindInfo */

export class KindPicker {
  /** @type {(HTMLElement | string)[]} */
  elements;
  #state;
  /** @type {Map<string, HTMLButtonElement>} */
  #chips = new Map();
  #card = h("p", { class: "kind-card" });
  /** On narrow screens the choice stays folded until it is asked for. */
  #fold = h(
    "button",
    {
      type: "button",
      class: "quiet kinds-fold",
      "data-testid": "choose-kinds",
      "aria-expanded": "false",
      onclick: () => this.#unfold(this.#fold.getAttribute("aria-expanded") !== "true"),
    },
    t("experiment.chooseKinds"),
  );
  #more = h("button", {
    type: "button",
    class: "quiet more",
    "data-testid": "more-kinds",
    "aria-expanded": "false",
    onclick: () => this.#showAll(),
  });
  #all = false;
  /** Switched off again, but still in sight. @type {Set<string>} */
  #seen = new Set(FIRST_KINDS);
  #problem = h("p", { class: "hint wrong", role: "status" });
  /** The kind that the card is of. @type {KindInfo | undefined} */
  #described;

  /** @param {import("./state.js").State} state @param {KindInfo[]} kinds */
  constructor(state, kinds) {
    this.#state = state;
    const id = freshId();
    this.#fold.setAttribute("aria-controls", id);
    this.elements = [
      this.#fold,
      this.#problem,
      h(
        "div",
        { id, class: "kinds-choice" },
        this.#sights(kinds),
        h("div", { class: "under-sights" }, this.#more, this.#card),
      ),
    ];
    this.#describeKind();
  }

  /** Puts the keyboard on the first switch. */
  focus() {
    this.#unfold(true);
    this.#chips.values().next().value?.focus();
  }

  /** @param {boolean} open */
  #unfold(open) {
    this.#fold.setAttribute("aria-expanded", String(open));
  }

  /** @param {KindInfo[]} kinds */
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
            kinds.filter((kind) => sightOf(kind) === sight).map((kind) => this.#chip(kind)),
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
    if (!this.#all) this.#seen = new Set([...FIRST_KINDS, ...this.#state.settings.kinds]);
    this.show();
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
    this.#described = kind;
    if (!kind) {
      this.#card.replaceChildren(t("experiment.lookFor"));
      return;
    }
    const { label, summary, formula, source } = kind;
    const costs = costsNow(kind.name, this.#state.settings);
    const now = costs && { weights: whole(costs.weights), products: short(costs.products) };
    this.#card.replaceChildren(
      ...tNodes("kind.card", { label: h("b", {}, label), summary, formula: formulaView(formula), source: said(source) }),
      now ? t("sentence.between") + t("kind.card.costs", now) : "",
    );
  }

  /** Shows what is chosen, and of the rest what the task allows. */
  show() {
    const { settings } = this.#state;
    let hidden = 0;
    for (const [name, chip] of this.#chips) {
      const chosen = settings.kinds.includes(name);
      const info = infoOf(name);
      if (chosen) this.#seen.add(name);
      const can = info !== undefined && canDo(info, settings.task);
      chip.setAttribute("aria-pressed", String(chosen));
      chip.hidden = !can || !(this.#all || this.#seen.has(name));
      if (can && chip.hidden) hidden += 1;
    }
    this.#more.hidden = !this.#all && hidden === 0;
    this.#more.setAttribute("aria-expanded", String(this.#all));
    setText(
      this.#more,
      this.#all ? t("experiment.fewerKinds") : t("experiment.moreKinds", { count: hidden }),
    );
    const { kinds: problem } = conflicts(settings);
    setText(this.#problem, problem ? describe(problem) : "");
    this.#problem.hidden = !problem;
    if (this.#described) this.#describeKind(this.#described);
  }
}
