// The sections that differ from task to task: those of the task in the sentence are in the page, the others are not.
import { h } from "../dom.js";
import { t } from "../messages/index.js";
import { TASKS } from "../tasks.js";
import { Ask } from "./ask.js";
import { Confusion } from "./confusion.js";
import { Fill } from "./fill.js";
import { classify, classifyPair, translate } from "./manners.js";
import { Predictions } from "./predictions.js";
import { Speak } from "./speak.js";

/** @typedef {import("./bench.js").Bench} Bench */
/**
 * @typedef {{ element: HTMLElement, shown: () => void }} View `shown` is called when it has come into the page
 */
/** @typedef {(bench: Bench) => View} Make */

/** @type {Record<string, Make>} */
const ANSWERS = {
  speak: (bench) => new Speak(bench),
  fill: (bench) => new Fill(bench),
  classify: (bench) => new Ask(bench, classify),
  classifyPair: (bench) => new Ask(bench, classifyPair),
  translate: (bench) => new Ask(bench, translate),
};

/** @type {Record<string, Make>} */
const TESTED = {
  predictions: (bench) => new Predictions(bench),
  confusion: (bench) => new Confusion(bench),
};

/**
 * Keeps in a place the views that the task in the sentence wants. They are made when first wanted, and kept.
 *
 * @param {Bench} bench
 * @param {HTMLElement} place
 * @param {Record<string, Make>} table
 * @param {(task: import("../tasks.js").Task) => string[]} wantedBy
 */
function stage(bench, place, table, wantedBy) {
  /** @type {Map<string, View>} */
  const made = new Map();
  let shown = "";
  const show = () => {
    const wanted = wantedBy(TASKS[bench.state.settings.task]);
    if (shown === wanted.join()) return;
    shown = wanted.join();
    for (const name of wanted) if (!made.has(name)) made.set(name, table[name](bench));
    const views = wanted.map((name) => /** @type {View} */ (made.get(name)));
    place.replaceChildren(...views.map(({ element }) => element));
    if (place.isConnected) for (const view of views) view.shown();
  };
  bench.state.listen(show);
  show();
  return {
    /** The place has come into the page. */
    placed() {
      for (const view of made.values()) if (view.element.isConnected) view.shown();
    },
  };
}

/** Where the models are asked something. @param {Bench} bench */
export function answersStage(bench) {
  const element = h("div", {});
  return { element, ...stage(bench, element, ANSWERS, ({ answers }) => [answers]) };
}

/** Where the models meet rows they were not trained on. @param {Bench} bench */
export function testedStage(bench) {
  const place = h("div", { class: "tested" });
  const element = h(
    "section",
    { id: "tested", "aria-labelledby": "tested-title" },
    h("div", { class: "head" }, h("h2", { id: "tested-title" }, t("tested.title"))),
    h("p", { class: "lead" }, t("tested.lead")),
    place,
  );
  const show = () => (element.hidden = TASKS[bench.state.settings.task].tested.length === 0);
  bench.state.listen(show);
  show();
  return { element, ...stage(bench, place, TESTED, ({ tested }) => tested) };
}
