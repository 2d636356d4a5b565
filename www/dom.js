// Elements from plain calls. Text goes in as text nodes only, never as markup.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {{ [name: string]: any }} Attributes */

const SVG = "http://www.w3.org/2000/svg";
const MATHML = "http://www.w3.org/1998/Math/MathML";

/**
 * @param {Element} element
 * @param {Attributes} attributes
 */
function decorate(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * An HTML element.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes] `onclick` and the like are listeners; `true` is an empty attribute
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const child of children.flat()) if (isChild(child)) element.append(asNode(child));
  decorate(element, attributes); // after the children: a <select>'s value needs its options
  return element;
}

/**
 * An SVG element.
 *
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...SVGElement} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  decorate(element, attributes);
  element.append(...children);
  return element;
}

/**
 * A MathML element.
 *
 * @param {import("./cards/formula.js").MathTree | string} tree
 * @returns {Node}
 */
export function math(tree) {
  if (typeof tree === "string") return document.createTextNode(tree);
  const element = document.createElementNS(MATHML, tree.tag);
  if (tree.infix) element.setAttribute("form", "infix");
  element.append(...tree.children.map(math));
  return element;
}

/**
 * Replaces what an element holds, but only if the text differs: calm for screen readers and for layout.
 *
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {Child} child @returns {child is Node | string | number} */
function isChild(child) {
  return child !== null && child !== undefined && child !== false;
}

/** @param {Node | string | number} child */
function asNode(child) {
  return typeof child === "number" ? String(child) : child;
}

let lastId = 0;

/** A fresh id, for labels and descriptions. */
export function freshId() {
  lastId += 1;
  return `u${lastId}`;
}

/**
 * Calls `draw` at most every `interval` milliseconds, once more after the last call, and never while hidden.
 *
 * @param {() => void} draw
 * @param {number} [interval]
 */
export function calmly(draw, interval = 250) {
  let last = -Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let waiting = false;
  const run = () => {
    timer = undefined;
    if (document.hidden) {
      waiting = true;
      return;
    }
    last = performance.now();
    draw();
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden || !waiting) return;
    waiting = false;
    run();
  });
  return () => {
    timer ??= setTimeout(run, Math.max(0, last + interval - performance.now()));
  };
}
