/**
 * Cuts what is large into slices, so that handing it to the worker never holds the page's thread for long.
 *
 * @module
 */

import { invalidData, invalidOption, isList, wordsOf } from "../errors.js";
import { builtinData } from "./builtin-data.js";
import { pairOf } from "./options.js";

/** @import { TrainingData } from "../contract.js" */
/** @import { UploadShape } from "../protocol.js" */

/** Characters of text in one slice, and of all texts of the rows in one. */
const CHARACTERS = 1 << 20;
const ROWS = 4096;
const BYTES = 8 << 20;

/** The fields a row may carry; others stay where they are. */
const FIELDS = /** @type {const} */ (["text", "second", "label", "source", "target"]);

/**
 * @typedef {object} Ready
 * @property {UploadShape} shape
 * @property {() => Iterable<{ part: string | unknown[] | Uint8Array<ArrayBuffer>, transfer?: Transferable[] }>} slices
 */

/**
 * What is not here yet has to be loaded first; the call it belongs to keeps its place in the queue.
 *
 * @typedef {Ready | { load: () => Promise<Ready> }} Upload
 */

/**
 * @param {TrainingData} data
 * @param {"training" | "test"} [part] which part of a built-in set
 * @returns {Upload}
 */
export function dataUpload(data, part = "training") {
  if (typeof data !== "object" || data === null)
    throw invalidData("data must be { text }, { rows } or { builtin }");
  const entries = entriesOf(data).filter(([, value]) => value !== undefined);
  const [first] = entries;
  if (first === undefined || entries.length > 1 || !Object.hasOwn(SHAPES, first[0])) {
    const found = entries.map(([name]) => name).join(", ") || "nothing";
    throw invalidData(`data must hold exactly one of text, rows and builtin; it holds ${found}`);
  }
  return SHAPES[/** @type {keyof typeof SHAPES} */ (first[0])](first[1], part);
}

/** @param {object} data */
function entriesOf(data) {
  try {
    return Object.entries(data);
  } catch (error) {
    throw invalidData(`data could not be read: ${wordsOf(error)}`);
  }
}

const SHAPES = {
  /** @param {unknown} text */
  text(text) {
    if (typeof text !== "string") throw invalidData("text must be a string");
    return upload("text", () => textSlices(text));
  },
  /** @param {unknown} rows */
  rows(rows) {
    if (!isList(rows)) throw invalidData("rows must be a list");
    return upload("rows", () => rowSlices(rows, project));
  },
  /**
   * @param {unknown} name
   * @param {"training" | "test"} part
   * @returns {Upload}
   */
  builtin(name, part) {
    if (typeof name !== "string") throw invalidData("builtin must be the name of a data set");
    return {
      async load() {
        const data = (await builtinData(name))[part];
        return "text" in data ? SHAPES.text(data.text) : SHAPES.rows(data.rows);
      },
    };
  },
};

/**
 * Texts to classify.
 *
 * @param {unknown} texts
 * @returns {Ready}
 */
export function textsUpload(texts) {
  if (!isList(texts)) throw invalidOption("texts", texts, "a list of strings, or of pairs of strings");
  return upload("texts", () => rowSlices(texts, textOrPair));
}

/**
 * @param {Uint8Array} bytes
 * @returns {Ready}
 */
export function bytesUpload(bytes) {
  return upload("bytes", function* () {
    for (let start = 0; start < bytes.length; start += BYTES) {
      const part = bytes.slice(start, start + BYTES);
      yield { part, transfer: [part.buffer] };
    }
  });
}

/**
 * @param {UploadShape} shape
 * @param {Ready["slices"]} slices
 * @returns {Ready}
 */
function upload(shape, slices) {
  return { shape, slices };
}

/** @param {string} text */
function* textSlices(text) {
  for (let start = 0; start < text.length; start += CHARACTERS)
    yield { part: text.slice(start, start + CHARACTERS) };
}

/**
 * @param {unknown[]} rows
 * @param {(row: unknown, index: number) => unknown} read
 */
function* rowSlices(rows, read) {
  /** @type {unknown[]} */
  let part = [];
  let characters = 0;
  for (let index = 0; index < rows.length; index += 1) {
    const row = read(rows[index], index);
    part.push(row);
    for (const value of typeof row === "object" && row !== null ? Object.values(row) : [row]) {
      if (typeof value === "string") characters += value.length;
    }
    if (part.length === ROWS || characters >= CHARACTERS) {
      yield { part };
      part = [];
      characters = 0;
    }
  }
  if (part.length > 0) yield { part };
}

/**
 * A row with the fields that matter, read one by one: rows may be a framework's proxies, or hold what cannot cross.
 *
 * @param {unknown} row
 * @param {number} index
 */
function project(row, index) {
  if (typeof row !== "object" || row === null) throw invalidData("a row must be an object", index);
  /** @type {Record<string, unknown>} */
  const fields = {};
  for (const name of FIELDS) {
    const value = /** @type {Record<string, unknown>} */ (row)[name];
    if (value === undefined) continue;
    const expected = name === "label" ? "a string or a whole number" : "a string";
    if (typeof value !== "string" && (name !== "label" || typeof value !== "number")) {
      throw invalidData(`${name} must be ${expected}`, index);
    }
    fields[name] = value;
  }
  return fields;
}

/**
 * @param {unknown} text
 * @param {number} index
 */
function textOrPair(text, index) {
  if (typeof text === "string") return text;
  const pair = pairOf(text);
  if (pair) return pair;
  throw invalidOption(`texts[${index}]`, text, "a string, or two in a list");
}

/**
 * A copy of its own, made in slices.
 *
 * @param {Uint8Array} bytes
 * @param {() => Promise<void>} pause
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function copyInSlices(bytes, pause) {
  const copy = new Uint8Array(bytes.length);
  for (let start = 0; start < bytes.length; start += BYTES) {
    if (start > 0) await pause();
    copy.set(bytes.subarray(start, start + BYTES), start);
  }
  return copy;
}

/**
 * The bytes of a buffer or of any view on one, where they are; undefined for anything else. Throws if they were
 * handed over to somebody else.
 *
 * @param {unknown} source
 * @returns {Uint8Array<ArrayBuffer> | undefined}
 */
export function viewOf(source) {
  if (ArrayBuffer.isView(source)) {
    return new Uint8Array(/** @type {ArrayBuffer} */ (source.buffer), source.byteOffset, source.byteLength);
  }
  if (!(source instanceof ArrayBuffer)) return undefined;
  // Throws for a buffer in a proxy, which a view would take for an empty list.
  ArrayBuffer.prototype.slice.call(source, 0, 0);
  return new Uint8Array(source);
}
