// A person's own text to train on: by paste, picker or drop.
import { freshId, h, setText } from "./dom.js";
import { size, whole } from "./format.js";
import { t } from "./messages/index.js";
import { keepText, keptText } from "./store.js";
import { decode, EncodingError } from "./text-source.js";

/** Longer texts are not put into the text box, which would hold up the page; a piece is shown instead. */
const EDITABLE = 50_000;
const PREVIEW = 400;
/** Milliseconds of rest after which typing is kept. */
const KEEP_AFTER = 400;
/** What a person may give at most, in bytes: beyond it the worker's memory gets tight. */
const LARGEST = 100_000_000;

export class TextPanel {
  /** @type {HTMLElement} */
  element;
  /** The text of an earlier visit is here, if there was one. @type {Promise<void>} */
  ready;
  #own = { name: "", text: "", encoding: "" };
  #changed;
  #area;
  #status = h("p", { class: "hint" });
  #trouble = h("div", { class: "notice", hidden: true, role: "alert", "data-testid": "text-error" });
  #preview = h("p", { class: "preview", hidden: true });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #keeping;

  /** @param {(given: boolean) => void} changed called with whether a person just gave a text */
  constructor(changed) {
    this.#changed = changed;
    const areaId = freshId();
    this.#area = h("textarea", {
      id: areaId,
      rows: 7,
      spellcheck: "false",
      placeholder: t("text.placeholder"),
      "data-testid": "own-text",
      oninput: () => this.#take({ name: t("text.pasted"), text: this.#area.value, encoding: "" }),
      onpaste: (/** @type {ClipboardEvent} */ event) => this.#paste(event),
    });
    const picker = h("input", {
      type: "file",
      class: "hidden-file",
      "data-testid": "text-file",
      "aria-label": t("text.open"),
      accept: ".txt,.md,.csv,.json,.html,text/*",
      onchange: () => {
        const [file] = picker.files ?? [];
        if (file) void this.readFile(file);
        picker.value = "";
      },
    });
    this.element = h(
      "div",
      { class: "own" },
      h("label", { for: areaId, class: "h3" }, t("text.own")),
      this.#area,
      this.#preview,
      this.#trouble,
      h(
        "div",
        { class: "row" },
        h("label", { class: "button file-label" }, picker, t("text.open")),
        this.#status,
      ),
    );
    this.ready = this.#restore();
  }

  /** The text as it stands, with its name. */
  get current() {
    return { name: this.#own.name, text: this.#own.text };
  }

  async #restore() {
    const kept = await keptText();
    if (!kept || this.#own.text !== "") return;
    this.#showOwn(kept);
    this.#changed(false);
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    const [file] = event.clipboardData?.files ?? [];
    if (file) {
      event.preventDefault();
      void this.readFile(file);
    } else if (pasted.length > EDITABLE) {
      event.preventDefault();
      this.#take({ name: t("text.pasted"), text: pasted, encoding: "" });
      this.#showOwn(this.#own);
    }
  }

  /**
   * Reads a file as text; what cannot be read is said, with what to do.
   *
   * @param {File} file
   * @param {string} [encoding] chosen by a person
   */
  async readFile(file, encoding) {
    this.#say();
    if (file.size > LARGEST) {
      this.#say(t("text.tooLarge", { name: file.name, size: size(file.size), limit: size(LARGEST) }));
      return;
    }
    try {
      const decoded = await decode(new Uint8Array(await file.arrayBuffer()), encoding);
      this.#take({ name: file.name, ...decoded });
      this.#showOwn(this.#own);
    } catch (error) {
      if (error instanceof EncodingError) this.#offer(file, error);
      else
        this.#say(
          t("text.unreadable", {
            name: file.name,
            reason: error instanceof Error ? error.message : String(error),
          }),
        );
    }
  }

  /** @param {File} file @param {EncodingError} error */
  #offer(file, error) {
    const { encoding, offset, offers } = error.details;
    const what = t(`text.encoding.${error.reason}`, {
      name: file.name,
      encoding: t(`encoding.${encoding}`),
      offset: whole((offset ?? 0) + 1),
    });
    this.#say(
      what,
      offers.map((offer) =>
        h(
          "button",
          {
            type: "button",
            "data-testid": `read-as-${offer}`,
            onclick: () => void this.readFile(file, offer),
          },
          t("text.readAs", { encoding: t(`encoding.${offer}`) }),
        ),
      ),
    );
  }

  /** @param {string} [text] @param {HTMLElement[]} [buttons] */
  #say(text = "", buttons = []) {
    this.#trouble.hidden = text === "";
    this.#trouble.replaceChildren(h("p", {}, text), ...buttons);
  }

  /** @param {{ name: string, text: string, encoding: string }} own */
  #take(own) {
    this.#own = own;
    this.#say();
    this.#changed(own.text !== "");
    this.#describe();
    clearTimeout(this.#keeping);
    this.#keeping = setTimeout(() => void this.#keep(), KEEP_AFTER);
  }

  async #keep() {
    if (!(await keepText(this.#own))) this.#say(t("text.notKept"));
  }

  /** @param {{ name: string, text: string, encoding: string }} own */
  #showOwn(own) {
    this.#own = own;
    const long = own.text.length > EDITABLE;
    this.#area.value = long ? "" : own.text;
    this.#area.placeholder = long ? t("text.replace") : t("text.placeholder");
    this.#preview.hidden = !long;
    setText(this.#preview, long ? t("text.preview", { start: own.text.slice(0, PREVIEW) }) : "");
    this.#describe();
  }

  #describe() {
    const { name, text, encoding } = this.#own;
    if (text.length <= EDITABLE) this.#preview.hidden = true;
    setText(
      this.#status,
      text === ""
        ? ""
        : t(encoding ? "text.read" : "text.typed", {
            name,
            characters: whole(text.length),
            encoding: encoding === "" ? "" : t(`encoding.${encoding}`),
          }),
    );
  }
}
