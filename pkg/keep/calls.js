/**
 * The calls: keep, list, get back, remove.
 *
 * @module
 */

import { known } from "../client/options.js";
import { invalidOption } from "../errors.js";
import { read, readAll, remove } from "./database.js";
import { asProblem } from "./error.js";
import { startKeeping } from "./keeping.js";
import { shown } from "./kept.js";
import { held, hold } from "./lock.js";

/** @import { Keepable, Keepables, KeepOptions, Kept, Recalled, StorageOptions } from "./contract.js" */
/** @import { Keeping } from "./keeping.js" */

/** Seconds between two snapshots: a day. Timers cannot be set to more than some weeks. */
const LONGEST = 86_400;

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
  if (!(typeof every === "number" && every >= 1 && every <= LONGEST)) {
    throw invalidOption("every", every, `a number from 1 to ${LONGEST}`);
  }
  for (const [option, value] of Object.entries({ note, onKept, onProblem })) {
    if (value !== undefined && typeof value !== "function") throw invalidOption(option, value, "a function");
  }
  const current = () => byKey(typeof models === "function" ? models() : models);
  try {
    current();
  } catch (error) {
    throw asProblem(error);
  }
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
