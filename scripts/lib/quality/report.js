// docs/quality.md: what was aimed at and what came out, from the newest result of every run.

import { CLAIMS } from "./claims.js";
import { needsFolder } from "./data.js";
import { METRICS, cell, distance } from "./format.js";
import { GROUPS } from "./runs.js";
import { allRuns, settingsKey } from "./select.js";

/** @typedef {import("./runs.js").Group} Group */
/** @typedef {import("./results.js").Result} Result */
/** @typedef {import("./results.js").Place} Place */
/** @typedef {import("./train.js").Outcome} Outcome */
/** @typedef {{ kind: import("./runs.js").KindName, result: Result, stale: boolean }} Row */

const HEAD = `# Training quality

Written by \`npm run quality\`, as it came out, misses included. Every run is one seed on the CPU device in Node, 2 layers,
through the package as an app uses it: trained on the training part of its data for at most three minutes (Multi30k:
five), scored at the end on rows that it never saw. A run that reaches the limit is cut, and says so. "Seconds" are of
training alone. In brackets: what others reach on the same data.`;

/**
 * @param {Map<string, Result>} results newest of each run
 * @param {{ groups?: Group[], claims?: import("./claims.js").Claim[], hasFolder: boolean }} options
 *   `hasFolder`: SYNTHATTN_DATA is set
 */
export function report(results, { groups = GROUPS, claims = CLAIMS, hasFolder }) {
  const runs = allRuns(groups);
  const rowsOf = (/** @type {string} */ name) =>
    runs.flatMap((run) => {
      const result = results.get(run.id);
      return run.group === name && result ? [{ kind: run.kind, result, stale: result.settings !== settingsKey(run) }] : [];
    });
  const all = groups.map((group) => ({ group, rows: rowsOf(group.name) }));
  const everywhere = all.flatMap(({ rows }) => rows.map(({ result }) => result.place));
  const places = everywhere.filter((place, index) => everywhere.findIndex((other) => samePlace(place, other)) === index);
  const parts = [HEAD, placeLines(places)];
  const lacking = all.filter(({ rows }) => !rows.length).map(({ group }) => group);
  const skipped = hasFolder ? [] : lacking.filter(({ data }) => needsFolder(data));
  if (skipped.length) parts.push(`Skipped, since SYNTHATTN_DATA named no folder with their data: ${names(skipped)}.`);
  const others = lacking.filter((group) => !skipped.includes(group));
  if (others.length) parts.push(`Not run yet: ${names(others)}.`);
  parts.push(claimTable(claims, all));
  for (const { group, rows } of all) if (rows.length) parts.push(section(group, rows, places));
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

/** @param {Place} a @param {Place} b */
const samePlace = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** @param {Group[]} groups */
const names = (groups) => groups.map(({ name }) => name).join(", ");

/** @param {Place[]} places */
function placeLines(places) {
  const lines = places.map(({ cpu, cores, node, version, parallel }) => {
    const runs = parallel === 1 ? "one run" : `${parallel} runs`;
    return `${cores} × ${cpu}, Node ${node}, synthattn ${version}, ${runs} at a time`;
  });
  if (lines.length < 2) return lines.join("");
  return lines.map((line, index) => `${index + 1}. ${line}`).join("\n");
}

/**
 * @param {import("./claims.js").Claim[]} claims
 * @param {{ group: Group, rows: Row[] }[]} all
 */
function claimTable(claims, all) {
  const lines = claims.map((claim) => {
    const found = all.find(({ group }) => group.name === claim.group);
    if (!found) throw new Error(`There is no group ${claim.group}.`);
    const { group, rows } = found;
    const { outcome, by, who } = judge(claim, group.metric, scores(group, rows));
    return tableRow([group.title, claim.text, outcome, by, who]);
  });
  return ["## Aims", "", ...tableHead(["data", "aim", "", "by", "with"], [false, false, false, true, false]), ...lines].join("\n");
}

/**
 * A claim in words.
 *
 * @param {import("./claims.js").Claim} claim
 * @param {import("./runs.js").Metric} metric
 * @param {import("./claims.js").Scores} scores
 */
export function judge(claim, metric, scores) {
  const { by, who } = claim.check(scores);
  if (by === undefined) return { outcome: "open: runs are lacking", by: "", who: "" };
  const hoped = claim.hoped?.(scores).by;
  const missed = by < 0;
  let beyond = "";
  if (!missed && hoped !== undefined) beyond = hoped >= 0 ? ", and what was hoped for" : `, what was hoped for missed by ${distance(metric, -hoped)}`;
  return { outcome: `${missed ? "**missed**" : "met"}${beyond}`, by: distance(metric, Math.abs(by)), who: who ?? "" };
}

/** @param {Group} group @param {Row[]} rows @returns {import("./claims.js").Scores} */
function scores({ metric }, rows) {
  const known = rows.map(({ kind, result }) => [kind, result.outcome?.metrics[metric]]);
  return Object.fromEntries(known.filter(([, score]) => typeof score === "number"));
}

/** @param {Group} group @param {Row[]} rows @param {Place[]} places */
function section(group, rows, places) {
  const references = referencesOf(group, rows);
  const legend = references.length && `In brackets: ${references.map(({ who, shown }) => `${shown} ${who}`).join("; ")}.`;
  const columns = columnsOf(group, references.map(({ shown }) => shown), places);
  const stale = rows.some((row) => row.stale);
  return [
    `## ${group.title}`,
    "",
    [sizes(group, rows), group.note, legend].filter(Boolean).join(" "),
    "",
    ...tableHead(columns.map(({ title }) => title), columns.map(({ right = false }) => right)),
    ...rows.map((row) => tableRow(columns.map(({ cell }) => cell(row)))),
    ...curves(group, rows),
    ...(stale ? ["", "\\* with other settings than `npm run quality` has now; those below are the ones of the run."] : []),
    ...settings(rows),
  ].join("\n");
}

/** What others reach, in the units of the table. @param {Group} group @param {Row[]} rows */
function referencesOf({ metric, references = {} }, rows) {
  const found = Object.entries(references);
  const ceiling = rows.map(({ result }) => result.outcome?.ceiling).find((value) => value !== undefined);
  if (ceiling !== undefined) found.push(["the most that is possible without telling which words belong together", 100 * ceiling]);
  return found.map(([who, score]) => ({ who, shown: score.toFixed(metric === "bitsPerCharacter" ? 2 : 1) }));
}

/** @typedef {{ title: string, right?: boolean, cell: (row: Row) => string }} Column */

/** @param {Group} group @param {string[]} references @param {Place[]} places @returns {Column[]} */
function columnsOf({ metric }, references, places) {
  const percent = metric === "accuracy" || metric === "exactMatch" ? ", %" : "";
  const ofOutcome = (/** @type {(outcome: Outcome) => string} */ show) => (/** @type {Row} */ { result }) => (result.outcome ? show(result.outcome) : "");
  /** @type {Column[]} */
  const columns = [
    { title: "kind", cell: ({ kind }) => kind },
    { title: "weights", right: true, cell: ofOutcome(({ parameters }) => thousands(parameters)) },
    { title: "steps", right: true, cell: ofOutcome(({ step, cut, train }) => (cut ? `${step}, cut of ${train.steps}` : String(step))) },
    { title: "seconds", right: true, cell: ofOutcome(({ seconds }) => seconds.toFixed(0)) },
    {
      title: `${METRICS[metric]}${percent}`,
      right: true,
      cell: ({ result: { outcome, error } }) => (outcome ? cell(metric, outcome.metrics[metric]) : `failed: ${error?.code}`),
    },
  ];
  if (metric !== "bitsPerCharacter") {
    const title = metric === "accuracy" ? "commonest class" : "copied";
    columns.push({ title, right: true, cell: ofOutcome(({ metrics }) => cell(metric, metrics.baseline?.[metric])) });
  }
  if (references.length) columns.push({ title: "reference", right: true, cell: () => `[${references.join(", ")}]` });
  columns.push({ title: "date", cell: ({ result, stale }) => `${result.date.slice(0, 10)}${stale ? " \\*" : ""}` });
  const number = (/** @type {Row} */ { result }) => 1 + places.findIndex((place) => samePlace(place, result.place));
  if (places.length > 1) columns.push({ title: "on", right: true, cell: (row) => String(number(row)) });
  return columns;
}

/** @param {Group} group @param {Row[]} rows */
function sizes({ metric }, rows) {
  const size = rows.map(({ result }) => result.outcome?.sizes).find(Boolean);
  const unit = metric === "bitsPerCharacter" ? "characters" : "rows";
  return size && `Trained on ${thousands(size.training)} ${unit}, scored on ${thousands(size.test)}.`;
}

/** How a score rose. @param {Group} group @param {Row[]} rows */
function curves({ metric }, rows) {
  const lines = rows.flatMap(({ kind, result }) => {
    const points = result.outcome?.curve ?? [];
    return points.map(({ step, seconds, metrics }) => {
      return tableRow([kind, String(step), seconds.toFixed(0), cell(metric, metrics[metric]), metrics.perplexity?.toFixed(1) ?? "–"]);
    });
  });
  if (!lines.length) return [];
  return ["", "On the way there:", "", ...tableHead(["kind", "step", "seconds", METRICS[metric], "perplexity"], [false, true, true, true, true]), ...lines];
}

/** What all rows have in common, then what some have for themselves. @param {Row[]} rows */
function settings(rows) {
  const lists = rows.flatMap(({ kind, result: { outcome } }) => (outcome ? [{ kind, settings: settingsOf(outcome) }] : []));
  if (!lists.length) return [];
  const common = lists[0].settings.filter((setting) => lists.every((list) => list.settings.includes(setting)));
  const own = lists.map(({ kind, settings }) => ({ kind, settings: settings.filter((setting) => !common.includes(setting)) }));
  const lines = own.filter(({ settings }) => settings.length).map(({ kind, settings }) => `- ${kind}: ${settings.join(", ")}`);
  return ["", `Settings: ${common.join(", ")}.`, ...(lines.length ? ["", ...lines] : [])];
}

/** @param {Outcome} outcome */
function settingsOf({ spec, options, train }) {
  const { attention, task, ...rest } = spec;
  return Object.entries({ ...rest, ...options, ...train }).map(([name, value]) => `${name} ${shown(value)}`);
}

/** @param {unknown} value @returns {string} */
function shown(value) {
  if (typeof value !== "object" || value === null) return String(value);
  return Object.values(value).map(shown).join(" ");
}

/** @param {number} count */
const thousands = (count) => count.toLocaleString("en-US");

/** @param {string[]} cells */
const tableRow = (cells) => `| ${cells.join(" | ")} |`;

/** @param {string[]} titles @param {boolean[]} right */
const tableHead = (titles, right) => [tableRow(titles), tableRow(right.map((is) => (is ? "---:" : "---")))];
