// Look inside: asks every model for its attention on a text and reads the maps out, in words and as a table.
import { attentionOf } from "./attention-of.js";
import { pictureColours } from "./chart.js";
import { freshId, h, setText } from "./dom.js";
import { codeOf, notice } from "./errors.js";
import { framed, mapsCanvas, mapsSvg } from "./export/picture.js";
import { csvOf, pngOf, saveRow } from "./export/save.js";
import { follow } from "./follow.js";
import { fixed } from "./format.js";
import { keyNames, visible, weightAt } from "./heatmap.js";
import { labelOf } from "./kinds.js";
import { MapGrid } from "./map-grid.js";
import { listed, t } from "./messages/index.js";
import { answerOf, inputOf, shapeOf, TASKS } from "./tasks.js";
import { entriesOf } from "./views/bench.js";

/** @typedef {import("./entry.js").Entry} Entry */
/** @typedef {import("synthattn").AttentionMaps} AttentionMaps */

/**
 * What a model answered: its maps, or why it has none.
 *
 * @typedef {{ entry: Entry, maps?: AttentionMaps, trouble?: unknown, step: number }} Reading
 */

/** Milliseconds of rest in typing after which the maps follow. */
const TYPING = 500;
/** The settings that hold what is looked at. @type {("look" | "lookSecond")[]} */
const BOXES = ["look", "lookSecond"];

export class Inside {
  /** @type {HTMLElement} */
  element;
  #bench;
  /** @type {{ field: HTMLElement, label: HTMLElement, box: HTMLInputElement }[]} */
  #boxes;
  #parts = h("fieldset", { class: "segmented" });
  #part = "";
  #partHelp = h("p", { class: "hint" });
  #lead = h("p", { class: "lead" });
  #task = "";
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
  #follow;
  /** Boxes that a person is typing in: what is in them is not in the settings yet. @type {Set<string>} */
  #typed = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #typing;

  #save = saveRow("maps", {
    svg: () => mapsSvg(this.#grid.pictures(), pictureColours(), this.#words()),
    png: () => {
      const ratio = devicePixelRatio || 1;
      return pngOf(framed(mapsCanvas(this.#grid.pictures(), ratio, pictureColours()), ratio, pictureColours(), this.#words()));
    },
    csv: () => csvOf(this.#grid.rows()),
  });

  /** @param {import("./views/bench.js").Bench} bench */
  constructor(bench) {
    this.#bench = bench;
    this.#boxes = BOXES.map((name) => this.#textBox(name));
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
      h("div", { class: "head" }, h("h2", { id: "inside-title" }, t("inside.title")), this.#parts),
      this.#lead,
      this.#partHelp,
      h(
        "div",
        { class: "inside-controls" },
        h(
          "div",
          { class: "wide" },
          this.#boxes.map(({ field }) => field),
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
      this.#save,
      this.#fold,
      this.#spoken,
    );
    this.#follow = follow(
      bench.lab,
      this.element,
      () => this.#ask(),
      () => this.#stale(),
    );
    this.#listen();
    this.#enterTask();
    this.#fill();
    this.#show();
  }

  /** @param {"look" | "lookSecond"} name */
  #textBox(name) {
    const id = freshId();
    const box = h("input", {
      id,
      type: "text",
      "data-testid": name,
      spellcheck: "false",
      autocomplete: "off",
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter" && !event.isComposing) this.#take();
      },
      onchange: () => this.#typed.size > 0 && this.#take(),
      oninput: () => {
        this.#typed.add(name);
        clearTimeout(this.#typing);
        this.#typing = setTimeout(() => this.#take(), TYPING);
      },
    });
    const label = h("label", { for: id });
    return { field: h("div", { class: "field" }, label, box), label, box };
  }

  /** Puts what was typed into the settings, and looks. */
  #take() {
    clearTimeout(this.#typing);
    const typed = BOXES.flatMap((name, index) =>
      this.#typed.has(name) ? [[name, this.#boxes[index].box.value]] : [],
    );
    this.#typed.clear();
    this.#bench.state.set(Object.fromEntries(typed));
    void this.look();
  }

  /** Boxes show the settings, or a test row where a person has written nothing. */
  #fill() {
    const { state, data } = this.#bench;
    const { loaded, watched } = data;
    const shape = loaded && shapeOf(loaded.task);
    const example = shape && watched[0] ? [...inputOf(watched[0], shape), answerOf(watched[0], shape)] : [];
    this.#boxes.forEach(({ box }, index) => {
      if (document.activeElement !== box && !this.#typed.has(BOXES[index]))
        box.value = state.settings[BOXES[index]] || example[index] || "";
    });
  }

  /** What stands in the boxes of the task. */
  get #texts() {
    const { look } = TASKS[this.#bench.state.settings.task];
    return look.map((_, index) => this.#boxes[index].box.value);
  }

  /** Boxes and parts as the task has them. */
  #enterTask() {
    const { task } = this.#bench.state.settings;
    if (task === this.#task) return;
    this.#task = task;
    const { look, parts } = TASKS[task];
    this.#boxes.forEach(({ field, label }, index) => {
      field.hidden = index >= look.length;
      if (index < look.length) setText(label, t(look[index]));
    });
    setText(this.#lead, t(`inside.lead.${task}`));
    this.#part = parts[0] ?? "";
    this.#parts.hidden = parts.length === 0;
    this.#parts.replaceChildren(
      h("legend", { class: "visually-hidden" }, t("inside.part")),
      ...parts.map((part) => this.#partChoice(part)),
    );
    this.#showPart();
    this.#read = [];
    this.#show();
    void this.look();
  }

  /** @param {string} part */
  #partChoice(part) {
    const choose = () => {
      this.#part = part;
      this.#showPart();
      void this.look();
    };
    const attributes = { type: "radio", name: "part", value: part, checked: part === this.#part };
    return h(
      "label",
      {},
      h("input", { ...attributes, "data-testid": `part-${part}`, onchange: choose }),
      h("span", {}, t(`inside.part.${part}`)),
    );
  }

  #showPart() {
    this.#partHelp.hidden = this.#part === "";
    setText(this.#partHelp, this.#part && t(`inside.part.${this.#part}.help`));
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
    const { lab, state, data } = this.#bench;
    lab.addEventListener("entries", () => {
      // Models that are gone leave at once; those that came are asked when there is time.
      this.#read = this.#read.filter(({ entry }) => lab.entries.includes(entry));
      this.#show();
    });
    state.listen(() => {
      this.#fill();
      this.#enterTask();
    });
    data.addEventListener("data", () => {
      this.#fill();
      void this.look();
    });
  }

  #stale() {
    const known = new Map(this.#read.map(({ entry, step }) => [entry, step]));
    return entriesOf(this.#bench).some((entry) => known.get(entry) !== entry.model.step);
  }

  /** Asks every model for its weights on the text. */
  look() {
    return this.#follow();
  }

  async #ask() {
    const { lab } = this.#bench;
    const texts = this.#texts;
    const entries = entriesOf(this.#bench);
    const part = this.#part || undefined;
    this.#notice.clear();
    if (texts.some((text) => text === "")) {
      if (entries.length > 0) this.#notice.say(t("inside.noText"));
      return;
    }
    /** @type {Reading[]} */
    const read = [];
    let used = texts;
    for (const entry of entries) {
      try {
        const answer = await lab.between(() => attentionOf(entry, texts, part));
        read.push({ entry, maps: answer.maps, step: entry.model.step });
        if (answer.texts.join("").length < used.join("").length) used = answer.texts;
      } catch (error) {
        if (codeOf(error) === "disposed") return; // replaced while being asked; the next look asks the new one
        read.push({ entry, trouble: error, step: entry.model.step });
      }
    }
    const shown = entriesOf(this.#bench);
    const cut = used.join("") !== texts.join("");
    setText(this.#fit, cut ? t("inside.cut", { text: used.join(" | ") }) : "");
    this.#read = read.filter(({ entry }) => shown.includes(entry));
    this.#show();
  }

  /** What stands around the maps in a picture. */
  #words() {
    return { title: t("inside.title"), caption: t("save.mapsCaption", { layer: this.#layer + 1, head: this.#head + 1 }) };
  }

  #show() {
    const read = this.#read;
    const some = read.length > 0;
    this.#empty.hidden = some;
    for (const part of [this.#grid.element, this.#grid.legend, this.#save, this.#fold, this.#reading])
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
    const { tokens } = covering[0].maps;
    const keys = keyNames(covering[0].maps);
    setText(
      this.#reading,
      t("inside.reading", {
        query: visible(tokens[cell.query]),
        queryPlace: cell.query + 1,
        key: visible(keys[cell.key]),
        keyPlace: cell.key + 1,
        values: listed(values),
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
    const value = fixed(this.#weight(maps, { query, key }), 2);
    return t("inside.most", { token: visible(keyNames(maps)[key]), place: key + 1, value });
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
