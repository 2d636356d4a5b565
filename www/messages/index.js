// Finds the page's texts. Whole sentences with {placeholders} live in one file a language; code holds none.
import { patterns as englishPatterns, words as englishWords } from "./en-package.js";
import { messages as english } from "./en.js";
import { chooseLanguage, KEY } from "./language.js";

/** @typedef {string | { one: string, other: string }} Message */

/**
 * A language's texts, and what the package says in English said in it.
 *
 * @typedef {object} Texts
 * @property {Record<string, Message>} messages
 * @property {Record<string, string>} words
 * @property {[RegExp, string][]} patterns
 */

/** Languages beside English, loaded when they are spoken. @type {Record<string, () => Promise<Texts>>} */
const OTHERS = {
  "zh-Hans": async () => ({ ...(await import("./zh.js")), ...(await import("./zh-package.js")) }),
};

/** The language in use; English where there is no page, as in tests of what is behind it. */
export const language = chooseLanguage({
  asked: new URLSearchParams(globalThis.location?.search).get("lang"),
  chosen: chosenBefore(),
  // Some programs have a navigator and no page.
  wanted: globalThis.document ? navigator.languages : [],
});

/** @type {Texts} */
const { messages, words, patterns } = (await OTHERS[language]?.()) ?? {
  messages: english,
  words: englishWords,
  patterns: englishPatterns,
};
const table = { ...messages };
const plurals = new Intl.PluralRules(language);

function chosenBefore() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // Storage is switched off.
  }
}

/** Adds the texts that a page has of its own. @param {Record<string, Message>} more */
export function learn(more) {
  Object.assign(table, more);
}

/**
 * The text for `key`, with its placeholders filled. `count` chooses between one and many.
 *
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  return choose(key, values.count).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? `{${name}}`));
}

/**
 * The same with elements for some placeholders: a list to append.
 *
 * @param {string} key
 * @param {Record<string, Node | string | number>} values
 * @returns {(Node | string)[]}
 */
export function tNodes(key, values) {
  const count = typeof values.count === "number" ? values.count : undefined;
  return choose(key, count)
    .split(/(\{\w+\})/)
    .filter((part) => part !== "")
    .map((part) => {
      const value = part.startsWith("{") ? values[part.slice(1, -1)] : undefined;
      return value === undefined ? part : value instanceof Node ? value : String(value);
    });
}

/** Whether there is a text for `key`. @param {string} key */
export function has(key) {
  return key in table;
}

/** Sentences one after the other; empty ones are left out. @param {...string} sentences */
export function together(...sentences) {
  return sentences.filter((one) => one !== "").join(t("sentence.between"));
}

/** Things one after the other. @param {string[]} things */
export function listed(things) {
  return things.join(t("list.between"));
}

/** What the package says in English, in the language in use as far as it is known there. @param {string} text */
export function said(text) {
  if (Object.hasOwn(words, text)) return words[text];
  const pattern = patterns.find(([found]) => found.test(text));
  if (pattern) return text.replace(...pattern);
  // The names of mixtures are those of their parts.
  const parts = text.split(" + ");
  return parts.length > 1 ? parts.map((part) => words[part] ?? part).join(" + ") : text;
}

/**
 * @param {string} key
 * @param {string | number | undefined} count
 */
function choose(key, count) {
  const message = table[key];
  if (message === undefined) throw new Error(`no message "${key}" in ${language}`);
  if (typeof message === "string") return message;
  return plurals.select(Number(count)) === "one" ? message.one : message.other;
}
