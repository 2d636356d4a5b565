// The race in numbers: one row a model, changed calmly and never rebuilt while it runs.
import { h, setText, svg } from "./dom.js";
import { fixed, median, NONE, speed, whole } from "./format.js";
import { labelOf, lineSample, referenceOf } from "./kinds.js";
import { has, t } from "./messages/index.js";

/** @typedef {import("./entry.js").Entry} Entry */

/** @typedef {{ element: HTMLElement, cells: Record<string, HTMLElement>, bar: HTMLElement }} Row */

const COLUMNS = ["kind", "parameters", "loss", "bits", "steps", "tokens", "speed", "file"];

export class RaceTable {
  /** @type {HTMLElement} */
  element;
  /** @type {Map<string, Row>} */
  #rows = new Map();
  #body = h("tbody", {});
  #speedHead = h("th", { scope: "col", class: "speed" });
  #actions;

  /** @param {{ save: (entry: Entry) => Promise<void>, remove: (entry: Entry) => void }} actions */
  constructor(actions) {
    this.#actions = actions;
    setText(this.#speedHead, t("table.speed"));
    const heads = COLUMNS.map((column) =>
      column === "speed"
        ? this.#speedHead
        : h(
            "th",
            { scope: "col", class: column, title: has(`table.${column}.help`) && t(`table.${column}.help`) },
            t(`table.${column}`),
          ),
    );
    this.element = h(
      "div",
      { class: "table-scroll", tabindex: 0, role: "region", "aria-label": t("table.title") },
      h(
        "table",
        { class: "race-table", "data-testid": "race-table" },
        h("caption", { class: "visually-hidden" }, t("table.title")),
        h("thead", {}, h("tr", {}, heads)),
        this.#body,
      ),
    );
  }

  /**
   * @param {Entry[]} entries
   * @param {string[]} planned kinds that have no model yet; they hold their place in the table
   */
  show(entries, planned) {
    const made = entries.filter((entry) => !entry.file);
    const places = [
      ...made.map((entry) => ({ id: entry.id, kind: entry.kind, entry })),
      ...planned.slice(made.length).map((kind) => ({ id: `planned ${kind}`, kind, entry: undefined })),
      ...entries.filter((entry) => entry.file).map((entry) => ({ id: entry.id, kind: entry.kind, entry })),
    ];
    for (const [id, row] of this.#rows) {
      if (places.some((place) => place.id === id)) continue;
      row.element.remove();
      this.#rows.delete(id);
    }
    const reference = entries.find(
      (entry) => !entry.file && entry.kind === referenceOf(entries.map(({ kind }) => kind)),
    );
    const base = reference ?? entries.find((entry) => entry.speeds.length > 0);
    const baseSpeed = median(base?.speeds ?? []);
    setText(this.#speedHead, base ? t("table.speedAgainst", { kind: labelOf(base.kind) }) : t("table.speed"));
    const relative = entries.map((entry) => median(entry.speeds) / baseSpeed);
    const widest = Math.max(1, ...relative.filter(Number.isFinite));
    places.forEach(({ id, kind, entry }, index) => {
      const row = this.#row(id, kind, entry);
      if (entry) this.#fill(row, entry, relative[entries.indexOf(entry)], widest);
      if (this.#body.children[index] !== row.element)
        this.#body.insertBefore(row.element, this.#body.children[index] ?? null);
    });
  }

  /** @param {string} id @param {string} kind @param {Entry} [entry] @returns {Row} */
  #row(id, kind, entry) {
    const old = this.#rows.get(id);
    if (old) return old;
    /** @type {Record<string, HTMLElement>} */
    const cells = {};
    for (const column of ["parameters", "loss", "bits", "steps", "tokens"])
      cells[column] = h("td", { class: "number", "data-column": column }, NONE);
    cells.phase = h("small", { class: "hint" }, t("table.phase.planned"));
    cells.times = h("span", { class: "number" }, NONE);
    const bar = h("span", { class: "bar" });
    const element = h(
      "tr",
      { "data-kind": kind, "data-origin": entry ? (entry.file ? "file" : "run") : "planned" },
      h(
        "th",
        { scope: "row", class: "kind" },
        h("span", { class: "kind-name" }, lineSample(kind), labelOf(kind)),
        cells.phase,
      ),
      cells.parameters,
      cells.loss,
      cells.bits,
      cells.steps,
      cells.tokens,
      h(
        "td",
        { class: "speed", "data-column": "speed" },
        h(
          "span",
          { class: "speed-cell" },
          h("span", { class: "bar-track", "aria-hidden": "true" }, bar),
          cells.times,
        ),
      ),
      h("td", { class: "file" }, entry ? this.#fileButtons(entry) : null),
    );
    const row = { element, cells, bar };
    this.#rows.set(id, row);
    return row;
  }

  /** @param {Entry} entry */
  #fileButtons(entry) {
    const label = labelOf(entry.kind);
    /** @param {string} name @param {string} title @param {string} path @param {() => void} act */
    const button = (name, title, path, act) =>
      h(
        "button",
        {
          type: "button",
          class: "icon",
          "data-testid": `${name}-${entry.kind}`,
          "aria-label": title,
          title,
          onclick: act,
        },
        icon(path),
      );
    const save = button(
      "download",
      t("table.save", { kind: label }),
      "M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10",
      () => {
        save.disabled = true;
        void this.#actions.save(entry).finally(() => (save.disabled = false));
      },
    );
    if (!entry.file) return [save];
    return [
      save,
      button("remove", t("table.remove", { kind: label, file: entry.file }), "M4 4l8 8M12 4l-8 8", () =>
        this.#actions.remove(entry),
      ),
    ];
  }

  /**
   * @param {Row} row
   * @param {Entry} entry
   * @param {number} relative
   * @param {number} widest
   */
  #fill({ cells, bar }, entry, relative, widest) {
    const held = entry.held.at(-1);
    setText(cells.parameters, whole(entry.model.parameterCount));
    cells.parameters.title = t("table.attentionParameters", {
      count: entry.model.attentionParameterCount,
      parameters: whole(entry.model.attentionParameterCount),
    });
    setText(cells.loss, fixed(entry.points.at(-1)?.loss, 3));
    setText(
      cells.bits,
      held?.bits === undefined
        ? NONE
        : held.whole
          ? fixed(held.bits, 3)
          : t("table.about", { value: fixed(held.bits, 2) }),
    );
    cells.bits.dataset.whole = String(Boolean(held?.whole));
    setText(cells.steps, speed(median(entry.speeds)));
    setText(cells.tokens, whole(median(entry.rates)));
    setText(cells.times, Number.isFinite(relative) ? t("table.times", { value: fixed(relative, 2) }) : NONE);
    setText(
      cells.phase,
      entry.file
        ? t("table.fromFile", { file: entry.file, step: whole(entry.model.step) })
        : t(`table.phase.${entry.phase}`, { step: whole(entry.points.at(-1)?.step ?? 0) }),
    );
    bar.style.width = `${Number.isFinite(relative) ? (relative / widest) * 100 : 0}%`;
  }
}

/** @param {string} d */
function icon(d) {
  return svg(
    "svg",
    { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" },
    svg("path", {
      d,
      fill: "none",
      stroke: "currentColor",
      "stroke-width": 1.5,
      "stroke-linecap": "round",
      "stroke-linejoin": "round",
    }),
  );
}
