// What follows from a result: means with intervals, differences of the same seed, verdicts on claims and predictions.
// Worked out wherever a result is shown, and nowhere kept.
import { between, estimate, mean, median, paired } from "./statistics.js";

/** @import { Arm, Claim, Comparison, Experiment, Result, Setup, Verdict } from "./contract.js" */
/** @import { Estimate } from "./statistics.js" */

/** @typedef {{ seed: number, value: number }} Seeded */

/**
 * What an arm reached.
 *
 * @typedef {object} ArmSummary
 * @property {Arm} arm
 * @property {number} parameters not a number before its first run
 * @property {Seeded[]} seeds scores at the end, of runs that came to it
 * @property {Estimate | undefined} score of these
 * @property {({ step: number } & Estimate)[]} curve at checkpoints that several runs have reached
 * @property {(Estimate & { median: number }) | undefined} step milliseconds a step; the median counts where steps become time
 * @property {Seeded[]} timed scores after as long as the fastest arm of the setup took for all its steps
 * @property {Estimate | undefined} timedScore of these
 * @property {({ step: number, uniform: number } & Estimate)[]} near the share of attention on the nearest tokens, over all layers
 */

/** @typedef {{ setup: Setup, arms: ArmSummary[], budget: number | undefined }} SetupSummary `budget`: the seconds that `timed` is about */

/**
 * @typedef {object} ClaimSummary
 * @property {Claim} claim
 * @property {Seeded[]} differences turned so that more is better; of speed, one a round
 * @property {Estimate | undefined} estimate of the mean difference
 * @property {Verdict} verdict
 */

/**
 * @param {Experiment} experiment
 * @param {Result} result
 * @returns {{ setups: SetupSummary[], claims: ClaimSummary[], predictions: Record<string, Verdict> }}
 */
export function summarize(experiment, result) {
  const setups = experiment.setups.map((setup) => summaryOf(setup, result));
  /** @param {Comparison} comparison */
  const compare = (comparison) => {
    const summary = setups.find(({ setup }) => setup.id === comparison.setup);
    if (!summary) throw new Error(`${experiment.id} has no setup ${comparison.setup}.`);
    return comparisonOf(comparison, summary, result);
  };
  const verdictOn = (/** @type {string} */ prediction) => all(experiment.right[prediction].map((comparison) => compare(comparison).verdict));
  return {
    setups,
    claims: experiment.claims.map((claim) => ({ claim, ...compare(claim) })),
    predictions: Object.fromEntries(experiment.predictions.map((prediction) => [prediction, verdictOn(prediction)])),
  };
}

/** One that does not hold is enough. @param {Verdict[]} verdicts @returns {Verdict} */
function all(verdicts) {
  if (verdicts.includes("disagrees")) return "disagrees";
  return verdicts.includes("undecided") ? "undecided" : "agrees";
}

/** @param {Setup} setup @param {Result} result @returns {SetupSummary} */
function summaryOf(setup, result) {
  const arms = setup.arms.map((arm) => armOf(setup, arm, result));
  const totals = arms.map(({ step }) => (step ? totalOf(setup, step.median, result) : NaN));
  const budget = totals.every(Number.isFinite) ? Math.min(...totals) : undefined;
  return { setup, budget, arms: arms.map((one) => ({ ...one, ...after(setup, one, budget, result) })) };
}

/** Seconds that all steps take. @param {Setup} setup @param {number} milliseconds @param {Result} result */
const totalOf = (setup, milliseconds, { scale }) => (setup.scale[scale].steps * milliseconds) / 1000;

/** @param {Setup} setup @param {Arm} arm @param {Result} result @returns {Omit<ArmSummary, "timed" | "timedScore">} */
function armOf(setup, arm, result) {
  const mine = (/** @type {{ setup: string, arm: string }} */ one) => one.setup === setup.id && one.arm === arm.id;
  const runs = result.runs.filter(mine);
  const { checkpoints } = setup.scale[result.scale];
  const seeds = runs.filter(({ scores }) => scores.length === checkpoints).map(({ seed, scores }) => ({ seed, value: scores[checkpoints - 1] }));
  const milliseconds = result.timings.find(mine)?.milliseconds ?? [];
  const spent = estimate(milliseconds);
  const nearness = result.nearness.filter(mine);
  return {
    arm,
    parameters: runs[0]?.parameters ?? NaN,
    seeds,
    score: estimate(valuesOf(seeds)),
    curve: estimates(Array.from({ length: checkpoints }, (_, index) => runs.filter(({ scores }) => scores.length > index).map(({ steps, scores }) => ({ step: steps[index], value: scores[index] }))).flat()),
    step: spent && { ...spent, median: median(milliseconds) },
    near: estimates(nearness.map(({ step, layers }) => ({ step, value: mean(layers) }))).map((one) => ({ ...one, uniform: nearness[0].uniform })),
  };
}

/** @param {Seeded[]} seeds */
const valuesOf = (seeds) => seeds.map(({ value }) => value);

/** An estimate for each step of which there are several values. @param {{ step: number, value: number }[]} points */
function estimates(points) {
  const steps = [...new Set(points.map(({ step }) => step))].sort((a, b) => a - b);
  return steps.flatMap((step) => {
    const found = estimate(points.filter((point) => point.step === step).map(({ value }) => value));
    return found ? [{ step, ...found }] : [];
  });
}

/**
 * Scores after so many seconds, on straight lines between checkpoints.
 *
 * @param {Setup} setup
 * @param {Pick<ArmSummary, "arm" | "step">} summary
 * @param {number | undefined} seconds
 * @param {Result} result
 * @returns {Pick<ArmSummary, "timed" | "timedScore">}
 */
function after(setup, { arm, step }, seconds, { runs, scale }) {
  if (seconds === undefined || !step) return { timed: [], timedScore: undefined };
  const { steps, checkpoints } = setup.scale[scale];
  // The last checkpoint is reached with the budget of its own arm, whatever rounding says.
  const at = Math.min(steps, (1000 * seconds) / step.median);
  const mine = runs.filter((run) => run.setup === setup.id && run.arm === arm.id && run.scores.length === checkpoints);
  const timed = mine.flatMap(({ seed, steps: places, scores }) => {
    const value = between(places, scores, at);
    return value === undefined ? [] : [{ seed, value }];
  });
  return { timed, timedScore: estimate(valuesOf(timed)) };
}

/**
 * @param {Comparison} comparison
 * @param {SetupSummary} summary
 * @param {Result} result
 * @returns {Omit<ClaimSummary, "claim">}
 */
function comparisonOf(comparison, summary, result) {
  if (comparison.view === "speed") return ofSpeed(comparison, result);
  const { better } = summary.setup;
  const own = comparison.view === "near" ? nearDifferences(comparison, summary.setup, result) : turned(differencesOf(comparison, summary, result), better);
  const { beyond } = comparison;
  const differences = beyond ? less(own, turned(differencesOf({ ...comparison, ...beyond }, summary, result), better)) : own;
  const found = estimate(valuesOf(differences));
  return { differences, estimate: found, verdict: judge(comparison, found) };
}

/** @param {Seeded[]} seeds @param {1 | -1} better @returns {Seeded[]} */
const turned = (seeds, better) => seeds.map(({ seed, value }) => ({ seed, value: better * value }));

/** @param {Seeded[]} seeds @returns {Map<number, number>} */
const bySeed = (seeds) => new Map(seeds.map(({ seed, value }) => [seed, value]));

/** @param {Seeded[]} seeds @param {Seeded[]} others @returns {Seeded[]} */
const less = (seeds, others) => paired(bySeed(seeds), bySeed(others)).map(({ key, value }) => ({ seed: key, value }));

/**
 * Differences of the same seed after as many steps, or after as long as the faster of the two took.
 *
 * @param {Pick<Comparison, "arm" | "against" | "view">} comparison
 * @param {SetupSummary} summary
 * @param {Result} result
 */
function differencesOf({ arm, against, view }, { setup, arms }, result) {
  const both = [arm, against].map((id) => arms.find((one) => one.arm.id === id));
  if (both.every((one) => one === undefined)) throw new Error(`${setup.id} has neither ${arm} nor ${against}.`);
  const totals = both.flatMap((one) => (one ? [one.step ? totalOf(setup, one.step.median, result) : NaN] : []));
  const budget = totals.every(Number.isFinite) ? Math.min(...totals) : undefined;
  const scores = both.map((one) => one && (view === "time" ? after(setup, one, budget, result).timed : one.seeds));
  const chance = (/** @type {Seeded[]} */ seeds) => {
    if (setup.chance === undefined) throw new Error(`${setup.id} has no chance.`);
    return seeds.map(({ seed }) => ({ seed, value: /** @type {number} */ (setup.chance) }));
  };
  const [first, second] = scores;
  return less(first ?? chance(second ?? []), second ?? chance(first ?? []));
}

/** How much faster, a round at a time: both were measured one after the other. @param {Comparison} comparison @param {Result} result @returns {Omit<ClaimSummary, "claim">} */
function ofSpeed(comparison, { timings }) {
  const [mine, other] = [comparison.arm, comparison.against].map((arm) => timings.find((one) => one.setup === comparison.setup && one.arm === arm)?.milliseconds ?? []);
  const factors = mine.slice(0, other.length).map((milliseconds, round) => other[round] / milliseconds);
  // Factors are averaged by their logarithms, so that twice as fast and half as fast are even.
  const logarithm = estimate(factors.map(Math.log));
  const found = logarithm && { mean: Math.expm1(logarithm.mean), low: Math.expm1(logarithm.low), high: Math.expm1(logarithm.high), n: logarithm.n };
  return { differences: factors.map((factor, round) => ({ seed: round + 1, value: factor - 1 })), estimate: found, verdict: judge(comparison, found) };
}

/** Where attention lies: after training less before it, or of two arms after it. @param {Comparison} comparison @param {Setup} setup @param {Result} result */
function nearDifferences({ arm, against }, { id, scale }, result) {
  const at = (/** @type {string} */ wanted, /** @type {number} */ step) =>
    result.nearness.filter((one) => one.setup === id && one.arm === wanted && one.step === step).map(({ seed, layers }) => ({ seed, value: mean(layers) }));
  const { steps } = scale[result.scale];
  return less(at(arm, steps), at(against, arm === against ? 0 : steps));
}

/**
 * Where an interval lies. One that straddles a margin decides nothing, nor does one that there is not.
 *
 * @param {Pick<Comparison, "says" | "margin">} comparison
 * @param {Estimate | undefined} estimate
 * @returns {Verdict}
 */
export function judge({ says, margin }, estimate) {
  if (!estimate) return "undecided";
  const { low, high } = estimate;
  if (says === "better") return low > margin ? "agrees" : high <= margin ? "disagrees" : "undecided";
  if (high < -margin) return "disagrees";
  if (low < -margin) return "undecided";
  if (says === "no-worse" || high <= margin) return "agrees";
  return low > margin ? "disagrees" : "undecided";
}
