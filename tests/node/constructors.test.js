// The module must run its static constructors once, at start. A linker that takes the module for a command wraps every
// export into a function that runs them again, at 7 ms a call; such wrappers are named `<export>.command_export`.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { cpuModule, fullModule } from "../../scripts/lib/paths.js";
import { functionNames } from "../../scripts/lib/wasm-names.js";
import { hashFile, readStamp } from "../../scripts/lib/wasm.js";

const WRAPPER = /\.command_export$/;

/** @param {number[]} bytes */
const sized = (bytes) => [bytes.length, ...bytes];
/** @param {string} text */
const named = (text) => sized([...new TextEncoder().encode(text)]);

/** A module of one function, called `name` in the name section. @param {string} name */
function moduleWith(name) {
  const names = [1, ...sized([1, 0, ...named(name)])];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...[1, ...sized([1, 0x60, 0, 0])],
    ...[3, ...sized([1, 0])],
    ...[10, ...sized([1, ...sized([0, 0x0b])])],
    ...[0, ...sized([...named("name"), ...names])],
  ]);
}

test("the reader of names sees a wrapper", () => {
  const wasm = moduleWith("kinds.command_export");
  assert.ok(WebAssembly.validate(wasm));
  assert.deepEqual([...(functionNames(wasm) ?? [])], [[0, "kinds.command_export"]]);
  assert.equal(functionNames(moduleWith("x").subarray(0, 8)), undefined);
});

for (const files of [fullModule, cpuModule]) {
  test(`no export of ${basename(files.named)} runs static constructors again`, () => {
    const stamp = readStamp(files);
    assert.ok(stamp && existsSync(files.named), "build first");
    assert.equal(hashFile(files.wasm), stamp.module, "the package holds another module than the one that was checked");
    assert.equal(hashFile(files.named), stamp.named, "the module with names is another than the one that was built");

    const names = functionNames(readFileSync(files.named));
    assert.ok(names, "the module that the shipped one is made from must keep its name section");
    const functions = [...names.values()];
    // Proof that these are the linker's names: the function that the crate's start calls is among them.
    assert.ok(functions.includes("__wasm_call_ctors"), "no __wasm_call_ctors among the names");
    assert.deepEqual(functions.filter((name) => WRAPPER.test(name)), []);
  });
}
