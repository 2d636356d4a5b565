/**
 * Rows from files nobody has thought of: tables written in every format come back row by row, and damaged ones are
 * read or refused in the page's own words, soon, with lines that are right.
 *
 * Every case has a number, which a failure names and ROWS_FUZZ_CASE repeats; ROWS_FUZZ_SECONDS looks for that long.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ENCODINGS } from "../../www/import/bytes.js";
import { ImportFailure } from "../../www/import/failure.js";
import { FORMATS } from "../../www/import/format.js";
import { LABELLED, PAIRS, read, TRANSLATED, utf16, utf8 } from "./rows-import.js";

/** @typedef {import("../../www/import/format.js").Format} Format */

/** Cases of each test in an ordinary run: some seconds. */
const CASES = { written: 1500, damaged: 3000, hostile: 40 };
const ONE = process.env.ROWS_FUZZ_CASE === undefined ? undefined : Number(process.env.ROWS_FUZZ_CASE);
const SECONDS = Number(process.env.ROWS_FUZZ_SECONDS ?? 0);

/** Milliseconds of processor time, of all threads, that a file may take; so many with each kilobyte of it. */
const BASE_TIME = 400;
const TIME_PER_KB = 4;

/** Whole numbers below an end, seeded: mulberry32. */
class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = (seed * 0x9e3779b1) >>> 0;
  }

  /** @param {number} end */
  below(end) {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  }

  /** @template T @param {readonly T[]} from @returns {T} */
  pick(from) {
    return from[this.below(from.length)];
  }

  /** Whether something comes about that does so once in so many times. @param {number} times */
  once(times) {
    return this.below(times) === 0;
  }

  /** @template T @param {number} most @param {(index: number) => T} make @returns {T[]} */
  list(most, make) {
    return Array.from({ length: this.below(most + 1) }, (_, index) => make(index));
  }
}

const ENDS = /** @type {const} */ (["\n", "\r\n", "\r"]);
/** What cells are made of, odd things among ordinary ones. */
const PIECES = [
  "a", "b", "word", " ", "é", "0", "1", "-1.5", "text", "label", "😀", "日本", "\u0301", "\u200b", "\u2028", "\0", "'", "“", ",", ";", "\t", '"', '""',
  "\n", "\r\n", "\r", "\\", "{", "}", "[", "]", ":", "null", "sep=;", "\ufeff", "__proto__", "[MASK]",
];
/** What a file is damaged with. */
const SPLINTERS = [
  ...PIECES, '"a', 'a"', '",', ',"', '\n"', '"\n', ',,', ",,,,", "\n\n", '{"text":', '"label":1}', "[[", "]]", "},{", "\\u12", "\\", "1e999", "-", "NaN", "/*", "\x1b", "sep=,\n",
];

/** @param {Random} random */
function cellOf(random) {
  let cell = "";
  do cell += random.list(4, () => random.pick(PIECES)).join("");
  while (cell.trim() === "");
  return cell;
}

/**
 * A table and the file it is written as: rows, the lines they begin at, and those of rows that can't be used.
 *
 * @param {Random} random
 */
function write(random) {
  const fields = random.pick([LABELLED, PAIRS, TRANSLATED]);
  const format = random.pick(FORMATS);
  const json = format.startsWith("json");
  const headed = !json && random.once(2);
  const lineEnd = random.pick([...ENDS, "mixed"]);
  const end = () => (lineEnd === "mixed" ? random.pick(ENDS) : lineEnd);
  const separator = format === "comma" ? "," : format === "semicolon" ? ";" : "\t";
  const raw = (/** @type {string} */ cell) => cell.replace(/[\t\r\n]/g, "_");
  const order = fields.map((_, index) => index).sort(() => random.below(3) - 1);
  /** @type {Record<string, string | number>[]} */
  const rows = [];
  /** @type {{ line: number, reason?: string }[]} */
  const written = [];
  let text = "";
  let line = 1;
  const put = (/** @type {string} */ more) => {
    text += more;
    line += more.match(/\r\n?|\n/g)?.length ?? 0;
  };
  /** The end of a line, which must not make one end of two. */
  const endLine = () => put(text.endsWith("\r") ? "\r\n" : end());
  const quote = (/** @type {string} */ cell) => {
    if (format === "tab") return raw(cell);
    const needed = cell.includes(separator) || /^\s*"|[\r\n]|"/.test(cell) || cell !== cell.trim();
    return needed || random.once(4) ? `"${cell.replaceAll('"', '""')}"` : cell;
  };

  if (headed) {
    put(order.map((at) => fields[at]).join(separator));
    endLine();
  }
  if (format === "json") put(`[${random.once(2) ? end() : ""}`);
  const count = 1 + random.below(12);
  for (let index = 0; index < count; index += 1) {
    const cells = fields.map((field) => (field === "label" && json && random.once(3) ? random.below(9) - 4 : cellOf(random)));
    const blank = random.once(6) ? random.below(fields.length) : -1;
    if (blank >= 0) cells[blank] = "";
    written.push(blank >= 0 ? { line, reason: "blank" } : { line });
    const kept = cells.map((cell) => (format === "tab" && typeof cell === "string" ? raw(cell) : cell));
    if (blank < 0) rows.push(Object.fromEntries(fields.map((field, at) => [field, kept[at]])));
    if (json) {
      const object = Object.fromEntries(order.map((at) => [fields[at], cells[at]]));
      // In a list an object may stand on many lines.
      const spread = format === "json" && random.once(2) ? 2 : undefined;
      put(JSON.stringify(object, null, spread).replaceAll("\n", () => end()) + (format === "json" && index < count - 1 ? "," : ""));
      if (format === "json-lines" || random.once(2)) endLine();
    } else {
      put(order.map((at) => quote(String(cells[at]))).join(separator));
      // The last line needs no end.
      if (index < count - 1 || random.once(2)) endLine();
    }
  }
  if (format === "json") put("]");
  const columns = json ? undefined : Object.fromEntries(order.map((at, place) => [fields[at], place]));
  return { text, fields, format, headed, columns, rows, written };
}

/** The text damaged in a few places. @param {string} text @param {Random} random */
function damage(text, random) {
  for (let times = 1 + random.below(6); times > 0; times -= 1) {
    const at = random.below(text.length + 1);
    const to = Math.min(text.length, at + random.below(12));
    const harm = random.below(5);
    if (harm === 0) text = text.slice(0, at) + text.slice(to);
    else if (harm === 1) text = text.slice(0, at) + random.pick(SPLINTERS) + text.slice(at);
    else if (harm === 2) text = text.slice(0, at) + text.slice(at, to).repeat(1 + random.below(20)) + text.slice(to);
    else if (harm === 3) text = text.slice(0, at) + random.pick(SPLINTERS).repeat(1 + random.below(200)) + text.slice(at);
    else text = random.once(8) ? text.slice(0, at) : text.slice(0, at) + String.fromCharCode(random.below(0x10000)) + text.slice(at);
  }
  return text;
}

/** Bytes of a text in some encoding, perhaps damaged too. @param {string} text @param {Random} random */
function bytesOf(text, random) {
  const mark = random.once(3) ? "\ufeff" : "";
  const bytes = random.once(2) ? utf8(mark + text) : random.once(2) ? utf16(mark + text, random.once(2)) : Uint8Array.from(text, (one) => one.charCodeAt(0));
  if (random.once(3)) for (let times = random.below(8); times > 0 && bytes.length > 0; times -= 1) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

/** Texts at which readers stumble, long enough for a slow one to be seen. @param {Random} random */
function hostile(random) {
  const long = 1000 + random.below(60_000);
  if (random.once(5)) {
    const [open, inner, close] = random.pick([["[", "", "]"], ['{"a":', "1", "}"], ["[1,", "2", "]"]]);
    const deep = open.repeat(long) + inner + close.repeat(long);
    return random.pick([`{"text":"a","label":${deep}}\n`, `["a",${deep}]\n`, `[${deep}]`]).repeat(1 + random.below(3));
  }
  const unit = random.pick([
    '"', '""', '",', '"\n', 'a"b\n', '"a\n', ",", "\n", "\r", "\r\n", "[", "{", "]", '[[', '{"a":', '{"a":[', '["', "\\", '"\\', "a", "a,", " ", "\t", "\0", "😀", "\u0301", '{}\n', "[]\n", "[1,", '{"text":"a","label":1}\n', '"a"b"\n',
  ]);
  const before = random.pick(["", "text,label\n", "[", '[{"text":"', '{"text":"a","label":"b"}\n', '"', "a,b\n"]);
  const after = random.pick(["", "\n", '"', "]", ",x\ny,z\n"]);
  const closed = { "[": "]", "[[": "]]", '{"a":': "1}", '{"a":[': "]}" };
  const closing = unit in closed && random.once(2) ? closed[/** @type {keyof closed} */ (unit)] : "";
  const many = Math.ceil(long / unit.length);
  return `${before}${unit.repeat(many)}${closing && unit === '{"a":' ? "1" : ""}${(closing === "1}" ? "}" : closing).repeat(many)}${after}`;
}

/**
 * What holds of whatever was read.
 *
 * @param {Awaited<ReturnType<typeof read>>} result
 * @param {string[]} fields
 */
function laws({ rows, refused, labels, problem, table }, fields) {
  const lines = table.text.split(/\r\n?|\n/);
  const { records, format } = table;
  let last = 1;
  for (const { line, to = line, cells, refused: why } of records) {
    assert.ok(line >= last || (why === undefined && format === "json"), `line ${line} after line ${last}`);
    assert.ok(line >= 1 && line <= to && to <= lines.length, `line ${line} to ${to} of ${lines.length}`);
    last = line;
    if (why) continue;
    const stands = lines[line - 1];
    if (format === "tab") assert.deepEqual(cells, stands.split("\t"), `line ${line}`);
    else if (!format.startsWith("json")) {
      // Quotes aside, the first cell begins its line.
      const plain = (/** @type {string} */ text) => text.replaceAll('"', "").trim();
      const first = plain(String(cells[0]).split(/\r\n?|\n/)[0]);
      assert.ok(plain(stands).startsWith(first), `line ${line} is ${JSON.stringify(stands)} and no ${JSON.stringify(first)}`);
    } else if (cells.length > 0) assert.match(stands, /[{[]/, `line ${line}`);
  }
  const unused = ["no-rows", "few-columns", "same-column", "header-only"];
  if (rows.length === 0) assert.ok(problem !== undefined && unused.includes(problem));
  if (problem === undefined || problem === "one-class") {
    const seen = rows.length + refused.count;
    assert.ok(seen === records.length || seen === records.length - 1, `${seen} of ${records.length} records`);
  }
  assert.ok(refused.first.length <= refused.count && (refused.first.length === refused.count || refused.first.length === 10));
  for (const row of rows) {
    assert.deepEqual(Object.keys(row).sort(), [...fields].sort());
    for (const [field, cell] of Object.entries(row)) {
      if (field === "label" && typeof cell === "number") assert.ok(Number.isSafeInteger(cell));
      else assert.ok(typeof cell === "string" && cell.trim() !== "", `${field} is ${JSON.stringify(cell)}`);
    }
  }
  assert.equal(labels.reduce((sum, { count }) => sum + count, 0), fields.includes("label") ? rows.length : 0);
}

/**
 * Reads under the laws: what fails does so as the page expects, and nothing takes long.
 *
 * @param {string | Uint8Array} given
 * @param {Parameters<typeof read>[1]} how
 */
async function readLawfully(given, how) {
  const before = process.cpuUsage();
  try {
    laws(await read(given, how), how?.fields ?? LABELLED);
  } catch (why) {
    if (!(why instanceof ImportFailure)) throw why;
    assert.ok(["empty", "not-text", "encoding"].includes(why.reason));
  }
  const { user, system } = process.cpuUsage(before);
  const [spent, allowed] = [(user + system) / 1000, BASE_TIME + (TIME_PER_KB * given.length) / 1024];
  assert.ok(spent <= allowed, `${spent.toFixed()} ms for ${given.length} characters or bytes`);
}

/**
 * Runs cases, each from its own number.
 *
 * @param {number} count
 * @param {(random: Random) => Promise<void>} body
 */
async function cases(count, body) {
  const end = performance.now() + (SECONDS * 1000) / 3;
  let tried = 0;
  for (let number = ONE ?? 0; ONE === undefined ? (SECONDS ? performance.now() < end : number < count) : number === ONE; number += 1) {
    try {
      await body(new Random(number + 1));
    } catch (why) {
      throw new Error(`case ${number}: ${/** @type {Error} */ (why).message}`, { cause: why });
    }
    tried += 1;
  }
  return tried;
}

test("tables come back as they were written, with the lines of what can't be used", async (t) => {
  const tried = await cases(CASES.written, async (random) => {
    const { text, fields, format, headed, columns, rows, written } = write(random);
    if (/^(\ufeff|sep=[,;\t])/.test(text)) return; // at the start of a file these say how to read it
    const result = await read(text, { fields, format, headed, columns });
    assert.deepEqual(result.rows, rows, JSON.stringify(text));
    const records = result.table.records.filter((record) => !headed || record !== result.table.records[0]);
    assert.deepEqual(records.map(({ line }) => line), written.map(({ line }) => line), JSON.stringify(text));
    const wanted = written.filter(({ reason }) => reason).slice(0, 10);
    assert.deepEqual(result.refused.first.map(({ line, reason }) => ({ line, reason })), wanted);
    laws(result, fields);
  });
  t.diagnostic(`${tried} tables`);
});

test("damaged files are read or refused, never otherwise", async (t) => {
  const tried = await cases(CASES.damaged, async (random) => {
    const { text, fields, format } = write(random);
    const damaged = damage(text, random);
    const given = random.once(3) ? bytesOf(damaged, random) : damaged;
    await readLawfully(given, {
      fields: random.once(4) ? random.pick([LABELLED, PAIRS, TRANSLATED]) : fields,
      name: random.pick(["rows.csv", "rows.tsv", "rows.json", "rows.jsonl", "rows", ""]),
      format: random.once(2) ? undefined : random.once(4) ? random.pick(FORMATS) : format,
      headed: random.pick([true, false, undefined]),
      merge: random.once(4),
      encoding: random.once(8) ? random.pick(ENCODINGS) : undefined,
    });
  });
  t.diagnostic(`${tried} files`);
});

test("files made to be slow or deep are read or refused soon", async (t) => {
  const tried = await cases(CASES.hostile, async (random) => {
    const text = hostile(random);
    const format = random.once(2) ? undefined : random.pick(FORMATS);
    await readLawfully(random.once(4) ? utf8(text) : text, { fields: random.pick([LABELLED, TRANSLATED]), name: random.pick(["rows.csv", "rows.json", "rows.jsonl"]), format });
  });
  t.diagnostic(`${tried} files`);
});
