// pkg/dist: the package in one piece, for pages of a single file and for bundlers that do not follow
// `new URL(…, import.meta.url)`. The WebAssembly is compressed by gzip, which every browser can unpack, and in base64.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { at, cpuInlineFile, cpuWasmFile, inlineFile, wasmFile } from "./paths.js";
import { Stop, say } from "./run.js";

/** @typedef {import("rolldown").Plugin} Plugin */

const ENTRIES = [
  { name: "both", wasm: wasmFile, file: inlineFile },
  { name: "cpu", wasm: cpuWasmFile, file: cpuInlineFile },
];

/** Stands for the module while the rest is bundled: a minifier would make one long template of it, which is slow to read. */
const PLACE = "the module belongs here";
/** Bytes in a piece: of thirds, so that each has a whole number of characters. */
const PIECE = 3 << 14;

export async function writeInline() {
  for (const { name, wasm, file } of ENTRIES) {
    if (!existsSync(wasm)) throw new Stop(`${wasm} is missing: the wasm module was not built.`);
    // A classic script: Node starts a worker from code only as such, and a module may hold the same.
    const code = await bundle(at("pkg", "inline", `worker-${name}.js`), "iife", []);
    if (code.includes("import.meta")) throw new Stop(`The worker of ${basename(file)} asks for its address, and has none.`);
    const payload = `export const code = ${JSON.stringify(code)};\nexport const gzip = ${JSON.stringify(PLACE)};\n`;
    const bundled = await bundle(at("pkg", "inline", `${name}.js`), "es", [
      instead(`./payload-${name}.js`, payload),
      instead("../data/index.js", readFileSync(at("pkg", "inline", "no-data.js"), "utf8")),
    ]);
    const parts = bundled.split(new RegExp(`["'\`]${PLACE}["'\`]`));
    if (parts.length !== 2) throw new Stop(`${basename(file)} has ${parts.length - 1} places for its module instead of one.`);
    const text = parts.map(ascii).join(JSON.stringify(pieces(gzipSync(readFileSync(wasm), { level: 9 }))));
    if (text.includes("import.meta")) throw new Stop(`${basename(file)} must work without an address of its own.`);
    // An untouched file keeps its date, and a running page its state.
    if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    say(`Wrote pkg/dist/${basename(file)}.`);
  }
}

/**
 * Bytes in base64. Engines read many short strings faster than a long one.
 *
 * @param {Buffer} bytes
 */
function pieces(bytes) {
  return Array.from({ length: Math.ceil(bytes.length / PIECE) }, (_, index) => bytes.toString("base64", index * PIECE, (index + 1) * PIECE));
}

/**
 * One letter beyond ASCII, and a browser holds the whole script at two bytes a letter. All of ours are in strings, where
 * an escape means the same.
 *
 * @param {string} code
 */
function ascii(code) {
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * One file of an input and all that it imports.
 *
 * @param {string} input
 * @param {"es" | "iife"} format
 * @param {Plugin[]} plugins
 * @param {{ external?: RegExp }} [options]
 */
export async function bundle(input, format, plugins, { external } = {}) {
  // Loaded late: the build starts on machines where no package is installed yet.
  const { rolldown } = await import("rolldown");
  const build = await rolldown({ input, plugins, external, platform: "browser", logLevel: "warn" });
  try {
    const { output } = await build.generate({ format, minify: true, codeSplitting: false });
    if (output.length !== 1) throw new Stop(`${input} became ${output.length} files instead of one.`);
    return output[0].code;
  } finally {
    await build.close();
  }
}

/**
 * Code in the place of a module.
 *
 * @param {string} path as it is imported
 * @param {string} code
 * @returns {Plugin}
 */
function instead(path, code) {
  const id = `\0${path}`;
  return {
    name: `instead of ${path}`,
    resolveId: (source) => (source === path ? id : undefined),
    load: (wanted) => (wanted === id ? code : undefined),
  };
}
