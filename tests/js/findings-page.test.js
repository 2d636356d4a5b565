// What the page of findings makes of results, links and storage, without a browser.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { kinds } from "synthattn";
import { asSvg, mark, markup } from "../../www/findings/drawing.js";
import { EXPERIMENTS } from "../../www/findings/experiments.js";
import { askedFor } from "../../www/findings/link.js";
import { hideFirst, hidesFirst, keepResult, predict, predictionOf, resultOf } from "../../www/findings/kept.js";
import { paint } from "../../www/findings/paint.js";
import { bandOf, figuresOf } from "../../www/findings/pictures.js";
import { judge, summarize } from "../../www/findings/summary.js";
import { learnKinds } from "../../www/kinds.js";
import { resultFor } from "./findings-fixture.js";

learnKinds(await kinds());

for (const experiment of EXPERIMENTS) {
  test(`${experiment.id}: every figure is drawn in every view, with its numbers as a table and for programs`, () => {
    const result = resultFor(experiment);
    const figures = figuresOf(experiment, result);
    assert.ok(figures.length >= 2);
    assert.equal(new Set(figures.map(({ name }) => name)).size, figures.length, "two figures of one name");
    for (const { name, title, views } of figures) {
      assert.ok(title.trim() !== "" && views.length > 0);
      for (const view of views) {
        for (const width of [300, 328, 720]) assert.doesNotMatch(markup(asSvg(view.picture(width), title)), /NaN|undefined|Infinity|\{\w+\}/, `${name}, ${view.name}`);
        assert.ok(view.rows.length > 0 && view.data.length > 0, `${name}, ${view.name}`);
        for (const row of view.rows) {
          assert.equal(row.length, view.columns.length, `${name}, ${view.name}`);
          for (const cell of row) assert.doesNotMatch(cell, /NaN|undefined|\{\w+\}/);
        }
        const fields = Object.keys(view.data[0]);
        for (const row of view.data) assert.deepEqual(Object.keys(row), fields);
      }
    }
    // Every run at its end is in a table, and every claim is held against its numbers.
    const ends = figures.flatMap(({ views }) => views.filter(({ name }) => name === "steps").flatMap(({ data }) => data));
    assert.equal(ends.length, result.runs.length);
    for (const run of result.runs) assert.ok(ends.some(({ arm, seed, value }) => arm === run.arm && seed === run.seed && value === run.scores.at(-1)));
    const claims = new Set(figures.flatMap(({ views }) => views.flatMap(({ data }) => data.map(({ claim }) => claim))));
    for (const { id } of experiment.claims) assert.ok(claims.has(id), id);
  });

  test(`${experiment.id}: of a result that has only begun, nothing is made up`, () => {
    const { runs, ...rest } = resultFor(experiment, "quick");
    const begun = { ...rest, runs: [{ ...runs[0], steps: runs[0].steps.slice(0, 1), scores: runs[0].scores.slice(0, 1) }], timings: [], histograms: [], snapshots: [], nearness: [] };
    for (const { views } of figuresOf(experiment, begun)) for (const view of views) assert.doesNotMatch(markup(asSvg(view.picture(328), "")), /NaN|undefined|Infinity/);
    assert.ok(summarize(experiment, begun).claims.every(({ verdict }) => verdict === "undecided"));
  });
}

test("the band of a claim is where its verdict is that it holds", () => {
  for (const says of ["better", "close", "no-worse"]) {
    const claim = { says, margin: 0.2 };
    const [from, to] = bandOf(claim);
    const at = (low, high) => judge(claim, { mean: (low + high) / 2, low, high, n: 5 });
    const end = Math.min(to, 9);
    assert.equal(at(from + 0.01, end - 0.01), "agrees", says);
    assert.equal(at(from - 0.01, end - 0.01), "undecided", says);
    assert.equal(at(from - 0.2, from - 0.1), "disagrees", says);
    if (to < 9) assert.equal(at(from + 0.01, to + 0.01), "undecided", says);
  }
});

test("links ask for an experiment to be run or shown, and for nothing else", () => {
  assert.deepEqual(askedFor("#run=pairs&scale=full"), { id: "pairs", scale: "full" });
  assert.deepEqual(askedFor("#run=pairs&scale=quick"), { id: "pairs", scale: "quick" });
  assert.deepEqual(askedFor("#run=pairs"), { id: "pairs", scale: "quick" });
  assert.deepEqual(askedFor("#run=pairs&scale=%ff"), { id: "pairs", scale: "quick" });
  assert.deepEqual(askedFor("#pairs"), { id: "pairs" });
  for (const hash of ["", "#", "#run=", "#run=nothing", "#%", "#constructor", "#run=__proto__", "#pairs-title"]) assert.equal(askedFor(hash), undefined, hash);
});

/** A storage as browsers have it. @param {boolean} full */
function storage(full) {
  const values = new Map();
  return {
    getItem: (name) => values.get(name) ?? null,
    removeItem: (name) => void values.delete(name),
    setItem(name, value) {
      if (full) throw new Error("QuotaExceededError");
      values.set(name, value);
    },
  };
}

afterEach(() => {
  delete globalThis.localStorage;
  for (const { id } of EXPERIMENTS) keepResult(id, undefined);
  hideFirst(false);
});

for (const [name, made, lasts] of [["there", () => storage(false), true], ["full", () => storage(true), false], ["switched off", () => undefined, false]]) {
  test(`predictions and results are kept, where storage is ${name}`, () => {
    Object.defineProperty(globalThis, "localStorage", { configurable: true, writable: true, value: made() });
    const [{ id }, other] = EXPERIMENTS;
    assert.equal(predict(id, "near"), lasts);
    assert.equal(predictionOf(id), "near");
    assert.equal(predictionOf(other.id), undefined);
    hideFirst(true);
    assert.equal(hidesFirst(), true);
    hideFirst(false);
    assert.equal(hidesFirst(), false);
    const result = resultFor(EXPERIMENTS[0], "quick");
    assert.equal(keepResult(id, result), lasts);
    assert.deepEqual(resultOf(id), result);
    keepResult(id, undefined);
    assert.equal(resultOf(id), undefined);
  });
}

test("what is no result of an experiment is not taken for one", () => {
  const kept = storage(false);
  Object.defineProperty(globalThis, "localStorage", { configurable: true, writable: true, value: kept });
  for (const text of ["{", "null", "7", "[]", "{}", '{"experiment":"pairs","runs":[]}', '{"experiment":"tables","runs":7}']) {
    kept.setItem("synthattn.findings.result.tables", text);
    assert.equal(resultOf("tables"), undefined, text);
  }
});

test("pixels have the marks of the picture, where it has them, in its colours", () => {
  globalThis.Path2D = class {
    constructor(d = "") {
      this.d = d;
    }
    arc(...circle) {
      this.d += `arc ${circle.slice(0, 3)}`;
    }
  };
  const said = [];
  let state = { fillStyle: "", strokeStyle: "", globalAlpha: 1, at: [0, 0] };
  const stack = [];
  const context = {
    save: () => stack.push({ ...state }),
    restore: () => (state = stack.pop()),
    translate: (x, y) => (state.at = [state.at[0] + x, state.at[1] + y]),
    scale() {},
    setLineDash: (dash) => (state.dash = dash.join()),
    fill: ({ d }) => said.push(`fill ${state.fillStyle} ${state.globalAlpha} ${state.at} ${d}`),
    stroke: ({ d }) => said.push(`stroke ${state.strokeStyle} ${state.lineWidth} ${state.dash} ${d}`),
    fillText: (text, x, y) => said.push(`text ${state.fillStyle} ${state.textAlign} ${text} ${x},${y}`),
  };
  for (const name of ["fillStyle", "strokeStyle", "globalAlpha", "lineWidth", "font", "textAlign"]) Object.defineProperty(context, name, { get: () => state[name], set: (value) => (state[name] = value) });
  const tree = mark(
    "g",
    { class: "c-kind-1", transform: "translate(3 4)" },
    mark("circle", { cx: 1, cy: 2, r: 3, fill: "currentColor", opacity: 0.5 }, mark("title", {}, "not drawn")),
    mark("line", { x1: 0, y1: 1, x2: 2, y2: 3, stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": "6 3" }),
    mark("rect", { x: 1, y: 1, width: 5, height: 6, class: "c-rule", fill: "currentColor" }),
    mark("path", { d: "M0 0L1 1", fill: "none", stroke: "currentColor" }),
    mark("text", { x: 5, y: 6, "text-anchor": "end", "font-size": 12 }, "seed"),
  );
  paint(/** @type {any} */ (context), tree, (name) => `<${name}>`);
  assert.deepEqual(said, [
    "fill <kind-1> 0.5 3,4 arc 1,2,3",
    "stroke <kind-1> 2 6,3 M0 1L2 3",
    "fill <rule> 1 3,4 M1 1h5v6h-5Z",
    "stroke <kind-1> 1  M0 0L1 1",
    "text <kind-1> right seed 5,6",
  ]);
  assert.equal(stack.length, 0);
});
