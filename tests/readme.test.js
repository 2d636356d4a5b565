// The code in READMEs and pages is code: blocks marked "js run" run in Node on the CPU, the other js and ts blocks are
// checked by tsc. The programs of docs/guide.md run in a browser: see tests/browser/guide.test.js.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { at, outputFolder, root } from "../scripts/lib/paths.js";
import { blocksOf, documentText } from "./documents.js";

const folder = join(outputFolder, "readme");

const blocks = ["README.md", "pkg/README.md", "docs/errors.md", "docs/hosting.md"].flatMap((page) =>
  blocksOf(documentText(page))
    .filter(({ language }) => language === "js" || language === "ts")
    .map(({ marks, code }, index) => ({ runs: marks.includes("run"), code, name: `${page.replace(/\W/g, "-")}-${index + 1}` })),
);

/** What surrounds a snippet: a text, a page to write to, and a browser's storage. */
const SURROUNDINGS = `import { readFileSync } from "node:fs";
import { becomeBrowser } from ${JSON.stringify(pathToFileURL(at("tests", "js", "fake-browser.js")).href)};
const book = ${JSON.stringify(at("node_modules", "@stdlib", "datasets-moby-dick", "data", "data.txt"))};
globalThis.text = readFileSync(book, "utf8").slice(0, 100_000);
becomeBrowser({ after() {} });
document.body = { append: (piece) => process.stdout.write(String(piece)) };
`;

const DECLARATIONS = `import type { Engine as E, Model as M } from "synthattn";
declare global {
  var text: string;
  var rows: { text: string; label: string }[];
  var engine: E;
  var model: M;
  var output: HTMLElement;
  var progress: HTMLProgressElement;
  var controller: AbortController;
}
`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

test("some block is marked to run", () => assert.ok(blocks.some(({ runs }) => runs)));

for (const { name, runs, code } of blocks) {
  if (!runs) continue;
  test(`${name} runs`, () => assert.ok(outputOf(name, code).trim().length > 0, "it printed nothing"));
}

test("the example of keeping runs again where a visit ended after the last step", () => {
  const { code } = blocks.find(({ code, runs }) => runs && code.includes("recall(")) ?? assert.fail("there is no such example");
  const [imports, body] = code.split(/\n\n([^]*)/);
  const left = body.replace("stop({ forget: true })", "stop()");
  assert.notEqual(left, body);
  const output = outputOf("second-visit", `${imports}\n{\n${left}\n}\nconsole.log("again");\n{\n${body}\n}\n`);
  assert.equal(output.trim().split("\n").at(-1), "again", "it trained though no step was left");
});

/** What a program prints, between a book and a browser's storage. @param {string} name @param {string} code */
function outputOf(name, code) {
  writeFileSync(join(folder, "surroundings.mjs"), SURROUNDINGS);
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, code);
  const args = ["--import", join(folder, "surroundings.mjs"), file];
  const done = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", timeout: 300_000 });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

for (const [moduleResolution, module] of [["bundler", "esnext"], ["node16", "node16"], ["nodenext", "nodenext"]]) {
  test(`the other blocks pass tsc --strict with ${moduleResolution}`, () => {
    const sources = join(folder, moduleResolution);
    mkdirSync(sources, { recursive: true });
    writeFileSync(join(sources, "package.json"), '{ "type": "module" }\n');
    writeFileSync(join(sources, "surroundings.d.ts"), DECLARATIONS);
    for (const { name, runs, code } of blocks) {
      if (!runs) writeFileSync(join(sources, `${name}.ts`), `${code}\nexport {};\n`);
    }
    const compilerOptions = { strict: true, noEmit: true, target: "es2022", module, moduleResolution, types: [] };
    writeFileSync(join(sources, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const tsc = at("node_modules", "typescript", "bin", "tsc");
    const done = spawnSync(process.execPath, [tsc, "-p", sources], { cwd: root, encoding: "utf8" });
    assert.equal(done.status, 0, done.stdout);
  });
}
