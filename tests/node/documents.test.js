// Documents that must say what the sources say.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { apiDocument } from "../../scripts/lib/api.js";
import { kindsDocument } from "../../scripts/lib/kinds-document.js";
import { at } from "../../scripts/lib/paths.js";
import { documentText, tableUnder } from "../documents.js";

/** The members of a union of strings in a source's comment. @param {string} file @param {string} name */
function unionOf(file, name) {
  const comment = new RegExp(`@typedef \\{([^}]*)\\} ${name}\\b`).exec(readFileSync(at("pkg", file), "utf8"))?.[1] ?? "";
  return [...comment.matchAll(/"([^"]+)"/g)].map(([, member]) => member);
}

test("docs/api.md is what the sources say", async () => {
  assert.equal(documentText("docs/api.md"), await apiDocument(), 'run "npm run docs"');
});

test("docs/kinds.md is what the sources say", async () => {
  assert.equal(documentText("docs/kinds.md"), await kindsDocument(), 'run "npm run docs"');
});

for (const [file, union, heading] of [["contract.js", "ErrorCode", "Errors"], ["keep/contract.js", "KeepErrorCode", "Keeping models"]]) {
  test(`docs/errors.md has every ${union} once, with what to do`, () => {
    const codes = unionOf(file, union);
    assert.ok(codes.length >= 4, `no union ${union} in ${file}`);
    const rows = tableUnder(documentText("docs/errors.md"), heading);
    assert.deepEqual(rows.map(([code]) => code.replaceAll("`", "")).sort(), codes.sort());
    for (const [code, happened, , advice] of rows) assert.ok(happened && advice, code);
  });
}

test("every entry of the package is in docs/hosting.md and in the package's README", () => {
  const { exports } = JSON.parse(readFileSync(at("pkg", "package.json"), "utf8"));
  const entries = Object.keys(exports).map((path) => join("synthattn", path)).filter((entry) => !entry.endsWith(".json"));
  for (const name of ["docs/hosting.md", "pkg/README.md"]) {
    const text = documentText(name);
    const missing = entries.filter((entry) => !text.includes(`\`${entry}\``) && !(name.startsWith("pkg") && entry.endsWith(".wasm")));
    assert.deepEqual(missing, [], name);
  }
});

const pages = ["README.md", "ARCHITECTURE.md", "pkg/README.md", "docs/findings/README.md", ...readdirSync(at("docs")).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)];

for (const page of pages) {
  test(`links of ${page} lead to something`, () => {
    const text = documentText(page).replace(/^```[^]*?^```/gm, "");
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path, fragment] = target.split("#");
      const file = path ? at(dirname(page), path) : at(page);
      assert.ok(existsSync(file), `${target} is not there`);
      if (!fragment) continue;
      const headings = [...readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchor(heading));
      assert.ok(headings.includes(fragment), `${target}: ${file} has no such heading`);
    }
  });
}

/** As GitHub names headings. @param {string} heading */
function anchor(heading) {
  return heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}
