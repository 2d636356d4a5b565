// A table's records to the rows a task wants; each that can't be used is refused, with its line and the reason.
import { isBlank, isBlankCell } from "./record.js";

/** @typedef {import("./columns.js").Field} Field */
/** @typedef {import("./pace.js").Pace} Pace */
/** @typedef {import("./table.js").Table} Table */
/** @typedef {Record<string, string | number>} Row `label` is a string or, from JSON, a whole number */

/**
 * @typedef {object} Refused
 * @property {number} line
 * @property {number} [to] the last line, where many were refused at once
 * @property {Reason} reason
 * @property {Record<string, string | number>} values for the sentence that says so: `field`, `found`, `expected`
 * @property {string} excerpt the start of what stands there
 */

/**
 * - `empty`: a line with nothing in it
 * - `columns`: more or fewer cells than there should be
 * - `blank`: the cell of a field is empty
 * - `fraction`, `inexact`: a label that is no whole number, or one too large to be exact
 * - `type`: a list or an object instead of text
 * - the rest: what the reader said
 *
 * @typedef {"empty" | "columns" | "blank" | "fraction" | "inexact" | "type" | NonNullable<import("./record.js").FileRecord["refused"]>} Reason
 */

/**
 * @typedef {object} Taken
 * @property {Row[]} rows
 * @property {{ count: number, first: Refused[] }} refused
 * @property {{ label: string, count: number }[]} labels the most frequent first
 * @property {string[][]} alike labels that differ by case, blanks around them or the writing of accents alone
 * @property {number} wide rows refused for having more cells than they should
 * @property {number} [unclosed] the first line with a quote that is not closed
 * @property {"header-only" | "few-columns" | "same-column" | "no-rows" | "one-class" | undefined} problem why
 *   the rows are of no use
 */

/** Refused rows that are reported one by one. */
const REPORTED = 10;
/** Rows between looks at the clock. */
const EVERY = 256;
const EXCERPT = 120;

/**
 * @param {Table} table
 * @param {object} how
 * @param {import("./table.js").Layout} how.layout
 * @param {Field[]} how.fields
 * @param {Partial<Record<Field, number>>} how.columns
 * @param {boolean} [how.merge] labels that look alike become one: trimmed, in lower case
 * @param {Pace} pace
 * @returns {Promise<Taken>}
 */
export async function takeRows(table, { layout, fields, columns, merge = false }, pace) {
  const { records } = table;
  /** @type {Taken} */
  const taken = { rows: [], refused: { count: 0, first: [] }, labels: [], alike: [], wide: 0, problem: undefined };
  const places = fields.map((field) => /** @type {const} */ ([field, columns[field] ?? -1]));
  const chosen = places.map(([, place]) => place);
  if (records.length === 0) taken.problem = "no-rows";
  else if (chosen.includes(-1)) taken.problem = "few-columns";
  else if (new Set(chosen).size < chosen.length) taken.problem = "same-column";
  else if (layout.header && records.at(-1) === layout.header) taken.problem = "header-only";
  if (taken.problem) return taken;

  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const [index, record] of records.entries()) {
    if (index % EVERY === 0) await pace.breathe(index / records.length);
    if (record === layout.header) continue;
    const { row, refused } = rowOf(record, layout, places);
    if (refused) {
      taken.refused.count += 1;
      if (refused.reason === "columns" && record.cells.length > layout.width) taken.wide += 1;
      if (refused.reason === "quote") taken.unclosed ??= refused.line;
      if (taken.refused.first.length < REPORTED) taken.refused.first.push(refused);
      continue;
    }
    if ("label" in row) {
      if (merge) row.label = likeness(String(row.label));
      const label = String(row.label);
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    taken.rows.push(row);
  }
  taken.labels = [...counts]
    .map(([label, count]) => ({ label, count }))
    .sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1));
  taken.alike = lookalikes(taken.labels.map(({ label }) => label));
  if (taken.rows.length === 0) taken.problem = "no-rows";
  else if (fields.includes("label") && counts.size === 1) taken.problem = "one-class";
  return taken;
}

/**
 * @param {import("./record.js").FileRecord} record
 * @param {import("./table.js").Layout} layout
 * @param {(readonly [Field, number])[]} places
 * @returns {{ row: Row, refused?: undefined } | { row?: undefined, refused: Refused }}
 */
function rowOf(record, { width, strict }, places) {
  const { line, to, cells } = record;
  const refuse = (/** @type {Reason} */ reason, /** @type {Refused["values"]} */ values = {}) => ({
    refused: { line, to, reason, values, excerpt: excerptOf(cells) },
  });
  if (record.refused) return refuse(record.refused);
  if (isBlank(record)) return refuse("empty");
  if (strict && !fits(cells, width)) return refuse("columns", { found: cells.length, expected: width });
  /** @type {Row} */
  const row = {};
  for (const [field, place] of places) {
    const cell = cells[place];
    if (isBlankCell(cell)) return refuse("blank", { field });
    if (typeof cell === "object") return refuse("type", { field });
    if (field === "label" && typeof cell === "number") {
      if (!Number.isInteger(cell)) return refuse("fraction", { found: cell });
      if (!Number.isSafeInteger(cell)) return refuse("inexact");
      row.label = cell;
    } else row[field] = String(cell);
  }
  return { row };
}

/** Whether a row is as wide as it should be; empty cells after it do no harm. @param {unknown[]} cells @param {number} width */
function fits(cells, width) {
  if (cells.length <= width) return cells.length === width;
  return cells.slice(width).every(isBlankCell);
}

/** @param {unknown[]} cells */
function excerptOf(cells) {
  let excerpt = "";
  for (const cell of cells) {
    if (excerpt.length >= EXCERPT) break;
    excerpt += (excerpt === "" ? "" : " | ") + shown(cell);
  }
  return excerpt.slice(0, EXCERPT).trim();
}

/** The start of a cell; of lists in lists too deep to be written out, a sign. @param {unknown} cell */
function shown(cell) {
  if (typeof cell === "string") return cell.slice(0, EXCERPT);
  try {
    return JSON.stringify(cell ?? "").slice(0, EXCERPT);
  } catch (error) {
    if (error instanceof RangeError) return Array.isArray(cell) ? "[…]" : "{…}"; // no stack is as deep
    throw error;
  }
}

/** What labels that look alike have in common. @param {string} label */
function likeness(label) {
  return label.normalize("NFC").trim().toLowerCase();
}

/** @param {string[]} labels */
function lookalikes(labels) {
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  for (const label of labels) {
    const key = likeness(label);
    const group = groups.get(key);
    if (group) group.push(label);
    else groups.set(key, [label]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}
