// The figures of an experiment's result: which there are, in which views, and the numbers behind each.
import { fixed, percent, plain, short, signed, signedPercent, whole } from "../format.js";
import { colourOf, dashOf, infoOf, kindOf, sightOf } from "../kinds.js";
import { t, together } from "../messages/index.js";
import { curvesFigure, rowsFigure, spreadsFigure, tradeFigure } from "./figures.js";
import { summarize } from "./summary.js";
import { armName, words } from "./texts.js";

/** @import { Arm, Claim, Experiment, Result, Setup } from "./contract.js" */
/** @import { Axis, Look } from "./figures.js" */
/** @import { Picture } from "./drawing.js" */

/**
 * One way to look at a figure.
 *
 * @typedef {object} View
 * @property {string} name
 * @property {string} label
 * @property {string} [note]
 * @property {(width: number) => Picture} picture
 * @property {string[]} columns of the table behind it, the first of names
 * @property {string[][]} rows
 * @property {Record<string, string | number | undefined>[]} data the same for programs
 */

/** @typedef {{ name: string, title: string, views: View[] }} Figure at least one view each */

/** @typedef {ReturnType<typeof summarize>["setups"][number]} SetupSummary */

/**
 * How scores of a sort are written, and their differences: on axes, and in words of which one may have the unit.
 *
 * @typedef {object} Unit
 * @property {(value: number) => string} text
 * @property {(value: number) => string} tick
 * @property {(value: number) => string} difference
 * @property {(value: number) => string} bare the same without its unit
 * @property {(value: number) => string} amount without its sign
 */

/** @type {Unit} */
const SHARE = {
  text: (value) => percent(value, 1),
  tick: (value) => percent(value),
  difference: (value) => t("findings.points", { value: signed(100 * value, 1) }),
  bare: (value) => signed(100 * value, 1),
  amount: (value) => t("findings.points", { value: plain(100 * value) }),
};
/** @type {Unit} */
const NUMBER = { text: (value) => fixed(value, 3), tick: (value) => fixed(value, 2), difference: (value) => signed(value, 3), bare: (value) => signed(value, 3), amount: plain };
/** @type {Unit} */
const FASTER = { text: (value) => percent(value, 1), tick: (value) => percent(value), difference: (value) => signedPercent(value, 1), bare: (value) => signedPercent(value, 1), amount: (value) => percent(value) };

const SHARES = new Set(["accuracy", "exactMatch", "f1"]);

/** @param {Pick<Setup, "metric">} setup */
export const unitOf = ({ metric }) => (SHARES.has(metric) ? SHARE : NUMBER);

/** The unit of a claim's difference. @param {Claim} claim @param {Setup} setup */
export function unitOfClaim({ view }, setup) {
  return view === "speed" ? FASTER : view === "near" ? SHARE : unitOf(setup);
}

/** @param {Arm} arm @returns {Look} */
export function lookOf({ attention }) {
  const kind = kindOf(/** @type {any} */ ({ attention }));
  const info = infoOf(kind);
  return { colour: colourOf(kind).slice(2), dash: dashOf(kind), sight: info ? sightOf(info) : "token-pair" };
}

/**
 * A mean with its interval in words.
 *
 * @param {{ mean: number, low: number, high: number } | undefined} estimate
 * @param {(value: number) => string} text
 * @param {(value: number) => string} [bare] for the ends
 */
export function interval(estimate, text, bare = text) {
  return estimate ? t("findings.interval", { value: text(estimate.mean), low: bare(estimate.low), high: bare(estimate.high) }) : "";
}

/** A difference with its interval in words. @param {{ mean: number, low: number, high: number } | undefined} estimate @param {Unit} unit */
export const differenceText = (estimate, { difference, bare }) => interval(estimate, difference, bare);

/** What of a result is drawn. @param {Experiment} experiment @param {Result} result @returns {Figure[]} */
export function figuresOf(experiment, result) {
  const summary = summarize(experiment, result);
  const setups = summary.setups.filter(({ arms }) => arms.some(({ seeds }) => seeds.length > 0));
  return [
    ...setups.map((setup) => scoresFigure(experiment, setup)),
    ...differences(experiment, summary),
    ...setups.flatMap((one) => nearFigure(experiment, one)),
    ...setups.flatMap(({ setup }) => spreads(experiment, setup, result)),
  ];
}

/** Scores of a setup's arms: after as many steps and after as long, on the way, against speed, against size. @param {Experiment} experiment @param {SetupSummary} summary @returns {Figure} */
function scoresFigure(experiment, summary) {
  const { setup, arms, budget } = summary;
  const sizes = arms.map(({ parameters }) => parameters);
  const differ = Math.max(...sizes) > 1.02 * Math.min(...sizes);
  return {
    name: setup.id,
    title: words.setup(experiment, setup),
    views: [
      endsView(experiment, summary, "steps"),
      ...(budget === undefined ? [] : [endsView(experiment, summary, "time")]),
      curvesView(experiment, summary, "overSteps"),
      ...(budget === undefined ? [] : [curvesView(experiment, summary, "overTime"), tradeView(experiment, summary, "speed")]),
      ...(differ ? [tradeView(experiment, summary, "size")] : []),
    ],
  };
}

/** @param {Setup} setup @returns {Axis} */
const scoreAxis = (setup) => ({ label: t(`findings.metric.${setup.metric}`), format: unitOf(setup).tick });

/** @param {Setup} setup */
const chanceOf = ({ chance }) => (chance === undefined ? [] : [{ value: chance, label: t("findings.chance") }]);

/**
 * Every seed's score: after as many steps, or after as long as the fastest arm took for all of them.
 *
 * @param {Experiment} experiment
 * @param {SetupSummary} summary
 * @param {"steps" | "time"} equal
 * @returns {View}
 */
function endsView(experiment, { setup, arms, budget = NaN }, equal) {
  const unit = unitOf(setup);
  const scored = arms.map(({ arm, parameters, seeds, score, timed, timedScore }) => ({ arm, parameters, ...(equal === "steps" ? { seeds, score } : { seeds: timed, score: timedScore }) }));
  const rows = scored.map(({ arm, seeds, score }) => ({
    label: armName(experiment, arm.id),
    look: lookOf(arm),
    seeds: seeds.map(({ seed, value }) => ({ value, title: t("findings.seedValue", { seed, value: unit.text(value) }) })),
    estimate: score,
    said: interval(score, unit.text),
  }));
  const all = [...new Set(scored.flatMap(({ seeds }) => seeds.map(({ seed }) => seed)))].sort((a, b) => a - b);
  return {
    name: equal,
    label: t(`findings.view.${equal}`),
    note: t(`findings.note.${equal}`, { seconds: plainNumber(budget) }),
    picture: (width) => rowsFigure({ rows, lines: chanceOf(setup), axis: scoreAxis(setup) }, width),
    columns: [t("findings.column.model"), t("findings.column.weights"), t(`findings.metric.${setup.metric}`), ...all.map((seed) => t("findings.column.seed", { seed }))],
    rows: scored.map(({ arm, parameters, seeds, score }) => [
      armName(experiment, arm.id),
      whole(parameters),
      interval(score, unit.text),
      ...all.map((seed) => unit.text(seeds.find((one) => one.seed === seed)?.value ?? NaN)),
    ]),
    data: scored.flatMap(({ arm, parameters, seeds }) => seeds.map(({ seed, value }) => ({ arm: arm.id, parameters, seed, equal, metric: setup.metric, value }))),
  };
}

/** @param {Experiment} experiment @param {SetupSummary} summary @param {"overSteps" | "overTime"} over @returns {View} */
function curvesView(experiment, { setup, arms }, over) {
  const unit = unitOf(setup);
  const xOf = (/** @type {number} */ step, /** @type {SetupSummary["arms"][number]} */ arm) => (over === "overSteps" ? step : secondsOf(step, arm));
  const curves = arms.map((one) => ({
    label: armName(experiment, one.arm.id),
    look: lookOf(one.arm),
    points: one.curve.map(({ step, mean, low, high }) => ({ x: xOf(step, one), mean, low, high })),
  }));
  const x = { label: t(`findings.axis.${over}`), format: over === "overSteps" ? whole : plainNumber };
  return {
    name: over,
    label: t(`findings.view.${over}`),
    note: t(`findings.note.${over}`),
    picture: (width) => curvesFigure({ curves, lines: chanceOf(setup), x, y: scoreAxis(setup) }, width),
    columns: [t("findings.column.model"), ...(arms[0]?.curve ?? []).map(({ step }) => t("findings.column.step", { step: whole(step) }))],
    rows: arms.map(({ arm, curve }) => [armName(experiment, arm.id), ...curve.map((one) => interval(one, unit.text))]),
    data: arms.flatMap((one) => one.curve.map(({ step, mean, low, high }) => ({ arm: one.arm.id, step, seconds: secondsOf(step, one), metric: setup.metric, mean, low, high }))),
  };
}

/** Seconds that an arm takes for so many steps. @param {number} steps @param {SetupSummary["arms"][number]} arm */
const secondsOf = (steps, { step }) => (step ? (steps * step.median) / 1000 : NaN);

/** @param {number} value */
const plainNumber = (value) => fixed(value, value !== 0 && Math.abs(value) < 10 ? 1 : 0);

/** Quality against what it costs. @param {Experiment} experiment @param {SetupSummary} summary @param {"speed" | "size"} cost @returns {View} */
function tradeView(experiment, { setup, arms }, cost) {
  const unit = unitOf(setup);
  const there = arms.filter(({ score, step }) => score && (cost === "size" || step));
  const places = there.map(({ arm, score, step, parameters }) => ({
    label: armName(experiment, arm.id),
    look: lookOf(arm),
    x: cost === "speed" ? /** @type {any} */ (step) : { mean: parameters, low: parameters, high: parameters },
    y: /** @type {any} */ (score),
  }));
  const costText = cost === "speed" ? (/** @type {number} */ value) => fixed(value, 2) : whole;
  return {
    name: cost,
    label: t(`findings.view.${cost}`),
    note: t(`findings.note.${cost}`),
    picture: (width) => tradeFigure({ places, x: { label: t(`findings.axis.${cost}`), format: cost === "speed" ? plainNumber : short }, y: scoreAxis(setup) }, width),
    columns: [t("findings.column.model"), t(`findings.axis.${cost}`), t(`findings.metric.${setup.metric}`)],
    rows: places.map(({ label, x, y }) => [label, cost === "speed" ? interval(x, costText) : costText(x.mean), interval(y, unit.text)]),
    data: there.map(({ arm, score, step, parameters }) => ({
      arm: arm.id,
      parameters,
      milliseconds: step?.mean,
      milliseconds_low: step?.low,
      milliseconds_high: step?.high,
      metric: setup.metric,
      mean: score?.mean,
      low: score?.low,
      high: score?.high,
    })),
  };
}

/** What is measured for a claim. @param {Claim} claim @param {Setup} setup */
export const measureOf = ({ view }, { metric }) => (view === "speed" || view === "near" ? view : metric);

/** What is held against the claims: one figure a setup and measure. @param {Experiment} experiment @param {ReturnType<typeof summarize>} summary @returns {Figure[]} */
function differences(experiment, { claims, setups }) {
  const measured = claims.flatMap((one) => {
    const setup = setups.find(({ setup: { id } }) => id === one.claim.setup)?.setup;
    return setup && one.differences.length > 0 ? [{ ...one, setup, name: `${setup.id}-${measureOf(one.claim, setup)}` }] : [];
  });
  return [...new Set(measured.map(({ name }) => name))].map((name) => {
    const mine = measured.filter((one) => one.name === name);
    const [{ claim: first, setup }] = mine;
    const measure = measureOf(first, setup);
    const unit = unitOfClaim(first, setup);
    const rows = mine.map(({ claim, differences: all, estimate }) => ({
      label: pairName(experiment, claim),
      look: lookOf(setup.arms.find(({ id }) => id === claim.arm) ?? setup.arms[0]),
      seeds: all.map(({ seed, value }) => ({ value, title: t(measure === "speed" ? "findings.roundValue" : "findings.seedValue", { seed, value: unit.difference(value) }) })),
      estimate,
      said: differenceText(estimate, unit),
      band: bandOf(claim),
    }));
    const numbers = mine.flatMap(({ differences: all }) => all.map(({ value }) => Math.abs(value)));
    const digits = Math.max(...numbers) < 0.2 ? 2 : 1;
    const tick = unit === NUMBER ? (/** @type {number} */ value) => signed(value, digits) : unit === SHARE ? (/** @type {number} */ value) => signed(100 * value, 0) : (/** @type {number} */ value) => signedPercent(value);
    const said = t(`findings.difference.${measure}`);
    const axis = { label: unit === SHARE ? t("findings.inPoints", { measure: said }) : said, format: tick };
    return {
      name: `differences-${name}`,
      title: t(`findings.differences.${measure === "speed" || measure === "near" ? measure : "quality"}`, { setup: words.setup(experiment, setup) }),
      views: [
        {
          name: "differences",
          label: "",
          note: together(t(measure === "speed" ? "findings.note.rounds" : "findings.note.seeds"), t("findings.note.differences")),
          picture: (/** @type {number} */ width) => rowsFigure({ rows, lines: [{ value: 0, label: t("findings.noDifference") }], axis }, width),
          columns: [t("findings.column.claim"), t(`findings.difference.${measure}`), t("findings.column.margin"), t("findings.column.verdict")],
          rows: mine.map(({ claim, estimate, verdict }) => [words.claim(experiment, claim), differenceText(estimate, unit), unit.amount(claim.margin), t(`findings.verdict.${verdict}`)]),
          data: mine.flatMap(({ claim, differences: all, estimate, verdict }) =>
            all.map(({ seed, value }) => ({ claim: claim.id, arm: claim.arm, against: claim.against, [measure === "speed" ? "round" : "seed"]: seed, difference: value, mean: estimate?.mean, low: estimate?.low, high: estimate?.high, says: claim.says, margin: claim.margin, verdict })),
          ),
        },
      ],
    };
  });
}

/** Where the interval has to lie for a claim to hold. @param {Claim} claim @returns {[number, number]} */
export function bandOf({ says, margin }) {
  if (says === "better") return [margin, Infinity];
  return [-margin, says === "close" ? margin : Infinity];
}

/** @param {Experiment} experiment @param {Claim} claim */
function pairName(experiment, { arm, against, beyond, view }) {
  const name = (/** @type {string} */ id) => (id === "chance" ? t("findings.chance") : armName(experiment, id));
  if (arm === against) return t("findings.pair.before", { arm: name(arm) });
  if (beyond) return t("findings.pair.beyond", { arm: name(arm), against: name(against), other: name(beyond.arm), otherAgainst: name(beyond.against) });
  return t(view === "time" ? "findings.pair.time" : "findings.pair.steps", { arm: name(arm), against: name(against) });
}

/** How much of attention lies on the nearest tokens, on the way. @param {Experiment} experiment @param {SetupSummary} summary @returns {Figure[]} */
function nearFigure(experiment, { setup, arms }) {
  const there = arms.filter(({ near }) => near.length > 0);
  if (there.length === 0) return [];
  const nearest = setup.watch?.nearest ?? 0;
  const curves = there.map(({ arm, near }) => ({ label: armName(experiment, arm.id), look: lookOf(arm), points: near.map(({ step, mean, low, high }) => ({ x: step, mean, low, high })) }));
  const lines = [{ value: there[0].near[0].uniform, label: t("findings.near.uniform") }];
  const [x, y] = [{ label: t("findings.axis.overSteps"), format: whole }, { label: t("findings.near.axis", { nearest }), format: SHARE.tick }];
  return [
    {
      name: "near",
      title: t("findings.near.title"),
      views: [
        {
          name: "near",
          label: "",
          note: t("findings.note.overSteps"),
          picture: (width) => curvesFigure({ curves, lines, x, y }, width),
          columns: [t("findings.column.model"), ...there[0].near.map(({ step }) => t("findings.column.step", { step: whole(step) }))],
          rows: there.map(({ arm, near }) => [armName(experiment, arm.id), ...near.map((one) => interval(one, SHARE.text))]),
          data: there.flatMap(({ arm, near }) => near.map(({ step, mean, low, high, uniform }) => ({ arm: arm.id, step, nearest, mean, low, high, uniform }))),
        },
      ],
    },
  ];
}

/** How weights are spread, of the first seed. @param {Experiment} experiment @param {Setup} setup @param {Result} result @returns {Figure[]} */
function spreads(experiment, setup, { histograms }) {
  const mine = histograms.filter((one) => one.setup === setup.id);
  if (mine.length === 0) return [];
  const seed = Math.min(...mine.map((one) => one.seed));
  const arms = setup.arms.flatMap((arm) => {
    const both = mine.filter((one) => one.arm === arm.id && one.seed === seed).sort((a, b) => a.step - b.step);
    if (both.length < 2) return [];
    const [start, end] = [both[0], both[both.length - 1]];
    const layers = end.counts.map((counts, layer) => ({ label: t("findings.layer", { layer: layer + 1 }), start: start.counts[layer], end: counts }));
    return [{ arm, label: armName(experiment, arm.id), look: lookOf(arm), layers }];
  });
  if (arms.length === 0) return [];
  const key = { start: t("findings.spread.start"), end: t("findings.spread.end"), x: t("findings.spread.x"), y: t("findings.spread.y"), format: plainShare };
  const bins = arms.flatMap(({ arm, label, layers }) =>
    layers.flatMap((layer, index) => layer.end.map((end, bin) => ({ arm, label, layer: layer.label, number: index + 1, from: bin / layer.end.length, to: (bin + 1) / layer.end.length, start: layer.start[bin], end }))),
  );
  return [
    {
      name: "spread",
      title: t("findings.spread.title"),
      views: [
        {
          name: "spread",
          label: "",
          note: t("findings.note.spread", { seed }),
          picture: (width) => spreadsFigure({ arms, words: key }, width),
          columns: [t("findings.column.model"), t("findings.column.weight"), t("findings.spread.start"), t("findings.spread.end")],
          // Most bins are empty: those that never held anything say nothing.
          rows: bins
            .filter(({ start, end }) => start + end > 0)
            .map(({ label, layer, from, to, start, end }) => [t("findings.spread.row", { model: label, layer }), t("findings.spread.bin", { from: fixed(from, 2), to: fixed(to, 2) }), whole(start), whole(end)]),
          data: bins.map(({ arm, number, from, to, start, end }) => ({ arm: arm.id, seed, layer: number, from, to, before: start, after: end })),
        },
      ],
    },
  ];
}

/** @param {number} value */
const plainShare = (value) => fixed(value, value === 0.5 ? 1 : 0);
