/** Reads texts and bytes as the page's panel for rows does. */

import { guessColumns } from "../../www/import/columns.js";
import { Pace } from "../../www/import/pace.js";
import { takeRows } from "../../www/import/rows.js";
import { layout, readTable } from "../../www/import/table.js";

export const LABELLED = ["text", "label"];
export const PAIRS = ["text", "second", "label"];
export const TRANSLATED = ["source", "target"];

/**
 * @param {string | Uint8Array} given pasted text or a file's bytes
 * @param {{ fields?: string[], name?: string, format?: string, encoding?: string, headed?: boolean, columns?: object, merge?: boolean }} [how]
 */
export async function read(given, { fields = LABELLED, name = "rows.csv", columns, headed, merge, ...choices } = {}) {
  const source = typeof given === "string" ? { name, text: given } : { name, bytes: given };
  const table = await readTable(source, /** @type {any} */ (choices));
  const seen = layout(table, headed ?? table.headed);
  const guessed = guessColumns(/** @type {any} */ (fields), seen, table.records);
  const how = { layout: seen, fields: /** @type {any} */ (fields), columns: { ...guessed, ...columns }, merge };
  return { ...(await takeRows(table, how, new Pace())), table, columns: how.columns, names: seen.names };
}

/** The rows as lists, for short comparisons. @param {{ rows: Record<string, any>[] }} result */
export function cells({ rows }) {
  return rows.map((row) => Object.values(row));
}

/** Line and reason of each refused row that is reported. @param {{ refused: { first: { line: number, reason: string }[] } }} result */
export function refusals({ refused }) {
  return refused.first.map(({ line, reason }) => [line, reason]);
}

export const utf8 = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** @param {string} text @param {boolean} little */
export function utf16(text, little) {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at), little);
  return bytes;
}
