// Which runs are made, how one is trained and cut, what claims say, and the table of it all.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CLAIMS, best, lead, lowest, ofTargets } from "../../scripts/lib/quality/claims.js";
import { inParallel } from "../../scripts/lib/quality/parallel.js";
import { judge, report } from "../../scripts/lib/quality/report.js";
import { keepResult, newestResults } from "../../scripts/lib/quality/results.js";
import { GROUPS } from "../../scripts/lib/quality/runs.js";
import { allRuns, select, settingsKey } from "../../scripts/lib/quality/select.js";
import { builtinRuns, shortened } from "../../scripts/lib/quality/short.js";
import { trainRun } from "../../scripts/lib/quality/train.js";

/** @type {any} */
const GROUP = {
  name: "pets",
  title: "Cats and dogs",
  data: "pets",
  metric: "accuracy",
  references: { "a coin": 50 },
  limit: 10,
  spec: { dModel: 64, layers: 2 },
  train: { steps: 100, batch: 8, learningRate: 1e-3 },
  kinds: {
    vanilla: { target: { atLeast: 0.9 } },
    dense: { spec: { dropout: 0.1 }, train: { learningRate: 2e-3 } },
  },
};
const [VANILLA, DENSE] = allRuns([GROUP]);
const PLACE = { cpu: "Fast 9000", cores: 4, node: "20.0.0", version: "1.2.3", parallel: 2 };

/** @param {any} run @param {any} [more] */
function resultOf(run, { accuracy = 0.8, ...more } = {}) {
  const { spec, train, options } = run;
  return {
    id: run.id,
    settings: settingsKey(run),
    date: "2030-01-02T03:04:05.000Z",
    place: PLACE,
    outcome: {
      spec: { task: "classification", attention: run.kind, ...spec },
      options,
      train,
      parameters: 12345,
      step: 100,
      seconds: 7.4,
      cut: false,
      metrics: { loss: 1, accuracy, baseline: { accuracy: 0.55 } },
      curve: [],
      sizes: { training: 8000, test: 500 },
      ...more,
    },
  };
}

const table = (results, more = {}) =>
  report(new Map(results.map((result) => [result.id, result])), {
    groups: [GROUP],
    claims: ofTargets(GROUP),
    hasFolder: true,
    ...more,
  });

test("a kind's own settings are laid over its group's", () => {
  assert.equal(VANILLA.id, "pets/vanilla");
  assert.deepEqual(VANILLA.train, { steps: 100, batch: 8, learningRate: 1e-3 });
  assert.deepEqual(DENSE.train, { steps: 100, batch: 8, learningRate: 2e-3 });
  assert.deepEqual(DENSE.spec, { dModel: 64, layers: 2, dropout: 0.1 });
});

test("runs are named by group or one by one, and come in the table's order", () => {
  const runs = allRuns();
  const ids = (...names) => select(runs, names).map(({ id }) => id);
  assert.equal(ids().length, runs.length);
  assert.deepEqual(ids("sick/dense", "copy"), ["sick/dense", "copy/random"]);
  assert.equal(ids("sick", "sick/dense").length, Object.keys(GROUPS.find(({ name }) => name === "sick").kinds).length);
  assert.throws(() => ids("sic"), /There is no run sic, only .*sick, /);
  assert.throws(() => ids("sick/nothing"), /There is no run sick\/nothing/);
});

test("all runs have their own ids, two layers, widths from 64 to 128, and three minutes at most", () => {
  const runs = allRuns();
  assert.equal(new Set(runs.map(({ id }) => id)).size, runs.length);
  for (const { id, group, spec, limit } of runs) {
    assert.equal(spec.layers, 2, id);
    assert.ok(spec.dModel >= 64 && spec.dModel <= 128, id);
    assert.equal(limit, group === "multi30k" ? 300 : 180, id);
  }
});

test("a change of settings shows in the key, an order of options does not", () => {
  const key = settingsKey(VANILLA);
  assert.equal(settingsKey({ ...VANILLA, train: { learningRate: 1e-3, batch: 8, steps: 100 } }), key);
  assert.equal(settingsKey({ ...VANILLA, target: undefined }), key);
  for (const change of [{ limit: 11 }, { train: { ...VANILLA.train, batch: 9 } }, { spec: {} }, { options: { rank: 2 } }, { curve: 2 }]) {
    assert.notEqual(settingsKey({ ...VANILLA, ...change }), key);
  }
});

/** An engine whose models take `pace` seconds a step, and score their step in hundredths. */
function fakeEngine(pace, { fails = false } = {}) {
  const log = { specs: [], disposed: 0, evaluated: [], options: [] };
  const createModel = async (spec) => {
    log.specs.push(spec);
    const model = {
      spec: { ...spec, seed: 0 },
      parameterCount: 7,
      step: 0,
      async *train({ steps, every, ...options }) {
        log.options.push(options);
        for (let step = every; step <= steps; step += every) {
          if (fails) throw new Error("diverged");
          model.step = step;
          yield { step, steps, seconds: step * pace, phase: "training", loss: 1 };
        }
      },
      evaluate: async (data) => (log.evaluated.push(data), { loss: 1, accuracy: model.step / 100 }),
      dispose: async () => void log.disposed++,
    };
    return model;
  };
  return { engine: /** @type {any} */ ({ createModel }), log };
}

/** @type {any} */
const DATA = { task: "classification", training: { rows: [{ text: "a", label: 1 }] }, test: { rows: [{ text: "b", label: 1 }, { text: "c", label: 2 }] } };

test("a run is scored at its end, on the test part, and its model is freed", async () => {
  const { engine, log } = fakeEngine(0.01);
  const outcome = await trainRun(engine, { ...VANILLA, options: { mixing: "head" } }, DATA);
  assert.deepEqual(log.specs, [{ task: "classification", attention: { kind: "vanilla", mixing: "head" }, dModel: 64, layers: 2 }]);
  assert.deepEqual(log.evaluated, [DATA.test]);
  assert.deepEqual(log.options, [{ batch: 8, learningRate: 1e-3 }]);
  assert.equal(log.disposed, 1);
  const { step, seconds, cut, metrics, curve, sizes, parameters } = outcome;
  assert.deepEqual({ step, seconds, cut, curve, parameters }, { step: 100, seconds: 1, cut: false, curve: [], parameters: 7 });
  assert.equal(metrics.accuracy, 1);
  assert.deepEqual(sizes, { training: 1, test: 2 });
});

test("a run that would go beyond its limit is cut before", async () => {
  const { engine, log } = fakeEngine(0.15);
  const { step, seconds, cut } = await trainRun(engine, VANILLA, DATA);
  assert.deepEqual({ step, seconds, cut }, { step: 60, seconds: 9, cut: true });
  assert.equal(log.disposed, 1);
  const exact = await trainRun(fakeEngine(0.1).engine, VANILLA, DATA);
  assert.deepEqual([exact.step, exact.cut], [100, false]);
});

test("a curve has as many points, over the steps or over the limit", async () => {
  const steps = async (pace) => (await trainRun(fakeEngine(pace).engine, { ...VANILLA, curve: 5 }, DATA)).curve.map(({ step }) => step);
  assert.deepEqual(await steps(0.01), [20, 40, 60, 80, 100]);
  assert.deepEqual(await steps(0.2), [10, 20, 30, 40, 50]);
});

test("a model whose training fails is freed", async () => {
  const { engine, log } = fakeEngine(0.01, { fails: true });
  await assert.rejects(trainRun(engine, VANILLA, DATA), /diverged/);
  assert.equal(log.disposed, 1);
});

test("no more runs at a time than asked for, begun in order", async () => {
  const begun = [];
  let now = 0;
  let most = 0;
  await inParallel(2, [30, 1, 1, 1, 1], async (milliseconds) => {
    begun.push(milliseconds);
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    now--;
  });
  assert.deepEqual(begun, [30, 1, 1, 1, 1]);
  assert.equal(most, 2);
});

test("the best of several kinds decides, and a missing run leaves a miss open", () => {
  const check = best(["dense", "random"], 0.74);
  assert.deepEqual(check({ dense: 0.7, random: 0.75, vanilla: 0.9 }), { by: 0.01, who: "random" });
  assert.deepEqual(check({ dense: 0.7, random: 0.73 }), { by: -0.01, who: "random" });
  assert.deepEqual(check({ dense: 0.74 }), { by: 0, who: "dense" });
  assert.deepEqual(check({ dense: 0.73 }), {});
  assert.deepEqual(check({}), {});
});

test("a lead is over the best of the others, all of which must be there", () => {
  const check = lead(["vanilla", "dense+vanilla"], ["random", "dense"], 0.05);
  assert.deepEqual(check({ vanilla: 0.6, "dense+vanilla": 0.83, random: 0.5, dense: 0.78 }), { by: 0, who: "dense+vanilla" });
  assert.deepEqual(check({ vanilla: 0.8, "dense+vanilla": 0.7, random: 0.78, dense: 0.5 }), { by: -0.03, who: "vanilla" });
  assert.deepEqual(check({ vanilla: 0.9, random: 0.5 }), {});
  assert.deepEqual(check({ vanilla: 0.9, random: 0.5, dense: 0.5 }), { by: 0.35, who: "vanilla" });
  assert.deepEqual(check({ vanilla: 0.5, random: 0.5, dense: 0.5 }), {});
});

test("bits are the better the fewer", () => {
  assert.deepEqual(lowest(["dense"], 2.5)({ dense: 2.4 }), { by: 0.1, who: "dense" });
  assert.deepEqual(lowest(["dense"], 2.5)({ dense: 2.504 }), { by: -0.004, who: "dense" });
});

test("claims say what was met, what was missed and by how much", () => {
  const [claim] = ofTargets({ name: "x", metric: "bitsPerCharacter", kinds: { dense: { target: { atMost: 2.5, hoped: 2.35 } } } });
  assert.equal(claim.text, "dense: bits per character of at most 2.5 (2.35 hoped for)");
  const judged = (score) => judge(claim, "bitsPerCharacter", score === undefined ? {} : { dense: score });
  assert.deepEqual(judged(2.3), { outcome: "met, and what was hoped for", by: "0.2", who: "dense" });
  assert.deepEqual(judged(2.4), { outcome: "met, what was hoped for missed by 0.05", by: "0.1", who: "dense" });
  assert.deepEqual(judged(2.5004), { outcome: "**missed**", by: "less than 0.001", who: "dense" });
  assert.deepEqual(judged(undefined), { outcome: "open: runs are lacking", by: "", who: "" });
  const [accuracy] = ofTargets(GROUP);
  assert.equal(accuracy.text, "vanilla: accuracy of at least 90 %");
  assert.deepEqual(judge(accuracy, "accuracy", { vanilla: 0.885 }), { outcome: "**missed**", by: "1.5 points", who: "vanilla" });
});

test("every claim can be decided by the runs of its group", () => {
  for (const { group, text, check } of CLAIMS) {
    const found = GROUPS.find(({ name }) => name === group);
    assert.ok(found, text);
    const scores = Object.fromEntries(Object.keys(found.kinds).map((kind) => [kind, 0.5]));
    assert.equal(typeof check(scores).by, "number", `${group}: ${text}`);
  }
});

test("the table shows aims, runs, baselines, references, settings and where it was made", () => {
  const text = table([resultOf(VANILLA, { accuracy: 0.885 }), resultOf(DENSE, { step: 80, cut: true })]);
  assert.match(text, /^# Training quality\n/);
  assert.match(text, /^4 × Fast 9000, Node 20\.0\.0, synthattn 1\.2\.3, 2 runs at a time$/m);
  assert.match(text, /^\| Cats and dogs \| vanilla: accuracy of at least 90 % \| \*\*missed\*\* \| 1\.5 points \| vanilla \|$/m);
  assert.match(text, /^Trained on 8,000 rows, scored on 500\. In brackets: 50\.0 a coin\.$/m);
  assert.match(text, /^\| vanilla \| 12,345 \| 100 \| 7 \| 88\.5 \| 55\.0 \| \[50\.0\] \| 2030-01-02 \|$/m);
  assert.match(text, /^\| dense \| 12,345 \| 80, cut of 100 \| 7 \| 80\.0 \| 55\.0 \| \[50\.0\] \| 2030-01-02 \|$/m);
  assert.match(text, /^Settings: dModel 64, layers 2, steps 100, batch 8\.$/m);
  assert.match(text, /^- vanilla: learningRate 0\.001$/m);
  assert.match(text, /^- dense: dropout 0\.1, learningRate 0\.002$/m);
  const widths = text.split("\n").filter((line) => line.startsWith("|")).map((line) => line.split(" | ").length);
  assert.deepEqual([...new Set(widths)], [5, 8]);
});

test("the table says what failed, what has other settings now, and on which machine", () => {
  const { outcome, ...failed } = resultOf(DENSE);
  const elsewhere = { ...PLACE, cpu: "Slow 1" };
  const text = table([
    { ...resultOf(VANILLA), settings: "old" },
    { ...failed, place: elsewhere, error: { code: "diverged", message: "the loss is not finite" } },
  ]);
  assert.match(text, /^1\. 4 × Fast 9000.*\n2\. 4 × Slow 1/m);
  assert.match(text, /^\| vanilla .* \| 2030-01-02 \\\* \| 1 \|$/m);
  assert.match(text, /^\\\* /m);
  assert.match(text, /^\| dense \|  \|  \|  \| failed: diverged \|  \| \[50\.0\] \| 2030-01-02 \| 2 \|$/m);
  assert.doesNotMatch(text, /not finite/);
});

test("the table says in one line what was skipped for want of data", () => {
  const line = /^Skipped.*SYNTHATTN_DATA.*: pets\.$/m;
  assert.match(table([], { hasFolder: false }), line);
  assert.doesNotMatch(table([]), line);
  assert.match(table([]), /^Not run yet: pets\.$/m);
  assert.doesNotMatch(table([resultOf(VANILLA)], { hasFolder: false }), line);
});

test("a curve is a table of its own", () => {
  const curve = [{ step: 50, seconds: 4, metrics: { loss: 2, accuracy: 0.3, perplexity: 7.39 } }];
  assert.match(table([resultOf(VANILLA, { curve })]), /^\| vanilla \| 50 \| 4 \| 30\.0 \| 7\.4 \|$/m);
});

test("the table of all groups is written with any results", () => {
  const results = allRuns().map((run) => resultOf(run, { metrics: { loss: 1, [run.metric]: 0.5 } }));
  const text = report(new Map(results.map((result) => [result.id, result])), { hasFolder: true });
  for (const { title } of GROUPS) assert.ok(text.includes(`## ${title}\n`));
  assert.doesNotMatch(text, /undefined|NaN|\[object/);
});

test("of several results of a run the newest counts", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "quality-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "deep", "results.jsonl");
  assert.equal(newestResults(file).size, 0);
  for (const [run, date] of [[VANILLA, "2030-01-02"], [DENSE, "2030-01-01"], [VANILLA, "2030-01-03"], [VANILLA, "2029-01-01"]]) {
    keepResult(/** @type {any} */ ({ ...resultOf(run), date }), file);
  }
  const newest = newestResults(file);
  assert.deepEqual([...newest].map(([id, { date }]) => [id, date]), [["pets/vanilla", "2030-01-03"], ["pets/dense", "2030-01-01"]]);
});

test("the short form has every built-in set once, with its own settings where a run uses it", async () => {
  const runs = await builtinRuns();
  const sets = runs.map(({ data }) => data);
  assert.equal(new Set(sets).size, sets.length);
  for (const { data } of GROUPS) if (data.startsWith("builtin:")) assert.ok(sets.includes(data), data);
  assert.ok(sets.includes("builtin:moby-dick"));
  const [run, data] = shortened(allRuns()[0], { ...DATA, test: { text: "x".repeat(5000) } });
  assert.equal(run.train.steps, 5);
  assert.equal(data.test.text.length, 2000);
});
