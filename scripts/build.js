// `npm run build`: pkg/ ready to pack, and the demo as static files in www/dist.

import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { exactResults } from "./lib/declarations.js";
import { dropDefaultAddress } from "./lib/glue.js";
import { writeInline } from "./lib/inline.js";
import { at, cpuGlueFile, glueFile } from "./lib/paths.js";
import { main, runNode, section } from "./lib/run.js";
import { checkBudget, printSizes, shippedSizes, sizesOf } from "./lib/sizes.js";
import { writeTables } from "./lib/tables.js";
import { buildWasm, filesBelow } from "./lib/wasm.js";
import { buildData } from "./data.js";
import { setup } from "./setup.js";

/** Documents that say how this repository is worked on. */
const FOR_CONTRIBUTORS = ["fuzzing.md"];

/** The npm package: data sets, wasm, the tables read from it, the entries in one piece, documents, types. */
export async function buildPackage() {
  section("data sets");
  await buildData();
  section("wasm module");
  await buildWasm();
  for (const glue of [glueFile, cpuGlueFile]) dropDefaultAddress(glue);
  await writeTables();
  section("package in one piece");
  await writeInline();
  for (const file of ["LICENSE-MIT", "LICENSE-APACHE", "NOTICE"]) copyFileSync(at(file), at("pkg", file));
  copyDocuments();
  section("types");
  // Those of a source that is gone would be packed.
  rmSync(at("pkg", "types"), { recursive: true, force: true });
  await runNode("typescript/bin/tsc", ["-p", "pkg/tsconfig.json"]);
  exactResults(at("pkg", "types"));
}

/** Those for users: a package is read where it is installed. The report of the findings goes with the page. */
function copyDocuments() {
  const folder = at("pkg", "docs");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const name of readdirSync(at("docs"))) if (name.endsWith(".md") && !FOR_CONTRIBUTORS.includes(name)) copyFileSync(at("docs", name), at("pkg", "docs", name));
}

export async function buildPage() {
  section("demo page");
  await runNode("vite/bin/vite.js", ["build", "www", "--logLevel", "warn"]);
}

/** Everything, with the sizes of what a visitor downloads. */
export async function build() {
  await buildPackage();
  await buildPage();
  const assets = [...filesBelow(at("www", "dist"))].filter((file) => /\.(js|css|html)$/.test(file));
  const sizes = await shippedSizes();
  printSizes([...sizes, ...sizesOf(assets)]);
  checkBudget(sizes);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await setup();
    await build();
  });
}
