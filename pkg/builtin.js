/**
 * Node's own modules, in a file that bundlers also read.
 *
 * @module
 */

/**
 * @param {string} name such as `node:fs/promises`
 * @returns {Promise<any>}
 */
export async function builtin(name) {
  const found = /** @type {any} */ (globalThis).process?.getBuiltinModule?.(name);
  // Node before 20.16 has no such function. A bundler must leave this import alone.
  return found ?? import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);
}
