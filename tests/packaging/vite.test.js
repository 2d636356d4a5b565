// Vite as it comes: built and served under a path, and while developing.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertWorked, closeBrowser, command, enter, install, made, remove, server, visit, visitFolder, wasmIn } from "./support.js";

/** @type {string} */
let folder;
before(async () => {
  folder = await install("vite");
});
after(async () => {
  await closeBrowser();
  remove(folder);
});

/** @param {string} entry */
async function build(entry) {
  enter(folder, entry);
  await command(folder, "vite", ["build", "--base", "./", "--logLevel", "warn"]);
  return join(folder, "dist");
}

test("Vite's build works with both devices, in the page and in a worker of the app", async () => {
  const dist = await build("synthattn");
  for (const outcome of await visitFolder(dist)) assertWorked(outcome);
  assert.equal(wasmIn(dist).length, 1, JSON.stringify(made(dist)));
});

test("Vite's build of synthattn/cpu has the small module alone", async () => {
  const dist = await build("synthattn/cpu");
  for (const outcome of await visitFolder(dist)) assertWorked(outcome);
  const small = statSync(join(folder, "node_modules", "synthattn", "wasm-cpu", "synthattn_bg.wasm")).size;
  assert.deepEqual(wasmIn(dist).map(({ bytes }) => bytes), [small]);
});

test("Vite's build of synthattn/core has no module, and takes the one it is given", async () => {
  const dist = await build("synthattn/core");
  assert.deepEqual(wasmIn(dist), []);
  for (const module of ["wasm", "wasm-cpu"]) {
    const extra = { "given.wasm": join(folder, "node_modules", "synthattn", module, "synthattn_bg.wasm") };
    for (const outcome of await visitFolder(dist, { query: "?wasm=given.wasm", extra })) assertWorked(outcome);
  }
});

test("Vite's build of synthattn/cpu/inline has no file but scripts", async () => {
  const dist = await build("synthattn/cpu/inline");
  for (const outcome of await visitFolder(dist)) assertWorked(outcome);
  assert.deepEqual(made(dist).map(({ name }) => name.replace(/^.*\./, "")).sort(), ["html", "js", "js"]);
});

for (const entry of ["synthattn", "synthattn/cpu", "synthattn/core", "synthattn/inline"]) {
  test(`Vite's development server works with ${entry}`, async (t) => {
    enter(folder, entry);
    mkdirSync(join(folder, "public"), { recursive: true });
    cpSync(join(folder, "node_modules", "synthattn", "wasm", "synthattn_bg.wasm"), join(folder, "public", "given.wasm"));
    // Forced: what it made of the entry before would be found to be outdated in the middle of loading the page.
    const { url } = await server(t, folder, "vite", (port) => ["--host", "127.0.0.1", "--port", port, "--strictPort", "--force"]);
    for (const outcome of await visit(`${url}${entry === "synthattn/core" ? "?wasm=/given.wasm" : ""}`)) assertWorked(outcome);
  });
}
