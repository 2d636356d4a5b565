// The declarations that ship, made anew from the sources, under the settings that apps have.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { exactResults } from "../../scripts/lib/declarations.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
let app;

/** Runs the compiler; resolves to what it complains of. */
function complaints(...args) {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [tsc, ...args], { cwd: app }, (error, stdout, stderr) => {
      if (error && typeof error.code !== "number") reject(error);
      else resolve(error ? stdout + stderr || `exit code ${error.code}` : "");
    });
  });
}

before(async () => {
  app = await mkdtemp(join(tmpdir(), "synthattn-types-"));
  const installed = join(app, "node_modules", "synthattn");
  await mkdir(installed, { recursive: true });
  await cp(join(root, "pkg/package.json"), join(installed, "package.json"));
  await cp(join(root, "tests/types"), app, { recursive: true });
  await writeFile(join(app, "package.json"), '{ "type": "module" }');
  assert.equal(
    await complaints("-p", join(root, "pkg/tsconfig.json"), "--outDir", join(installed, "types")),
    "",
  );
  exactResults(join(installed, "types"));
});

after(() => rm(app, { recursive: true }));

const SETTINGS = [
  { module: "esnext", moduleResolution: "bundler" },
  { module: "node16", moduleResolution: "node16" },
  { module: "nodenext", moduleResolution: "nodenext" },
];

for (const { module, moduleResolution } of SETTINGS) {
  for (const lib of ["es2022,dom", "esnext,dom,dom.iterable"]) {
    test(`moduleResolution ${moduleResolution}, lib ${lib}`, async () => {
      const config = `tsconfig-${moduleResolution}-${lib.length}.json`;
      const compilerOptions = {
        module,
        moduleResolution,
        strict: true,
        target: "es2022",
        lib: lib.split(","),
        types: [],
        noEmit: true,
      };
      await writeFile(join(app, config), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
      assert.equal(await complaints("-p", config), "");
    });
  }
}

test("stricter apps than most", async () => {
  const compilerOptions = {
    module: "nodenext",
    strict: true,
    target: "es2022",
    lib: ["es2023", "dom"],
    types: [],
    noEmit: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    noPropertyAccessFromIndexSignature: false,
  };
  await writeFile(join(app, "tsconfig-strict.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  assert.equal(await complaints("-p", "tsconfig-strict.json"), "");
});

test("the check sees a wrong type", async () => {
  await mkdir(join(app, "wrong"));
  await writeFile(
    join(app, "wrong/wrong.ts"),
    'import { kinds } from "synthattn";\nexport const n: number = await kinds();\n',
  );
  const compilerOptions = { module: "nodenext", strict: true, target: "es2022", types: [], noEmit: true };
  await writeFile(
    join(app, "tsconfig-wrong.json"),
    JSON.stringify({ compilerOptions, include: ["wrong/*.ts"] }),
  );
  assert.match(await complaints("-p", "tsconfig-wrong.json"), /wrong\.ts.*KindInfo\[\]/);
});
