// Bundles each peer into dist/<peer>/ with the files that it loads by itself.

import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const dist = join(here, "dist");
const module = (/** @type {string} */ name) => join(here, "node_modules", name);

/** Those that train, and those that only run models. */
export const PEERS = ["jax", "tfjs"];
export const WRITERS = ["ort"];

/** What ONNX Runtime loads by itself. */
export const ORT_FILES = join(module("onnxruntime-web"), "dist");

export async function buildPeers() {
  rmSync(dist, { recursive: true, force: true });
  const version = JSON.parse(readFileSync(join(module("@jax-js/jax"), "package.json"), "utf8")).version;
  for (const peer of [...PEERS, ...WRITERS]) {
    await build({
      entryPoints: [join(here, "src", `${peer}.js`)],
      outdir: join(dist, peer),
      bundle: true,
      format: "esm",
      splitting: true,
      minify: true,
      target: "es2022",
      // ONNX Runtime's module and its threads are then loaded from its own files, not from the bundle.
      conditions: ["module", "onnxruntime-web-use-extern-wasm"],
      define: { __JAX_VERSION__: JSON.stringify(version) },
      external: ["fs", "path", "worker_threads", "perf_hooks", "os", "util", "node-fetch", "module"],
      logLevel: "error",
    });
    writePage(join(dist, peer), `./${peer}.js`);
  }
  const wasm = join(module("@tensorflow/tfjs-backend-wasm"), "dist");
  for (const file of readdirSync(wasm)) if (file.endsWith(".wasm")) copyFileSync(join(wasm, file), join(dist, "tfjs", file));

  // Ours is not bundled: it is the wasm module as it ships.
  mkdirSync(join(dist, "synthattn"));
  for (const file of ["counters.js", "harness.js", "model.js", "rate.js", "synthattn.js"]) copyFileSync(join(here, "src", file), join(dist, "synthattn", file));
  writePage(join(dist, "synthattn"), "./synthattn.js");
}

/** @param {string} folder @param {string} script */
function writePage(folder, script) {
  const page = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>bench</title><script type="module" src="${script}"></script>\n`;
  writeFileSync(join(folder, "index.html"), page);
}
