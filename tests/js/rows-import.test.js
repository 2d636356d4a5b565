/** Rows from CSV, TSV and JSON: what is read, what is guessed, and what is refused with its line. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Pace } from "../../www/import/pace.js";
import { readTable } from "../../www/import/table.js";
import { messages } from "../../www/messages/en.js";
import { cells, PAIRS, read, refusals, TRANSLATED, utf8 } from "./rows-import.js";

const folder = new URL("../../www/import/", import.meta.url);
const source = (/** @type {string} */ name) => readFileSync(new URL(name, folder), "utf8");

const AB = [
  ["a", "x"],
  ["b", "y"],
];

test("all line ends end a row, mixed ones too", async () => {
  for (const text of ["a,x\nb,y\n", "a,x\r\nb,y", "a,x\rb,y\r", "a,x\rb,y\n", "a,x\r\nb,y\r"])
    assert.deepEqual(cells(await read(text)), AB, JSON.stringify(text));
});

test("quotes are doubled in CSV, and hold separators and line ends as they are", async () => {
  const result = await read('text,label\n"a, ""b""",x\n"one\r\ntwo\rthree\nfour",y\r\n"after a blank" ,z\n');
  assert.deepEqual(cells(result), [
    ['a, "b"', "x"],
    ["one\r\ntwo\rthree\nfour", "y"],
    ["after a blank", "z"],
  ]);
});

test("lists in lists, however deep, are refused as no text", async () => {
  const deep = "[".repeat(50_000) + "]".repeat(50_000);
  const result = await read(`{"text":"a","label":"x"}\n{"text":${deep},"label":"y"}\n{"text":"b","label":"y"}\n`, { format: "json-lines" });
  assert.deepEqual(cells(result), AB);
  assert.deepEqual(refusals(result), [[2, "type"]]);
});

test("quotes inside a cell are taken as they stand", async () => {
  const result = await read('text,label\na 5" pipe,x\n"He said "hello" to me",y\n');
  assert.deepEqual(cells(result), [
    ['a 5" pipe', "x"],
    ['He said "hello" to me', "y"],
  ]);
});

test("quotes are characters in TSV, unless a person says otherwise", async () => {
  const text = 'text\tlabel\n"open\tx\nhe "said" it\ty\n';
  const result = await read(text, { name: "rows.tsv" });
  assert.equal(result.table.format, "tab");
  assert.deepEqual(cells(result), [
    ['"open', "x"],
    ['he "said" it', "y"],
  ]);
  const quoted = await read('text\tlabel\n"a ""b"""\tx\nc\ty\n', { format: "tab-quoted" });
  assert.deepEqual(cells(quoted)[0], ['a "b"', "x"]);
});

test("cells copied from a spreadsheet with line ends in them are read with quotes", async () => {
  const result = await read('text\tlabel\n"one\ntwo"\tx\nthree\ty\n"four\nfive"\tx\n', { name: "" });
  assert.equal(result.table.format, "tab-quoted");
  assert.deepEqual(cells(result)[0], ["one\ntwo", "x"]);
});

test("semicolons are found, with commas in the text", async () => {
  const result = await read("gut, sehr;1\nschlecht;2\nna ja, nun;1\n");
  assert.equal(result.table.format, "semicolon");
  assert.deepEqual(cells(result)[0], ["gut, sehr", "1"]);
});

test("a spreadsheet's line sep= is obeyed and is no row", async () => {
  const result = await read("sep=;\r\ntext;label\r\na,a;x\r\n;y\r\nb,b;y\r\n");
  assert.deepEqual(cells(result), [
    ["a,a", "x"],
    ["b,b", "y"],
  ]);
  assert.deepEqual(refusals(result), [[4, "blank"]]);
});

test("a header is found by its names, by numbers below it, and by the labels it is none of", async () => {
  const few = "ein Satz mit Wörtern,gut\nnoch ein ganzer Satz,schlecht\n".repeat(4);
  for (const [text, headed] of /** @type {[string, boolean][]} */ ([
    ["text,label\na,b\n", true],
    ["Review,Stars\nfine,5\n", true],
    [`Wort,Urteil\n${few}`, true],
    [`Satz,Zahl\n${"so ein Satz,1\nund noch einer,2\n".repeat(3)}`, true],
    ["a,b\nb,c\nc,d\n", false],
    [few, false],
    ["question,What is it?\nanswer,It is this\nquestion,And this?\n", false],
  ])) {
    const result = await read(text);
    assert.equal(result.table.headed, headed, text.slice(0, 30));
  }
  const asRow = await read("text,label\na,x\n", { headed: false });
  assert.deepEqual(cells(asRow)[0], ["text", "label"]);
});

test("the column of labels is found first and last, by name and by few short values", async () => {
  const sentences = ["it was a good film", "it was a bad film", "the plot is thin", "I liked it a lot", "no", "why not"];
  const last = sentences.map((text, index) => `${text},${index % 2}`).join("\n");
  const first = sentences.map((text, index) => `${index % 2},${text}`).join("\n");
  for (const text of [last, first]) assert.deepEqual(cells(await read(text))[0], ["it was a good film", "0"]);
  const named = await read("id,split,label,text\n1,train,x,a\n2,train,y,b\n");
  assert.deepEqual(cells(named), AB);
  const unnamed = sentences.map((text, index) => `${index},train,${text},${"xy"[index % 2]}`).join("\n");
  assert.deepEqual(cells(await read(unnamed))[0], ["it was a good film", "x"]);
});

test("pairs and translations find their columns", async () => {
  const pairs = await read("gold_label,premise,hypothesis\nyes,a b,c\nno,d,e\n", { fields: PAIRS });
  assert.deepEqual(pairs.rows[0], { text: "a b", second: "c", label: "yes" });
  const words = await read("hello,olleh\nworld,dlrow\n", { fields: TRANSLATED });
  assert.deepEqual(words.rows[1], { source: "world", target: "dlrow" });
  const named = await read("target,source\nolleh,hello\n", { fields: TRANSLATED });
  assert.deepEqual(named.rows[0], { source: "hello", target: "olleh" });
  const numbers = await read('{"source":12,"target":"twelve"}\n', { fields: TRANSLATED });
  assert.deepEqual(numbers.rows[0], { source: "12", target: "twelve" });
});

test("a person can choose the columns", async () => {
  const result = await read("p,q,r\n1,2,3\n4,5,6\n", { headed: true, columns: { text: 2, label: 0 } });
  assert.deepEqual(cells(result), [
    ["3", "1"],
    ["6", "4"],
  ]);
});

test("refused rows have the line an editor shows, and the reason", async () => {
  const text = 'text,label\r\n"two\r\nlines",x\r\n\r\n,y\r\n  ,y\r\nb,\r\na,b,c\r\nalone\r\ne,y,\r\n';
  const result = await read(text);
  assert.deepEqual(refusals(result), [
    [4, "empty"],
    [5, "blank"],
    [6, "blank"],
    [7, "blank"],
    [8, "columns"],
    [9, "columns"],
  ]);
  assert.deepEqual(result.refused.first[3].values, { field: "label" });
  assert.deepEqual(result.refused.first[4].values, { found: 3, expected: 2 });
  assert.deepEqual(cells(result), [
    ["two\r\nlines", "x"],
    ["e", "y"],
  ]);
});

test("ten refused rows are reported, all are counted; empty lines at the end are none", async () => {
  const result = await read(`text,label\na,x\nb,y\n${",x\n".repeat(25)}\n\n\n`);
  assert.equal(result.refused.count, 25);
  assert.equal(result.refused.first.length, 10);
  assert.deepEqual([result.refused.first[0].line, result.refused.first[9].line], [4, 13]);
});

test("an unclosed quote costs its own line, which is named", async () => {
  const fine = "good enough,x\nbad,y\n".repeat(3000);
  const result = await read(`text,label\n"oops,x\n${fine}`);
  assert.deepEqual(refusals(result), [[2, "quote"]]);
  assert.equal(result.unclosed, 2);
  assert.equal(result.rows.length, 6000);
});

test("a stray quote that would swallow rows with quotes is found", async () => {
  const quoted = '"good, enough",x\n"bad",y\n'.repeat(3000);
  const result = await read(`text,label\r\na,x\n"oops,x\n${quoted}`);
  assert.deepEqual(refusals(result), [[3, "quote"]]);
  assert.equal(result.rows.length, 6001);
  assert.deepEqual(cells(result)[1], ["good, enough", "x"]);
});

test("many unclosed quotes are all named, and quickly", async () => {
  const result = await read(`text,label\n${'"a,x\nb,y\nc,"x\n'.repeat(5000)}`);
  assert.equal(result.rows.length + result.refused.count, 15_000);
  assert.deepEqual(refusals(result).slice(0, 2), [
    [2, "quote"],
    [4, "quote"],
  ]);
});

test("rows over the slices of the reader are whole, and their lines right", async () => {
  const rows = Array.from({ length: 9000 }, (_, index) => [`"${"é".repeat(index % 50)}\r\n${index}"`, `l${index % 3}`]);
  const text = `text,label\r\n${rows.map((row) => row.join(",")).join("\r\n")}\r\n,x`;
  const result = await read(text);
  assert.equal(result.rows.length, 9000);
  for (const [index, { text: got, label }] of result.rows.entries())
    assert.deepEqual([got, label], [`${"é".repeat(index % 50)}\r\n${index}`, `l${index % 3}`]);
  assert.deepEqual(refusals(result), [[18_002, "blank"]]);
});

test("lines of a million characters are read, in quotes and without", async () => {
  const long = "many words ".repeat(100_000);
  const result = await read(`text,label\n"${long}, ""end""",x\n${long},y\n`);
  assert.deepEqual(cells(result), [
    [`${long}, "end"`, "x"],
    [long, "y"],
  ]);
});

test("thousands of columns are read; a line of very many is refused and the next one read", async () => {
  const names = Array.from({ length: 3000 }, (_, index) => `c${index},`).join("");
  const wide = await read(`${names}text,label\n${"1,".repeat(3000)}a,x\n${"2,".repeat(3000)}b,y\n`);
  assert.deepEqual(cells(wide), AB);
  const result = await read(`text,label\na,x\n${",".repeat(300_000)}\nb,y\n${"q,".repeat(15_000)}\n`);
  assert.deepEqual(cells(result), AB);
  assert.deepEqual(refusals(result), [
    [3, "columns-limit"],
    [5, "columns-limit"],
  ]);
});

test("text is kept as it is", async () => {
  const texts = [
    "<script>alert(1)</script>",
    "&amp; &lt;",
    "<unk> [MASK]",
    "👨‍👩‍👧‍👦 family",
    "שלום עולם",
    "日本語の文",
    "caf\u00e9",
    "cafe\u0301",
    " blanks around ",
    "nul \0 in it",
    "lone \ud800 half",
  ];
  const rows = texts.map((text, index) => [text, String(index % 2)]);
  assert.deepEqual(cells(await read(rows.map((row) => row.join("\t")).join("\n"))), rows);
  const json = rows.map(([text, label]) => JSON.stringify({ text, label })).join("\n");
  assert.deepEqual(cells(await read(json)), rows);
});

test("labels are compared as they are; what looks alike is reported, and made one if asked", async () => {
  const text = "text,label\na,Positive\nb,positive \nc,negative\nd,positive\ne,ne\u0301\nf,n\u00e9\n";
  const result = await read(text);
  assert.equal(result.labels.length, 6);
  assert.deepEqual(result.alike.map((group) => [...group].sort()), [
    ["Positive", "positive", "positive "],
    ["ne\u0301", "n\u00e9"],
  ]);
  const merged = await read(text, { merge: true });
  assert.deepEqual(merged.labels, [
    { label: "positive", count: 3 },
    { label: "n\u00e9", count: 2 },
    { label: "negative", count: 1 },
  ]);
  assert.deepEqual(merged.alike, []);
});

test("classes are counted, the most frequent first; a number and its digits are one", async () => {
  const result = await read('{"text":"a","label":1}\n{"text":"b","label":"1"}\n{"text":"c","label":0}\n');
  assert.deepEqual(result.labels, [
    { label: "1", count: 2 },
    { label: "0", count: 1 },
  ]);
});

test("rows of no use are said to be so", async () => {
  assert.equal((await read("text,label\n")).problem, "header-only");
  assert.equal((await read("text,label\na,x\nb,x\n")).problem, "one-class");
  assert.equal((await read("one\ntwo\nthree\n")).problem, "few-columns");
  assert.equal((await read("text,label\n,x\n,y\n")).problem, "no-rows");
  assert.equal((await read("[]", { name: "rows.json" })).problem, "no-rows");
  assert.equal((await read("a,x\nb,y\n", { columns: { text: 1, label: 1 } })).problem, "same-column");
});

test("a broken line of JSON costs itself; blank lines and other things are refused", async () => {
  const text = '{"text":"a","label":"x"}\r\n{"text":"b" "label":"y"}\r\n\r\n42\r\n["b","y"]\r\n{"label":"y","text":"b"}\r\n';
  const result = await read(text, { name: "rows.jsonl" });
  assert.equal(result.table.format, "json-lines");
  assert.deepEqual(cells(result), AB);
  assert.deepEqual(refusals(result), [
    [2, "json"],
    [3, "empty"],
    [4, "json-shape"],
    [5, "json-shape"],
  ]);
});

test("labels from JSON are whole numbers or strings", async () => {
  const labels = ["1", "-2", "1.0", "1.5", "1e400", "9007199254740993", "null", "[1]", "true", '"1.5"', '""'];
  const result = await read(labels.map((label) => `{"text":"a","label":${label}}`).join("\n"));
  assert.deepEqual(
    result.rows.map(({ label }) => label),
    [1, -2, 1, "true", "1.5"],
  );
  assert.deepEqual(refusals(result), [
    [4, "fraction"],
    [5, "fraction"],
    [6, "inexact"],
    [7, "blank"],
    [8, "type"],
    [11, "blank"],
  ]);
});

test("a list in JSON is read over any lines, and one broken value spoils no other", async () => {
  const one = await read('[{"text":"a","label":"x"},{"text":"b","label":"y"}]', { name: "rows.json" });
  assert.deepEqual(cells(one), AB);
  const pretty = JSON.stringify([{ text: "a } ] \\ \" {", label: "x" }, { text: "b", label: "y" }], null, 2);
  assert.deepEqual(cells(await read(pretty))[0], ['a } ] \\ " {', "x"]);
  const lists = await read('[["text","label"],["a","x"],["b","y"]]');
  assert.deepEqual(cells(lists), AB);
  const broken = '[\n{"text":"a","label":"x"},\n{"text":"?" "label":"y"},\n"word", 7,\n{"text":"b","label":"y"},\n{"text":"cut';
  const result = await read(broken);
  assert.deepEqual(cells(result), AB);
  assert.deepEqual(refusals(result), [
    [3, "json"],
    [4, "json-shape"],
    [4, "json-shape"],
    [6, "json-open"],
  ]);
});

test("a missing bracket in a list of one value a line costs that line alone", async () => {
  const result = await read('[\n{"text":"a","label":"x"},\n{"text":"?","label":"y",\n{"text":"b","label":"y"}\n]\n');
  assert.deepEqual(cells(result), AB);
  assert.deepEqual(refusals(result), [[3, "json"]]);
});

test("fields inside an object are columns of their own", async () => {
  const text = '{"id":1,"translation":{"en":"dog","fr":"chien"}}\n{"id":2,"translation":{"en":"cat","fr":"chat"}}\n';
  const result = await read(text, { fields: TRANSLATED, columns: { source: 1, target: 2 } });
  assert.deepEqual(result.names, ["id", "translation.en", "translation.fr"]);
  assert.deepEqual(cells(result), [
    ["dog", "chien"],
    ["cat", "chat"],
  ]);
});

test("lines that begin with brackets are not taken for JSON", async () => {
  const result = await read("[MASK] is a word,x\n{curly} words,y\n");
  assert.equal(result.table.format, "comma");
});

test("ten megabytes are read in turns of few characters each, with progress", async () => {
  const text = `text,label\n${'"a ""good"" film\n that I liked",pos\nbad,neg\n'.repeat(230_000)}`;
  let turns = 0;
  /** Each look at the clock takes 3 ms, so that a turn has three of them: before each, a slice was read. */
  class Counted extends Pace {
    /** @param {any} options */
    constructor(options) {
      let time = 0;
      super({ ...options, now: () => (time += 3), pause: async () => void (turns += 1) });
    }
  }
  /** @type {number[]} */
  const seen = [];
  const file = { name: "rows.csv", bytes: utf8(text) };
  const table = await readTable(file, {}, { Pace: Counted, progress: (share) => seen.push(share) });
  assert.equal(table.records.length, 460_001);
  assert.ok(turns > text.length / (4 * (1 << 15)), `${turns} pauses`);
  assert.ok(seen.every((share, index) => share >= (seen[index - 1] ?? 0) && share <= 1), "progress never falls");
  assert.ok(seen[seen.length - 1] > 0.9);
});

test("reading ends when it is aborted", async () => {
  const abort = new AbortController();
  const text = "text,label\n" + "some text,x\n".repeat(400_000);
  const reading = readTable({ name: "rows.csv", text }, {}, { signal: abort.signal, progress: () => abort.abort() });
  await assert.rejects(reading, { name: "AbortError" });
});

test("every reason has its sentence", () => {
  const code = ["rows.js", "bytes.js", "delimited.js", "json.js"].map(source).join("\n");
  const refused = code.matchAll(/(?:refuse|giveUp)\((?:.*, )?"([\w-]+)"/gi);
  const problems = code.matchAll(/problem = "([\w-]+)"/g);
  const keys = [
    ...[...refused].map(([, reason]) => `rows.refused.${reason}`),
    ...[...problems].map(([, problem]) => `rows.problem.${problem}`),
  ];
  assert.ok(keys.length >= 16, keys.join(", "));
  for (const key of keys) assert.ok(key in messages, key);
});

test("reading knows neither the page nor the package", () => {
  for (const name of readdirSync(folder)) {
    const code = source(name);
    assert.doesNotMatch(code, /\b(document|window|navigator)\./, name);
    for (const [, from] of code.matchAll(/^import .* from "(.*)";/gm))
      assert.match(from, /^(\.\/[\w-]+\.js|papaparse)$/, name);
  }
});
