// Importing does nothing, anywhere; the package's file says what is in it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";
import { promisify } from "node:util";

const pkg = new URL("../../pkg/", import.meta.url);
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
  for (const folder of ["", "client/", "worker/"]) {
    for (const name of await readdir(new URL(folder, pkg)))
      if (name.endsWith(".js")) names.push(folder + name);
  }
  return names.filter((name) => name !== "tables.js");
}

test("the package exports the contract's names and no others", async () => {
  const names = Object.keys(await import("../../pkg/index.js")).sort();
  assert.deepEqual(names, ["Engine", "Model", "SynthError", "builtinData", "kinds", "support", "tasks"]);
});

test("importing changes no global, touches none of a browser's, and keeps nothing alive", async () => {
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
    await import(${index});
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

test("the worker is written as bundlers know it, and imports no Node module by name", async () => {
  const spawn = await readFile(new URL("spawn.js", pkg), "utf8");
  assert.ok(spawn.includes('new Worker(new URL("./worker.js", import.meta.url), { type: "module" })'));
  assert.equal(spawn.match(/new URL\("/g).length, 1, "a second one would be copied as a file of its own");
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
    if (name !== "worker.js")
      assert.ok(!imports.some((path) => path.includes("/pkg/wasm/")), `${name} imports wasm`);
  }
});

test("package.json: types first, nothing runs at install, no dependencies", async () => {
  const manifest = JSON.parse(await readFile(new URL("package.json", pkg), "utf8"));
  assert.deepEqual(Object.keys(manifest.exports["."]), ["types", "default"]);
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
