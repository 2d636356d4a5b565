// Bytes to text, with the encoding found or refused in so many words; and the part of a text that scores are made on.

/** @typedef {{ text: string, encoding: string }} Decoded */

/** Bytes decoded at once; the page's thread rests in between. */
const SLICE = 1 << 18;

/** Byte order marks, longest first. @type {[number[], string][]} */
const MARKS = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];

/** Why bytes are no text in the encoding tried. */
export class EncodingError extends Error {
  /**
   * @param {"invalid" | "looks-utf-16" | "empty"} reason
   * @param {{ encoding: string, offset?: number, offers: string[] }} details `offset` of the first bad byte;
   *   `offers` are encodings worth trying
   */
  constructor(reason, details) {
    super(reason);
    this.reason = reason;
    this.details = details;
  }
}

/**
 * Reads bytes as text: by their byte order mark, else as UTF-8, strictly. Anything else has to be asked for.
 *
 * @param {Uint8Array} bytes
 * @param {string} [asked] an encoding a person chose
 * @returns {Promise<Decoded>}
 * @throws {EncodingError}
 */
export async function decode(bytes, asked) {
  const mark = MARKS.find(([start]) => start.every((byte, index) => bytes[index] === byte));
  const encoding = asked ?? mark?.[1] ?? "utf-8";
  if (bytes.length === (mark?.[0].length ?? 0)) throw new EncodingError("empty", { encoding, offers: [] });
  if (!asked && !mark) {
    const guess = unmarkedUtf16(bytes);
    if (guess) throw new EncodingError("looks-utf-16", { encoding: guess, offers: [guess, "utf-8"] });
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  const pieces = [];
  for (let start = 0; start < bytes.length; start += SLICE) {
    const end = Math.min(bytes.length, start + SLICE);
    try {
      pieces.push(decoder.decode(bytes.subarray(start, end), { stream: end < bytes.length }));
    } catch {
      const offset = firstBadByte(bytes, start, end, encoding);
      throw new EncodingError("invalid", {
        encoding,
        offset,
        offers: encoding === "windows-1252" ? [] : ["windows-1252"],
      });
    }
    await rest();
  }
  return { text: pieces.join(""), encoding };
}

/**
 * UTF-16 without a mark shows as zero bytes at every other place; as UTF-8 it would pass, full of NULs.
 *
 * @param {Uint8Array} bytes
 */
function unmarkedUtf16(bytes) {
  const zeros = [0, 0];
  const sample = Math.min(bytes.length, 4096);
  for (let index = 0; index < sample; index += 1) if (bytes[index] === 0) zeros[index % 2] += 1;
  const enough = sample / 8;
  if (zeros[1] > enough && zeros[0] < enough / 4) return "utf-16le";
  if (zeros[0] > enough && zeros[1] < enough / 4) return "utf-16be";
  return undefined;
}

/**
 * The place of the first byte in [start, end) that cannot be read, by halving.
 *
 * @param {Uint8Array} bytes
 * @param {number} start
 * @param {number} end
 * @param {string} encoding
 */
function firstBadByte(bytes, start, end, encoding) {
  let from = start; // a character may have begun in the slice before
  if (encoding === "utf-8") while (from > 0 && start - from < 3 && (bytes[from] & 0xc0) === 0x80) from -= 1;
  const readable = (/** @type {number} */ to, /** @type {boolean} */ stream) => {
    try {
      new TextDecoder(encoding, { fatal: true }).decode(bytes.subarray(from, to), { stream });
      return true;
    } catch {
      return false;
    }
  };
  let good = from;
  let bad = end;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (readable(middle, true)) good = middle;
    else bad = middle;
  }
  // What can be read may end inside a character that never comes to its end: that one is the bad one.
  while (good > from && !readable(good, false)) good -= 1;
  return good;
}

/** Lets the browser paint and answer before more work. */
export function rest() {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Held-out characters read for the points along the curves. */
export const SAMPLE = 4000;
const SAMPLE_PIECES = 8;

/**
 * A part of the held-out share, small enough to score again and again: pieces spread evenly over it. The share is
 * the text's last; its first fifth is left alone, because shares are cut by tokens and this cuts by characters.
 *
 * @param {string} text
 * @param {number} share
 */
export function heldOutSample(text, share) {
  const first = Math.ceil(text.length * (1 - share * 0.8));
  const held = text.length - first;
  if (held < 2) return "";
  if (held <= SAMPLE) return wellCut(text, first, text.length);
  const piece = SAMPLE / SAMPLE_PIECES;
  const stride = (held - piece) / (SAMPLE_PIECES - 1);
  return Array.from({ length: SAMPLE_PIECES }, (_, index) => {
    const start = first + Math.floor(index * stride);
    return wellCut(text, start, start + piece);
  }).join("");
}

/** A slice that cuts no surrogate pair. @param {string} text @param {number} start @param {number} end */
function wellCut(text, start, end) {
  const inPair = (/** @type {number} */ index) =>
    /[\uD800-\uDBFF]/.test(text[index - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[index] ?? "");
  return text.slice(inPair(start) ? start + 1 : start, inPair(end) ? end - 1 : end);
}
