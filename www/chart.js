// Curves labelled at their ends, with rings and dots, and a cursor that reads all of them. Data in, pixels out.
import "./valid-language.js"; // before what looks at it
import uPlot from "uplot";
import { h } from "./dom.js";
import { framed } from "./export/picture.js";
import { language } from "./messages/index.js";
import { spread } from "./spread.js";
import { colour, onThemeChange } from "./theme.js";

/**
 * @typedef {object} Curve
 * @property {string} label
 * @property {string} colour custom property
 * @property {number[]} dash
 * @property {{ x: number, y: number }[]} points
 * @property {{ x: number, y: number, filled: boolean }[]} marks rings and dots
 */

/**
 * What the curves are drawn in.
 *
 * @typedef {object} Frame
 * @property {string} key another key, another frame: the chart is built anew
 * @property {[number, number]} x
 * @property {[number, number]} y
 * @property {boolean} [log] both axes logarithmic
 * @property {number[]} [xTicks] where the x axis is labelled, if not everywhere
 * @property {number[]} [yTicks] the same for the y axis
 * @property {number[]} [ySteps] or distances between its ticks to choose from
 * @property {(tick: number) => string} yText
 */

const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const LABEL_HEIGHT = 15;
/** Space between a curve's end and its name, and after the name. */
const LABEL_SPACE = 22;
/** The names get at most this share of the width; longer ones are cut. */
const LABEL_SHARE = 0.42;

export class LineChart {
  /** @type {HTMLElement} */
  element;
  /** @type {Curve[]} */
  #curves = [];
  /** @type {Frame} */
  #frame = { key: "", x: [0, 1], y: [0, 1], yText: String };
  /** @type {uPlot | undefined} */
  #plot;
  #shape = "";
  #gutterNow = 0;
  /** Where the axes are labelled, as last drawn. @type {{ x: [number, string][], y: [number, string][] }} */
  #ticks = { x: [], y: [] };
  #ruler = document.createElement("canvas");
  #onCursor;

  /**
   * @param {string} label for screen readers
   * @param {(x: number | undefined) => void} onCursor told where on the x axis a person points
   */
  constructor(label, onCursor) {
    this.element = h("div", { class: "chart", role: "group", tabindex: 0, "aria-label": label });
    this.#onCursor = onCursor;
    onThemeChange(() => this.#rebuild());
    new ResizeObserver(() => {
      if (!this.#plot) this.#rebuild();
      else if (this.#gutter() !== this.#gutterNow) this.#rebuild();
      else this.#plot.setSize(this.#size());
    }).observe(this.element);
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * @param {Curve[]} curves
   * @param {Frame} frame
   */
  show(curves, frame) {
    const shape = JSON.stringify([frame.key, curves.map(({ label, colour, dash }) => [label, colour, dash])]);
    this.#curves = curves;
    this.#frame = frame;
    if (shape !== this.#shape || !this.#plot) {
      this.#shape = shape;
      this.#rebuild();
    } else {
      this.#plot.setData(this.#data());
    }
  }

  /** The value of every curve at or just before x. @param {number} x */
  at(x) {
    return this.#curves.map(({ label, points }) => ({
      label,
      y: points.findLast((point) => point.x <= x)?.y,
    }));
  }

  /** @returns {uPlot.AlignedData} */
  #data() {
    /** @type {uPlot.AlignedData} */
    const empty = [
      this.#frame.x,
      ...(this.#curves.length > 0 ? this.#curves : [null]).map(() => [null, null]),
    ];
    if (this.#curves.length === 0) return empty;
    const tables = this.#curves.map(
      ({ points }) => /** @type {uPlot.AlignedData} */ ([points.map(({ x }) => x), points.map(({ y }) => y)]),
    );
    const joined = uPlot.join(tables);
    return joined[0].length > 0 ? joined : empty;
  }

  #size() {
    const { width, height } = this.element.getBoundingClientRect();
    return { width: Math.max(200, Math.floor(width)), height: Math.max(160, Math.floor(height)) };
  }

  /** Room to the right of the plot for the names at the curves' ends. */
  #gutter() {
    const context = /** @type {CanvasRenderingContext2D} */ (this.#ruler.getContext("2d"));
    context.font = `600 ${FONT}`;
    const longest = Math.max(40, ...this.#curves.map(({ label }) => context.measureText(label).width));
    return Math.ceil(Math.min(longest + LABEL_SPACE, this.#size().width * LABEL_SHARE));
  }

  #rebuild() {
    this.#plot?.destroy();
    this.#plot = undefined;
    if (!this.element.isConnected) return;
    this.#gutterNow = this.#gutter();
    const ink = colour("--muted");
    const rule = colour("--rule");
    const axis = {
      stroke: ink,
      font: FONT,
      grid: { stroke: rule, width: 1 },
      ticks: { show: false },
      gap: 8,
    };
    const distribution = this.#frame.log ? { distr: /** @type {3} */ (3) } : {};
    const { xTicks, yTicks, ySteps } = this.#frame;
    const grouped = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
    /** @type {uPlot.Options} */
    const options = {
      ...this.#size(),
      padding: [10, this.#gutterNow, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7, width: 2 } },
      scales: {
        x: { time: false, range: () => this.#frame.x, ...distribution },
        y: { range: () => this.#frame.y, ...distribution },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          border: { show: true, stroke: rule, width: 1 },
          size: 34,
          ...(xTicks ? { splits: () => xTicks, filter: (_, ticks) => ticks } : {}),
          values: (_, ticks) => this.#labelled("x", ticks, (tick) => grouped.format(tick)),
        },
        {
          ...axis,
          size: 48,
          ...(ySteps ? { incrs: ySteps } : {}),
          ...(yTicks ? { splits: () => this.#frame.yTicks ?? [], filter: (_, ticks) => ticks } : {}),
          values: (_, ticks) => this.#labelled("y", ticks, (tick) => this.#frame.yText(tick)),
          space: 44,
        },
      ],
      series: [
        {},
        ...(this.#curves.length > 0 ? this.#curves : [{ colour: "--muted", dash: [] }]).map((curve) => ({
          stroke: colour(curve.colour),
          width: 2,
          dash: curve.dash,
          spanGaps: true,
          points: { show: false },
        })),
      ],
      hooks: {
        draw: [(plot) => this.#annotate(plot)],
        setCursor: [
          (plot) => {
            const { left = -1 } = plot.cursor;
            this.#onCursor(left < 0 ? undefined : plot.posToVal(left, "x"));
          },
        ],
      },
    };
    this.#plot = new uPlot(options, this.#data(), this.element);
  }

  /** @param {"x" | "y"} axis @param {number[]} ticks @param {(tick: number) => string} textOf */
  #labelled(axis, ticks, textOf) {
    const texts = ticks.map(textOf);
    this.#ticks[axis] = ticks.map((tick, index) => [tick, texts[index]]);
    return texts;
  }

  /** What is drawn, in CSS pixels. @returns {import("./export/picture.js").Drawing | undefined} */
  drawing() {
    const plot = this.#plot;
    if (!plot) return undefined;
    const ratio = uPlot.pxRatio;
    const at = (/** @type {number} */ value, /** @type {"x" | "y"} */ axis) => plot.valToPos(value, axis, true) / ratio;
    const ends = this.#ends(plot);
    const { left, top, width, height } = plot.bbox;
    const within = (/** @type {[number, string]} */ [tick], /** @type {[number, number]} */ [low, high]) => tick >= low && tick <= high;
    const ticks = (/** @type {"x" | "y"} */ axis) =>
      this.#ticks[axis].filter((tick) => within(tick, this.#frame[axis])).map(([tick, text]) => ({ at: at(tick, axis), text }));
    return {
      ...this.#size(),
      plot: { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio },
      xTicks: ticks("x"),
      yTicks: ticks("y"),
      curves: this.#curves.map((curve) => {
        const end = ends.find((one) => one.curve === curve);
        return {
          label: curve.label,
          colour: colour(curve.colour),
          dash: curve.dash,
          points: curve.points.map(({ x, y }) => [at(x, "x"), at(y, "y")]),
          marks: curve.marks.map(({ x, y, filled }) => ({ x: at(x, "x"), y: at(y, "y"), filled })),
          end: end && { x: end.x / ratio, y: end.y / ratio, column: end.column / ratio, place: end.place / ratio },
        };
      }),
      colours: pictureColours(),
    };
  }

  /** The drawn chart with a title and a caption. @param {{ title: string, caption: string }} words */
  canvas(words) {
    return this.#plot && framed(this.#plot.ctx.canvas, uPlot.pxRatio, pictureColours(), words);
  }

  /** Rings and dots, and each curve's name at its end. @param {uPlot} plot */
  #annotate(plot) {
    const { ctx } = plot;
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = plot.bbox;
    ctx.save();
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.rect(left - 6 * ratio, top, width + 12 * ratio, height + 6 * ratio);
    ctx.clip();
    for (const curve of this.#curves) {
      ctx.strokeStyle = colour(curve.colour);
      ctx.lineWidth = 1.75 * ratio;
      for (const { x, y, filled } of curve.marks) {
        ctx.beginPath();
        ctx.arc(
          plot.valToPos(x, "x", true),
          plot.valToPos(y, "y", true),
          (filled ? 4.5 : 3.5) * ratio,
          0,
          2 * Math.PI,
        );
        ctx.fillStyle = filled ? colour(curve.colour) : colour("--paper");
        ctx.fill();
        ctx.stroke();
      }
    }
    ctx.restore();
    this.#labelEnds(plot);
  }

  /** Where the curves end and their names stand, in pixels of the canvas. @param {uPlot} plot */
  #ends(plot) {
    const ratio = uPlot.pxRatio;
    const { top, height } = plot.bbox;
    const labels = this.#curves
      .filter(({ points }) => points.length > 0)
      .map((curve) => {
        const last = curve.points[curve.points.length - 1];
        const y = plot.valToPos(last.y, "y", true);
        return {
          curve,
          x: plot.valToPos(Math.min(last.x, this.#frame.x[1]), "x", true),
          y: Math.min(Math.max(y, top), top + height),
          place: 0,
          column: 0,
        };
      });
    labels.sort((a, b) => a.y - b.y);
    spread(
      labels,
      LABEL_HEIGHT * ratio,
      top + (LABEL_HEIGHT * ratio) / 2,
      top + height - (LABEL_HEIGHT * ratio) / 2,
    );
    // One column for all, right of whichever curve is ahead: names stand in a list, not in a staircase.
    const column = Math.max(0, ...labels.map(({ x }) => x)) + 16 * ratio;
    return labels.map((label) => ({ ...label, column }));
  }

  /** @param {uPlot} plot */
  #labelEnds(plot) {
    const { ctx } = plot;
    const ratio = uPlot.pxRatio;
    ctx.save();
    ctx.setLineDash([]);
    ctx.font = `600 ${FONT.replace("12px", `${12 * ratio}px`)}`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    for (const { curve, x, y, place, column } of this.#ends(plot)) {
      ctx.strokeStyle = ctx.fillStyle = colour(curve.colour);
      ctx.lineWidth = ratio;
      ctx.globalAlpha = 0.5;
      ctx.beginPath();
      ctx.moveTo(x + 3 * ratio, y);
      ctx.lineTo(column - 4 * ratio, place);
      ctx.stroke();
      ctx.globalAlpha = 1;
      ctx.fillText(shortened(ctx, curve.label, ctx.canvas.width - column), column, place);
    }
    ctx.restore();
  }

  /** Arrow keys move the cursor, so that values can be read without a mouse. @param {KeyboardEvent} event */
  #key(event) {
    const plot = this.#plot;
    const steps = /** @type {Record<string, number>} */ ({
      ArrowLeft: -1,
      ArrowRight: 1,
      PageDown: -10,
      PageUp: 10,
    });
    const move = steps[event.key];
    if (!plot || move === undefined) return;
    event.preventDefault();
    const width = plot.bbox.width / uPlot.pxRatio;
    const left = Math.min(width, Math.max(0, (plot.cursor.left ?? 0) + (move * width) / 100));
    plot.setCursor({ left, top: 1 });
  }
}

/** The colours of the day that pictures are made in. */
export function pictureColours() {
  return { ink: colour("--ink"), muted: colour("--muted"), rule: colour("--rule"), paper: colour("--paper") };
}

/** A name that fits. @param {CanvasRenderingContext2D} ctx @param {string} label @param {number} width */
function shortened(ctx, label, width) {
  if (ctx.measureText(label).width <= width) return label;
  let length = label.length - 1;
  while (length > 1 && ctx.measureText(`${label.slice(0, length)}…`).width > width) length -= 1;
  return `${label.slice(0, length).trimEnd()}…`;
}
