// A picture as pixels. The page's policy lets no drawing be loaded as an image, so its marks are drawn one by one.
import { FONT } from "./drawing.js";

/** @typedef {import("./drawing.js").Mark} Mark */

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Mark | string} tree
 * @param {(name: string) => string} colourOf the colour that a class sets, by the name that drawings give it
 * @param {string} [colour] that of what is around
 */
export function paint(context, tree, colourOf, colour = "black") {
  if (typeof tree === "string") return;
  const { tag, attributes: its, children } = tree;
  const mine = typeof its.class === "string" ? colourOf(its.class.replace(/^c-/, "")) : colour;
  context.save();
  const [, x, y] = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(String(its.transform ?? "")) ?? [];
  const [, factor] = /scale\(([-\d.]+)\)/.exec(String(its.transform ?? "")) ?? [];
  if (x !== undefined) context.translate(Number(x), Number(y));
  if (factor !== undefined) context.scale(Number(factor), Number(factor));
  context.globalAlpha *= Number(its.opacity ?? 1);
  context.fillStyle = context.strokeStyle = mine;
  if (tag === "text") {
    context.font = `${its["font-weight"] ?? 400} ${its["font-size"]}px ${FONT}`;
    context.textAlign = its["text-anchor"] === "middle" ? "center" : its["text-anchor"] === "end" ? "right" : "left";
    context.fillText(String(children[0]), Number(its.x), Number(its.y));
  } else if (tag in OUTLINES) {
    const outline = OUTLINES[tag](its);
    if (its.fill !== "none" && tag !== "line") context.fill(outline);
    if (its.stroke === "currentColor") {
      context.lineWidth = Number(its["stroke-width"] ?? 1);
      context.setLineDash(String(its["stroke-dasharray"] ?? "").split(" ").filter(Boolean).map(Number));
      context.stroke(outline);
    }
  } else {
    for (const child of children) paint(context, child, colourOf, mine);
  }
  context.restore();
}

/** @type {Record<string, (its: Mark["attributes"]) => Path2D>} */
const OUTLINES = {
  line: ({ x1, y1, x2, y2 }) => new Path2D(`M${x1} ${y1}L${x2} ${y2}`),
  path: ({ d }) => new Path2D(String(d)),
  rect: ({ x = 0, y = 0, width, height }) => new Path2D(`M${x} ${y}h${width}v${height}h${-width}Z`),
  circle: ({ cx, cy, r }) => {
    const outline = new Path2D();
    outline.arc(Number(cx), Number(cy), Number(r), 0, 2 * Math.PI);
    return outline;
  },
};

/**
 * @param {import("./drawing.js").Picture} picture
 * @param {number} ratio pixels a CSS pixel
 * @param {(name: string) => string} colourOf
 */
export function canvasOf({ width, height, parts }, ratio, colourOf) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * ratio);
  canvas.height = Math.ceil(height * ratio);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.scale(ratio, ratio);
  for (const part of parts) paint(context, part, colourOf);
  return canvas;
}
