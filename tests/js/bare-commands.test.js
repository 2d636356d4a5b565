// On a fresh machine no package is there yet when a command starts: it loads with Node alone, and installs then.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const commands = ["setup", "start", "build", "test", "bench", "quality"];

test("commands that install what is missing load without any package", () => {
  for (const command of commands) {
    const start = fileURLToPath(new URL(`../../scripts/${command}.js`, import.meta.url));
    for (const { file, packages } of imports(start)) assert.deepEqual(packages, [], `${command} loads ${file}, which imports packages`);
  }
});

/** What a file loads at once, itself first. @param {string} start */
function* imports(start) {
  const found = new Set([start]);
  for (const file of found) {
    const names = [...readFileSync(file, "utf8").matchAll(/^(?:import|export)\s(?:[^;]*?\sfrom\s+)?"([^"]+)";$/gm)].map(([, name]) => name);
    for (const name of names) if (name.startsWith(".")) found.add(resolve(dirname(file), name));
    yield { file, packages: names.filter((name) => !/^(\.|node:)/.test(name)) };
  }
}
