// The built-in data sets themselves, made anew from their sources: what is in them, and what their words give away.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { before, test } from "node:test";
import { builtinData } from "../../pkg/client/builtin-data.js";
import { answer, categories } from "../../scripts/lib/data/entailment.js";
import { dataSets } from "../../scripts/lib/data/index.js";
import { options as letters } from "../../scripts/lib/data/letters.js";
import { options as lookup } from "../../scripts/lib/data/lookup.js";
import { options as recall } from "../../scripts/lib/data/recall.js";
import { dataFolder, makeSet, sha256, writeData } from "../../scripts/lib/data/write.js";

const MOST_BYTES = 600_000;
const FIELDS = {
  classification: ["text", "label"],
  "pair-classification": ["text", "second", "label"],
  "sequence-to-sequence": ["source", "target"],
};

/** By name. */
const made = new Map();
const loaded = new Map();

before(async () => {
  for (const one of await writeData()) made.set(one.info.name, one);
  for (const name of made.keys()) loaded.set(name, await builtinData(name));
});

const isText = (name) => "text" in loaded.get(name).training;
const rowSets = () => [...loaded].filter(([name]) => !isText(name));
const share = (count, all) => count / all;

test("the package has the sets of the contract, and a file for each", async () => {
  const { builtins, sets } = await import("../../pkg/data/index.js");
  const names = Object.fromEntries(Object.entries(builtins).map(([task, list]) => [task, list.map(({ name }) => name)]));
  assert.deepEqual(names, {
    "language-model": ["moby-dick", "first-names"],
    "masked-language-model": ["moby-dick"],
    classification: ["sentiment", "topics", "recall", "lookup"],
    "pair-classification": ["entailment"],
    "sequence-to-sequence": ["copy", "reverse", "shift", "sort", "numbers", "dates", "emoji"],
  });
  const files = [...Object.keys(sets).map((name) => `${name}.js`), "index.js", "index.d.ts"];
  assert.deepEqual((await readdir(dataFolder)).sort(), files.sort());
});

test("each set is byte for byte the one that was looked at", async () => {
  // Made anew on purpose by: node scripts/data.js --checksums
  const sums = JSON.parse(await readFile(new URL("data-checksums.json", import.meta.url), "utf8"));
  assert.deepEqual(Object.fromEntries([...made].map(([name, { text }]) => [name, sha256(text)])), sums);
});

test("making a set twice gives the same", async () => {
  for (const name of ["entailment", "recall", "sort", "dates"]) {
    const again = await makeSet(dataSets.find((set) => set.name === name));
    assert.equal(sha256(again.text), sha256(made.get(name).text), name);
  }
});

test("what the package loads is what was made, and of the size the table says", () => {
  for (const [name, { parts, info, text }] of made) {
    const { training, test } = loaded.get(name);
    if (isText(name)) assert.deepEqual([training.text, test.text], [parts.training, parts.test], name);
    else assert.deepEqual([training.rows, test.rows], [parts.training, parts.test], name);
    const count = ({ text, rows }) => rows?.length ?? text.split("\n").filter((line) => line.trim()).length;
    assert.equal(info.rows, count(training) + count(test), name);
    assert.equal(info.testRows, count(test), name);
    assert.equal(info.bytes, Buffer.byteLength(text), name);
    assert.ok(info.bytes <= MOST_BYTES, `${name}: ${info.bytes} bytes`);
    assert.ok(info.testRows >= 100, `${name}: ${info.testRows} rows for tests`);
  }
});

test("rows have the fields of their task, filled with tidy text", () => {
  for (const { name, tasks } of dataSets.filter(({ name }) => !isText(name))) {
    for (const row of [...loaded.get(name).training.rows, ...loaded.get(name).test.rows]) {
      assert.deepEqual(Object.keys(row), FIELDS[tasks[0]], name);
      for (const value of Object.values(row)) {
        assert.ok(value.length > 0 && value === value.trim() && value.isWellFormed(), `${name}: ${value}`);
        assert.doesNotMatch(value, /[\0-\x1f\x7f-\x9f]/, name);
      }
    }
  }
});

test("nothing of the test is in training, and nothing is there twice", () => {
  const input = ({ text, second, source }) => JSON.stringify([text, second, source]);
  for (const [name, { training, test }] of rowSets()) {
    const known = new Set(training.rows.map(input));
    const asked = new Set(test.rows.map(input));
    assert.equal(known.size, training.rows.length, name);
    assert.equal(asked.size, test.rows.length, name);
    assert.deepEqual([...asked].filter((one) => known.has(one)), [], name);
  }
  const names = ({ text }) => text.trim().split("\n");
  const { training, test } = loaded.get("first-names");
  assert.equal(new Set([...names(training), ...names(test)]).size, names(training).length + names(test).length);
});

test("labels are balanced in both parts", () => {
  for (const [name, { training, test }] of rowSets()) {
    if (!("label" in training.rows[0])) continue;
    for (const { rows } of [training, test]) {
      const counts = Object.values(Object.groupBy?.(rows, ({ label }) => label) ?? grouped(rows)).map(({ length }) => length);
      assert.ok(Math.max(...counts) / Math.min(...counts) < 1.05, `${name}: ${counts}`);
    }
  }
});

function grouped(rows) {
  const groups = {};
  for (const row of rows) (groups[row.label] ??= []).push(row);
  return groups;
}

test("every set names its licence and its source, and NOTICE has the credits", async () => {
  const notice = await readFile(new URL("../../NOTICE", import.meta.url), "utf8");
  for (const { name, licence, source, credit } of dataSets) {
    assert.ok(licence && source, name);
    if (credit) assert.ok(notice.includes(credit), `NOTICE lacks the credit of ${name}`);
  }
});

test("the book is whole up to its cut", () => {
  const { training, test } = loaded.get("moby-dick");
  assert.ok(training.text.startsWith("CHAPTER 1"), training.text.slice(0, 40));
  assert.equal(sha256(training.text + test.text), BOOK);
  assert.ok(Math.abs(share(test.text.length, training.text.length + test.text.length) - 0.1) < 0.005);
});

const BOOK = "0118dc05311006f57989a15ea8bc9e44f05cec76440833895ba17b322bac56a1";

/** Accuracy on the test part of naive Bayes over words; those of the second text count apart. */
function naiveBayes({ training, test }) {
  const wordsOf = ({ text, second }) => [
    ...text.toLowerCase().split(/\W+/),
    ...(second ?? "").toLowerCase().split(/\W+/).map((word) => `2 ${word}`),
  ];
  const labels = [...new Set(training.rows.map(({ label }) => label))];
  const counts = Object.fromEntries(labels.map((label) => [label, new Map()]));
  const totals = Object.fromEntries(labels.map((label) => [label, 0]));
  const vocabulary = new Set();
  for (const row of training.rows) {
    for (const word of wordsOf(row)) {
      vocabulary.add(word);
      counts[row.label].set(word, (counts[row.label].get(word) ?? 0) + 1);
      totals[row.label] += 1;
    }
  }
  const score = (words, label) =>
    words.reduce((sum, word) => sum + Math.log(((counts[label].get(word) ?? 0) + 1) / (totals[label] + vocabulary.size)), 0);
  const right = test.rows.filter((row) => {
    const words = wordsOf(row);
    const best = labels.map((label) => [score(words, label), label]).sort(([a], [b]) => b - a)[0][1];
    return best === row.label;
  });
  return share(right.length, test.rows.length);
}

test("words alone tell topics and moods, and say next to nothing of what follows or is recalled", () => {
  const accuracy = (name) => naiveBayes(loaded.get(name));
  assert.ok(accuracy("topics") > 0.7, `topics ${accuracy("topics")}`);
  assert.ok(accuracy("sentiment") > 0.7, `sentiment ${accuracy("sentiment")}`);
  assert.ok(accuracy("entailment") < 0.42, `entailment ${accuracy("entailment")}`);
  // Chance is the ceiling: all values in a text look alike.
  for (const name of ["recall", "lookup"]) {
    const { ceiling } = made.get(name).info;
    assert.ok(accuracy(name) < ceiling + 0.05, `${name} ${accuracy(name)}, ceiling ${ceiling}`);
  }
});

/** What an entailment sentence says: nouns with their signs. */
function thingsOf(sentence) {
  const nouns = new Set([...categories()].flat(2));
  const things = [];
  let sign = "+";
  for (const word of sentence.split(" ")) {
    if (word === "no" || word === "not") sign = "-";
    if (!nouns.has(word)) continue;
    things.push({ sign, noun: word });
    sign = "+";
  }
  return things;
}

test("entailment: each answer follows from the sentences as they are written", () => {
  for (const { rows } of [loaded.get("entailment").training, loaded.get("entailment").test]) {
    for (const { text, second, label } of rows) {
      const asked = thingsOf(second);
      assert.equal(asked.length, 1, second);
      assert.equal(answer(thingsOf(text), asked[0]), label, `${text} / ${second}`);
    }
  }
});

test("entailment: no pair of two related nouns of the test is in training, but all nouns are", () => {
  const categoryOf = new Map([...categories()].flatMap(([name, members]) => [name, ...members].map((noun) => [noun, name])));
  const { training, test } = loaded.get("entailment");
  const pairs = ({ rows }) =>
    new Set(
      rows.flatMap(({ text, second }) => {
        const [{ noun: asked }] = thingsOf(second);
        const related = thingsOf(text).filter(({ noun }) => noun !== asked && categoryOf.get(noun) === categoryOf.get(asked));
        return related.map(({ noun }) => `${noun} ${asked}`);
      }),
    );
  const known = pairs(training);
  assert.deepEqual([...pairs(test)].filter((pair) => known.has(pair)), []);
  const trained = new Set(training.rows.flatMap(({ text, second }) => [...thingsOf(text), ...thingsOf(second)].map(({ noun }) => noun)));
  assert.deepEqual([...categoryOf.keys()].filter((noun) => !trained.has(noun)), []);
});

test("entailment: no sign, no number of things and no asked category gives the answer away", () => {
  const { training, test } = loaded.get("entailment");
  for (const { rows } of [training, test]) {
    const groups = new Map();
    for (const { text, second, label } of rows) {
      const [{ sign, noun }] = thingsOf(second);
      const things = thingsOf(text);
      const signs = things.map((thing) => thing.sign).sort().join("");
      for (const key of [`asked ${sign}`, `asked ${sign} category ${categories().has(noun)}`, `signs ${signs}`, `signs ${signs} asked ${sign}`]) {
        const counts = groups.get(key) ?? { entailment: 0, contradiction: 0, neutral: 0 };
        counts[label] += 1;
        groups.set(key, counts);
      }
    }
    for (const [key, counts] of groups) {
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
      if (all < 200) continue;
      for (const count of Object.values(counts)) assert.ok(Math.abs(share(count, all) - 1 / 3) < 0.1, `${key}: ${Object.values(counts)}`);
    }
  }
});

test("recall and lookup: one value answers, it is as often in one place as in another, and the ceiling is right", () => {
  for (const [name, { values, question }] of [["recall", recall], ["lookup", lookup]]) {
    const { training, test } = loaded.get(name);
    const keyWords = name === "recall" ? 1 : 2;
    let sum = 0;
    const places = [];
    for (const { text, label } of [...training.rows, ...test.rows]) {
      const words = text.split(" ");
      const present = words.filter((word) => values.includes(word));
      assert.equal(new Set(present).size, present.length, text);
      const at = words.indexOf(question);
      const key = words.slice(at + 1, at + 1 + keyWords).join(" ");
      const answers = present.filter((value) => {
        const place = words.indexOf(value);
        return words.slice(place - keyWords, place).join(" ") === key && place - keyWords !== at + 1;
      });
      assert.deepEqual(answers, [label], text);
      places.push(share(present.indexOf(label) + 0.5, present.length));
    }
    for (const { text } of test.rows) sum += 1 / text.split(" ").filter((word) => values.includes(word)).length;
    assert.ok(Math.abs(made.get(name).info.ceiling - sum / test.rows.length) < 1e-4, name);
    const mean = places.reduce((all, place) => all + place, 0) / places.length;
    assert.ok(Math.abs(mean - 0.5) < 0.02, `${name}: ${mean}`);
  }
});

test("letters: answers are what the task says", () => {
  const { places } = letters.shift;
  const answers = {
    copy: (text) => text,
    reverse: (text) => [...text].reverse().join(""),
    shift: (text) => text.slice(places) + text.slice(0, places),
    sort: (text) => [...text].sort().join(""),
  };
  for (const [name, answerOf] of Object.entries(answers)) {
    for (const { source, target } of loaded.get(name).test.rows) assert.equal(target, answerOf(source), name);
  }
});

test("dates: every date is one, and its day of the week is right where it is told", () => {
  const { training, test } = loaded.get("dates");
  const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
  let told = 0;
  for (const { source, target } of [...training.rows, ...test.rows]) {
    const date = new Date(`${target}T00:00:00Z`);
    assert.equal(date.toISOString().slice(0, 10), target);
    assert.ok(source.includes(String(date.getUTCDate())) && source.includes(target.slice(0, 4)), source);
    const day = days.find((name) => source.startsWith(name));
    if (day === undefined) continue;
    told += 1;
    assert.equal(day, days[date.getUTCDay()], source);
  }
  assert.ok(told > 100);
  const dated = new Set(training.rows.map(({ target }) => target));
  assert.deepEqual(test.rows.filter(({ target }) => dated.has(target)), []);
});

test("numbers: each is said in words of its own, none of the test is trained on", () => {
  const { training, test } = loaded.get("numbers");
  const all = [...training.rows, ...test.rows];
  assert.equal(new Set(all.map(({ target }) => target)).size, all.length);
  for (const { source, target } of all) assert.ok(/^\d{1,5}$/.test(source) && /^[a-z -]+$/.test(target), `${source} ${target}`);
});

test("emoji: no emoji of the test is trained on in any language", () => {
  const { training, test } = loaded.get("emoji");
  const nameOf = ({ source }) => source.slice(4);
  const trained = new Set(training.rows.map(nameOf));
  assert.deepEqual(test.rows.map(nameOf).filter((name) => trained.has(name)), []);
  for (const { source } of training.rows) assert.match(source, /^(de|es|fr): ./);
});
