/**
 * One tab at a time writes under a name. A lock ends with its tab, however that ends.
 *
 * @module
 */

import { inUse, unavailable } from "./error.js";

/** Milliseconds to wait for a page that is on its way out, such as the one before a reload. */
const PATIENCE = 1000;

/**
 * Takes the name for this tab, or rejects with `in-use`.
 *
 * @param {string} database
 * @param {string} name
 * @returns {Promise<() => void>} gives the name back; idempotent
 */
export async function hold(database, name) {
  const locks = manager();
  /** @type {() => void} */
  let release = () => {};
  const held = new Promise((resolve) => (release = () => resolve(undefined)));
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE);
  await new Promise((resolve, reject) => {
    const granted = () => {
      clearTimeout(timer);
      resolve(undefined);
      return held;
    };
    locks.request(lockName(database, name), { signal: patience.signal }, granted).catch((error) => {
      clearTimeout(timer);
      reject(patience.signal.aborted ? inUse(name) : unavailable(reasonOf(error), error));
    });
  });
  return release;
}

/**
 * Which names are taken, by this tab or another.
 *
 * @param {string} database
 * @returns {Promise<(name: string) => boolean>}
 */
export async function held(database) {
  const locks = manager();
  try {
    const { held = [] } = await locks.query();
    const taken = new Set(held.map(({ name }) => name));
    return (name) => taken.has(lockName(database, name));
  } catch (error) {
    throw unavailable(reasonOf(error), error);
  }
}

/** @returns {LockManager} */
function manager() {
  // Not there in Node, nor on pages without https: two tabs could not be told apart.
  const locks = /** @type {LockManager | undefined} */ (globalThis.navigator?.locks);
  if (locks) return locks;
  throw unavailable(
    globalThis.isSecureContext === false
      ? "the page is not served over https or from localhost"
      : "this is no browser window, or one without Web Locks",
  );
}

/** @param {string} database @param {string} name */
function lockName(database, name) {
  return `${database}: ${name}`;
}

/** @param {unknown} error */
function reasonOf(error) {
  return error instanceof Error ? error.message : String(error);
}
