// `node scripts/data.js`: the built-in data sets in pkg/data. With --json FOLDER also as JSON, to look at; with
// --checksums the checksums that the tests compare with, after a set was changed on purpose.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { at } from "./lib/paths.js";
import { main, say } from "./lib/run.js";

const checksumFile = at("tests", "js", "data-checksums.json");

/** Makes all sets. */
export async function buildData() {
  // Loaded here, since the sets need packages that a command installs after it was started.
  const { writeData } = await import("./lib/data/write.js");
  const all = await writeData();
  const bytes = all.reduce((sum, { info }) => sum + info.bytes, 0);
  say(`Wrote pkg/data: ${all.length} data sets, ${(bytes / 1e6).toFixed(1)} MB.`);
  return all;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    const all = await buildData();
    for (const { info, parts } of all) {
      const size = `${(info.bytes / 1e3).toFixed(0).padStart(5)} kB`;
      say(`${info.name.padEnd(14)}${size}${String(info.rows - info.testRows).padStart(8)} +${String(info.testRows).padStart(6)}${info.ceiling ? `  ceiling ${info.ceiling}` : ""}`);
      const json = process.argv.indexOf("--json");
      if (json > 0) {
        const folder = process.argv[json + 1];
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, `${info.name}.json`), JSON.stringify(parts));
      }
    }
    if (!process.argv.includes("--checksums")) return;
    const { sha256 } = await import("./lib/data/write.js");
    const sums = Object.fromEntries(all.map(({ info, text }) => [info.name, sha256(text)]));
    writeFileSync(checksumFile, `${JSON.stringify(sums, null, 2)}\n`);
  });
}
