// How much a visitor downloads: raw, gzip and brotli. What ships has a budget; a build that exceeds it fails.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { bundle } from "./inline.js";
import { at, cpuInlineFile, cpuWasmFile, inlineFile, wasmFile } from "./paths.js";
import { Stop, say } from "./run.js";

/**
 * @typedef {object} Size
 * @property {string} name
 * @property {number} raw bytes
 * @property {number} gzip
 * @property {number} brotli
 * @property {number} [most] bytes with brotli that it may have
 */

/**
 * What the package makes an app load. Budgets are a few percent above what is true where no wasm-opt shrinks the
 * modules; raise one only for something that is worth its bytes.
 *
 * @type {{ name: string, most: number, read: () => Buffer | Promise<Buffer> }[]}
 */
const SHIPPED = [
  { name: "module of `synthattn`", most: 1_700_000, read: () => readFileSync(wasmFile) },
  { name: "module of `synthattn/cpu`", most: 400_000, read: () => readFileSync(cpuWasmFile) },
  { name: "scripts of `synthattn`, page and worker", most: 22_200, read: () => scripts("index.js", "worker.js") },
  { name: "scripts of `synthattn/cpu`", most: 18_200, read: () => scripts("cpu.js", "worker-cpu.js") },
  { name: "`synthattn/inline`, all in one", most: 2_720_000, read: () => readFileSync(inlineFile) },
  { name: "`synthattn/cpu/inline`, all in one", most: 600_000, read: () => readFileSync(cpuInlineFile) },
];

/** Sizes that take long to find out, by the hash of the file: brotli's best needs half a minute for the larger module. */
const KNOWN = at("target", "brotli-sizes.json");
const LARGE = 1_000_000;

/** @param {string} name @param {Buffer} bytes @returns {Size} */
function sizeOf(name, bytes) {
  return { name, raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliSize(bytes) };
}

/** As a server sends it that compresses its files once and well. @param {Buffer} bytes */
function brotliSize(bytes) {
  const hash = createHash("sha256").update(bytes).digest("hex");
  /** @type {Record<string, number>} */
  const known = existsSync(KNOWN) ? JSON.parse(readFileSync(KNOWN, "utf8")) : {};
  if (known[hash]) return known[hash];
  const { BROTLI_PARAM_LGWIN: window, BROTLI_MAX_WINDOW_BITS: widest } = constants;
  const size = brotliCompressSync(bytes, { params: { [window]: widest } }).length;
  if (bytes.length < LARGE) return size;
  mkdirSync(dirname(KNOWN), { recursive: true });
  writeFileSync(KNOWN, `${JSON.stringify(Object.fromEntries([...Object.entries(known), [hash, size]].slice(-20)))}\n`);
  return size;
}

/** An entry and its worker as a bundler makes them, without tables and data sets, which are loaded when asked for. */
async function scripts(/** @type {string[]} */ ...files) {
  const external = /(tables|data\/index)\.js$/;
  const bundles = files.map((file) => bundle(at("pkg", file), "es", [], { external }));
  return Buffer.from((await Promise.all(bundles)).join("\n"));
}

/** @returns {Promise<Size[]>} of all that ships */
export async function shippedSizes() {
  const sizes = [];
  for (const { name, most, read } of SHIPPED) sizes.push({ ...sizeOf(name, await read()), most });
  return sizes;
}

/** @param {string[]} paths @returns {Size[]} */
export const sizesOf = (paths) => paths.map((path) => sizeOf(basename(path), readFileSync(path)));

/** @param {number} bytes */
export function inWords(bytes) {
  if (bytes >= 999_500) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e3).toFixed(0)} kB`;
}

/** @param {Size[]} sizes */
export function printSizes(sizes) {
  const line = (/** @type {string[]} */ [name, ...cells]) => say(name.padEnd(44) + cells.map((cell) => cell.padStart(10)).join(""));
  say("");
  line(["file", "raw", "gzip", "brotli", "at most"]);
  for (const { name, raw, gzip, brotli, most } of sizes) line([name, ...[raw, gzip, brotli].map(inWords), most === undefined ? "" : inWords(most)]);
}

/** Stops if something that ships has grown beyond its budget. @param {Size[]} sizes */
export function checkBudget(sizes) {
  const over = sizes.filter(({ brotli, most = Infinity }) => brotli > most);
  if (over.length === 0) return;
  throw new Stop(over.map(({ name, brotli, most = 0 }) => `${name} has ${brotli} bytes with brotli, and may have ${most}.`).join("\n"));
}
