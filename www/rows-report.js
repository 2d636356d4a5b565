// What became of a person's file: how it was read, the first rows, the classes, and the rows that were refused.
import { h, setText } from "./dom.js";
import { whole } from "./format.js";
import { firstFilled } from "./import/columns.js";
import { isBlank } from "./import/record.js";
import { t, tNodes, together } from "./messages/index.js";

/** @typedef {import("./import/columns.js").Field} Field */
/** @typedef {import("./import/record.js").FileRecord} FileRecord */
/** @typedef {import("./import/rows.js").Refused} Refused */
/** @typedef {import("./import/rows.js").Taken} Taken */

/**
 * @typedef {object} Result
 * @property {string} name
 * @property {import("./import/table.js").Table} table
 * @property {import("./import/table.js").Layout} seen
 * @property {boolean} headed
 * @property {Partial<Record<Field, number>>} columns
 * @property {Taken} taken
 * @property {boolean} merge
 */

const PREVIEWED = 5;
/** Columns of the preview beside those that are used. */
const PREVIEWED_COLUMNS = 4;
const CLASSES = 10;
const ALIKE = 3;
/** Characters of a cell that are put into the page, and those of its tooltip. */
const CELL = 200;
const TITLE = 5000;
/** Classes from which they are rather no classes, if there are about as many as rows. */
const MANY_CLASSES = 20;

export class RowsReport {
  summary = h("p", { class: "rows-summary", role: "status", "data-testid": "rows-summary" }, t("rows.help"));
  element;
  #fields;
  #problem = h("p", { class: "notice", role: "alert", hidden: true, "data-testid": "rows-problem" });
  #notes = h("div", { class: "rows-notes", hidden: true, "data-testid": "rows-notes" });
  #merge;
  #alike = h("p", { class: "hint" });
  #merging;
  #preview = h("div", { "data-testid": "rows-preview" });
  #classes = h("div", { class: "rows-classes", "data-testid": "rows-classes" });
  #refused = h("div", { class: "rows-refused", "data-testid": "rows-refused" });

  /**
   * @param {Field[]} fields
   * @param {(merge: boolean) => void} onMerge
   */
  constructor(fields, onMerge) {
    this.#fields = fields;
    this.#merge = h("input", {
      type: "checkbox",
      "data-testid": "rows-merge",
      onchange: () => onMerge(this.#merge.checked),
    });
    this.#merging = h(
      "div",
      { hidden: true },
      this.#alike,
      h("label", { class: "choice" }, this.#merge, h("span", {}, t("rows.merge"))),
    );
    this.element = h(
      "div",
      { class: "rows-report", hidden: true },
      this.#problem,
      this.#notes,
      this.#merging,
      this.#preview,
      this.#classes,
      this.#refused,
    );
  }

  clear() {
    setText(this.summary, t("rows.help"));
    this.element.hidden = true;
  }

  /** @param {Result} result */
  show(result) {
    const { taken, merge } = result;
    this.#summarize(result);
    this.#explain(result);
    this.#note(result);
    this.#merging.hidden = !merge && taken.alike.length === 0;
    this.#merge.checked = merge;
    this.#alike.replaceChildren(...this.#alikeNow(taken, merge));
    this.#drawPreview(result);
    this.#drawClasses(taken);
    this.#drawRefused(taken);
    this.element.hidden = false;
  }

  /** One sentence on how it was read, one on what came of it. @param {Result} result */
  #summarize({ name, table, seen, headed, taken }) {
    const format = t(`rows.format.${table.format}`);
    const encoding = table.encoding ? t(`encoding.${table.encoding.encoding}`) : "";
    const read = t(table.encoding ? "rows.read" : "rows.readPasted", { name, format, encoding });
    const header = seen.strict ? t(headed ? "rows.headed" : "rows.headless") : "";
    const count = taken.rows.length;
    const used = taken.problem ? "" : t("rows.used", { count, rows: whole(count) });
    const refused = taken.refused.count;
    const left = refused === 0 ? "" : t("rows.refusedCount", { count: refused, rows: whole(refused) });
    setText(this.summary, together(read, header, used, left));
  }

  /** Why the rows are of no use. @param {Result} result */
  #explain({ taken: { problem, labels }, seen }) {
    this.#problem.hidden = !problem;
    if (!problem) return;
    this.#problem.replaceChildren(
      h(
        "span",
        {},
        tNodes(`rows.problem.${problem}`, {
          count: seen.width,
          columns: whole(seen.width),
          needed: this.#fields.length,
          label: quoted(labels[0]?.label ?? ""),
        }),
      ),
    );
  }

  /** What a person should know of, though the rows can be used. @param {Result} result */
  #note({ table, taken: { rows, labels, refused, unclosed, wide } }) {
    const notes = [];
    if (table.encoding?.because === "fallback") notes.push(t("rows.note.fallback"));
    if (table.encoding?.because === "shape") notes.push(t("rows.note.shape"));
    if (table.encoding?.mended) notes.push(t("rows.note.mended"));
    if (labels.length > MANY_CLASSES && labels.length * 2 > rows.length)
      notes.push(t("rows.note.manyClasses", { classes: whole(labels.length), rows: whole(rows.length) }));
    // Where it is too far down to be among those that are listed.
    if (unclosed !== undefined && refused.first.every(({ line }) => line !== unclosed))
      notes.push(t("rows.note.quote", { line: whole(unclosed) }));
    if (wide * 10 > table.records.length) notes.push(t("rows.note.separator"));
    this.#notes.hidden = notes.length === 0;
    this.#notes.replaceChildren(...notes.map((note) => h("p", {}, note)));
  }

  /** @param {Taken} taken @param {boolean} merge */
  #alikeNow({ alike }, merge) {
    if (merge) return [t("rows.merged")];
    return alike.slice(0, ALIKE).flatMap((group, index) => [
      ...(index === 0 ? [] : [t("sentence.between")]),
      ...tNodes("rows.alike", {
        labels: h("span", {}, ...group.flatMap((label, at) => (at === 0 ? [quoted(label)] : [t("list.between"), quoted(label)]))),
      }),
    ]);
  }

  /** @param {Result} result */
  #drawPreview({ table, seen, columns, taken }) {
    const chosen = this.#fields.flatMap((field) => columns[field] ?? []);
    const others = Array.from({ length: seen.width }, (_, place) => place).filter((one) => !chosen.includes(one));
    const places = [...chosen, ...others.slice(0, PREVIEWED_COLUMNS)].sort((a, b) => a - b);
    const hidden = seen.width - places.length;
    const fieldAt = new Map(this.#fields.map((field) => [columns[field], field]));
    const records = firstRecords(table.records, seen.header, taken.refused.first);
    this.#preview.hidden = records.length === 0;
    const table_ = h(
      "table",
      { class: "rows-preview" },
      h("caption", { class: "visually-hidden" }, t("rows.preview")),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col", class: "number" }, t("rows.line")),
          places.map((place) => {
            const field = fieldAt.get(place);
            return h(
              "th",
              { scope: "col", class: field ? "used" : "" },
              field ? h("b", {}, t(`rows.field.${field}`)) : null,
              h("span", { dir: "auto" }, cut(columnName(seen.names, place), CELL)),
            );
          }),
        ),
      ),
      h(
        "tbody",
        {},
        records.map((record) =>
          h(
            "tr",
            {},
            h("th", { scope: "row", class: "number" }, whole(record.line)),
            places.map((place) => cellOf(record.cells[place], fieldAt.has(place))),
          ),
        ),
      ),
    );
    this.#preview.replaceChildren(
      h("h3", {}, t("rows.preview")),
      // Focusable, so that the keyboard can move what does not fit.
      h("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": t("rows.preview") }, table_),
      ...(hidden > 0
        ? [h("p", { class: "hint" }, t("rows.moreColumns", { count: hidden, columns: whole(hidden) }))]
        : []),
    );
  }

  /** @param {Taken} taken */
  #drawClasses({ labels }) {
    this.#classes.hidden = labels.length === 0;
    const rest = labels.length - CLASSES;
    this.#classes.replaceChildren(
      h("h3", {}, t("rows.classes", { count: labels.length, classes: whole(labels.length) })),
      h(
        "ul",
        {},
        labels
          .slice(0, CLASSES)
          .map(({ label, count }) =>
            h("li", {}, h("bdi", { title: cut(label, TITLE) }, cut(label, CELL)), h("span", { class: "number" }, whole(count))),
          ),
        rest > 0 ? h("li", { class: "hint" }, t("rows.moreClasses", { count: rest, classes: whole(rest) })) : null,
      ),
    );
  }

  /** @param {Taken} taken */
  #drawRefused({ refused: { count, first } }) {
    this.#refused.hidden = count === 0;
    const rest = count - first.length;
    this.#refused.replaceChildren(
      h("h3", {}, t("rows.refused", { count, rows: whole(count) })),
      h(
        "ul",
        {},
        first.map((one) =>
          h("li", {}, reasonOf(one), one.excerpt === "" ? null : h("bdi", { class: "hint" }, one.excerpt)),
        ),
        rest > 0 ? h("li", { class: "hint" }, t("rows.moreRefused", { count: rest, rows: whole(rest) })) : null,
      ),
    );
  }
}

/** What a column is called. @param {string[]} names @param {number} place */
export function columnName(names, place) {
  const name = names[place] ?? "";
  if (name === "") return t("rows.columnNumber", { number: place + 1 });
  const twice = names.indexOf(name) !== place || names.indexOf(name, place + 1) !== -1;
  return twice ? t("rows.columnTwice", { name, number: place + 1 }) : name;
}

/** A refusal in one sentence. @param {Refused} refused */
function reasonOf({ line, to, reason, values }) {
  const { field, found, expected } = values;
  const many = to !== undefined && to > line;
  return t(many ? `rows.refused.${reason}.many` : `rows.refused.${reason}`, {
    count: Number(found ?? 0),
    line: whole(line),
    to: whole(to),
    found: typeof found === "number" && Number.isInteger(found) ? whole(found) : String(found ?? ""),
    expected: whole(Number(expected ?? 0)),
    field: field ? t(`rows.field.${field}`) : "",
  });
}

/**
 * The first records to be shown: those that are used, as far as that is known.
 *
 * @param {FileRecord[]} records
 * @param {FileRecord | undefined} header
 * @param {Refused[]} refused
 */
function firstRecords(records, header, refused) {
  const lines = new Set(refused.map(({ line }) => line));
  const start = records.indexOf(header ?? /** @type {FileRecord} */ (firstFilled(records)));
  const found = [];
  for (let index = Math.max(0, start); index < records.length && found.length < PREVIEWED; index += 1) {
    const record = records[index];
    if (record !== header && !record.refused && !lines.has(record.line) && !isBlank(record)) found.push(record);
  }
  return found;
}

/** @param {unknown} cell @param {boolean} used */
function cellOf(cell, used) {
  const text = typeof cell === "string" ? cell : cell === undefined || cell === null ? "" : JSON.stringify(cell);
  return h("td", { dir: "auto", class: used ? "used" : "", title: cut(text, TITLE) }, cut(text, CELL));
}

/** A label with marks around it, so that blanks show. @param {string} label */
function quoted(label) {
  return h("bdi", { class: "rows-label" }, t("rows.quoted", { label: cut(label, CELL) }));
}

/** The start of a text, cutting no character in two. @param {string} text @param {number} length */
function cut(text, length) {
  if (text.length <= length) return text;
  return `${text.slice(0, /[\uD800-\uDBFF]/.test(text[length - 1]) ? length - 1 : length)}…`;
}
