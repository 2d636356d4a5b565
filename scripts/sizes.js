// `node scripts/sizes.js`: writes the sizes of what was built into the table of README.md. Run it where no wasm-opt is
// found, as most people's builds are: the test that compares allows for smaller modules, not for larger ones.

import { readFileSync, writeFileSync } from "node:fs";
import { at } from "./lib/paths.js";
import { main } from "./lib/run.js";
import { withTable } from "./lib/size-table.js";
import { printSizes, shippedSizes } from "./lib/sizes.js";

await main(async () => {
  const sizes = await shippedSizes();
  printSizes(sizes);
  const file = at("README.md");
  writeFileSync(file, withTable(readFileSync(file, "utf8"), sizes));
});
