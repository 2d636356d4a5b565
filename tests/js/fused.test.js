// The loop with fused multiply-add is kept as text and as the module made from it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import wabt from "wabt";

const FEATURES = { simd: true, relaxed_simd: true };
const file = (name) => readFileSync(new URL(`../../src/web/fused/${name}`, import.meta.url));

test("fused.wasm is fused.wat, assembled", async () => {
  const { parseWat } = await wabt();
  const module = parseWat("fused.wat", file("fused.wat").toString(), FEATURES);
  module.validate(FEATURES);
  assert.deepEqual(file("fused.wasm"), Buffer.from(module.toBinary({}).buffer));
});
