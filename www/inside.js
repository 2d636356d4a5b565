// Look inside: asks every model for its attention on a text and reads the maps out, in words and as a table.
import { calmly, freshId, h, setText } from "./dom.js";
import { codeOf, notice } from "./errors.js";
import { fixed } from "./format.js";
import { visible, weightAt } from "./heatmap.js";
import { labelOf } from "./kinds.js";
import { MapGrid } from "./map-grid.js";
import { t } from "./messages/index.js";

/** @typedef {import("./lab.js").Lab} Lab */
/** @typedef {import("./entry.js").Entry} Entry */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("synthattn").AttentionMaps} AttentionMaps */

/**
 * What a model answered: its maps, or why it has none.
 *
 * @typedef {{ entry: Entry, maps?: AttentionMaps, trouble?: unknown, step: number }} Reading
 */

/** Milliseconds of rest in typing after which the maps follow. */
const TYPING = 500;
/** Milliseconds between two looks of their own accord. */
const CALM = 1000;

export class Inside {
  /** @type {HTMLElement} */
  element;
  #lab;
  #state;
  #text;
  #grid = new MapGrid({
    onMark: (byKey) => {
      this.#readOut();
      // Only steps by key are spoken: a pointer passes over hundreds of cells.
      if (byKey) setText(this.#spoken, this.#reading.textContent ?? "");
    },
    onChoose: (layer, head) => this.#choose(layer, head),
  });
  #reading = h("p", { class: "reading", "data-testid": "inside-reading" });
  #spoken = h("p", { class: "visually-hidden", role: "status" });
  #fit = h("p", { class: "hint", role: "status" });
  #empty = h("p", { class: "hint" }, t("inside.empty"));
  #notice = notice("inside-error");
  #layers;
  #heads;
  #numbers = h("table", { class: "numbers" });
  #fold;
  /** @type {Reading[]} */
  #read = [];
  #layer = 0;
  #head = 0;
  #busy = false;
  #again = false;
  #inView = false;

  /** @param {Lab} lab @param {State} state */
  constructor(lab, state) {
    this.#lab = lab;
    this.#state = state;
    const textId = freshId();
    this.#text = this.#textBox(textId);
    this.#layers = this.#chooser("layer", (layer) => this.#choose(layer, this.#head));
    this.#heads = this.#chooser("head", (head) => this.#choose(this.#layer, head));
    const table = { class: "table-scroll", tabindex: 0, role: "region", "aria-label": t("inside.numbers") };
    this.#fold = h(
      "details",
      { class: "fold", ontoggle: () => this.#showNumbers() },
      h("summary", {}, t("inside.numbers")),
      h("div", table, this.#numbers),
    );
    this.element = h(
      "section",
      { id: "inside", "aria-labelledby": "inside-title" },
      h("div", { class: "head" }, h("h2", { id: "inside-title" }, t("inside.title"))),
      h("p", { class: "lead" }, t("inside.lead")),
      h(
        "div",
        { class: "inside-controls" },
        h(
          "div",
          { class: "field wide" },
          h("label", { for: textId }, t("inside.text")),
          this.#text,
          this.#fit,
        ),
        this.#layers.element,
        this.#heads.element,
      ),
      this.#notice.element,
      this.#empty,
      this.#reading,
      this.#grid.element,
      this.#grid.legend,
      this.#fold,
      this.#spoken,
    );
    this.#listen();
    this.#show();
  }

  /** @param {string} id */
  #textBox(id) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let typing;
    const box = h("input", {
      id,
      type: "text",
      "data-testid": "look",
      spellcheck: "false",
      autocomplete: "off",
      value: this.#state.settings.look,
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter" || event.isComposing) return;
        clearTimeout(typing);
        this.#state.set({ look: box.value });
        void this.look();
      },
      oninput: () => {
        clearTimeout(typing);
        typing = setTimeout(() => {
          this.#state.set({ look: box.value });
          void this.look();
        }, TYPING);
      },
    });
    this.#state.listen(() => {
      if (document.activeElement !== box) box.value = this.#state.settings.look;
    });
    return box;
  }

  /** @param {string} name @param {(value: number) => void} choose */
  #chooser(name, choose) {
    const id = freshId();
    const select = h("select", {
      id,
      "data-testid": `inside-${name}`,
      onchange: () => choose(Number(select.value)),
    });
    return {
      element: h("div", { class: "field" }, h("label", { for: id }, t(`inside.${name}`)), select),
      select,
    };
  }

  #listen() {
    const look = calmly(() => void this.look(), CALM);
    let scored = 0;
    this.#lab.addEventListener("entries", () => {
      // Models that are gone leave at once; those that came are asked when there is time.
      this.#read = this.#read.filter(({ entry }) => this.#lab.entries.includes(entry));
      this.#show();
      look();
    });
    this.#lab.addEventListener("phase", () => {
      if (["running", "paused", "stopped", "done", "failed"].includes(this.#lab.phase)) look();
    });
    // While training, the maps follow at the held-out points, and only where somebody sees them.
    this.#lab.addEventListener("report", () => {
      const held = this.#lab.entries.reduce((sum, entry) => sum + entry.held.length, 0);
      if (held !== scored && this.#inView) look();
      scored = held;
    });
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.#inView = isIntersecting;
      if (isIntersecting && this.#stale()) look();
    }).observe(this.element);
  }

  #stale() {
    const known = new Map(this.#read.map(({ entry, step }) => [entry, step]));
    return this.#lab.entries.some((entry) => known.get(entry) !== entry.model.step);
  }

  /** Asks every model for its weights on the text, one after another, between two intervals of training. */
  async look() {
    this.#again = true;
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#ask();
      }
    } finally {
      this.#busy = false;
    }
  }

  async #ask() {
    const text = this.#state.settings.look;
    const { entries } = this.#lab;
    this.#notice.clear();
    if (text === "") {
      if (entries.length > 0) this.#notice.say(t("inside.noText"));
      return;
    }
    /** @type {Reading[]} */
    const read = [];
    let used = text;
    for (const entry of entries) {
      try {
        const answer = await this.#lab.between(() => attentionOf(entry, text));
        read.push({ entry, maps: answer.maps, step: entry.model.step });
        if (answer.text.length < used.length) used = answer.text;
      } catch (error) {
        if (codeOf(error) === "disposed") return; // replaced while being asked; the next look asks the new one
        read.push({ entry, trouble: error, step: entry.model.step });
      }
    }
    setText(this.#fit, used === text ? "" : t("inside.cut", { text: used }));
    this.#read = read.filter(({ entry }) => this.#lab.entries.includes(entry));
    this.#show();
  }

  #show() {
    const read = this.#read;
    const some = read.length > 0;
    this.#empty.hidden = some;
    for (const part of [this.#grid.element, this.#grid.legend, this.#fold, this.#reading])
      part.hidden = !some;
    const layers = Math.max(1, ...read.map(({ maps }) => maps?.layers ?? 0));
    const heads = Math.max(1, ...read.map(({ maps }) => maps?.heads ?? 0));
    fillChooser(this.#layers.select, layers);
    fillChooser(this.#heads.select, heads);
    this.#choose(Math.min(this.#layer, layers - 1), Math.min(this.#head, heads - 1));
  }

  /** @param {number} layer @param {number} head */
  #choose(layer, head) {
    this.#layer = layer;
    this.#head = head;
    this.#layers.select.value = String(layer);
    this.#heads.select.value = String(head);
    void this.#grid.show(this.#read, layer, head);
    this.#readOut();
    this.#showNumbers();
  }

  /** @param {AttentionMaps} maps @param {import("./heatmap.js").Cell} cell */
  #weight(maps, cell) {
    return weightAt(maps, Math.min(this.#layer, maps.layers - 1), Math.min(this.#head, maps.heads - 1), cell);
  }

  /** Puts the marked cell into words. */
  #readOut() {
    const cell = this.#grid.marked;
    const covering = this.#read.flatMap(({ entry, maps }) =>
      maps && cell && cell.query < maps.queries && cell.key < maps.keys ? [{ kind: entry.kind, maps }] : [],
    );
    if (!cell || covering.length === 0) {
      setText(this.#reading, t("inside.point"));
      return;
    }
    const values = covering.map(({ kind, maps }) =>
      t("race.value", { label: labelOf(kind), value: fixed(this.#weight(maps, cell), 3) }),
    );
    const { tokens, keyTokens = tokens } = covering[0].maps;
    setText(
      this.#reading,
      t("inside.reading", {
        query: visible(tokens[cell.query]),
        queryPlace: cell.query + 1,
        key: visible(keyTokens[cell.key]),
        keyPlace: cell.key + 1,
        values: values.join(", "),
      }),
    );
  }

  /** The chosen head as a table: for each token, where each kind looks most. */
  #showNumbers() {
    if (!this.#fold.open) return;
    const read = this.#read.flatMap(({ entry, maps }) => (maps ? [{ kind: entry.kind, maps }] : []));
    const heads = read.map(({ kind }) => h("th", { scope: "col" }, labelOf(kind)));
    const rows = (read[0]?.maps.tokens ?? []).map((token, query) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, t("inside.place", { token: visible(token), place: query + 1 })),
        read.map(({ maps }) => h("td", {}, query < maps.queries ? this.#strongest(maps, query) : "")),
      ),
    );
    this.#numbers.replaceChildren(
      h("caption", {}, t("inside.numbersCaption", { layer: this.#layer + 1, head: this.#head + 1 })),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("inside.token")), heads)),
      h("tbody", {}, rows),
    );
  }

  /** @param {AttentionMaps} maps @param {number} query */
  #strongest(maps, query) {
    let key = 0;
    for (let place = 1; place < maps.keys; place += 1) {
      if (this.#weight(maps, { query, key: place }) > this.#weight(maps, { query, key })) key = place;
    }
    const { tokens, keyTokens = tokens } = maps;
    const value = fixed(this.#weight(maps, { query, key }), 2);
    return t("inside.most", { token: visible(keyTokens[key]), place: key + 1, value });
  }
}

/**
 * A model's weights on the text, or on as much of its start as it can read at once.
 *
 * @param {Entry} entry
 * @param {string} text
 */
async function attentionOf(entry, text) {
  let characters = [...text].slice(0, entry.model.spec.maxLength);
  while (true) {
    try {
      const fitting = characters.join("");
      return { maps: await entry.model.attention(fitting), text: fitting };
    } catch (error) {
      if (codeOf(error) !== "text-too-long" || characters.length < 2) throw error;
      characters = characters.slice(0, Math.floor(characters.length * 0.8));
    }
  }
}

/** @param {HTMLSelectElement} select @param {number} count */
function fillChooser(select, count) {
  select.disabled = count < 2;
  if (select.options.length === count) return;
  const options = Array.from({ length: count }, (_, index) =>
    h("option", { value: index }, String(index + 1)),
  );
  select.replaceChildren(...options);
}
