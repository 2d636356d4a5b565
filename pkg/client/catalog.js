/**
 * The tables of kinds and tasks, written at build time by the Rust crate, and of the data sets in the package: no
 * engine is needed to draw a menu.
 *
 * @module
 */

import { asSynthError } from "../errors.js";
import { dataIndex } from "./builtin-data.js";

/** @import { KindInfo, TaskInfo } from "../contract.js" */

/**
 * The table of attention kinds and token mixers. Needs no engine and loads no wasm.
 *
 * @returns {Promise<KindInfo[]>}
 */
export async function kinds() {
  return (await tables()).kinds;
}

/**
 * The table of tasks: what goes in, what comes out, metrics, and built-in data sets with licence and size.
 *
 * @returns {Promise<TaskInfo[]>}
 */
export async function tasks() {
  return (await tables()).tasks;
}

/** @returns {Promise<{ kinds: KindInfo[], tasks: TaskInfo[] }>} */
async function tables() {
  try {
    // @ts-ignore generated, so not always there when types are checked
    const { kinds, tasks } = await import("../tables.js");
    const { builtins } = await dataIndex();
    const merged = tasks.map((/** @type {TaskInfo} */ task) => ({ ...task, builtins: builtins[task.name] ?? [] }));
    // Copies, because the caller may change what it is given.
    return structuredClone({ kinds, tasks: merged });
  } catch (error) {
    throw asSynthError(error, "The tables of kinds and tasks could not be loaded");
  }
}
