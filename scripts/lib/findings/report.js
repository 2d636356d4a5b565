// docs/findings/README.md and its figures: what the stored results give, misses first.

import { kinds } from "synthattn";
import { EXPERIMENTS } from "../../../www/findings/experiments.js";
import { summarize } from "../../../www/findings/summary.js";
import { wordsOf } from "../../../www/findings/words.js";
import { experimentMessages } from "../../../www/messages/en-experiments.js";
import { figuresFor } from "./figures.js";
import { isCurrent } from "./results.js";

/** @typedef {import("../../../www/findings/contract.js").Experiment} Experiment */
/** @typedef {import("../../../www/findings/contract.js").Result} Result */
/** @typedef {import("../../../www/findings/contract.js").Setup} Setup */
/** @typedef {ReturnType<typeof summarize>} Summary */
/** @typedef {Summary["claims"][number]} ClaimSummary */
/** @typedef {{ experiment: Experiment, result: Result, summary: Summary }} Found */

const labels = new Map((await kinds()).map(({ name, label }) => [String(name), label]));
const words = wordsOf((key) => experimentMessages[key], (key) => Object.hasOwn(experimentMessages, key));

/** @param {Experiment} experiment @param {string} id */
const armName = (experiment, id) => (id === "chance" ? "chance" : words.arm(experiment, id, (kind) => labels.get(kind) ?? kind));

const HEAD = `# Findings

The claims of the paper (Tay et al., "Synthesizer: Rethinking Self-Attention for Transformer Models", ICML 2021) as
experiments that run in minutes, and what came of them. Written by \`npm run findings\`, as it came out; not edited by hand.
The page shows the same results and runs the same experiments.

Models and data are small, and so are the budgets: these experiments tell whether what the paper says holds here, and not
whether it holds at the paper's scale. All models of an experiment learn with the same seeds and so from the same batches,
and are scored on rows or text that none of them was trained on. Means are over seeds, with 95% intervals of Student's
t in brackets. Differences are taken seed by seed, and turned so that more is better. Times of a step are of rounds in
which all models of an experiment take turns, with nothing else running; for comparisons after as long, scores are read
off on straight lines between checkpoints. Every seed is shown, and none was left out.

What a claim has to reach was decided before these runs were made, each for the reason given; settings such as steps and
learning rates were found before that by short tries of one or two seeds, for all models of an experiment alike. A claim
*agrees* where the whole interval lies where it has to, *disagrees* where the whole interval lies elsewhere, and is
*undecided* where it lies on both sides.`;

/**
 * @param {Map<string, Result>} results by experiment
 * @returns {Map<string, string>} files by their paths within the report's folder
 */
export function report(results) {
  /** @type {Map<string, string>} */
  const files = new Map();
  const found = EXPERIMENTS.flatMap((experiment) => {
    const result = results.get(experiment.id);
    return isCurrent(experiment, result) ? [{ experiment, result, summary: summarize(experiment, result) }] : [];
  });
  const parts = [HEAD, ...madeOf(found.map(({ result }) => result)), overview(found)];
  for (const experiment of EXPERIMENTS) {
    const mine = found.find((one) => one.experiment === experiment);
    const outdated = results.has(experiment.id) && !mine;
    parts.push(mine ? section(mine, files) : lacking(experiment, outdated));
  }
  files.set("README.md", `${parts.filter(Boolean).join("\n\n")}\n`);
  return files;
}

/** When, where and how long. @param {Result[]} results */
function madeOf(results) {
  if (!results.length) return ["Nothing was run yet."];
  const unique = (/** @type {string[]} */ list) => [...new Set(list)];
  const dates = unique(results.map(({ date }) => date)).sort();
  const when = dates.length > 1 ? `from ${dates[0]} to ${dates[dates.length - 1]}` : `on ${dates[0]}`;
  const minutes = results.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  const machines = unique(results.map(({ machine, device }) => `${machine}, ${device}`));
  return [`Made ${when}: ${machines.join("; ")}. Added up, trainings took ${minutes.toFixed(0)} minutes by the clock, two at a time.`];
}

/** @param {Found[]} found */
function overview(found) {
  if (!found.length) return "";
  const all = found.flatMap(({ experiment, summary }) => summary.claims.map((one) => ({ experiment, ...one })));
  const of = (/** @type {string} */ verdict) => all.filter((one) => one.verdict === verdict);
  const listed = (/** @type {string} */ title, /** @type {string} */ verdict) => {
    const some = of(verdict);
    const lines = some.map(({ experiment, claim, ...one }) => `- ${experiment.number}. ${words.claim(experiment, claim)} ${differenceOf(experiment, { claim, ...one })}`);
    return some.length ? ["", `**${title}**`, "", ...lines] : [];
  };
  const count = `Of ${all.length} claims ${of("agrees").length} agree, ${of("disagrees").length} disagree and ${of("undecided").length} are undecided.`;
  return [
    "## In short",
    "",
    count,
    ...listed("These did not reproduce here:", "disagrees"),
    ...listed("These are undecided:", "undecided"),
    "",
    ...head(["", "question", "agree", "disagree", "undecided"], [true, false, true, true, true]),
    ...found.map(({ experiment, summary }) => {
      const counts = ["agrees", "disagrees", "undecided"].map((verdict) => String(summary.claims.filter((one) => one.verdict === verdict).length));
      return row([String(experiment.number), `[${words.question(experiment)}](#${anchor(experiment)})`, ...counts]);
    }),
  ].join("\n");
}

/** @param {Experiment} experiment */
const heading = (experiment) => `${experiment.number}. ${words.title(experiment)}`;

/** As renderers of Markdown name a heading. @param {Experiment} experiment */
const anchor = (experiment) => heading(experiment).toLowerCase().replace(/[^\p{L}\p{N} -]/gu, "").replaceAll(" ", "-");

/** @param {Experiment} experiment @param {boolean} outdated */
function lacking(experiment, outdated) {
  const why = outdated ? "Out of date: there is a result of other settings than the experiment has now, which is not shown." : "Not run yet.";
  return `## ${heading(experiment)}\n\n${words.question(experiment)}\n\n${why} \`npm run findings -- ${experiment.id}\` runs it.`;
}

/** @param {Found} found @param {Map<string, string>} files to which figures are added */
function section({ experiment, result, summary }, files) {
  const blocks = [`## ${heading(experiment)}`, `**${words.question(experiment)}** ${words.about(experiment)}`];
  const verdicts = summary.claims.map((one) => row([words.claim(experiment, one.claim), comparisonOf(experiment, one), differenceOf(experiment, one), barOf(experiment, one), one.claim.why, `**${one.verdict}**`]));
  blocks.push([...head(["claim", "models", "difference", "what it has to reach", "why that", ""]), ...verdicts].join("\n"));
  if (words.remark(experiment)) blocks.push(words.remark(experiment));
  for (const { name, title, svg } of figuresFor(experiment, result)) {
    const path = `figures/${experiment.id}-${name}.svg`;
    files.set(path, svg);
    blocks.push(`![${title}](${path})`);
  }
  for (const one of summary.setups) blocks.push(tableOf(experiment, one, result));
  if (experiment.published.length) blocks.push(publishedOf(experiment));
  return blocks.join("\n\n");
}

/** Which arms a claim is about. @param {Experiment} experiment @param {ClaimSummary} claim */
function comparisonOf(experiment, { claim: { arm, against, beyond, view } }) {
  const name = (/** @type {string} */ id) => armName(experiment, id);
  if (arm === against) return `${name(arm)}, after training less before it`;
  const pair = `${name(arm)} − ${name(against)}`;
  if (beyond) return `(${pair}) − (${name(beyond.arm)} − ${name(beyond.against)})`;
  return { steps: pair, near: pair, time: `${pair}, after as long`, speed: `how much faster ${name(arm)} is than ${name(against)}` }[view];
}

/** @param {Experiment} experiment @param {ClaimSummary} claim */
function differenceOf(experiment, { claim, estimate }) {
  if (!estimate) return claim.view === "speed" || claim.view === "time" ? "(steps not timed)" : "(too few seeds)";
  const { text, unit } = formatOf(experiment, claim);
  return `${text(estimate.mean)}${unit} [${text(estimate.low)}, ${text(estimate.high)}]`;
}

/** Where the interval has to lie. @param {Experiment} experiment @param {ClaimSummary} claim */
function barOf(experiment, { claim }) {
  const { unit, plain } = formatOf(experiment, claim);
  const margin = `${plain(claim.margin)}${claim.margin === 1 ? unit.replace(/s$/, "") : unit}`;
  return { better: `above ${margin}`, close: `within ± ${margin}`, "no-worse": `above −${margin}` }[claim.says];
}

/** How a claim's difference is written. @param {Experiment} experiment @param {import("../../../www/findings/contract.js").Comparison} comparison */
function formatOf(experiment, { setup, view }) {
  const metric = experiment.setups.find(({ id }) => id === setup)?.metric;
  const points = view !== "speed" && (view === "near" || isShare(metric));
  const hundredfold = points || view === "speed";
  const plain = (/** @type {number} */ value) => String(Number((hundredfold ? 100 * value : value).toFixed(3)));
  const text = (/** @type {number} */ value) => signed(hundredfold ? 100 * value : value, hundredfold ? 1 : 3);
  return { plain, text, unit: points ? " points" : view === "speed" ? " %" : metric === "bitsPerCharacter" ? " bits" : "" };
}

/** @param {string | undefined} metric */
const isShare = (metric) => metric === "accuracy" || metric === "exactMatch" || metric === "f1";

/** @param {number} value @param {number} digits */
function signed(value, digits) {
  const shown = value.toFixed(digits);
  return Number(shown) === 0 ? (0).toFixed(digits) : value > 0 ? `+${shown}` : shown.replace("-", "−");
}

/** @type {Record<string, string>} */
const METRICS = { bitsPerCharacter: "bits per character", accuracy: "accuracy, %", exactMatch: "exact match, %", f1: "F1, %", bleu: "BLEU", perplexity: "perplexity", loss: "loss", rougeL: "ROUGE-L" };

/** Means with intervals, every seed, and what it was run with. @param {Experiment} experiment @param {Summary["setups"][number]} summary @param {Result} result */
function tableOf(experiment, { setup, arms, budget }, result) {
  const score = (/** @type {number} */ value) => (isShare(setup.metric) ? (100 * value).toFixed(1) : value.toFixed(3));
  const mean = (/** @type {{ mean: number, low: number, high: number } | undefined} */ found) => (found ? `${score(found.mean)} [${score(found.low)}, ${score(found.high)}]` : "–");
  const titles = ["model", "weights", METRICS[setup.metric], "each seed", "milliseconds a step"];
  if (budget !== undefined) titles.push(`after ${budget.toFixed(1)} s`);
  const lines = arms.map(({ arm, parameters, score: found, seeds, step, timedScore }) => {
    const cells = [armName(experiment, arm.id), parameters.toLocaleString("en-US"), mean(found), seeds.map(({ value }) => score(value)).join(", "), step ? step.median.toFixed(1) : "–"];
    return row(budget === undefined ? cells : [...cells, mean(timedScore)]);
  });
  const chance = setup.chance === undefined ? "" : ` Chance: ${score(setup.chance)}.`;
  return [`### ${words.setup(experiment, setup)}`, "", ...head(titles, titles.map((_, index) => index > 0)), ...lines, "", `${settingsLine(setup, result)}${chance}`].join("\n");
}

/** @param {Setup} setup @param {Result} result */
function settingsLine({ task, builtin, spec, train, scale }, { scale: name, date }) {
  const { steps, checkpoints, seeds } = scale[name];
  const shown = (/** @type {object} */ values) => Object.entries(values).map(([key, value]) => `${key} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  return `Data "${builtin}" (${task}); ${[...shown(spec), ...shown(train)].join(", ")}; ${steps} steps, scored ${checkpoints} times; seeds ${seeds.join(", ")}; ${date}.`;
}

/** @param {Experiment} experiment */
function publishedOf(experiment) {
  const { published } = experiment;
  const arms = [...new Set(published.map(({ arm }) => arm))];
  const sources = [...new Set(published.map(({ source }) => source))];
  const value = (/** @type {string} */ source, /** @type {string} */ arm) => published.find((one) => one.source === source && one.arm === arm)?.value;
  const lines = sources.map((source) => row([words.source({ source }), ...arms.map((arm) => String(value(source, arm) ?? ""))]));
  return ["### Published", "", ...head(["", ...arms.map((arm) => armName(experiment, arm))], [false, ...arms.map(() => true)]), ...lines].join("\n");
}

/** @param {string[]} cells */
const row = (cells) => `| ${cells.join(" | ")} |`;

/** @param {string[]} titles @param {boolean[]} [right] */
const head = (titles, right = []) => [row(titles), row(titles.map((_, index) => (right[index] ? "---:" : "---")))];
