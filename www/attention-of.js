// A model's attention weights on a text, or on as much of it as the model can read at once.
import { codeOf } from "./errors.js";

/** @typedef {import("./entry.js").Entry} Entry */
/** @typedef {import("synthattn").AttentionMaps} AttentionMaps */

/** No token stands for more characters than this, on average. */
const LONGEST = 12;
/** How much is left when something has to be cut. */
const LESS = 0.8;

/**
 * @param {Entry} entry
 * @param {string[]} texts one, or two of a pair
 * @param {string | undefined} part of a model that has several
 * @returns {Promise<{ maps: AttentionMaps, texts: string[] }>} with the texts as they were read
 */
export async function attentionOf({ model }, texts, part) {
  const { maxLength } = model.spec;
  let pieces = texts.map((text) => [...text].slice(0, maxLength * LONGEST));
  const options = part === undefined ? undefined : { part: /** @type {"cross"} */ (part) };
  while (true) {
    const read = pieces.map((piece) => piece.join(""));
    try {
      const maps = await model.attention(
        read.length === 1 ? read[0] : /** @type {[string, string]} */ (read),
        options,
      );
      return { maps, texts: read };
    } catch (error) {
      const longest = Math.max(...pieces.map(({ length }) => length));
      if (codeOf(error) !== "text-too-long" || longest < 2) throw error;
      // Where a token is a character, this fits at once; else it takes a few tries.
      const next = longest > maxLength && maxLength > longest * LESS ? maxLength : Math.floor(longest * LESS);
      pieces = pieces.map((piece) => piece.slice(0, next));
    }
  }
}
