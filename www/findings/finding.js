// One section of the page: a question, what a visitor expects, what came out in the report and in this browser.
import { h } from "../dom.js";
import { t } from "../messages/index.js";
import { hidesFirst, keepResult, predict, predictionOf, resultOf } from "./kept.js";
import { ResultView } from "./result-view.js";
import { RunPanel } from "./run-panel.js";
import { settingsOf } from "./settings.js";
import { words } from "./texts.js";

/** @import { Experiment, Result } from "./contract.js" */

export class Finding {
  /** @type {HTMLElement} */
  element;
  experiment;
  #title;
  #panel;
  #results = h("div", { class: "results" });
  #hidden = h("p", { class: "hint", hidden: true }, t("findings.hidden"));
  #report;
  #own;

  /**
   * @param {Experiment} experiment
   * @param {import("./workbench.js").Workbench} bench
   * @param {() => Promise<void>} start makes the engine, and says on the page if it can't be
   */
  constructor(experiment, bench, start) {
    this.experiment = experiment;
    const { id, number } = experiment;
    this.#title = h("h2", { id: `${id}-title`, tabindex: -1 }, h("span", { class: "finding-number" }, number), " ", words.title(experiment));
    this.#report = new ResultView(experiment, "report");
    this.#own = new ResultView(experiment, "own");
    this.#panel = new RunPanel(experiment, bench, start, {
      done: (result) => {
        const kept = keepResult(id, result);
        this.#showOwn();
        return kept;
      },
      forget: () => {
        keepResult(id, undefined);
        this.#showOwn();
      },
    });
    this.#results.append(this.#report.element, this.#own.element);
    this.element = h(
      "section",
      { id, class: "finding", "aria-labelledby": `${id}-title`, "data-testid": `finding-${id}` },
      h("div", { class: "head" }, this.#title),
      h("p", { class: "question" }, words.question(experiment)),
      h("p", { class: "about" }, words.about(experiment)),
      this.#choices(),
      this.#hidden,
      this.#results,
      this.#panel.element,
    );
    this.showResults();
  }

  /** @param {import("./main.js").Stored} stored */
  showReport({ result, fault }) {
    const missing = fault ? "unread" : !result ? "missing" : isCurrent(this.experiment, result) ? undefined : "outdated";
    this.#report.show(missing ? undefined : result, missing && t(`findings.report.${missing}`, { reason: fault ?? "" }));
    this.#panel.learn(missing ? undefined : result);
    this.#showOwn();
  }

  #showOwn() {
    const own = resultOf(this.experiment.id);
    const current = own && isCurrent(this.experiment, own);
    this.#own.show(current ? own : undefined, own && !current ? t("findings.own.outdated") : undefined);
    this.#panel.learnOwn(current ? own : undefined);
    this.showResults();
  }

  /** Brings results into line with what is expected, and with whether they are to be hidden before. */
  showResults() {
    const expected = predictionOf(this.experiment.id);
    const hidden = hidesFirst() && expected === undefined;
    this.#results.hidden = hidden;
    this.#hidden.hidden = !hidden;
    this.#report.expect(expected);
    this.#own.expect(expected);
  }

  /** What a visitor may expect. */
  #choices() {
    const { id, predictions } = this.experiment;
    const expected = predictionOf(id);
    return h(
      "fieldset",
      { class: "choices" },
      h("legend", {}, t("findings.expect")),
      predictions.map((prediction) =>
        h(
          "label",
          { class: "choice" },
          h("input", {
            type: "radio",
            name: `expect-${id}`,
            value: prediction,
            checked: prediction === expected,
            "data-testid": `expect-${id}-${prediction}`,
            onchange: () => {
              predict(id, prediction);
              this.showResults();
            },
          }),
          h("span", {}, words.expects(this.experiment, prediction)),
        ),
      ),
    );
  }

  /** Where a link that reruns this leads: nothing runs before a press. @param {import("./contract.js").Scale} scale */
  offer(scale) {
    this.element.scrollIntoView();
    this.#panel.offer(scale);
  }
}

/** Whether a result is of the experiment as it is now. @param {Experiment} experiment @param {Result} result */
const isCurrent = (experiment, result) => result.settings === settingsOf(experiment, result.scale);
