// esbuild leaves `new URL(…, import.meta.url)` as it is: the inline entries need no such address. And a page of a single
// file, made of what esbuild made.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { POLICY } from "../../scripts/lib/serve.js";
import { assertWorked, closeBrowser, command, enter, install, made, remove, visit, visitFolder } from "./support.js";

/** @type {string} */
let folder;
before(async () => {
  folder = await install("esbuild");
});
after(async () => {
  await closeBrowser();
  remove(folder);
});

/** @param {string} entry @param {string[]} args */
async function build(entry, ...args) {
  enter(folder, entry);
  const dist = join(folder, `dist-${entry.replaceAll("/", "-")}`);
  await command(folder, "esbuild", ["main.js", "--bundle", "--minify", "--format=esm", `--outdir=${dist}`, "--log-level=error", ...args]);
  return dist;
}

for (const entry of ["synthattn/inline", "synthattn/cpu/inline"]) {
  test(`esbuild's build of ${entry} works, in the page and in a worker of the app`, async () => {
    const dist = await build(entry, "own-worker.js");
    writeFileSync(join(dist, "index.html"), readFileSync(join(folder, "index.html")));
    const outcomes = await visitFolder(dist, { headers: { "content-security-policy": POLICY.replace("worker-src 'self'", "worker-src 'self' blob:") } });
    assert.equal(outcomes.length, 2);
    for (const outcome of outcomes) assertWorked(outcome);
  });
}

for (const entry of ["synthattn/inline", "synthattn/cpu/inline"]) {
  test(`a page of a single file works with ${entry}, from a server and from the disk`, async () => {
    writeFileSync(join(folder, "main.js"), 'import { Engine, support } from "synthattn";\nimport { show } from "./show.js";\n\nshow({ Engine, support });\n');
    const dist = await build(entry);
    const script = readFileSync(join(dist, "main.js"), "utf8");
    // As everywhere where code stands in a page: this would end the script.
    assert.doesNotMatch(script, /<\/script|<!--/i);
    const single = join(folder, `single-${entry.replaceAll("/", "-")}`);
    mkdirSync(single);
    const page = readFileSync(join(folder, "index.html"), "utf8");
    writeFileSync(join(single, "index.html"), page.replace(/<script[^]*<\/script>/, () => `<script type="module">${script}</script>`));
    assert.equal(made(single).length, 1);
    for (const outcomes of [await visitFolder(single), await visit(pathToFileURL(join(single, "index.html")).href)]) {
      assert.equal(outcomes.length, 1);
      assertWorked(outcomes[0]);
    }
  });
}

test("esbuild's build of synthattn has no worker, and the error names the entry that needs none", async () => {
  const dist = await build("synthattn");
  writeFileSync(join(dist, "index.html"), readFileSync(join(folder, "index.html")));
  const [{ error }] = await visitFolder(dist, { complaints: /404|worker\.js/ });
  assert.equal(error?.code, "internal");
  assert.match(error?.message ?? "", /synthattn\/inline/);
});

test("in a sandboxed frame, which has no origin, the inline entry works", async () => {
  const single = join(folder, "single-synthattn-cpu-inline");
  const frame = join(folder, "frame");
  mkdirSync(frame);
  const inner = readFileSync(join(single, "index.html"), "utf8").replace("</html>", '<script>new MutationObserver(() => parent.postMessage(document.querySelector("#outcome").textContent, "*")).observe(document.querySelector("#outcome"), { childList: true });</script></html>');
  const outer = '<!doctype html><title>a frame</title><link rel="icon" href="data:," /><pre id="outcome"></pre><script>onmessage = ({ data }) => (document.querySelector("#outcome").textContent = data);</script><iframe sandbox="allow-scripts" src="inner.html"></iframe>';
  writeFileSync(join(frame, "inner.html"), inner);
  writeFileSync(join(frame, "index.html"), outer);
  const [outcome] = await visitFolder(frame);
  assertWorked(outcome);
});
