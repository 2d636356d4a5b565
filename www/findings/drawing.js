// Pictures as plain trees, so that one drawing becomes elements on the page, a file of its own, or pixels. Nothing here
// needs a page: text is measured by estimate.

/**
 * An element of a picture. Colours are `currentColor`, which a class sets: see COLOURS.
 *
 * @typedef {object} Mark
 * @property {string} tag g, line, rect, circle, path, text or title; svg around all
 * @property {Record<string, string | number>} attributes
 * @property {(Mark | string)[]} children
 */

/**
 * A picture: its parts in an area of so many CSS pixels.
 *
 * @typedef {object} Picture
 * @property {number} width @property {number} height
 * @property {Mark[]} parts
 */

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Noto Sans CJK SC", sans-serif';
const MARGIN = 16;
const LINE = 17;

/**
 * The colours of the style sheet by the class that sets them, for files that have none: in light and in dark.
 *
 * @type {Record<string, [string, string]>}
 */
export const COLOURS = {
  paper: ["#fdfdfc", "#131416"],
  ink: ["#1b1c1e", "#e9e9e6"],
  muted: ["#5c6066", "#a0a4ab"],
  rule: ["#dfe0de", "#303237"],
  edge: ["#8b8f95", "#6f747c"],
  wash: ["#f3f4f2", "#1d1f22"],
  "kind-0": ["#2a2c30", "#e4e4e0"],
  "kind-1": ["#bd4208", "#ff935c"],
  "kind-2": ["#00745a", "#45cfa4"],
  "kind-3": ["#866000", "#dcb450"],
  "kind-4": ["#0069ad", "#5db6f5"],
  "kind-5": ["#6a4bbd", "#b7a0fa"],
  "kind-6": ["#a8327f", "#f18fc9"],
  "kind-7": ["#4d6a00", "#a9cc54"],
};

/** Those of weights, from none to the most, and in how many steps they are shown. @type {[string, string][]} */
export const HEAT = [
  ["#f4f5f3", "#1b1d21"],
  ["#8aa0e6", "#3f57b5"],
  ["#0c1a5c", "#e8edff"],
];
export const HEATS = 12;

/**
 * @param {string} tag
 * @param {Record<string, string | number | false | undefined>} [attributes]
 * @param {...(Mark | string)} children
 * @returns {Mark}
 */
export function mark(tag, attributes = {}, ...children) {
  const given = Object.entries(attributes).filter(([, value]) => value !== false && value !== undefined);
  const rounded = given.map(([name, value]) => [name, typeof value === "number" ? Math.round(value * 100) / 100 : value]);
  return { tag, attributes: Object.fromEntries(rounded), children };
}

/** The class that sets a colour. @param {string} name of COLOURS */
export const inColour = (name) => `c-${name}`;

/** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {Record<string, string | number | false>} [more] */
export const line = (x1, y1, x2, y2, more) => mark("line", { x1, y1, x2, y2, stroke: "currentColor", ...more });

/**
 * @param {number} x
 * @param {number} y
 * @param {string} content
 * @param {{ colour?: string, anchor?: "start" | "middle" | "end", bold?: boolean, size?: number }} [looks]
 */
export function text(x, y, content, { colour = "ink", anchor = "start", bold = false, size = 12 } = {}) {
  const looks = { class: inColour(colour), fill: "currentColor", "font-size": size, "font-weight": bold && 600 };
  return mark("text", { x, y, "text-anchor": anchor !== "start" && anchor, ...looks }, content);
}

/** How wide a text will be, rather more than less. @param {string} content @param {number} [size] @param {boolean} [bold] */
export function widthOf(content, size = 12, bold = false) {
  let ems = 0;
  for (const letter of content) {
    if (/[\u2e80-\uffef]/u.test(letter) || letter > "\uffff") ems += 1;
    else if (/[ijlt.,:;|'!()[\]\s]/u.test(letter)) ems += 0.38;
    else if (/[mwMW%@–—]/u.test(letter)) ems += 0.92;
    else if (/\p{Lu}/u.test(letter)) ems += 0.7;
    else ems += 0.61;
  }
  return ems * size * (bold ? 1.12 : 1);
}

/** A text in lines of a width; Chinese may break anywhere. @param {string} content @param {number} width @param {number} [size] */
export function linesOf(content, width, size = 12) {
  const lines = [""];
  for (const piece of content.match(/\p{Script=Han}(?:(?!\p{Ps})\p{P})*|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? []) {
    const last = lines[lines.length - 1];
    if (last !== "" && widthOf(last + piece.trimEnd(), size) > width) lines.push(piece);
    else lines[lines.length - 1] = last + piece;
  }
  return lines.map((one) => one.trim());
}

/**
 * Round numbers in a range, about so many.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} about
 */
export function ticksIn(low, high, about) {
  const rough = (high - low) / Math.max(1, about);
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough * 0.999) ?? rough;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Whole multiples, so that no rounding adds up; and no minus before zero.
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => Number(((first + index) * step).toPrecision(12)) + 0);
}

/** Parts of a picture as elements of SVG. @param {Picture} picture @param {string} label for screen readers @returns {Mark} */
export function asSvg({ width, height, parts }, label) {
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  const box = `0 0 ${size.width} ${size.height}`;
  return mark("svg", { xmlns: "http://www.w3.org/2000/svg", ...size, viewBox: box, role: "img", "aria-label": label }, ...parts);
}

/**
 * A picture with what it needs where there is no page around it: a ground, a title, a caption.
 *
 * @param {Picture} picture
 * @param {{ title: string, caption: string }} words
 * @returns {Picture}
 */
export function framed({ width, height, parts }, { title, caption }) {
  const heads = linesOf(title, width, 15);
  const head = MARGIN + heads.length * 20 + 6;
  const lines = caption === "" ? [] : linesOf(caption, width);
  const full = { width: width + 2 * MARGIN, height: head + height + lines.length * LINE + MARGIN };
  return {
    ...full,
    parts: [
      mark("rect", { class: inColour("paper"), fill: "currentColor", ...full }),
      ...heads.map((one, index) => text(MARGIN, MARGIN + 14 + index * 20, one, { size: 15, bold: true })),
      mark("g", { transform: `translate(${MARGIN} ${head})` }, ...parts),
      ...lines.map((one, index) => text(MARGIN, head + height + (index + 1) * LINE - 4, one, { colour: "muted" })),
    ],
  };
}

/**
 * A picture as a file of its own, in light or dark as whoever shows it prefers unless told.
 *
 * @param {Picture} picture
 * @param {{ title: string, caption: string }} words
 * @param {"light" | "dark"} [theme]
 */
export function fileOf(picture, words, theme) {
  const root = asSvg(framed(picture, words), words.title);
  root.attributes["font-family"] = FONT;
  const first = styleOf(theme === "dark" ? 1 : 0);
  const style = theme ? first : `${first}@media (prefers-color-scheme:dark){${styleOf(1)}}`;
  root.children.unshift(mark("title", {}, words.title), mark("style", {}, style));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${markup(root)}\n`;
}

/** @param {0 | 1} theme */
function styleOf(theme) {
  const named = Object.entries(COLOURS).map(([name, both]) => [name, both[theme]]);
  const heats = Array.from({ length: HEATS }, (_, heat) => [`heat-${heat}`, heatOf(heat, theme)]);
  return [...named, ...heats].map(([name, colour]) => `.${inColour(name)}{color:${colour}}`).join("");
}

/** A step of the colours of weights. @param {number} heat below HEATS @param {0 | 1} theme */
export function heatOf(heat, theme) {
  const at = (2 * heat) / (HEATS - 1);
  const from = Math.min(1, Math.floor(at));
  const channels = (/** @type {number} */ stop) => HEAT[stop][theme].match(/[0-9a-f]{2}/g)?.map((two) => Number.parseInt(two, 16)) ?? [];
  const [low, high] = [channels(from), channels(from + 1)];
  const mixed = low.map((one, index) => Math.round(one + (high[index] - one) * (at - from)));
  return `#${mixed.map((one) => one.toString(16).padStart(2, "0")).join("")}`;
}

/** @type {Record<string, string>} */
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Without what no XML may hold. @param {string} content */
const escaped = (content) => content.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "").replace(/[&<>"]/g, (one) => ESCAPES[one]);

/** @param {Mark | string} tree @returns {string} */
export function markup(tree) {
  if (typeof tree === "string") return escaped(tree);
  const { tag, attributes, children } = tree;
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(String(value))}"`).join("");
  return children.length > 0 ? `<${tag}${written}>${children.map(markup).join("")}</${tag}>` : `<${tag}${written}/>`;
}
