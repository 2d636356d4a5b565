// Nothing that a person typed, pasted or loaded may become markup or code: no source has a way to make either of text.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = new URL("../..", import.meta.url).pathname;
/** Generated, or text of data sets. */
const LEFT_OUT = new Set(["node_modules", "dist", "types", "data", "wasm", "wasm-cpu"]);

const WAYS = {
  innerHTML: /\binnerHTML\b/,
  outerHTML: /\bouterHTML\b/,
  insertAdjacentHTML: /\binsertAdjacentHTML\b/,
  "document.write": /\bdocument\s*\.\s*write(ln)?\b/,
  "setHTML or parseHTML": /\b(setHTML|setHTMLUnsafe|parseHTML|parseHTMLUnsafe)\b/,
  DOMParser: /\bDOMParser\b/,
  createContextualFragment: /\bcreateContextualFragment\b/,
  eval: /\beval\s*\(/,
  "new Function": /\bnew\s+Function\b|[^.\w]Function\s*\(/,
  "a timer of text": /\bset(Timeout|Interval)\s*\(\s*["'`]/,
  srcdoc: /\bsrcdoc\b/,
  "a javascript: address": /javascript:/i,
};

function* sources(folder) {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!LEFT_OUT.has(entry.name)) yield* sources(path);
    } else if (/\.(m?js|jsx|html|svg)$/.test(entry.name)) {
      yield path;
    }
  }
}

const waysIn = (text) => Object.keys(WAYS).filter((way) => WAYS[way].test(text));

test("the ways are recognised", () => {
  for (const text of [
    "element.innerHTML = name",
    "a.outerHTML",
    'a.insertAdjacentHTML("beforeend", b)',
    "document.write(a)",
    "a.setHTML(b)",
    "new DOMParser()",
    "range.createContextualFragment(a)",
    "eval(a)",
    "new Function(a)",
    "return Function(a)",
    'setTimeout("a()")',
    "frame.srcdoc = a",
    '<a href="javascript:a()">',
  ]) {
    assert.equal(waysIn(text).length, 1, text);
  }
  assert.deepEqual(waysIn("evaluate(a); medieval(b); typeof Function; isFunction(a); Functions()"), []);
});

test("no source of the package or the page makes markup or code of text", () => {
  const files = [...sources("pkg"), ...sources("www")];
  assert.ok(files.length > 60, `only ${files.length} files were found`);
  const found = files.flatMap((file) => waysIn(readFileSync(join(ROOT, file), "utf8")).map((way) => `${file}: ${way}`));
  assert.deepEqual(found, []);
});
