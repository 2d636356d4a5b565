// Where things are, seen from the root of the repository.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param {...string} parts */
export const at = (...parts) => join(root, ...parts);

/** The wasm module and its glue, made by wasm-bindgen. */
export const wasmFolder = at("pkg", "wasm");
export const wasmFile = join(wasmFolder, "synthattn_bg.wasm");
export const glueFile = join(wasmFolder, "synthattn.js");
/** The same module with its name section: tests read the names in it. */
export const namedWasmFile = at("target", "synthattn-named.wasm");
/** The module and glue for the CPU alone. */
export const cpuWasmFolder = at("pkg", "wasm-cpu");
export const cpuWasmFile = join(cpuWasmFolder, "synthattn_bg.wasm");
export const cpuGlueFile = join(cpuWasmFolder, "synthattn.js");
/** The package in one piece, with either module. */
export const inlineFile = at("pkg", "dist", "inline.js");
export const cpuInlineFile = at("pkg", "dist", "cpu-inline.js");
/** What the last build was made from, and what it made. */
export const stampFile = at("target", "synthattn-build.json");
/** Command line tools that the scripts installed for this checkout alone. */
export const toolsFolder = at(".tools");
/** Screenshots, traces and other things that tests leave for a person to look at. */
export const outputFolder = at("test-output");
