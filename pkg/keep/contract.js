/**
 * The public types of keeping, and nothing that runs: `import type { Kept } from "synthattn/keep"`.
 *
 * @module
 */

/** @import { ModelSpec } from "../contract.js" */
/** @import { SynthError } from "../errors.js" */
/** @import { KeepError } from "./error.js" */

/**
 * What went wrong with keeping:
 *
 * - `storage-unavailable`: this place stores nothing: no browser, blocked site data, some private windows, a page
 *   that is not served over https. Offer the file of `save()` as a download.
 * - `storage-full`: there is no room. What was kept before is whole. `details`: `needed`, and `usage` and `quota` of
 *   the site if the browser tells, in bytes.
 * - `in-use`: work is already being kept under this name, in this tab or another, or is just being removed.
 *   `details`: `name`.
 * - `already-kept`: work that got further is kept under this name. `details`: `name`, and `step`, the kept
 *   one's.
 *
 * @typedef {"storage-unavailable" | "storage-full" | "in-use" | "already-kept"} KeepErrorCode
 */

/**
 * What can be kept: a `Model`, or whatever else has its `step` (all steps it ever made) and its `save()` (its file).
 *
 * @typedef {{ readonly step: number, save(): Promise<Uint8Array<ArrayBuffer>> }} Keepable
 */

/** @typedef {Keepable | { [key: string]: Keepable }} Keepables one model, or several by names of your own */

/**
 * As what to keep models, and how often.
 *
 * @typedef {object} KeepOptions
 * @property {string} name what to keep the work as. One keeping at a time has it, in whatever tab: others reject with
 *   `in-use`
 * @property {number} [every] seconds between two snapshots, 1 to 86400, default 30; where writing is slow, more
 * @property {boolean} [replace] keep it even if work that got further is kept under this name, default false
 * @property {() => unknown} [note] called at each snapshot: what to keep beside the models, such as the points of a
 *   chart; anything that `structuredClone` takes
 * @property {(kept: Kept) => void} [onKept] called after each snapshot; what it throws is logged to the console
 * @property {(problem: KeepError | SynthError) => void} [onProblem] called when a later snapshot fails, once until one
 *   succeeds again; without it, the console is warned. Keeping goes on trying
 * @property {string} [database] the IndexedDB database, default "synthattn-keep"
 */

/**
 * Kept work, without its bytes.
 *
 * @typedef {object} Kept
 * @property {string} name what it is kept as
 * @property {Date} savedAt when the snapshot was taken, by the clock of this machine
 * @property {number} step of the first model
 * @property {Required<ModelSpec>} spec of the first model
 * @property {number} size bytes of all models
 * @property {KeptModel[]} models all of them, in the order they were given in
 * @property {unknown} note what `note()` gave
 * @property {boolean} inUse a tab, this or another, is keeping work under this name
 */

/**
 * One of the models that are kept together.
 *
 * @typedef {object} KeptModel
 * @property {string} key the name it was given in `keep()`; "model" where it was the only one
 * @property {number} step all steps it had ever made
 * @property {Required<ModelSpec>} spec what it was made from
 * @property {number} size bytes of its file
 */

/**
 * Where work is kept.
 *
 * @typedef {object} StorageOptions
 * @property {string} [database] the IndexedDB database, default "synthattn-keep"
 */

/**
 * Kept work with its bytes: `file` is the first model's, for `engine.load(file, data)`, `files` are all by their names.
 *
 * @typedef {Kept & { file: Uint8Array<ArrayBuffer>, files: { [key: string]: Uint8Array<ArrayBuffer> } }} Recalled
 */

export {};
