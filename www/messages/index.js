// Finds the page's texts. Whole sentences with {placeholders} live in one file a language; code holds none.
import { messages as en } from "./en.js";

/** @typedef {string | { one: string, other: string }} Message */
/** @type {Record<string, Record<string, Message>>} */
const languages = { en };

/** The language in use. */
export const language =
  navigator.languages.map((tag) => tag.split("-")[0]).find((tag) => tag in languages) ?? "en";
const table = languages[language];
const plurals = new Intl.PluralRules(language);

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
