// A figure on the page: drawn for the width there is, with its views as a switch, its numbers as a table, and its files.
import { canvasOf } from "./paint.js";
import { asSvg, fileOf, framed } from "./drawing.js";
import { h, svg } from "../dom.js";
import { csvOf, pngOf, saveRow } from "../export/save.js";
import { t } from "../messages/index.js";
import { copyButton } from "../share.js";
import { colour } from "../theme.js";
import { linkTo } from "./link.js";

/** @import { Mark, Picture } from "./drawing.js" */
/** @import { Figure, View } from "./pictures.js" */

/**
 * What stands around a figure: in files a caption that says on what, where and when it was measured, and what reruns it.
 *
 * @typedef {object} Around
 * @property {{ id: string, scale: import("./contract.js").Scale }} rerun
 * @property {string} caption
 */

/** Width of a figure in a file, in pixels. */
export const FILE_WIDTH = 720;

/** @param {Mark} mark @returns {SVGElement} */
export function element({ tag, attributes, children }) {
  const made = svg(tag, attributes);
  made.append(...children.map((child) => (typeof child === "string" ? child : element(child))));
  return made;
}

/** Colours of the day by the names that drawings give them. @param {string} name */
const colourOf = (name) => colour(`--${name}`);

/** Whether the page is dark now. */
export const isDark = () => {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

/**
 * @param {string} name of the hooks and files
 * @param {Figure} figure
 * @param {Around & { region: string }} around `region`: its name among all of the page
 */
export function figureView(name, figure, { rerun, caption, region }) {
  let [view] = figure.views;
  const place = h("div", { class: "figure-place" });
  const table = h("table", { class: "numbers" });
  const scroll = h("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": region }, table);
  const note = h("p", { class: "hint" });
  let drawn = 0;
  const draw = () => {
    const width = Math.floor(place.clientWidth);
    if (width === 0) return;
    drawn = width;
    place.replaceChildren(element(asSvg(view.picture(width), figure.title)));
  };
  const show = () => {
    draw();
    note.textContent = view.note ?? "";
    note.hidden = !view.note;
    fillTable(table, view, figure.title);
  };
  // Narrower or wider, or shown for the first time.
  new ResizeObserver(() => {
    if (Math.floor(place.clientWidth) !== drawn) draw();
  }).observe(place);
  const words = () => ({ title: figure.views.length > 1 ? t("findings.figure.viewed", { title: figure.title, view: view.label }) : figure.title, caption });
  const saves = saveRow(
    name,
    {
      svg: () => fileOf(view.picture(FILE_WIDTH), words(), isDark() ? "dark" : "light"),
      png: () => pngOf(canvasOf(framed(view.picture(FILE_WIDTH), words()), 2, colourOf)),
      csv: () => csvOf(view.data),
    },
    t("findings.figure.one"),
  );
  show();
  return h(
    "figure",
    { class: "figure", "data-testid": name },
    h("figcaption", { class: "head" }, h("span", { class: "h3" }, figure.title), figure.views.length > 1 ? viewSwitch() : null),
    place,
    note,
    h("details", { class: "fold" }, h("summary", {}, t("findings.figure.table")), scroll),
    h("div", { class: "row saves" }, saves, rerunLink(name, rerun)),
  );

  function viewSwitch() {
    return h(
      "fieldset",
      { class: "segmented" },
      h("legend", { class: "visually-hidden" }, t("findings.figure.views")),
      figure.views.map((one) => {
        const input = h("input", {
          type: "radio",
          name: `view-${name}`,
          value: one.name,
          checked: one === view,
          "data-testid": `view-${name}-${one.name}`,
          onchange: () => {
            view = one;
            show();
          },
        });
        return h("label", {}, input, h("span", {}, one.label));
      }),
    );
  }
}

/** A link that reruns what a figure is of. @param {string} name @param {Around["rerun"]} rerun */
export function rerunLink(name, { id, scale }) {
  return copyButton({
    name: `rerun-${name}`,
    label: t("share.run"),
    linkLabel: t("share.runLink"),
    copied: t("findings.figure.linkCopied"),
    make: () => ({ link: linkTo(id, scale), own: false }),
  });
}

/** @param {HTMLTableElement} table @param {View} view @param {string} caption */
function fillTable(table, { columns, rows }, caption) {
  const side = (/** @type {number} */ index) => (index === 0 ? undefined : "number");
  table.replaceChildren(
    h("caption", { class: "visually-hidden" }, caption),
    h("thead", {}, h("tr", {}, columns.map((column, index) => h("th", { scope: "col", class: side(index) }, column)))),
    h(
      "tbody",
      {},
      rows.map((row) => h("tr", {}, row.map((cell, index) => (index === 0 ? h("th", { scope: "row" }, cell) : h("td", { class: "number" }, cell))))),
    ),
  );
}
