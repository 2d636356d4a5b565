// Node, Deno and Bun, each with every entry.

import assert from "node:assert/strict";
import { writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { assertWorked, command, enter, install, remove } from "./support.js";

const ENTRIES = ["synthattn", "synthattn/cpu", "synthattn/core", "synthattn/inline", "synthattn/cpu/inline"];

/** How each runs a script. Deno asks for rights: to read the package's files, and the variables that its Node part looks at. */
const RUNTIMES = /** @type {const} */ ([
  { name: "node", program: process.execPath, args: [] },
  { name: "deno", program: "deno", args: ["run", "--no-prompt", "--allow-read", "--allow-env"] },
  { name: "bun", program: "bun", args: ["run"] },
]);

for (const { name, program, args } of RUNTIMES) {
  describe(name, () => {
    /** @type {string} */
    let folder;
    /** @type {string} */
    let source;
    before(async () => {
      folder = await install(name, { keep: ["use.js"] });
      source = readFileSync(join(folder, "main.js"), "utf8");
    });
    after(() => remove(folder));

    for (const entry of ENTRIES) {
      test(`${entry} works, and the process ends by itself`, async () => {
        const wasm = '{ wasm: new URL(import.meta.resolve("synthattn/wasm-cpu/synthattn_bg.wasm")) }';
        writeFileSync(join(folder, "main.js"), entry.endsWith("core") ? source.replace("support }))", `support }, ${wasm}))`) : source);
        enter(folder, entry);
        const printed = await command(folder, program, [...args, "main.js"]);
        const outcome = JSON.parse(printed.trim());
        assertWorked(outcome);
        // Deno brings WebGPU of its own, where the machine has an adapter.
        if (name !== "deno" || entry.includes("cpu")) assert.equal(outcome.support.webgpu, false);
      });
    }
  });
}
