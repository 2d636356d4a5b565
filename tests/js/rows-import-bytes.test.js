/** Files of rows: encodings, and what is no text. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cells, read, utf16, utf8 } from "./rows-import.js";

const FILM = "text,label\nschön und gut,gut\nöde,schlecht\n";
const ROWS = [
  ["schön und gut", "gut"],
  ["öde", "schlecht"],
];

const mark = "\ufeff";
for (const [what, bytes, encoding, because] of /** @type {[string, Uint8Array, string, string][]} */ ([
  ["UTF-8", utf8(FILM), "utf-8", "valid"],
  ["UTF-8 with a mark", utf8(mark + FILM), "utf-8", "mark"],
  ["UTF-16 LE with a mark", utf16(mark + FILM, true), "utf-16le", "mark"],
  ["UTF-16 BE with a mark", utf16(mark + FILM, false), "utf-16be", "mark"],
  ["UTF-16 LE without a mark", utf16(FILM, true), "utf-16le", "shape"],
  ["UTF-16 BE without a mark", utf16(FILM, false), "utf-16be", "shape"],
  ["Windows-1252", Uint8Array.from(FILM, (letter) => letter.charCodeAt(0)), "windows-1252", "fallback"],
]))
  test(`${what} is found and read`, async () => {
    const result = await read(bytes);
    assert.deepEqual(cells(result), ROWS);
    assert.deepEqual(result.table.encoding, { encoding, because, mended: false });
    assert.equal(result.names[0], "text", "no mark is left in the first name");
  });

test("UTF-16 without a mark is found by its line ends where no letter is Latin", async () => {
  const text = "日本語の文章,肯定\n中国語の文章,否定\n韓国語の文章,肯定\n";
  for (const little of [true, false]) {
    const result = await read(utf16(text, little));
    assert.equal(result.table.encoding?.encoding, little ? "utf-16le" : "utf-16be");
    assert.deepEqual(cells(result)[0], ["日本語の文章", "肯定"]);
  }
});

test("a person can choose the encoding", async () => {
  const bytes = Uint8Array.from([...utf8("text,label\n"), 0xcf, 0xf0, 0xe8, 0x2c, 0x61, 10, 0xcd, 0xe5, 0x2c, 0x62]);
  assert.equal((await read(bytes)).table.encoding?.encoding, "windows-1252");
  assert.deepEqual(cells(await read(bytes, { encoding: "windows-1251" })), [
    ["При", "a"],
    ["Не", "b"],
  ]);
});

test("what can't be read in a marked encoding is mended, and said", async () => {
  const result = await read(Uint8Array.from([...utf8(`${mark}text,label\nbad `), 0xff, ...utf8(",a\nc,b\n")]));
  assert.equal(result.table.encoding?.mended, true);
  assert.deepEqual(cells(result)[0], ["bad \ufffd", "a"]);
});

test("characters cut by the slices of the decoder are whole", async () => {
  const long = "€😀".repeat(100_000);
  assert.deepEqual(cells(await read(utf8(`text,label\nx${long},a\nb,b\n`)))[0], [`x${long}`, "a"]);
});

test("NUL characters in a text are text", async () => {
  const result = await read(utf8("text,label\na\0b,x\nlonger text here,y\n"));
  assert.deepEqual(cells(result)[0], ["a\0b", "x"]);
});

test("files that are no text are refused by name", async () => {
  const png = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13];
  const xlsx = [0x50, 0x4b, 3, 4, 20, 0, 6, 0, 8, 0];
  const noise = Array.from({ length: 5000 }, (_, index) => (index * 7919 + (index >> 3)) % 256);
  for (const [bytes, kind] of /** @type {[number[], string][]} */ ([
    [png, "PNG"],
    [xlsx, "workbook"],
    [noise, "other"],
    [new Array(64).fill(0), "other"],
  ]))
    await assert.rejects(read(Uint8Array.from(bytes)), { reason: "not-text", values: { kind } });
});

test("a text that begins as a picture does is a text", async () => {
  assert.deepEqual(cells(await read(utf8("GIF8 is a format,x\nsome other words,y\n"))), [
    ["GIF8 is a format", "x"],
    ["some other words", "y"],
  ]);
});

test("an empty file and one of blanks are refused", async () => {
  for (const text of ["", "\ufeff", " \r\n\t\n"])
    await assert.rejects(read(utf8(text)), { reason: "empty" });
});
