// How the page parts a person's own rows into those to train on and those to be tested on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { splitRows, spreadRows, watchedRows } from "../../www/split.js";
import { SHAPES } from "../../www/tasks.js";

const { labelled, translated } = SHAPES;

/** Three labels, in uneven numbers. */
const rows = ["a", "b", "c"].flatMap((label, place) => Array.from({ length: 100 * (place + 1) }, (_, i) => ({ text: `${label} ${i}`, label })));

/** @param {{ label?: unknown }[]} part @param {string} label */
const count = (part, label) => part.filter((row) => row.label === label).length;

test("every row goes to one part, and labels keep their proportions", () => {
  const { training, test: tested } = splitRows(rows, labelled, 0);
  assert.deepEqual([...training, ...tested].map(({ text }) => text).sort(), rows.map(({ text }) => text).sort());
  assert.deepEqual(["a", "b", "c"].map((label) => count(tested, label)), [20, 40, 60]);
});

test("of many rows a tenth is tested on", () => {
  const many = Array.from({ length: 5000 }, (_, i) => ({ source: `s${i}`, target: `t${i}` }));
  assert.equal(splitRows(many, translated, 0).test.length, 500);
});

test("the seed decides", () => {
  assert.deepEqual(splitRows(rows, labelled, 7), splitRows(rows, labelled, 7));
  assert.notDeepEqual(splitRows(rows, labelled, 7).test, splitRows(rows, labelled, 8).test);
});

test("rows that read the same stay together", () => {
  const twice = [...rows, ...rows];
  const { training, test: tested } = splitRows(twice, labelled, 3);
  const known = new Set(training.map(({ text }) => text));
  assert.ok(tested.length > 0);
  assert.deepEqual(tested.filter(({ text }) => known.has(text)), []);
});

test("a label's only row is trained on", () => {
  const { training, test: tested } = splitRows([...rows, { text: "lonely", label: "d" }], labelled, 0);
  assert.equal(count(training, "d"), 1);
  assert.equal(count(tested, "d"), 0);
});

test("watched rows have every label in turn; spread rows come from all over", () => {
  assert.deepEqual(watchedRows(rows, labelled, 6).map(({ label }) => label), ["a", "b", "c", "a", "b", "c"]);
  assert.deepEqual(["a", "b", "c"].map((label) => count(spreadRows(rows, 60), label)), [10, 20, 30]);
  assert.equal(spreadRows(rows, 10_000), rows);
});
