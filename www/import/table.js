// A file or a pasted text to a table: records with their lines, the format they were in, and names of columns.
import { decode } from "./bytes.js";
import { firstFilled, hasHeader } from "./columns.js";
import { readDelimited } from "./delimited.js";
import { ImportFailure } from "./failure.js";
import { commonestWidth, detectFormat, DIALECTS, marked } from "./format.js";
import { readJson, readJsonLines } from "./json.js";
import { Pace } from "./pace.js";
import { isBlank, sampleOf } from "./record.js";

/** @typedef {import("./record.js").FileRecord} FileRecord */
/** @typedef {import("./format.js").Format} Format */

/** @typedef {{ name: string, text: string } | { name: string, bytes: Blob | Uint8Array }} Source */

/**
 * What a person chose against the guesses.
 *
 * @typedef {{ format?: Format, encoding?: string }} ReadChoices
 */

/**
 * @typedef {object} Table
 * @property {FileRecord[]} records in the file's order, also those that were refused
 * @property {Format} format
 * @property {Omit<import("./bytes.js").Decoded, "text"> | undefined} encoding none for pasted text
 * @property {string} text all of it
 * @property {string[] | undefined} fields names that JSON gives its values
 * @property {boolean} headed the guess whether the first row names the columns
 */

/**
 * @typedef {object} Layout a table seen with or without a header
 * @property {FileRecord | undefined} header
 * @property {string[]} names of columns, "" where they have none
 * @property {number} width how many cells a row should have
 * @property {boolean} strict whether rows of another width are refused; JSON may leave fields out
 */

/** The share of the work that is decoding. */
const DECODING = 0.2;

/**
 * @param {Source} source
 * @param {ReadChoices} [choices]
 * @param {object} [how]
 * @param {AbortSignal} [how.signal]
 * @param {(share: number) => void} [how.progress]
 * @param {typeof Pace} [how.Pace] another one in tests
 * @returns {Promise<Table>}
 * @throws {ImportFailure}
 */
export async function readTable(source, choices = {}, { signal, progress, Pace: MyPace = Pace } = {}) {
  /** @type {Table["encoding"]} */
  let encoding;
  let text;
  if ("text" in source) text = source.text.replace(/^\uFEFF/, "");
  else {
    const { bytes } = source;
    const array = bytes instanceof Uint8Array ? bytes : new Uint8Array(await bytes.arrayBuffer());
    const pace = new MyPace({ signal, progress: (share) => progress?.(share * DECODING) });
    ({ text, ...encoding } = await decode(array, pace, choices.encoding));
  }
  if (text.trim() === "") throw new ImportFailure("empty");
  const pace = new MyPace({ signal, progress: (share) => progress?.(DECODING + share * (1 - DECODING)) });
  const format = choices.format ?? detectFormat(text, source.name);
  const { records, names } = await read(text, format, pace);
  while (records.length > 0 && isBlank(records[records.length - 1])) records.pop();
  const fields = names.length > 0 ? names : undefined;
  const headed = !fields && hasHeader(records);
  return { records, format, encoding, text, fields, headed };
}

/**
 * @param {string} text
 * @param {Format} format
 * @param {Pace} pace
 * @returns {Promise<{ records: FileRecord[], names: string[] }>}
 */
async function read(text, format, pace) {
  if (format === "json-lines") return readJsonLines(text, pace);
  if (format === "json") return readJson(text, pace);
  const start = marked(text)?.start ?? 0;
  const from = { start, line: start === 0 ? 1 : 2 };
  return { records: await readDelimited(text, DIALECTS[format], pace, from), names: [] };
}

/**
 * @param {Table} table
 * @param {boolean} headed
 * @returns {Layout}
 */
export function layout({ records, fields }, headed) {
  if (fields) return { header: undefined, names: fields, width: fields.length, strict: false };
  const header = headed ? firstFilled(records) : undefined;
  if (header) {
    const names = header.cells.map((cell) => (typeof cell === "string" ? cell.trim() : String(cell)));
    return { header, names, width: names.length, strict: true };
  }
  const width = commonestWidth(sampleOf(records));
  return { header: undefined, names: new Array(width).fill(""), width, strict: true };
}
