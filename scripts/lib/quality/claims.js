// What the results are to show: a table of claims, each checked by a small function over the scores of its group.

import { METRICS, number } from "./format.js";
import { GROUPS } from "./runs.js";

/** @typedef {import("./runs.js").KindName} KindName */
/** @typedef {Partial<Record<KindName, number>>} Scores of the runs of a group that came to their end */

/**
 * `by`: in the units of the metric, how far beyond what is demanded, negative where that is missed; undefined while
 * runs are lacking that could decide it. `who`: the kind that decides.
 *
 * @typedef {{ by?: number, who?: KindName }} Finding
 */

/** @typedef {{ group: string, text: string, check: (scores: Scores) => Finding, hoped?: (scores: Scores) => Finding }} Claim */

/** @type {KindName[]} */
const SYNTHESIZERS = ["dense", "random", "factorized-random", "random+vanilla"];
/** @type {KindName[]} */
const WITH_VANILLA = ["vanilla", "random+vanilla", "dense+vanilla"];

/** @type {Claim[]} */
const OVER_SEVERAL = [
  { group: "rt-polarity", text: "the best synthesizer kind: accuracy of at least 74 %", check: best(SYNTHESIZERS, 0.74) },
  { group: "trec", text: "the best synthesizer kind: accuracy of at least 83 %", check: best(SYNTHESIZERS, 0.83) },
  { group: "ag-news", text: "the best synthesizer kind: accuracy of at least 86 %", check: best(SYNTHESIZERS, 0.86) },
  {
    group: "sick",
    text: "vanilla or a mixture with it: at least 5 points above random and above dense",
    check: lead(WITH_VANILLA, ["random", "dense"], 0.05),
  },
  {
    group: "entailment",
    text: "vanilla or a mixture with it: at least 15 points above random and above dense",
    check: lead(WITH_VANILLA, ["random", "dense"], 0.15),
  },
];

/** All claims, in the order of the groups: those of single runs, then those over several. */
export const CLAIMS = GROUPS.flatMap((group) => [...ofTargets(group), ...OVER_SEVERAL.filter((claim) => claim.group === group.name)]);

/**
 * The targets of single runs as claims.
 *
 * @param {Pick<import("./runs.js").Group, "name" | "metric" | "kinds">} group
 * @returns {Claim[]}
 */
export function ofTargets({ name, metric, kinds }) {
  return Object.entries(kinds).flatMap(([key, { target }]) => {
    if (!target) return [];
    const kind = /** @type {KindName} */ (key);
    const { atMost, atLeast, hoped } = target;
    const bound = atMost ?? atLeast;
    if (bound === undefined) throw new Error(`The target of ${name}/${kind} has no bound.`);
    const check = atMost === undefined ? best : lowest;
    const text = `${kind}: ${METRICS[metric]} of at ${atMost === undefined ? "least" : "most"} ${number(metric, bound)}`;
    if (hoped === undefined) return [{ group: name, text, check: check([kind], bound) }];
    return [{ group: name, text: `${text} (${number(metric, hoped)} hoped for)`, check: check([kind], bound), hoped: check([kind], hoped) }];
  });
}

/** The best of some kinds reaches a score. @param {KindName[]} kinds @param {number} bound */
export function best(kinds, bound) {
  return (/** @type {Scores} */ scores) => {
    const { top, who, all } = highest(scores, kinds);
    return decided(top - bound, who, all);
  };
}

/** The lowest of some kinds stays below a score. @param {KindName[]} kinds @param {number} bound */
export function lowest(kinds, bound) {
  return (/** @type {Scores} */ scores) => {
    const negative = Object.fromEntries(Object.entries(scores).map(([kind, score]) => [kind, -score]));
    return best(kinds, -bound)(negative);
  };
}

/**
 * The best of some kinds is ahead of each of others by a margin.
 *
 * @param {KindName[]} kinds
 * @param {KindName[]} others
 * @param {number} margin
 */
export function lead(kinds, others, margin) {
  return (/** @type {Scores} */ scores) => {
    const ahead = highest(scores, kinds);
    const behind = highest(scores, others);
    if (!behind.all) return {};
    return decided(ahead.top - behind.top - margin, ahead.who, ahead.all);
  };
}

/** @param {Scores} scores @param {KindName[]} kinds */
function highest(scores, kinds) {
  const there = kinds.filter((kind) => scores[kind] !== undefined);
  const score = (/** @type {KindName} */ kind) => /** @type {number} */ (scores[kind]);
  const who = there.reduce((/** @type {KindName | undefined} */ most, kind) => (most && score(most) >= score(kind) ? most : kind), undefined);
  return { top: who ? score(who) : NaN, who, all: there.length === kinds.length };
}

/** A miss is one only when no run is lacking that could still make it good. @param {number} by @param {KindName | undefined} who @param {boolean} all */
function decided(by, who, all) {
  // Scores are quotients of counts: 0.83 - 0.78 is not to miss 0.05 by rounding; nor is 0 to be negative.
  const rounded = Math.round(by * 1e9) / 1e9 + 0;
  return rounded >= 0 || (all && rounded < 0) ? { by: rounded, who } : {};
}
