// wasm-bindgen's glue, without the address of a WebAssembly file in it.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Stop } from "./run.js";

const DEFAULT = /^( *)module_or_path = new URL\('synthattn_bg\.wasm', import\.meta\.url\);$/m;
const GONE = 'throw new TypeError("no module given");';

/**
 * The package always says which module to start. Bundlers would still follow the address, and copy a file for entries
 * that come without one.
 *
 * @param {string} file changed in place
 */
export function dropDefaultAddress(file) {
  if (!existsSync(file)) throw new Stop(`${file} is missing: the wasm module was not built.`);
  const glue = readFileSync(file, "utf8");
  if (glue.includes(GONE)) return;
  const changed = glue.replace(DEFAULT, `$1${GONE}`);
  if (changed === glue || changed.includes("import.meta"))
    throw new Stop(`${file} is not written as expected: where does wasm-bindgen put the module's address now?`);
  writeFileSync(file, changed);
}
