// The built-in data sets themselves, made anew from their sources: what is in them, and what their words give away.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { before, test } from "node:test";
import { builtinData } from "../../pkg/client/builtin-data.js";
import { answer, categories, opposites, thingsOf } from "../../scripts/lib/data/entailment.js";
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
    "language-model": ["moby-dick", "song-ci", "first-names"],
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
      const { neutral, ...others } = counted(rows);
      // Half of the pairs of sentences have nothing to do with each other.
      if (neutral !== undefined) assert.equal(neutral, rows.length / 2, name);
      const counts = Object.values(others);
      assert.ok(Math.max(...counts) / Math.min(...counts) < 1.05, `${name}: ${counts}`);
    }
  }
});

/** How many rows have each label. */
function counted(rows) {
  const counts = {};
  for (const { label } of rows) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
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

test("the lyrics are Chinese, piece by piece, whole up to their cut", () => {
  const { training, test } = loaded.get("song-ci");
  for (const { text } of [training, test]) {
    const pieces = text.trimEnd().split("\n\n");
    assert.ok(pieces.length > 90, `${pieces.length} pieces`);
    for (const piece of pieces) {
      const [tune, ...lines] = piece.split("\n");
      assert.match(tune, /^[\p{Script=Han}・（）]+$/u);
      assert.ok(lines.length > 0, tune);
      for (const line of lines) assert.match(line, /^[\p{Script=Han}，、。；？！：“”‘’]+$/u, tune);
    }
  }
  assert.match(test.text, /。\n\n$/);
});

const BOOK = "0118dc05311006f57989a15ea8bc9e44f05cec76440833895ba17b322bac56a1";

/** Accuracy on the test part of naive Bayes over words; those of the second text count apart. */
function naiveBayes({ training, test }, wordsOf = wordsOfRow) {
  const priors = counted(training.rows);
  const labels = Object.keys(priors);
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
    words.reduce(
      (sum, word) => sum + Math.log(((counts[label].get(word) ?? 0) + 1) / (totals[label] + vocabulary.size)),
      Math.log(priors[label]),
    );
  const right = test.rows.filter((row) => {
    const words = wordsOf(row);
    const best = labels.map((label) => [score(words, label), label]).sort(([a], [b]) => b - a)[0][1];
    return best === row.label;
  });
  return share(right.length, test.rows.length);
}

const wordsOfRow = ({ text, second }) => [
  ...text.toLowerCase().split(/\W+/),
  ...(second ?? "").toLowerCase().split(/\W+/).map((word) => `2 ${word}`),
];

test("words alone tell topics and moods, and next to nothing of what is recalled", () => {
  const accuracy = (name) => naiveBayes(loaded.get(name));
  assert.ok(accuracy("topics") > 0.7, `topics ${accuracy("topics")}`);
  assert.ok(accuracy("sentiment") > 0.7, `sentiment ${accuracy("sentiment")}`);
  for (const name of ["recall", "lookup"]) {
    const { ceiling } = made.get(name).info;
    assert.ok(accuracy(name) < ceiling + 0.05, `${name} ${accuracy(name)}, ceiling ${ceiling}`);
  }
});

/** "+-" for "a robin" and "no bird". */
const signsOf = ({ text, second }) => thingsOf(text)[0].sign + thingsOf(second)[0].sign;

test("entailment: words alone say next to nothing, whatever the signs and the places", () => {
  const data = loaded.get("entailment");
  const marked = ({ text, second }, mark) => [
    ...text.split(" ").map(mark),
    ...second.split(" ").map((word, place) => `2 ${mark(word, place)}`),
  ];
  const readings = {
    words: wordsOfRow,
    "words by signs": (row) => marked(row, (word) => `${signsOf(row)} ${word}`),
    "words by signs and places": (row) => marked(row, (word, place) => `${signsOf(row)} ${place} ${word}`),
    lengths: (row) => [`${signsOf(row)} ${row.text.split(" ").length} ${row.second.split(" ").length}`],
  };
  for (const [name, wordsOf] of Object.entries(readings)) {
    const accuracy = naiveBayes(data, wordsOf);
    // Half of the rows are neutral.
    assert.ok(accuracy < 0.5 + 0.06, `${name}: ${accuracy}`);
  }
});

test("entailment: each answer follows from the sentences as they are written", () => {
  for (const { rows } of [loaded.get("entailment").training, loaded.get("entailment").test]) {
    for (const { text, second, label } of rows) {
      assert.equal(thingsOf(second).length, 1, second);
      assert.equal(new Set(thingsOf(text).map(({ sign }) => sign)).size, 1, text);
      assert.equal(answer(text, second), label, `${text} / ${second}`);
      assert.doesNotMatch(`${text} / ${second}`, /\b(a [aeiou]|an [^aeiou])/);
    }
  }
});

test("entailment: what follows from what", () => {
  for (const [text, second, label] of [
    ["a robin , a cup and a bench", "a robin", "entailment"],
    ["a robin , a cup and a bench", "no bird", "contradiction"],
    ["look , a bird and a cup", "a robin", "neutral"],
    ["a bird and a cup", "well , no robin", "neutral"],
    ["no bird and no cup", "no robin", "entailment"],
    ["no bird and no cup", "a robin", "contradiction"],
    ["no robin and no cup", "a bird", "neutral"],
    ["a robin and a cup", "no eagle", "neutral"],
    ["hot , wet and old", "cold", "contradiction"],
    ["hot , wet and old", "not cold", "entailment"],
    ["not hot and not wet", "cold", "neutral"],
    ["not hot and not wet", "not hot", "entailment"],
    ["not hot and not wet", "hot", "contradiction"],
    ["hot and wet", "expensive", "neutral"],
  ]) {
    assert.equal(answer(text, second), label, `${text} / ${second}`);
  }
});

/** Ordered pairs of a word of the first and another, related one of the second sentence. */
function relatedPairs({ rows }) {
  const partners = new Map();
  const relate = (one, other) => {
    for (const [from, to] of [[one, other], [other, one]]) partners.set(from, new Set(partners.get(from)).add(to));
  };
  for (const [category, members] of categories()) for (const member of members) relate(member, category);
  for (const [one, other] of opposites()) relate(one, other);
  return new Set(
    rows.flatMap(({ text, second }) => {
      const [{ word: asked }] = thingsOf(second);
      return thingsOf(text).filter(({ word }) => partners.get(word).has(asked)).map(({ word }) => `${word} ${asked}`);
    }),
  );
}

test("entailment: related words of the test are in training, but not in that order", () => {
  const { training, test } = loaded.get("entailment");
  const [known, asked] = [relatedPairs(training), relatedPairs(test)];
  assert.ok(asked.size > 80, `${asked.size} pairs`);
  assert.deepEqual([...asked].filter((pair) => known.has(pair)), []);
  assert.deepEqual([...asked].filter((pair) => !known.has(pair.split(" ").reverse().join(" "))), []);
  const wordsOf = ({ rows }) => new Set(rows.flatMap(({ text, second }) => `${text} ${second}`.split(" ")));
  const trained = wordsOf(training);
  assert.deepEqual([...wordsOf(test)].filter((word) => !trained.has(word)), []);
  assert.deepEqual([...categories(), ...opposites()].flat(2).filter((word) => !trained.has(word)), []);
});

test("entailment: of each pair of signs half are neutral, whatever the number and kind of things", () => {
  for (const { rows } of Object.values(loaded.get("entailment"))) {
    const groups = groupedBy(rows, (row) => {
      const things = thingsOf(row.text);
      return [`${things[0].kind} ${signsOf(row)}`, `${things.length} ${signsOf(row)}`];
    });
    for (const [key, some] of groups) {
      const { neutral, ...others } = counted(some);
      assert.ok(Math.abs(share(neutral, some.length) - 0.5) < 0.005, `${key}: ${neutral} of ${some.length}`);
      for (const count of Object.values(others)) assert.ok(share(count, some.length) < 0.505, `${key}: ${count}`);
    }
  }
});

test("entailment: every word is in as many neutral rows as in others, in either sentence", () => {
  const { rows } = loaded.get("entailment").training;
  const groups = groupedBy(rows, (row) => {
    const [asked] = thingsOf(row.second);
    return [...thingsOf(row.text).map(({ word }) => `${signsOf(row)} ${word}`), `${signsOf(row)} asked ${asked.word}`];
  });
  for (const [key, some] of groups) {
    const neutral = counted(some).neutral ?? 0;
    assert.ok(Math.abs(2 * neutral - some.length) <= 6, `${key}: ${neutral} of ${some.length}`);
  }
});

function groupedBy(rows, keysOf) {
  const groups = new Map();
  for (const row of rows) for (const key of keysOf(row)) groups.set(key, [...(groups.get(key) ?? []), row]);
  return groups;
}

/** How often each place was taken, of how many rows with as many places. */
function assertEvenly(places, what) {
  for (const [count, taken] of places) {
    const rows = taken.reduce((sum, one) => sum + one, 0);
    for (const one of taken) assert.ok(Math.abs(one / rows - 1 / count) < 0.025, `${what}, ${count} places: ${taken}`);
  }
}

function take(places, count, place) {
  const taken = places.get(count) ?? Array(count).fill(0);
  taken[place] += 1;
  places.set(count, taken);
}

for (const [name, { values }, letters] of [["recall", recall, 1], ["lookup", lookup, 2]]) {
  test(`${name}: one item answers, it and the question are as often in one place as in another, and the ceiling is right`, () => {
    const { training, test } = loaded.get(name);
    const [answers, questions] = [new Map(), new Map()];
    for (const { text, label } of [...training.rows, ...test.rows]) {
      const words = text.split(" ");
      const items = words.filter((word) => word.length > letters);
      const asked = words.filter((word) => word.length === 1);
      assert.equal(asked.length, letters, text);
      for (const item of items) assert.match(item, letters === 1 ? /^[a-z]\d$/ : /^[a-e][v-z]\d$/, text);
      assert.equal(new Set(items.map((item) => item.slice(letters))).size, items.length, text);
      assert.equal(new Set(items.map((item) => item.slice(0, letters))).size, items.length, text);
      const fitting = items.filter((item) => asked.every((letter) => item.includes(letter)));
      assert.deepEqual(fitting.map((item) => item.slice(letters)), [label], text);
      take(answers, items.length, items.indexOf(fitting[0]));
      for (const letter of asked) take(questions, words.length, words.indexOf(letter));
    }
    assertEvenly(answers, `${name}: answer`);
    assertEvenly(questions, `${name}: question`);
    for (const { rows } of [training, test]) {
      const counts = counted(rows);
      assert.deepEqual(values.map((value) => counts[value]), values.map(() => rows.length / values.length));
    }
    const sum = test.rows.reduce((all, { text }) => all + 1 / (text.split(" ").length - letters), 0);
    assert.ok(Math.abs(made.get(name).info.ceiling - sum / test.rows.length) < 1e-4);
  });
}

test("lookup: either letter alone leaves several cells", () => {
  for (const { text } of loaded.get("lookup").training.rows) {
    const words = text.split(" ");
    const items = words.filter((word) => word.length === 3);
    for (const asked of words.filter((word) => word.length === 1)) {
      assert.ok(items.filter((item) => item.includes(asked)).length >= 2, text);
    }
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
