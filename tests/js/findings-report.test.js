// The report of the findings: what is stored gives what is written, and nothing is told better than it is.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { report } from "../../scripts/lib/findings/report.js";
import { allResults, folderOf, isCurrent } from "../../scripts/lib/findings/results.js";
import { EXPERIMENTS } from "../../www/findings/experiments.js";
import { summarize } from "../../www/findings/summary.js";
import { experimentMessages } from "../../www/messages/en-experiments.js";
import { resultFor } from "./findings-fixture.js";

const NOT_RUN = "cross";

/** @param {Record<string, any>} [changes] by experiment; undefined: not run */
function made(changes = {}) {
  const all = EXPERIMENTS.filter(({ id }) => id !== NOT_RUN).map((experiment) => [experiment.id, { ...resultFor(experiment), ...changes[experiment.id] }]);
  const files = report(new Map(all));
  return { files, text: files.get("README.md") ?? "" };
}

test("docs/findings is what the stored results give", () => {
  const folder = folderOf("full");
  const files = report(allResults("full"));
  for (const [path, text] of files) assert.equal(readFileSync(join(folder, path), "utf8"), text, `${path}: run "npm run findings -- --table"`);
  const figures = existsSync(join(folder, "figures")) ? readdirSync(join(folder, "figures")).map((name) => `figures/${name}`) : [];
  assert.deepEqual(figures.filter((path) => !files.has(path)), []);
});

test("stored results are of what was asked for: every arm with every seed, scored at every checkpoint", () => {
  for (const experiment of EXPERIMENTS) {
    const result = allResults("full").get(experiment.id);
    if (!isCurrent(experiment, result)) continue;
    assert.equal(result.scale, "full");
    assert.match(result.date, /^\d{4}-\d\d-\d\d$/);
    const wanted = experiment.setups.flatMap(({ id, arms, scale: { full } }) => full.seeds.flatMap((seed) => arms.map((arm) => `${id} ${arm.id} ${seed} ${full.checkpoints}`)));
    assert.deepEqual(result.runs.map(({ setup, arm, seed, scores }) => `${setup} ${arm} ${seed} ${scores.length}`), wanted);
    for (const { arm, parameters, setup } of result.runs) {
      const sized = experiment.setups.find(({ id }) => id === setup)?.arms.find(({ id }) => id === arm)?.sized;
      const other = result.runs.find((run) => run.setup === setup && run.arm === sized);
      if (other) assert.ok(Math.abs(parameters / other.parameters - 1) < 0.01, arm);
    }
  }
});

test("every figure that is shown is there, and each is a picture", () => {
  const { files, text } = made();
  const shown = [...text.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path);
  assert.ok(shown.length > 30);
  assert.equal(new Set(shown).size, shown.length);
  assert.deepEqual(shown.sort(), [...files.keys()].filter((path) => path !== "README.md").sort());
  for (const path of shown) assert.match(files.get(path) ?? "", /^<\?xml .*\n<svg [^]*<\/svg>\n$/, path);
});

test("verdicts are counted, and what does not hold or is open stands at the top", () => {
  const { text } = made();
  const claims = EXPERIMENTS.filter(({ id }) => id !== NOT_RUN).flatMap((experiment) => summarize(experiment, resultFor(experiment)).claims.map((one) => ({ experiment, ...one })));
  const count = (/** @type {string} */ verdict) => claims.filter((one) => one.verdict === verdict).length;
  assert.ok(count("agrees") && count("disagrees") && count("undecided"));
  assert.ok(text.includes(`Of ${claims.length} claims ${count("agrees")} agree, ${count("disagrees")} disagree and ${count("undecided")} are undecided.`));
  const [, disagreeing, open] = text.slice(0, text.indexOf("## 1.")).split(/\*\*These did not reproduce here:\*\*|\*\*These are undecided:\*\*/);
  const sentence = (/** @type {any} */ { experiment, claim }) => experimentMessages[`experiment.${experiment.id}.claim.${claim.id}`];
  for (const one of claims) {
    assert.equal(disagreeing.includes(sentence(one)), one.verdict === "disagrees", sentence(one));
    assert.equal(open.includes(sentence(one)), one.verdict === "undecided", sentence(one));
    // In its own section with its verdict, and nowhere with another.
    const rows = text.split("\n").filter((line) => line.startsWith(`| ${sentence(one)}`));
    assert.deepEqual(rows.map((line) => line.match(/\*\*(\w+)\*\* \|$/)?.[1]), [one.verdict]);
  }
});

test("what was not run is said, and a result of other settings is not shown", () => {
  const { text, files } = made({ tables: { settings: "0000000000000000" } });
  const of = (/** @type {number} */ number) => text.slice(text.indexOf(`\n## ${number}. `), text.indexOf(`\n## ${number + 1}. `) >>> 0);
  assert.match(of(1), /Out of date: .* `npm run findings -- tables` runs it\./);
  assert.doesNotMatch(of(1), /\|/);
  assert.match(of(9), /Not run yet\. `npm run findings -- cross` runs it\./);
  assert.deepEqual([...files.keys()].filter((path) => path.startsWith("figures/tables")), []);
  const nothing = report(new Map());
  assert.deepEqual([...nothing.keys()], ["README.md"]);
  assert.match(nothing.get("README.md") ?? "", /Nothing was run yet\./);
});

test("without the time of steps, what needs it is undecided and says so", () => {
  const { text, files } = made({ speed: { timings: [] } });
  assert.match(text, /A step of Random is faster than a step of Vanilla\..*\(steps not timed\).*\*\*undecided\*\*/);
  assert.ok(![...files.keys()].some((path) => /^figures\/speed-.*(Time|speed)\.svg$/.test(path)));
});

test("dates, machines, seeds and settings are told", () => {
  const { text } = made({ speed: { date: "2026-02-03", machine: "another machine" } });
  assert.match(text, /Made from 2026-01-31 to 2026-02-03: a machine made by hand, CPU \(SIMD\); another machine, CPU \(SIMD\)\./);
  for (const experiment of EXPERIMENTS.filter(({ id }) => id !== NOT_RUN)) {
    for (const { builtin, scale: { full } } of experiment.setups) {
      assert.ok(text.includes(`Data "${builtin}"`) && text.includes(`${full.steps} steps, scored ${full.checkpoints} times; seeds ${full.seeds.join(", ")};`));
    }
  }
});
