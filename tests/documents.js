// Documents as tests read them: blocks of code by name, sections, tables.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { at } from "../scripts/lib/paths.js";

/** @param {string} name such as `docs/guide.md` */
export const documentText = (name) => readFileSync(at(name), "utf8");

/**
 * The blocks of code in a text. What follows the language is marks, parted by spaces; one of them may be `file=NAME`.
 *
 * @param {string} text
 */
export function blocksOf(text) {
  return [...text.matchAll(/^```(\w+)([^\n]*)\n([^]*?)^```/gm)].map(([, language, rest, code]) => {
    const marks = rest.split(" ").filter(Boolean);
    const file = marks.find((mark) => mark.startsWith("file="))?.slice("file=".length);
    return { language, marks, file, code };
  });
}

/** The code of the one block that is a file of this name. @param {string} text @param {string} file */
export function codeOf(text, file) {
  const found = blocksOf(text).filter((block) => block.file === file);
  assert.equal(found.length, 1, `blocks with file=${file}`);
  return found[0].code;
}

/**
 * The rows of all tables under a heading, up to the next one: texts of cells.
 *
 * @param {string} text
 * @param {string} heading without the marks before it
 */
export function tableUnder(text, heading) {
  const from = text.search(new RegExp(`^#+ ${heading.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`, "m"));
  assert.ok(from >= 0, `no heading ${heading}`);
  const [, ...lines] = text.slice(from).split("\n");
  const next = lines.findIndex((line) => /^#+ /.test(line));
  const rows = lines
    .slice(0, next < 0 ? undefined : next)
    .filter((line) => line.startsWith("|"))
    .map((line) => line.slice(1, line.lastIndexOf("|")).split("|").map((cell) => cell.trim()));
  const isRule = (/** @type {string[]} */ row) => row.every((cell) => /^:?-+:?$/.test(cell));
  // What stands before a rule is a table's head.
  return rows.filter((row, index) => !isRule(row) && !(rows[index + 1] && isRule(rows[index + 1])));
}
