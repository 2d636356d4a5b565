// `npm run quality`: how well models learn, as a table in docs/quality.md.
//
//   npm run quality                             all runs, more than an hour
//   npm run quality -- sick shakespeare/dense   some; the table keeps the newest results of the others
//   npm run quality -- --missing                those without a result with the settings that they have now
//   npm run quality -- --list                   what there is
//   npm run quality -- --table                  no runs, only the table anew
//   npm run quality -- --parallel 1             so many runs at a time; otherwise 2
//   npm run quality -- --no-build               with pkg/ as it is
//   npm run quality -- --short                  five steps on each built-in set, nothing kept: what the tests use
//
// The environment variable SYNTHATTN_DATA names the folder with the data that the package does not bring.

import { parseArgs } from "node:util";
import { Stop, main } from "./lib/run.js";
import { buildPackage } from "./build.js";
import { setup } from "./setup.js";

await main(async () => {
  const { flags, names } = commandLine();
  if (!flags.short && !flags.list && !flags.table && !flags["no-build"]) {
    await setup();
    await buildPackage();
  }
  // These need what was just installed.
  const command = await import("./lib/quality/command.js");
  const folder = process.env.SYNTHATTN_DATA || undefined;
  if (flags.list) command.list(names);
  else if (flags.table) command.writeTable(folder);
  else if (flags.short) await command.runShort(names, folder);
  else await command.runAll(names, { folder, parallel: flags.parallel, missing: flags.missing });
});

function commandLine() {
  const flag = /** @type {const} */ ({ type: "boolean", default: false });
  const options = /** @type {const} */ ({ missing: flag, list: flag, table: flag, "no-build": flag, short: flag, parallel: { type: "string", default: "2" } });
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const parallel = Number(values.parallel);
    if (!Number.isInteger(parallel) || parallel < 1) throw new Error(`--parallel takes a whole number from 1, not ${values.parallel}.`);
    return { flags: { ...values, parallel }, names: positionals };
  } catch (why) {
    throw new Stop(/** @type {Error} */ (why).message);
  }
}
