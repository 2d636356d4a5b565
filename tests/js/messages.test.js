// Every text of the page stands in a file of messages, once a language, with the same keys and placeholders; none is unused,
// and code holds none.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kinds, tasks } from "synthattn";
import ts from "typescript";
import { experimentMessages as englishExperiments } from "../../www/messages/en-experiments.js";
import { findingMessages as englishFindings } from "../../www/messages/en-findings.js";
import { messages as englishOfBoth } from "../../www/messages/en.js";
import { patterns as englishPatterns, words as englishWords } from "../../www/messages/en-package.js";
import { said } from "../../www/messages/index.js";
import { LANGUAGES, chooseLanguage, languageOf } from "../../www/messages/language.js";
import { patterns, words } from "../../www/messages/zh-package.js";
import { experimentMessages as chineseExperiments } from "../../www/messages/zh-experiments.js";
import { findingMessages as chineseFindings } from "../../www/messages/zh-findings.js";
import { messages as chineseOfBoth } from "../../www/messages/zh.js";

const ROOT = new URL("../../", import.meta.url).pathname;
// What both pages have, and what the page of findings has alone.
const english = { ...englishOfBoth, ...englishFindings, ...englishExperiments };
const chinese = { ...chineseOfBoth, ...chineseFindings, ...chineseExperiments };
const TABLES = { en: english, "zh-Hans": chinese };

/** Files of scripts below a folder. */
function* scriptsBelow(folder, leftOut) {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!leftOut.has(entry.name)) yield* scriptsBelow(path, leftOut);
    } else if (entry.name.endsWith(".js")) {
      yield path;
    }
  }
}

const sources = [...scriptsBelow("www", new Set(["dist", "messages"]))].map((path) =>
  ts.createSourceFile(path, readFileSync(join(ROOT, path), "utf8"), ts.ScriptTarget.Latest, true),
);

function* nodesOf(node) {
  yield node;
  for (const child of node.getChildren()) yield* nodesOf(child);
}

const formsOf = (message) => (typeof message === "string" ? [message] : Object.values(message));
const placeholdersOf = (message) => [...new Set(formsOf(message).join(" ").match(/\{\w+\}/g) ?? [])].sort();

test("every language of the page has a table, and each table is a language's", () => {
  assert.deepEqual(Object.keys(TABLES), LANGUAGES);
});

for (const [language, table] of Object.entries(TABLES)) {
  test(`${language} has the keys of English, with the same placeholders, and nothing empty but what joins sentences`, () => {
    assert.deepEqual(Object.keys(table).sort(), Object.keys(english).sort());
    for (const [key, message] of Object.entries(table)) {
      // A number's form alone may go without the number: "one row".
      const counted = (names) => names.filter((name) => name !== "{count}");
      assert.deepEqual(counted(placeholdersOf(message)), counted(placeholdersOf(english[key])), key);
      if (key !== "sentence.between") for (const form of formsOf(message)) assert.ok(form.trim() !== "" || key === "list.between", key);
    }
  });
}

test("Chinese is Chinese: no text is left in English, but names", () => {
  const same = Object.keys(english).filter((key) => JSON.stringify(chinese[key]) === JSON.stringify(english[key]));
  const names = same.filter((key) => !/^(\{\w+\}|[\W\d_]|synthattn|WebGPU|CPU|Top-k|Windows-1252|UTF-8|Dropout|F1|BLEU|SVG|PNG|CSV|Markdown|English|简体中文)*$/.test(formsOf(english[key]).join("")));
  assert.deepEqual(names, []);
  for (const [key, message] of Object.entries(chinese)) {
    if (key.startsWith("rows.placeholder.")) continue; // rows of a table, parted by commas
    for (const form of formsOf(message)) {
      // Half-width marks beside Chinese would be those of another language.
      assert.doesNotMatch(form.replace(/\{\w+\}/g, "〇"), /\p{Script=Han}[,;:?!]|[,;?!]\p{Script=Han}/u, `${key}: ${form}`);
    }
  }
});

/** What a key may look like that code writes: as it is, or with parts that are put in. */
function keysInCode() {
  const exact = new Set();
  const made = [];
  for (const source of sources) {
    for (const node of nodesOf(source)) {
      if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) exact.add(node.text);
      if (ts.isTemplateExpression(node) && /^[a-z]+\./i.test(node.head.text)) {
        const rest = node.templateSpans.map(({ literal }) => `.+${literal.text.replaceAll(".", "\\.")}`).join("");
        made.push(new RegExp(`^${node.head.text.replaceAll(".", "\\.")}${rest}$`));
      }
    }
  }
  return { exact, made };
}

test("no text stands in two tables of a language", () => {
  for (const tables of [[englishOfBoth, englishFindings, englishExperiments], [chineseOfBoth, chineseFindings, chineseExperiments]]) {
    const keys = tables.flatMap(Object.keys);
    assert.equal(new Set(keys).size, keys.length);
  }
});

test("the demo asks for no text of the findings alone", () => {
  const alone = new Set([...Object.keys(englishFindings), ...Object.keys(englishExperiments)]);
  const found = sources
    .filter(({ fileName }) => !fileName.startsWith("www/findings/"))
    .flatMap((source) => [...nodesOf(source)].filter((node) => ts.isStringLiteral(node) && alone.has(node.text)).map((node) => `${source.fileName}: ${node.text}`));
  assert.deepEqual(found, []);
});

test("no text is unused", () => {
  const { exact, made } = keysInCode();
  assert.ok(exact.size > 500 && made.length > 30);
  const unused = Object.keys(english).filter((key) => !exact.has(key) && !made.some((pattern) => pattern.test(key)));
  assert.deepEqual(unused, []);
});

test("every text that code asks for by its whole key is there", () => {
  const missing = [];
  for (const source of sources) {
    for (const node of nodesOf(source)) {
      if (!ts.isCallExpression(node) || !["t", "tNodes"].includes(node.expression.getText())) continue;
      const [key] = node.arguments;
      const keys = key && ts.isConditionalExpression(key) ? [key.whenTrue, key.whenFalse] : [key];
      for (const one of keys) if (one && ts.isStringLiteral(one) && !(one.text in english)) missing.push(`${source.fileName}: ${one.text}`);
    }
  }
  assert.deepEqual(missing, []);
});

/** Text for people: words of a language, not a name of something. */
const isProse = (text) => /\p{L}{2,}/u.test(text);

/** Attributes that are read. */
const READ = new Set(["aria-label", "title", "placeholder", "alt", "aria-description", "label"]);

/** The texts in a source that would come into the page from it: children of elements, what is set as text, attributes that are read. */
function* textsIn(source) {
  for (const node of nodesOf(source)) {
    if (ts.isCallExpression(node)) {
      const called = node.expression.getText();
      const shown = called === "h" ? node.arguments.slice(2) : called === "setText" ? node.arguments.slice(1) : /(^|\.)(append|prepend|replaceChildren|say|fillText|together|listed)$/.test(called) ? node.arguments : [];
      for (const argument of shown) yield* plain(argument);
    }
    // What is put into a text is read with it.
    if (ts.isPropertyAssignment(node) && /^(t|tNodes)$/.test(callAround(node))) yield* plain(node.initializer);
    if (ts.isPropertyAssignment(node) && READ.has(node.name.getText().replaceAll('"', "")) && /^(h|fieldView)$/.test(callAround(node))) yield* plain(node.initializer);
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken && /\.(textContent|innerText|title|placeholder|ariaLabel)$/.test(node.left.getText())) yield* plain(node.right);
  }
}

/** The function that an object is given to. */
function callAround(node) {
  const call = node.parent?.parent;
  return call && ts.isCallExpression(call) ? call.expression.getText() : "";
}

/** Literals that an expression comes to; what a call comes to is the call's affair. */
function* plain(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) yield node.text;
  else if (ts.isTemplateExpression(node)) yield [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(" ");
  else if (ts.isConditionalExpression(node)) yield* [...plain(node.whenTrue), ...plain(node.whenFalse)];
  else if (ts.isArrayLiteralExpression(node)) for (const element of node.elements) yield* plain(element);
  else if (ts.isBinaryExpression(node)) yield* [...plain(node.left), ...plain(node.right)];
  else if (ts.isParenthesizedExpression(node) || ts.isSpreadElement(node)) yield* plain(node.expression);
}

test("texts in code are found", () => {
  const found = (code) => [...textsIn(ts.createSourceFile("x.js", code, ts.ScriptTarget.Latest, true))].filter(isProse);
  for (const code of [
    'h("p", {}, "Press it");',
    'h("p", {}, `Step ${step}`);',
    'h("p", {}, [small ? "Less" : ""]);',
    'h("button", { "aria-label": "Close" });',
    'setText(element, "Done" + rest);',
    'element.textContent = "Done";',
    'document.title = `${share} of it`;',
    'context.fillText("Loss", 0, 0);',
    'place.append("Nothing here");',
    'setText(said, together("Copied", rest));',
    't("device.on", { device: "the graphics card" });',
  ]) {
    assert.equal(found(code).length, 1, code);
  }
  assert.deepEqual(found('h("p", { class: "hint wrong" }, t("race.title"), " ", "–"); setText(a, t("x", { kind: entry.kind }))'), []);
});

test("no text for people stands in code", () => {
  const found = sources.flatMap((source) => [...textsIn(source)].filter(isProse).map((text) => `${source.fileName}: ${text}`));
  assert.deepEqual(found, []);
});

for (const [language, table] of Object.entries(TABLES)) {
  test(`${language} writes per cent as numbers of that language do`, () => {
    const sign = new Intl.NumberFormat(language, { style: "percent" }).format(0.95).replace("95", "");
    assert.equal(sign, "%");
    const texts = Object.values(table).flatMap(formsOf);
    assert.deepEqual(texts.filter((text) => /[\d}]\s+%/.test(text)), []);
    assert.ok(texts.some((text) => text.includes(`95${sign}`)));
  });
}

test("what workers gain is what the README says was measured", () => {
  const [, readme] = readFileSync(join(ROOT, "README.md"), "utf8").split("Several workers share a step");
  const [large, small] = [/^\| 4 layers, width 128,.*\n\| the same,.*$/m, /^\| 2 layers, width 64,.*\n\| the same,.*$/m].map((rows) => {
    const factors = [...(rows.exec(readme)?.[0] ?? "").matchAll(/([\d.]+) ×/g)].map(([, factor]) => factor).sort();
    assert.equal(factors.length, 2);
    return factors;
  });
  for (const [table, to] of [[english, " to "], [chinese, " 到 "]]) {
    const numbers = table["field.workers.help"].match(/\d+\.\d+/g);
    assert.deepEqual(numbers, [...large, ...small]);
    for (const factors of [large, small]) assert.ok(table["field.workers.help"].includes(factors.join(to)));
    assert.doesNotMatch(table["field.workers.help"], /\d\s+\d/, "numbers side by side");
  }
});

test("English names fields as the page does, not options of the package", async () => {
  const all = (await kinds()).flatMap(({ options }) => options.map(({ help }) => help));
  all.push("a divisor of dModel, 64", "a divisor of maxLength, 16", "the text has 3 tokens, fewer than maxLength + 1 = 17");
  all.push("the source has 40 tokens, maxLength is 24", "with its end, the target has 40 tokens, maxLength is 24");
  assert.ok(all.some((text) => /dModel|maxLength/.test(text)));
  assert.deepEqual(all.map(said).filter((text) => /dModel|maxLength|dFf/.test(text)), []);
});

test("what English says otherwise is what the package says", () => {
  const crate = readdirSync(join(ROOT, "src"), { recursive: true }).filter((name) => name.endsWith(".rs")).map((name) => readFileSync(join(ROOT, "src", name), "utf8")).join("\n");
  // Of a pattern, what stands between its values.
  const parts = englishPatterns.flatMap(([{ source }]) => source.replace(/^\^|\$$/g, "").split(/\([^)]*\)/).map((part) => part.replace(/\\(.)/g, "$1")));
  for (const text of [...Object.keys(englishWords), ...parts.filter((part) => part.length > 1)]) assert.ok(crate.includes(text.trim()), text);
});

test("what the package says of kinds and data is known in Chinese", async () => {
  const said = (text) => text in words || patterns.some(([pattern]) => pattern.test(text)) || text.split(" + ").every((part) => part in words);
  const texts = (await kinds()).flatMap(({ label, summary, source, options }) => [label, summary, source, ...options.map(({ help }) => help)]);
  texts.push(...(await tasks()).flatMap(({ builtins }) => builtins.map(({ label }) => label)));
  assert.deepEqual(texts.filter((text) => !said(text)), []);
});

test("options are called by names of the page, not by those of the package", async () => {
  const options = (await kinds()).flatMap((kind) => kind.options);
  for (const { name, choices = [] } of options) {
    for (const key of [`field.option.${name}`, ...choices.map((choice) => `choice.${choice}`)]) assert.ok(key in english, key);
  }
});

test("what is known in Chinese is what the package says", async () => {
  const folders = [...scriptsBelow("pkg", new Set(["dist", "types", "wasm", "wasm-cpu"]))].map((path) => readFileSync(join(ROOT, path), "utf8"));
  const crate = readdirSync(join(ROOT, "src"), { recursive: true }).filter((name) => name.endsWith(".rs")).map((name) => readFileSync(join(ROOT, "src", name), "utf8"));
  // Sentences over several lines.
  const all = [...folders, ...crate].join("\n").replace(/" \+\s+"/g, "");
  assert.deepEqual(Object.keys(words).filter((text) => !all.includes(text)), []);
});

test("the browser's languages choose, unless a person did", () => {
  for (const tag of ["zh", "zh-CN", "zh-Hans", "zh-hans-cn", "zh-SG"]) assert.equal(languageOf(tag), "zh-Hans", tag);
  for (const tag of ["en", "en-GB", "EN-us"]) assert.equal(languageOf(tag), "en", tag);
  for (const tag of ["zh-TW", "zh-Hant", "de", "C", "", "en-US@posix", undefined, null]) assert.equal(languageOf(tag), undefined, String(tag));
  const choose = (wanted, chosen = null, asked = null) => chooseLanguage({ asked, chosen, wanted });
  assert.equal(choose(["zh-CN", "en"]), "zh-Hans");
  assert.equal(choose(["de", "zh", "en"]), "zh-Hans");
  assert.equal(choose(["en-US", "zh"]), "en");
  assert.equal(choose(["zh-TW", "en"]), "en");
  assert.equal(choose(["zh-TW"]), "zh-Hans", "another script is more than nothing");
  assert.equal(choose([]), "en");
  assert.equal(choose(["C"]), "en");
  assert.equal(choose(["en"], "zh-Hans"), "zh-Hans");
  assert.equal(choose(["en"], "zh-Hans", "en"), "en");
  assert.equal(choose(["zh"], "klingon", "nonsense!"), "zh-Hans");
});

test("where there is no page, texts are in English, whatever the machine speaks", () => {
  const script = 'Object.defineProperty(globalThis, "navigator", { value: { languages: ["zh-CN"] } }); const { language, t } = await import("./www/messages/index.js"); console.log(language, t("language.label"));';
  assert.equal(execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: ROOT, encoding: "utf8" }), "en Language\n");
});
