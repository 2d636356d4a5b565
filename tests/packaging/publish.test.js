// What is published: every file that is needed and none beside, with a licence and words for whoever finds it.
//
// `cargo package` itself would compile the crate once more, for minutes; its list of files is what can be wrong here.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { after, before, describe, test } from "node:test";
import { at } from "../../scripts/lib/paths.js";
import { environment } from "../../scripts/lib/run.js";
import { filesBelow } from "../../scripts/lib/wasm.js";
import { tarball } from "./support.js";

const LICENCES = ["LICENSE-APACHE", "LICENSE-MIT", "NOTICE"];

/** Paths that a document links to. @param {string} text */
function linksOf(text) {
  const prose = text.replace(/^```[^]*?^```/gm, "");
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target.split("#")[0]);
  return targets.filter((target) => target !== "" && !/^https?:/.test(target));
}

describe("the npm package", () => {
  /** @type {string} */
  let folder;
  /** @type {string[]} */
  let files;
  /** @type {any} */
  let manifest;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "synthattn-published-"));
    execFileSync("tar", ["xzf", tarball(), "-C", folder, "--strip-components=1"]);
    files = [...filesBelow(folder)].map((file) => relative(folder, file));
    manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  });
  after(() => rmSync(folder, { recursive: true }));

  test("holds code, modules, declarations, data sets, licences, documents, and nothing else", () => {
    const known = /^((client|keep|worker)\/[\w-]+\.js|[\w-]+\.js|data\/[\w-]+\.js|dist\/(cpu-)?inline\.js|wasm(-cpu)?\/synthattn(\.js|_bg\.wasm)|types\/[\w/-]+\.d\.ts|package\.json|README\.md|docs\/[\w-]+\.md|LICENSE-(MIT|APACHE)|NOTICE)$/;
    assert.deepEqual(files.filter((file) => !known.test(file)), []);
    for (const file of [...LICENCES, "README.md", "docs/guide.md", "docs/api.md", "docs/errors.md"]) assert.ok(files.includes(file), `${file} is missing`);
    for (const file of files) assert.ok(statSync(join(folder, file)).size > 0, `${file} is empty`);
  });

  test("has nothing of the page's experiments", () => {
    assert.deepEqual(files.filter((file) => /experiment/.test(file)), []);
    for (const target of Object.keys(manifest.exports)) assert.doesNotMatch(target, /experiment/);
  });

  test("has every file that its entries name", () => {
    const targets = Object.values(manifest.exports).flatMap((target) => (typeof target === "string" ? [target] : Object.values(target)));
    for (const target of [...targets, manifest.main, manifest.types]) assert.ok(files.includes(String(target).slice(2)), `${target} is missing`);
    for (const target of manifest.sideEffects) assert.ok(files.includes(target.slice(2)), `${target} is missing`);
  });

  test("has every file that its files import or ask for", () => {
    const pattern = /(?:from|import|import\(|new URL\()\s*["'](\.{1,2}\/[^"']+)["']/g;
    let seen = 0;
    for (const file of files.filter((name) => /\.(js|d\.ts)$/.test(name) && !name.startsWith("dist/"))) {
      for (const [, path] of readFileSync(join(folder, file), "utf8").matchAll(pattern)) {
        const target = join(dirname(file), path);
        const found = file.endsWith(".d.ts") ? target.replace(/\.js$/, ".d.ts") : target;
        assert.ok(files.includes(found), `${file} needs ${found}`);
        seen += 1;
      }
    }
    assert.ok(seen > 50, `only ${seen} imports were found`);
  });

  test("has documents whose links and names of others lead to something", () => {
    for (const file of files.filter((name) => name.endsWith(".md"))) {
      const text = readFileSync(join(folder, file), "utf8");
      for (const target of linksOf(text)) assert.ok(files.includes(join(dirname(file), target)), `${file} links to ${target}`);
      // Where the registry shows it, there is nothing beside it.
      if (file === "README.md") assert.deepEqual(linksOf(text), []);
    }
    for (const file of files.filter((name) => /^(README\.md|types\/.*)$/.test(name))) {
      for (const [, name] of readFileSync(join(folder, file), "utf8").matchAll(/\b(docs\/[\w-]+\.md)/g)) assert.ok(files.includes(name), `${file} names ${name}`);
    }
  });

  test("has a declaration for a source, never for one that is gone", () => {
    for (const file of files.filter((name) => name.startsWith("types/") && !name.startsWith("types/inline/"))) {
      const source = file.replace(/^types\//, "").replace(/\.d\.ts$/, ".js");
      assert.ok(files.includes(source), `${file} has no ${source}`);
    }
  });

  test("is described, runs nothing at install, and depends on nothing", () => {
    for (const field of ["name", "version", "description", "license"]) assert.ok(manifest[field], field);
    assert.ok(manifest.keywords.length >= 5);
    assert.equal(manifest.license, "MIT OR Apache-2.0");
    for (const field of ["scripts", "dependencies", "peerDependencies", "private"]) assert.equal(manifest[field], undefined, field);
    const crate = readFileSync(at("Cargo.toml"), "utf8");
    assert.equal(manifest.version, /^version = "(.+)"$/m.exec(crate)?.[1], "crate and package share versions");
  });

  test("names no folder of the machine that built it", () => {
    for (const file of files.filter((name) => /\.(js|d\.ts|json|md)$/.test(name))) {
      const text = readFileSync(join(folder, file), "utf8");
      for (const place of [at(), process.env.HOME ?? "/root"]) {
        if (place.length > 1) assert.ok(!text.includes(`${place}/`), `${file} names ${place}`);
      }
    }
  });
});

test("the crate holds sources, examples, licences, documents and nothing else", () => {
  // Work in progress is no fault of the list; and no index is needed for it.
  const listed = execFileSync("cargo", ["package", "--list", "--allow-dirty", "--offline"], { cwd: at(), env: environment, encoding: "utf8" });
  const files = listed.trim().split("\n").map((file) => file.replaceAll("\\", "/"));
  const known = /^(src\/[\w/-]+\.(rs|json|txt|wat|wasm)|examples\/[\w/.-]+|docs\/[\w-]+\.md|docs\/findings\/(README\.md|figures\/[\w-]+\.svg)|ARCHITECTURE\.md|Cargo\.(toml|toml\.orig|lock)|\.cargo_vcs_info\.json|README\.md|CHANGELOG\.md|LICENSE-(MIT|APACHE)|NOTICE)$/;
  assert.deepEqual(files.filter((file) => !known.test(file)), []);
  for (const file of [...LICENCES, "README.md", "CHANGELOG.md", "Cargo.lock", "src/lib.rs"]) assert.ok(files.includes(file), `${file} is missing`);
  for (const file of files.filter((name) => name.endsWith(".md"))) {
    for (const target of linksOf(readFileSync(at(file), "utf8"))) assert.ok(files.includes(join(dirname(file), target)), `${file} links to ${target}`);
  }
});

test("the crate of the loops holds sources, licences and a few words", () => {
  const listed = execFileSync("cargo", ["package", "--list", "--allow-dirty", "--offline", "--package", "synthattn-loops"], { cwd: at(), env: environment, encoding: "utf8" });
  const files = listed.trim().split("\n");
  assert.deepEqual(files.filter((file) => !/^(\w+\.rs|Cargo\.(toml|toml\.orig|lock)|\.cargo_vcs_info\.json|README\.md|LICENSE-(MIT|APACHE))$/.test(file)), []);
  for (const file of ["lib.rs", "README.md", "LICENSE-MIT", "LICENSE-APACHE"]) assert.ok(files.includes(file), `${file} is missing`);
  for (const file of ["LICENSE-MIT", "LICENSE-APACHE"]) assert.equal(readFileSync(at("src", "loops", file), "utf8"), readFileSync(at(file), "utf8"), file);
});

for (const folder of ["", "src/loops"]) test(`the crate in "${folder}" is described`, () => {
  const manifest = readFileSync(at(folder, "Cargo.toml"), "utf8");
  for (const field of ["description", "license", "readme", "keywords", "categories", "rust-version"]) assert.match(manifest, new RegExp(`^${field} = .`, "m"));
});
