// Separated text (CSV, TSV) to records with the line each begins at. Papa Parse splits lines into cells; around it:
//
// - Its parser is handed a slice at a time. It has chunks of its own, but joined to its guesses of line ends and
//   separators, and a field over many chunks would be read again with each; here the slice is doubled instead.
// - It knows one sort of line end a file, and no line numbers. Here "\r\n", "\r" and "\n" all end a line, as in an
//   editor; inside quotes each is put back as it was.
// - An unclosed quote swallows what follows. Here it costs its own line, which is refused, and reading goes on below.
// - Where quotes are ordinary characters, as in TSV, it has to be told so by `fastMode`.
import Papa from "papaparse";

/** @typedef {import("./pace.js").Pace} Pace */
/** @typedef {import("./record.js").FileRecord} FileRecord */
/** @typedef {{ separator: string, quotes: boolean }} Dialect `quotes`: whether a cell may stand in quotes */

/** Characters handed to the parser at once. */
const SLICE = 1 << 15;
/** What a quoted cell may have at most before its quote counts as unclosed. */
const LONGEST_RECORD = 1 << 21;
const MOST_LINES = 10_000;
/** Cells a row may have. */
export const MOST_COLUMNS = 10_000;
/** Lines refused for their quotes after which no cell may hold a line end any more, so that reading on stays quick. */
const MOST_REREADS = 100;
const MOST_REREADS_OF_SAMPLE = 3;
/** Quotes in wrong places, in a record that has not ended, after which it is given up. */
const MOST_WRONG_QUOTES = 100;
/** Characters kept of a line that is refused. */
const EXCERPT = 200;

const LINE_ENDS = ["\n", "\r\n", "\r"];

/**
 * @param {string} text
 * @param {Dialect} dialect
 * @param {Pace} pace
 * @param {{ start?: number, line?: number }} [from] where to begin, and the number of that line
 * @returns {Promise<FileRecord[]>}
 */
export async function readDelimited(text, dialect, pace, { start = 0, line = 1 } = {}) {
  const reader = new Reader(dialect, line);
  for (let at = start; at < text.length; ) {
    let end = Math.min(text.length, at + SLICE);
    if (text[end - 1] === "\r" && text[end] === "\n") end += 1;
    reader.take(text.slice(at, end), end === text.length);
    await pace.breathe(at / text.length);
    while (reader.pending) {
      reader.go();
      await pace.breathe(at / text.length);
    }
    at = end;
  }
  return reader.records;
}

/**
 * The records at the start of a text, at once: to try a dialect on.
 *
 * @param {string} text not much of it
 * @param {Dialect} dialect
 * @param {boolean} whole whether nothing follows; else a last record without its end is left out
 */
export function sampleDelimited(text, dialect, whole) {
  const reader = new Reader(dialect, 1, MOST_REREADS_OF_SAMPLE);
  reader.take(text, whole);
  while (reader.pending) reader.go();
  return reader.records;
}

class Reader {
  /** @type {FileRecord[]} */
  records = [];
  /** Whether `go` has something to do. */
  pending = false;
  #parser;
  #quotes;
  /** The number of the line that `#rest` begins with. */
  #line;
  /** What is not yet a whole record, with "\n" for every line end. */
  #rest = "";
  /** The length from which it is worth looking at the rest again. */
  #tryFrom = 0;
  #last = false;
  /** How the lines of `#rest` end, as places in LINE_ENDS; empty while all end in "\n". @type {number[]} */
  #ends = [];
  #rereads;
  /** Whether the rest of a refused line is still to come. */
  #skipping = false;

  /** @param {Dialect} dialect @param {number} line @param {number} [rereads] */
  constructor({ separator, quotes }, line, rereads = MOST_REREADS) {
    this.#quotes = quotes;
    this.#rereads = rereads;
    this.#line = line;
    this.#parser = new Papa.Parser({
      delimiter: separator,
      newline: "\n",
      fastMode: quotes ? undefined : true,
    });
  }

  /** @param {string} slice @param {boolean} last */
  take(slice, last) {
    this.#rest += this.#unify(slice);
    this.#last = last;
    // The last line gets an end if it has none: the parser takes as certain only what comes before an end.
    if (last && this.#rest !== "" && !this.#rest.endsWith("\n")) this.#rest += this.#unify("\n");
    this.pending = this.#rest !== "" && (last || this.#rest.length >= this.#tryFrom);
  }

  /** @param {string} slice */
  #unify(slice) {
    if (this.#ends.length === 0 && !slice.includes("\r")) return slice;
    if (this.#ends.length === 0) this.#ends = new Array(count(this.#rest)).fill(0);
    return slice.replace(/\r\n?|\n/g, (end) => {
      this.#ends.push(LINE_ENDS.indexOf(end));
      return "\n";
    });
  }

  /** Takes the records that are whole. */
  go() {
    this.pending = false;
    this.#tryFrom = 0;
    if (this.#skipping) {
      const end = this.#rest.indexOf("\n") + 1;
      this.#skipping = end === 0;
      this.#drop(end === 0 ? this.#rest.length : end, end === 0 ? 0 : 1);
      this.pending = this.#rest !== "";
    } else if (this.#rereads > 0) this.#goOn();
    else this.#goLineByLine();
  }

  #goOn() {
    const { data, errors, meta } = this.#parser.parse(this.#rest, 0, true);
    const wrong = new Set(errors.map((/** @type {{ row: number }} */ error) => error.row));
    let used = 0;
    for (const [index, cells] of data.entries()) {
      const lines = 1 + endsIn(cells);
      // More than one line, and text after what should have been the closing quote: it belongs to another cell.
      if (lines > 1 && wrong.has(index)) {
        this.#drop(placeOf(this.#rest, used), used);
        this.#reread();
        return;
      }
      this.#push(cells, this.#line + used, used);
      used += lines;
    }
    this.#drop(meta.cursor, used);
    if (this.#rest === "") return;
    const stray = wrong.has(data.length) && errors.length > MOST_WRONG_QUOTES;
    const endless = this.#last || stray || this.#rest.length > LONGEST_RECORD || count(this.#rest) > MOST_LINES;
    if (this.#quotes && endless && this.#rest.includes("\n")) this.#reread();
    else if (stray) this.#giveUp("quote");
    else if (this.#rest.length >= SLICE) this.#checkLongLine();
  }

  /** Refuses the line on which a quote opens that does not close, and reads on below it. */
  #reread() {
    this.#rereads -= 1;
    this.#refuse(this.#rest, this.#line, "quote");
    this.#drop(this.#rest.indexOf("\n") + 1, 1);
    this.pending = this.#rest !== "";
  }

  #goLineByLine() {
    const lines = this.#rest.split("\n");
    this.#drop(this.#rest.length - /** @type {string} */ (lines.pop()).length, 0);
    for (const line of lines) {
      const { data } = this.#parser.parse(`${line}\n`, 0, true);
      if (data.length === 1) this.#push(data[0], this.#line, 0);
      else this.#refuse(line, this.#line, "quote");
      this.#line += 1;
    }
    this.#ends.splice(0, lines.length);
    this.#tryFrom = this.#rest.length * 2;
  }

  /**
   * A long line that has not ended is refused if it has very many cells, which would all be made at once, or if a
   * quote that opens in it has not closed for very long.
   */
  #checkLongLine() {
    const { data, errors } = this.#parser.parse(this.#rest, 0, false);
    if (data[0].length > MOST_COLUMNS) this.#giveUp("columns-limit");
    else if (errors.length > 0 && this.#rest.length > LONGEST_RECORD) this.#giveUp("quote");
    else this.#tryFrom = this.#rest.length * 2;
  }

  /** Refuses a line whose end is not here yet. @param {FileRecord["refused"]} refused */
  #giveUp(refused) {
    this.#refuse(this.#rest, this.#line, refused);
    this.#skipping = true;
    this.pending = true;
  }

  /** @param {string[]} cells @param {number} line @param {number} place of the line among those of the rest */
  #push(cells, line, place) {
    if (cells.length > MOST_COLUMNS) {
      this.#refuse(cells.slice(0, 10).join(" "), line, "columns-limit");
      return;
    }
    if (this.#ends.length > 0 && cells.some((cell) => cell.includes("\n"))) {
      const back = () => LINE_ENDS[this.#ends[place++]];
      cells = cells.map((cell) => cell.replace(/\n/g, back));
    }
    this.records.push({ line, cells });
  }

  /** @param {string} text that begins with the line @param {number} line @param {FileRecord["refused"]} refused */
  #refuse(text, line, refused) {
    const end = text.indexOf("\n");
    const excerpt = text.slice(0, end === -1 ? EXCERPT : Math.min(end, EXCERPT));
    this.records.push({ line, cells: [excerpt], refused });
  }

  /** @param {number} characters @param {number} lines */
  #drop(characters, lines) {
    this.#rest = this.#rest.slice(characters);
    this.#line += lines;
    if (this.#ends.length > 0) this.#ends.splice(0, lines);
  }
}

/** @param {string} text */
function count(text) {
  let found = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) found += 1;
  return found;
}

/** @param {string[]} cells */
function endsIn(cells) {
  let found = 0;
  for (const cell of cells) if (cell.includes("\n")) found += count(cell);
  return found;
}

/** Where the line after so many others begins. @param {string} text @param {number} lines */
function placeOf(text, lines) {
  let at = 0;
  for (let passed = 0; passed < lines; passed += 1) at = text.indexOf("\n", at) + 1;
  return at;
}
