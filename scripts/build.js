// `npm run build`: pkg/ ready to pack, and the demo as static files in www/dist.

import { copyFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { at, wasmFile } from "./lib/paths.js";
import { main, runNode, section } from "./lib/run.js";
import { printSizes } from "./lib/sizes.js";
import { writeTables } from "./lib/tables.js";
import { buildWasm, filesBelow } from "./lib/wasm.js";
import { buildData } from "./data.js";
import { setup } from "./setup.js";

/** The npm package: data sets, wasm, the tables read from it, types. */
export async function buildPackage() {
  section("data sets");
  await buildData();
  section("wasm module");
  await buildWasm();
  await writeTables();
  for (const file of ["LICENSE-MIT", "LICENSE-APACHE", "NOTICE"]) copyFileSync(at(file), at("pkg", file));
  section("types");
  await runNode("typescript/bin/tsc", ["-p", "pkg/tsconfig.json"]);
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
  printSizes([wasmFile, ...assets]);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await setup();
    await build();
  });
}
