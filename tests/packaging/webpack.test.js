// webpack 5 without a configuration file.

import assert from "node:assert/strict";
import { cpSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertWorked, closeBrowser, command, enter, install, made, remove, visitFolder, wasmIn } from "./support.js";

/** @type {string} */
let folder;
before(async () => {
  folder = await install("webpack");
});
after(async () => {
  await closeBrowser();
  remove(folder);
});

/** @param {string} entry */
async function build(entry) {
  enter(folder, entry);
  const dist = join(folder, `dist-${entry.replaceAll("/", "-")}`);
  await command(folder, "webpack", ["--mode", "production", "--entry", "./main.js", "--output-path", dist]);
  cpSync(join(folder, "index.html"), join(dist, "index.html"));
  return dist;
}

test("webpack's build works with both devices, in the page and in a worker of the app", async () => {
  const dist = await build("synthattn");
  for (const outcome of await visitFolder(dist)) assertWorked(outcome);
  assert.equal(wasmIn(dist).length, 1, JSON.stringify(made(dist)));
});

test("webpack's build of synthattn/cpu has the small module alone", async () => {
  const dist = await build("synthattn/cpu");
  for (const outcome of await visitFolder(dist)) assertWorked(outcome);
  const small = statSync(join(folder, "node_modules", "synthattn", "wasm-cpu", "synthattn_bg.wasm")).size;
  assert.deepEqual(wasmIn(dist).map(({ bytes }) => bytes), [small]);
});

test("webpack's build of synthattn/core has no module, and takes the one it is given", async () => {
  const dist = await build("synthattn/core");
  assert.deepEqual(wasmIn(dist), []);
  const extra = { "given.wasm": join(folder, "node_modules", "synthattn", "wasm-cpu", "synthattn_bg.wasm") };
  for (const outcome of await visitFolder(dist, { query: "?wasm=given.wasm", extra })) assertWorked(outcome);
});

test("webpack's build of synthattn/cpu/inline has no file but scripts", async () => {
  const dist = await build("synthattn/cpu/inline");
  for (const outcome of await visitFolder(dist)) assertWorked(outcome);
  assert.deepEqual(wasmIn(dist), []);
});
