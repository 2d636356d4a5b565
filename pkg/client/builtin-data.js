/**
 * The data sets that come with the package: each a file of its own, loaded when it is asked for.
 *
 * @module
 */

import { SynthError, asSynthError, invalidData, show } from "../errors.js";
import { macrotask } from "../macrotask.js";

/** @import { BuiltinData, BuiltinInfo, PlainData, TaskName } from "../contract.js" */

/** Rows to read before the page's thread gets a turn. */
const ROWS_AT_ONCE = 2000;

/**
 * As the files in data/ hold a set. Rows are lines of fields parted by tabs; where there are `words`, each of
 * `characters` stands for one of them.
 *
 * @typedef {{ fields?: string[], words?: string, characters?: string, training: string, test: string }} StoredSet
 */

/** @typedef {{ builtins: Partial<Record<TaskName, BuiltinInfo[]>>, sets: Record<string, () => Promise<{ default: StoredSet }>>, missing?: string }} DataIndex */

/**
 * A built-in data set: rows or text to train on, and others for tests, which nobody trained on. Each call gives copies
 * of its own.
 *
 * @param {string} name one that `tasks()` lists
 * @returns {Promise<BuiltinData>}
 * @example
 * const { training, test } = await builtinData("entailment");
 */
export async function builtinData(name) {
  try {
    if (typeof name !== "string") throw invalidData("a built-in data set is asked for by its name, a string");
    const { sets, missing } = await dataIndex();
    if (missing) throw invalidData(missing);
    const load = Object.hasOwn(sets, name) ? sets[name] : undefined;
    if (!load) {
      const all = Object.keys(sets).join(", ");
      throw invalidData(`there is no built-in data set ${show(name)}; there are ${all}`);
    }
    const { default: stored } = await load();
    return { training: await unpack(stored, stored.training), test: await unpack(stored, stored.test) };
  } catch (error) {
    if (error instanceof SynthError) throw error;
    throw asSynthError(error, "The data set could not be loaded");
  }
}

/** @returns {Promise<DataIndex>} */
export async function dataIndex() {
  // @ts-ignore generated, so not always there when types are checked
  return import("../data/index.js");
}

/**
 * @param {StoredSet} set
 * @param {string} part
 * @returns {Promise<PlainData>}
 */
async function unpack({ fields, words, characters }, part) {
  if (!fields) return { text: part };
  const all = words?.split(" ") ?? [];
  const wordOf = new Map(Array.from(characters ?? "", (character, index) => [character, all[index]]));
  const read = (/** @type {string} */ field) =>
    words === undefined ? field : Array.from(field, (character) => wordOf.get(character)).join(" ");
  const rows = [];
  for (const line of part.split("\n")) {
    if (rows.length % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await macrotask();
    const values = line.split("\t");
    /** @type {Record<string, string>} */
    const row = {};
    for (const [index, field] of fields.entries()) row[field] = read(/** @type {string} */ (values[index]));
    rows.push(row);
  }
  return { rows: /** @type {any} */ (rows) };
}
