// `npm run docs` writes docs/api.md and docs/kinds.md; with `-- --check` it says whether they are up to date.

import { readFileSync, writeFileSync } from "node:fs";
import { at } from "./lib/paths.js";
import { Stop, main, say } from "./lib/run.js";

await main(async () => {
  // Loaded here, since the tables are made by the build.
  const { apiDocument } = await import("./lib/api.js");
  const { kindsDocument } = await import("./lib/kinds-document.js");
  for (const [name, make] of /** @type {const} */ ([["api.md", apiDocument], ["kinds.md", kindsDocument]])) {
    const path = at("docs", name);
    const document = await make();
    if (!process.argv.includes("--check")) {
      writeFileSync(path, document);
      say(`Wrote ${path}.`);
    } else if (readFileSync(path, "utf8") !== document) throw new Stop(`docs/${name} is not what the sources say: run "npm run docs".`);
  }
});
