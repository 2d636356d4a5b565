// The table of experiments: whatever it names is there.

import assert from "node:assert/strict";
import { test } from "node:test";
import { builtinData, kinds, tasks } from "synthattn";
import { EXPERIMENTS, experimentBy } from "../../www/findings/experiments.js";
import { T_95 } from "../../www/findings/statistics.js";
import { wordsOf } from "../../www/findings/words.js";
import { experimentMessages } from "../../www/messages/en-experiments.js";
import { experimentMessages as chineseMessages } from "../../www/messages/zh-experiments.js";

const infos = new Map((await kinds()).map((info) => [info.name, info]));
const table = await tasks();
const SCALES = /** @type {const} */ (["quick", "full"]);
const unique = (/** @type {unknown[]} */ ids) => new Set(ids).size === ids.length;
const kindOf = ({ attention }) => (typeof attention === "string" ? attention : attention.kind);

test("nine, numbered as they are told, each found by its id", () => {
  assert.deepEqual(EXPERIMENTS.map(({ number }) => number), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.ok(unique(EXPERIMENTS.map(({ id }) => id)));
  for (const experiment of EXPERIMENTS) assert.equal(experimentBy(experiment.id), experiment);
  assert.equal(experimentBy("no such"), undefined);
});

for (const experiment of EXPERIMENTS) {
  const { id, setups, claims, predictions, right, published } = experiment;

  test(`${id}: kinds, data and scores exist`, () => {
    assert.ok(unique(setups.map((setup) => setup.id)));
    for (const { task, builtin, metric, arms, spec, watch } of setups) {
      const info = table.find(({ name }) => name === task);
      assert.ok(info.builtins.some(({ name }) => name === builtin), builtin);
      assert.ok(info.metrics.includes(metric), metric);
      assert.ok(unique(arms.map((arm) => arm.id)));
      const decodes = task === "language-model" || task === "sequence-to-sequence";
      for (const arm of arms) {
        const kind = infos.get(kindOf(arm));
        assert.ok(kind, kindOf(arm));
        if (decodes) assert.ok(kind.causal, `${kind.name} writes`);
        if (arm.sized) assert.ok(arms.some((other) => other.id === arm.sized && !other.sized), arm.sized);
        assert.notEqual(arm.id, "chance");
      }
      if (watch) {
        assert.ok(watch.text.length <= spec.maxLength && watch.text.length > watch.nearest);
        assert.ok(watch.films.every((film) => arms.some((arm) => arm.id === film)));
      }
    }
  });

  test(`${id}: seeds are 1 to n, as many as an interval takes, and scored at steps that differ`, () => {
    for (const { scale } of setups) {
      for (const name of SCALES) {
        const { steps, checkpoints, seeds } = scale[name];
        assert.deepEqual(seeds, seeds.map((_, index) => index + 1));
        assert.ok(seeds.length >= 3 && seeds.length <= T_95.length + 1);
        assert.ok(checkpoints >= 1 && checkpoints <= steps);
      }
      assert.ok(scale.full.steps > scale.quick.steps);
    }
  });

  test(`${id}: models that are compared after as long could have been stopped there`, () => {
    const timed = [...claims, ...Object.values(right).flat()].filter(({ view }) => view === "time");
    for (const { setup } of timed) assert.equal(setups.find((one) => one.id === setup).train.schedule, "constant");
  });

  test(`${id}: claims and predictions are of arms that there are`, () => {
    assert.ok(claims.length > 0 && unique(claims.map((claim) => claim.id)));
    assert.ok(claims.every(({ why }) => why !== ""));
    assert.deepEqual(Object.keys(right).sort(), [...predictions].sort());
    assert.ok(predictions.length > 1 && predictions.every((prediction) => right[prediction].length > 0));
    for (const { setup, arm, against, beyond, margin, view } of [...claims, ...Object.values(right).flat()]) {
      const found = setups.find((one) => one.id === setup);
      assert.ok(found, setup);
      const known = (/** @type {string} */ one) => found.arms.some((other) => other.id === one) || (one === "chance" && found.chance !== undefined);
      for (const one of [arm, against, ...(beyond ? Object.values(beyond) : [])]) assert.ok(known(one), one);
      assert.ok(margin >= 0);
      assert.ok(view !== "near" || found.watch);
      assert.ok(view === "near" || arm !== against);
    }
    const arms = setups.flatMap((setup) => setup.arms.map((arm) => arm.id));
    for (const { arm, value } of published) assert.ok(arms.includes(arm) && value > 0, arm);
  });

  test(`${id}: what may be expected says by how much, so that the numbers decide it as it is read`, () => {
    const shares = ["accuracy", "exactMatch", "f1"];
    for (const prediction of predictions)
      for (const { setup, margin, view } of right[prediction]) {
        if (margin === 0) continue; // any difference that is one
        const { metric } = setups.find((one) => one.id === setup);
        const amount = Number((view === "near" || (view !== "speed" && shares.includes(metric)) ? 100 * margin : margin).toPrecision(6));
        for (const texts of [experimentMessages, chineseMessages]) {
          const text = texts[`experiment.${id}.expects.${prediction}`];
          assert.ok((text.match(/\d+(\.\d+)?/g) ?? []).map(Number).includes(amount), `${amount}: ${text}`);
        }
      }
  });

  test(`${id}: every text is there`, () => {
    const t = (/** @type {string} */ key) => {
      assert.ok(key in experimentMessages, key);
      return experimentMessages[key];
    };
    const words = wordsOf(t, (key) => key in experimentMessages);
    const texts = [words.title(experiment), words.question(experiment), words.about(experiment)];
    texts.push(...predictions.map((one) => words.expects(experiment, one)), ...claims.map((claim) => words.claim(experiment, claim)));
    texts.push(...setups.map((setup) => words.setup(experiment, setup)), ...published.map(words.source));
    assert.ok(texts.every((text) => text.length > 3));
    assert.match(words.question(experiment), /^[^.?]+\?$/, "one sentence");
    for (const arm of setups.flatMap(({ arms }) => arms)) {
      const name = words.arm(experiment, arm.id, (kind) => infos.get(kind)?.label ?? "");
      assert.ok(name, `${arm.id} has no name`);
    }
  });
}

test("chance is what it is said to be", async () => {
  const novel = experimentBy("tables").setups[0];
  const { training, test } = await builtinData(novel.builtin);
  const counts = new Map();
  for (const character of training.text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const all = [...training.text].length;
  // Bits a character when each is guessed by how often it occurs in training.
  const characters = [...test.text];
  const bits = characters.reduce((sum, character) => sum - Math.log2(counts.get(character) / all), 0) / characters.length;
  assert.equal(bits.toFixed(2), String(novel.chance));

  const pairs = experimentBy("pairs").setups[0];
  const { rows } = (await builtinData(pairs.builtin)).test;
  const shares = ["entailment", "contradiction", "neutral"].map((label) => rows.filter((row) => row.label === label).length / rows.length);
  assert.equal(Math.max(...shares), pairs.chance);

  const recall = experimentBy("alignments").setups[1];
  const { ceiling } = table.flatMap(({ builtins }) => builtins).find(({ name }) => name === recall.builtin);
  assert.equal(recall.chance, ceiling);
});
