// `npm run lengths`: what a training step, a forward pass and memory come to at lengths from 64 to 2048, for every kind,
// written to docs/lengths.md.
//
//   npm run lengths                   everything, half an hour on two cores that do nothing else
//   npm run lengths -- --turns 3      fewer turns than usual
//   npm run lengths -- --no-build     with pkg/ as it is
//   npm run lengths -- --short        two short lengths, some kinds, nothing kept

import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { buildPackage } from "./build.js";
import { lengthsDocument } from "./lib/lengths-document.js";
import { at } from "./lib/paths.js";
import { Stop, main, say } from "./lib/run.js";
import { setup } from "./setup.js";

const LENGTHS = [64, 128, 256, 512, 1024, 2048];
const TOKENS = 2048;
/** A software adapter is slow, and what a step asks for is the same for more texts and longer ones. */
const COUNTED = { lengths: [64], tokens: 128 };
const WIDTH = 64;

await main(async () => {
  const flag = /** @type {const} */ ({ type: "boolean", default: false });
  const { values } = parseArgs({ options: { short: flag, "no-build": flag, turns: { type: "string", default: "7" } } });
  const turns = Number(values.turns);
  if (!Number.isInteger(turns) || turns < 1) throw new Stop(`--turns takes a whole number from 1, not ${values.turns}.`);
  if (!values.short && !values["no-build"]) {
    await setup();
    await buildPackage();
  }
  // It needs what was just built.
  const { measureLengths } = await import("../bench/lengths.js");
  const { version } = JSON.parse(readFileSync(at("pkg", "package.json"), "utf8"));
  const how = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.versions.node}, synthattn ${version}`,
    tokens: values.short ? 64 : TOKENS,
    turns: values.short ? 2 : turns,
    dModel: values.short ? 16 : WIDTH,
  };
  const lengths = values.short ? [16, 32] : LENGTHS;
  const all = await measureLengths({ ...how, lengths, say, only: values.short ? ["vanilla", "random", "mlp-mixer"] : undefined });
  const { countLengths } = await import("../bench/counted.js");
  const counted = await countLengths(values.short ? { ...how, lengths: [16], say, only: ["random"] } : { ...COUNTED, dModel: WIDTH, say });
  const text = lengthsDocument(all, counted, { ...how, countedTokens: values.short ? how.tokens : COUNTED.tokens });
  if (values.short) {
    say(text);
    return;
  }
  writeFileSync(at("docs", "lengths.md"), text);
  say("Wrote docs/lengths.md.");
});
