// What a file has, row by row, before anything is known of its columns.

/**
 * One row of a file. `refused`: why its cells can't be had; then `cells` is what there is to recognise it by.
 *
 * @typedef {object} FileRecord
 * @property {number} line where it begins, from 1
 * @property {unknown[]} cells strings; from JSON, values
 * @property {number} [to] the last line of it, where many were refused at once
 * @property {"quote" | "columns-limit" | "json" | "json-open" | "json-shape"} [refused]
 */

/** Whether there is nothing in a record. @param {FileRecord} record */
export function isBlank({ cells, refused }) {
  return !refused && cells.every(isBlankCell);
}

/** @param {unknown} cell */
export function isBlankCell(cell) {
  return cell === null || cell === undefined || (typeof cell === "string" && cell.trim() === "");
}

/** Records looked at where a sample will do. */
const SAMPLE = 500;

/**
 * Some records that were read, spread over all: files are often sorted.
 *
 * @param {FileRecord[]} records
 * @param {FileRecord} [except] the header
 */
export function sampleOf(records, except) {
  const stride = Math.ceil(records.length / SAMPLE);
  const some = stride <= 1 ? records : records.filter((_, index) => index % stride === 0);
  return some.filter((record) => record !== except && !record.refused && !isBlank(record));
}
