// The programs of docs/guide.md, as they stand there, in Chromium: each is used as a person would use it.

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { launchChromium } from "../../scripts/lib/browser.js";
import { at, outputFolder } from "../../scripts/lib/paths.js";
import { serve } from "../../scripts/lib/serve.js";
import { blocksOf, documentText } from "../documents.js";
import { openPage, picture, until } from "./support.js";

/** @import { Browser, Page } from "playwright-core" */

const folder = join(outputFolder, "guide");
const files = blocksOf(documentText("docs/guide.md")).filter(({ file }) => file !== undefined);
const programs = [...new Set(files.map(({ file }) => dirname(/** @type {string} */ (file))))];

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {Browser} */
let browser;
before(async () => {
  rmSync(folder, { recursive: true, force: true });
  for (const { file, code } of files) {
    const path = join(folder, /** @type {string} */ (file));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
  const packages = programs.map((name) => [`/${name}/node_modules/synthattn/`, at("pkg")]);
  server = await serve({ "/": `${folder}/`, ...Object.fromEntries(packages) });
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** @type {Set<string>} */
const tried = new Set();

/**
 * One program in a fresh page; afterwards nothing may have been complained of.
 *
 * @param {string} name
 * @param {(page: Page, status: () => Promise<string>) => Promise<void>} use
 */
function testProgram(name, use) {
  test(name, async () => {
    tried.add(name);
    const { page, context, complaints } = await openPage(browser, `${server.origin}/${name}/`);
    try {
      await use(page, async () => (await page.locator("#status").textContent()) ?? "");
      await picture(page, `guide-${name}`);
      assert.deepEqual(complaints, []);
      assert.deepEqual(server.missing, []);
    } finally {
      await context.close();
    }
  });
}

/** @param {Page} page @param {string} selector */
const textsOf = (page, selector) => page.locator(selector).allTextContents();

/** @param {Page} page @param {() => Promise<string>} status */
async function classify(page, status) {
  await until("the model is ready", async () => (await status()).startsWith("ready, on cpu"), 120);
  for (const [ticket, label] of [
    ["why was my card charged two times", "billing"],
    ["the parcel is damaged and late", "shipping"],
    ["the password of my account does not log me in", "access"],
  ]) {
    await page.locator("input").fill(ticket);
    await page.locator("#answer").evaluate((list) => list.replaceChildren());
    await page.getByRole("button", { name: "Ask" }).click();
    await until("there is an answer", async () => (await textsOf(page, "#answer li")).length === 3);
    const answers = await textsOf(page, "#answer li");
    assert.ok(answers[0].startsWith(label), `${ticket}: ${answers}`);
  }
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save" }).click();
  assert.equal((await download).suggestedFilename(), "tickets.safetensors");
}

testProgram("classify", classify);

testProgram("autocomplete", async (page, status) => {
  const [own, draft] = [page.locator("#own"), page.locator("#draft")];
  const learn = page.getByRole("button", { name: "Learn" });
  await until("the engine is there", () => learn.isEnabled());
  await own.fill("too short");
  await learn.click();
  await until("it says what is wrong", async () => /maxLength/.test(await status()));

  const letters = ["Ada", "Ben", "Cleo", "Dan"].map((name) => `Dear ${name},\nthank you for your message.\nI will answer by Friday.\nKind regards,\nMo\n\n`);
  await own.fill(letters.join("").repeat(4));
  await learn.click();
  await until("it has learned", async () => (await status()) === "learned", 180);
  for (const [begun, rest] of [["thank you for", " your message."], ["Kind reg", "ards,"]]) {
    await draft.fill(begun);
    await until(`${begun} is completed`, async () => (await page.locator("#suggestion").textContent()) === rest, 20);
  }
  await draft.press("Tab");
  assert.equal(await draft.inputValue(), "Kind regards,");
});

testProgram("fill", async (page, status) => {
  await until("the model is ready", async () => (await status()).includes("told right"), 180);
  const [right, commonest] = [...(await status()).matchAll(/(\d+) %/g)].map(([, percent]) => Number(percent));
  assert.ok(right > 2 * commonest, await status());
  const answer = async (/** @type {number} */ masks) => {
    await page.getByRole("button").click();
    await until(`there are ${masks} answers`, async () => (await textsOf(page, "#answer li")).length === masks);
    return textsOf(page, "#answer li");
  };
  assert.match((await answer(1))[0], /^dog \d+ %(, \w+ \d+ %){2}$/);
  await page.locator("input").fill("the cow [MASK] and [MASK] in the barn.");
  const [sound, lives] = await answer(2);
  assert.match(sound, /^moos /);
  assert.match(lives, /^lives /);
});

testProgram("translate", async (page, status) => {
  await until("there are some reports", async () => (await textsOf(page, "#log li")).length >= 4, 180);
  await page.getByRole("button", { name: "Stop" }).click();
  await until("it has stopped", async () => /^stopped at step \d+: \d+ % of 50/.test(await status()), 120);
  const log = await textsOf(page, "#log li");
  assert.equal(await status().then((text) => /step (\d+)/.exec(text)?.[1]), String(20 * log.length));
  await page.getByRole("button", { name: "Translate" }).click();
  const target = page.locator("output[name=target]");
  await until("there is a translation", async () => (await target.textContent()) !== "", 30);
  assert.match((await target.textContent()) ?? "", /^[\d-]+$/, "after so few steps it is wrong, and of digits already");
});

testProgram("compare", async (page) => {
  const kinds = ["vanilla", "random", "dense", "random+vanilla"];
  const held = () => textsOf(page, "tbody td:nth-child(6)");
  await until("all kinds were scored", async () => (await held()).filter(Boolean).length === kinds.length, 240);
  assert.deepEqual(await textsOf(page, "tbody td:nth-child(1)"), kinds);
  assert.deepEqual(await textsOf(page, "tbody td:nth-child(3)"), kinds.map(() => "200"));
  const lines = await page.locator("polyline").evaluateAll((all) => all.map((line) => line.getAttribute("points")?.split(" ") ?? []));
  for (const points of lines) {
    assert.equal(points.length, 20);
    const heights = points.map((point) => Number(point.split(",")[1]));
    assert.ok(heights.every((height) => height >= 0 && height <= 1));
    assert.ok(heights[19] > heights[0] + 0.3, "the loss has not fallen");
  }
  for (const loss of await held()) assert.ok(Number(loss) < 3.1, loss);
});

/**
 * Whether its engine has started: what a program does from there on is what it did above.
 *
 * @param {string} name
 * @param {Page} page
 * @param {() => Promise<string>} status
 */
async function underWay(name, page, status) {
  if (name === "compare") return (await textsOf(page, "tbody td:nth-child(3)")).includes("10");
  return (await status()) !== "loading";
}

test("with Vite the same programs work without the import map", async () => {
  const sources = join(folder, "vite");
  for (const { file, code } of files) {
    const path = join(sources, /** @type {string} */ (file));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code.replace(/^.*"importmap".*\n/m, ""));
  }
  const { build } = await import("vite");
  const input = programs.map((name) => join(sources, name, "index.html"));
  // One build of five pages: as many builds of one page would copy the module five times.
  await build({ root: sources, configFile: false, logLevel: "error", build: { rollupOptions: { input } } });
  const built = await serve({ "/": `${join(sources, "dist")}/` });
  try {
    for (const name of programs) {
      const { page, context, complaints } = await openPage(browser, `${built.origin}/${name}/`);
      const status = async () => (await page.locator("#status").textContent()) ?? "";
      if (name === "classify") await classify(page, status);
      else await until(`${name} is under way`, () => underWay(name, page, status), 120);
      assert.deepEqual(complaints, []);
      await context.close();
    }
    assert.deepEqual(built.missing, []);
  } finally {
    built.close();
  }
});

test("every program of the guide was tried", () => {
  assert.deepEqual([...tried].sort(), programs.sort());
  for (const name of programs) assert.equal(files.filter(({ file }) => dirname(/** @type {string} */ (file)) === name).length, 2, name);
});
