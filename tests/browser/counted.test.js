// What `npm run lengths` counts of WebGPU, for one small model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { countLengths } from "../../bench/counted.js";

test("a warm step is counted: kernels and submits, and no buffer made", async () => {
  const [counted, ...more] = await countLengths({ lengths: [32], tokens: 64, dModel: 64, steps: 2, only: ["random"] });
  assert.deepEqual(more, []);
  assert.deepEqual([counted.kind, counted.length, counted.buffers], ["random", 32, 0]);
  assert.ok(counted.dispatches > 20 && counted.dispatches <= 110, `${counted.dispatches} dispatches`);
  assert.ok(counted.submits > 0 && counted.submits <= 8, `${counted.submits} submits`);
  assert.ok(counted.megabytes > 0.1 && counted.bytes > 0);
});
