// The Rust crate as a wasm module in pkg/wasm, built when something that it is made from changed.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { withoutCustomSections } from "./wasm-names.js";
import { at, glueFile, namedWasmFile, root, stampFile, wasmFile, wasmFolder } from "./paths.js";
import { duration, output, run, say } from "./run.js";

/**
 * How release wasm is compiled, in tests too, so that both share one build of the dependencies.
 * One unit a crate makes the module smaller; natively it would only make builds longer. No link-time
 * optimisation: a library that other crates can use too does not get it, and a test binary that does
 * takes ten minutes and 6 GB.
 */
export const wasmEnvironment = {
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "1",
};

/** What rustc lets the module use, and so what wasm-opt must let pass. */
const FEATURES = [
  "--enable-bulk-memory",
  "--enable-mutable-globals",
  "--enable-nontrapping-float-to-int",
  "--enable-reference-types",
  "--enable-sign-ext",
  "--enable-simd",
];
const OPTIMISE = ["-O3", "--strip-debug", ...FEATURES];
/** Older versions, Debian 12's 108 among them, mix up the two tables of a module with reference types. */
const OLDEST_WASM_OPT = 116;

/**
 * @typedef {object} Stamp
 * @property {string} inputs hash of all that the module is made from
 * @property {string} module hash of pkg/wasm/synthattn_bg.wasm
 * @property {string} named hash of the same module with its names
 */

/** Builds pkg/wasm unless what is there is current. */
export async function buildWasm() {
  const inputs = hashInputs();
  const last = readStamp();
  if (last?.inputs === inputs && last.module === hashFile(wasmFile) && existsSync(glueFile)) {
    say("The wasm module is current.");
    return;
  }
  const start = performance.now();
  const args = ["build", "--release", "--target", "web", "--out-dir", "pkg/wasm", "--out-name", "synthattn"];
  // pkg/ is written by hand, and an ignore file in pkg/wasm would keep the module out of the packed tarball: none is
  // made, and that of a build by hand goes.
  rmSync(join(wasmFolder, ".gitignore"), { force: true });
  await run("wasm-pack", [...args, "--no-pack", "--no-gitignore", "--no-opt", "--mode", "no-install"], { env: wasmEnvironment });
  mkdirSync(dirname(namedWasmFile), { recursive: true });
  copyFileSync(wasmFile, namedWasmFile);
  say(`Compiled in ${duration(performance.now() - start)}.`);
  await optimise();
  const stamp = { inputs, module: hashFile(wasmFile), named: hashFile(namedWasmFile) };
  writeFileSync(stampFile, `${JSON.stringify(stamp, null, 2)}\n`);
}

/** Drops what nobody runs, and lets wasm-opt shrink the rest if there is one that can. */
async function optimise() {
  writeFileSync(wasmFile, withoutCustomSections(readFileSync(namedWasmFile)));
  const version = Number(/version (\d+)/.exec(output("wasm-opt", ["--version"]) ?? "")?.[1]);
  if (!(version >= OLDEST_WASM_OPT)) {
    return say(`No wasm-opt of version ${OLDEST_WASM_OPT} or newer: the module stays about a fifth larger, and works as well.`);
  }
  const start = performance.now();
  await run("wasm-opt", [...OPTIMISE, namedWasmFile, "-o", wasmFile]);
  say(`Optimised by wasm-opt ${version} in ${duration(performance.now() - start)}.`);
}

/** @returns {Stamp | undefined} */
export function readStamp() {
  return existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, "utf8")) : undefined;
}

/** @param {string} file */
export function hashFile(file) {
  return existsSync(file) ? createHash("sha256").update(readFileSync(file)).digest("hex") : undefined;
}

function hashInputs() {
  const hash = createHash("sha256");
  const settings = { wasmEnvironment, OPTIMISE, rustc: output("rustc", ["--version"]), wasmOpt: output("wasm-opt", ["--version"]) };
  hash.update(JSON.stringify(settings));
  for (const file of inputFiles()) hash.update(`\n${relative(root, file)}\n`).update(readFileSync(file));
  return hash.digest("hex");
}

function* inputFiles() {
  for (const name of ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "build.rs"]) if (existsSync(at(name))) yield at(name);
  for (const folder of [".cargo", "src"]) if (existsSync(at(folder))) yield* filesBelow(at(folder));
}

/** All files below a folder, in a fixed order. @param {string} folder @returns {Generator<string>} */
export function* filesBelow(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}
