// The grid of attention maps: kinds in columns, the chosen head large above all heads small, one cell linked.
import { h } from "./dom.js";
import { explain } from "./errors.js";
import { fixed, percent, whole } from "./format.js";
import { cellAt, drawCells, drawMap, heatScale, keyNames, visible } from "./heatmap.js";
import { colourOf, kindName, labelOf } from "./kinds.js";
import { listed, t } from "./messages/index.js";
import { crossBlocks, crossShare } from "./sentences.js";
import { rest } from "./text-source.js";
import { colour, onThemeChange } from "./theme.js";

/** @typedef {import("./heatmap.js").Cell} Cell */
/** @typedef {import("./heatmap.js").Frame} Frame */
/** @typedef {import("./inside.js").Reading} Reading */
/** @typedef {import("synthattn").AttentionMaps} AttentionMaps */

/**
 * One drawn map.
 *
 * @typedef {object} View
 * @property {HTMLCanvasElement} cells a pixel a cell
 * @property {string} kind
 * @property {AttentionMaps} maps
 * @property {number} layer
 * @property {number} head
 * @property {HTMLElement} [mark] what marks a cell of a small map
 * @property {HTMLCanvasElement} [canvas] the large map, with labels
 * @property {Frame} [frame] where its cells lie
 */

/** Milliseconds of work after which the page's thread rests. */
const SLICE = 12;
/**
 * What stands above the layers in a column: name, step, large map, share, mixture; each layer has a name and
 * its heads.
 */
const ROWS = 5;
/** Weights read at once while the largest is looked for. */
const BLOCK = 1 << 18;

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class MapGrid {
  element = h("div", { class: "maps", tabindex: 0, role: "region", "aria-label": t("inside.maps") });
  legend;
  /** The cell marked in all maps. @type {Cell | undefined} */
  marked;
  #ramp = h("canvas", { class: "legend-ramp", width: 256, height: 1, "aria-hidden": "true" });
  #most = h("span", { class: "number" });
  #onMark;
  #onChoose;
  /** @type {Reading[]} */
  #read = [];
  #layer = 0;
  #head = 0;
  /** @type {View[]} */
  #views = [];
  /** The drawing under way; an older one gives up. */
  #drawing = 0;
  /** @type {number | undefined} */
  #frame;

  /**
   * @param {object} listeners
   * @param {(byKey: boolean) => void} listeners.onMark another cell was marked
   * @param {(layer: number, head: number) => void} listeners.onChoose a small map was pressed
   */
  constructor({ onMark, onChoose }) {
    this.#onMark = onMark;
    this.#onChoose = onChoose;
    const zero = h("span", { class: "number" }, "0");
    this.legend = h("p", { class: "legend hint" }, h("span", {}, t("inside.scale")), zero, this.#ramp, this.#most);
    new ResizeObserver(() => this.#paint()).observe(this.element);
    onThemeChange(() => void this.#render());
    this.element.addEventListener("pointerleave", () => this.#mark(undefined));
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * @param {Reading[]} read
   * @param {number} layer
   * @param {number} head
   */
  show(read, layer, head) {
    this.#read = read;
    this.#layer = layer;
    this.#head = head;
    return this.#render();
  }

  /** The large maps as they are drawn. @returns {import("./export/picture.js").MapPicture[]} */
  pictures() {
    return this.#views.flatMap(({ canvas, cells, kind, maps }) =>
      canvas ? [{ title: labelOf(kind), cells, canvas, rows: maps.tokens.map(visible), columns: keyNames(maps).map(visible) }] : [],
    );
  }

  /** The weights of the large maps, one a row. */
  rows() {
    return this.#views.flatMap(({ canvas, kind, maps, layer, head }) => {
      if (!canvas) return [];
      const { queries, keys, weights, tokens, heads } = maps;
      const names = keyNames(maps);
      const start = (layer * heads + head) * queries * keys;
      return Array.from({ length: queries * keys }, (_, cell) => {
        const [query, key] = [Math.floor(cell / keys), cell % keys];
        const places = { query: query + 1, key: key + 1, queryToken: tokens[query], keyToken: names[key] };
        return { kind, layer: layer + 1, head: head + 1, ...places, weight: weights[start + cell] };
      });
    });
  }

  /** Makes the elements of the maps and draws them, resting between slices of work. */
  async #render() {
    const drawing = ++this.#drawing;
    const read = this.#read;
    const layers = Math.max(0, ...read.map(({ maps }) => maps?.layers ?? 0));
    /** @type {View[]} */
    const views = [];
    const columns = read.map((one) => this.#column(one, layers, views));
    const most = await largest(read);
    const scale = heatScale();
    const breathe = breather();
    for (const view of views) {
      drawCells(view.cells, view.maps, view.layer, view.head, most || 1, scale);
      await breathe();
      if (drawing !== this.#drawing) return;
    }
    const scrolled = this.element.scrollLeft;
    this.element.style.setProperty("--columns", String(Math.max(1, columns.length)));
    this.element.style.setProperty("--rows", String(ROWS + 2 * layers));
    this.element.replaceChildren(...columns);
    this.element.scrollLeft = scrolled;
    this.#views = views;
    this.#most.textContent = fixed(most, 2);
    const ramp = new ImageData(256, 1);
    ramp.data.set(scale);
    this.#ramp.getContext("2d")?.putImageData(ramp, 0, 0);
    this.#paint();
  }

  /**
   * @param {Reading} read
   * @param {number} layers
   * @param {View[]} views filled
   */
  #column({ entry, maps, trouble, step }, layers, views) {
    const { kind } = entry;
    const title = h("h3", {}, kindName(kind));
    const column = h(
      "div",
      { class: "map-column", "data-kind": kind },
      title,
      h("p", { class: "hint" }, t("inside.step", { step: whole(step) })),
    );
    if (!maps) {
      column.append(h("p", { class: "hint" }, explain(trouble)));
      return column;
    }
    const layer = Math.min(this.#layer, maps.layers - 1);
    const head = Math.min(this.#head, maps.heads - 1);
    const share = crossShare(maps, layer, head);
    column.append(
      this.#largeMap(views, { kind, maps, layer, head }),
      h("p", { class: "hint" }, share === undefined ? "" : t("inside.crossShare", { share: percent(share) })),
      mixtureBar(maps, layer, head, true),
    );
    for (let row = 0; row < layers; row += 1) {
      const heads = row < maps.layers ? Array.from({ length: maps.heads }, (_, index) => index) : [];
      const buttons = heads.map((index) => {
        const chosen = row === layer && index === head;
        return this.#headButton(views, { kind, maps, layer: row, head: index }, chosen);
      });
      const name = t("inside.layerNumber", { layer: row + 1 });
      column.append(h("h4", { class: "hint" }, name), h("div", { class: "heads" }, buttons));
    }
    return column;
  }

  /**
   * A small map to press. The menus for layer and head are its way by keyboard.
   *
   * @param {View[]} views filled
   * @param {Omit<View, "cells">} about
   * @param {boolean} chosen
   */
  #headButton(views, about, chosen) {
    const { kind, layer, head, maps } = about;
    const cells = h("canvas", { class: "cells", "aria-hidden": "true" });
    const mark = h("span", { class: "mark", hidden: true });
    mark.style.width = `${100 / maps.keys}%`;
    mark.style.height = `${100 / maps.queries}%`;
    cells.addEventListener("pointermove", ({ offsetX, offsetY }) => {
      const { clientWidth, clientHeight } = cells;
      const { queries, keys } = maps;
      const frame = {
        left: 0,
        top: 0,
        cellWidth: clientWidth / keys,
        cellHeight: clientHeight / queries,
        queries,
        keys,
      };
      this.#mark(cellAt(frame, offsetX, offsetY));
    });
    views.push({ ...about, cells, mark });
    const attributes = {
      type: "button",
      class: "head-map",
      tabindex: -1,
      "aria-pressed": String(chosen),
      "aria-label": t("inside.choose", { kind: labelOf(kind), layer: layer + 1, head: head + 1 }),
      onclick: () => this.#onChoose(layer, head),
    };
    return h(
      "button",
      attributes,
      h(
        "span",
        { class: "small-map" },
        cells,
        crossBlocks(maps).map((block) => outline(block, maps)),
        mark,
      ),
      mixtureBar(maps, layer, head, false),
    );
  }

  /**
   * @param {View[]} views filled
   * @param {Omit<View, "cells">} about
   */
  #largeMap(views, about) {
    const { kind, layer, head } = about;
    const label = t("inside.mapLabel", { kind: labelOf(kind), layer: layer + 1, head: head + 1 });
    const canvas = h("canvas", { class: "map", role: "img", "aria-label": label });
    /** @type {View} */
    const view = { ...about, cells: document.createElement("canvas"), canvas };
    canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => {
      this.#mark(view.frame && cellAt(view.frame, offsetX, offsetY));
    });
    views.push(view);
    return canvas;
  }

  /** Draws the large maps anew and moves the marks in the small ones. */
  #paint() {
    const { marked } = this;
    const looks = { ink: colour("--muted"), accent: colour("--mark"), marked };
    const sizes = this.#views.map(({ canvas }) => canvas?.clientWidth ?? 0);
    for (const [index, view] of this.#views.entries()) {
      const { canvas, cells, maps, mark } = view;
      if (canvas && sizes[index] > 0) {
        const rows = maps.tokens.map(visible);
        const columns = keyNames(maps).map(visible);
        view.frame = drawMap(canvas, sizes[index], cells, {
          rows,
          columns,
          blocks: crossBlocks(maps),
          ...looks,
        });
      }
      if (!mark) continue;
      mark.hidden = !marked || marked.query >= maps.queries || marked.key >= maps.keys;
      if (!marked) continue;
      mark.style.left = `${(100 * marked.key) / maps.keys}%`;
      mark.style.top = `${(100 * marked.query) / maps.queries}%`;
    }
  }

  /** @param {Cell | undefined} cell */
  #mark(cell) {
    if (cell?.query === this.marked?.query && cell?.key === this.marked?.key) return;
    this.marked = cell;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#paint();
      this.#onMark(false);
    });
  }

  /** Arrow keys walk from cell to cell. @param {KeyboardEvent} event */
  #key(event) {
    const move = ARROWS[event.key];
    const maps = this.#read.find((one) => one.maps)?.maps;
    if (!move || !maps || event.target !== this.element) return;
    event.preventDefault();
    const { query, key } = this.marked ?? { query: 0, key: 0 };
    const within = (/** @type {number} */ value, /** @type {number} */ count) =>
      Math.min(count - 1, Math.max(0, value));
    this.marked = { query: within(query + move[0], maps.queries), key: within(key + move[1], maps.keys) };
    this.#paint();
    this.#onMark(true);
  }
}

/**
 * A frame around a part of a small map.
 *
 * @param {import("./sentences.js").Block} block
 * @param {AttentionMaps} maps
 */
function outline({ top, left, bottom, right }, { queries, keys }) {
  const element = h("span", { class: "block" });
  element.style.top = `${(100 * top) / queries}%`;
  element.style.left = `${(100 * left) / keys}%`;
  element.style.height = `${(100 * (bottom - top)) / queries}%`;
  element.style.width = `${(100 * (right - left)) / keys}%`;
  return element;
}

/** The largest weight of all. @param {Reading[]} read */
async function largest(read) {
  const breathe = breather();
  let most = 0;
  for (const { maps } of read) {
    const weights = maps?.weights ?? new Float32Array();
    for (let start = 0; start < weights.length; start += BLOCK) {
      for (const weight of weights.subarray(start, start + BLOCK)) if (weight > most) most = weight;
      await breathe();
    }
  }
  return most;
}

/** Rests when a slice of time has been used up. */
function breather() {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE) return;
    await rest();
    since = performance.now();
  };
}

/**
 * How a mixture weighs its parts, as a bar of their colours; for other kinds an empty one, to keep the lines.
 *
 * @param {AttentionMaps} maps
 * @param {number} layer
 * @param {number} head
 * @param {boolean} named
 */
function mixtureBar({ heads, mixture, parts }, layer, head, named) {
  const style = named ? "mixture named" : "mixture";
  if (!mixture || !parts) return h("div", { class: style, "aria-hidden": "true" });
  const start = (layer * heads + head) * parts.length;
  const shares = parts.map((part, index) => ({ part, share: mixture[start + index] }));
  const words = shares.map(({ part, share }) =>
    t("race.value", { label: labelOf(part), value: fixed(share, 2) }),
  );
  const label = t("inside.mixture", { parts: listed(words) });
  const pieces = shares.map(({ part, share }) => {
    const piece = h("span", {});
    piece.style.flexGrow = String(share);
    piece.style.background = `var(${colourOf(part)})`;
    return piece;
  });
  const bar = h("span", { class: "mixture-bar", role: "img", "aria-label": label }, pieces);
  return h(
    "div",
    { class: style, "data-mixture": named },
    bar,
    named && h("small", { class: "hint" }, label),
  );
}
