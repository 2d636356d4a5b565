// Files dropped on the page and models opened from files.
import { h } from "./dom.js";
import { notice } from "./errors.js";
import { t } from "./messages/index.js";

/** @typedef {import("./lab.js").Lab} Lab */

const MODEL = /\.safetensors$/i;

export class ModelFiles {
  /** @type {HTMLElement} */
  element;
  #lab;
  #state;
  #texts;
  #notice = notice("load-error");

  /**
   * @param {Lab} lab
   * @param {import("./state.js").State} state
   * @param {import("./text-panel.js").TextPanel} texts
   * @param {() => void} openText shows where a dropped text went
   */
  constructor(lab, state, texts, openText) {
    this.#lab = lab;
    this.#state = state;
    this.#texts = texts;
    const picker = h("input", {
      type: "file",
      multiple: true,
      accept: ".safetensors",
      class: "hidden-file",
      "data-testid": "load-file",
      "aria-label": t("files.open"),
      onchange: () => {
        for (const file of picker.files ?? []) void this.load(file);
        picker.value = "";
      },
    });
    this.element = h(
      "div",
      { class: "model-files" },
      h(
        "div",
        { class: "row" },
        h("label", { class: "button file-label" }, picker, t("files.open")),
        h("p", { class: "hint" }, t("files.help")),
      ),
      this.#notice.element,
    );
    this.#acceptDrops(openText);
  }

  /** Puts a model on the bench and scores it on the text in use. @param {File} file */
  async load(file) {
    this.#notice.clear();
    try {
      const entry = await this.#lab.load(file, file.name, this.#state.settings.device);
      const { text } = await this.#texts.current();
      const share = this.#state.settings.validation || 0.1;
      if (text !== "")
        await this.#lab.scoreHeldOut(entry, text, share, { step: entry.model.step, seconds: 0 });
    } catch (error) {
      this.#notice.fail(error);
    }
  }

  /** @param {() => void} openText */
  #acceptDrops(openText) {
    let depth = 0;
    const show = (/** @type {boolean} */ on) => document.body.classList.toggle("dropping", on);
    const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;
    addEventListener("dragenter", (event) => {
      if (hasFiles(event)) show((depth += 1) > 0);
    });
    addEventListener("dragleave", (event) => {
      if (hasFiles(event)) show((depth -= 1) > 0);
    });
    addEventListener("dragover", (event) => {
      if (hasFiles(event)) event.preventDefault();
    });
    addEventListener("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      show(Boolean((depth = 0)));
      for (const file of event.dataTransfer?.files ?? []) {
        if (MODEL.test(file.name)) void this.load(file);
        else {
          openText();
          void this.#texts.readFile(file);
        }
      }
    });
    document.body.append(h("div", { class: "drop-hint", "aria-hidden": "true" }, t("files.drop")));
  }
}
