// `npm run docs` writes docs/api.md; with `-- --check` it says whether that is up to date.

import { readFileSync, writeFileSync } from "node:fs";
import { at } from "./lib/paths.js";
import { Stop, main, say } from "./lib/run.js";

const path = at("docs", "api.md");

await main(async () => {
  const { apiDocument } = await import("./lib/api.js");
  const document = await apiDocument();
  if (!process.argv.includes("--check")) {
    writeFileSync(path, document);
    say(`Wrote ${path}.`);
  } else if (readFileSync(path, "utf8") !== document) throw new Stop('docs/api.md is not what the sources say: run "npm run docs".');
});
