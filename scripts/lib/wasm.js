// The Rust crate as two wasm modules, pkg/wasm and pkg/wasm-cpu, built when something that they are made from changed.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { withoutCustomSections } from "./wasm-names.js";
import { NEVER_RUN, withoutUnused } from "./wasm-unused.js";
import { at, cpuModule, fullModule, root } from "./paths.js";
import { Stop, duration, output, run, say } from "./run.js";

/**
 * How release wasm is compiled, in tests too, so that both share one build of the dependencies.
 * One unit a crate makes the module smaller; natively it would only make builds longer. No link-time
 * optimisation: a library that other crates can use too does not get it, and a test binary that does
 * takes ten minutes and 6 GB.
 */
export const wasmEnvironment = {
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "1",
};

/** Names of functions that tell all types they are made for: what never runs is known by them. */
const FULL_NAMES = 'target.wasm32-unknown-unknown.rustflags=["-C", "symbol-mangling-version=v0"]';

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
 * @property {string} module hash of the module
 * @property {string} named hash of the same module with its names
 */

/** @typedef {import("./paths.js").ModuleFiles} ModuleFiles */

/** Builds pkg/wasm and pkg/wasm-cpu unless what is there is current. */
export async function buildWasm() {
  await build("The wasm module", fullModule, async () => {
    const args = ["build", "--release", "--target", "web", "--out-dir", "pkg/wasm", "--out-name", "synthattn"];
    // pkg/ is written by hand, and an ignore file in pkg/wasm would keep the module out of the packed tarball: none is
    // made, and that of a build by hand goes.
    rmSync(join(fullModule.folder, ".gitignore"), { force: true });
    await run("wasm-pack", [...args, "--no-pack", "--no-gitignore", "--no-opt", "--mode", "no-install"], { env: wasmEnvironment });
  });
  await build("The wasm module for the CPU alone", cpuModule, async () => {
    await run("cargo", ["build", "--package", "synthattn-module", "--profile", "module", "--target", "wasm32-unknown-unknown", "--config", FULL_NAMES]);
    const compiled = at("target", "wasm32-unknown-unknown", "module", "synthattn_module.wasm");
    await run("wasm-bindgen", [compiled, "--target", "web", "--out-dir", cpuModule.folder, "--out-name", "synthattn"]);
  }, NEVER_RUN);
}

/**
 * @param {string} what
 * @param {ModuleFiles} files
 * @param {() => Promise<void>} compile
 * @param {typeof NEVER_RUN} [never] functions that never run in it, if it is linked as one
 */
async function build(what, files, compile, never = []) {
  const inputs = hashInputs();
  const last = readStamp(files);
  if (last?.inputs === inputs && last.module === hashFile(files.wasm) && existsSync(files.glue)) {
    say(`${what} is current.`);
    return;
  }
  const start = performance.now();
  await compile();
  copyFileSync(files.wasm, files.named);
  say(`${what}: compiled in ${duration(performance.now() - start)}.`);
  // Linked as one there is little left for wasm-opt, which makes it larger with brotli.
  if (never.length > 0) writeFileSync(files.wasm, withoutCustomSections(used(files.named, never)));
  else await optimise(files);
  const stamp = { inputs, module: hashFile(files.wasm), named: hashFile(files.named) };
  writeFileSync(files.stamp, `${JSON.stringify(stamp, null, 2)}\n`);
}

/** Drops what nobody runs, and lets wasm-opt shrink the rest if there is one that can. @param {ModuleFiles} files */
async function optimise({ named, wasm }) {
  writeFileSync(wasm, withoutCustomSections(readFileSync(named)));
  const version = Number(/version (\d+)/.exec(output("wasm-opt", ["--version"]) ?? "")?.[1]);
  if (!(version >= OLDEST_WASM_OPT)) {
    return say(`No wasm-opt of version ${OLDEST_WASM_OPT} or newer: the module stays about a fifth larger, and works as well.`);
  }
  const start = performance.now();
  await run("wasm-opt", [...OPTIMISE, named, "-o", wasm]);
  say(`Optimised by wasm-opt ${version} in ${duration(performance.now() - start)}.`);
}

/** What runs of a module. @param {string} named @param {typeof NEVER_RUN} never */
function used(named, never) {
  const { wasm, emptied, unmatched } = withoutUnused(readFileSync(named), never);
  if (unmatched.length > 0) throw new Stop(`No function is called ${unmatched.join(" or ")}: scripts/lib/wasm-unused.js is out of date.`);
  say(`${emptied.length} functions that never run are empty.`);
  return wasm;
}

/** @param {ModuleFiles} files @returns {Stamp | undefined} */
export function readStamp({ stamp }) {
  return existsSync(stamp) ? JSON.parse(readFileSync(stamp, "utf8")) : undefined;
}

/** @param {string} file */
export function hashFile(file) {
  return existsSync(file) ? createHash("sha256").update(readFileSync(file)).digest("hex") : undefined;
}

function hashInputs() {
  const hash = createHash("sha256");
  const settings = { wasmEnvironment, OPTIMISE, FULL_NAMES, NEVER_RUN: NEVER_RUN.map(({ named }) => named.source), rustc: output("rustc", ["--version"]), wasmOpt: output("wasm-opt", ["--version"]) };
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
