// `npm run setup`: makes sure that all that building and testing need is there.

import { pathToFileURL } from "node:url";
import { at } from "./lib/paths.js";
import { checkPython } from "./lib/python.js";
import { main, say } from "./lib/run.js";
import * as tools from "./lib/tools.js";

/** @param {{ testing?: boolean }} [options] testing also needs lints, a browser, Python and the libraries to compare with */
export async function setup({ testing = false } = {}) {
  tools.checkNode();
  await tools.checkNodeModules();
  await tools.checkRust();
  await tools.checkWasmTools();
  if (!testing) return;
  await tools.checkNodeModules(at("bench"));
  await tools.checkRustLints();
  await tools.checkBrowser();
  await tools.checkFirefox();
  await tools.checkWebKit();
  await checkPython();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await setup({ testing: true });
    say("Everything that building and testing need is there.");
  });
}
