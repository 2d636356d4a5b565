/**
 * What can go wrong with keeping, in words that a person can act on.
 *
 * @module
 */

import { asSynthError, invalidOption } from "../errors.js";

/** @import { SynthError } from "../errors.js" */
/** @import { KeepErrorCode } from "./contract.js" */

/** Why something could not be kept or found. Match `code`; the message is for people and may change. */
export class KeepError extends Error {
  static {
    // The prototype's, because the first line of `stack` is written before a field is there.
    Object.defineProperty(this.prototype, "name", { value: "KeepError", configurable: true, writable: true });
  }

  /** Always the same. @override @readonly @type {"KeepError"} */
  name = "KeepError";

  /**
   * @param {KeepErrorCode} code
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

/**
 * @param {string} reason
 * @param {unknown} [cause]
 */
export function unavailable(reason, cause) {
  return new KeepError(
    "storage-unavailable",
    `Nothing can be kept here: ${reason}. Download the model's file instead.`,
    { reason },
    { cause },
  );
}

/** @param {string} name */
export function inUse(name) {
  return new KeepError(
    "in-use",
    `Work is already being kept as ${JSON.stringify(name)}, in this tab or another. ` +
      "Stop that keeping, or use another name.",
    { name },
  );
}

/**
 * Whatever was thrown while work was being kept, even by a function of the app, as an error of this package.
 *
 * @param {unknown} thrown
 * @returns {KeepError | SynthError}
 */
export function asProblem(thrown) {
  return thrown instanceof KeepError ? thrown : asSynthError(thrown, "The work could not be kept");
}

/**
 * What a browser's storage threw, in the words of this package.
 *
 * @param {unknown} thrown
 * @param {number} needed bytes that were to be written
 * @returns {Promise<KeepError | SynthError>}
 */
export async function storageError(thrown, needed) {
  if (thrown instanceof KeepError) return thrown;
  const { name, message } = /** @type {{ name?: string, message?: string }} */ (thrown ?? {});
  if (name === "DataCloneError") return invalidOption("note", thrown, "a function that gives what structuredClone takes");
  if (name !== "QuotaExceededError") return unavailable(message || name || String(thrown), thrown);
  const { usage, quota } = (await navigator.storage?.estimate?.().catch(() => undefined)) ?? {};
  return new KeepError(
    "storage-full",
    `There is no room to keep ${megabytes(needed)} more; what was kept before is whole. ` +
      "Free some disk space or forget older work, or download the model's file.",
    { needed, usage, quota },
    { cause: thrown },
  );
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${Math.max(0.1, bytes / 1e6).toFixed(1)} MB`;
}
