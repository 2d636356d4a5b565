// A few sentences computed from the run, with the published number beside ours.
import { calmly, h } from "./dom.js";
import { fixed, percent } from "./format.js";
import { infoOf, labelOf, referenceOf } from "./kinds.js";
import { has, said, t, together } from "./messages/index.js";
import { speedVerdict } from "./pace.js";
import { QUALITY, SPEED } from "./paper.js";
import { scoreText, valueOf } from "./score.js";
import { scoresOf } from "./tasks.js";

/** @typedef {import("./entry.js").Entry} Entry */
/** @typedef {import("./paper.js").Published} Published */
/** @typedef {import("./tasks.js").Score} Score */
/** @typedef {{ question: string, ours: string, published: string }} Conclusion */

/** @typedef {{ change: number, noise: number, text: string }} Difference `noise`: what it must exceed to mean something */

/** @type {Record<Score["format"], (ours: number, reference: number, count: number) => Difference>} */
const DIFFERENCES = {
  // Relative differences in loss of a per cent are within what another seed would change.
  bits(ours, reference) {
    const change = ours / reference - 1;
    return { change, noise: 0.01, text: percent(Math.abs(change), 1) };
  },
  // Shares of rows: two standard errors of the difference. Where rows are not counted, as for hidden words, one point.
  share(ours, reference, count) {
    const variance = (/** @type {number} */ share) => (share * (1 - share)) / count;
    const noise = count > 0 ? Math.max(0.005, 2 * Math.sqrt(variance(ours) + variance(reference))) : 0.01;
    return { change: ours - reference, noise, text: fixed(100 * Math.abs(ours - reference), 1) };
  },
  points(ours, reference) {
    return { change: ours - reference, noise: 1, text: fixed(Math.abs(ours - reference), 1) };
  },
};

export class Conclusions {
  /** @type {HTMLElement} */
  element;
  #lab;
  #state;
  #list = h("div", { class: "conclusions", "data-testid": "conclusions" });
  #caution = h("p", { class: "hint" });

  /** @param {import("./views/bench.js").Bench} bench */
  constructor({ lab, state }) {
    this.#lab = lab;
    this.#state = state;
    this.element = h(
      "section",
      { id: "conclusions", "aria-labelledby": "conclusions-title" },
      h("div", { class: "head" }, h("h2", { id: "conclusions-title" }, t("conclusions.title"))),
      this.#list,
      this.#caution,
    );
    const draw = calmly(() => this.#draw(), 1000);
    for (const event of ["report", "phase", "entries"]) lab.addEventListener(event, draw);
    state.listen(draw);
    this.#draw();
  }

  #draw() {
    const { order, phase, engine } = this.#lab;
    const entries = this.#lab.entries.filter((entry) => !entry.file);
    const kind = referenceOf(entries.map((entry) => entry.kind));
    const reference = entries.find((entry) => entry.kind === kind);
    const { task, text } = this.#state.settings;
    const about = order ? { task: order.data.task, set: order.data.name } : { task, set: text };
    const [score] = scoresOf(about.task, about.set);
    const conclusions = [
      qualityConclusion("synthesizer", entries, reference, score, about.task),
      qualityConclusion("mixture", entries, reference, score, about.task),
      ...limitConclusion(about.set, entries, score, order?.data.ceiling),
      speedConclusion(entries, reference, said(engine?.device.description ?? "")),
    ];
    this.#list.replaceChildren(
      ...conclusions.map(({ question, ours, published }) =>
        h(
          "div",
          { class: "conclusion" },
          h("h3", {}, question),
          h("p", {}, ours),
          h("p", { class: "published" }, published),
        ),
      ),
    );
    this.#caution.textContent = entries.some(({ held }) => held.length > 0)
      ? t(phase === "done" ? "conclusions.caution" : "conclusions.soFar")
      : "";
  }
}

/** @param {Entry | undefined} entry @param {Score} score */
const scoreOf = (entry, score) => valueOf(entry?.held.at(-1), score) ?? NaN;

/**
 * The best of those that have a score.
 *
 * @param {Entry[]} entries
 * @param {Score} score
 */
function bestOf(entries, score) {
  return entries
    .filter((entry) => Number.isFinite(scoreOf(entry, score)))
    .sort((a, b) => score.better * (scoreOf(b, score) - scoreOf(a, score)))[0];
}

/**
 * How the best of a family did against the reference.
 *
 * @param {"synthesizer" | "mixture"} family
 * @param {Entry[]} entries
 * @param {Entry | undefined} reference
 * @param {Score} score
 * @param {string} task
 * @returns {Conclusion}
 */
function qualityConclusion(family, entries, reference, score, task) {
  const question = t(`conclusions.${family}.question`);
  const best = bestOf(
    entries.filter((entry) => infoOf(entry.kind)?.family === family),
    score,
  );
  const [ours, theirs] = [scoreOf(best, score), scoreOf(reference, score)];
  if (!best || !reference || !Number.isFinite(theirs))
    return { question, ours: t(`conclusions.${family}.missing`), published: "" };
  const held = best.held.at(-1);
  const { change, noise, text } = DIFFERENCES[score.format](ours, theirs, held?.count ?? 0);
  const verdict = Math.abs(change) < noise ? "level" : change > 0 ? "more" : "less";
  const said = t(`conclusions.${score.name}.${verdict}`, {
    kind: labelOf(best.kind),
    reference: labelOf(reference.kind),
    value: scoreText(score, ours),
    referenceValue: scoreText(score, theirs),
    change: text,
  });
  const published = QUALITY[task]?.[best.kind];
  const remark = `conclusions.paper.${task}.${family}`;
  if (has(remark)) return { question, ours: said, published: t(remark) };
  const gain = verdict === "level" ? 0 : score.better * change;
  return { question, ours: said, published: besides(published, best.kind, gain) };
}

/**
 * What the data lets a kind reach that does not compare tokens, and whether that is what was seen.
 *
 * @param {string} set
 * @param {Entry[]} entries
 * @param {Score} score
 * @param {number | undefined} ceiling
 * @returns {Conclusion[]}
 */
function limitConclusion(set, entries, score, ceiling) {
  if (!has(`set.${set}.why`)) return [];
  const question = t("conclusions.limit.question");
  const ours = t(`set.${set}.why`, { ceiling: scoreText(score, ceiling) });
  const blind = bestOf(
    entries.filter((entry) => infoOf(entry.kind)?.conditionsOn === "nothing"),
    score,
  );
  if (!blind) return [{ question, ours, published: "" }];
  const values = { kind: labelOf(blind.kind), value: scoreText(score, scoreOf(blind, score)) };
  return [{ question, ours, published: t("conclusions.limit.seen", values) }];
}

/** @param {Entry[]} entries @param {Entry | undefined} reference @param {string} device @returns {Conclusion} */
function speedConclusion(entries, reference, device) {
  const question = t("conclusions.speed.question");
  const found = speedVerdict(entries, reference);
  if (!found) return { question, ours: t("conclusions.speed.missing"), published: "" };
  const { verdict, fastest, pace } = found;
  const ours = t(`conclusions.speed.${verdict}`, {
    kind: labelOf(fastest.kind),
    reference: reference ? labelOf(reference.kind) : "",
    factor: fixed(pace.factor, 2),
    low: fixed(pace.low, 2),
    high: fixed(pace.high, 2),
    device,
  });
  const gain = { faster: 1, slower: -1, level: 0, open: undefined, short: undefined }[verdict];
  return { question, ours, published: besides(SPEED[fastest.kind], fastest.kind, gain) };
}

/**
 * The published number, and whether ours points the same way.
 *
 * @param {Published | undefined} published
 * @param {string} kind
 * @param {number | undefined} gain how much better ours is than the reference; undefined where that can't be told
 */
function besides(published, kind, gain) {
  if (!published) return t("conclusions.paper.none", { kind: labelOf(kind) });
  const { measure, value, reference, change, better } = published;
  const paper = t(`conclusions.paper.${measure}.${change < 0 ? "less" : "more"}`, {
    kind: labelOf(kind),
    value: fixed(value, value > 10 ? 2 : 3).replace(/0$/, ""),
    reference: fixed(reference, reference > 10 ? 2 : 3).replace(/0$/, ""),
    change: percent(Math.abs(change), 1),
  });
  if (gain === undefined) return paper;
  const verdict = gain === 0 ? "unclear" : Math.sign(gain) === Math.sign(better * change) ? "agree" : "disagree";
  return together(paper, t(`conclusions.${verdict}`));
}
