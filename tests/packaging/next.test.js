// Next.js: a component that runs in the browser, and is rendered on the server first.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertWorked, closeBrowser, command, enter, install, made, remove, server, visit } from "./support.js";

/** @type {string} */
let folder;
before(async () => {
  folder = await install("next", { keep: ["use.js"] });
});
after(async () => {
  await closeBrowser();
  remove(folder);
});

for (const entry of ["synthattn", "synthattn/cpu", "synthattn/cpu/inline"]) {
  test(`Next.js builds and serves an app with ${entry}`, async (t) => {
    enter(join(folder, "app"), entry);
    await command(folder, "next", ["build"]);
    const page = made(join(folder, ".next", "server", "app")).find(({ name }) => name === "index.html");
    assert.ok(page, "the page was not rendered at build time");
    assert.match(readFileSync(join(folder, ".next", "server", "app", "index.html"), "utf8"), /<pre id="outcome"><\/pre>/);
    const { url } = await server(t, folder, "next", (port) => ["start", "--port", port, "--hostname", "127.0.0.1"]);
    const outcomes = await visit(url);
    assert.equal(outcomes.length, 1);
    for (const outcome of outcomes) assertWorked(outcome);
    const modules = made(join(folder, ".next", "static")).filter(({ name }) => name.endsWith(".wasm"));
    assert.equal(modules.length, entry.endsWith("inline") ? 0 : 1, JSON.stringify(modules));
  });
}
