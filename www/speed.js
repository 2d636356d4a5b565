// The speed lab: how speed changes with length, for the chosen kinds and sizes.
import { LineChart } from "./chart.js";
import { freshId, h, setText } from "./dom.js";
import { notice } from "./errors.js";
import { chartSvg } from "./export/picture.js";
import { csvOf, pngOf, saveRow } from "./export/save.js";
import { describe } from "./field.js";
import { plain, speed } from "./format.js";
import { colourOf, dashOf, infoOf, kindName, labelOf } from "./kinds.js";
import { isAborted } from "./lab.js";
import { language, said, t, together } from "./messages/index.js";
import { FIELDS } from "./fields.js";
import { copyButtons, rowsOf } from "./speed-copy.js";

/** @typedef {import("./lab.js").Lab} Lab */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("synthattn").SpeedReport} SpeedReport */
/** @typedef {import("synthattn").KindName} KindName */

const WHAT = /** @type {const} */ (["train", "forward", "generate"]);
const REPEATS = 5;
const MOST_LENGTHS = 6;

export class SpeedLab {
  /** @type {HTMLElement} */
  element;
  #lab;
  #state;
  #lengths;
  #hint = h("small", { class: "hint" });
  #start = h(
    "button",
    { type: "button", class: "primary", "data-testid": "measure", onclick: () => void this.measure() },
    t("speed.start"),
  );
  #stop = h(
    "button",
    { type: "button", disabled: true, "data-testid": "measure-stop", onclick: () => this.#abort?.abort() },
    t("speed.stop"),
  );
  #status = h("p", { class: "status", "data-testid": "measure-status" }, t("speed.idle"));
  #spoken = h("p", { class: "visually-hidden", role: "status" });
  #notice = notice("speed-error");
  #unit = h("p", { class: "hint" });
  #lead = h("p", { class: "lead" });
  #chart = new LineChart(t("speed.chartLabel"), () => {});
  #table = h("table", { class: "numbers", "data-testid": "speed-table" });
  #results;
  #save = saveRow("speed", {
    svg: () => chartSvg(/** @type {import("./export/picture.js").Drawing} */ (this.#chart.drawing()), this.#words()),
    png: () => pngOf(/** @type {HTMLCanvasElement} */ (this.#chart.canvas(this.#words()))),
    csv: () => csvOf(rowsOf(this.#measured)),
  });
  /** @type {AbortController | undefined} */
  #abort;
  /** @type {import("./speed-copy.js").Measured["reports"]} */
  #reports = [];
  /** What they were measured with. */
  #options = { batch: 0, dModel: 0, heads: 0, layers: 0, repeats: REPEATS };
  /** @type {SpeedReport["what"]} */
  #what = "train";

  /** @param {Lab} lab @param {State} state */
  constructor(lab, state) {
    this.#lab = lab;
    this.#state = state;
    const id = freshId();
    this.#hint.id = freshId();
    this.#lengths = h("input", {
      id,
      type: "text",
      "data-testid": "lengths",
      "aria-describedby": this.#hint.id,
      autocomplete: "off",
      value: state.settings.lengths,
      oninput: () => this.#check(),
      onchange: () => this.#check() && state.set({ lengths: this.#lengths.value }),
    });
    state.listen(() => {
      if (document.activeElement !== this.#lengths) this.#lengths.value = state.settings.lengths;
      this.#check();
      this.#showLead();
    });
    const scroll = { class: "table-scroll", tabindex: 0, role: "region", "aria-label": t("speed.table") };
    this.#results = h(
      "div",
      { class: "speed-results", hidden: true },
      h("div", { class: "head" }, this.#whatSwitch()),
      this.#unit,
      h("div", { class: "speed-columns" }, this.#chart.element, h("div", scroll, this.#table)),
      this.#save,
      copyButtons(() => this.#measured),
    );
    this.element = h(
      "section",
      { id: "speed", "aria-labelledby": "speed-title" },
      h("div", { class: "head" }, h("h2", { id: "speed-title" }, t("speed.title"))),
      this.#lead,
      h(
        "div",
        { class: "speed-controls" },
        h("div", { class: "field" }, h("label", { for: id }, t("speed.lengths")), this.#lengths, this.#hint),
      ),
      h("div", { class: "row" }, this.#start, this.#stop, h("div", { class: "run-state" }, this.#status)),
      this.#spoken,
      this.#notice.element,
      this.#results,
    );
    lab.addEventListener("phase", () => this.#showPhase());
    this.#check();
    this.#showLead();
  }

  #whatSwitch() {
    const options = WHAT.map((what) => {
      const input = h("input", {
        type: "radio",
        name: "what",
        value: what,
        checked: what === this.#what,
        "data-testid": `what-${what}`,
        onchange: () => {
          this.#what = what;
          this.#draw();
        },
      });
      return h("label", {}, input, h("span", {}, t(`speed.what.${what}`)));
    });
    const legend = h("legend", { class: "visually-hidden" }, t("speed.what"));
    return h("fieldset", { class: "segmented" }, legend, options);
  }

  /** The lengths as typed, or undefined with the reason beside the field. */
  #check() {
    const { min = 2, max = 512 } = FIELDS.length;
    const lengths = this.#lengths.value
      .split(/[\s,;]+/)
      .filter((part) => part !== "")
      .map(Number);
    const fine =
      lengths.length > 0 &&
      lengths.length <= MOST_LENGTHS &&
      lengths.every((length) => Number.isInteger(length) && length >= min && length <= max);
    this.#lengths.setAttribute("aria-invalid", String(!fine));
    this.#hint.classList.toggle("wrong", !fine);
    setText(this.#hint, describe({ key: "speed.lengthsHelp", values: { most: MOST_LENGTHS, min, max } }));
    return fine ? [...new Set(lengths)].sort((a, b) => a - b) : undefined;
  }

  /** The chosen kinds that can be measured: what is measured are models that write. */
  get kinds() {
    return this.#state.settings.kinds.filter((kind) => infoOf(kind)?.causal);
  }

  #showLead() {
    const { batch, kinds } = this.#state.settings;
    const left = kinds.filter((kind) => !this.kinds.includes(kind)).map(labelOf);
    const lead = t("speed.lead", { batch, repeats: REPEATS });
    const names = new Intl.ListFormat(language, { type: "conjunction" }).format(left);
    setText(this.#lead, left.length > 0 ? together(lead, t("speed.left", { kinds: names })) : lead);
  }

  #showPhase() {
    const { busy, measuring } = this.#lab;
    this.#start.disabled = busy;
    this.#stop.disabled = !measuring;
    if (this.#reports.length === 0 && !measuring)
      setText(this.#status, t(busy ? "speed.busy" : "speed.idle"));
  }

  /** Measures the chosen kinds at every length. */
  async measure() {
    const lengths = this.#check();
    if (!lengths) {
      this.#lengths.focus();
      return;
    }
    if (this.#lab.busy) return;
    const { batch, width, heads, layers } = this.#state.settings;
    const { kinds } = this;
    if (kinds.length === 0) {
      setText(this.#status, t("speed.none"));
      return;
    }
    this.#abort = new AbortController();
    this.#reports = [];
    this.#notice.clear();
    const total = lengths.length * WHAT.length * kinds.length;
    const progress = (/** @type {string} */ key) => {
      const description = said(this.#lab.engine?.device.description ?? "");
      setText(this.#status, t(key, { done: this.#reports.length, total, device: description }));
    };
    progress("speed.progress");
    this.#options = { batch, dModel: width, heads, layers, repeats: REPEATS };
    const options = {
      ...this.#options,
      kinds: /** @type {KindName[]} */ (kinds),
      lengths,
      signal: this.#abort.signal,
    };
    try {
      await this.#lab.measure(options, this.#state.settings, (report) => {
        this.#reports.push({ ...report, software: this.#lab.engine?.device.software ?? false });
        progress("speed.progress");
        this.#draw();
      });
      progress("speed.done");
      setText(this.#spoken, this.#status.textContent ?? "");
    } catch (error) {
      progress("speed.stopped");
      if (!isAborted(error)) this.#notice.fail(error);
    }
  }

  /** @returns {import("./speed-copy.js").Measured} */
  get #measured() {
    return { reports: this.#reports, options: this.#options };
  }

  /** What stands around the chart in a picture. */
  #words() {
    const axis = t("save.axis", { axis: t("speed.lengths") });
    const caption = together(t(`speed.unit.${this.#what}`), axis, t("speed.done", { device: said(this.#lab.engine?.device.description ?? "") }));
    return { title: t("save.speedTitle", { what: t(`speed.what.${this.#what}`), title: t("speed.table") }), caption };
  }

  #draw() {
    this.#results.hidden = this.#reports.length === 0;
    setText(this.#unit, t(`speed.unit.${this.#what}`));
    const shown = this.#reports.filter(({ what }) => what === this.#what);
    const kinds = [...new Set(shown.map(({ kind }) => kind))];
    const lengths = [...new Set(this.#reports.map(({ length }) => length))];
    const curves = kinds.map((kind) => {
      const points = shown
        .filter((report) => report.kind === kind)
        .map(({ length, median }) => ({ x: length, y: median }));
      const marks = points.map((point) => ({ ...point, filled: true }));
      return { label: labelOf(kind), colour: colourOf(kind), dash: dashOf(kind), points, marks };
    });
    const values = shown.map(({ median }) => median);
    const low = values.length > 0 ? Math.min(...values) / 1.5 : 1;
    const high = values.length > 0 ? Math.max(...values) * 1.5 : 10;
    this.#chart.show(curves, {
      key: JSON.stringify([this.#what, lengths]),
      x: [lengths[0] / 1.1, lengths[lengths.length - 1] * 1.1],
      y: [low, high],
      yTicks: roundNumbers(low, high),
      log: true,
      xTicks: lengths,
      yText: plain,
    });
    this.#showTable(shown, kinds, lengths);
  }

  /**
   * @param {SpeedReport[]} shown
   * @param {KindName[]} kinds
   * @param {number[]} lengths
   */
  #showTable(shown, kinds, lengths) {
    const cell = (/** @type {KindName} */ kind, /** @type {number} */ length) => {
      const report = shown.find((one) => one.kind === kind && one.length === length);
      if (!report) return h("td", { class: "number" });
      const { median, low, high, relativeToVanilla } = report;
      const value = speed(median);
      const text =
        relativeToVanilla === undefined
          ? value
          : t("speed.times", { value, times: speed(relativeToVanilla) });
      return h(
        "td",
        { class: "number", title: t("speed.spread", { low: speed(low), high: speed(high) }) },
        text,
      );
    };
    this.#table.replaceChildren(
      h("caption", {}, t(`speed.what.${this.#what}`)),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, t("table.kind")),
          lengths.map((length) => h("th", { scope: "col", class: "number" }, t("speed.length", { length }))),
        ),
      ),
      h(
        "tbody",
        {},
        kinds.map((kind) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, kindName(kind)),
            lengths.map((length) => cell(kind, length)),
          ),
        ),
      ),
    );
  }
}

/** 1, 2 and 5 times the powers of ten in a range. @param {number} low @param {number} high */
function roundNumbers(low, high) {
  const numbers = [];
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) {
    for (const factor of [1, 2, 5])
      if (factor * power >= low && factor * power <= high) numbers.push(factor * power);
  }
  return numbers;
}
