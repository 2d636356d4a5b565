// Attention weights as pictures: one small image a head, drawn at any size with tokens along both axes.
import { rgb } from "./theme.js";

/** @typedef {import("synthattn").AttentionMaps} AttentionMaps */
/** @typedef {{ query: number, key: number }} Cell */

const LABEL_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
/** Pixels of the largest label, and what labels may take at most beside the map. */
const LARGEST_LABEL = 12;
const MOST_ROOM = 90;
/** Below this many pixels a cell is too small for a label of its own. */
const LABELLED = 8;

/**
 * 256 colours from no weight to the most, by three properties of the style sheet. Weights are shown by their
 * square root: most are near 1/length, and would all look the same beside a single large one.
 */
export function heatScale() {
  const stops = [rgb("--heat-0"), rgb("--heat-1"), rgb("--heat-2")];
  const scale = new Uint8ClampedArray(256 * 4);
  for (let level = 0; level < 256; level += 1) {
    const at = (level / 255) * (stops.length - 1);
    const from = Math.min(stops.length - 2, Math.floor(at));
    for (let channel = 0; channel < 3; channel += 1) {
      scale[level * 4 + channel] =
        stops[from][channel] + (stops[from + 1][channel] - stops[from][channel]) * (at - from);
    }
    scale[level * 4 + 3] = 255;
  }
  return scale;
}

/**
 * One head's weights, a pixel a cell.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {Pick<AttentionMaps, "heads" | "queries" | "keys" | "weights">} maps
 * @param {number} layer
 * @param {number} head
 * @param {number} most the weight with the strongest colour
 * @param {Uint8ClampedArray} scale
 */
export function drawCells(canvas, maps, layer, head, most, scale) {
  const { heads, queries, keys, weights } = maps;
  const image = new ImageData(keys, queries);
  const pixels = new Uint32Array(image.data.buffer);
  const colours = new Uint32Array(scale.buffer);
  const start = (layer * heads + head) * queries * keys;
  for (let index = 0; index < pixels.length; index += 1) {
    pixels[index] = colours[Math.min(255, Math.round(Math.sqrt(weights[start + index] / most) * 255))];
  }
  if (canvas.width !== keys) canvas.width = keys;
  if (canvas.height !== queries) canvas.height = queries;
  canvas.getContext("2d")?.putImageData(image, 0, 0);
}

/** @param {AttentionMaps} maps @param {number} layer @param {number} head @param {Cell} cell */
export function weightAt({ heads, queries, keys, weights }, layer, head, { query, key }) {
  return weights[((layer * heads + head) * queries + query) * keys + key];
}

/** @type {Record<string, string>} */
const BLANKS = { " ": "␣", "␠": "␣", "\n": "⏎", "␊": "⏎", "\r": "␍", "\t": "⇥", "␉": "⇥" };

/**
 * What stands along the keys' axis: tokens, or numbers where a kind makes its own keys.
 *
 * @param {AttentionMaps} maps
 */
export function keyNames({ keyTokens, tokens, keys }) {
  if (keyTokens) return keyTokens;
  return keys === tokens.length ? tokens : Array.from({ length: keys }, (_, index) => String(index + 1));
}

/** A token as it can be shown in one place: blanks made visible. @param {string} token */
export function visible(token) {
  return token.replace(/[ \n\r\t␠␊␉]/g, (blank) => BLANKS[blank]);
}

/**
 * Where the cells of a drawn map lie, in CSS pixels.
 *
 * @typedef {object} Frame
 * @property {number} left
 * @property {number} top
 * @property {number} cellWidth
 * @property {number} cellHeight
 * @property {number} queries
 * @property {number} keys
 */

/**
 * Draws a map at full size: its cells, the tokens along both axes, and a mark around one cell.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} size its width and height in CSS pixels
 * @param {HTMLCanvasElement} cells the same map, a pixel a cell
 * @param {{ rows: string[], columns: string[], blocks: import("./sentences.js").Block[], marked?: Cell, ink: string,
 *   accent: string }} looks `blocks` are framed
 * @returns {Frame}
 */
export function drawMap(canvas, size, cells, { rows, columns, blocks, marked, ink, accent }) {
  const ratio = devicePixelRatio || 1;
  const pixels = Math.round(size * ratio);
  if (canvas.width !== pixels || canvas.height !== pixels) canvas.width = canvas.height = pixels;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, size, size);
  const left = room(context, rows);
  const top = room(context, columns);
  const keys = cells.width;
  const queries = cells.height;
  const cellWidth = (size - left) / keys;
  const cellHeight = (size - top) / queries;
  const frame = { left, top, cellWidth, cellHeight, queries, keys };
  context.imageSmoothingEnabled = false;
  context.drawImage(cells, left, top, size - left, size - top);
  context.strokeStyle = ink;
  context.lineWidth = 1.5;
  context.setLineDash([4, 3]);
  for (const { top: from, left: first, bottom, right } of blocks) {
    const width = (right - first) * cellWidth;
    const height = (bottom - from) * cellHeight;
    context.strokeRect(left + first * cellWidth, top + from * cellHeight, width, height);
  }
  context.setLineDash([]);
  drawLabels(context, frame, rows, columns, marked, ink, accent);
  if (marked && marked.query < queries && marked.key < keys) {
    context.strokeStyle = accent;
    context.lineWidth = 2;
    const x = left + marked.key * cellWidth;
    const y = top + marked.query * cellHeight;
    context.strokeRect(x - 1, y - 1, cellWidth + 2, cellHeight + 2);
  }
  return frame;
}

/**
 * What labels take from the map's side.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {string[]} labels
 */
function room(context, labels) {
  context.font = `700 ${LARGEST_LABEL}px ${LABEL_FONT}`;
  const widths = labels.map((label) => context.measureText(label).width);
  return Math.ceil(Math.min(MOST_ROOM, Math.max(LARGEST_LABEL, ...widths) + 5));
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {string[]} rows
 * @param {string[]} columns
 * @param {Cell | undefined} marked
 * @param {string} ink
 * @param {string} accent
 */
function drawLabels(context, { left, top, cellWidth, cellHeight }, rows, columns, marked, ink, accent) {
  const write = (
    /** @type {string[]} */ labels,
    /** @type {number} */ cell,
    /** @type {number | undefined} */ chosen,
    /** @type {(index: number) => void} */ place,
  ) => {
    const every = Math.ceil(LABELLED / cell);
    labels.forEach((label, index) => {
      const isChosen = index === chosen;
      if (!isChosen && (index % every !== 0 || (chosen !== undefined && Math.abs(chosen - index) < every)))
        return;
      context.font = `${isChosen ? "700 " : ""}${Math.min(LARGEST_LABEL, Math.max(9, cell * 0.95))}px ${LABEL_FONT}`;
      context.fillStyle = isChosen ? accent : ink;
      context.save();
      place(index);
      context.fillText(label, 0, 0);
      context.restore();
    });
  };
  context.textBaseline = "middle";
  context.textAlign = "right";
  write(rows, cellHeight, marked?.query, (index) =>
    context.translate(left - 4, top + (index + 0.5) * cellHeight),
  );
  const upright = columns.every((label) => label.length <= 1);
  context.textAlign = upright ? "center" : "left";
  write(columns, cellWidth, marked?.key, (index) => {
    context.translate(left + (index + 0.5) * cellWidth, top - (upright ? 8 : 4));
    if (!upright) context.rotate(-Math.PI / 2);
  });
}

/**
 * The cell under a pointer; over the labels, the one next to them.
 *
 * @param {Frame} frame
 * @param {number} x
 * @param {number} y
 * @returns {Cell | undefined}
 */
export function cellAt({ left, top, cellWidth, cellHeight, queries, keys }, x, y) {
  const query = Math.max(0, Math.floor((y - top) / cellHeight));
  const key = Math.max(0, Math.floor((x - left) / cellWidth));
  return query < queries && key < keys ? { query, key } : undefined;
}
