// `npm test`: all checks, from formatting to the demo in a browser. `npm run test:<group>` runs one group.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "./build.js";
import { at, outputFolder } from "./lib/paths.js";
import { Stop, main, run, runNode } from "./lib/run.js";
import { runSections } from "./lib/sections.js";
import { browserPaths, firefoxPaths } from "./lib/tools.js";
import { wasmEnvironment } from "./lib/wasm.js";
import { setup } from "./setup.js";

const WASM_TARGET = ["--target", "wasm32-unknown-unknown"];
const LINTS = ["--release", "--all-targets", "--", "-D", "warnings"];

/** @typedef {import("./lib/sections.js").Section} Section */

/** @type {Section[]} */
const sections = [
  { title: "NOTICE names what ships", group: "rust", run: () => run(process.execPath, ["scripts/notice.js", "--check"]) },
  { title: "rustfmt", group: "rust", run: checkFormat },
  { title: "clippy", group: "rust", run: () => run("cargo", ["clippy", "--workspace", ...LINTS]) },
  { title: "documentation of the crate", group: "rust", run: () => run("cargo", ["doc", "--workspace", "--release", "--no-deps"], { env: { RUSTDOCFLAGS: "-D warnings" } }) },
  { title: "crate, native", group: "rust", counts: "cargo", run: (watch) => run("cargo", ["test", "--workspace", "--release"], { watch }) },
  { title: "clippy for wasm", group: "wasm", run: () => run("cargo", ["clippy", "--workspace", ...WASM_TARGET, ...LINTS], { env: wasmEnvironment }) },
  { title: "build", group: "build", run: build },
  { title: "crate, in Chromium", group: "wasm", counts: "cargo", run: testWasm },
  { title: "crate, in Firefox", group: "wasm", counts: "cargo", run: testWasmInFirefox },
  { title: "types of scripts and tests", group: "js", run: () => runNode("typescript/bin/tsc", ["-p", "scripts/tsconfig.json"]) },
  { title: "package against a fake worker", group: "js", counts: "node", run: (watch) => testNode("tests/js", watch) },
  { title: "package in Node", group: "js", counts: "node", run: (watch) => testNode("tests/node", watch) },
  { title: "README", group: "js", counts: "node", run: (watch) => testNode("tests/readme.test.js", watch) },
  { title: "package and demo in browsers", group: "browser", counts: "node", run: testBrowser },
  { title: "packed package in apps", group: "packaging", counts: "node", run: (watch) => testNode("tests/packaging", watch) },
  { title: "speed against other libraries", group: "bench", run: () => run(process.execPath, ["scripts/bench.js", "--short"]) },
  { title: "training quality, a few steps", group: "quality", run: () => run(process.execPath, ["scripts/quality.js", "--short"]) },
  { title: "findings, a few steps", group: "findings", run: () => run(process.execPath, ["scripts/findings.js", "--short"]) },
];

/** Also of the fuzzing targets, which are a workspace of their own. */
async function checkFormat() {
  for (const manifest of ["Cargo.toml", "fuzz/Cargo.toml"]) await run("cargo", ["fmt", "--all", "--check", "--manifest-path", at(manifest)]);
}

/** The crate's own tests in a browser with WebGPU. @param {((text: string) => void)=} watch */
function testWasm(watch) {
  const { chrome, chromedriver } = browserPaths();
  return testWasmIn("goog:chromeOptions", chrome, ["--chrome", "--chromedriver", chromedriver], [], watch);
}

/** The same in one that has none where there is no screen. @param {((text: string) => void)=} watch */
function testWasmInFirefox(watch) {
  const { firefox, geckodriver } = firefoxPaths();
  // All that tests say is shown: what they have to skip must not pass unseen.
  return testWasmIn("moz:firefoxOptions", firefox, ["--firefox", "--geckodriver", geckodriver], ["--", "--", "--nocapture"], watch);
}

/**
 * @param {string} options the name of the browser's settings
 * @param {string} binary
 * @param {string[]} choice
 * @param {string[]} more
 * @param {((text: string) => void)=} watch
 */
async function testWasmIn(options, binary, choice, more, watch) {
  const settings = JSON.parse(readFileSync(at("webdriver.json"), "utf8"));
  settings[options] = { ...settings[options], binary };
  const webdriver = at("target", "webdriver.json");
  mkdirSync(dirname(webdriver), { recursive: true });
  writeFileSync(webdriver, JSON.stringify(settings));
  const args = ["test", "--headless", ...choice, "--mode", "no-install", "--release", ...more];
  await run("wasm-pack", args, { env: { ...wasmEnvironment, WASM_BINDGEN_TEST_WEBDRIVER_JSON: webdriver }, watch });
}

/** The package and the demo. @param {((text: string) => void)=} watch */
async function testBrowser(watch) {
  // No picture of an earlier run may pass for one of this.
  rmSync(outputFolder, { recursive: true, force: true });
  await testNode("tests/browser", watch);
}

/** @param {string} path a test file or a folder of them @param {((text: string) => void)=} watch */
async function testNode(path, watch) {
  const files = path.endsWith(".js") ? [path] : readdirSync(at(path)).filter((name) => /\.test\.m?js$/.test(name)).map((name) => join(path, name));
  if (!files.length || !files.every((file) => existsSync(at(file)))) throw new Stop(`No tests in ${path}.`);
  // One file at a time: two browsers at once would disturb each other's timings.
  await run(process.execPath, ["--test", "--test-concurrency=1", "--test-reporter=spec", ...files], { watch });
}

const groups = process.argv.slice(2);
await main(async () => {
  const known = new Set(sections.map(({ group }) => group));
  const unknown = groups.find((group) => !known.has(group));
  if (unknown) throw new Stop(`There is no group ${unknown}, only ${[...known].join(", ")}.`);
  await setup({ testing: true });
  // All but the native tests look at what the build made.
  const needed = groups.length === 0 || groups.some((group) => group !== "rust") ? ["build", ...groups] : groups;
  await runSections(sections.filter(({ group }) => groups.length === 0 || needed.includes(group)));
});
