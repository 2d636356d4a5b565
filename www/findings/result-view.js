// One result of an experiment on the page: what it says of the claims and of what was expected, and its figures.
import { h, setText } from "../dom.js";
import { day, duration, fixed, speed } from "../format.js";
import { said, t, together } from "../messages/index.js";
import { figureView } from "./figure-view.js";
import { filmView } from "./film.js";
import { differenceText, figuresOf, measureOf, unitOf, unitOfClaim } from "./pictures.js";
import { summarize } from "./summary.js";
import { armName, words } from "./texts.js";

/** @import { Experiment, Result } from "./contract.js" */

export class ResultView {
  /** @type {HTMLElement} */
  element;
  #experiment;
  #origin;
  #missing = h("p", { class: "hint" });
  #made = h("p", { class: "hint" });
  #expected;
  #claims = h("ul", { class: "claims" });
  #figures = h("div", {});
  #remark = h("p", { class: "hint remark" });
  #published = h("div", { class: "published" });
  /** @type {Result | undefined} */
  #result;
  /** @type {string | undefined} */
  #prediction;

  /** @param {Experiment} experiment @param {"report" | "own"} origin */
  constructor(experiment, origin) {
    const { id } = experiment;
    this.#experiment = experiment;
    this.#origin = origin;
    this.#expected = h("p", { class: "expected", role: "status", "data-testid": `expected-${origin}-${id}` });
    this.element = h(
      "div",
      { class: "result", hidden: true, "data-testid": `${origin}-${id}` },
      h("h3", {}, t(`findings.${origin}.title`)),
      this.#missing,
      this.#made,
      this.#expected,
      this.#claims,
      this.#figures,
      this.#remark,
      this.#published,
    );
  }

  /** @param {Result | undefined} result @param {string} [missing] why there is none, where that is to be said */
  show(result, missing) {
    this.#result = result;
    this.element.hidden = !result && missing === undefined;
    this.#missing.hidden = missing === undefined;
    setText(this.#missing, missing ?? "");
    for (const part of [this.#made, this.#claims, this.#figures]) part.hidden = !result;
    // Said once: beside the report, whether there is one or not.
    for (const part of [this.#remark, this.#published]) part.hidden = this.#origin === "own";
    setText(this.#remark, together(words.remark(this.#experiment), t("findings.caution")));
    this.#published.replaceChildren(...published(this.#experiment, result));
    this.#figures.replaceChildren();
    if (result) this.#draw(result);
    this.expect(this.#prediction);
  }

  /** Says what is to be said of what was expected. @param {string | undefined} prediction */
  expect(prediction) {
    this.#prediction = prediction;
    const there = this.#result !== undefined && prediction !== undefined && this.#experiment.predictions.includes(prediction);
    this.#expected.hidden = !there;
    if (!there || !this.#result) return setText(this.#expected, "");
    const verdict = summarize(this.#experiment, this.#result).predictions[prediction];
    this.#expected.dataset.verdict = verdict;
    setText(this.#expected, t(`findings.expected.${verdict}`, { expected: words.expects(this.#experiment, prediction) }));
  }

  /** @param {Result} result */
  #draw(result) {
    const { id } = this.#experiment;
    const made = madeLine(result);
    setText(this.#made, made);
    this.#claims.replaceChildren(...claimLines(this.#experiment, result));
    const name = `${this.#origin}-${id}`;
    const around = { rerun: { id, scale: result.scale }, caption: together(made, t("findings.caution")) };
    const regionOf = (/** @type {string} */ figure) => t("findings.figure.region", { number: this.#experiment.number, origin: t(`findings.${this.#origin}.title`), figure });
    this.#figures.append(
      ...figuresOf(this.#experiment, result).map((figure) => figureView(`${name}-${figure.name}`, figure, { ...around, region: regionOf(figure.title) })),
      ...films(this.#experiment, result).map((film) => filmView(`${name}-film`, film, around)),
    );
  }
}

/** When, where and how it was made. @param {Result} result */
export function madeLine({ scale, date, device, seconds, runs }) {
  const seeds = new Set(runs.map(({ seed }) => seed)).size;
  return t(`findings.made.${scale}`, { date: day(date), seeds, device: said(device), duration: duration(seconds) });
}

/** @param {Experiment} experiment @param {Result} result */
function claimLines(experiment, result) {
  return summarize(experiment, result).claims.map(({ claim, differences, estimate, verdict }) => {
    const setup = /** @type {import("./contract.js").Setup} */ (experiment.setups.find(({ id }) => id === claim.setup));
    const unit = unitOfClaim(claim, setup);
    const numbers = estimate
      ? t("findings.claim.difference", { measure: t(`findings.difference.${measureOf(claim, setup)}`), interval: differenceText(estimate, unit) })
      : t(differences.length > 0 ? "findings.claim.none" : "findings.claim.unmeasured");
    const needed = t(`findings.claim.${claim.says}${claim.margin === 0 ? ".zero" : ""}`, { margin: unit.amount(claim.margin) });
    return h(
      "li",
      { "data-claim": claim.id, "data-verdict": verdict },
      h("span", { class: "verdict", "data-verdict": verdict }, t(`findings.verdict.${verdict}`)),
      h("div", {}, h("p", {}, words.claim(experiment, claim)), h("p", { class: "hint" }, together(numbers, needed))),
    );
  });
}

/** Arms whose table was kept along the way. @param {Experiment} experiment @param {Result} result */
function films(experiment, { snapshots, nearness }) {
  return experiment.setups.flatMap((setup) =>
    (setup.watch?.films ?? []).flatMap((arm) => {
      const mine = (/** @type {{ setup: string, arm: string }} */ one) => one.setup === setup.id && one.arm === arm;
      const frames = snapshots.filter(mine);
      if (frames.length < 2) return [];
      const near = nearness.filter((one) => mine(one) && one.seed === frames[0].seed);
      return [{ title: t("findings.film.title", { arm: armName(experiment, arm) }), snapshots: frames, nearness: near }];
    }),
  );
}

/**
 * What papers say in numbers, below what came out here.
 *
 * @param {Experiment} experiment
 * @param {Result | undefined} result
 * @returns {HTMLElement[]}
 */
function published(experiment, result) {
  const { published: all, number } = experiment;
  const title = h("h3", {}, t("findings.paper.title"));
  if (all.length === 0) return [title, h("p", { class: "hint" }, t("findings.paper.none"))];
  const sources = [...new Set(all.map(({ source }) => source))];
  const arms = [...new Set(all.map(({ arm }) => arm))];
  const valueOf = (/** @type {string} */ source, /** @type {string} */ arm) => all.find((one) => one.source === source && one.arm === arm)?.value;
  const rows = [
    ...(result ? ours(experiment, result) : []),
    ...sources.map((source) => ({ name: words.source({ source }), text: (/** @type {string} */ arm) => asPublished(valueOf(source, arm)) })),
  ];
  return [
    title,
    h(
      "div",
      { class: "table-scroll", tabindex: 0, role: "region", "aria-label": t("findings.paper.region", { number }) },
      h(
        "table",
        { class: "numbers" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("findings.paper.source")), arms.map((arm) => h("th", { scope: "col", class: "number" }, armName(experiment, arm))))),
        h("tbody", {}, rows.map(({ name, text }) => h("tr", {}, h("th", { scope: "row" }, name), arms.map((arm) => h("td", { class: "number" }, text(arm)))))),
      ),
    ),
  ];
}

/** What came out here, in rows of the same table. @param {Experiment} experiment @param {Result} result */
function ours(experiment, result) {
  return summarize(experiment, result).setups.flatMap(({ setup, arms }) => {
    const of = (/** @type {string} */ id) => arms.find(({ arm }) => arm.id === id);
    const rows = [
      {
        name: t("findings.paper.ours", { setup: words.setup(experiment, setup), measure: t(`findings.measure.${setup.metric}`) }),
        text: (/** @type {string} */ arm) => {
          const score = of(arm)?.score;
          return score ? unitOf(setup).text(score.mean) : "";
        },
      },
    ];
    if (arms.some(({ step }) => step))
      rows.push({
        name: t("findings.paper.ours", { setup: words.setup(experiment, setup), measure: t("findings.measure.speed") }),
        text: (arm) => {
          const step = of(arm)?.step;
          return step ? speed(1000 / step.median) : "";
        },
      });
    return rows;
  });
}

/** As many digits as it was published with. @param {number | undefined} value */
const asPublished = (value) => (value === undefined ? "" : fixed(value, value >= 10 ? 2 : 3).replace(/(\.\d+?)0+$/, "$1"));
