// Functions that never run are emptied in a wasm module, and what only they call; all else stays.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cpuModule } from "../../scripts/lib/paths.js";
import { withoutCustomSections } from "../../scripts/lib/wasm-names.js";
import { NEVER_RUN, withoutUnused } from "../../scripts/lib/wasm-unused.js";

/** @param {number} id @param {number[]} content */
const section = (id, content) => [id, content.length, ...content];
/** @param {string} text */
const name = (text) => [text.length, ...Buffer.from(text)];
/** @param {number[]} code */
const body = (code) => [code.length + 2, 0, ...code, 0x0b];

const NAMES = ["outside", "main", "rare", "shared", "of_rare", "in_table", "of_table", "nobody"];
const [OUTSIDE, , RARE, SHARED, OF_RARE, IN_TABLE, OF_TABLE] = NAMES.keys();
const call = (/** @type {number} */ index) => [0x10, index];
const add = (/** @type {number} */ value) => [0x41, value, 0x6a];

/** Functions of no argument that give a number. `main` calls what is in the table, and `rare` if its global says so. */
const MODULE = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, [1, 0x60, 0, 1, 0x7f]),
  ...section(2, [1, ...name("env"), ...name("outside"), 0, 0]),
  ...section(3, [7, 0, 0, 0, 0, 0, 0, 0]),
  ...section(4, [1, 0x70, 0, 1]),
  ...section(6, [1, 0x7f, 1, 0x41, 0, 0x0b]),
  ...section(7, [2, ...name("main"), 0, 1, ...name("rarely"), 3, 0]),
  ...section(9, [1, 0, 0x41, 0, 0x0b, 1, IN_TABLE]),
  ...section(10, [
    7,
    ...body([0x23, 0, 0x04, 0x7f, ...call(RARE), 0x05, ...call(SHARED), 0x0b, 0x41, 0, 0x11, 0, 0, 0x6a]),
    ...body([...call(SHARED), ...call(OF_RARE), 0x6a]),
    ...body([...call(OUTSIDE), ...add(1)]),
    ...body([0x41, 2]),
    ...body([...call(OF_TABLE), ...add(10)]),
    // A constant of 16 bytes, of which a lane is the number.
    ...body([0xfd, 12, 20, ...Array(15).fill(0), 0xfd, 27, 0]),
    ...body([0x41, 3]),
  ]),
  ...section(0, [...name("name"), 1, 1 + NAMES.flatMap((text) => [0, ...name(text)]).length, NAMES.length, ...NAMES.flatMap((text, index) => [index, ...name(text)])]),
]);

/** @param {Uint8Array} wasm */
async function started(wasm) {
  const { instance } = await WebAssembly.instantiate(new Uint8Array(wasm), { env: { outside: () => 100 } });
  return /** @type {{ main: () => number, rarely: WebAssembly.Global }} */ (/** @type {unknown} */ (instance.exports));
}

test("what is named goes, with what nothing else calls", async () => {
  const { wasm, emptied, unmatched } = withoutUnused(MODULE, [{ named: /^rare$/ }]);
  assert.deepEqual([emptied, unmatched], [["rare", "of_rare", "nobody"], []]);
  const before = await started(MODULE);
  const after = await started(wasm);
  for (const { main } of [before, after]) assert.equal(main(), 131);
  for (const { rarely } of [before, after]) rarely.value = 1;
  assert.equal(before.main(), 133);
  assert.throws(() => after.main(), WebAssembly.RuntimeError);
  assert.ok(wasm.length < MODULE.length);
});

test("names that no function has are told", () => {
  const { emptied, unmatched } = withoutUnused(MODULE, [{ named: /^never_heard_of$/ }]);
  assert.deepEqual([emptied, unmatched], [["nobody"], [/^never_heard_of$/]]);
});

test("a module without names, and instructions that nobody knows, are refused", () => {
  assert.throws(() => withoutUnused(new Uint8Array(withoutCustomSections(MODULE))), /no names/);
  const unknown = Uint8Array.from(MODULE);
  unknown[unknown.indexOf(0x6a)] = 0xff;
  assert.throws(() => withoutUnused(unknown, []), /unknown instruction/);
});

test("the module for the CPU has none of them", () => {
  const { wasm, emptied, unmatched } = withoutUnused(readFileSync(cpuModule.named), NEVER_RUN);
  assert.deepEqual(unmatched, []);
  assert.ok(emptied.length > 30, `${emptied.length} functions`);
  assert.ok(WebAssembly.validate(new Uint8Array(wasm)));
  assert.deepEqual(readFileSync(cpuModule.wasm), Buffer.from(withoutCustomSections(wasm)));
});
