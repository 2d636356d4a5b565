// Where things are, seen from the root of the repository.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param {...string} parts */
export const at = (...parts) => join(root, ...parts);

/**
 * A wasm module and its glue, made by wasm-bindgen; the same module with its name section, which tests read; and what
 * the last build was made from, and what it made.
 *
 * @typedef {{ folder: string, wasm: string, glue: string, named: string, stamp: string }} ModuleFiles
 */

/** @param {string} folder in pkg/ @param {string} name in target/ @returns {ModuleFiles} */
const moduleFiles = (folder, name) => ({
  folder: at("pkg", folder),
  wasm: at("pkg", folder, "synthattn_bg.wasm"),
  glue: at("pkg", folder, "synthattn.js"),
  named: at("target", `${name}-named.wasm`),
  stamp: at("target", `${name}-build.json`),
});

/** Both devices. */
export const fullModule = moduleFiles("wasm", "synthattn");
/** The CPU device alone. */
export const cpuModule = moduleFiles("wasm-cpu", "synthattn-cpu");
export const { wasm: wasmFile, glue: glueFile } = fullModule;
export const { wasm: cpuWasmFile, glue: cpuGlueFile } = cpuModule;
/** The package in one piece, with either module. */
export const inlineFile = at("pkg", "dist", "inline.js");
export const cpuInlineFile = at("pkg", "dist", "cpu-inline.js");
/** Command line tools that the scripts installed for this checkout alone. */
export const toolsFolder = at(".tools");
/** Screenshots, traces and other things that tests leave for a person to look at. */
export const outputFolder = at("test-output");
