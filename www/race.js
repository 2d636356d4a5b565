// The race: buttons and progress, loss curves, the table beside them, and the numbers behind the curves.
import { LineChart } from "./chart.js";
import { calmly, h, setText } from "./dom.js";
import { downloadModel } from "./download.js";
import { codeOf, detailsOf, notice } from "./errors.js";
import { chartSvg } from "./export/picture.js";
import { csvOf, pngOf, saveRow } from "./export/save.js";
import { OWN } from "./fields.js";
import { duration, fixed, median, percent, whole } from "./format.js";
import { colourOf, dashOf, kindOf, labelOf } from "./kinds.js";
import { listed, said, t, together } from "./messages/index.js";
import { LossScale } from "./loss-scale.js";
import { orderFrom, runKey } from "./order.js";
import { valueOf } from "./score.js";
import { copyButton } from "./share.js";
import { scoresOf, shapeOf, TASKS } from "./tasks.js";
import { RaceTable } from "./table.js";
import { SAMPLE } from "./text-source.js";

/** @typedef {import("./lab.js").Lab} Lab */
/** @typedef {import("./entry.js").Entry} Entry */
/** @typedef {import("./state.js").State} State */

/** Rows of the table behind the chart. */
const NUMBERS = 20;
/** Errors after which a run goes on from snapshots. */
const ENDS_OF_DEVICES = ["device-lost", "out-of-memory", "internal"];

export class Race {
  /** The bar with the buttons; it stays in sight. @type {HTMLElement} */
  bar;
  /** @type {HTMLElement} */
  element;
  /** Where the table stands, and below it what is said of it: that grows, so nothing stands below. */
  aside;
  notes;
  #lab;
  #state;
  #controls;
  #data;
  #buttons;
  #status = h("p", { class: "status" });
  #announcement = h("p", { class: "visually-hidden", role: "status", "data-testid": "status" });
  #changed = h("p", { class: "hint", hidden: true });
  #progress = h("progress", { max: 1, value: 0, "aria-label": t("race.progress") });
  #notice = notice("run-error");
  #scale = new LossScale();
  #chart = new LineChart(t("race.chartLabel"), (x) => this.#readOut(x));
  #chartHelp = h("p", { class: "hint" });
  #reading = h("p", { class: "reading", "data-testid": "reading" });
  #ceiling = h("p", { class: "hint", "data-testid": "ceiling" });
  #measured = h("p", { class: "hint", "data-testid": "measured" });
  #numbers = h("table", { class: "numbers" });
  #numbersFold;
  #table;
  #axis;
  #saveCurves = saveRow("curves", {
    svg: () => chartSvg(/** @type {import("./export/picture.js").Drawing} */ (this.#chart.drawing()), this.#words()),
    png: () => pngOf(/** @type {HTMLCanvasElement} */ (this.#chart.canvas(this.#words()))),
    csv: () => csvOf(this.#curveRows()),
  });
  #saveTable = saveRow("race", { csv: () => csvOf(this.#tableRows()) });
  #runLink = copyButton({
    name: "share-run",
    label: t("share.run"),
    linkLabel: t("share.runLink"),
    copied: t("share.runCopied"),
    make: () => ({ link: this.#state.link(this.#runHash), own: this.#lab.order?.data.name === OWN }),
  });
  /** The settings of the run, as they stand in links. */
  #runHash = "";

  /**
   * @param {Lab} lab
   * @param {State} state
   * @param {import("./controls.js").Controls} controls
   * @param {import("./data.js").DataSource} data
   */
  constructor(lab, state, controls, data) {
    this.#lab = lab;
    this.#state = state;
    this.#controls = controls;
    this.#data = data;
    this.#buttons = this.#makeButtons();
    this.#table = new RaceTable({
      save: (entry) => this.#save(entry),
      remove: (entry) => void lab.remove(entry),
    });
    this.#axis = this.#axisSwitch();
    this.#numbersFold = h(
      "details",
      { class: "fold", ontoggle: () => this.#showNumbers() },
      h("summary", {}, t("race.numbers")),
      h(
        "div",
        { class: "table-scroll", tabindex: 0, role: "region", "aria-label": t("race.numbers") },
        this.#numbers,
      ),
    );

    const { compare, pause, resume, stop, goOn } = this.#buttons;
    this.bar = h(
      "div",
      { class: "run-bar" },
      h(
        "div",
        { class: "row" },
        compare,
        h("span", { class: "swap" }, pause, resume),
        stop,
        goOn,
        h("div", { class: "run-state" }, this.#status, this.#changed),
      ),
      this.#progress,
      this.#announcement,
    );
    this.notes = h("div", { class: "race-notes" }, this.#ceiling, this.#measured);
    this.aside = h(
      "div",
      { class: "race-numbers" },
      this.#table.element,
      h("div", { class: "row saves" }, this.#saveTable, this.#runLink),
      this.notes,
    );
    this.element = h(
      "section",
      { id: "race", "aria-labelledby": "race-title" },
      this.#notice.element,
      h(
        "div",
        { class: "race-columns" },
        h(
          "div",
          { class: "race-chart" },
          h("div", { class: "head" }, h("h2", { id: "race-title" }, t("race.title")), this.#axis),
          this.#chartHelp,
          this.#chart.element,
          this.#reading,
          this.#saveCurves,
          this.#numbersFold,
        ),
        this.aside,
      ),
    );

    const draw = calmly(() => this.#draw());
    lab.addEventListener("report", draw);
    // While the tab is hidden nothing is drawn, but its title still tells how far the run is.
    lab.addEventListener("report", () => document.hidden && this.#showTitle());
    lab.addEventListener("entries", draw);
    lab.addEventListener("engine", draw);
    lab.addEventListener("phase", () => this.#showPhase());
    lab.addEventListener("fail", (event) => this.#fail(/** @type {CustomEvent} */ (event).detail));
    document.addEventListener("visibilitychange", draw);
    state.listen(() => {
      for (const input of this.#axis.querySelectorAll("input")) input.checked = input.value === state.settings.axis;
      this.#showChanged();
      draw();
    });
    // What a field can't take is in no settings, and so nobody else tells of it.
    for (const event of ["input", "change"])
      controls.element.addEventListener(event, () => {
        this.#showStatus();
        this.#showChanged();
      });
    this.#showPhase();
    this.#readOut(undefined);
  }

  /** Takes the focus when what had it has gone. @param {boolean} [show] whether the run is what happens next */
  takeFocus(show = false) {
    const { compare, stop } = this.#buttons;
    (compare.disabled ? stop : compare).focus({ preventScroll: true });
    if (show) this.#scrollTo();
  }

  /** Brings the curves right under the bar, unless they are in sight. */
  #scrollTo() {
    const top = this.element.getBoundingClientRect().top - this.bar.offsetHeight;
    if (top > innerHeight * 0.4) scrollBy({ top });
  }

  /** The chart needs its place in the page before it can draw. */
  placed() {
    this.#draw();
  }

  #makeButtons() {
    /** @param {string} name @param {() => void} act */
    const button = (name, act, kind = "") =>
      h("button", { type: "button", class: kind, "data-testid": name, onclick: act }, t(`race.${name}`));
    return {
      compare: button("compare", () => void this.#compare(), "primary"),
      pause: button("pause", () => this.#lab.pause()),
      resume: button("resume", () => this.#lab.resume()),
      stop: button("stop", () => this.#lab.stop()),
      goOn: button("go-on", () => void this.#goOn()),
    };
  }

  #axisSwitch() {
    const choose = (/** @type {string} */ axis) =>
      h(
        "label",
        {},
        h("input", {
          type: "radio",
          name: "axis",
          value: axis,
          checked: this.#state.settings.axis === axis,
          "data-testid": `axis-${axis}`,
          onchange: () => this.#state.set({ axis }),
        }),
        h("span", {}, t(`race.axis.${axis}`)),
      );
    return h(
      "fieldset",
      { class: "segmented" },
      h("legend", { class: "visually-hidden" }, t("race.axis")),
      choose("steps"),
      choose("seconds"),
    );
  }

  async #compare() {
    if (this.#lab.busy) return;
    if (!this.#controls.check()) return setText(this.#announcement, this.#controls.trouble());
    this.#notice.clear();
    const { settings } = this.#state;
    const before = runKey(settings);
    let data;
    try {
      data = await this.#data.current();
    } catch (error) {
      this.#notice.say(
        t("data.fetchFailed", { reason: error instanceof Error ? error.message : String(error) }),
      );
      return;
    }
    // Pressed twice, or another choice while the data was on its way.
    if (this.#lab.busy || runKey(settings) !== before) return;
    const problem = data ? problemOf(data) : `data.none.${TASKS[settings.task].shape}`;
    if (!data || problem) {
      this.#notice.say(t(problem));
      this.#controls.openText();
      return;
    }
    this.#scrollTo();
    await this.#lab.compare(orderFrom(settings, data, before), settings);
  }

  async #goOn() {
    this.#notice.clear();
    await this.#lab.goOn(this.#state.settings);
  }

  /** The kind whose model could not be made. */
  #kindInTrouble() {
    const spec = this.#lab.making?.specs[this.#lab.made];
    return spec ? kindOf(spec) : "";
  }

  /** @param {unknown} error */
  #fail(error) {
    const again = h(
      "button",
      { type: "button", "data-testid": "go-on-again", onclick: () => void this.#goOn() },
      t("race.goOnAgain"),
    );
    this.#notice.fail(error, ...(ENDS_OF_DEVICES.includes(codeOf(error)) && this.#lab.unfinished ? [again] : []));
    const { option, expected } = detailsOf(error);
    if (codeOf(error) === "invalid-option" && typeof option === "string")
      this.#controls.complain(option, String(expected), this.#kindInTrouble());
    if (codeOf(error) === "invalid-data") this.#controls.openText();
  }

  /** @param {Entry} entry */
  async #save(entry) {
    try {
      await downloadModel(this.#lab, entry);
    } catch (error) {
      this.#notice.fail(error);
    }
  }

  #draw() {
    const lab = this.#lab;
    const { axis } = this.#state.settings;
    const bySteps = axis === "steps";
    const entries = lab.entries;
    const racing = entries.filter((entry) => !entry.file);
    const steps = lab.order?.options.steps ?? this.#state.settings.steps;
    const seconds = Math.max(1, ...racing.map((entry) => entry.seconds));
    const place = (/** @type {{ step: number, seconds: number }} */ point) =>
      bySteps ? point.step : point.seconds;
    const line = (/** @type {string} */ kind) => ({ label: labelOf(kind), colour: colourOf(kind), dash: dashOf(kind) });
    const curves = racing.map(({ kind, points, held }) => ({
      ...line(kind),
      points: points.map((point) => ({ x: place(point), y: point.loss })),
      marks: held.map((point) => ({ x: place(point), y: point.loss, filled: point.whole })),
    }));
    const losses = curves.flatMap(({ points, marks }) => [...points, ...marks].map(({ y }) => y));
    // The curves to come have room for their names already.
    const awaited = this.#planned().map((kind) => ({ ...line(kind), points: [], marks: [] }));
    this.#chart.show(curves.length > 0 ? curves : awaited, {
      key: axis,
      x: [0, bySteps ? steps : seconds],
      y: this.#scale.range(losses),
      ySteps: [0.1, 0.2, 0.5, 1, 2, 5],
      yText: (tick) => fixed(tick, 1),
    });
    const task = this.#task;
    setText(this.#chartHelp, t(`race.chartHelp.${task}`));
    const { ceiling, name = this.#state.settings.text } = lab.order?.data ?? this.#planData();
    const scores = scoresOf(task, name);
    this.#table.show(entries, this.#planned(), { task, scores, ceiling });
    this.#ceiling.hidden = ceiling === undefined;
    if (ceiling !== undefined) setText(this.#ceiling, t("race.ceiling", { value: percent(ceiling, 1) }));
    this.#showStatus();
    this.#showMeasured();
    // Their places are kept, so that nothing moves when they come.
    for (const row of [this.#reading, this.#saveCurves, this.#numbersFold, this.#saveTable]) row.classList.toggle("awaited", losses.length === 0);
    this.#runLink.classList.toggle("awaited", this.#runHash === "");
    if (this.#numbersFold.open) this.#showNumbers();
  }

  /** What stands around the curves in a picture. */
  #words() {
    const axis = t(`race.axis.${this.#state.settings.axis}`);
    return { title: t("race.title"), caption: together(t(`race.chartHelp.${this.#task}`), t("save.axis", { axis })) };
  }

  /** The models of the run. */
  get #racing() {
    return this.#lab.entries.filter((entry) => !entry.file);
  }

  /** Every point of the curves, and every score. */
  #curveRows() {
    const [score] = scoresOf(this.#task, this.#lab.order?.data.name ?? "");
    return this.#racing.flatMap(({ kind, points, held }) => [
      ...points.map(({ step, seconds, loss }) => ({ kind, on: "training", step, seconds, loss, [score.metric]: undefined })),
      ...held.map((one) => ({
        kind,
        on: one.whole ? "held-out" : "held-out sample",
        step: one.step,
        seconds: one.seconds,
        loss: one.loss,
        [score.metric]: valueOf(one, score),
      })),
    ]);
  }

  /** The table of the race, with the numbers as they are. */
  #tableRows() {
    const scores = scoresOf(this.#task, this.#lab.order?.data.name ?? "");
    return this.#lab.entries.map(({ kind, file, model, points, held, speeds, rates, seconds }) => {
      const last = held.at(-1);
      const own = model.spec.task === this.#task;
      return {
        kind,
        file: file ?? "",
        step: model.step,
        weights: model.parameterCount,
        attentionWeights: model.attentionParameterCount,
        trainingLoss: points.at(-1)?.loss,
        scoredStep: last?.step,
        scoredOnAll: last ? String(last.whole) : "",
        ...Object.fromEntries(scores.map((score) => [score.metric, own ? valueOf(last, score) : undefined])),
        stepsPerSecond: median(speeds),
        tokensPerSecond: median(rates),
        seconds,
        device: this.#lab.engine?.device.description ?? "",
      };
    });
  }

  /** The task of the race, or of the one to come. */
  get #task() {
    return this.#lab.order?.data.task ?? this.#state.settings.task;
  }

  /** What is known of the data before it is here. @returns {{ ceiling?: number, name?: string }} */
  #planData() {
    return { ceiling: this.#data.info?.ceiling };
  }

  /** The kinds of the first run, until they have their models. */
  #planned() {
    const { entries, making, phase } = this.#lab;
    if (entries.some((entry) => !entry.file)) return [];
    return phase === "preparing" && making ? making.specs.map(kindOf) : this.#state.settings.kinds;
  }

  #showPhase() {
    const { phase } = this.#lab;
    const { compare, pause, resume, stop, goOn } = this.#buttons;
    const focused = document.activeElement;
    const canResume = phase === "paused" || phase === "pausing";
    pause.hidden = canResume;
    resume.hidden = !canResume;
    if (focused === pause && canResume) resume.focus();
    if (focused === resume && !canResume) pause.focus();
    pause.disabled = phase !== "running";
    stop.disabled = !["preparing", "running", "pausing", "paused"].includes(phase);
    compare.disabled = this.#lab.busy;
    goOn.hidden = !(["stopped", "failed", "not-started"].includes(phase) && this.#lab.unfinished);
    if (focused === stop && stop.disabled) (goOn.hidden ? compare : goOn).focus();
    if (focused === compare && compare.disabled) (pause.disabled ? stop : pause).focus();
    document.body.dataset.phase = phase;
    this.#showStatus();
    this.#showChanged();
    setText(this.#announcement, t(`phase.${phase}`));
    this.#draw();
  }

  /** How much of the run is done, from 0 to 1. */
  #share() {
    const { entries, order, phase, making } = this.#lab;
    // What is on the bench is the run before.
    if (phase === "not-started" || (phase === "preparing" && making && making !== order)) return 0;
    const racing = entries.filter((entry) => !entry.file);
    const steps = (order?.options.steps ?? 0) * racing.length;
    const done = racing.reduce((sum, entry) => sum + (entry.points.at(-1)?.step ?? 0), 0);
    return phase === "done" ? 1 : steps > 0 ? done / steps : 0;
  }

  #showStatus() {
    this.#progress.value = this.#share();
    setText(this.#status, this.#statusText());
    this.#showTitle();
  }

  #showTitle() {
    const title = t("page.title");
    const moving = ["running", "pausing", "paused"].includes(this.#lab.phase);
    document.title = moving ? t("page.titleBusy", { share: percent(this.#share()), title }) : title;
  }

  #statusText() {
    const { phase, order, making, made, entries } = this.#lab;
    const racing = entries.filter((entry) => !entry.file);
    const steps = order?.options.steps ?? 0;
    if (phase === "preparing")
      return making && made > 0
        ? t("status.making", { made, count: making.specs.length })
        : t("status.preparing");
    if (phase === "done")
      return t("status.done", {
        steps: whole(steps),
        seconds: duration(racing.reduce((sum, { seconds }) => sum + seconds, 0)),
      });
    const trouble = this.#controls.trouble();
    if (phase === "idle" && trouble !== "") return t("status.notReady", { trouble });
    if (phase === "not-started" && racing.length > 0) return t("status.notStarted");
    if (phase !== "running") return t(`phase.${phase}`);
    const compiling = racing.find((entry) => entry.phase === "compiling");
    if (compiling)
      return t(`status.compiling.${this.#lab.engine?.device.kind ?? "cpu"}`, {
        kind: labelOf(compiling.kind),
      });
    const validating = racing.find((entry) => entry.phase === "validating");
    if (validating)
      return t(`status.validating.${TASKS[this.#task].shape}`, { kind: labelOf(validating.kind) });
    const left = this.#lab.secondsLeft();
    const step = whole(Math.min(...racing.map((entry) => entry.points.at(-1)?.step ?? 0)));
    const values = { step, steps: whole(steps) };
    return left === undefined
      ? t("status.training", values)
      : t("status.trainingLeft", { ...values, left: duration(left) });
  }

  #showMeasured() {
    const { engine, hiddenSteps, entries } = this.#lab;
    if (!engine) return;
    const { description, software, kind } = engine.device;
    const parts = [t("race.measured", { device: said(description) })];
    if (kind === "webgpu" && software) parts.push(t("device.software"));
    if (hiddenSteps)
      parts.push(t("race.hidden", { first: whole(hiddenSteps[0]), last: whole(hiddenSteps[1]) }));
    parts.push(...this.#scored());
    setText(this.#measured, together(...parts));
  }

  /** On what the scores are: a part while training goes on, all at the end. @returns {string[]} */
  #scored() {
    const { entries, order } = this.#lab;
    const last = entries.flatMap(({ held }) => held.at(-1) ?? []);
    if (!order || last.length === 0) return [];
    const rough = last.some((held) => !held.whole); // the table marks these
    const text = order.data.text !== "";
    if (!rough && text) return [t("race.heldOut.whole")];
    if (text) return [t("race.heldOut.text", { characters: whole(SAMPLE) })];
    const all = order.data.test.length;
    const part = Math.min(all, TASKS[order.data.task].quick);
    return [t(rough ? "race.heldOut.part" : "race.heldOut.rows", { part: whole(part), all: whole(all) })];
  }

  #showChanged() {
    const { order, busy } = this.#lab;
    const same = order?.settings === runKey(this.#state.settings);
    const trouble = busy ? "" : this.#controls.trouble();
    this.#changed.hidden = !order || (same && trouble === "");
    setText(this.#changed, trouble === "" ? t("race.changed") : t("race.trouble", { trouble }));
    // What was set differently since is none of the run's.
    if (same) this.#runHash = this.#state.hash();
  }

  /** @param {number | undefined} x */
  #readOut(x) {
    const bySteps = this.#state.settings.axis === "steps";
    const values = x === undefined ? [] : this.#chart.at(x).filter(({ y }) => y !== undefined);
    setText(
      this.#reading,
      x === undefined || values.length === 0
        ? t("race.point")
        : t("race.reading", {
            at: bySteps ? t("race.atStep", { step: whole(x) }) : t("race.atSecond", { second: fixed(x, 1) }),
            values: listed(values.map(({ label, y }) => t("race.value", { label, value: fixed(y, 3) }))),
          }),
    );
  }

  /** The curves as a table: a row for every twentieth of the run. */
  #showNumbers() {
    if (!this.#numbersFold.open) return;
    const racing = this.#lab.entries.filter((entry) => !entry.file && entry.points.length > 0);
    const longest = racing.reduce(
      (most, entry) => (entry.points.length > most.length ? entry.points : most),
      racing[0]?.points ?? [],
    );
    const rows = Array.from(
      { length: Math.min(NUMBERS, longest.length) },
      (_, index) => Math.round(((index + 1) * longest.length) / Math.min(NUMBERS, longest.length)) - 1,
    );
    this.#numbers.replaceChildren(
      h("caption", { class: "visually-hidden" }, t("race.numbersCaption")),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, t("race.axis.steps")),
          racing.map(({ kind }) => h("th", { scope: "col", class: "number" }, labelOf(kind))),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, whole(longest[row].step)),
            racing.map(({ points }) => h("td", { class: "number" }, fixed(points[row]?.loss, 3))),
          ),
        ),
      ),
    );
  }
}

/** What keeps data from being trained on, as a message's key. @param {import("./data.js").DataSet} data */
function problemOf({ task, text, test }) {
  return text === "" && shapeOf(task).input.length > 0 && test.length === 0 ? "data.noTest" : "";
}
