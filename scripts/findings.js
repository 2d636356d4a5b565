// `npm run findings`: the paper's claims as experiments, and what came of them as a report in docs/findings.
//
//   npm run findings                        all nine: half an hour of training on two cores, then the time of steps
//   npm run findings -- tables speed        some; the report keeps what is there of the others
//   npm run findings -- --missing           those without a result with the settings that they have now
//   npm run findings -- --training          without the time of steps
//   npm run findings -- --timing            the time of steps alone, into the results that are there: on a quiet machine
//   npm run findings -- --list              what there is
//   npm run findings -- --table             nothing is run, only the report is written anew
//   npm run findings -- --scale quick       as the page runs them at first, kept in bench/results
//   npm run findings -- --parallel 1        so many trainings at a time; otherwise 2. Steps are always timed alone
//   npm run findings -- --no-build          with pkg/ as it is
//   npm run findings -- --short             a few steps of each, nothing kept: what the tests use

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
  const command = await import("./lib/findings/command.js");
  const { scale, parallel, missing, training, timing } = flags;
  if (flags.list) command.list(names, scale);
  else if (flags.table) command.writeReport(scale);
  else if (flags.short) await command.runShort(names);
  else await command.runAll(names, { scale, parallel, missing, phases: timing ? ["timing"] : training ? ["training"] : ["training", "timing"] });
});

function commandLine() {
  const flag = /** @type {const} */ ({ type: "boolean", default: false });
  const text = (/** @type {string} */ value) => /** @type {const} */ ({ type: "string", default: value });
  const options = { missing: flag, training: flag, timing: flag, list: flag, table: flag, "no-build": flag, short: flag, parallel: text("2"), scale: text("full") };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const parallel = Number(values.parallel);
    if (!Number.isInteger(parallel) || parallel < 1) throw new Error(`--parallel takes a whole number from 1, not ${values.parallel}.`);
    const { scale } = values;
    if (scale !== "full" && scale !== "quick") throw new Error(`--scale is full or quick, not ${scale}.`);
    if (values.training && values.timing) throw new Error("--training and --timing exclude each other: without either, both are done.");
    return { flags: { ...values, parallel, scale: /** @type {"full" | "quick"} */ (scale) }, names: positionals };
  } catch (why) {
    throw new Stop(/** @type {Error} */ (why).message);
  }
}
