// Writes model files of the present release, with the numbers that every later one must get from them:
//
//     node tests/files/make.js
//
// Run it once, when a release is made, and never again for that release: the files of a release do not change.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Engine } from "synthattn";
import { MODELS, answersOf, trained } from "./models.js";

const { version } = JSON.parse(readFileSync(new URL("../../pkg/package.json", import.meta.url), "utf8"));
const folder = join(import.meta.dirname, version);
if (existsSync(folder)) {
  process.stderr.write(`There are files of ${version} already. They stay as they are.\n`);
  process.exit(1);
}
mkdirSync(folder);

const engine = await Engine.create({ device: "cpu" });
/** @type {Record<string, import("./models.js").Expected>} */
const expected = {};
for (const { name, spec, data, training } of MODELS) {
  const model = await engine.createModel(spec, data);
  await trained(model, training);
  writeFileSync(join(folder, `${name}.safetensors`), await model.save());
  const { step, parameterCount, vocabulary, labels } = model;
  const answers = await answersOf(model, data);
  const [further] = await trained(model, { ...training, steps: 1 });
  expected[name] = { spec: model.spec, step, parameterCount, vocabulary, labels, answers, further };
}
await engine.dispose();
writeFileSync(join(folder, "expected.json"), `${JSON.stringify(expected, null, 1)}\n`);
