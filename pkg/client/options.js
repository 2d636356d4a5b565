/**
 * Checks what JavaScript alone can check: the shape of an options object. Names and ranges of what goes to Rust
 * are Rust's to judge.
 *
 * @module
 */

import { SynthError, invalidOption } from "../errors.js";

const PLAIN = "plain data: numbers, strings, and lists and objects of them";
const DEEPEST = 8;

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
        expected: names,
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
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw invalidOption("options", options, "an object");
  }
  return readable("options", options, () => ({ ...options }));
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
    if (error instanceof SynthError) throw error;
    throw invalidOption(name, value, "an object whose properties can be read");
  }
}

/**
 * @param {unknown} signal
 * @returns {AbortSignal | undefined}
 */
export function abortSignal(signal) {
  if (signal === undefined) return undefined;
  const like = /** @type {Partial<AbortSignal> | null} */ (signal);
  if (typeof like?.aborted === "boolean" && typeof like.addEventListener === "function") {
    return /** @type {AbortSignal} */ (signal);
  }
  throw invalidOption("signal", signal, "an AbortSignal");
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
 * A text, or two where a pair is allowed.
 *
 * @template {string | [string, string]} T
 * @param {string} option
 * @param {T} value
 * @param {boolean} [pair]
 * @returns {T}
 */
export function textArgument(option, value, pair = false) {
  if (typeof value === "string") return value;
  const two =
    pair && Array.isArray(value) && value.length === 2 && value.every((text) => typeof text === "string");
  if (two) return value;
  throw invalidOption(option, value, pair ? "a string, or two in a list" : "a string");
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
  if (depth < DEEPEST && Array.isArray(value)) {
    return value.map((item, index) => plain(item, `${name}[${index}]`, depth + 1));
  }
  if (depth < DEEPEST && Object.prototype.toString.call(value) === "[object Object]") {
    const all = readable(name, value, () => Object.entries(/** @type {object} */ (value)));
    const entries = all.filter(([, item]) => item !== undefined);
    const path = (/** @type {string} */ key) => (depth === 0 ? key : `${name}.${key}`);
    return Object.fromEntries(entries.map(([key, item]) => [key, plain(item, path(key), depth + 1)]));
  }
  throw invalidOption(name, value, PLAIN);
}
