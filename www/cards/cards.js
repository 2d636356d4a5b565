// The kinds one by one: what each computes, what it looks at, whether it can write, and what it costs at these settings.
import { h, math, setText } from "../dom.js";
import { conflicts } from "../fields.js";
import { NONE, short, whole } from "../format.js";
import { allKinds, kindName } from "../kinds.js";
import { language, said, t, tNodes } from "../messages/index.js";
import { addressOf } from "../paper.js";
import { TASKS } from "../tasks.js";
import { rest } from "../text-source.js";
import { costAt, costOf, lettersIn, sizesOf } from "./costs.js";
import { mathTrees } from "./formula.js";

/** @typedef {import("synthattn").KindInfo} KindInfo */
/** @typedef {import("../state.js").Settings} Settings */
/** @typedef {{ element: HTMLElement, show: (settings: Settings) => void }} Card */

/** A formula in pieces, so that lines may break. @param {string} formula @param {boolean} [size] */
export function formulaView(formula, size = false) {
  const pieces = mathTrees(formula, { size }).flatMap((tree, index) => (index === 0 ? [math(tree)] : [" ", math(tree)]));
  return h("span", { class: "formula", lang: "en" }, pieces);
}

/**
 * Weights and multiply-adds of a layer; undefined where the settings fit no model.
 *
 * @param {string} kind
 * @param {Settings} settings
 */
export function costsNow(kind, settings) {
  if (conflicts(settings).width) return undefined;
  return costAt(kind, sizesOf(settings, settings.options[kind]));
}

export class KindCards {
  /** @type {HTMLElement} */
  element;
  #state;
  #grid = h("div", { class: "cards" });
  #more = h("button", {
    type: "button",
    "data-testid": "all-cards",
    "aria-expanded": "false",
    onclick: () => {
      this.#all = !this.#all;
      void this.#show();
    },
  });
  /** @type {Map<string, Card>} */
  #cards = new Map();
  #all = false;
  #drawn = "";
  /** The drawing under way; an older one gives up. */
  #drawing = 0;

  /** @param {import("../views/bench.js").Bench} bench */
  constructor({ state }) {
    this.#state = state;
    this.element = h(
      "section",
      { id: "kinds", "aria-labelledby": "kinds-title" },
      h("div", { class: "head" }, h("h2", { id: "kinds-title" }, t("cards.title"))),
      h("p", { class: "lead" }, t("cards.lead")),
      this.#grid,
      this.#more,
      h("p", { class: "hint" }, t("cards.counted")),
    );
    state.listen(() => void this.#show());
    void this.#show();
  }

  /** The cards of the chosen kinds or of all, made when first wanted, with rests for the page's thread. */
  async #show() {
    const { settings } = this.#state;
    const { kinds, width, heads, length, options } = settings;
    const key = JSON.stringify([this.#all, kinds, width, heads, length, options]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    const drawing = ++this.#drawing;
    const every = allKinds();
    this.#more.setAttribute("aria-expanded", String(this.#all));
    setText(this.#more, this.#all ? t("cards.chosen") : t("cards.all", { kinds: every.length }));
    const wanted = this.#all ? every : every.filter(({ name }) => kinds.includes(name));
    const shown = [];
    for (const info of wanted) {
      let card = this.#cards.get(info.name);
      if (!card) {
        await rest();
        if (drawing !== this.#drawing) return;
        this.#cards.set(info.name, (card = cardOf(info)));
      }
      card.show(settings);
      shown.push(card.element);
    }
    this.#grid.replaceChildren(...shown);
  }
}

/** @param {KindInfo} info @returns {Card} */
function cardOf(info) {
  const { name, summary, formula, source } = info;
  const cost = costOf(name);
  const [weights, products, takes] = [h("span", {}), h("span", {}), h("dd", {})];
  const letters = lettersIn(name).map((letter) => {
    const value = h("span", { class: "number" });
    const meaning = t(`card.letter.${letter}`);
    return { letter, value, element: h("span", { class: "letter" }, tNodes("card.letter", { letter: formulaView(letter), value, meaning })) };
  });
  const row = (/** @type {string} */ key, /** @type {(Node | string)[]} */ ...content) => [h("dt", {}, t(key)), h("dd", {}, content)];
  const element = h(
    "article",
    { class: "card", "data-testid": `card-${name}`, "data-kind": name },
    h("h3", {}, kindName(name)),
    h("p", {}, summary),
    h("p", { class: "computes" }, formulaView(formula)),
    h(
      "dl",
      {},
      row("card.sees", t(`card.sees.${info.conditionsOn}`)),
      h("dt", {}, t("card.takes")),
      takes,
      row("card.writes", info.causal ? t("card.writes.yes") : t("card.writes.no", { tasks: writingTasks() })),
      row("card.weights", formulaView(cost.weights, true), weights),
      row("card.products", formulaView(cost.products, true), products),
      row("card.letters", ...letters.map((letter) => letter.element)),
      row("card.source", h("a", { href: addressOf(source), target: "_blank", rel: "noreferrer" }, said(source))),
    ),
  );
  return {
    element,
    show(settings) {
      const now = costsNow(name, settings);
      const sizes = now && sizesOf(settings, settings.options[name]);
      setText(weights, t(cost.frozen ? "card.weights.frozen" : "card.weights.now", { weights: whole(now?.weights) }));
      setText(products, t("card.products.now", { products: short(now?.products) }));
      weights.dataset.value = String(now?.weights ?? "");
      products.dataset.value = String(now?.products ?? "");
      setText(takes, cost.window ? t("card.takes.window", { window: sizes ? whole(sizes[cost.window]) : NONE }) : t("card.takes.all"));
      for (const { letter, value } of letters) setText(value, whole(sizes?.[letter]));
    },
  };
}

/** What only kinds can do that hide the future. */
function writingTasks() {
  const names = Object.keys(TASKS).filter((task) => TASKS[task].decodes);
  return new Intl.ListFormat(language, { type: "disjunction" }).format(names.map((task) => t(`task.${task}`)));
}
