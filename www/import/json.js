// JSON to records: one value a line (JSONL), or a list of values over any lines. A value is an object or a list of cells.
import { linesOf } from "./lines.js";

/** @typedef {import("./pace.js").Pace} Pace */
/** @typedef {import("./record.js").FileRecord} FileRecord */

/** @typedef {{ start: number, end: number, line: number, to: number, closed: boolean }} Span lines `line` to `to` */

/** Characters after which a long value is reported to be under way. */
const REPORT_EVERY = 1 << 16;
/** Names of fields that are kept; further ones are left out. */
const MOST_FIELDS = 1000;
/** Characters kept of a value that is refused. */
const EXCERPT = 200;

/**
 * One value a line.
 *
 * @param {string} text
 * @param {Pace} pace
 */
export async function readJsonLines(text, pace) {
  const table = new Values();
  for (const line of linesOf(text)) {
    if (line.text.trim() === "") table.records.push({ line: line.line, cells: [] });
    else table.take(line.text, line.line);
    if (pace.due) await pace.breathe(line.end / text.length);
  }
  return table;
}

/**
 * Values in a list, or one after another.
 *
 * @param {string} text
 * @param {Pace} pace
 */
export async function readJson(text, pace) {
  const table = new Values();
  for (const span of spans(text)) {
    if (typeof span !== "number") table.takeSpan(text, span);
    if (pace.due) await pace.breathe((typeof span === "number" ? span : span.end) / text.length);
  }
  return table;
}

class Values {
  /** @type {FileRecord[]} */
  records = [];
  /** The fields of objects in the order they are first seen; their cells stand in this order. @type {string[]} */
  names = [];
  /** @type {Map<string, number>} */
  #places = new Map();
  /** What the first row is; the others have to be the same. @type {"list" | "object" | undefined} */
  #shape;

  /** @param {string} text @param {Span} span */
  takeSpan(text, { start, end, line, to, closed }) {
    const json = text.slice(start, end);
    if (closed && this.#accept(json, line)) return;
    if (closed && to === line) {
      this.refuse(json, line, "json");
      return;
    }
    this.records.push({ line, to, cells: [json.slice(0, EXCERPT)], refused: closed ? "json" : "json-open" });
    // A bracket is missing somewhere. Values that have a line to themselves are saved.
    for (const one of linesOf(json)) {
      if (/^\s*[{[].*[}\]]\s*,?\s*$/.test(one.text))
        this.#accept(one.text.replace(/,\s*$/, ""), line + one.line - 1);
    }
  }

  /** @param {string} json @param {number} line */
  take(json, line) {
    if (!this.#accept(json, line)) this.refuse(json, line, "json");
  }

  /** Takes a value if it is JSON at all; returns whether it is. @param {string} json @param {number} line */
  #accept(json, line) {
    let value;
    try {
      value = JSON.parse(json);
    } catch {
      return false;
    }
    const shape = Array.isArray(value) ? "list" : isObject(value) ? "object" : undefined;
    this.#shape ??= shape;
    if (!shape || shape !== this.#shape) this.refuse(json, line, "json-shape");
    else this.records.push({ line, cells: shape === "list" ? value : this.#cellsOf(value) });
    return true;
  }

  /** @param {string} json @param {number} line @param {FileRecord["refused"]} refused */
  refuse(json, line, refused) {
    this.records.push({ line, cells: [json.slice(0, EXCERPT)], refused });
  }

  /** @param {object} value */
  #cellsOf(value) {
    /** @type {unknown[]} */
    const cells = [];
    const set = (/** @type {string} */ name, /** @type {unknown} */ cell) => {
      let place = this.#places.get(name);
      if (place === undefined) {
        if (this.names.length >= MOST_FIELDS) return;
        place = this.names.push(name) - 1;
        this.#places.set(name, place);
      }
      cells[place] = cell;
    };
    for (const [name, cell] of Object.entries(value)) {
      // {"translation": {"en": …, "fr": …}} is a common way to write pairs.
      if (isObject(cell)) for (const [inner, deep] of Object.entries(cell)) set(`${name}.${inner}`, deep);
      else set(name, cell);
    }
    return cells;
  }
}

/** @param {unknown} value @returns {value is object} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Where the values of a list begin and end, without reading them: one that is broken does not spoil the others.
 * Yields a number, how far it got, where it passed much text without an end.
 *
 * @param {string} text
 * @returns {Generator<Span | number>}
 */
function* spans(text) {
  const outside = /["{}[\],]|\r\n?|\n|[^\s"{}[\],]+/g;
  const inside = /["\\]|\r\n?|\n/g;
  let line = 1;
  let depth = 0;
  let inString = false;
  /** @type {{ start: number, line: number } | undefined} */
  let open;
  // The list around the values, if there is one.
  let base = /^\s*\[/.test(text) ? 1 : 0;
  let report = REPORT_EVERY;
  for (let end = 0; ; ) {
    /** @type {RegExp} */
    const signs = inString ? inside : outside;
    signs.lastIndex = end;
    /** @type {RegExpExecArray | null} */
    const found = signs.exec(text);
    if (!found) break;
    const sign = found[0];
    end = signs.lastIndex;
    if (end > report) {
      report = end + REPORT_EVERY;
      yield end;
    }
    const bare = open !== undefined && depth <= base;
    let closes = false;
    if (sign === "\n" || sign[0] === "\r") {
      closes = inString && bare;
      inString = false; // no string has a line end in it: its quote is missing
    } else if (inString) {
      if (sign === "\\" && !/[\r\n]/.test(text[end] ?? "")) end += 1;
      else if (sign === '"') inString = false;
      closes = !inString && bare;
    } else if (sign === "[" || sign === "{") {
      if (depth >= base) open ??= { start: found.index, line };
      depth += 1;
    } else if (sign === "]" || sign === "}") {
      depth = Math.max(0, depth - 1);
      closes = depth <= base;
      base = Math.min(base, depth);
    } else if (sign !== ",") {
      inString = sign === '"';
      if (depth <= base) open ??= { start: found.index, line }; // a bare word, number or string: no row
      closes = !inString && depth <= base;
    }
    if (closes && open) {
      yield { ...open, end, to: line, closed: true };
      open = undefined;
    }
    if (sign === "\n" || sign[0] === "\r") line += 1;
  }
  if (open) yield { ...open, end: text.length, to: line, closed: false };
}
