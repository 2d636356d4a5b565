// Importing does nothing, anywhere; the package's file says what is in it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";
import { promisify } from "node:util";

const pkg = new URL("../../pkg/", import.meta.url);
const ENTRIES = ["index.js", "cpu.js", "core.js"];
const index = JSON.stringify(new URL("index.js", pkg).href);
const node = async (script) =>
  (
    await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
      timeout: 20_000,
    })
  ).stdout.trim();

/** The package's own sources. */
async function sources() {
  const names = [];
  for (const folder of ["", "client/", "inline/", "worker/"]) {
    for (const name of await readdir(new URL(folder, pkg)))
      if (name.endsWith(".js")) names.push(folder + name);
  }
  return names.filter((name) => name !== "tables.js");
}

for (const entry of [...ENTRIES, "dist/inline.js", "dist/cpu-inline.js"]) {
  test(`${entry} exports the contract's names and no others`, async () => {
    const names = Object.keys(await import(`../../pkg/${entry}`)).sort();
    assert.deepEqual(names, ["Engine", "Model", "SynthError", "builtinData", "kinds", "support", "tasks"]);
  });
}

test("importing any entry changes no global, touches none of a browser's, and keeps nothing alive", async () => {
  const browser = [
    "window",
    "document",
    "navigator",
    "self",
    "Worker",
    "GPUAdapter",
    "MessageChannel",
    "WebAssembly",
    "fetch",
    "setTimeout",
    "setImmediate",
  ];
  const output = await node(`
    const touched = [];
    for (const name of ${JSON.stringify(browser)}) {
      Object.defineProperty(globalThis, name, { configurable: true, get() { touched.push(name); } });
    }
    const before = Reflect.ownKeys(globalThis).length;
    for (const entry of ${JSON.stringify([...ENTRIES, "dist/inline.js"].map((entry) => new URL(entry, pkg).href))}) await import(entry);
    console.log(JSON.stringify([touched, Reflect.ownKeys(globalThis).length - before, process._getActiveHandles().length <= 3]));
  `);
  assert.deepEqual(JSON.parse(output), [[], 0, true]);
});

test("importing works where asyncDispose does not exist yet", async () => {
  const output = await node(`
    const { Symbol } = globalThis;
    globalThis.Symbol = Object.create(Symbol, { asyncDispose: { value: undefined } });
    const { Engine, Model } = await import(${index});
    console.log([Engine, Model].map(({ prototype }) => Object.getOwnPropertyNames(prototype).includes("undefined")).join());
  `);
  assert.equal(output, "false,false");
});

test("nothing waits at the top level of a module", async () => {
  for (const name of await sources()) {
    const source = await readFile(new URL(name, pkg), "utf8");
    assert.doesNotMatch(source, /^(await |(const|let) .*= await )/m, name);
  }
});

test("the workers are written as bundlers know them, and import no Node module by name", async () => {
  for (const suffix of ["", "-cpu", "-core"]) {
    const spawn = await readFile(new URL(`spawn${suffix}.js`, pkg), "utf8");
    assert.ok(spawn.includes(`new Worker(new URL("./worker${suffix}.js", import.meta.url), { type: "module" })`), suffix);
    assert.equal(spawn.match(/new URL\("/g).length, 1, "a second one would be copied as a file of its own");
  }
  for (const name of await sources()) {
    const source = await readFile(new URL(name, pkg), "utf8");
    assert.doesNotMatch(source, /(from|import\(|import) *"node:/, name);
  }
});

test("the client never imports the worker's side, nor the worker the client's", async () => {
  for (const name of await sources()) {
    const source = await readFile(new URL(name, pkg), "utf8");
    const imports = [...source.matchAll(/^(?:import|export) .*from "(.*)";$/gm)].map(
      ([, path]) => new URL(path, new URL(name, pkg)).href,
    );
    const other = name.startsWith("client/") ? "worker/" : name.startsWith("worker/") ? "client/" : undefined;
    if (other)
      for (const path of imports)
        assert.ok(!path.startsWith(new URL(other, pkg).href), `${name} imports ${path}`);
    if (!/^(inline\/)?worker(-\w+)?\.js$/.test(name))
      assert.ok(!imports.some((path) => /\/pkg\/wasm(-cpu)?\//.test(path)), `${name} imports wasm`);
  }
});

test("package.json: types first, nothing runs at install, no dependencies", async () => {
  const manifest = JSON.parse(await readFile(new URL("package.json", pkg), "utf8"));
  const files = Object.entries(manifest.exports).filter(([name]) => /\.(wasm|json)$/.test(name));
  for (const [name, file] of files) assert.equal(file, name);
  for (const [name, entry] of Object.entries(manifest.exports)) {
    if (typeof entry !== "string") assert.deepEqual(Object.keys(entry), ["types", "default"], name);
  }
  assert.equal(manifest.exports["./package.json"], "./package.json");
  assert.equal(manifest.exports["./wasm/synthattn_bg.wasm"], "./wasm/synthattn_bg.wasm");
  for (const name of ["scripts", "dependencies", "peerDependencies", "optionalDependencies"])
    assert.equal(name in manifest, false, name);
});

test("every source is below 400 lines", async () => {
  for (const name of await sources()) {
    const lines = (await readFile(new URL(name, pkg), "utf8")).split("\n").length;
    assert.ok(lines < 400, `${name}: ${lines}`);
  }
});
