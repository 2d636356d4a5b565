// Pairs in an attention map: where one sentence looks at the other.

/** @typedef {import("synthattn").AttentionMaps} AttentionMaps */
/**
 * @typedef {{ top: number, left: number, bottom: number, right: number }} Block in cells, the ends left out
 */

const SEPARATOR = "[SEPARATOR]";
/** Stands before a text to be classified. */
const CLASS = "[CLASS]";

/**
 * Where the second sentence begins, in tokens; undefined if there is one sentence, or if keys are no tokens.
 *
 * @param {AttentionMaps} maps
 */
export function secondAt({ tokens, queries, keys }) {
  const separator = tokens.indexOf(SEPARATOR);
  return separator > 0 && queries === keys && separator < keys - 1 ? separator + 1 : undefined;
}

/** The two blocks in which a sentence looks at the other. @param {AttentionMaps} maps @returns {Block[]} */
export function crossBlocks(maps) {
  const second = secondAt(maps);
  if (second === undefined) return [];
  const { queries, keys } = maps;
  // The token of the class and the separator belong to neither.
  const start = maps.tokens[0] === CLASS ? 1 : 0;
  const end = second - 1;
  return [
    { top: start, left: second, bottom: end, right: keys },
    { top: second, left: start, bottom: queries, right: end },
  ];
}

/**
 * How much of its attention a sentence gives to the other, on average over tokens.
 *
 * @param {AttentionMaps} maps
 * @param {number} layer
 * @param {number} head
 * @returns {number | undefined}
 */
export function crossShare(maps, layer, head) {
  const blocks = crossBlocks(maps);
  if (blocks.length === 0) return undefined;
  const { heads, queries, keys, weights } = maps;
  const start = (layer * heads + head) * queries * keys;
  let sum = 0;
  let rows = 0;
  for (const { top, left, bottom, right } of blocks) {
    rows += bottom - top;
    for (let query = top; query < bottom; query += 1)
      for (let key = left; key < right; key += 1) sum += weights[start + query * keys + key];
  }
  return sum / rows;
}
