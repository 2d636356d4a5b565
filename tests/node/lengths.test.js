// What `npm run lengths` measures and writes, at sizes that take seconds.

import assert from "node:assert/strict";
import { test } from "node:test";
import { measureLengths } from "../../bench/lengths.js";
import { lengthsDocument } from "../../scripts/lib/lengths-document.js";
import { tableUnder } from "../documents.js";

test("every kind asked for is measured at every length, against dot products that do the same", async () => {
  const how = { tokens: 64, turns: 2, dModel: 16 };
  const all = await measureLengths({ ...how, lengths: [16, 64], only: ["vanilla", "random", "factorized-random", "mlp-mixer"] });
  assert.deepEqual(
    all.map(({ kind, task, length, batch }) => [kind, task, length, batch]),
    [16, 64].flatMap((length) => [
      ...["vanilla", "random", "factorized-random"].map((kind) => [kind, "language-model", length, 64 / length]),
      ["mlp-mixer", "masked-language-model", length, 64 / length],
    ]),
  );
  for (const { kind, length, train, forward, megabytes, parameters } of all) {
    const what = `${kind}, ${length}`;
    for (const { low, median, high, against } of [train, forward]) {
      assert.ok(0 < low && low <= median && median <= high, what);
      assert.ok(Number.isFinite(against) && against > 0, what);
      if (kind === "vanilla") assert.equal(against, 1);
    }
    assert.ok(megabytes > 1 && parameters > 1000, what);
  }

  /** @type {import("../../bench/counted.js").Counted[]} */
  const counted = [
    { kind: "random", length: 16, dispatches: 97, submits: 5.75, buffers: 0, bytes: 1524, megabytes: 5.94 },
    { kind: "vanilla", length: 16, dispatches: 126, submits: 7, buffers: 1, bytes: 524, megabytes: 5.52 },
  ];
  const text = lengthsDocument(all, counted, { ...how, countedTokens: 64, date: "2026-01-02", machine: "a machine" });
  assert.deepEqual(tableUnder(text, "A training step").map(([kind]) => kind), ["vanilla", "random", "factorized-random", "mlp-mixer"]);
  assert.deepEqual(tableUnder(text, "Aims").map(([kind, length]) => [kind, length]), [["random", "64"], ["factorized-random", "64"]]);
  assert.match(text, /on 2026-01-02: a machine/);
  assert.match(text, /made in a warm step, but for those in the table/);
  assert.deepEqual(tableUnder(text, "WebGPU, as counted"), [
    ["random", "16", "97", "5.8", "0", "1,524", "5.9"],
    ["vanilla", "16", "126", "7", "1", "524", "5.5"],
  ]);
});
