/**
 * Checks what JavaScript alone can check: the shape of an options object. Names and ranges of what goes to Rust
 * are Rust's to judge.
 *
 * @module
 */

import { SynthError, invalidOption, isSynthError } from "../errors.js";

const PLAIN = "plain data: numbers, strings, and lists and objects of them";
const DEEPEST = 8;
/** No list of options is longer than a table of kinds, or of stop texts, or of models. */
const LONGEST = 10_000;

/**
 * The options as an object, the signal apart. What is undefined counts as not given.
 *
 * @template {{ signal?: AbortSignal }} T
 * @param {T | undefined} options
 * @returns {{ signal: AbortSignal | undefined, rest: Omit<T, "signal"> }}
 */
export function split(options) {
  const { signal, ...rest } = objectOptions(options);
  return { signal: abortSignal(signal), rest: /** @type {any} */ (plain(rest, "options")) };
}

/**
 * The options of a call that takes no signal.
 *
 * @param {object | undefined} options
 * @returns {object}
 */
export function plainOptions(options) {
  return /** @type {object} */ (plain(objectOptions(options), "options"));
}

/**
 * Options that only the client knows: their names are checked here, because nobody else will.
 *
 * @template {object} T
 * @param {T | undefined} options
 * @param {(keyof T & string)[]} names
 * @returns {T}
 */
export function known(options, names) {
  const given = objectOptions(options);
  for (const [name, value] of Object.entries(given)) {
    if (!(/** @type {string[]} */ (names).includes(name))) {
      throw new SynthError("invalid-option", `There is no option ${name}; there are ${names.join(", ")}.`, {
        option: name,
        value,
        expected: names.join(", "),
      });
    }
  }
  return given;
}

/**
 * @template {object} T
 * @param {T | undefined} options
 * @returns {T}
 */
export function objectOptions(options) {
  if (options === undefined) return /** @type {T} */ ({});
  return readable("options", options, () => {
    if (!isPlain(options)) throw invalidOption("options", options, "a plain object");
    return { ...options };
  });
}

/**
 * Reading what a caller passed may throw, if it has getters or is a proxy.
 *
 * @template T
 * @param {string} name
 * @param {unknown} value
 * @param {() => T} read
 * @returns {T}
 */
function readable(name, value, read) {
  try {
    return read();
  } catch (error) {
    if (isSynthError(error)) throw error;
    throw invalidOption(name, value, "an object whose properties can be read");
  }
}

/** @param {unknown} value @returns {value is object} */
function isPlain(value) {
  return typeof value === "object" && Object.prototype.toString.call(value) === "[object Object]";
}

/**
 * A list of one item or more, copied.
 *
 * @template T
 * @param {string} option
 * @param {T[]} value
 * @param {string} expected
 * @param {number} [least]
 * @returns {T[]}
 */
export function listArgument(option, value, expected, least = 1) {
  return readable(option, value, () => {
    if (!Array.isArray(value) || value.length < least || value.length > LONGEST) {
      throw invalidOption(option, value, expected);
    }
    // Index by index: a list may be a framework's proxy, and holes count.
    return Array.from({ length: value.length }, (_, index) => /** @type {T} */ (value[index]));
  });
}

/**
 * @param {unknown} signal
 * @returns {AbortSignal | undefined}
 */
export function abortSignal(signal) {
  if (signal === undefined) return undefined;
  return readable("signal", signal, () => {
    const like = /** @type {AbortSignal | null} */ (signal);
    const expected = "an AbortSignal";
    if (typeof like?.aborted !== "boolean") throw invalidOption("signal", signal, expected);
    if (typeof like.addEventListener !== "function") throw invalidOption("signal", signal, expected);
    if (typeof like.removeEventListener !== "function") throw invalidOption("signal", signal, expected);
    // Once for trial, so that no call fails half-way because its signal cannot be left.
    const trial = () => {};
    like.addEventListener("abort", trial);
    like.removeEventListener("abort", trial);
    return like;
  });
}

/**
 * @param {string} option
 * @param {unknown} value
 * @param {number} min
 * @param {number} max
 * @returns {number}
 */
export function wholeNumber(option, value, min, max) {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  const range = max === Infinity ? `from ${min}` : min === max ? `${min}` : `from ${min} to ${max}`;
  throw invalidOption(option, value, min === max ? range : `a whole number ${range}`);
}

/**
 * A text, or two where a pair is allowed: then a copy that can cross to the worker.
 *
 * @template {string | [string, string]} T
 * @param {string} option
 * @param {T} value
 * @param {boolean} [pair]
 * @returns {T}
 */
export function textArgument(option, value, pair = false) {
  if (typeof value === "string") return value;
  const two = pair ? readable(option, value, () => pairOf(value)) : undefined;
  if (two) return /** @type {T} */ (two);
  throw invalidOption(option, value, pair ? "a string, or two in a list" : "a string");
}

/**
 * Two texts, copied; undefined for anything else.
 *
 * @param {unknown} value
 * @returns {[string, string] | undefined}
 */
export function pairOf(value) {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [first, second] = [value[0], value[1]];
  return typeof first === "string" && typeof second === "string" ? [first, second] : undefined;
}

/**
 * A copy that can cross to the worker. Reading property by property also sees through the proxies of frameworks,
 * which cannot cross.
 *
 * @param {unknown} value
 * @param {string} name
 * @param {number} [depth]
 * @returns {unknown}
 */
export function plain(value, name, depth = 0) {
  const type = typeof value;
  if (
    value === null ||
    type === "undefined" ||
    type === "boolean" ||
    type === "number" ||
    type === "string"
  ) {
    return value;
  }
  if (depth === DEEPEST) throw invalidOption(name, value, PLAIN);
  return readable(name, value, () => {
    if (Array.isArray(value)) {
      const items = listArgument(name, value, `a list of at most ${LONGEST}`, 0);
      return items.map((item, index) => plain(item, `${name}[${index}]`, depth + 1));
    }
    if (!isPlain(value)) throw invalidOption(name, value, PLAIN);
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    const path = (/** @type {string} */ key) => (depth === 0 ? key : `${name}.${key}`);
    return Object.fromEntries(entries.map(([key, item]) => [key, plain(item, path(key), depth + 1)]));
  });
}
