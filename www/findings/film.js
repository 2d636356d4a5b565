// A table of attention over training time: a slider over the steps it was kept at, a small map a head.
import { freshId, h, setText } from "../dom.js";
import { csvOf, pngOf, saveRow } from "../export/save.js";
import { percent, whole } from "../format.js";
import { drawCells, heatScale } from "../heatmap.js";
import { t, together } from "../messages/index.js";
import { colour, onThemeChange } from "../theme.js";
import { weightsOf } from "./attention.js";
import { HEATS, fileOf, framed, heatOf } from "./drawing.js";
import { FILE_WIDTH, isDark, rerunLink } from "./figure-view.js";
import { tablesFigure } from "./figures.js";
import { canvasOf } from "./paint.js";

/** @import { Nearness, Snapshot } from "./contract.js" */

/**
 * @param {string} name of the hooks and files
 * @param {object} film
 * @param {string} film.title
 * @param {Snapshot[]} film.snapshots of one arm and seed
 * @param {Nearness[]} film.nearness of the same
 * @param {import("./figure-view.js").Around} around
 */
export function filmView(name, { title, snapshots, nearness }, { caption, rerun }) {
  const frames = [...snapshots].sort((a, b) => a.step - b.step).map((snapshot) => ({ ...snapshot, queries: snapshot.length, keys: snapshot.length, weights: weightsOf(snapshot) }));
  const [{ layers, heads }] = frames;
  // One scale for all of training: what grows stronger is seen to.
  const most = Math.max(...frames.map(({ largest }) => largest)) || 1;
  const places = Array.from({ length: layers * heads }, (_, index) => ({ layer: Math.floor(index / heads), head: index % heads }));
  const labelOf = (/** @type {{ layer: number, head: number }} */ { layer, head }) => t("findings.film.head", { layer: layer + 1, head: head + 1 });
  const canvases = places.map(() => h("canvas", { "aria-hidden": "true" }));
  const id = freshId();
  const reading = h("p", { class: "film-reading", "data-testid": `${name}-reading` });
  const slider = h("input", { id, type: "range", min: 0, max: frames.length - 1, step: 1, value: frames.length - 1, "data-testid": `${name}-slider`, oninput: () => show() });
  const frame = () => frames[Number(slider.value)];

  const show = () => {
    const scale = heatScale();
    const { step } = frame();
    places.forEach(({ layer, head }, index) => drawCells(canvases[index], frame(), layer, head, most, scale));
    const near = nearness.find((one) => one.step === step);
    const shares = near ? together(...near.layers.map((share, layer) => t("findings.film.near", { layer: layer + 1, share: percent(share), uniform: percent(near.uniform) }))) : "";
    const said = together(t("findings.film.step", { step: whole(step) }), shares);
    setText(reading, said);
    slider.setAttribute("aria-valuetext", said);
  };
  onThemeChange(show);

  const picture = () => {
    const { length, weights } = frame();
    const size = length * length;
    const tables = places.map((place) => {
      const start = (place.layer * heads + place.head) * size;
      return { label: labelOf(place), length, weights: weights.subarray(start, start + size) };
    });
    return tablesFigure({ tables, largest: most }, FILE_WIDTH);
  };
  const words = () => ({ title: t("findings.film.pictured", { title, step: whole(frame().step) }), caption: together(t("findings.film.scale"), caption) });
  const theme = () => (isDark() ? 1 : 0);
  const colourOf = (/** @type {string} */ one) => (one.startsWith("heat-") ? heatOf(Math.min(HEATS - 1, Number(one.slice(5))), theme()) : colour(`--${one}`));
  const saves = saveRow(
    name,
    {
      svg: () => fileOf(picture(), words(), isDark() ? "dark" : "light"),
      png: () => pngOf(canvasOf(framed(picture(), words()), 2, colourOf)),
      csv: () => csvOf(numbersOf(frame(), places)),
    },
    t("findings.figure.one"),
  );
  const maps = places.map((place, index) => h("div", {}, canvases[index], h("p", {}, labelOf(place))));
  show();
  return h(
    "figure",
    { class: "figure film", "data-testid": name },
    h("figcaption", {}, h("span", { class: "h3" }, title)),
    h("p", { class: "hint" }, t("findings.film.scale")),
    h("label", { class: "visually-hidden", for: id }, t("findings.film.slider")),
    slider,
    reading,
    h("div", { class: "film-maps" }, maps),
    h("div", { class: "row saves" }, saves, rerunLink(name, rerun)),
  );
}

/**
 * @param {{ step: number, heads: number, length: number, weights: Float32Array }} frame
 * @param {{ layer: number, head: number }[]} places
 */
function numbersOf({ step, heads, length, weights }, places) {
  return places.flatMap(({ layer, head }) =>
    Array.from({ length: length * length }, (_, cell) => ({
      step,
      layer: layer + 1,
      head: head + 1,
      position: Math.floor(cell / length) + 1,
      looks_at: (cell % length) + 1,
      weight: Number(weights[(layer * heads + head) * length * length + cell].toPrecision(4)),
    })),
  );
}
