/**
 * Keeps models in the browser's storage while they train, so that a reload, a crash or a lost device costs little.
 *
 * What is guaranteed: once `keep()` has resolved, there is a whole snapshot on disk at any time. It is replaced in
 * one transaction, so a page or browser that ends in the middle leaves the one before. At most `every` seconds and
 * one report interval are lost. When the page is hidden (another tab, another app, a phone put away, often before a
 * page ends) the work is kept at once; a page that is closed leaves too little time for that to be relied on. Going
 * on from a snapshot gives, on the CPU, the very run that was never left.
 *
 * What is not: browsers may clear a site's storage when the disk is full (`navigator.storage.persist()` asks them
 * not to), Safari does so after seven days without a visit, a private window at its end. What matters is downloaded.
 *
 * Importing this does nothing. Where there is no storage, as in Node, calls reject with `storage-unavailable`.
 *
 * @module
 */
/// <reference lib="esnext.disposable" preserve="true" />

import { known } from "./client/options.js";
import { invalidOption } from "./errors.js";
import { read, readAll, remove } from "./keep/database.js";
import { held, hold } from "./keep/lock.js";
import { startKeeping } from "./keep/keeping.js";
import { shown } from "./keep/kept.js";

/** @import { SynthError } from "./errors.js" */
/** @import { Keeping } from "./keep/keeping.js" */
/** @import { KeepError } from "./keep/error.js" */
/** @import { Keepable, Keepables } from "./keep/keeping.js" */
/** @import { Kept } from "./keep/kept.js" */

export { KeepError } from "./keep/error.js";
export { Keeping } from "./keep/keeping.js";

/** @typedef {import("./keep/error.js").KeepErrorCode} KeepErrorCode */
/** @typedef {import("./keep/kept.js").Kept} Kept */
/** @typedef {import("./keep/kept.js").KeptModel} KeptModel */
/** @typedef {import("./keep/keeping.js").Keepable} Keepable */
/** @typedef {import("./keep/keeping.js").Keepables} Keepables */

/**
 * @typedef {object} KeepOptions
 * @property {string} name what to keep the work as. One tab at a time has it: in another, `keep()` rejects with `in-use`
 * @property {number} [every] seconds between two snapshots, default 30; where writing is slow, more
 * @property {boolean} [replace] keep it even if work that got further is kept under this name, default false
 * @property {() => unknown} [note] called at each snapshot: what to keep beside the models, such as the points of a
 *   chart; anything that `structuredClone` takes
 * @property {(kept: Kept) => void} [onKept] called after each snapshot
 * @property {(problem: KeepError | SynthError) => void} [onProblem] called when a later snapshot fails, once until one
 *   succeeds again; without it, the console is warned. Keeping goes on trying
 * @property {string} [database] the IndexedDB database, default "synthattn-keep"
 */

/** @typedef {{ database?: string }} StorageOptions `database`: default "synthattn-keep" */

/**
 * Kept work with its bytes: `file` is the first model's, for `engine.load(file, data)`, `files` are all by their names.
 *
 * @typedef {Kept & { file: Uint8Array<ArrayBuffer>, files: { [key: string]: Uint8Array<ArrayBuffer> } }} Recalled
 */

/**
 * Keeps a model, or several as one work, from now on: at once, every `every` seconds while they move, and whenever the
 * page is hidden. Training goes on meanwhile: a snapshot is taken between two reports, outside of what is timed, and
 * changes no result. Resolves when the first snapshot is on disk.
 *
 * @param {Keepables | (() => Keepables)} models a function, if they may be replaced by others
 * @param {KeepOptions} options
 * @returns {Promise<Keeping>}
 * @example
 * const keeping = await keep(model, { name: "my run" });
 * for await (const { loss } of model.train({ steps: 2000 })) console.log(loss);
 * await keeping.stop();
 */
export async function keep(models, options) {
  const given = known(options, ["name", "every", "replace", "note", "onKept", "onProblem", "database"]);
  const { every = 30, replace = false, note, onKept, onProblem } = given;
  const name = nameOf("name", given.name);
  const database = databaseOf(given);
  if (!(typeof every === "number" && every >= 1)) throw invalidOption("every", every, "a number from 1");
  for (const [option, value] of Object.entries({ note, onKept, onProblem })) {
    if (value !== undefined && typeof value !== "function") throw invalidOption(option, value, "a function");
  }
  const current = () => byKey(typeof models === "function" ? models() : models);
  current();
  const release = await hold(database, name);
  try {
    return await startKeeping(current, { name, database, every, replace, note, onKept, onProblem }, release);
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * What is kept, the newest first.
 *
 * @param {StorageOptions} [options]
 * @returns {Promise<Kept[]>}
 */
export async function kept(options) {
  const database = databaseOf(known(options, ["database"]));
  const inUse = await held(database);
  const works = await readAll(database);
  return works.sort((a, b) => b.savedAt - a.savedAt).map((work) => shown(work, inUse(work.name)));
}

/**
 * Kept work with its bytes; undefined if there is none under this name.
 *
 * @param {string} name
 * @param {StorageOptions} [options]
 * @returns {Promise<Recalled | undefined>}
 * @example
 * const work = await recall("my run");
 * const model = work ? await engine.load(work.file, data) : await engine.createModel(spec, data);
 */
export async function recall(name, options) {
  const database = databaseOf(known(options, ["database"]));
  const inUse = await held(database);
  const found = await read(database, nameOf("name", name));
  if (!found) return undefined;
  const { work, files } = found;
  const [{ key }] = /** @type {[{ key: string }]} */ (/** @type {unknown} */ (work.models));
  return { ...shown(work, inUse(name)), file: /** @type {Uint8Array<ArrayBuffer>} */ (files[key]), files };
}

/**
 * Removes kept work; nothing happens if there is none. Rejects with `in-use` while a tab keeps its work under this name.
 *
 * @param {string} name
 * @param {StorageOptions} [options]
 * @returns {Promise<void>}
 */
export async function forget(name, options) {
  const database = databaseOf(known(options, ["database"]));
  const release = await hold(database, nameOf("name", name));
  try {
    await remove(database, name);
  } finally {
    release();
  }
}

/** @param {{ database?: string }} options */
function databaseOf({ database = "synthattn-keep" }) {
  return nameOf("database", database);
}

/** @param {string} option @param {unknown} name */
function nameOf(option, name) {
  if (typeof name === "string" && name !== "" && name.length <= 200) return name;
  throw invalidOption(option, name, "a text of 1 to 200 characters");
}

/**
 * @param {Keepables} models
 * @returns {{ [key: string]: Keepable }}
 */
function byKey(models) {
  const all = isKeepable(models) ? { model: models } : { ...models };
  const entries = Object.entries(all);
  if (entries.length > 0 && entries.every(([, model]) => isKeepable(model))) return all;
  throw invalidOption("models", models, "a model, or an object of models");
}

/**
 * @param {unknown} model
 * @returns {model is Keepable}
 */
function isKeepable(model) {
  return typeof (/** @type {Partial<Keepable> | null | undefined} */ (model)?.save) === "function";
}
