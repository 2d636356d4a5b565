// `npm run bench`: the same training step in this project and in other libraries. `-- --short` is the quick form that
// tests use: it fails unless ours agrees with the others and is no slower.

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { at } from "./lib/paths.js";
import { Stop, main, say } from "./lib/run.js";
import { checkBrowser, checkNodeModules } from "./lib/tools.js";
import { buildPackage } from "./build.js";
import { setup } from "./setup.js";

/** @typedef {import("../bench/run.js").Result} Result */

/** @type {{ size: string, kind: import("../bench/src/model.js").Kind, steps: number, window: number }[]} */
const ALL = [
  { size: "small", kind: "vanilla", steps: 100, window: 8 },
  { size: "small", kind: "random", steps: 100, window: 8 },
  { size: "small", kind: "dense", steps: 100, window: 8 },
  { size: "base", kind: "vanilla", steps: 28, window: 4 },
  { size: "base", kind: "random", steps: 28, window: 4 },
  { size: "base", kind: "dense", steps: 28, window: 4 },
];

const HEAD = `| model | attention | library | ms a step | fastest | against ours | first step, ms | loss at first | at last |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |`;

await main(async () => {
  const short = process.argv.includes("--short");
  if (!short) {
    await setup();
    await checkBrowser();
    await checkNodeModules(at("bench"));
    await buildPackage();
  }
  // These need what was just installed.
  const { buildPeers, compareLibraries, disagreement } = await import("../bench/run.js");
  await buildPeers();
  /** @type {string[]} */
  const rows = [];
  /** @type {string[]} */
  const faults = [];
  for (const { size, kind, steps, window } of short ? ALL.slice(0, 1) : ALL) {
    say(`\n${size}, ${kind}`);
    const [ours, ...theirs] = await compareLibraries({ size, kind, steps, window, say });
    rows.push(row(size, kind, ours, ours));
    for (const peer of theirs) {
      rows.push(row(size, kind, peer, ours));
      const differs = disagreement(ours, peer);
      if (differs) faults.push(`${size}, ${kind}: ${differs}; the comparison does not count`);
      else if (short && ours.median > peer.median) faults.push(`${size}, ${kind}: a step takes ${ours.median.toFixed(1)} ms, in ${peer.name} ${peer.median.toFixed(1)} ms`);
    }
  }
  const table = [HEAD, ...rows].join("\n");
  say(`\n${table}\n\nMedian of windows of steps, each ending in a read-back of the loss, the libraries taking turns.`);
  if (!short) keep(table);
  if (faults.length) throw new Stop(faults.join("\n"));
});

/** @param {string} size @param {string} kind @param {Result} result @param {Result} ours */
function row(size, kind, result, ours) {
  const { name, version, backend, median, windows, firstMilliseconds, firstLoss, lastLoss } = result;
  const numbers = [median.toFixed(1), Math.min(...windows).toFixed(1), `${(median / ours.median).toFixed(2)} ×`, firstMilliseconds.toFixed(0), firstLoss.toFixed(6), lastLoss.toFixed(6)];
  return `| ${[size, kind, `${name} ${version} (${backend})`, ...numbers].join(" | ")} |`;
}

/** @param {string} table */
function keep(table) {
  const date = new Date().toISOString().slice(0, 10);
  const folder = at("bench", "results");
  mkdirSync(folder, { recursive: true });
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}`;
  writeFileSync(`${folder}/${date}.md`, `# Training steps in Chromium, ${date}\n\n${machine}\n\n${table}\n`);
  say(`Kept in bench/results/${date}.md.`);
}
