// Reading evaluation data: formats of files, and what a fault in one says.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { loadData, missingFiles, needsFolder } from "../../scripts/lib/quality/data.js";
import {
  agNews,
  aligned,
  coarselyLabelled,
  labelled,
  sick,
} from "../../scripts/lib/quality/parse.js";
import { GROUPS } from "../../scripts/lib/quality/runs.js";
import { Stop } from "../../scripts/lib/run.js";

test("AG News: quotes, commas, line breaks and backslashes in quoted fields", () => {
  const text = [
    '"3","Rates ""rise"", again","A bank, it said, ""may"" act"',
    '"1","","two\nlines"',
    '"4","it#39;s","a\\\\b \\$5"',
    '"2","""All"" quoted ""ends""","""x"""',
    "",
  ].join("\n");
  assert.deepEqual(agNews(text), {
    rows: [
      { label: "3", text: 'Rates "rise", again A bank, it said, "may" act' },
      { label: "1", text: " two\nlines" },
      { label: "4", text: "it#39;s a\\\\b \\$5" },
      { label: "2", text: '"All" quoted "ends" "x"' },
    ],
  });
});

test("AG News: a fault is told by its row, never by its text", () => {
  for (const text of ['"1","a","b"\n"2","secret"\n', '"1","a","b"\n"2","secret","c', '"1","a","b"\n"2","x" secret,"c"\n']) {
    assert.throws(
      () => agNews(text),
      (error) => error instanceof Stop && /Row 2/.test(error.message) && !/secret/.test(error.message),
    );
  }
});

test("labelled lines have no quoting", () => {
  assert.deepEqual(labelled('1\tsaid " and \'\n0\tan end , "\n'), {
    rows: [
      { text: 'said " and \'', label: "1" },
      { text: 'an end , "', label: "0" },
    ],
  });
  assert.deepEqual(labelled("1\ta\u2028b\n").rows, [{ text: "a\u2028b", label: "1" }]);
  assert.throws(() => labelled("1\ta\nno tab\n"), /^Error: Row 2 has 1 fields, not 2\.$/);
  assert.throws(() => labelled("1\ta\tb\n"), /Row 1 has 3 fields/);
});

test("of TREC's labels the coarse class counts", () => {
  const { rows } = coarselyLabelled("DESC:manner\tHow ?\nABBR:exp\tWhat is A:B ?\n");
  assert.deepEqual(rows, [
    { text: "How ?", label: "DESC" },
    { text: "What is A:B ?", label: "ABBR" },
  ]);
});

test("SICK's columns are found by their names", () => {
  const text = "sentence_A\tsentence_B\trelatedness\tlabel\nA man\tA cat\t1.5\tNEUTRAL\n";
  assert.deepEqual(sick(text).rows, [{ text: "A man", second: "A cat", label: "NEUTRAL" }]);
  const turned = "label\tsentence_B\tsentence_A\nNEUTRAL\tA cat\tA man\n";
  assert.deepEqual(sick(turned), sick(text));
  assert.throws(() => sick("sentence_A\tlabel\na\tb\n"), /no column sentence_B/);
  assert.throws(() => sick(`${text}lonely\n`), /Row 3 has 1 fields, not 4/);
});

test("aligned texts must have as many lines", () => {
  assert.deepEqual(aligned("a\nb\n", "c\nd\n").rows, [
    { source: "a", target: "c" },
    { source: "b", target: "d" },
  ]);
  assert.throws(() => aligned("a\nb\n", "c\n"), /2 lines against 1/);
});

test("sets are read from a folder, packed or not, and lacking files are named", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "quality-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "sick"));
  const head = "sentence_A\tsentence_B\tlabel\n";
  writeFileSync(join(folder, "sick", "train.tsv.gz"), gzipSync(`${head}é\tb\tX\n`));
  assert.deepEqual(missingFiles("sick", folder), ["sick/val.tsv"]);
  writeFileSync(join(folder, "sick", "val.tsv"), `${head}c\td\tY\nwrong\n`);
  assert.deepEqual(missingFiles("sick", folder), []);
  await assert.rejects(loadData("sick", folder), /^Error: sick\/val\.tsv: Row 3 has 1 fields, not 3\.$/);
  writeFileSync(join(folder, "sick", "val.tsv"), `${head}c\td\tY\n`);
  assert.deepEqual(await loadData("sick", folder), {
    task: "pair-classification",
    training: { rows: [{ text: "é", second: "b", label: "X" }] },
    test: { rows: [{ text: "c", second: "d", label: "Y" }] },
  });
  await assert.rejects(loadData("sick", undefined), /SYNTHATTN_DATA/);
  await assert.rejects(loadData("nothing", folder), /There is no data set nothing/);
});

test("every group names data that can be read", async () => {
  for (const { data } of GROUPS) {
    if (needsFolder(data)) assert.ok(missingFiles(data, "/nowhere").length > 1, data);
    else assert.ok((await loadData(data, undefined)).test, data);
  }
  assert.ok((await loadData("builtin:recall", undefined)).ceiling > 0);
});
