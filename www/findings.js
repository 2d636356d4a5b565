// Three sentences computed from the run, with the published number beside ours.
import { calmly, h } from "./dom.js";
import { fixed, median, percent } from "./format.js";
import { infoOf, labelOf, referenceOf } from "./kinds.js";
import { t } from "./messages/index.js";
import { QUALITY, SPEED } from "./paper.js";

/** @typedef {import("./entry.js").Entry} Entry */
/** @typedef {import("./paper.js").Published} Published */

/** Relative differences in loss below this are within what another seed would change. */
const NOISE = 0.01;
/** The same for speeds. */
const SPEED_NOISE = 0.03;

export class Findings {
  /** @type {HTMLElement} */
  element;
  #lab;
  #list = h("div", { class: "findings", "data-testid": "findings" });
  #caution = h("p", { class: "hint" });

  /** @param {import("./lab.js").Lab} lab */
  constructor(lab) {
    this.#lab = lab;
    this.element = h(
      "section",
      { id: "findings", "aria-labelledby": "findings-title" },
      h("div", { class: "head" }, h("h2", { id: "findings-title" }, t("findings.title"))),
      this.#list,
      this.#caution,
    );
    const draw = calmly(() => this.#draw(), 1000);
    lab.addEventListener("report", draw);
    lab.addEventListener("phase", draw);
    lab.addEventListener("entries", draw);
    this.#draw();
  }

  #draw() {
    const entries = this.#lab.entries.filter((entry) => !entry.file);
    const kind = referenceOf(entries.map((entry) => entry.kind));
    const reference = entries.find((entry) => entry.kind === kind);
    const final = this.#lab.phase === "done";
    const sentences = [
      qualityFinding("synthesizer", entries, reference),
      qualityFinding("mixture", entries, reference),
      speedFinding(entries, reference, this.#lab.engine?.device.description ?? ""),
    ];
    this.#list.replaceChildren(
      ...sentences.map(({ question, ours, published }) =>
        h(
          "div",
          { class: "finding" },
          h("h3", {}, question),
          h("p", {}, ours),
          h("p", { class: "published" }, published),
        ),
      ),
    );
    this.#caution.textContent = entries.some(({ held }) => held.length > 0)
      ? t(final ? "findings.caution" : "findings.soFar")
      : "";
  }
}

/** @param {Entry | undefined} entry */
const bitsOf = (entry) => entry?.held.at(-1)?.bits ?? NaN;

/**
 * How the best of a family did against the reference.
 *
 * @param {"synthesizer" | "mixture"} family
 * @param {Entry[]} entries
 * @param {Entry | undefined} reference
 */
function qualityFinding(family, entries, reference) {
  const question = t(`findings.${family}.question`);
  const [best] = entries
    .filter((entry) => infoOf(entry.kind)?.family === family && Number.isFinite(bitsOf(entry)))
    .sort((a, b) => bitsOf(a) - bitsOf(b));
  if (!best || !reference || !Number.isFinite(bitsOf(reference)))
    return { question, ours: t(`findings.${family}.missing`), published: "" };
  const change = bitsOf(best) / bitsOf(reference) - 1;
  const verdict = Math.abs(change) < NOISE ? "level" : change > 0 ? "behind" : "ahead";
  const ours = t(`findings.quality.${verdict}`, {
    kind: labelOf(best.kind),
    reference: labelOf(reference.kind),
    bits: fixed(bitsOf(best), 2),
    referenceBits: fixed(bitsOf(reference), 2),
    change: percent(Math.abs(change), 1),
  });
  return { question, ours, published: besides(QUALITY[best.kind], best.kind, change, NOISE) };
}

/** @param {Entry[]} entries @param {Entry | undefined} reference @param {string} device */
function speedFinding(entries, reference, device) {
  const question = t("findings.speed.question");
  const base = median(reference?.speeds ?? []);
  const [fastest] = entries
    .filter((entry) => entry !== reference && entry.speeds.length > 0)
    .sort((a, b) => median(b.speeds) - median(a.speeds));
  if (!fastest || !(base > 0)) return { question, ours: t("findings.speed.missing"), published: "" };
  const factor = median(fastest.speeds) / base;
  const verdict = Math.abs(factor - 1) < SPEED_NOISE ? "level" : factor > 1 ? "faster" : "slower";
  const ours = t(`findings.speed.${verdict}`, {
    kind: labelOf(fastest.kind),
    reference: reference ? labelOf(reference.kind) : "",
    factor: fixed(factor, 2),
    device,
  });
  const published = SPEED[fastest.kind];
  return {
    question,
    ours,
    published: besides(published, fastest.kind, factor - 1, SPEED_NOISE),
  };
}

/**
 * The published number, and whether ours points the same way.
 *
 * @param {Published | undefined} published
 * @param {string} kind
 * @param {number} ours
 * @param {number} noise
 */
function besides(published, kind, ours, noise) {
  if (!published) return t("findings.paper.none", { kind: labelOf(kind) });
  const { measure, value, reference, change } = published;
  const own = Math.abs(ours) < noise ? 0 : Math.sign(ours);
  const verdict = own === 0 ? "unclear" : own === Math.sign(change) ? "agree" : "disagree";
  const paper = t(`findings.paper.${measure}.${change < 0 ? "less" : "more"}`, {
    kind: labelOf(kind),
    value: fixed(value, value > 10 ? 2 : 3).replace(/0$/, ""),
    reference: fixed(reference, reference > 10 ? 2 : 3).replace(/0$/, ""),
    change: percent(Math.abs(change), 1),
  });
  return `${paper} ${t(`findings.${verdict}`)}`;
}
