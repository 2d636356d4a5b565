// How a kind looks, everywhere on the page: one colour, one line style, one pictogram of what it looks at.
import { h, svg } from "./dom.js";

/** @typedef {import("synthattn").KindInfo} KindInfo */

/** Colours are the custom properties --kind-0 … of the style sheet. */
const COLOURS = 8;

/**
 * Line styles, in pixels of line and gap. Seven of them, eight colours: 56 kinds before a pair comes again.
 */
const DASHES = [[], [6, 3], [2, 2], [12, 3, 2, 3, 2, 3], [12, 4], [4, 2, 1, 2], [9, 3, 2, 3]];

/** @type {Map<string, { index: number, info: KindInfo }>} */
const known = new Map();

/** Learns the table of kinds; a kind's place in it decides its looks. @param {KindInfo[]} kinds */
export function learnKinds(kinds) {
  kinds.forEach((info, index) => known.set(info.name, { index, info }));
}

/** All kinds, in the order of the table. */
export function allKinds() {
  return [...known.values()].map(({ info }) => info);
}

/** @param {string} kind @returns {KindInfo | undefined} */
export function infoOf(kind) {
  return known.get(kind)?.info;
}

/** @param {string} kind */
export function labelOf(kind) {
  return infoOf(kind)?.label ?? kind;
}

/** The kind that a spec names. @param {import("synthattn").ModelSpec} spec */
export function kindOf({ attention }) {
  return typeof attention === "string" ? attention : attention.kind;
}

/** The custom property with the kind's colour. @param {string} kind */
export function colourOf(kind) {
  return `--kind-${(known.get(kind)?.index ?? 0) % COLOURS}`;
}

/** @param {string} kind */
export function dashOf(kind) {
  return DASHES[(known.get(kind)?.index ?? 0) % DASHES.length];
}

/**
 * The kind every other is measured against: dot-product attention, if it is there.
 *
 * @param {string[]} kinds
 */
export function referenceOf(kinds) {
  return kinds.find((kind) => infoOf(kind)?.family === "dot-product");
}

/** What a kind looks at: "nothing", "token", "token-pair" or "mixture". @param {KindInfo} kind */
export function sightOf(kind) {
  return kind.family === "mixture" ? "mixture" : kind.conditionsOn;
}

/** The four of them, from blind to all-seeing. */
export const SIGHTS = ["nothing", "token", "token-pair", "mixture"];

/** @param {number} x @param {number} y @param {number} radius @param {boolean} [faint] */
const dot = (x, y, radius, faint) =>
  svg("circle", { cx: x, cy: y, r: radius, fill: "currentColor", opacity: faint && 0.3 });
/** @param {string} d */
const line = (d) =>
  svg("path", { d, fill: "none", stroke: "currentColor", "stroke-width": 1.4, "stroke-linecap": "round" });
/** @param {number} x @param {number} y @param {number} opacity */
const cell = (x, y, opacity) => svg("rect", { x, y, width: 3.6, height: 3.6, fill: "currentColor", opacity });

/** @type {Record<string, () => SVGElement[]>} */
const PICTOGRAMS = {
  // A fixed table, no token in sight.
  nothing: () =>
    [2, 6.2, 10.4, 14.6].flatMap((y, row) =>
      [2, 6.2, 10.4, 14.6].map((x, column) =>
        cell(x, y, column > row ? 0.12 : [1, 0.35, 0.7, 0.5][(row * 3 + column * 2) % 4]),
      ),
    ),
  // One token writes a row of weights.
  token: () => [
    dot(10, 16, 2.6),
    line("M10 13.4V8"),
    line("M2.5 8H17.5"),
    cell(2, 2, 1),
    cell(6.2, 2, 0.35),
    cell(10.4, 2, 0.7),
    cell(14.6, 2, 0.2),
  ],
  // Two tokens are compared.
  "token-pair": () => [dot(4.5, 14, 2.6), dot(15.5, 14, 2.6), line("M4.5 10.4C4.5 2 15.5 2 15.5 10.4")],
  // Several ways, blended.
  mixture: () => [
    svg("path", { d: "M10 2.5a7.5 7.5 0 0 0 0 15Z", fill: "currentColor" }),
    svg("circle", { cx: 10, cy: 10, r: 7.5, fill: "none", stroke: "currentColor", "stroke-width": 1.4 }),
  ],
};

/** @param {string} sight */
export function pictogram(sight) {
  return svg(
    "svg",
    { viewBox: "0 0 20 20", class: "pictogram", "aria-hidden": "true" },
    ...(PICTOGRAMS[sight] ?? PICTOGRAMS.mixture)(),
  );
}

/** A short piece of the kind's line, as in the chart. @param {string} kind */
export function lineSample(kind) {
  const sample = svg("line", {
    x1: 1,
    y1: 5,
    x2: 27,
    y2: 5,
    "stroke-width": 2.5,
    "stroke-dasharray": dashOf(kind).join(" ") || false,
  });
  sample.style.stroke = `var(${colourOf(kind)})`;
  return svg("svg", { viewBox: "0 0 28 10", class: "line-sample", "aria-hidden": "true" }, sample);
}

/**
 * A kind's name with its line and pictogram: the same in every section.
 *
 * @param {string} kind
 * @param {string} [label]
 */
export function kindName(kind, label = labelOf(kind)) {
  const info = infoOf(kind);
  return h(
    "span",
    { class: "kind-name" },
    lineSample(kind),
    h("span", {}, label),
    info ? pictogram(sightOf(info)) : null,
  );
}
