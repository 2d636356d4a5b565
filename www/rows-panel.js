// A person's own rows: text with labels, pairs with labels, or sources with targets, from CSV, TSV or JSON, by paste,
// picker or drop. It shows what was read, lets guesses be changed, and says which rows are refused and why.
//
//   const panel = rowsPanel({ fields: ["text", "label"], onRows, onBuiltin });
//
//   fields              what a row of the task is made of: ["text", "label"], ["text", "second", "label"] or
//                       ["source", "target"]
//   onRows(own, given)  called whenever the rows have changed. `own` is undefined if there are none of use, else
//                       { rows, name, refused, labels }:
//                         rows     objects with the fields; `label` is a string or (from JSON) a whole number
//                         name     of the file, or what to call pasted rows
//                         refused  { count, first }: how many rows were left out, and the first ten of them
//                         labels   [{ label, count }], the most frequent first; empty where fields has no label
//                       `given`: whether a person just gave them; false for those kept from an earlier visit
//   onBuiltin()         a person goes back to built-in data; without it there is no button for that
//
//   panel.element       to be put into the page
//   panel.ready         a promise: what was kept of an earlier visit has been read
//   panel.current       the same `own`
//   panel.readFile(file)   a file that was dropped elsewhere on the page
//
// A drop on the panel itself is taken here and its default prevented: other listeners leave such an event alone.
//
// Hooks for tests, inside [data-testid=rows-panel][data-fields="text,label"]:
//   rows-text rows-file rows-summary rows-error rows-format rows-encoding rows-header column-<field> rows-merge
//   rows-preview rows-classes rows-refused rows-builtin rows-forget
import { freshId, h } from "./dom.js";
import { size } from "./format.js";
import { ENCODINGS } from "./import/bytes.js";
import { guessColumns } from "./import/columns.js";
import { ImportFailure } from "./import/failure.js";
import { FORMATS } from "./import/format.js";
import { Pace } from "./import/pace.js";
import { takeRows } from "./import/rows.js";
import { layout, readTable } from "./import/table.js";
import { t, together } from "./messages/index.js";
import { columnName, RowsReport } from "./rows-report.js";
import { keepRows, keptRows } from "./store.js";

/** @typedef {import("./import/columns.js").Field} Field */
/** @typedef {import("./import/rows.js").Taken} Taken */
/** @typedef {import("./import/table.js").Source} Source */
/** @typedef {import("./import/table.js").Table} Table */

/** @typedef {Pick<Taken, "rows" | "refused" | "labels"> & { name: string }} OwnRows */

/**
 * What a person chose against the guesses.
 *
 * @typedef {object} Choices
 * @property {import("./import/format.js").Format} [format]
 * @property {string} [encoding]
 * @property {boolean} [headed]
 * @property {boolean} [merge]
 * @property {Partial<Record<Field, number>>} columns
 */

/**
 * @typedef {object} Options
 * @property {Field[]} fields
 * @property {(own: OwnRows | undefined, given: boolean) => void} onRows
 * @property {() => void} [onBuiltin]
 */

/** @param {Options} options */
export function rowsPanel(options) {
  return new RowsPanel(options);
}

/** Longer texts are not put into the box, which would hold up the page: they can be seen in the preview. */
const EDITABLE = 50_000;
/** Milliseconds of rest after which typing is read. */
const READ_AFTER = 400;
/** What a person may give at most, in bytes: rows take several times that in memory. */
const LARGEST = 50_000_000;
/** Columns that can be chosen by hand. */
const OFFERED = 200;
const MODEL = /\.safetensors$/i;

class RowsPanel {
  /** @type {HTMLElement} */
  element;
  /** @type {Promise<void>} */
  ready;
  /** @type {OwnRows | undefined} */
  current;
  #fields;
  #onRows;
  /** @type {Source | undefined} */
  #source;
  /** @type {Choices} */
  #choices = { columns: {} };
  /** @type {Table | undefined} */
  #table;
  /** Ends the reading under way. */
  #reading = new AbortController();
  #area;
  #progress = h("progress", { max: 1, value: 0, "aria-label": t("rows.reading") });
  #trouble = h("div", { class: "notice", role: "alert", hidden: true, "data-testid": "rows-error" });
  #format = select("rows-format", (value) => this.#choose({ format: /** @type {any} */ (value) }));
  #encoding = select("rows-encoding", (value) => this.#choose({ encoding: value }));
  #encodingField = labelled(t("rows.encoding"), this.#encoding);
  #header = h("input", {
    type: "checkbox",
    "data-testid": "rows-header",
    onchange: () => this.#choose({ headed: this.#header.checked }),
  });
  #headerField = h("label", { class: "choice rows-header" }, this.#header, h("span", {}, t("rows.header")));
  /** @type {Map<Field, HTMLSelectElement>} */
  #columns;
  #report;
  #forget = h(
    "button",
    {
      type: "button",
      class: "quiet",
      hidden: true,
      "data-testid": "rows-forget",
      onclick: () => this.#clear(),
    },
    t("rows.forget"),
  );
  #settings = h("div", { class: "rows-settings", hidden: true });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #typing;

  /** @param {Options} options */
  constructor({ fields, onRows, onBuiltin }) {
    this.#fields = fields;
    this.#onRows = onRows;
    const key = fields.join(".");
    this.#area = h("textarea", {
      id: freshId(),
      rows: 5,
      spellcheck: "false",
      autocomplete: "off",
      dir: "auto",
      placeholder: t(`rows.placeholder.${key}`),
      "data-testid": "rows-text",
      oninput: () => this.#type(),
      onpaste: (/** @type {ClipboardEvent} */ event) => this.#paste(event),
    });
    this.#columns = new Map(
      fields.map((field) => [
        field,
        select(`column-${field}`, (value) =>
          this.#choose({ columns: { ...this.#choices.columns, [field]: Number(value) } }),
        ),
      ]),
    );
    this.#report = new RowsReport(fields, (merge) => this.#choose({ merge }));
    this.#settings.append(
      h("div", { class: "rows-grid" }, labelled(t("rows.format"), this.#format), this.#encodingField),
      h(
        "div",
        { class: "rows-grid" },
        [...this.#columns].map(([field, one]) => labelled(t(`rows.column.${field}`), one)),
      ),
      this.#headerField,
    );
    this.element = h(
      "div",
      {
        class: "rows-panel",
        "data-testid": "rows-panel",
        "data-fields": fields.join(","),
        ondragover: (/** @type {DragEvent} */ event) => {
          if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
        },
        ondrop: (/** @type {DragEvent} */ event) => this.#drop(event),
      },
      h("label", { for: this.#area.id, class: "h3" }, t("rows.own")),
      this.#area,
      this.#actions(onBuiltin),
      this.#progress,
      this.#trouble,
      this.#report.summary,
      this.#settings,
      this.#report.element,
    );
    this.ready = this.#restore();
  }

  /**
   * Reads a file; what can't be read is said, and the rows before it are kept.
   *
   * @param {File} file
   */
  async readFile(file) {
    this.#say();
    if (file.size > LARGEST) {
      this.#fail(t("rows.tooLarge", { name: file.name, size: size(file.size), limit: size(LARGEST) }));
      return;
    }
    await this.#read({ name: file.name, bytes: file }, { columns: {} }, true);
  }

  /** @param {(() => void) | undefined} onBuiltin */
  #actions(onBuiltin) {
    const picker = h("input", {
      type: "file",
      class: "hidden-file",
      "data-testid": "rows-file",
      "aria-label": t("rows.open"),
      accept: ".csv,.tsv,.tab,.txt,.json,.jsonl,.ndjson,text/*,application/json",
      onchange: () => {
        const [file] = picker.files ?? [];
        if (file) void this.readFile(file);
        picker.value = "";
      },
    });
    return h(
      "div",
      { class: "row" },
      h("label", { class: "button file-label" }, picker, t("rows.open")),
      onBuiltin &&
        h(
          "button",
          { type: "button", class: "quiet", "data-testid": "rows-builtin", onclick: onBuiltin },
          t("rows.builtin"),
        ),
      this.#forget,
    );
  }

  async #restore() {
    const kept = await keptRows(this.#fields.join(","));
    if (kept && !this.#source) await this.#read(kept.source, kept.choices, false);
  }

  #type() {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#readTyped(this.#area.value), READ_AFTER);
  }

  /** @param {string} text */
  #readTyped(text) {
    this.#say();
    if (text.trim() === "") this.#clear();
    else {
      const typedBefore = this.#source && "text" in this.#source;
      const choices = typedBefore ? this.#choices : { columns: {} };
      void this.#read({ name: t("rows.pasted"), text }, choices, true);
    }
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    const [file] = event.clipboardData?.files ?? [];
    if (file && pasted === "") {
      event.preventDefault();
      void this.readFile(file);
    } else if (pasted.length > EDITABLE) {
      event.preventDefault();
      this.#readTyped(pasted);
    }
  }

  /** @param {DragEvent} event */
  #drop(event) {
    const [file] = event.dataTransfer?.files ?? [];
    if (!file || MODEL.test(file.name)) return; // dropped words go into the box, models to the page
    event.preventDefault();
    void this.readFile(file);
  }

  /** @param {Partial<Choices>} change */
  #choose(change) {
    if (!this.#source) return;
    const choices = { ...this.#choices, ...change };
    // Another format has other columns, and perhaps no names; another encoding has other names at most.
    if (change.format) {
      choices.columns = {};
      delete choices.headed;
    }
    if (change.format || change.encoding) void this.#read(this.#source, choices, true);
    else {
      this.#choices = choices;
      void this.#retake(this.#newReading());
    }
  }

  /** The same table, seen in another way. @param {AbortSignal} signal */
  async #retake(signal) {
    await this.#take(signal, true);
    if (!signal.aborted) await this.#keep(signal);
  }

  #newReading() {
    clearTimeout(this.#typing);
    this.#reading.abort();
    this.#reading = new AbortController();
    return this.#reading.signal;
  }

  /** @param {Source} source @param {Choices} choices @param {boolean} given */
  async #read(source, choices, given) {
    const signal = this.#newReading();
    this.#busy(0);
    try {
      const progress = (/** @type {number} */ share) => this.#busy(share * 0.8);
      const table = await readTable(source, choices, { signal, progress });
      signal.throwIfAborted();
      this.#source = source;
      this.#choices = choices;
      this.#table = table;
      await this.#take(signal, given);
      if (given && !signal.aborted) await this.#keep(signal);
    } catch (error) {
      if (signal.aborted) return; // a newer reading goes on
      this.#busy();
      this.#fail(explain(error, source.name));
    }
  }

  /**
   * Rows of the table as it is seen now.
   *
   * @param {AbortSignal} signal
   * @param {boolean} given
   */
  async #take(signal, given) {
    const table = /** @type {Table} */ (this.#table);
    const source = /** @type {Source} */ (this.#source);
    const headed = this.#choices.headed ?? table.headed;
    const seen = layout(table, headed);
    const chosen = Object.entries(this.#choices.columns).filter(([, place]) => place < seen.width);
    const columns = { ...guessColumns(this.#fields, seen, table.records), ...Object.fromEntries(chosen) };
    const how = { layout: seen, fields: this.#fields, columns, merge: this.#choices.merge };
    const pace = new Pace({ signal, progress: (share) => this.#busy(0.8 + share * 0.2) });
    let taken;
    try {
      taken = await takeRows(table, how, pace);
      signal.throwIfAborted();
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.#busy();
    this.#say();
    this.#showSettings(table, seen, headed, columns);
    this.#showText(table, source);
    this.#report.show({ name: source.name, table, seen, headed, columns, taken, merge: how.merge ?? false });
    const { rows, refused, labels, problem } = taken;
    this.current = problem ? undefined : { rows, name: source.name, refused, labels };
    this.#onRows(this.current, given);
  }

  /** @param {AbortSignal} signal */
  async #keep(signal) {
    const own = { source: this.#source, choices: this.#choices };
    const kept = await keepRows(this.#fields.join(","), own);
    if (!kept && !signal.aborted) this.#say(t("rows.notKept"));
  }

  #clear() {
    this.#newReading();
    this.#busy();
    this.#say();
    this.#source = this.#table = this.current = undefined;
    this.#choices = { columns: {} };
    this.#area.value = "";
    this.#area.placeholder = t(`rows.placeholder.${this.#fields.join(".")}`);
    this.#settings.hidden = this.#forget.hidden = true;
    this.#report.clear();
    void keepRows(this.#fields.join(","), undefined);
    this.#onRows(undefined, true);
  }

  /**
   * @param {Table} table
   * @param {import("./import/table.js").Layout} seen
   * @param {boolean} headed
   * @param {Partial<Record<Field, number>>} columns
   */
  #showSettings(table, seen, headed, columns) {
    offer(
      this.#format,
      FORMATS.map((format) => [format, t(`rows.format.${format}`)]),
      table.format,
    );
    const encoding = table.encoding?.encoding;
    this.#encodingField.hidden = encoding === undefined;
    if (encoding)
      offer(
        this.#encoding,
        ENCODINGS.map((one) => [one, t(`encoding.${one}`)]),
        encoding,
      );
    this.#headerField.hidden = !seen.strict;
    this.#header.checked = headed;
    const places = Array.from({ length: Math.min(seen.width, OFFERED) }, (_, place) => place);
    for (const place of Object.values(columns)) if (place >= OFFERED) places.push(place);
    for (const [field, one] of this.#columns) {
      const chosen = columns[field];
      const options = places.map((place) => [String(place), columnName(seen.names, place)]);
      if (chosen === undefined) options.unshift(["", t("rows.column.none")]);
      offer(one, options, chosen === undefined ? "" : String(chosen));
    }
    this.#settings.hidden = this.#forget.hidden = false;
  }

  /**
   * What was read from a file can be seen in the box, and mended there, if it is short.
   *
   * @param {Table} table
   * @param {Source} source
   */
  #showText(table, source) {
    const short = table.text.length <= EDITABLE;
    if ("bytes" in source || !short) this.#area.value = short ? table.text : "";
    this.#area.placeholder = short ? t(`rows.placeholder.${this.#fields.join(".")}`) : t("rows.replace");
  }

  /** Shows how far the reading is; without a share, that it is over. @param {number} [share] */
  #busy(share) {
    this.#progress.classList.toggle("busy", share !== undefined);
    this.#progress.value = share ?? 0;
    this.element.setAttribute("aria-busy", String(share !== undefined));
  }

  /** What is wrong with what was given, and what is kept. @param {string} text */
  #fail(text) {
    this.#say(this.#source ? together(text, t("rows.kept")) : text);
  }

  /** @param {string} [text] */
  #say(text = "") {
    this.#trouble.hidden = text === "";
    this.#trouble.replaceChildren(h("p", {}, text));
  }
}

/** @param {unknown} error @param {string} name */
function explain(error, name) {
  if (!(error instanceof ImportFailure))
    return t("rows.unreadable", { name, reason: error instanceof Error ? error.message : String(error) });
  if (error.reason !== "not-text") return t(`rows.failed.${error.reason}`, { name });
  const { kind } = error.values;
  if (kind === "workbook" || kind === "other") return t(`rows.failed.${kind}`, { name });
  return t("rows.failed.kind", { name, kind });
}

/** @param {string} testId @param {(value: string) => void} change */
function select(testId, change) {
  const element = h("select", {
    id: freshId(),
    "data-testid": testId,
    autocomplete: "off",
    onchange: () => change(element.value),
  });
  return element;
}

/** @param {string} label @param {HTMLSelectElement} input */
function labelled(label, input) {
  return h("div", { class: "field" }, h("label", { for: input.id }, label), input);
}

/**
 * Fills a list of options, if they are others than before: one that has the focus keeps it.
 *
 * @param {HTMLSelectElement} element
 * @param {string[][]} options value and text
 * @param {string} chosen
 */
function offer(element, options, chosen) {
  const same =
    element.options.length === options.length &&
    options.every(([value, text], index) => {
      const option = element.options[index];
      return option.value === value && option.textContent === text;
    });
  if (!same) element.replaceChildren(...options.map(([value, text]) => h("option", { value }, text)));
  element.value = chosen;
}
