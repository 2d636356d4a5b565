// A person's own data, by shape: the panel where it is given, and what is there. Panels are made when first needed.
import { rowsPanel } from "./rows-panel.js";
import { SHAPES } from "./tasks.js";
import { TextPanel } from "./text-panel.js";

/** @typedef {import("./data.js").OwnData} Own */
/**
 * @typedef {object} Panel
 * @property {HTMLElement} element
 * @property {Promise<unknown>} ready what was kept of an earlier visit has been read
 * @property {Own | undefined} current
 * @property {(file: File) => unknown} readFile
 */

export class OwnPanels {
  /** @type {Map<string, Panel>} */
  #made = new Map();
  #changed;

  /** @param {(given: boolean) => void} changed called with whether a person just gave something */
  constructor(changed) {
    this.#changed = changed;
  }

  /** The panel of a shape. @param {string} shape @returns {Panel} */
  of(shape) {
    let panel = this.#made.get(shape);
    if (!panel) this.#made.set(shape, (panel = this.#make(shape)));
    return panel;
  }

  /** @param {string} shape @returns {Panel} */
  #make(shape) {
    const { input, answer } = SHAPES[shape];
    if (answer === undefined) return new TextPanel(this.#changed);
    return rowsPanel({
      fields: [...input, answer],
      onRows: (own, given) => this.#changed(given && own !== undefined),
    });
  }
}
