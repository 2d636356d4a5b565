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
  #data;
  #notice = notice("load-error");

  /**
   * @param {Lab} lab
   * @param {import("./state.js").State} state
   * @param {import("./data.js").DataSource} data
   * @param {(file: File) => void} readData takes a file of data, and shows where it went
   */
  constructor(lab, state, data, readData) {
    this.#lab = lab;
    this.#state = state;
    this.#data = data;
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
    this.#acceptDrops(readData);
  }

  /** Puts a model on the bench and scores it on the data in use. @param {File} file */
  async load(file) {
    this.#notice.clear();
    try {
      const entry = await this.#lab.load(file, file.name, this.#state.settings);
      const { task } = entry.model.spec;
      const idle = !this.#lab.order && !this.#lab.busy;
      if (idle && task !== this.#state.settings.task) this.#state.set({ task });
      if (task !== this.#state.settings.task) {
        this.#notice.say(t("files.otherTask", { task: t(`task.${task}`) }));
        return;
      }
      const data = await this.#data.current();
      if (data) await this.#lab.scoreLoaded(entry, data, this.#state.settings.validation || 0.1);
    } catch (error) {
      this.#notice.fail(error);
    }
  }

  /** @param {(file: File) => void} readData */
  #acceptDrops(readData) {
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
      show(Boolean((depth = 0)));
      if (event.defaultPrevented) return; // a panel has taken it
      event.preventDefault();
      for (const file of event.dataTransfer?.files ?? []) {
        if (MODEL.test(file.name)) void this.load(file);
        else readData(file);
      }
    });
    document.body.append(h("div", { class: "drop-hint", "aria-hidden": "true" }, t("files.drop")));
  }
}
