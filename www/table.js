// The race in numbers: one row a model, changed calmly and never rebuilt while it runs.
import { h, setText, svg } from "./dom.js";
import { fixed, median, NONE, speed, whole } from "./format.js";
import { labelOf, lineSample, referenceOf } from "./kinds.js";
import { has, t } from "./messages/index.js";
import { paceOf } from "./pace.js";
import { baselineOf, lastHeld, scoreText, valueOf } from "./score.js";

/** @typedef {import("./entry.js").Entry} Entry */

/** @typedef {import("./tasks.js").Score} Score */
/** @typedef {{ element: HTMLElement, cells: Record<string, HTMLElement>, bar: HTMLElement }} Row */

/**
 * What the table's scores are of.
 *
 * @typedef {{ task: string, scores: Score[], ceiling?: number }} Scoring
 */

const COLUMNS = ["kind", "parameters", "loss", "score", "steps", "tokens", "speed", "file"];

export class RaceTable {
  /** @type {HTMLElement} */
  element;
  /** @type {Map<string, Row>} */
  #rows = new Map();
  #body = h("tbody", {});
  #foot = h("tfoot", {});
  #speedHead = h("th", { scope: "col", class: "speed" });
  #scoreHead = h("th", { scope: "col", class: "score" });
  #lossHead = h("th", { scope: "col", class: "loss" });
  #actions;

  /** @param {{ save: (entry: Entry) => Promise<void>, remove: (entry: Entry) => void }} actions */
  constructor(actions) {
    this.#actions = actions;
    setText(this.#speedHead, t("table.speed"));
    /** @type {Record<string, HTMLElement>} */
    const changing = { speed: this.#speedHead, score: this.#scoreHead, loss: this.#lossHead };
    setText(this.#lossHead, t("table.loss"));
    const heads = COLUMNS.map(
      (column) =>
        changing[column] ??
        h(
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
        this.#foot,
      ),
    );
  }

  /**
   * @param {Entry[]} entries
   * @param {string[]} planned kinds that have no model yet; they hold their place in the table
   * @param {Scoring} scoring
   */
  show(entries, planned, scoring) {
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
    const racing = places.filter((place) => !place.entry?.file).map((place) => place.kind);
    const against = base?.kind ?? referenceOf(racing) ?? racing[0];
    setText(this.#speedHead, against ? t("table.speedAgainst", { kind: labelOf(against) }) : t("table.speed"));
    const [{ name }] = scoring.scores;
    setText(this.#scoreHead, t(`score.${name}`));
    this.#scoreHead.title = t(`score.${name}.help`);
    this.#lossHead.title = t(`table.loss.help.${scoring.task}`);
    this.#showFoot(entries, scoring);
    const others = made.length - 1;
    const paces = entries.map((entry) => base && paceOf(entry, base, others));
    const widest = Math.max(1, ...paces.flatMap((pace) => pace?.factor ?? []));
    places.forEach(({ id, kind, entry }, index) => {
      const row = this.#row(id, kind, entry);
      if (entry) {
        this.#fill(row, entry, paces[entries.indexOf(entry)], widest, entry === base);
        fillScore(row.cells, entry, scoring);
      }
      if (this.#body.children[index] !== row.element)
        this.#body.insertBefore(row.element, this.#body.children[index] ?? null);
    });
  }

  /**
   * What stands below the models: what no model is needed for, and what can't be passed without looking at pairs.
   *
   * @param {Entry[]} entries
   * @param {Scoring} scoring
   */
  #showFoot(entries, { task, scores: [main, other], ceiling }) {
    const held = lastHeld(entries.filter((entry) => !entry.file && entry.model.spec.task === task));
    const baseline = baselineOf(held, main);
    const rows = [];
    if (main.baseline) {
      const second = other && baselineOf(held, other);
      const besides =
        second === undefined
          ? ""
          : t("table.besides", { name: t(`score.${other.name}.short`), value: scoreText(other, second) });
      rows.push(footRow("baseline", t(`baseline.${main.baseline}`), scoreText(main, baseline), besides));
    }
    if (ceiling !== undefined)
      rows.push(footRow("ceiling", t("table.ceiling"), scoreText(main, ceiling), ""));
    const text = rows.map((row) => row.textContent).join();
    if (this.#foot.textContent !== text) this.#foot.replaceChildren(...rows);
  }

  /** @param {string} id @param {string} kind @param {Entry} [entry] @returns {Row} */
  #row(id, kind, entry) {
    const old = this.#rows.get(id);
    if (old) return old;
    /** @type {Record<string, HTMLElement>} */
    const cells = {};
    for (const column of ["parameters", "loss", "steps", "tokens"])
      cells[column] = h("td", { class: "number", "data-column": column }, NONE);
    cells.score = h("span", { "data-column": "score" }, NONE);
    cells.besides = h("small", { class: "hint" });
    cells.phase = h("small", { class: "hint" }, t("table.phase.planned"));
    cells.times = h("span", { class: "number", "data-column": "speed" }, NONE);
    cells.between = h("small", { class: "hint number", "data-column": "between" });
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
      h("td", { class: "number score" }, cells.score, cells.besides),
      cells.steps,
      cells.tokens,
      h(
        "td",
        { class: "speed" },
        h(
          "span",
          { class: "speed-cell" },
          h("span", { class: "bar-track", "aria-hidden": "true" }, bar),
          cells.times,
        ),
        cells.between,
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
   * @param {import("./pace.js").Pace | undefined} pace beside the model that speeds are told against
   * @param {number} widest
   * @param {boolean} isBase whether it is that model
   */
  #fill({ cells, bar }, entry, pace, widest, isBase) {
    setText(cells.parameters, whole(entry.model.parameterCount));
    cells.parameters.title = t("table.attentionParameters", {
      count: entry.model.attentionParameterCount,
      parameters: whole(entry.model.attentionParameterCount),
    });
    setText(cells.loss, fixed(entry.points.at(-1)?.loss, 3));
    setText(cells.steps, speed(median(entry.speeds)));
    setText(cells.tokens, whole(median(entry.rates)));
    setText(cells.times, pace ? t("table.times", { value: fixed(pace.factor, 2) }) : NONE);
    setText(cells.between, pace && !isBase ? between(pace) : "");
    cells.between.title = pace?.low === undefined ? "" : t("table.timesBetween.help");
    setText(
      cells.phase,
      entry.file
        ? t("table.fromFile", { file: entry.file, step: whole(entry.model.step) })
        : t(`table.phase.${entry.phase}`, { step: whole(entry.points.at(-1)?.step ?? 0) }),
    );
    bar.style.width = `${pace ? (pace.factor / widest) * 100 : 0}%`;
  }
}

/** How sure a speed is. @param {import("./pace.js").Pace} pace */
function between({ low, high }) {
  return low === undefined
    ? t("table.timesShort")
    : t("table.timesBetween", { low: fixed(low, 2), high: fixed(high, 2) });
}

/** @param {string} name @param {string} title @param {string} score @param {string} besides */
function footRow(name, title, score, besides) {
  return h(
    "tr",
    { "data-row": name },
    h("th", { scope: "row", class: "kind" }, title),
    h("td", { colspan: 2 }),
    h("td", { class: "number score", "data-column": "score" }, score, h("small", { class: "hint" }, besides)),
    h("td", { colspan: 4 }),
  );
}

/**
 * The score, and the second one in small.
 *
 * @param {Record<string, HTMLElement>} cells
 * @param {Entry} entry
 * @param {Scoring} scoring
 */
function fillScore(cells, entry, { task, scores: [main, other] }) {
  // A model from a file may have been made for another task: its scores are other numbers.
  const held = entry.model.spec.task === task ? entry.held.at(-1) : undefined;
  const value = valueOf(held, main);
  const text = scoreText(main, value, held?.whole);
  setText(cells.score, value === undefined || held?.whole ? text : t("table.about", { value: text }));
  cells.score.dataset.whole = String(Boolean(held?.whole));
  const second = other && valueOf(held, other);
  setText(
    cells.besides,
    second === undefined
      ? ""
      : t("table.besides", {
          name: t(`score.${other.name}.short`),
          value: scoreText(other, second, held?.whole),
        }),
  );
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
