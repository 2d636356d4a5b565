// Kept work and the real models: what comes back goes on as the run that was never left, bit by bit.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Engine } from "synthattn";
import { keep, recall } from "synthattn/keep";
import { becomeBrowser } from "../js/fake-browser.js";

/** @import { CompareReport, Model, ModelSpec, TrainingData } from "synthattn" */
/** @import { Recalled } from "synthattn/keep" */

const TEXT = Array.from({ length: 600 }, (_, i) => `${(i * 7919) % 1000} green bottles hang on wall ${i % 17}. `).join("");
/** @type {ModelSpec} */
const SPEC = { task: "language-model", attention: "vanilla", dModel: 16, heads: 2, layers: 1, maxLength: 12, dropout: 0.1 };
/** @type {ModelSpec[]} */
const SPECS = [SPEC, { ...SPEC, attention: "random" }, { ...SPEC, attention: { kind: "dense+vanilla" } }];
const STEPS = 60;
/** What one call asks for. @param {number} from @param {number} to */
const options = (from, to) => ({
  steps: to - from,
  every: 10,
  batch: 4,
  validation: 0.1,
  warmup: 10,
  schedule: /** @type {const} */ ("cosine"),
  span: { start: 0, end: STEPS },
});

/** @type {Engine} */
let engine;

before(async () => {
  engine = await Engine.create({ device: "cpu" });
});
after(() => engine.dispose());

/** A file's tensors and what it says; the order of its entries is free. @param {Uint8Array} file */
function contents(file) {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length)));
  return { header, tensors: file.slice(8 + length) };
}

/**
 * @param {AsyncGenerator<CompareReport, unknown>} reports
 * @param {(report: CompareReport) => unknown} [each] leaves when it gives true
 */
async function curve(reports, each = () => false) {
  /** @type {{ index: number, step: number, loss: number, gradientNorm: number, validation?: number }[]} */
  const points = [];
  for await (const report of reports) {
    const { index, step, loss, gradientNorm, phase, validation } = report;
    if (phase === "training") points.push({ index, step, loss, gradientNorm });
    if (validation) points.push({ index, step, loss, gradientNorm, validation: validation.loss });
    if (await each(report)) break;
  }
  return points;
}

/** @param {Model[]} models */
const files = async (models) => Promise.all(models.map(async (model) => contents(await model.save())));

test("a comparison that is kept while it runs has the numbers of one that is not, and goes on from any snapshot", async (t) => {
  becomeBrowser(t);
  const data = { text: TEXT };
  const plain = await Promise.all(SPECS.map((spec) => engine.createModel(spec, data)));
  const undisturbed = await curve(engine.compare(SPECS, data, { ...options(0, STEPS), models: plain }));
  const end = await files(plain);

  const models = await Promise.all(SPECS.map((spec) => engine.createModel(spec, data)));
  const [first, second, third] = models;
  const keeping = await keep({ first, second, third }, { name: "run" });
  /** @type {Recalled | undefined} */
  let half;
  const kept = await curve(engine.compare(SPECS, data, { ...options(0, STEPS), models }), async ({ step, index, phase }) => {
    // Not waited for: it happens while the next report is awaited, as a timer would have it.
    void keeping.now();
    if (step !== 30 || index !== 1 || phase !== "training") return;
    await keeping.now();
    half = await recall("run");
  });
  assert.deepEqual(kept, undisturbed);
  assert.deepEqual(await files(models), end);
  await keeping.stop();
  assert.deepEqual((await recall("run"))?.models.map(({ step }) => step), [STEPS, STEPS, STEPS]);

  // In the middle of a round: one kind is an interval behind.
  assert.ok(half);
  assert.deepEqual(half.models.map(({ key, step }) => [key, step]), [["first", 30], ["second", 30], ["third", 20]]);
  assert.deepEqual(half.spec, first.spec);
  const again = await Promise.all(Object.values(half.files).map((file) => engine.load(file, data)));
  const points = [];
  for await (const { step, phase, loss, gradientNorm } of again[2].train({ ...options(20, 30) })) {
    if (phase !== "training") break;
    points.push({ index: 2, step, loss, gradientNorm });
  }
  points.push(...(await curve(engine.compare(SPECS, data, { ...options(30, STEPS), models: again }))));
  assert.deepEqual(points, undisturbed.slice(-points.length));
  assert.equal(points.length, 1 + 3 * 3 + 3);
  assert.deepEqual(await files(again), end);
  await Promise.all([...plain, ...models, ...again].map((model) => model.dispose()));
});

test("a snapshot asked for during training waits for the report, and the text is not in it", async (t) => {
  becomeBrowser(t);
  const model = await engine.createModel(SPEC, { text: TEXT });
  const keeping = await keep(model, { name: "waits" });
  const reports = model.train({ steps: 40, every: 20 });
  await reports.next();
  const next = reports.next();
  assert.equal((await keeping.now()).step, 40);
  assert.equal((await next).value?.step, 40);
  await keeping.stop();
  const found = await recall("waits");
  assert.equal(new TextDecoder("latin1").decode(found?.file).includes("green bottles"), false);
  await reports.return();
  await model.dispose();
});
