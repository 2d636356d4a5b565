// The page of findings as a visitor reads it: the stored report before anything is pressed, predictions, an experiment run
// in the tab, and what can be taken along.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import Papa from "papaparse";
import { launchChromium } from "../../scripts/lib/browser.js";
import { at } from "../../scripts/lib/paths.js";
import { serve } from "../../scripts/lib/serve.js";
import { EXPERIMENTS } from "../../www/findings/experiments.js";
import { settingsOf } from "../../www/findings/settings.js";
import { summarize } from "../../www/findings/summary.js";
import { resultFor } from "../js/findings-fixture.js";
import { servedDemo } from "./demo-page.js";
import { LONGEST_TASK, mainThreadTasks, picture, until } from "./support.js";

/** @import { Page } from "playwright-core" */
/** @import { Experiment, Result } from "../../www/findings/contract.js" */
/** @import { DemoPage } from "./demo-page.js" */

const open = servedDemo();

/** The experiment that runs in the tab, all of its steps timed and curves drawn. */
const CHEAP = "speed";

/** Steps of a quick run in tests: as many scores and seeds as ever need more, and minutes. */
const FEW = "{steps:20,checkpoints:2}";

/** Has quick runs make few steps; all else is as it is. @param {Page} page */
async function shorten(page) {
  await page.route("**/assets/findings-*.js", async (route) => {
    const answer = await route.fetch();
    const text = await answer.text();
    const short = text.replaceAll(/\{steps:[\de]+,checkpoints:\d+\}/g, FEW);
    assert.ok(short.split(FEW).length - 1 >= EXPERIMENTS.length, "the scales are not found");
    await route.fulfill({ response: answer, body: short });
  });
  await page.reload();
  await shown(page);
}

/**
 * @param {string} address what follows the page's
 * @param {Parameters<typeof open>[1]} body
 * @param {Parameters<typeof open>[2]} [options]
 */
const visit = (address, body, options) =>
  open(`findings/${address}`, async (visited) => {
    await shown(visited.page);
    await body(visited);
  }, options);

/** All of the report stands on the page. @param {Page} page */
const shown = (page) => until("the report is shown", () => page.locator("body[data-shown]").count(), 120);

/** The stored result of an experiment, if it is of the experiment as it is. @param {Experiment} experiment @returns {Result | undefined} */
function storedOf(experiment) {
  const file = at("docs", "findings", "results", `${experiment.id}.json`);
  const result = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  return result?.settings === settingsOf(experiment, result?.scale) ? result : undefined;
}

/** Experiments that the report has as they are. */
const STORED = EXPERIMENTS.filter(storedOf);

/** @param {string} id */
const experimentOf = (id) => /** @type {Experiment} */ (EXPERIMENTS.find((one) => one.id === id));

/** @param {DemoPage} demo @param {string} result the hook of it */
const verdictsIn = (demo, result) => demo.hook(result).locator("li[data-claim]").evaluateAll((lines) => lines.map((line) => /** @type {HTMLElement} */ (line).dataset.verdict));

/** Presses a button and reads the file. @param {Page} page @param {string} hook */
async function saved(page, hook) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`[data-testid="${hook}"]`).click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Opens the page as one where experiments were run before. @param {Page} page @param {...string} ids */
async function withOwn(page, ...ids) {
  await page.evaluate((results) => {
    for (const [id, text] of results) localStorage.setItem(`synthattn.findings.result.${id}`, text);
  }, ids.map((id) => [id, JSON.stringify(resultFor(experimentOf(id), "quick"))]));
  await page.reload();
  await shown(page);
}

/** Width of a PNG file, and how many colours it has. @param {Page} page @param {Buffer} bytes */
function pixelsOf(page, bytes) {
  return page.evaluate(async (data) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(data)], { type: "image/png" }));
    const context = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d"));
    context.drawImage(bitmap, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    return { width: bitmap.width, colours: new Set(new Uint32Array(pixels.buffer)).size };
  }, [...bytes]);
}

/** @param {Page} page */
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

test("the stored report stands there before anything is pressed, with the verdicts that its numbers give", async () => {
  await visit("", async ({ demo, page }) => {
    let claims = 0;
    assert.ok(STORED.length > 0);
    for (const experiment of EXPERIMENTS) {
      const { id, claims: all } = experiment;
      const result = storedOf(experiment);
      if (!result) {
        assert.match(await demo.hook(`report-${id}`).innerText(), /Not run yet/);
        continue;
      }
      assert.deepEqual(await verdictsIn(demo, `report-${id}`), summarize(experiment, result).claims.map(({ verdict }) => verdict), id);
      assert.ok((await demo.hook(`report-${id}`).locator(".figure-place svg").count()) >= experiment.setups.length, `${id} has figures`);
      assert.equal(await demo.hook(`own-${id}`).isVisible(), false);
      claims += all.length;
    }
    assert.match(await demo.hook("summary").innerText(), new RegExp(`Of ${claims} claims that it tries`));
    assert.equal(await demo.hook("overview").locator("li").count(), 9);
    // Reading takes no engine.
    assert.equal(await demo.hook("device-chip").getAttribute("data-kind"), "resting");
    await picture(page, "findings");
  });
});

test("the report is drawn without holding the page up", async () => {
  const browser = await launchChromium();
  const server = await serve({ "/demo/": at("www", "dist") });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(`${server.origin}/demo/favicon.svg`);
    const [longest] = await mainThreadTasks(browser, page, async () => {
      await page.goto(`${server.origin}/demo/findings/`);
      await shown(page);
    });
    assert.ok(longest.milliseconds < LONGEST_TASK, `${longest.milliseconds} ms: ${longest.where}`);
  } finally {
    await browser.close();
    server.close();
  }
});

test("a report that is missing, out of date or can't be read is said to be so, and the rest is shown", async () => {
  const [first, second, third] = STORED;
  const missing = EXPERIMENTS.length - STORED.length + 2;
  await open("", async ({ demo, page }) => {
    await page.route(`**/assets/${first.id}-*.json`, async (route) => {
      const result = await (await route.fetch()).json();
      await route.fulfill({ json: { ...result, settings: "another" } });
    });
    await page.route(`**/assets/${second.id}-*.json`, (route) => route.fulfill({ contentType: "application/json", body: "{" }));
    await page.locator('a[href="findings/"]').click();
    await shown(page);
    assert.match(await demo.hook(`report-${first.id}`).innerText(), /Not run yet as it is now/);
    assert.match(await demo.hook(`report-${second.id}`).innerText(), /could not be fetched/);
    assert.match(await demo.hook("summary").innerText(), new RegExp(`${missing} experiments have not been run yet`));
    for (const { id } of [first, second]) assert.equal((await verdictsIn(demo, `report-${id}`)).length, 0);
    assert.ok((await verdictsIn(demo, `report-${third.id}`)).length > 0);
  });
});

test("a prediction is kept, said back beside the result, and may be asked for before results are shown", async () => {
  const { id, predictions } = experimentOf("tables");
  await visit("", async ({ demo, page }) => {
    const said = demo.hook(`expected-report-${id}`);
    assert.equal(await said.isVisible(), false);
    await demo.hook("hide-first").check();
    for (const experiment of EXPERIMENTS) assert.equal(await demo.hook(`report-${experiment.id}`).isVisible(), false);
    assert.match(await demo.hook("overview").innerText(), /hidden until you predict/);
    await demo.hook(`expect-${id}-${predictions[1]}`).check();
    await until("its result is shown", () => demo.hook(`report-${id}`).isVisible());
    assert.equal(await demo.hook("report-mixtures").isVisible(), false);
    const verdict = summarize(experimentOf(id), /** @type {Result} */ (storedOf(experimentOf(id)))).predictions[predictions[1]];
    assert.equal(await said.getAttribute("data-verdict"), verdict);
    assert.match(await said.innerText(), /^You expected: “The trained table is worse than dot products by more than 0\.1 bits a character\.”/);

    await page.reload();
    await shown(page);
    assert.ok(await said.isVisible());
    assert.ok(await demo.hook(`expect-${id}-${predictions[1]}`).isChecked());
    assert.ok(await demo.hook("hide-first").isChecked());
    assert.equal(await demo.hook("report-mixtures").isVisible(), false);
    await demo.hook("hide-first").uncheck();
    await until("all is shown", () => demo.hook("report-mixtures").isVisible());
  });
});

test("an experiment runs in the tab to its end, is kept over a reload, and can be forgotten", async () => {
  const experiment = experimentOf(CHEAP);
  await visit("?device=cpu", async ({ demo, page }) => {
    await shorten(page);
    await demo.click(`run-${CHEAP}-quick`);
    await until("it runs", async () => /seed 1: step/.test(await demo.hook(`state-${CHEAP}`).innerText()), 120);
    assert.equal(await demo.hook("device-chip").getAttribute("data-kind"), "cpu");
    assert.equal(await page.locator("body").getAttribute("data-running"), CHEAP);
    assert.ok(await demo.hook("run-tables-quick").isDisabled(), "one runs at a time");
    await until("it is measured", async () => /time of a step/.test(await demo.hook(`state-${CHEAP}`).innerText()), 600);
    await until("it is done", async () => /^Done in/.test(await demo.hook(`state-${CHEAP}`).innerText()), 300);
    const verdicts = await verdictsIn(demo, `own-${CHEAP}`);
    assert.equal(verdicts.length, experiment.claims.length);
    assert.match(await demo.hook(`own-${CHEAP}`).innerText(), /Quick run of .*, 3 seeds, on CPU/);
    assert.ok(await demo.hook(`report-${CHEAP}`).isVisible(), "the report stands beside it");

    const csv = await saved(page, `save-own-${CHEAP}-novel-csv`);
    const { data } = Papa.parse(csv.bytes.toString("utf8").slice(1).trimEnd(), { header: true });
    const rows = /** @type {Record<string, string>[]} */ (data);
    assert.equal(rows.length, experiment.setups[0].arms.length * 3);
    for (const { metric, value } of rows) assert.ok(metric === "bitsPerCharacter" && Number(value) > 1 && Number(value) < 7, `${value} bits`);

    await page.reload();
    await shown(page);
    assert.ok(await demo.hook(`own-${CHEAP}`).isVisible());
    assert.deepEqual(await verdictsIn(demo, `own-${CHEAP}`), verdicts);
    assert.equal(await demo.hook("device-chip").getAttribute("data-kind"), "resting");
    await demo.click(`forget-${CHEAP}`);
    assert.equal(await demo.hook(`own-${CHEAP}`).isVisible(), false);
    await page.reload();
    await shown(page);
    assert.equal(await demo.hook(`own-${CHEAP}`).isVisible(), false);
  });
});

test("a decoder with a table across runs in the tab, and is no other than it says", async () => {
  await visit("?device=cpu", async ({ demo, page }) => {
    await shorten(page);
    await demo.click("run-cross-quick");
    await until("it is done", async () => /^(Done in|An error)/.test(await demo.hook("state-cross").innerText()), 600);
    assert.match(await demo.hook("state-cross").innerText(), /^Done in/);
    const csv = await saved(page, "save-own-cross-dates-csv");
    const { data } = Papa.parse(csv.bytes.toString("utf8").slice(1).trimEnd(), { header: true });
    const weights = Object.fromEntries(/** @type {Record<string, string>[]} */ (data).map(({ arm, parameters }) => [arm, Number(parameters)]));
    // Queries and keys of two layers' cross-attention go, and a table of 40 by 40 a head comes.
    assert.notEqual(weights.table, weights.dot);
  });
});

test("Stop ends a run and leaves nothing of it; the page can run again", async () => {
  await visit("?device=cpu", async ({ demo }) => {
    for (let round = 0; round < 2; round += 1) {
      await demo.click("run-tables-quick");
      await until("it runs", async () => /step/.test(await demo.hook("state-tables").innerText()), 120);
      assert.ok(await demo.hook("progress-tables").isVisible());
      await demo.click("stop-tables");
      await until("it has stopped", async () => /^Stopped/.test(await demo.hook("state-tables").innerText()));
      assert.equal(await demo.hook("own-tables").isVisible(), false);
      assert.equal(await demo.hook("progress-tables").isVisible(), false);
      assert.equal(await demo.hook("run-mixtures-quick").isDisabled(), false);
    }
  });
});

test("another language is not opened over a run unasked", async () => {
  await visit("?device=cpu", async ({ demo, page }) => {
    await demo.click("run-tables-quick");
    await until("it runs", async () => /step/.test(await demo.hook("state-tables").innerText()), 120);
    await demo.hook("language").selectOption("zh-Hans");
    await until("the page asks", async () => (await demo.hook("language-anyway").count()) === 1);
    assert.equal(await page.locator("body").getAttribute("data-running"), "tables");
    assert.equal(await demo.hook("language").inputValue(), "en");
    await demo.click("language-anyway");
    await until("it is Chinese", async () => (await page.locator("html").getAttribute("lang").catch(() => "")) === "zh-Hans");
    await shown(page);
    assert.equal(await page.locator("body").getAttribute("data-running"), null);
  });
});

test("a worker that ends in the middle of a run is said beside it, and the page runs again", async () => {
  await visit("?device=cpu", async ({ demo, page }) => {
    await demo.click("run-tables-quick");
    await until("it runs", async () => /step/.test(await demo.hook("state-tables").innerText()), 120);
    await page.workers()[0].evaluate(() => void setTimeout(() => close()));
    await until("it has ended", () => demo.hook("run-error-tables").isVisible(), 120);
    assert.match(await demo.hook("state-tables").innerText(), /^An error ended it/);
    assert.match(await demo.hook("run-error-tables").innerText(), /The results on the page are kept\. Try again/);
    assert.equal(await demo.hook("device-error").isVisible(), false, "it is said twice");
    assert.deepEqual(await demo.violations(), []);
    await demo.click("run-tables-quick");
    await until("it runs again", async () => /step/.test(await demo.hook("state-tables").innerText()), 120);
    assert.equal(await demo.hook("run-error-tables").isVisible(), false);
    await demo.click("stop-tables");
    await until("it has stopped", async () => /^Stopped/.test(await demo.hook("state-tables").innerText()));
  });
});

test("without a device a run says why, and can be tried again", async () => {
  await visit("?device=webgpu", async ({ demo }) => {
    for (let round = 0; round < 2; round += 1) {
      await demo.click("run-tables-quick");
      await until("it says so", () => demo.hook("run-error-tables").isVisible(), 120);
      assert.equal(await demo.hook("run-error-tables").getAttribute("data-code"), "webgpu-unavailable");
      assert.equal(await demo.hook("run-tables-quick").isDisabled(), false);
    }
    await demo.hook("device").selectOption("cpu");
    await until("there is one", async () => (await demo.hook("device-chip").getAttribute("data-kind")) === "cpu", 120);
    await demo.click("run-tables-quick");
    await until("it runs", async () => /step/.test(await demo.hook("state-tables").innerText()), 120);
    await demo.click("stop-tables");
    await until("it has stopped", async () => /^Stopped/.test(await demo.hook("state-tables").innerText()));
  });
});

test("predictions work where nothing can be kept", async () => {
  const { id } = experimentOf("tables");
  await visit("", async ({ demo, page }) => {
    await page.evaluate(() => {
      Object.defineProperty(Storage.prototype, "setItem", { value: () => { throw new DOMException("no", "QuotaExceededError"); } });
    });
    await demo.hook("hide-first").check();
    await demo.hook(`expect-${id}-near`).check();
    await until("its result is shown", () => demo.hook(`report-${id}`).isVisible());
  });
});

test("a link leads to its experiment and offers to run it, which nothing does before a press", async () => {
  await visit("?device=cpu#run=pairs&scale=full", async ({ demo, page }) => {
    assert.match(await demo.hook("state-pairs").innerText(), /press “As in the report” to begin/);
    assert.ok(await demo.hook("run-pairs-full").evaluate((button) => button === document.activeElement));
    assert.equal(await page.locator("body").getAttribute("data-running"), null);
    assert.equal(await demo.hook("device-chip").getAttribute("data-kind"), "resting");
    await withOwn(page, "pairs");
    await page.evaluate(() => {
      // Nobody may write to the clipboard here: the link is shown.
      Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("no")) } });
    });
    await demo.click("rerun-own-pairs-single");
    await until("the link is shown", () => demo.hook("rerun-own-pairs-single-link").isVisible());
    assert.match(await demo.hook("rerun-own-pairs-single-link").inputValue(), /\/findings\/\?device=cpu#run=pairs&scale=quick$/);
  });
  for (const hash of ["#run=nothing", "#%", "#run=%ff&scale=7"]) await visit(hash, async ({ page }) => assert.equal(await page.locator(".notice:visible").count(), 0));
});

test("figures change their view, and are saved as they are seen", async () => {
  await visit("", async ({ demo, page }) => {
    await withOwn(page, "speed");
    const name = "own-speed-novel";
    const texts = () => demo.hook(name).locator(".figure-place text").allTextContents();
    assert.ok((await texts()).includes("Bits a character on text held out, less is better"));
    await demo.hook(`view-${name}-overTime`).check({ force: true });
    await until("it runs over seconds", async () => (await texts()).includes("Seconds of training"));
    const svg = await saved(page, `save-${name}-svg`);
    assert.equal(svg.name, `synthattn-${name}.svg`);
    // Outside the page, whose policy forbids a file's own style.
    const elsewhere = await page.context().newPage();
    const drawn = await elsewhere.evaluate((text) => {
      const { documentElement: root } = new DOMParser().parseFromString(text, "image/svg+xml");
      return { root: root.nodeName, wrong: root.querySelectorAll("parsererror, script, image, foreignObject").length, texts: [...root.querySelectorAll("text")].map(({ textContent }) => textContent) };
    }, svg.bytes.toString("utf8"));
    await elsewhere.close();
    assert.deepEqual([drawn.root, drawn.wrong], ["svg", 0]);
    for (const text of ["Vanilla", "Random", "Seconds of training"]) assert.ok(drawn.texts.includes(text), text);

    const png = await saved(page, `save-${name}-png`);
    const { width, colours } = await pixelsOf(page, png.bytes);
    assert.ok(width > 1400 && colours > 50, `${width} pixels, ${colours} colours`);

    await demo.hook(name).locator("summary").click();
    const cells = await demo.hook(name).locator("tbody tr").count();
    assert.equal(cells, 3);
  });
});

test("the table over training time is moved by the keyboard, and told", async () => {
  await visit("", async ({ demo, page }) => {
    await withOwn(page, "weights");
    const slider = demo.hook("own-weights-film-slider");
    const reading = demo.hook("own-weights-film-reading");
    await slider.focus();
    const last = await reading.innerText();
    await page.keyboard.press("Home");
    await until("it is at the start", async () => /^Step 0\./.test(await reading.innerText()));
    const maps = () => demo.hook("own-weights-film").locator("canvas").evaluateAll((all) => all.map((one) => /** @type {HTMLCanvasElement} */ (one).toDataURL()));
    const before = await maps();
    assert.equal(before.length, 8);
    await page.keyboard.press("ArrowRight");
    assert.doesNotMatch(await reading.innerText(), /^Step 0\./);
    assert.equal(await slider.getAttribute("aria-valuetext"), await reading.innerText());
    assert.notDeepEqual(await maps(), before);
    const csv = await saved(page, "save-own-weights-film-csv");
    const { data } = Papa.parse(csv.bytes.toString("utf8").slice(1).trimEnd(), { header: true });
    const rows = /** @type {Record<string, string>[]} */ (data);
    assert.equal(rows.length, 2 * 4 * 32 * 32);
    // A row of weights adds up to one, as far as they were kept.
    const sum = rows.filter(({ layer, head, position }) => layer === "2" && head === "3" && position === "20").reduce((all, { weight }) => all + Number(weight), 0);
    assert.ok(Math.abs(sum - 1) < 0.05, `${sum}`);
    const { colours } = await pixelsOf(page, (await saved(page, "save-own-weights-film-png")).bytes);
    assert.ok(colours > 20, `${colours} colours`);
    assert.match((await saved(page, "save-own-weights-film-svg")).bytes.toString("utf8"), /class="c-heat-\d+"/);
    await slider.focus();
    await page.keyboard.press("End");
    assert.equal(await reading.innerText(), last);
  });
});

test("Chinese by the browser's language, and by the switch", async () => {
  await visit("", async ({ demo, page }) => {
    assert.equal(await page.locator("html").getAttribute("lang"), "zh-Hans");
    assert.equal(await page.title(), "synthattn：把论文的结论再试一遍");
    const text = await page.locator("main").innerText();
    // But names, there is no English.
    const words = text.match(/[A-Za-z][a-z]{3,}( [a-z]{2,}){2,}/g) ?? [];
    assert.deepEqual(words, []);
    await picture(page, "findings-chinese");
    await demo.hook("language").selectOption("en");
    await until("it is English", async () => (await page.locator("html").getAttribute("lang").catch(() => "")) === "en");
  }, { locale: "zh-CN" });
});

for (const [name, viewport] of Object.entries({ wide: { width: 1280, height: 900 }, phone: { width: 360, height: 740 } })) {
  test(`${name}: accessible in light and dark, and nothing wider than the page`, async () => {
    await visit("", async ({ demo, page }) => {
      await withOwn(page, "weights", "reading");
      await demo.hook("expect-tables-near").check();
      for (const summary of await demo.hook("finding-tables").locator("summary").all()) await summary.click();
      for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await demo.violations(), []);
        assert.ok((await overflow(page)) <= 0, `${await overflow(page)} pixels too wide`);
      }
      if (name === "phone") {
        const small = await page.locator("button:visible, select:visible, summary:visible, .choice:visible, .segmented label:visible").evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height < 43.5).map((one) => one.textContent));
        assert.deepEqual(small, []);
      }
      await picture(page, `findings-${name}`);
    }, { viewport });
  });
}
