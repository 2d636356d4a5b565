// Test sections run in order, each counted by what its program prints; the first failure ends the run.

import { Stop, duration, say, section } from "./run.js";

/**
 * How programs say how many tests passed and failed. Their sums are what the last line tells.
 *
 * @type {Record<string, { passed: RegExp, failed: RegExp }>}
 */
export const COUNTS = {
  cargo: { passed: /test result: \w+\. (\d+) passed/g, failed: /test result: \w+\. \d+ passed; (\d+) failed/g },
  node: { passed: /^ℹ pass (\d+)/gm, failed: /^ℹ fail (\d+)/gm },
};

/**
 * @typedef {object} Section
 * @property {string} title
 * @property {string} group what `npm run test:<group>` picks
 * @property {keyof COUNTS} [counts] whose summary lines to count; a section without them is one check
 * @property {(watch: ((text: string) => void) | undefined) => Promise<unknown>} run
 */

/**
 * Runs sections to the first failure and prints a summary; the last line is "N passed, N failed".
 *
 * @param {Section[]} sections
 */
export async function runSections(sections) {
  const start = performance.now();
  /** @type {string[]} */
  const rows = [];
  let passed = 0;
  let failed = 0;
  /** @type {unknown} */
  let failure;
  for (const { title, counts, run } of sections) {
    section(title);
    const begun = performance.now();
    let seen = "";
    try {
      await run(counts ? (text) => void (seen += text) : undefined);
    } catch (why) {
      failure = why;
    }
    const tally = counts ? count(seen, COUNTS[counts]) : { passed: failure ? 0 : 1, failed: 0 };
    if (!failure && tally.passed === 0) failure = new Stop(`${title}: no test ran.`);
    if (failure && tally.failed === 0) tally.failed = 1;
    passed += tally.passed;
    failed += tally.failed;
    const outcome = failure ? "FAILED" : "ok";
    rows.push(`${outcome.padEnd(7)}${duration(performance.now() - begun).padStart(13)}  ${title} (${tally.passed} passed, ${tally.failed} failed)`);
    if (failure) break;
  }
  if (failure) say(`\n${failure instanceof Stop ? failure.message : /** @type {Error} */ (failure).stack}`);
  section("summary");
  for (const row of rows) say(row);
  for (const { title } of sections.slice(rows.length)) say(`${"not run".padEnd(20)}  ${title}`);
  say(`${" ".repeat(7)}${duration(performance.now() - start).padStart(13)}  in all`);
  say(`${passed} passed, ${failed} failed`);
  if (failure) process.exitCode = 1;
}

/** @param {string} text @param {{ passed: RegExp, failed: RegExp }} patterns */
function count(text, patterns) {
  // Colours stand between the words of a summary line.
  const plain = text.replace(/\x1b\[[0-9;]*m/g, "");
  const sum = (/** @type {RegExp} */ pattern) => [...plain.matchAll(pattern)].reduce((total, [, n]) => total + Number(n), 0);
  return { passed: sum(patterns.passed), failed: sum(patterns.failed) };
}
