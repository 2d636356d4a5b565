// A sentence whose words are pressed to hide them, and what each model would put in their place.
import { h } from "../dom.js";
import { visible } from "../heatmap.js";
import { t } from "../messages/index.js";
import { TOKENIZERS } from "../tasks.js";
import { Ask } from "./ask.js";
import { bars } from "./bars.js";

/** @typedef {import("./bench.js").Bench} Bench */
/** @typedef {import("synthattn").FilledMask} FilledMask */
/** @typedef {{ text: string, hidden: boolean, word: boolean }} Piece `text`: what stands, or stood, there */

const MASK = "[MASK]";

/** How a sentence falls into what can be pressed. @type {Record<string, RegExp>} */
const CUTS = {
  word: /\[MASK\]|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*|\s+|[^\s]/gu,
  character: /\[MASK\]|[^]/gu,
};

export class Fill {
  /** @type {HTMLElement} */
  element;
  #bench;
  #words = h("p", { class: "words", role: "group", "aria-label": t("fill.words"), "data-testid": "words" });
  /** @type {Piece[]} */
  #pieces = [];
  #cut = "";
  #ask;

  /** @param {Bench} bench */
  constructor(bench) {
    this.#bench = bench;
    const help = h("p", { class: "hint" }, t("fill.help"));
    this.#ask = new Ask(
      bench,
      {
        name: "fill",
        boxes: ["prompt"],
        fields: ["top"],
        ask: ({ model }, [text], { top }) => model.fill(text, { top }),
        draw: (answer) => answer.map((mask, index) => this.#drawMask(mask, index)),
        refuse: ([text]) => (text.includes(MASK) ? "" : "fill.noMask"),
      },
      { element: h("div", { class: "fill" }, this.#words, help), show: ([text]) => this.#show(text) },
    );
    this.element = this.#ask.element;
  }

  /** It has come into the page. */
  shown() {
    this.#ask.shown();
  }

  /** @param {string} text */
  #show(text) {
    const unit = TOKENIZERS[this.#bench.state.settings.tokenizer].unit;
    if (text === this.#text() && unit === this.#cut) return;
    this.#cut = unit;
    this.#pieces = [...text.matchAll(CUTS[unit])].map(([piece]) => ({
      text: piece === MASK ? "" : piece,
      hidden: piece === MASK,
      word: piece === MASK || /\S/.test(piece),
    }));
    this.#draw();
  }

  #text() {
    return this.#pieces.map(({ text, hidden }) => (hidden ? MASK : text)).join("");
  }

  #draw() {
    let gap = 0;
    this.#words.replaceChildren(
      ...this.#pieces.map((piece, index) => {
        if (!piece.word) return piece.text;
        if (piece.hidden) gap += 1;
        return h(
          "button",
          {
            type: "button",
            class: "word",
            "aria-pressed": String(piece.hidden),
            "aria-label": piece.hidden ? t("fill.gap", { number: gap }) : piece.text,
            onclick: () => this.#toggle(index),
          },
          piece.hidden ? t("fill.blank", { number: gap }) : piece.text,
        );
      }),
    );
  }

  /** @param {number} index */
  #toggle(index) {
    const piece = this.#pieces[index];
    // A gap that was typed hides no word: there is nothing to bring back.
    if (piece.hidden && piece.text === "") return;
    piece.hidden = !piece.hidden;
    this.#draw();
    /** @type {HTMLElement | undefined} */ (
      this.#words.querySelectorAll("button")[this.#pieces.slice(0, index).filter(({ word }) => word).length]
    )?.focus();
    this.#bench.state.set({ prompt: this.#text() });
    void this.#ask.ask();
  }

  /** @param {FilledMask} mask @param {number} index */
  #drawMask({ candidates }, index) {
    const hidden = this.#pieces.filter((piece) => piece.hidden)[index]?.text ?? "";
    const items = candidates.map(({ token, probability }) => ({
      name: visible(token),
      value: probability,
      marked: token === hidden,
    }));
    return h(
      "div",
      { class: "gap", "data-gap": index + 1 },
      h(
        "h4",
        {},
        hidden ? t("fill.gapWas", { number: index + 1, word: hidden }) : t("fill.gap", { number: index + 1 }),
      ),
      bars(items, t("fill.candidates", { number: index + 1 })),
    );
  }
}
