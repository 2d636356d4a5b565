// What the entries of the package differ in: how a worker starts, what is said of WebGPU, where the module is.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as both from "../../pkg/index.js";
import * as core from "../../pkg/core.js";
import * as cpu from "../../pkg/cpu.js";
import * as cpuInline from "../../pkg/dist/cpu-inline.js";
import * as inline from "../../pkg/dist/inline.js";
/** An entry in one file has a class of errors of its own. */
const rejects = (promise, { SynthError }, code, words) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof SynthError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, words);
    return true;
  });

const NO_WEBGPU = /CPU alone, without WebGPU/;

test("core asks for a module, before it starts anything, and takes no other value for one", async () => {
  for (const options of [undefined, {}, { device: "cpu" }, { wasm: undefined }]) {
    await rejects(core.Engine.create(options), core, "invalid-option", /comes without a WebAssembly file: pass one as the option wasm/);
  }
  const error = await core.Engine.create().catch((why) => why);
  assert.equal(error.details.option, "wasm");
  await rejects(core.Engine.create({ wasm: 5 }), core, "invalid-option", /wasm/);
});

for (const [name, entry] of Object.entries({ cpu, cpuInline })) {
  test(`${name} says that it has no WebGPU, and refuses it`, async () => {
    const { webgpu, reason } = await entry.support();
    assert.equal(webgpu, false);
    assert.match(reason, NO_WEBGPU);
    await rejects(entry.Engine.create({ device: "webgpu" }), entry, "webgpu-unavailable", NO_WEBGPU);
  });
}

test("an engine is of its entry's class", async () => {
  for (const { Engine } of [both, cpu, inline, cpuInline]) {
    const engine = await Engine.create({ device: "cpu" });
    assert.ok(engine instanceof Engine);
    await engine.dispose();
  }
});

for (const [name, entry] of Object.entries({ inline, cpuInline })) {
  test(`${name} has all tables and no data sets, and says where they are`, async () => {
    assert.deepEqual(await entry.kinds(), await both.kinds());
    assert.deepEqual(
      (await entry.tasks()).map(({ name, builtins }) => [name, builtins.length]),
      (await both.tasks()).map(({ name }) => [name, 0]),
    );
    await rejects(entry.builtinData("dates"), entry, "invalid-data", /come without data sets.*synthattn\/core/);
  });
}

test("a set that is asked for by name where there is none ends the call, and the engine goes on", async () => {
  const engine = await cpuInline.Engine.create({ device: "cpu" });
  const spec = { task: "language-model", attention: "dense", dModel: 16, heads: 2, layers: 1, maxLength: 8 };
  await rejects(engine.createModel(spec, { builtin: "moby-dick" }), cpuInline, "invalid-data", /come without data sets/);
  const model = await engine.createModel(spec, { text: "to be or not to be, that is the question" });
  assert.ok(model.parameterCount > 0);
  await engine.dispose();
});

test("each entry refuses the other's module with words, and core takes either", async () => {
  const [full, small] = ["wasm", "wasm-cpu"].map((folder) => new URL(`../../pkg/${folder}/synthattn_bg.wasm`, import.meta.url));
  for (const [entry, wasm] of [[both, small], [inline, small], [cpu, full], [cpuInline, full]]) {
    await rejects(entry.Engine.create({ device: "cpu", wasm }), entry, "invalid-option", /not the one of this entry.*synthattn\/core/);
  }
  for (const wasm of [full, small]) await (await core.Engine.create({ device: "cpu", wasm })).dispose();
});

test("a module of something else is refused with words", async () => {
  const wasm = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  await rejects(both.Engine.create({ device: "cpu", wasm }), both, "invalid-option", /not the one of this entry/);
});

test("an error of one entry is a SynthError of every other, and nothing else is", async () => {
  const made = await inline.Engine.create({ seed: -1 }).catch((why) => why);
  for (const { SynthError } of [both, core, cpu, inline, cpuInline]) {
    assert.ok(made instanceof SynthError);
    assert.ok(!(new Error("SynthError") instanceof SynthError));
    assert.ok(!({ name: "SynthError", code: "busy" } instanceof SynthError));
    assert.ok(!(undefined instanceof SynthError));
  }
});
