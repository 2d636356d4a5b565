// Guesses: whether the first row names the columns, and which column is which field. A person can say otherwise.
import { isBlank, sampleOf } from "./record.js";

/** @typedef {"text" | "second" | "label" | "source" | "target"} Field */
/** @typedef {import("./record.js").FileRecord} FileRecord */

/** @param {string} list */
const words = (list) => list.trim().split(/\s+/);

/**
 * Names that columns of each field have in the wild, the surest first.
 *
 * @type {Record<Field, string[]>}
 */
const NAMES = {
  label: words(`
    label labels class category sentiment gold_label target intent emotion topic tag y polarity stars
    rating score relation entailment judgment coarse_label label_text`),
  text: words(`
    text sentence sentence1 sentence_1 premise text1 text_a sentence_a question1 question content review
    review_text comment message tweet body document utterance headline title description input x text_1`),
  second: words(`
    second sentence2 sentence_2 hypothesis text2 text_2 text_b sentence_b question2 answer response
    context passage`),
  source: words(`
    source src input from question prompt x english en word words text original sentence a
    translation.en`),
  target: words(`
    target tgt trg output to answer completion response y translation german de french fr spanish es
    italian it number numbers result reversed sorted b`),
};
const KNOWN = new Set([...Object.values(NAMES).flat(), "id", "index", "idx", "split", "date", "name", "user"]);
for (const letter of "abxy") KNOWN.delete(letter); // as likely to be data

/** Columns whose cells are looked at. */
const COLUMNS = 100;
/** Characters of a cell that may be a label or a column's name. */
const LONG = 60;

/**
 * Whether the first row names the columns.
 *
 * @param {FileRecord[]} records
 */
export function hasHeader(records) {
  const first = firstFilled(records);
  if (!first) return false;
  const rest = sampleOf(records, first);
  if (!first.cells.every((cell) => typeof cell === "string" && looksNamed(cell))) return false;
  const names = first.cells.map((cell) => String(cell).trim());
  const filled = names.filter((name) => name !== "");
  if (filled.length === 0 || new Set(filled).size < filled.length) return false;
  const columns = rest.filter((record) => record.cells.length === first.cells.length);
  const recurs = (/** @type {number} */ place) =>
    columns.some((record) => String(record.cells[place]).trim() === names[place]);
  const known = names.map((name, place) => KNOWN.has(name.toLowerCase()) && !recurs(place));
  if (filled.length === known.filter(Boolean).length) return true;
  if (names.some((name, place) => known[place] && name.length >= 4)) return true;
  if (columns.length < 4) return false;
  const some = names.slice(0, COLUMNS);
  const about = some.map((_, place) => statistics(columns, place));
  const short = some.map((name, place) => name.length * 2 < about[place].length);
  return some.some((name, place) => {
    if (name === "" || recurs(place)) return false;
    const { distinct, numbers } = about[place];
    if (numbers === 1 && !isNumber(name)) return true;
    // A word over a column of a few other words, in a row of words over longer text.
    const few = distinct <= columns.length / 4 && distinct <= 20;
    return few && names.length > 1 && short.every((is, at) => is || at === place);
  });
}

/** The first record there is something in. @param {FileRecord[]} records */
export function firstFilled(records) {
  return records.find((record) => !record.refused && !isBlank(record));
}

/** @param {string} cell */
function looksNamed(cell) {
  return cell.length <= LONG && !/[.!?。！？]\s*$|\n/.test(cell);
}

/**
 * The columns of the fields wanted; undefined where there are too few.
 *
 * @param {Field[]} fields
 * @param {import("./table.js").Layout} layout
 * @param {FileRecord[]} records
 * @returns {Partial<Record<Field, number>>}
 */
export function guessColumns(fields, { header, names, width }, records) {
  /** @type {Partial<Record<Field, number>>} */
  const found = {};
  const free = new Set(Array.from({ length: Math.min(width, COLUMNS) }, (_, place) => place));
  const take = (/** @type {Field} */ field, /** @type {number | undefined} */ place) => {
    if (place === undefined) return;
    found[field] = place;
    free.delete(place);
  };
  /** @type {Map<string, number>} */
  const places = new Map();
  for (const [place, name] of names.entries()) {
    const plain = name.toLowerCase().replaceAll(" ", "_");
    if (!places.has(plain)) places.set(plain, place);
  }
  const taken = new Set();
  for (const field of [...fields].sort((a, b) => Number(b === "label") - Number(a === "label"))) {
    const place = NAMES[field].map((name) => places.get(name)).find((at) => at !== undefined && !taken.has(at));
    if (place !== undefined) taken.add(place);
    take(field, place);
  }
  const rows = sampleOf(records, header);
  const about = new Map([...free].map((place) => [place, statistics(rows, place)]));
  const stat = (/** @type {number} */ place) => /** @type {Statistics} */ (about.get(place));
  if (fields.includes("label") && found.label === undefined) {
    const others = fields.filter((field) => field !== "label" && found[field] === undefined).length;
    const candidates = [...free].filter((place) => stat(place).length <= LONG || free.size <= others + 1);
    // Few distinct and short values; but not one alone, as a column "split" would have. The last of equals.
    const cost = (/** @type {number} */ place) => {
      const { distinct, length, blank } = stat(place);
      const share = distinct === 1 ? 1 : distinct / Math.max(1, rows.length);
      return Math.round((share + length / 200 + blank) * 20);
    };
    candidates.sort((a, b) => cost(a) - cost(b) || b - a);
    take("label", candidates[0]);
  }
  const missing = fields.filter((field) => found[field] === undefined);
  const longest = [...free]
    .sort((a, b) => weight(stat(b)) - weight(stat(a)) || a - b)
    .slice(0, missing.length)
    .sort((a, b) => a - b);
  for (const [index, field] of missing.entries()) take(field, longest[index]);
  return found;
}

/** How much a column looks like text: longer, and rarely empty; numbers least. @param {Statistics} column */
function weight({ length, numbers, blank }) {
  return (length + 1) * (1 - blank) * (numbers > 0.9 ? 0.1 : 1);
}

/**
 * `length` is a mean, `numbers` and `blank` are shares.
 *
 * @typedef {{ distinct: number, length: number, numbers: number, blank: number }} Statistics
 */

/**
 * @param {FileRecord[]} rows
 * @param {number} place
 * @returns {Statistics}
 */
function statistics(rows, place) {
  const seen = new Set();
  let [length, numbers, blank] = [0, 0, 0];
  for (const { cells } of rows) {
    const value = cells[place] ?? "";
    const cell = typeof value === "object" ? "" : String(value); // lists and objects are no use to any field
    seen.add(cell.slice(0, LONG * 2));
    length += cell.length;
    if (cell.trim() === "") blank += 1;
    else if (isNumber(cell)) numbers += 1;
  }
  const count = Math.max(1, rows.length);
  return { distinct: seen.size, length: length / count, numbers: numbers / count, blank: blank / count };
}

/** @param {string} cell */
function isNumber(cell) {
  return /^\s*[-+]?\d+([.,]\d+)?\s*$/.test(cell);
}
