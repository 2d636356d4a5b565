// Bytes to text: by their byte order mark, else strictly as UTF-8, else as Windows-1252; and what is no text is refused.
import { ImportFailure } from "./failure.js";

/** @typedef {import("./pace.js").Pace} Pace */

/**
 * @typedef {object} Decoded
 * @property {string} text without its byte order mark
 * @property {string} encoding
 * @property {"mark" | "asked" | "valid" | "shape" | "fallback"} because how the encoding was found: by its mark, by
 *   choice, since it is valid UTF-8, by the shape of UTF-16, or for want of a better one
 * @property {boolean} mended whether something unreadable became U+FFFD
 */

/** Encodings a person may choose, all known to every browser's TextDecoder. */
export const ENCODINGS = [
  "utf-8",
  "utf-16le",
  "utf-16be",
  "windows-1252",
  "windows-1250",
  "windows-1251",
  "shift_jis",
  "gb18030",
  "big5",
  "euc-kr",
];

/** Bytes decoded in one go. */
const SLICE = 1 << 17;
/** Bytes looked at to tell text from other files. */
const SAMPLE = 1 << 16;
/** Control characters that no text has, one in so many at most: a stray NUL or two is let through. */
const CONTROLS = 1 / 50;

/** @type {[number[], string][]} */
const MARKS = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];

/** How files begin that people take for text, or drop by mistake. @type {[string, string][]} */
const SIGNATURES = [
  ["\x89PNG", "PNG"],
  ["\xff\xd8\xff", "JPEG"],
  ["GIF8", "GIF"],
  ["%PDF-", "PDF"],
  ["PK\x03\x04", "workbook"],
  ["\xd0\xcf\x11\xe0", "workbook"],
  ["\x1f\x8b", "gzip"],
  ["PAR1", "Parquet"],
  ["ARROW1", "Arrow"],
  ["SQLite format 3\0", "SQLite"],
  ["\x28\xb5\x2f\xfd", "Zstandard"],
  ["\xff\xfe\0\0", "UTF-32"],
  ["\0\0\xfe\xff", "UTF-32"],
];

/**
 * @param {Uint8Array} bytes
 * @param {Pace} pace
 * @param {string} [asked] an encoding a person chose
 * @returns {Promise<Decoded>}
 * @throws {ImportFailure}
 */
export async function decode(bytes, pace, asked) {
  const kind = kindOf(bytes);
  if (kind) throw new ImportFailure("not-text", { kind });
  if (asked) return { ...(await mending(bytes, asked, pace)), because: "asked" };
  const mark = MARKS.find(([start]) => start.every((byte, index) => bytes[index] === byte));
  if (mark) return { ...(await mending(bytes, mark[1], pace)), because: "mark" };
  const shape = unmarkedUtf16(bytes);
  if (shape) {
    const text = await strictly(bytes, shape, pace);
    if (text !== undefined) return { text, encoding: shape, because: "shape", mended: false };
  }
  const text = await strictly(bytes, "utf-8", pace);
  const noise = controls(bytes);
  if (text !== undefined) {
    if (noise > 0.2) throw new ImportFailure("not-text", { kind: "other" });
    return { text, encoding: "utf-8", because: "valid", mended: false };
  }
  if (noise > CONTROLS) throw new ImportFailure("not-text", { kind: "other" });
  // Windows-1252 has a character for every byte, so this can't fail; whether it is right, a person has to see.
  return { ...(await mending(bytes, "windows-1252", pace)), because: "fallback" };
}

/** @param {Uint8Array} bytes */
function kindOf(bytes) {
  if (controls(bytes) === 0) return undefined; // "GIF8" may as well begin a line of text
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  return SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1];
}

/**
 * The text, or undefined if a byte of it can't be read.
 *
 * @param {Uint8Array} bytes
 * @param {string} encoding
 * @param {Pace} pace
 */
async function strictly(bytes, encoding, pace) {
  try {
    return await inSlices(bytes, new TextDecoder(encoding, { fatal: true }), pace);
  } catch (error) {
    if (error instanceof TypeError) return undefined; // what a fatal decoder throws
    throw error;
  }
}

/**
 * The text with U+FFFD for what can't be read.
 *
 * @param {Uint8Array} bytes
 * @param {string} encoding
 * @param {Pace} pace
 */
async function mending(bytes, encoding, pace) {
  const strict = await strictly(bytes, encoding, pace);
  if (strict !== undefined) return { text: strict, encoding, mended: false };
  return { text: await inSlices(bytes, new TextDecoder(encoding), pace), encoding, mended: true };
}

/**
 * @param {Uint8Array} bytes
 * @param {TextDecoder} decoder
 * @param {Pace} pace
 */
async function inSlices(bytes, decoder, pace) {
  const pieces = [];
  for (let start = 0; start < bytes.length; start += SLICE) {
    pieces.push(decoder.decode(bytes.subarray(start, start + SLICE), { stream: true }));
    await pace.breathe(start / bytes.length);
  }
  pieces.push(decoder.decode());
  return pieces.join("");
}

/** The share of bytes that are control characters other than blanks, line ends and escapes. @param {Uint8Array} bytes */
function controls(bytes) {
  const sample = bytes.subarray(0, SAMPLE);
  let found = 0;
  for (const byte of sample) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127) found += 1;
  return found / Math.max(1, sample.length);
}

/**
 * UTF-16 without a mark: as UTF-8 it might pass, full of NULs. Its Latin letters have a zero at every other byte;
 * other scripts at least have it in their line ends.
 *
 * @param {Uint8Array} bytes
 */
function unmarkedUtf16(bytes) {
  if (bytes.length % 2 === 1 || bytes.length === 0) return undefined;
  const sample = bytes.subarray(0, SAMPLE);
  const zeros = [0, 0];
  for (let at = 0; at < sample.length; at += 1) if (sample[at] === 0) zeros[at % 2] += 1;
  for (const [parity, encoding] of /** @type {[number, string][]} */ ([[1, "utf-16le"], [0, "utf-16be"]])) {
    const [here, there] = [zeros[parity], zeros[1 - parity]];
    if (here === 0 || there * 20 > here) continue;
    if (here * 4 >= sample.length / 2 || endsLinesInPairs(sample, parity)) return encoding;
  }
  return undefined;
}

/**
 * Whether there are line feeds and most of them are two bytes, the zero at odd places (`parity` 1) or even ones.
 *
 * @param {Uint8Array} sample
 * @param {number} parity
 */
function endsLinesInPairs(sample, parity) {
  let [pairs, all] = [0, 0];
  for (const byte of sample) if (byte === 10) all += 1;
  for (let at = 0; at + 1 < sample.length; at += 2)
    if (sample[at + 1 - parity] === 10 && sample[at + parity] === 0) pairs += 1;
  // A byte of ten may also be half of another character, such as U+0A05; most are line ends nonetheless.
  return pairs > 0 && pairs * 2 > all;
}
