/**
 * The one error of the package, and how it crosses the worker without losing its meaning.
 *
 * @module
 */

/** @import { ErrorCode } from "./contract.js" */

/** Every rejection is one of these. Match `code`; the message is for people and may change. */
export class SynthError extends Error {
  static {
    // The prototype's, because the first line of `stack` is written before a field is there.
    Object.defineProperty(this.prototype, "name", {
      value: "SynthError",
      configurable: true,
      writable: true,
    });
  }

  /**
   * By name, not by class: an app may load several entries, each with a class of its own.
   *
   * @override
   * @param {unknown} value
   */
  static [Symbol.hasInstance](value) {
    return this === SynthError ? isSynthError(value) : Function.prototype[Symbol.hasInstance].call(this, value);
  }

  /** The same in every entry of the package. @override @readonly @type {"SynthError"} */
  name = "SynthError";

  /**
   * @param {ErrorCode} code
   * @param {string} message
   * @param {Record<string, unknown>} [details]
   * @param {{ cause?: unknown }} [options]
   */
  constructor(code, message, details, options) {
    super(message, options);
    /** What went wrong; it stays the same over versions. @readonly */
    this.code = code;
    /** More of it: what there is depends on `code`. @readonly @type {Record<string, unknown> | undefined} */
    this.details = details;
  }
}

/** Characters of a message that crosses: it may quote what a caller passed, which may be a book. */
const MOST_WORDS = 1000;

/** @typedef {{ code: ErrorCode, message: string, details?: Record<string, unknown> }} PackedError */

/**
 * Errors made in Rust have the name and the fields, but are of no class that this file knows.
 *
 * @param {unknown} error
 * @returns {error is SynthError}
 */
export function isSynthError(error) {
  try {
    return (
      error instanceof Error && error.name === "SynthError" && "code" in error && typeof error.code === "string"
    );
  } catch {
    // What a caller's getter throws may be a proxy that throws again.
    return false;
  }
}

/**
 * @param {SynthError} error
 * @returns {PackedError}
 */
export function pack({ code, message: words, details }) {
  const message = words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS)}…` : words;
  return details === undefined ? { code, message } : { code, message, details };
}

/**
 * @param {PackedError} packed
 * @returns {SynthError}
 */
export function unpack({ code, message, details }) {
  return new SynthError(code, message, details);
}

/**
 * Whatever was thrown, as a SynthError: `internal` unless it is one already or memory ran out.
 *
 * @param {unknown} thrown
 * @param {string} doing what went wrong, up to the colon
 * @returns {SynthError}
 */
export function asSynthError(thrown, doing) {
  if (isSynthError(thrown)) return Object.getPrototypeOf(thrown) === Error.prototype ? unpack(thrown) : thrown;
  const text = wordsOf(thrown);
  const code = /out of memory|allocation (failed|size)|memory allocation of/i.test(text)
    ? "out-of-memory"
    : "internal";
  return new SynthError(code, `${doing}: ${text}`, undefined, { cause: thrown });
}

/**
 * What was thrown, in words. Callers throw anything, even what cannot be looked at.
 *
 * @param {unknown} thrown
 * @returns {string}
 */
export function wordsOf(thrown) {
  try {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  } catch {
    return "something that has no words";
  }
}

/**
 * @param {string} option
 * @param {unknown} value
 * @param {string} expected
 */
export function invalidOption(option, value, expected) {
  return new SynthError("invalid-option", `${option} must be ${expected}, not ${show(value)}`, {
    option,
    value,
    expected,
  });
}

/**
 * @param {string} reason
 * @param {number} [row]
 */
export function invalidData(reason, row) {
  const message = row === undefined ? reason : `row ${row}: ${reason}`;
  return new SynthError("invalid-data", message, row === undefined ? { reason } : { row, reason });
}

/** @param {AbortSignal} [signal] */
export function aborted(signal) {
  return new SynthError("aborted", "The call was aborted.", undefined, { cause: signal?.reason });
}

/** @param {string} what */
export function disposed(what) {
  return new SynthError("disposed", `This ${what} was disposed of.`);
}

/**
 * @param {unknown} value
 * @returns {value is unknown[]}
 */
export function isList(value) {
  try {
    return Array.isArray(value);
  } catch {
    // A proxy that was revoked.
    return false;
  }
}

/**
 * A value as an error message may show it: short, and whatever it is.
 *
 * @param {unknown} value
 */
export function show(value) {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "object" && value !== null) return isList(value) ? "a list" : "an object";
  if (typeof value === "function") return "a function";
  return String(value);
}
