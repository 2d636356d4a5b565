// Next.js: a component that runs in the browser, and is rendered on the server first.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertWorked, closeBrowser, command, enter, install, made, remove, server, visit, wasmIn } from "./support.js";

/** @type {string} */
let folder;
before(async () => {
  folder = await install("next", { keep: ["use.js"] });
  mkdirSync(join(folder, "public"));
  cpSync(join(folder, "node_modules", "synthattn", "wasm-cpu", "synthattn_bg.wasm"), join(folder, "public", "given.wasm"));
});
after(async () => {
  await closeBrowser();
  remove(folder);
});

/** How many modules Next.js must copy for each entry. */
const ENTRIES = { synthattn: 1, "synthattn/cpu": 1, "synthattn/core": 0, "synthattn/cpu/inline": 0 };

for (const [entry, modules] of Object.entries(ENTRIES)) {
  test(`Next.js builds and serves an app with ${entry}`, async (t) => {
    enter(join(folder, "app"), entry);
    await command(folder, "next", ["build"]);
    const page = made(join(folder, ".next", "server", "app")).find(({ name }) => name === "index.html");
    assert.ok(page, "the page was not rendered at build time");
    assert.match(readFileSync(join(folder, ".next", "server", "app", "index.html"), "utf8"), /<pre id="outcome"><\/pre>/);
    const { url } = await server(t, folder, "next", (port) => ["start", "--port", port, "--hostname", "127.0.0.1"]);
    const outcomes = await visit(entry.endsWith("core") ? `${url}?wasm=given.wasm` : url);
    assert.equal(outcomes.length, 1);
    for (const outcome of outcomes) assertWorked(outcome);
    const copied = wasmIn(join(folder, ".next", "static"));
    assert.equal(copied.length, modules, JSON.stringify(copied));
  });
}
