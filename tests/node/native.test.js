// A run that was begun with the package goes on outside of it, by the crate's example program, and comes back.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Engine } from "synthattn";

const root = new URL("../..", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "synthattn-native-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const TEXT = "the sea the sea the open sea\nthe blue the fresh the ever free\n".repeat(20);
const SPEC = /** @type {const} */ ({ task: "language-model", attention: "random+vanilla", dModel: 16, heads: 2, layers: 1, maxLength: 16, dropout: 0.1 });
const OPTIONS = { batch: 4, learningRate: 3e-3, validation: 0.2 };

/** @param {string[]} words what is written behind the program's name */
function run(...words) {
  const args = ["run", "--quiet", "--release", "--example", "train", "--", ...words];
  const { status, stdout, stderr } = spawnSync("cargo", args, { cwd: root, encoding: "utf8" });
  return { status, stdout, stderr };
}

const file = (/** @type {string} */ name) => join(folder, name);

test("a run goes on natively with the same batches, and again with the package", async () => {
  const engine = await Engine.create({ device: "cpu" });
  const data = { text: TEXT };
  /** @param {import("synthattn").Model} model @param {number} steps */
  const train = async (model, steps) => {
    /** @type {number[]} */
    const losses = [];
    for await (const report of model.train({ ...OPTIONS, steps, every: 1 })) if (report.phase === "training") losses.push(report.loss);
    return losses;
  };
  const straight = await engine.createModel(SPEC, data);
  const expected = await train(straight, 20);

  const begun = await engine.createModel(SPEC, data);
  await train(begun, 10);
  writeFileSync(file("begun.safetensors"), await begun.save());
  writeFileSync(file("text.txt"), TEXT);
  const words = ["--batch", "4", "--learning-rate", "3e-3", "--validation", "0.2", "--every", "3"];
  const { status, stdout, stderr } = run(file("begun.safetensors"), file("text.txt"), "--steps", "6", ...words, file("out.safetensors"));
  assert.equal(status, 0, stderr);
  assert.match(stdout, /at step 10\nstep +12 .*\nstep +15 .*\nstep +16 /);

  const back = await engine.load(readFileSync(file("out.safetensors")), data);
  assert.equal(back.step, 16);
  const losses = await train(back, 4);
  // Other instructions add up in another order.
  losses.forEach((loss, at) => assert.ok(Math.abs(loss - expected[16 + at]) < 1e-4 * loss, `${losses}, straight ${expected.slice(16)}`));
  await engine.dispose();
});

test("what cannot be done is told in one line", () => {
  writeFileSync(file("bad.safetensors"), "no model");
  writeFileSync(file("text.txt"), TEXT);
  const files = [file("bad.safetensors"), file("text.txt"), file("never.safetensors")];
  for (const [words, why] of /** @type {[string[], RegExp][]} */ ([
    [["--device", "cuda", ...files], /^the device `cuda` is not available: .*`--features cuda`/],
    [["--device", "gpu", ...files], /^option `device` is "gpu", expected "cpu", "wgpu", /],
    [[file("none.json")], /none\.json: /],
    [["--steps", "3", ...files], /^not a usable model file: /],
    [files.slice(1), /^usage: train /],
    [[...files, "--steps"], /^--steps has no value; usage: train /],
  ])) {
    const { status, stderr } = run(...words);
    assert.equal(status, 1, words.join(" "));
    assert.match(stderr, why);
    assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
  }
});
