// The figures of the findings, from numbers and labels that are given: no statistics, no words and no page here. Each
// kind has the colour, the line and by what it sees the shape that it has everywhere; arms of one kind differ by label.
import { spread } from "../spread.js";
import { HEATS, inColour, line, linesOf, mark, text, ticksIn, widthOf } from "./drawing.js";

/** @typedef {import("./drawing.js").Mark} Mark */
/** @typedef {import("./drawing.js").Picture} Picture */

/**
 * How a kind looks.
 *
 * @typedef {object} Look
 * @property {string} colour of COLOURS
 * @property {number[]} dash
 * @property {string} sight what it sees: gives the shape
 */

/**
 * A mean with the ends of its interval.
 *
 * @typedef {{ mean: number, low: number, high: number }} Estimate
 */

/**
 * An axis: what it says, and how its numbers are written.
 *
 * @typedef {object} Axis
 * @property {string} label
 * @property {(value: number) => string} format
 * @property {[number, number]} [range] if not that of the numbers
 */

/** Below this many pixels labels stand above what they name instead of beside it. */
export const NARROW = 520;

const SAMPLE = 24;
const FOOT = 44;

/** @type {Record<string, (x: number, y: number, r: number, more: Record<string, string | number | false>) => Mark>} */
const SHAPES = {
  nothing: (x, y, r, more) => mark("rect", { x: x - r * 0.9, y: y - r * 0.9, width: r * 1.8, height: r * 1.8, ...more }),
  token: (x, y, r, more) => mark("path", { d: polygon([[x, y - r * 1.2], [x + r * 1.15, y + r * 0.85], [x - r * 1.15, y + r * 0.85]]), ...more }),
  "token-pair": (x, y, r, more) => mark("circle", { cx: x, cy: y, r, ...more }),
  mixture: (x, y, r, more) => mark("path", { d: polygon([[x, y - r * 1.3], [x + r * 1.3, y], [x, y + r * 1.3], [x - r * 1.3, y]]), ...more }),
};

/** @param {number} value */
const short = (value) => Math.round(value * 100) / 100;

/** @param {[number, number][]} points */
const path = (points) => points.map(([x, y], index) => `${index ? "L" : "M"}${short(x)} ${short(y)}`).join("");

/** @param {[number, number][]} points */
const polygon = (points) => `${path(points)}Z`;

/** @param {Look} look @param {number} x @param {number} y @param {number} r @param {Record<string, string | number | false>} [more] */
const shaped = ({ sight }, x, y, r, more = {}) => (SHAPES[sight] ?? SHAPES["token-pair"])(x, y, r, { fill: "currentColor", ...more });

/** A piece of a kind's line with its shape on it. @param {Look} look @param {number} x @param {number} y */
function sample(look, x, y) {
  const stroke = { "stroke-width": 2, "stroke-dasharray": look.dash.length > 0 && look.dash.join(" ") };
  return mark("g", { class: inColour(look.colour) }, line(x, y, x + SAMPLE, y, stroke), shaped(look, x + SAMPLE / 2, y, 3.4));
}

/** From values to pixels. @param {[number, number]} values @param {[number, number]} pixels */
const scale = ([low, high], [from, to]) => (/** @type {number} */ value) => from + ((value - low) / (high - low || 1)) * (to - from);

/** The range of numbers with some air. @param {(number | undefined)[]} numbers @param {number} [air] @returns {[number, number]} */
function rangeOf(numbers, air = 0.06) {
  const known = numbers.filter((one) => one !== undefined && Number.isFinite(one)).map(Number);
  if (known.length === 0) return [0, 1];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const room = (high - low || Math.abs(high) || 1) * air;
  return [low - room, high + room];
}

/** An axis below a plot. @param {Axis} axis @param {(value: number) => number} at @param {[number, number]} range @param {[number, number]} pixels @param {number} y */
function below({ label, format }, at, range, [left, right], y) {
  const ticks = ticksIn(...range, Math.max(2, Math.min(7, (right - left) / 76)));
  const middle = Math.max((left + right) / 2, widthOf(label) / 2);
  return [
    mark("g", { class: inColour("edge") }, line(left, y, right, y), ...ticks.map((tick) => line(at(tick), y, at(tick), y + 4))),
    ...ticks.map((tick) => text(at(tick), y + 18, format(tick), { colour: "muted", anchor: "middle" })),
    text(middle, y + 36, label, { colour: "muted", anchor: "middle" }),
  ];
}

/**
 * One line of a figure of rows.
 *
 * @typedef {object} Row
 * @property {string} label
 * @property {Look} look
 * @property {{ value: number, title: string }[]} seeds one mark each
 * @property {Estimate | undefined} estimate none where there are too few seeds for one
 * @property {string} said the estimate in words, beside it
 * @property {[number, number]} [band] what the estimate is held against: a claim's margin
 */

/**
 * Every seed as a dot, and below the dots their mean with its interval: an arm a row. With bands and a line at no
 * difference, what is held against claims.
 *
 * @param {object} figure
 * @param {Row[]} figure.rows
 * @param {{ value: number, label: string }[]} [figure.lines] thin ones across all rows: chance, no difference
 * @param {Axis} figure.axis
 * @param {number} width
 * @returns {Picture}
 */
export function rowsFigure({ rows, lines = [], axis }, width) {
  const narrow = width < NARROW;
  const names = Math.max(0, ...rows.map(({ label }) => widthOf(label))) + SAMPLE + 10;
  const words = Math.max(0, ...rows.map(({ said }) => widthOf(said)));
  // Beside the dots, or above them: in one line or, where both are long, in as many as it takes.
  const above = narrow || names > width * 0.42;
  const left = above ? 8 : names + 14;
  const right = width - (above ? 8 : words + 18);
  const top = lines.length > 0 ? 22 : 6;
  const apart = names + words + 10 > width;
  const placed = rows.map((row) => {
    const label = above && apart ? linesOf(row.label, width - SAMPLE - 8) : [row.label];
    return { ...row, label, extra: above ? 20 + 16 * (label.length - 1 + Number(apart)) : 0 };
  });
  const starts = placed.map((_, index) => placed.slice(0, index).reduce((sum, { extra }) => sum + 34 + extra, top));
  const bottom = placed.reduce((sum, { extra }) => sum + 34 + extra, top);
  const numbers = rows.flatMap(({ seeds, estimate, band }) => [...seeds.map(({ value }) => value), estimate?.low, estimate?.high, ...(band ?? [])]);
  const range = axis.range ?? rangeOf([...numbers, ...lines.map(({ value }) => value)]);
  const at = scale(range, [left, right]);
  /** @param {number} value */
  const within = (value) => Math.min(Math.max(at(value), left), right);

  const parts = placed.flatMap(({ label, look, seeds, estimate, said, band, extra }, index) => {
    const start = starts[index];
    const strip = start + extra;
    const y = strip + 11;
    const name = start + (above ? 12 : 17);
    return [
      ...(index > 0 ? [mark("g", { class: inColour("rule") }, line(0, start, width, start))] : []),
      ...(band ? [mark("rect", { class: inColour("rule"), fill: "currentColor", opacity: 0.75, x: within(band[0]), y: strip + 3, width: within(band[1]) - within(band[0]), height: 28 })] : []),
      ...lines.map(({ value }) => mark("g", { class: inColour("edge") }, line(at(value), above ? strip + 2 : start, at(value), strip + 34))),
      sample(look, 0, name),
      ...label.map((one, row) => text(SAMPLE + 8, name + 4 + 16 * row, one)),
      above && apart ? text(SAMPLE + 8, name + 4 + 16 * label.length, said, { colour: "muted" }) : text(width, name + 4, said, { anchor: "end", colour: above ? "muted" : "ink" }),
      mark(
        "g",
        { class: inColour(look.colour) },
        ...seeds.map(({ value, title }) => mark("circle", { cx: at(value), cy: y, r: 3.2, fill: "currentColor", opacity: 0.6 }, mark("title", {}, title))),
        ...(estimate
          ? [
              line(at(estimate.low), y + 12, at(estimate.high), y + 12, { "stroke-width": 2.5 }),
              ...[estimate.low, estimate.high].map((end) => line(at(end), y + 8.5, at(end), y + 15.5, { "stroke-width": 1.5 })),
              shaped(look, at(estimate.mean), y + 12, 4.6),
            ]
          : []),
      ),
    ];
  });
  const across = lines.map(({ value, label }) => {
    const room = widthOf(label) / 2;
    return text(Math.min(Math.max(at(value), room), width - room), 13, label, { colour: "muted", anchor: "middle" });
  });
  return { width, height: bottom + FOOT, parts: [...across, ...parts, ...below(axis, at, range, [left, right], bottom)] };
}

/**
 * @typedef {object} Curve
 * @property {string} label
 * @property {Look} look
 * @property {({ x: number } & Estimate)[]} points
 */

/**
 * Means over steps or seconds, each in the band of its interval.
 *
 * @param {object} figure
 * @param {Curve[]} figure.curves
 * @param {{ value: number, label: string }[]} [figure.lines] thin ones across: chance
 * @param {Axis} figure.x
 * @param {Axis} figure.y
 * @param {number} width
 * @returns {Picture}
 */
export function curvesFigure({ curves, lines = [], x, y }, width) {
  const narrow = width < NARROW;
  const points = curves.flatMap((curve) => curve.points);
  const rangeY = y.range ?? rangeOf([...points.flatMap(({ low, high }) => [low, high]), ...lines.map(({ value }) => value)]);
  const rangeX = x.range ?? /** @type {[number, number]} */ ([0, Math.max(1e-9, ...points.map((point) => point.x))]);
  const [top, bottom] = [28, narrow ? 228 : 288];
  const ticks = ticksIn(...rangeY, 5);
  const left = Math.max(...ticks.map((tick) => widthOf(y.format(tick)))) + 10;
  const longest = Math.max(0, ...curves.map(({ label }) => widthOf(label, 12, true)));
  const listed = narrow || longest > width * 0.36;
  const right = width - (listed ? 8 : longest + 24);
  const [atX, atY] = [scale(rangeX, [left, right]), scale(rangeY, [bottom, top])];

  const grid = ticks.flatMap((tick) => [
    mark("g", { class: inColour("rule") }, line(left, atY(tick), right, atY(tick))),
    text(left - 8, atY(tick) + 4, y.format(tick), { colour: "muted", anchor: "end" }),
  ]);
  const across = lines.flatMap(({ value, label }) => [
    mark("g", { class: inColour("edge") }, line(left, atY(value), right, atY(value))),
    text(right, atY(value) - 5, label, { colour: "muted", anchor: "end" }),
  ]);
  const bands = curves.map(({ look, points: all }) => {
    const upper = all.map((point) => /** @type {[number, number]} */ ([atX(point.x), atY(point.high)]));
    const lower = all.map((point) => /** @type {[number, number]} */ ([atX(point.x), atY(point.low)])).reverse();
    return mark("path", { class: inColour(look.colour), d: polygon([...upper, ...lower]), fill: "currentColor", opacity: 0.14 });
  });
  const means = curves.map(({ look, points: all }) => {
    const stroke = { fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": look.dash.length > 0 && look.dash.join(" ") };
    const places = all.map((point) => /** @type {[number, number]} */ ([atX(point.x), atY(point.mean)]));
    return mark("g", { class: inColour(look.colour) }, mark("path", { d: path(places), ...stroke }), ...places.map(([px, py]) => shaped(look, px, py, 3.2)));
  });
  const head = text(0, 12, y.label, { colour: "muted" });
  const plot = [head, ...grid, ...across, ...bands, ...means, ...below(x, atX, rangeX, [left, right], bottom)];
  if (listed) {
    const legend = legendOf(curves, width, bottom + FOOT + 8);
    return { width, height: legend.bottom, parts: [...plot, ...legend.parts] };
  }
  const ends = curves
    .filter((curve) => curve.points.length > 0)
    .map((curve) => {
      const last = curve.points[curve.points.length - 1];
      return { curve, x: atX(last.x), y: atY(last.mean), place: 0 };
    })
    .sort((a, b) => a.y - b.y);
  spread(ends, 15, top, bottom - 2);
  const labels = ends.flatMap(({ curve: { look, label }, x: from, y: height, place }) => [
    mark("g", { class: inColour(look.colour), opacity: 0.5 }, line(from + 5, height, right + 14, place)),
    text(right + 18, place + 4, label, { colour: look.colour, bold: true }),
  ]);
  return { width, height: bottom + FOOT, parts: [...plot, ...labels] };
}

/**
 * Names with their samples, in as many lines as it takes.
 *
 * @param {{ label: string, look: Look }[]} entries
 * @param {number} width
 * @param {number} top
 */
function legendOf(entries, width, top) {
  let [x, y] = [0, top + 10];
  const parts = entries.flatMap(({ label, look }) => {
    const needed = SAMPLE + 8 + widthOf(label);
    if (x > 0 && x + needed > width) [x, y] = [0, y + 22];
    const at = x;
    x += needed + 18;
    return [sample(look, at, y), text(at + SAMPLE + 8, y + 4, label)];
  });
  return { parts, bottom: y + 12 };
}

/**
 * @typedef {object} Place
 * @property {string} label
 * @property {Look} look
 * @property {Estimate} x
 * @property {Estimate} y
 */

/**
 * Quality against speed: a point an arm, with both intervals.
 *
 * @param {object} figure
 * @param {Place[]} figure.places
 * @param {Axis} figure.x
 * @param {Axis} figure.y
 * @param {number} width
 * @returns {Picture}
 */
export function tradeFigure({ places, x, y }, width) {
  const rangeX = x.range ?? rangeOf(places.flatMap((one) => [one.x.low, one.x.high]), 0.1);
  const rangeY = y.range ?? rangeOf(places.flatMap((one) => [one.y.low, one.y.high]), 0.1);
  const [top, bottom] = [28, width < NARROW ? 268 : 328];
  const ticks = ticksIn(...rangeY, 5);
  const left = Math.max(...ticks.map((tick) => widthOf(y.format(tick)))) + 10;
  const right = width - 8;
  const [atX, atY] = [scale(rangeX, [left, right]), scale(rangeY, [bottom, top])];
  const grid = ticks.flatMap((tick) => [
    mark("g", { class: inColour("rule") }, line(left, atY(tick), right, atY(tick))),
    text(left - 8, atY(tick) + 4, y.format(tick), { colour: "muted", anchor: "end" }),
  ]);
  const crosses = places.map(({ look, x: across, y: up }) =>
    mark(
      "g",
      { class: inColour(look.colour) },
      line(atX(across.low), atY(up.mean), atX(across.high), atY(up.mean), { "stroke-width": 1.5, opacity: 0.7 }),
      line(atX(across.mean), atY(up.low), atX(across.mean), atY(up.high), { "stroke-width": 1.5, opacity: 0.7 }),
      shaped(look, atX(across.mean), atY(up.mean), 5),
    ),
  );
  const points = places.map((one) => ({ ...one, px: atX(one.x.mean), py: atY(one.y.mean) }));
  /** @type {Box[]} */
  const taken = points.flatMap(({ px, py, x: across, y: up }) => [
    { left: atX(across.low) - 6, right: atX(across.high) + 6, top: py - 6, bottom: py + 6 },
    { left: px - 6, right: px + 6, top: atY(up.high) - 3, bottom: atY(up.low) + 3 },
  ]);
  const names = points.map(({ label, look, px, py }) => {
    const place = freePlace(px, py, widthOf(label, 12, true), taken, { left, right, top: top - 8, bottom });
    taken.push(place);
    return text(place.left, place.bottom - 3, label, { colour: look.colour, bold: true });
  });
  const head = text(0, 12, y.label, { colour: "muted" });
  return { width, height: bottom + FOOT, parts: [head, ...grid, ...crosses, ...names, ...below(x, atX, rangeX, [left, right], bottom)] };
}

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box */

/**
 * Where a label near a point lies on the least of what is there already.
 *
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {Box[]} taken
 * @param {Box} bounds
 * @returns {Box}
 */
function freePlace(x, y, width, taken, bounds) {
  const offsets = [[9, 0], [-9 - width, 0], [-width / 2, -14], [-width / 2, 15], [7, -13], [7, 14], [-7 - width, -13], [-7 - width, 14], [-width / 2, -28], [-width / 2, 29]];
  const candidates = offsets.map(([dx, dy], order) => {
    const box = { left: x + dx, right: x + dx + width, top: y + dy - 8, bottom: y + dy + 7 };
    const overlaps = taken.map((other) => overlap(box, other)).reduce((sum, one) => sum + one, 0);
    const outside = Math.max(0, bounds.left - box.left) + Math.max(0, box.right - bounds.right) + Math.max(0, bounds.top - box.top) + Math.max(0, box.bottom - bounds.bottom);
    return { box, cost: overlaps + 40 * outside + order };
  });
  return candidates.sort((a, b) => a.cost - b.cost)[0].box;
}

/** The area that two boxes share. @param {Box} a @param {Box} b */
function overlap(a, b) {
  return Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
}

/**
 * @typedef {object} Spread
 * @property {string} label of the arm
 * @property {Look} look
 * @property {{ label: string, start: number[], end: number[] }[]} layers counts by bin, of as many bins each
 */

/**
 * How weights are spread over 0 to 1, a small histogram a layer: at the start as a line, at the end filled. Counts are
 * shown by their logarithms, since most weights are near 0.
 *
 * @param {object} figure
 * @param {Spread[]} figure.arms
 * @param {{ start: string, end: string, x: string, y: string, format: (value: number) => string }} figure.words
 * @param {number} width
 * @returns {Picture}
 */
export function spreadsFigure({ arms, words }, width) {
  const layers = Math.max(1, ...arms.map((arm) => arm.layers.length));
  const gap = 18;
  const side = (width - (layers - 1) * gap) / layers;
  const [panel, row] = [82, 150];
  const top = 44;
  const most = Math.max(1, ...arms.flatMap((arm) => arm.layers.flatMap(({ start, end }) => [...start, ...end])));
  const reach = Math.log10(1 + most);
  const key = [
    mark("g", { class: inColour("ink") }, mark("path", { d: "M0 10H10V4H22", fill: "none", stroke: "currentColor", "stroke-width": 1.5 })),
    text(30, 13, words.start),
    mark("rect", { class: inColour("ink"), x: 48 + widthOf(words.start), y: 3, width: 22, height: 11, fill: "currentColor", opacity: 0.35 }),
    text(78 + widthOf(words.start), 13, words.end),
    text(0, 33, words.y, { colour: "muted" }),
  ];
  const panels = arms.flatMap((arm, place) => {
    const start = top + place * row;
    return [
      ...(place > 0 ? [mark("g", { class: inColour("rule") }, line(0, start, width, start))] : []),
      sample(arm.look, 0, start + 15),
      text(SAMPLE + 8, start + 19, arm.label, { bold: true }),
      ...arm.layers.flatMap((layer, index) => {
        const left = index * (side + gap);
        const [ceiling, floor] = [start + 42, start + 42 + panel];
        const [atX, atY] = [scale([0, layer.end.length], [left, left + side]), scale([0, reach], [floor, ceiling])];
        const tops = (/** @type {number[]} */ counts) => counts.flatMap((count, bin) => /** @type {[number, number][]} */ ([[atX(bin), atY(Math.log10(1 + count))], [atX(bin + 1), atY(Math.log10(1 + count))]]));
        const filled = polygon([[left, floor], ...tops(layer.end), [left + side, floor]]);
        return [
          text(left, start + 36, layer.label, { colour: "muted" }),
          mark(
            "g",
            { class: inColour(arm.look.colour) },
            mark("path", { d: filled, fill: "currentColor", opacity: 0.35 }),
            mark("path", { d: path(tops(layer.start)), fill: "none", stroke: "currentColor", "stroke-width": 1.5 }),
          ),
          mark("g", { class: inColour("edge") }, line(left, floor, left + side, floor)),
          ...[0, 0.5, 1].map((value) =>
            text(left + value * side, floor + 15, words.format(value), { colour: "muted", size: 11, anchor: value === 0 ? "start" : value === 1 ? "end" : "middle" }),
          ),
        ];
      }),
    ];
  });
  const bottom = top + arms.length * row;
  return { width, height: bottom + 16, parts: [...key, ...panels, text(width / 2, bottom + 10, words.x, { colour: "muted", anchor: "middle" })] };
}

/**
 * @typedef {object} Table
 * @property {string} label
 * @property {number} length rows, and as many columns
 * @property {ArrayLike<number>} weights row by row
 */

/**
 * Tables of attention as small maps side by side, in as many lines as it takes. A stronger colour is more, on a
 * square-root scale.
 *
 * @param {object} figure
 * @param {Table[]} figure.tables
 * @param {number} figure.largest the weight with the strongest colour
 * @param {number} width
 * @returns {Picture}
 */
export function tablesFigure({ tables, largest }, width) {
  const gap = 14;
  const most = width < NARROW ? 2 : 4;
  const across = Math.min(most, Math.max(1, tables.length));
  const side = Math.min(170, (width - (across - 1) * gap) / across);
  const row = side + 34;
  const parts = tables.flatMap(({ label, length, weights }, index) => {
    const left = (index % across) * (side + gap);
    const top = Math.floor(index / across) * row;
    const cell = side / length;
    /** @type {string[]} */
    const runs = Array.from({ length: HEATS }, () => "");
    for (let query = 0; query < length; query += 1) {
      for (let key = 0; key < length; ) {
        const heat = heatAt(weights[query * length + key], largest);
        let end = key + 1;
        while (end < length && heatAt(weights[query * length + end], largest) === heat) end += 1;
        if (heat > 0) runs[heat] += `M${key} ${query}h${end - key}v1h${key - end}z`;
        key = end;
      }
    }
    const filled = runs.flatMap((d, heat) => (d === "" ? [] : [mark("path", { class: inColour(`heat-${heat}`), d, fill: "currentColor" })]));
    return [
      text(left, top + 14, label, { colour: "muted" }),
      mark("rect", { class: inColour("heat-0"), x: left, y: top + 20, width: side, height: side, fill: "currentColor" }),
      mark("g", { transform: `translate(${short(left)} ${short(top + 20)}) scale(${cell})`, "shape-rendering": "crispEdges" }, ...filled),
    ];
  });
  return { width, height: Math.max(1, Math.ceil(tables.length / across)) * row, parts };
}

/** The step of colour of a weight. @param {number} weight @param {number} largest */
const heatAt = (weight, largest) => Math.min(HEATS - 1, Math.round(Math.sqrt(Math.max(0, weight) / (largest || 1)) * (HEATS - 1)));
