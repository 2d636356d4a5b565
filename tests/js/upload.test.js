// Large data crosses in slices; wrong data is refused with the row at fault.

import assert from "node:assert/strict";
import { test } from "node:test";
import { dataUpload } from "../../pkg/client/upload.js";
import { SPEC, drain, engineFor, modelFor, rejects } from "./bench.js";

const parts = ({ messages }) => messages.filter(({ type }) => type === "part").map(({ part }) => part);

test("a long text crosses a million characters at a time and arrives whole", async (t) => {
  const { engine, control, workers } = await engineFor(t);
  // Cut at odd places: a pair of surrogates may fall apart on the way.
  const text = `x${"😀".repeat(1_300_000)}\ud800`;
  await engine.createModel(SPEC, { text });
  assert.deepEqual(
    parts(workers[0]).map(({ length }) => length),
    [1 << 20, 1 << 20, 2_600_002 - (2 << 20)],
  );
  assert.equal(control.received[0].text, text);
});

test("rows cross a few thousand at a time, less if they are long", async (t) => {
  const { engine, control, workers } = await engineFor(t);
  const rows = Array.from({ length: 10_000 }, (_, index) => ({ text: `t${index}`, label: index % 3 }));
  await engine.createModel(SPEC, { rows });
  assert.deepEqual(
    parts(workers[0]).map(({ length }) => length),
    [4096, 4096, 1808],
  );
  assert.deepEqual(control.received[0], { rows });

  workers[0].messages.length = 0;
  const long = Array.from({ length: 5 }, () => ({
    source: "s".repeat(400_000),
    target: "t".repeat(300_000),
  }));
  await engine.createModel(SPEC, { rows: long });
  assert.deepEqual(
    parts(workers[0]).map(({ length }) => length),
    [2, 2, 1],
  );
});

test("no slice takes long to make", async () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => ({
    text: `row ${index} `.repeat(20),
    label: index,
    extra: {},
  }));
  for (const data of [{ rows }, { text: "ab".repeat(20_000_000) }]) {
    const slices = dataUpload(data).slices()[Symbol.iterator]();
    const times = [];
    for (let done = false; !done;) {
      const from = performance.now();
      const next = slices.next();
      if (!next.done) structuredClone(next.value.part);
      times.push(performance.now() - from);
      done = next.done;
    }
    // The median: a busy machine may stretch any single one.
    const middle = times.sort((a, b) => a - b)[times.length >> 1];
    assert.ok(middle < 25, `${middle} ms`);
  }
});

test("of a row only what matters crosses", async (t) => {
  const { engine, control } = await engineFor(t);
  await engine.createModel(SPEC, {
    rows: [
      { text: "a", label: "x", id: 7n, click() {} },
      { text: "b", second: "c", label: 1 },
    ],
  });
  assert.deepEqual(control.received[0].rows, [
    { text: "a", label: "x" },
    { text: "b", second: "c", label: 1 },
  ]);
});

test("empty text and no rows are Rust's to judge", async (t) => {
  const { engine, control } = await engineFor(t);
  await engine.createModel(SPEC, { text: "" });
  await engine.createModel(SPEC, { rows: [] });
  assert.deepEqual(control.received, [{ text: "" }, { rows: [] }]);
});

for (const [what, data] of [
  ["nothing", undefined],
  ["null", null],
  ["a string", "text"],
  ["an empty object", {}],
  ["a misspelt name", { texts: "ab" }],
  ["two kinds at once", { text: "ab", rows: [] }],
  ["an unknown name beside", { text: "ab", language: "en" }],
  ["a name of every object", { toString: "ab" }],
  ["text that is none", { text: 7 }],
  ["a text object", { text: new String("ab") }],
  ["rows that are no list", { rows: "ab" }],
  ["a builtin that is no name", { builtin: 7 }],
]) {
  test(`${what} as data is invalid-data`, async (t) => {
    const { engine, model, control } = await modelFor(t);
    control.received.length = 0;
    const error = await rejects(engine.createModel(SPEC, data), "invalid-data");
    assert.equal(typeof error.details.reason, "string");
    await rejects(model.evaluate(data), "invalid-data");
    assert.deepEqual(control.received, []);
  });
}

for (const [what, row] of [
  ["no object", "a"],
  ["null", null],
  ["a function for text", { text: () => {}, label: 1 }],
  ["a number for text", { text: 3, label: 1 }],
  ["a BigInt for a label", { text: "a", label: 3n }],
  ["a symbol for a label", { text: "a", label: Symbol("x") }],
  ["an object for a target", { source: "a", target: {} }],
]) {
  test(`a row with ${what} is invalid-data, by its number, and the engine goes on`, async (t) => {
    const { engine, control } = await engineFor(t);
    const rows = Array.from({ length: 5000 }, () => ({ text: "a", label: 1 }));
    rows[4500] = row;
    await rejects(engine.createModel(SPEC, { rows }), "invalid-data", { row: 4500 });
    assert.equal(control.log.includes("createModel"), false);
    await engine.createModel(SPEC, { text: "ab" });
  });
}

test("a call that is aborted during its upload sends no more, and the next goes on", async (t) => {
  const { model, control, workers } = await modelFor(t);
  const controller = new AbortController();
  workers[0].messages.length = 0;
  const evaluating = rejects(
    model.evaluate({ text: "ab".repeat(50 << 20) }, { signal: controller.signal }),
    "aborted",
  );
  setTimeout(() => controller.abort(), 2);
  await evaluating;
  await model.evaluate({ text: "abc" });
  assert.ok(parts(workers[0]).length < 100, `${parts(workers[0]).length} parts`);
  assert.deepEqual(control.received.at(-1), { text: "abc" });
  await drain(model.train({ steps: 1 }));
});
