// The declarations in the packed package: all entries, and every snippet of the documents, as apps of each kind see them.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { at } from "../../scripts/lib/paths.js";
import { blocksOf, documentText } from "../documents.js";
import { command, install, remove } from "./support.js";

/** Pages with snippets. docs/guide.md has whole programs, which run in a browser; docs/api.md what the sources declare. */
const PAGES = ["README.md", "pkg/README.md", "docs/errors.md", "docs/hosting.md"];

/** @type {Record<string, string>} */
const snippets = {};
for (const page of PAGES) {
  for (const [index, { language, code }] of blocksOf(documentText(page)).entries()) {
    // As TypeScript, because that is what many apps are written in.
    if (language === "js" || language === "ts") snippets[`${page.replace(/\W/g, "-")}-${index + 1}.ts`] = `${code}\nexport {};\n`;
  }
}

const SURROUNDINGS = `import type { Engine as E, Model as M } from "synthattn";
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

const ENTRIES = `import * as both from "synthattn";
import * as core from "synthattn/core";
import * as cpu from "synthattn/cpu";
import * as cpuInline from "synthattn/cpu/inline";
import * as inline from "synthattn/inline";
import type { ErrorCode, ModelSpec, Report } from "synthattn/cpu/inline";

for (const { Engine, Model, SynthError, builtinData, kinds, support, tasks } of [both, cpu, inline, cpuInline]) {
  const engine: both.Engine = await Engine.create({ device: "auto", seed: 1 });
  const spec: ModelSpec = { task: "language-model", attention: "dense" };
  const model: both.Model = await engine.createModel(spec, { text: "text" });
  for await (const report of model.train({ steps: 1 })) report satisfies Report;
  const code: ErrorCode | undefined = new SynthError("busy", "busy").code;
  console.log(code, model instanceof Model, await kinds(), await tasks(), await support(), await builtinData("dates"));
  // @ts-expect-error no such device
  await Engine.create({ device: "tpu" });
}

const engine: both.Engine = await core.Engine.create({ wasm: new URL("https://localhost/synthattn_bg.wasm") });
await engine.dispose();
// @ts-expect-error a module is needed
await core.Engine.create({ device: "cpu" });
// @ts-expect-error a module is needed
await core.Engine.create();
`;

/** @type {string} */
let folder;
before(async () => {
  folder = await install("node", { keep: [] });
});
after(() => remove(folder));

for (const [moduleResolution, module] of [["bundler", "esnext"], ["node16", "node16"], ["nodenext", "nodenext"]]) {
  test(`entries and snippets pass tsc --strict with moduleResolution ${moduleResolution}`, async () => {
    const sources = join(folder, moduleResolution);
    mkdirSync(sources);
    const compilerOptions = { strict: true, noEmit: true, target: "es2022", lib: ["es2023", "dom", "dom.iterable"], module, moduleResolution, types: [] };
    const files = { ...snippets, "surroundings.d.ts": SURROUNDINGS, "entries.ts": ENTRIES, "tsconfig.json": JSON.stringify({ compilerOptions, include: ["*.ts"] }) };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(sources, name), text);
    await command(folder, process.execPath, [at("node_modules", "typescript", "bin", "tsc"), "-p", sources]);
  });
}

test("some snippet was checked, of each page that an app's author reads first", () => {
  for (const page of ["README-md", "pkg-README-md", "docs-hosting-md"]) assert.ok(Object.keys(snippets).some((name) => name.startsWith(page)), page);
});

test("no declaration needs a file that is not in the package", async () => {
  const sources = join(folder, "strictest");
  mkdirSync(sources);
  const compilerOptions = { strict: true, noEmit: true, skipLibCheck: false, target: "es2022", lib: ["es2023", "dom", "dom.iterable"], module: "nodenext", types: [] };
  writeFileSync(join(sources, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const { exports } = JSON.parse(readFileSync(join(folder, "node_modules", "synthattn", "package.json"), "utf8"));
  const typed = Object.entries(exports).filter(([, target]) => typeof target === "object");
  assert.ok(typed.length >= 6);
  for (const [index, [, { types }]] of typed.entries()) {
    const file = join(folder, "node_modules", "synthattn", types);
    writeFileSync(join(sources, `entry-${index}.ts`), `export * from ${JSON.stringify(file.replace(/\.d\.ts$/, ".js"))};\n`);
  }
  await command(folder, process.execPath, [at("node_modules", "typescript", "bin", "tsc"), "-p", sources]);
});
