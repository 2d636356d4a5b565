// Vite 7 with the two settings that README.md names, and with the inline entry without any.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertWorked, closeBrowser, command, enter, install, remove, server, visit, visitFolder } from "./support.js";

/** @type {string} */
let folder;
before(async () => {
  folder = await install("vite-7");
});
after(async () => {
  await closeBrowser();
  remove(folder);
});

/** @param {import("node:test").TestContext} t */
const develop = (t) => server(t, folder, "vite", (port) => ["--host", "127.0.0.1", "--port", port, "--strictPort", "--force"]);

test("its build works, in the page and in a worker of the app", async () => {
  enter(folder, "synthattn/cpu");
  await command(folder, "vite", ["build", "--base", "./", "--logLevel", "warn"]);
  for (const outcome of await visitFolder(join(folder, "dist"))) assertWorked(outcome);
});

test("its development server works", async (t) => {
  enter(folder, "synthattn/cpu");
  const { url } = await develop(t);
  for (const outcome of await visit(url)) assertWorked(outcome);
});

test("its development server works with the inline entry, without settings", async (t) => {
  rmSync(join(folder, "vite.config.js"));
  enter(folder, "synthattn/cpu/inline");
  const { url } = await develop(t);
  for (const outcome of await visit(url)) assertWorked(outcome);
});
