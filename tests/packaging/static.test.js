// No bundler: the package's files served as they are, under a path, by servers that are strict, wrong or incomplete.

import assert from "node:assert/strict";
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { POLICY, serve } from "../../scripts/lib/serve.js";
import { LONGEST_TASK, mainThreadTasks, openPage, until } from "../browser/support.js";
import { assertWorked, closeBrowser, install, remove, theBrowser, visitFolder } from "./support.js";

/** What API.md asks of a page, and nothing beside it. */
const STRICT = { "content-security-policy": POLICY.replace(" 'unsafe-inline'", "").replace(" blob:", "") };
const STRICT_INLINE = { "content-security-policy": STRICT["content-security-policy"].replace("worker-src 'self'", "worker-src 'self' blob:") };

/** @type {string} */
let folder;
before(async () => {
  folder = await install("static");
  cpSync(join(folder, "node_modules", "synthattn"), join(folder, "synthattn"), { recursive: true });
});
after(async () => {
  await closeBrowser();
  remove(folder);
});

/** Writes the addresses of an entry's file into the app. @param {string} file in the package */
function enterFile(file) {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(".js")) continue;
    const text = readFileSync(join(folder, name), "utf8");
    writeFileSync(join(folder, name), text.replace(/from "(synthattn|\.\/synthattn\/[\w/.-]+)"/g, `from "./synthattn/${file}"`));
  }
}

for (const [file, headers] of /** @type {[string, Record<string, string>][]} */ ([
  ["index.js", STRICT],
  ["cpu.js", STRICT],
  ["dist/inline.js", STRICT_INLINE],
  ["dist/cpu-inline.js", STRICT_INLINE],
])) {
  test(`${file} works as a module of a page with the documented Content-Security-Policy, and in its worker`, async () => {
    enterFile(file);
    const outcomes = await visitFolder(folder, { headers });
    assert.equal(outcomes.length, 2);
    for (const outcome of outcomes) assertWorked(outcome);
  });
}

test("dist/inline.js, however large, holds up the page's thread no longer than any other", async () => {
  enterFile("dist/inline.js");
  const page = readFileSync(join(folder, "index.html"), "utf8");
  writeFileSync(join(folder, "idle.html"), page.replace(/<script[^]*<\/script>/, '<button>go</button><script type="module" src="idle.js"></script>'));
  writeFileSync(join(folder, "idle.js"), 'document.querySelector("button").onclick = () => import("./main.js");\n');
  const { origin, close } = await serve({ "/": `${folder}/` });
  const browser = await theBrowser();
  const { page: idle, context } = await openPage(browser, `${origin}/idle.html`);
  try {
    const [longest] = await mainThreadTasks(browser, idle, async () => {
      await idle.click("button");
      await until("an outcome", () => idle.locator("#outcome").textContent());
    });
    assert.ok(longest.milliseconds < LONGEST_TASK, JSON.stringify(longest));
  } finally {
    await context.close();
    close();
  }
});

test("core.js takes a module of either kind by its address", async () => {
  enterFile("core.js");
  for (const module of ["wasm", "wasm-cpu"]) {
    const query = `?wasm=synthattn/${module}/synthattn_bg.wasm`;
    for (const outcome of await visitFolder(folder, { headers: STRICT, query })) assertWorked(outcome);
  }
});

test("core.js without a module says that it needs one", async () => {
  enterFile("core.js");
  for (const { error } of await visitFolder(folder)) {
    assert.equal(error?.code, "invalid-option");
    assert.equal(error?.details.option, "wasm");
    assert.match(error?.message ?? "", /synthattn\/core comes without/);
  }
});

test("synthattn/cpu says that it has no WebGPU", async () => {
  enterFile("cpu.js");
  const main = join(folder, "main.js");
  const text = readFileSync(main, "utf8");
  writeFileSync(main, text.replace("{ Engine, support }, new", '{ Engine: { create: (given) => Engine.create({ ...given, device: new URLSearchParams(location.search).get("device") }) }, support }, new'));
  try {
    const [auto] = await visitFolder(folder, { query: "?device=auto" });
    assertWorked(auto);
    assert.match(auto.device.fallbackReason ?? "", /CPU alone, without WebGPU/);
    assert.equal(auto.support.webgpu, false);
    assert.equal(auto.support.reason, auto.device.fallbackReason);
    const [{ error }] = await visitFolder(folder, { query: "?device=webgpu" });
    assert.equal(error?.code, "webgpu-unavailable");
    assert.match(error?.message ?? "", /CPU alone, without WebGPU/);
  } finally {
    writeFileSync(main, text);
  }
});

test("a policy that forbids WebAssembly or workers is named in the error", async () => {
  enterFile("cpu.js");
  const without = (/** @type {string} */ part) => ({ "content-security-policy": STRICT["content-security-policy"].replace(part, "") });
  const complaints = /Content Security Policy|WebAssembly/i;
  const [{ error: noWasm }] = await visitFolder(folder, { headers: without(" 'wasm-unsafe-eval'"), complaints });
  assert.equal(noWasm?.code, "internal");
  assert.match(noWasm?.message ?? "", /wasm-unsafe-eval/);
  enterFile("dist/cpu-inline.js");
  const [{ error: noWorker }] = await visitFolder(folder, { headers: STRICT, complaints });
  assert.equal(noWorker?.code, "internal");
  assert.match(noWorker?.message ?? "", /worker-src blob:/);
});

/** A server's mistakes with the module, and what the app is told; nothing if it works all the same. */
const MISTAKES = /** @type {const} */ ([
  { mistake: "calls it application/octet-stream", file: "synthattn_bg.wasm", as: "given.bin" },
  { mistake: "calls it text/plain", file: "synthattn_bg.wasm", as: "given.txt" },
  { mistake: "calls it a web page", file: "synthattn_bg.wasm", as: "given.html" },
  { mistake: "gives a web page instead", file: "index.html", as: "given.html", told: /is not WebAssembly but looks like a web page/ },
  { mistake: "gives a web page and calls it application/wasm", file: "page.wasm", as: "given.wasm", told: /could not be compiled/ },
  { mistake: "does not have it", as: "nowhere.wasm", told: /the server answered 404/ },
]);

for (const { mistake, as, ...rest } of MISTAKES) {
  test(`a server that ${mistake}: ${"told" in rest ? "the error says so" : "it works all the same"}`, async () => {
    enterFile("core.js");
    // Its name is what the server goes by.
    cpSync(join(folder, "index.html"), join(folder, "page.wasm"));
    const path = "file" in rest ? join(folder, rest.file === "synthattn_bg.wasm" ? join("synthattn", "wasm-cpu", rest.file) : rest.file) : undefined;
    const options = { query: `?wasm=${as}`, extra: path ? { [as]: path } : {}, complaints: /404/ };
    for (const outcome of await visitFolder(folder, options)) {
      if (!("told" in rest)) assertWorked(outcome);
      else {
        assert.equal(outcome.error?.name, "SynthError");
        assert.equal(outcome.error?.code, "invalid-option");
        assert.match(outcome.error?.message ?? "", rest.told);
      }
    }
  });
}

test("a server that does not have the package's own module: the error says where it belongs", async () => {
  enterFile("cpu.js");
  rmSync(join(folder, "synthattn", "wasm-cpu", "synthattn_bg.wasm"));
  for (const { error } of await visitFolder(folder, { complaints: /404/ })) {
    assert.equal(error?.code, "internal");
    assert.match(error?.message ?? "", /the server answered 404\. Serve synthattn_bg\.wasm there, or pass its URL as the option wasm/);
  }
});

test("a server that does not have the worker: the error names the entry that needs none", async () => {
  enterFile("cpu.js");
  rmSync(join(folder, "synthattn", "worker-cpu.js"));
  const [{ error }] = await visitFolder(folder, { complaints: /404|worker-cpu/ });
  assert.equal(error?.code, "internal");
  assert.match(error?.message ?? "", /synthattn\/inline/);
});
