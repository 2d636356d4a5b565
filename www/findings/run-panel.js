// Runs an experiment in this tab: how long it may take, how far it is, Stop, and what went wrong.
import { createModelFor } from "./create.js";
import { freshId, h, setText } from "../dom.js";
import { codeOf, notice } from "../errors.js";
import { duration, fixed, percent, whole } from "../format.js";
import { t, together } from "../messages/index.js";
import { runExperiment, workOf as stepsOf } from "./run.js";
import { summarize } from "./summary.js";
import { armName } from "./texts.js";

/** @import { Experiment, Progress, Result, Scale } from "./contract.js" */

const SCALES = /** @type {const} */ (["quick", "full"]);

export class RunPanel {
  /** @type {HTMLElement} */
  element;
  #experiment;
  #bench;
  #start;
  #after;
  /** @type {Result | undefined} */
  #report;
  /** @type {Result | undefined} */
  #own;
  /** @type {AbortController | undefined} */
  #abort;
  #buttons;
  #stop;
  #forget;
  #estimate = h("p", { class: "hint", id: freshId() });
  #progress;
  #state;
  #spoken = h("p", { class: "visually-hidden", role: "status" });
  #notice;

  /**
   * @param {Experiment} experiment
   * @param {import("./workbench.js").Workbench} bench
   * @param {() => Promise<void>} start
   * @param {{ done: (result: Result) => boolean, forget: () => void }} after `done` says whether the result outlives the page
   */
  constructor(experiment, bench, start, after) {
    const { id } = experiment;
    this.#experiment = experiment;
    this.#bench = bench;
    this.#start = start;
    this.#after = after;
    this.#notice = notice(`run-error-${id}`);
    this.#buttons = SCALES.map((scale) =>
      h(
        "button",
        {
          type: "button",
          class: scale === "quick" ? "primary" : undefined,
          "data-testid": `run-${id}-${scale}`,
          "aria-describedby": this.#estimate.id,
          onclick: () => void this.run(scale),
        },
        t(`findings.run.${scale}`),
      ),
    );
    this.#stop = h("button", { type: "button", hidden: true, "data-testid": `stop-${id}`, onclick: () => this.#abort?.abort() }, t("findings.run.stop"));
    this.#forget = h("button", { type: "button", class: "quiet", hidden: true, "data-testid": `forget-${id}`, onclick: () => after.forget() }, t("findings.run.forget"));
    this.#progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": t("findings.run.progress"), "data-testid": `progress-${id}` });
    this.#state = h("p", { class: "status", "data-testid": `state-${id}` });
    this.element = h(
      "div",
      { class: "run-panel" },
      h("h3", {}, t("findings.run.title")),
      h("div", { class: "row" }, this.#buttons, this.#stop, this.#forget),
      this.#estimate,
      this.#progress,
      this.#state,
      this.#spoken,
      this.#notice.element,
    );
    bench.addEventListener("phase", () => this.#showPhase());
    this.#showPhase();
  }

  /** The report's result, which tells how long a run takes. @param {Result | undefined} result */
  learn(result) {
    this.#report = result;
    this.#showPhase();
  }

  /** This browser's. @param {Result | undefined} result */
  learnOwn(result) {
    this.#own = result;
    this.#forget.hidden = !result;
    this.#showPhase();
  }

  /** Says what a link asked for; it runs when the button is pressed. @param {Scale} scale */
  offer(scale) {
    setText(this.#state, t(`findings.run.offered.${scale}`));
    this.#buttons[SCALES.indexOf(scale)].focus({ preventScroll: true });
  }

  #showPhase() {
    const { running, busy } = this.#bench;
    const mine = running === this.#experiment.id;
    for (const button of this.#buttons) {
      button.disabled = busy;
      button.hidden = mine;
    }
    this.#stop.hidden = !mine;
    this.#progress.hidden = !mine;
    this.#forget.disabled = busy;
    this.#estimate.hidden = mine;
    setText(this.#estimate, busy ? t("findings.run.busy") : this.#expected());
  }

  /** How long it may take: by a run in this browser, or else by the report. */
  #expected() {
    const experiment = this.#experiment;
    const own = this.#own;
    const report = this.#report;
    const basis = own ?? report;
    if (!basis) return t("findings.run.unknown");
    const trained = SCALES.map((scale) => (report ? trainingSeconds(experiment, scale, report) : NaN));
    const measured = SCALES.map((scale) => (basis.seconds * workOf(experiment, scale)) / workOf(experiment, basis.scale));
    const stepped = !own && trained.every(Number.isFinite);
    const [quick, full] = (stepped ? trained : measured).map(about);
    return t(own ? "findings.run.estimateOwn" : stepped ? "findings.run.estimate" : "findings.run.estimateWhole", { quick, full });
  }

  /** @param {Scale} scale */
  async run(scale) {
    const { id } = this.#experiment;
    if (this.#bench.busy) return;
    this.#notice.clear();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    setText(this.#state, t("findings.run.starting"));
    await this.#bench.work(id, async () => {
      this.#stop.focus({ preventScroll: true });
      try {
        await this.#start();
        const { engine } = this.#bench;
        if (!engine) throw this.#bench.failure;
        const result = await this.#pull(scale, engine, signal);
        if (result) this.#end(result);
      } catch (error) {
        const stopped = codeOf(error) === "aborted" || signal.aborted;
        setText(this.#state, t(stopped ? "findings.run.stopped" : "findings.run.failed"));
        if (!stopped) this.#notice.fail(error);
      }
    });
    setText(this.#spoken, this.#state.textContent ?? "");
    this.#buttons[SCALES.indexOf(scale)].focus({ preventScroll: true });
  }

  /**
   * @param {Scale} scale
   * @param {import("synthattn").Engine} engine
   * @param {AbortSignal} signal
   * @returns {Promise<Result | undefined>}
   */
  async #pull(scale, engine, signal) {
    const begun = performance.now();
    /** @type {Result | undefined} */
    let result;
    for await (const progress of runExperiment(engine, this.#experiment, { scale, signal, createModel: createModelFor(engine) })) {
      result = progress.result;
      this.#tell(progress, (performance.now() - begun) / 1000);
    }
    return result;
  }

  /** @param {Progress} progress @param {number} seconds so far */
  #tell({ done, arm, seed, phase, step, steps }, seconds) {
    this.#progress.value = done;
    const values = { arm: armName(this.#experiment, arm), seed, step: whole(step), steps: whole(steps), done: percent(done) };
    // The first steps are slower than the rest: no word of what is left before some were made.
    const left = done > 0.02 && seconds > 3 ? t("findings.run.left", { left: about((seconds / done) * (1 - done)) }) : "";
    setText(this.#state, together(t(`findings.run.${phase}`, values), left));
  }

  /** @param {Result} result */
  #end(result) {
    const kept = this.#after.done(result);
    setText(this.#state, together(t("findings.run.done", { duration: duration(result.seconds) }), kept ? t("findings.run.kept") : t("findings.run.notKept")));
  }
}

/** Steps in all. @param {Experiment} experiment @param {Scale} scale */
const workOf = (experiment, scale) => stepsOf(experiment, scale, "training") + stepsOf(experiment, scale, "timing");

/** What training takes by the times of a step; not a number without them. @param {Experiment} experiment @param {Scale} scale @param {Result} result */
function trainingSeconds(experiment, scale, result) {
  const seconds = summarize(experiment, result).setups.flatMap(({ setup, arms }) => {
    const { steps, seeds } = setup.scale[scale];
    return arms.map(({ step }) => (step ? (steps * seeds.length * step.median) / 1000 : NaN));
  });
  return seconds.reduce((sum, one) => sum + one, 0);
}

/** A time as exact as a guess may sound. @param {number} seconds */
function about(seconds) {
  if (seconds < 50) return t("duration.seconds", { seconds: Math.max(5, Math.round(seconds / 5) * 5) });
  if (seconds < 5400) return t("findings.run.minutes", { minutes: Math.max(1, Math.round(seconds / 60)) });
  return t("findings.run.hours", { hours: fixed(seconds / 3600, 1) });
}
