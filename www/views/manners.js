// How each kind of question is put to a model, and how its answer looks.
import { h } from "../dom.js";
import { percent } from "../format.js";
import { t } from "../messages/index.js";
import { bars, mark } from "./bars.js";

/** @typedef {import("synthattn").Classification} Classification */

/**
 * @template Answer
 * @typedef {import("./ask.js").Manner<Answer>} Manner
 */

/** Labels shown with a bar: all of a few, the likeliest of many. */
const LABELS = 8;

/** @type {Manner<Classification>} */
export const classify = {
  name: "classify",
  boxes: ["prompt"],
  ask: ({ model }, [text]) => model.classify(text),
  draw: drawClasses,
};

/** @type {Manner<Classification>} */
export const classifyPair = {
  name: "classifyPair",
  boxes: ["prompt", "second"],
  ask: ({ model }, [first, second]) => model.classify([first, second]),
  draw: drawClasses,
};

/** @type {Manner<string>} */
export const translate = {
  name: "translate",
  boxes: ["prompt"],
  fields: ["beams"],
  ask: ({ model }, [source], { beams }, signal) => model.translate(source, { beams, signal }),
  draw: (said, _entry, _texts, known) => [
    h("p", { class: "said-text" }, said === "" ? h("span", { class: "hint" }, t("ask.nothingSaid")) : said),
    ...(known === undefined ? [] : [verdict(said === known, known)]),
  ],
};

/**
 * @param {Classification} answer
 * @param {import("../entry.js").Entry} entry
 * @param {string[]} _texts
 * @param {string | undefined} known
 */
function drawClasses({ label, probabilities }, entry, _texts, known) {
  const labels = entry.model.labels ?? Object.keys(probabilities);
  const likeliest = [...labels].sort((a, b) => probabilities[b] - probabilities[a]).slice(0, LABELS);
  const items = labels
    .filter((name) => likeliest.includes(name))
    .map((name) => ({ name, value: probabilities[name], marked: name === label }));
  return [
    h(
      "p",
      { class: "answer-line" },
      h("b", {}, label),
      " ",
      percent(probabilities[label]),
      ...(known === undefined ? [] : [" ", verdict(label === known, known)]),
    ),
    bars(items, t("ask.probabilities")),
  ];
}

/** @param {boolean} right @param {string} known */
function verdict(right, known) {
  const said = right ? t("ask.right") : t("ask.wrong", { answer: known });
  return h("span", { class: "verdict-line" }, mark(right, ""), h("span", {}, said));
}
