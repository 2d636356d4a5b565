// Which labels each model takes for which: rows are the truth, columns what it said.
import { calmly, h } from "../dom.js";
import { csvOf, saveRow } from "../export/save.js";
import { percent, whole } from "../format.js";
import { kindName, labelOf } from "../kinds.js";
import { t } from "../messages/index.js";
import { baselineOf, scoreText, valueOf } from "../score.js";
import { scoresOf } from "../tasks.js";
import { entriesOf } from "./bench.js";

/** @typedef {import("./bench.js").Bench} Bench */
/** @typedef {import("../entry.js").Entry} Entry */

/** How strong the colour of a full cell is; text has to stay readable on it. */
const STRONGEST = 45;
/** Characters of a label that fits over its column. */
const SHORT = 4;

export class Confusion {
  element;
  #bench;
  #grid = h("div", { class: "confusions", "data-testid": "confusion" });
  #none = h("p", { class: "hint" }, t("confusion.none"));
  #drawn = "";
  #save = saveRow("confusion", { csv: () => csvOf(this.#rows()) });

  /** @param {Bench} bench */
  constructor(bench) {
    this.#bench = bench;
    const help = h("p", { class: "hint" }, t("confusion.help"));
    this.element = h("div", {}, h("h3", {}, t("confusion.title")), help, this.#none, this.#grid, this.#save);
    const draw = calmly(() => this.#draw());
    for (const event of ["report", "entries", "phase"]) bench.lab.addEventListener(event, draw);
    bench.state.listen(draw);
  }

  /** It has come into the page. */
  shown() {
    this.#draw();
  }

  /** The models that have been scored. */
  get #scored() {
    return entriesOf(this.#bench).flatMap((entry) => {
      const held = entry.held.at(-1);
      const counts = held?.metrics.confusion;
      return held && counts ? [{ entry, held, counts }] : [];
    });
  }

  /** Every cell of every matrix. */
  #rows() {
    return this.#scored.flatMap(({ entry, held, counts }) => {
      const labels = entry.model.labels ?? counts.map((_, index) => String(index + 1));
      return counts.flatMap((row, truth) =>
        row.map((rows, said) => ({ kind: entry.kind, step: held.step, truth: labels[truth], said: labels[said], rows })),
      );
    });
  }

  #draw() {
    if (!this.element.isConnected) return;
    const scored = this.#scored;
    const key = JSON.stringify(scored.map(({ entry, held }) => [entry.id, held.step, held.count]));
    this.#none.hidden = scored.length > 0;
    this.#save.hidden = scored.length === 0;
    if (key === this.#drawn) return;
    this.#drawn = key;
    // As many columns as there is room for, each wide enough for its labels.
    this.#grid.style.setProperty(
      "--labels",
      String(Math.max(0, ...scored.map(({ counts }) => counts.length))),
    );
    this.#grid.replaceChildren(...scored.map(({ entry, held, counts }) => this.#matrix(entry, held, counts)));
  }

  /**
   * @param {Entry} entry
   * @param {import("../entry.js").Held} held
   * @param {number[][]} counts
   */
  #matrix(entry, held, counts) {
    const { task, text } = this.#bench.state.settings;
    const [main] = scoresOf(task, text);
    const labels = entry.model.labels ?? counts.map((_, index) => String(index + 1));
    const rows = counts.map((row, truth) => {
      const all = row.reduce((sum, count) => sum + count, 0);
      return h(
        "tr",
        {},
        h("th", { scope: "row", title: labels[truth] }, h("span", { class: "label-name" }, labels[truth])),
        row.map((count, said) => cellOf(count, all, truth, said, labels)),
      );
    });
    const about = t("confusion.about", {
      score: scoreText(main, valueOf(held, main), held.whole),
      name: t(`baseline.${main.baseline}`),
      baseline: scoreText(main, baselineOf(held, main), held.whole),
      count: held.count,
      rows: whole(held.count),
    });
    return h(
      "figure",
      { class: "confusion", "data-kind": entry.kind },
      h("figcaption", {}, h("h4", {}, kindName(entry.kind)), h("p", { class: "hint" }, about)),
      h(
        "div",
        {
          class: "table-scroll",
          tabindex: 0,
          role: "region",
          "aria-label": t("confusion.of", { kind: labelOf(entry.kind) }),
        },
        h(
          "table",
          { class: labels.every((label) => label.length <= SHORT) ? "matrix upright" : "matrix" },
          h("caption", { class: "visually-hidden" }, t("confusion.of", { kind: labelOf(entry.kind) })),
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("td", { class: "corner hint" }, t("confusion.corner")),
              labels.map((label) =>
                h("th", { scope: "col", title: label }, h("span", { class: "label-name" }, label)),
              ),
            ),
          ),
          h("tbody", {}, rows),
        ),
      ),
    );
  }
}

/**
 * @param {number} count
 * @param {number} all of the row
 * @param {number} truth
 * @param {number} said
 * @param {string[]} labels
 */
function cellOf(count, all, truth, said, labels) {
  const share = all === 0 ? 0 : count / all;
  const title = t("confusion.cell", {
    count,
    rows: whole(count),
    truth: labels[truth],
    said: labels[said],
    share: percent(share),
  });
  const cell = h("td", { class: truth === said ? "right" : false, title }, whole(count));
  cell.style.background = `color-mix(in srgb, var(--accent) ${Math.round(share * STRONGEST)}%, var(--paper))`;
  if (count === 0) cell.classList.add("zero");
  return cell;
}
