// Files that earlier releases wrote load, give the numbers that they gave then, and can be trained on.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Engine, SynthError, tasks } from "synthattn";
import { at } from "../../scripts/lib/paths.js";
import { MODELS, answersOf, trained } from "../files/models.js";
import { close, open } from "../model-file.js";

/** @import { Expected } from "../files/models.js" */

/** float32 sums in another order than the release that wrote the file had: through one layer, and a step further. */
const TOLERANCE = 1e-4;

const folder = at("tests", "files");
const releases = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);

/** @param {string} release @returns {Record<string, Expected>} */
const expectedOf = (release) => JSON.parse(readFileSync(join(folder, release, "expected.json"), "utf8"));
/** @param {string} release @param {string} name */
const fileOf = (release, name) => new Uint8Array(readFileSync(join(folder, release, `${name}.safetensors`)));

/**
 * Whether everything that is expected is there, numbers but for rounding. More may be there.
 *
 * @param {any} found
 * @param {any} expected
 * @param {string} where
 */
function agree(found, expected, where) {
  if (typeof expected === "number") {
    assert.ok(Math.abs(found - expected) <= TOLERANCE * Math.max(1, Math.abs(expected)), `${where} is ${found}, was ${expected}`);
  } else if (typeof expected === "object" && expected !== null) {
    if (Array.isArray(expected)) assert.equal(found?.length, expected.length, where);
    for (const [key, value] of Object.entries(expected)) agree(found?.[key], value, `${where}.${key}`);
  } else assert.equal(found, expected, where);
}

/** @type {Engine} */
let engine;
before(async () => {
  engine = await Engine.create({ device: "cpu" });
});
after(() => engine?.dispose());

test("there are files of the release that package.json names, of every task", async () => {
  const { version } = JSON.parse(readFileSync(at("pkg", "package.json"), "utf8"));
  assert.ok(releases.includes(version), `run node tests/files/make.js for ${version}`);
  for (const release of releases) {
    const covered = new Set(Object.values(expectedOf(release)).map(({ spec }) => spec.task));
    assert.deepEqual([...covered].sort(), (await tasks()).map(({ name }) => name).sort(), release);
  }
});

for (const release of releases) {
  describe(`a file of ${release}`, () => {
    for (const [name, expected] of Object.entries(expectedOf(release))) {
      const sample = MODELS.find((model) => model.name === name);
      assert.ok(sample, `tests/files/models.js has lost ${name}`);

      test(`${name} gives the same numbers`, async () => {
        const model = await engine.load(fileOf(release, name));
        agree(model.spec, expected.spec, "spec");
        for (const fact of /** @type {const} */ (["step", "parameterCount", "vocabulary", "labels"])) {
          assert.deepEqual(model[fact], expected[fact], fact);
        }
        agree(await answersOf(model, sample.data), expected.answers, name);
        await model.dispose();
      });

      test(`${name} can be trained on, from where it was`, async () => {
        const model = await engine.load(fileOf(release, name), sample.data);
        const [further] = await trained(model, { ...sample.training, steps: 1 });
        agree(further, expected.further, "the loss of the next step");
        assert.equal(model.step, expected.step + 1);
        const losses = await trained(model, { ...sample.training, steps: 20, every: 10 });
        assert.ok(losses.every(Number.isFinite));
        const again = await engine.load(await model.save());
        assert.equal(again.step, expected.step + 21);
        assert.deepEqual(await again.evaluate(sample.data), await model.evaluate(sample.data));
        for (const one of [model, again]) await one.dispose();
      });

      test(`${name}, were it of a later layout, is refused as such`, async () => {
        const contents = open(fileOf(release, name));
        const newer = Number(contents.metadata.version) + 1000;
        // Whatever else a later layout has, the version is what is told.
        const metadata = { ...contents.metadata, version: String(newer), spec: '{"task":"telepathy"}', training: "none" };
        for (const file of [close({ ...contents, metadata: { ...contents.metadata, version: String(newer) } }), close({ metadata, tensors: {} })]) {
          await assert.rejects(engine.load(file), (why) => {
            assert.ok(why instanceof SynthError);
            assert.equal(why.code, "unsupported-version");
            assert.equal(why.details?.found, newer);
            return true;
          });
        }
        assert.equal((await engine.memory()).models, 0);
      });
    }
  });
}
