// Charts as SVG and PNG, drawn anew from their data with what a picture needs outside the page: a ground, a title, a caption.
/** @typedef {{ at: number, text: string }} Tick in CSS pixels */

/**
 * A chart in CSS pixels, as LineChart gives it.
 *
 * @typedef {object} Drawing
 * @property {number} width @property {number} height
 * @property {{ left: number, top: number, width: number, height: number }} plot
 * @property {Tick[]} xTicks @property {Tick[]} yTicks
 * @property {{ label: string, colour: string, dash: number[], points: [number, number][],
 *   marks: { x: number, y: number, filled: boolean }[], end?: { x: number, y: number, column: number, place: number } }[]} curves
 * @property {{ ink: string, muted: string, rule: string, paper: string }} colours
 */

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Noto Sans CJK SC", sans-serif';
const LINE = 17;
const HEAD = 30;
const MARGIN = 12;

const SVG = "http://www.w3.org/2000/svg";
/** A document of no page: in one that is shown, a picture within the picture would be loaded, which the page's policy forbids. */
const inert = document.implementation.createDocument(SVG, "svg");

/**
 * An element of a picture.
 *
 * @param {string} tag
 * @param {Record<string, string | number | false>} [attributes]
 * @param {...SVGElement} children
 */
function svg(tag, attributes = {}, ...children) {
  const element = /** @type {SVGElement} */ (inert.createElementNS(SVG, tag));
  for (const [name, value] of Object.entries(attributes)) if (value !== false) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** @param {SVGElement} root */
const written = (root) => `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}\n`;

/** @param {number} value */
const round = (value) => Math.round(value * 100) / 100;

/** @param {string} font */
function ruler(font) {
  const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  context.font = font;
  return (/** @type {string} */ text) => context.measureText(text).width;
}

/** A text in lines of a width; Chinese may break anywhere. @param {string} text @param {number} width */
function linesOf(text, width) {
  const measure = ruler(`12px ${FONT}`);
  const lines = [""];
  for (const piece of text.match(/\p{Script=Han}(?:(?!\p{Ps})\p{P})*|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? []) {
    const last = lines[lines.length - 1];
    if (last !== "" && measure(last + piece.trimEnd()) > width) lines.push(piece);
    else lines[lines.length - 1] = last + piece;
  }
  return lines.map((line) => line.trim());
}

/** @param {Record<string, string | number | false>} attributes @param {string} text */
function textAt(attributes, text) {
  const element = svg("text", { "font-family": FONT, "font-size": 12, ...attributes });
  element.textContent = text;
  return element;
}

/** @param {number} width @param {number} height @param {string} title @param {string} paper */
function sheet(width, height, title, paper) {
  const name = svg("title");
  name.textContent = title;
  return svg(
    "svg",
    { width: Math.ceil(width), height: Math.ceil(height), viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`, role: "img" },
    name,
    svg("rect", { width: "100%", height: "100%", fill: paper }),
  );
}

/**
 * A chart of lines as an SVG file.
 *
 * @param {Drawing} drawing
 * @param {{ title: string, caption: string }} words
 */
export function chartSvg({ width, height, plot, xTicks, yTicks, curves, colours }, { title, caption }) {
  const measure = ruler(`600 12px ${FONT}`);
  // Names are never cut here: the picture is as wide as they need.
  const names = curves.flatMap(({ label, end }) => (end ? [end.column + measure(label)] : []));
  const wide = Math.max(width, ...names) + 2 * MARGIN;
  const lines = linesOf(caption, wide - 2 * MARGIN);
  const root = sheet(wide, HEAD + height + lines.length * LINE + MARGIN, title, colours.paper);
  root.append(textAt({ x: MARGIN, y: 20, fill: colours.ink, "font-size": 14, "font-weight": 600 }, title));
  const { left, top } = plot;
  const [right, bottom] = [left + plot.width, top + plot.height];
  const body = svg("g", { transform: `translate(${MARGIN} ${HEAD})` });
  for (const { at, text } of yTicks) {
    body.append(svg("line", { x1: left, x2: right, y1: round(at), y2: round(at), stroke: colours.rule }));
    body.append(textAt({ x: left - 8, y: round(at) + 4, fill: colours.muted, "text-anchor": "end" }, text));
  }
  body.append(svg("line", { x1: left, x2: right, y1: bottom, y2: bottom, stroke: colours.rule }));
  for (const { at, text } of xTicks)
    body.append(textAt({ x: round(at), y: bottom + 20, fill: colours.muted, "text-anchor": "middle" }, text));
  const clip = svg("clipPath", { id: "plot" }, svg("rect", { x: left - 6, y: top - 6, width: plot.width + 12, height: plot.height + 12 }));
  const inside = svg("g", { "clip-path": "url(#plot)" });
  for (const { label, colour, dash, points, marks } of curves) {
    const name = svg("title");
    name.textContent = label;
    const line = svg("polyline", {
      points: points.map(([x, y]) => `${round(x)},${round(y)}`).join(" "),
      fill: "none",
      stroke: colour,
      "stroke-width": 2,
      "stroke-dasharray": dash.join(" ") || false,
    });
    const dots = marks.map(({ x, y, filled }) =>
      svg("circle", {
        cx: round(x),
        cy: round(y),
        r: filled ? 4.5 : 3.5,
        fill: filled ? colour : colours.paper,
        stroke: colour,
        "stroke-width": 1.75,
      }),
    );
    inside.append(svg("g", {}, name, line, ...dots));
  }
  body.append(clip, inside);
  for (const { label, colour, end } of curves) {
    if (!end) continue;
    const { x, y, column, place } = end;
    body.append(
      svg("line", { x1: round(x + 3), y1: round(y), x2: round(column - 4), y2: round(place), stroke: colour, opacity: 0.5 }),
      textAt({ x: round(column), y: round(place) + 4, fill: colour, "font-weight": 600 }, label),
    );
  }
  root.append(body);
  lines.forEach((line, index) =>
    root.append(textAt({ x: MARGIN, y: HEAD + height + (index + 1) * LINE, fill: colours.muted }, line)),
  );
  return written(root);
}

/**
 * The picture of a drawn canvas, with a title above and a caption below.
 *
 * @param {HTMLCanvasElement} drawn
 * @param {number} ratio its pixels a CSS pixel
 * @param {Drawing["colours"]} colours
 * @param {{ title: string, caption: string }} words
 */
export function framed(drawn, ratio, colours, { title, caption }) {
  const width = drawn.width / ratio + 2 * MARGIN;
  const lines = linesOf(caption, width - 2 * MARGIN);
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * ratio);
  canvas.height = Math.ceil((HEAD + drawn.height / ratio + lines.length * LINE + MARGIN) * ratio);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.scale(ratio, ratio);
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, width, canvas.height / ratio);
  context.drawImage(drawn, MARGIN, HEAD, drawn.width / ratio, drawn.height / ratio);
  context.fillStyle = colours.ink;
  context.font = `600 14px ${FONT}`;
  context.fillText(title, MARGIN, 20);
  context.fillStyle = colours.muted;
  context.font = `12px ${FONT}`;
  lines.forEach((line, index) => context.fillText(line, MARGIN, HEAD + drawn.height / ratio + (index + 1) * LINE));
  return canvas;
}

/**
 * A map of weights as it is drawn: a pixel a cell, and the names of its rows and columns.
 *
 * @typedef {{ title: string, cells: HTMLCanvasElement, rows: string[], columns: string[], canvas: HTMLCanvasElement }} MapPicture
 */

/** Pixels of a map's side, and between maps. */
const SIDE = 280;
const GAP = 28;
const LABELS = 24;
/** Cells of a map that become rectangles; of a larger one the picture is put in as it is. */
const MOST_CELLS = 64 * 64;

/**
 * Maps of weights side by side as an SVG file.
 *
 * @param {MapPicture[]} maps
 * @param {Drawing["colours"]} colours
 * @param {{ title: string, caption: string }} words
 */
export function mapsSvg(maps, colours, { title, caption }) {
  const width = 2 * MARGIN + maps.length * (LABELS + SIDE) + Math.max(0, maps.length - 1) * GAP;
  const lines = linesOf(caption, width - 2 * MARGIN);
  const foot = HEAD + 2 * LABELS + SIDE + LINE;
  const root = sheet(width, foot + lines.length * LINE, title, colours.paper);
  root.append(textAt({ x: MARGIN, y: 20, fill: colours.ink, "font-size": 14, "font-weight": 600 }, title));
  maps.forEach((map, index) => {
    const left = MARGIN + index * (LABELS + SIDE + GAP) + LABELS;
    const top = HEAD + 2 * LABELS;
    root.append(
      textAt({ x: left, y: HEAD + 14, fill: colours.ink, "font-weight": 600 }, map.title),
      svg("g", { transform: `translate(${left} ${top})` }, cellsOf(map), ...labelsOf(map, colours)),
    );
  });
  lines.forEach((line, index) => root.append(textAt({ x: MARGIN, y: foot + index * LINE, fill: colours.muted }, line)));
  return written(root);
}

/** @param {MapPicture} map */
function cellsOf({ cells }) {
  const { width, height } = cells;
  if (width * height > MOST_CELLS) {
    const image = { href: cells.toDataURL("image/png"), width: SIDE, height: SIDE };
    return svg("image", { ...image, preserveAspectRatio: "none", "image-rendering": "pixelated" });
  }
  const { data } = /** @type {CanvasRenderingContext2D} */ (cells.getContext("2d")).getImageData(0, 0, width, height);
  const rects = Array.from({ length: width * height }, (_, cell) => {
    const [red, green, blue] = data.subarray(4 * cell, 4 * cell + 3);
    return svg("rect", {
      x: round(((cell % width) * SIDE) / width),
      y: round((Math.floor(cell / width) * SIDE) / height),
      width: round(SIDE / width),
      height: round(SIDE / height),
      fill: `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`,
    });
  });
  return svg("g", { "shape-rendering": "crispEdges" }, ...rects);
}

/** @param {MapPicture} map @param {Drawing["colours"]} colours */
function labelsOf({ rows, columns, cells }, { muted }) {
  const size = (/** @type {number} */ count) => Math.min(12, Math.max(6, (SIDE / count) * 0.9));
  const every = (/** @type {number} */ count) => Math.ceil((count * 8) / SIDE);
  const down = rows.map((label, index) =>
    index % every(cells.height) === 0
      ? textAt({ x: -4, y: round(((index + 0.5) * SIDE) / cells.height) + 3, fill: muted, "font-size": size(cells.height), "text-anchor": "end" }, label)
      : undefined,
  );
  const across = columns.map((label, index) => {
    if (index % every(cells.width) !== 0) return undefined;
    const x = round(((index + 0.5) * SIDE) / cells.width);
    const turned = label.length > 1;
    const turn = { transform: turned && `rotate(-90 ${x} -4)`, "text-anchor": turned ? "start" : "middle" };
    return textAt({ x, y: -5, fill: muted, "font-size": size(cells.width), ...turn }, label);
  });
  return [...down, ...across].flatMap((label) => label ?? []);
}

/**
 * Maps side by side on one canvas, as large as they are on the page.
 *
 * @param {MapPicture[]} maps
 * @param {number} ratio pixels a CSS pixel
 * @param {Drawing["colours"]} colours
 */
export function mapsCanvas(maps, ratio, colours) {
  const canvas = document.createElement("canvas");
  const side = Math.max(1, ...maps.map((map) => map.canvas.width));
  canvas.width = maps.length * side + Math.max(0, maps.length - 1) * GAP * ratio;
  canvas.height = side + LABELS * ratio;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.font = `600 ${12 * ratio}px ${FONT}`;
  maps.forEach((map, index) => {
    const left = index * (side + GAP * ratio);
    context.fillStyle = colours.ink;
    context.fillText(map.title, left, 14 * ratio);
    context.drawImage(map.canvas, left, LABELS * ratio);
  });
  return canvas;
}
