// Which format a text is in: by its first characters, and for separated text by what gives the evenest rows.
import { sampleDelimited } from "./delimited.js";
import { linesOf } from "./lines.js";
import { isBlank } from "./record.js";

/** @typedef {import("./record.js").FileRecord} FileRecord */
/** @typedef {"comma" | "semicolon" | "tab" | "tab-quoted" | "json-lines" | "json"} Format */

/**
 * Separated formats. In TSV a quote is a character like others; spreadsheets write tabs and quote as in CSV.
 *
 * @type {Record<string, import("./delimited.js").Dialect>}
 */
export const DIALECTS = {
  comma: { separator: ",", quotes: true },
  semicolon: { separator: ";", quotes: true },
  tab: { separator: "\t", quotes: false },
  "tab-quoted": { separator: "\t", quotes: true },
};

/** @type {Format[]} */
export const FORMATS = ["comma", "semicolon", "tab", "tab-quoted", "json-lines", "json"];

/** Characters looked at, and of a first line of JSON. */
const SAMPLE = 1 << 16;
const LONGEST_LINE = 1 << 21;
/** Lines among which one has to be JSON. */
const TRIED_LINES = 10;

/**
 * @param {string} text
 * @param {string} name of the file, whose ending decides where the text does not
 * @returns {Format}
 */
export function detectFormat(text, name) {
  const ending = /\.(\w+)$/.exec(name)?.[1].toLowerCase() ?? "";
  return detectJson(text, ending) ?? marked(text)?.format ?? detectDialect(text, ending);
}

/**
 * The first line by which a spreadsheet tells which separator follows, "sep=;".
 *
 * @param {string} text
 * @returns {{ format: Format, start: number } | undefined} `start`: where the line after it begins
 */
export function marked(text) {
  const found = /^sep=([,;\t])(\r\n?|\n)/i.exec(text);
  if (!found) return undefined;
  const format = found[1] === "," ? "comma" : found[1] === ";" ? "semicolon" : "tab-quoted";
  return { format, start: found[0].length };
}

/**
 * @param {string} text
 * @param {string} ending
 * @returns {Format | undefined}
 */
function detectJson(text, ending) {
  const start = text.slice(0, SAMPLE).trimStart();
  if (start[0] !== "{" && start[0] !== "[") return undefined;
  const lines = [];
  for (const { text: line } of linesOf(text.slice(0, LONGEST_LINE))) {
    if (line.trim() !== "") lines.push(line.trim());
    if (lines.length === TRIED_LINES) break;
  }
  // Objects of a list end in commas, but for the last; so it is the text's first character that tells.
  if (start[0] === "{" && lines.some((line) => line[0] === "{" && parsed(line))) return "json-lines";
  if (start[0] === "[" && lines.length > 1 && lines.every((line) => line[0] === "[" && line.length > 1))
    return lines.some(parsed) ? "json-lines" : undefined;
  if (ending === "jsonl" || ending === "ndjson") return "json-lines";
  // A line of separated text may begin with a bracket too; what follows tells.
  return ending === "json" || /^(\[\s*[[{"\]]|\{\s*["}])/.test(start) ? "json" : undefined;
}

/** @param {string} json @returns {object | undefined} */
function parsed(json) {
  try {
    const value = JSON.parse(json);
    return typeof value === "object" ? (value ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} text
 * @param {string} ending
 * @returns {Format}
 */
function detectDialect(text, ending) {
  const sample = text.slice(0, SAMPLE);
  const whole = sample.length === text.length;
  /** @type {Format} */
  const usual = ending === "tsv" || ending === "tab" ? "tab" : "comma";
  let best = /** @type {Format} */ (usual);
  let most = 0;
  for (const [format, dialect] of Object.entries(DIALECTS)) {
    let records = sampleDelimited(sample, dialect, whole);
    if (records.length === 0) records = sampleDelimited(sample, dialect, true); // one very long line
    const score = evenness(records) + (format === usual ? 0.05 : 0);
    // Quotes with tabs only where they mend what would be uneven without.
    if (score <= most + 1e-9) continue;
    best = /** @type {Format} */ (format);
    most = score;
  }
  return best;
}

/**
 * The share of rows that have as many cells as most, if that is more than one. A separator with a blank after it
 * counts less: it is rather the punctuation of a text.
 *
 * @param {FileRecord[]} records
 */
function evenness(records) {
  const filled = records.filter((record) => !isBlank(record));
  if (filled.length === 0) return 0;
  const width = commonestWidth(filled);
  const even = filled.filter((record) => !record.refused && record.cells.length === width);
  const spaced = even.filter(({ cells }) => cells.slice(1).every((cell) => String(cell).startsWith(" ")));
  return width > 1 ? (even.length - 0.1 * spaced.length) / filled.length : 0;
}

/**
 * How many cells most rows have; of equals, what comes first.
 *
 * @param {FileRecord[]} records
 */
export function commonestWidth(records) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const { cells, refused } of records)
    if (!refused) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  let best = [0, 0];
  for (const [width, found] of counts) if (found > best[1]) best = [width, found];
  return best[0];
}
