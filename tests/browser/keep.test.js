// Kept comparisons, as a visitor meets them: after a reload, a crash, a lost device; with no room, no storage, two tabs.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { launchChromium } from "../../scripts/lib/browser.js";
import { at } from "../../scripts/lib/paths.js";
import { serve } from "../../scripts/lib/serve.js";
import { browserPaths } from "../../scripts/lib/tools.js";
import { DemoPage, TINY, hashOf, openDemo } from "./demo-page.js";
import { picture, until } from "./support.js";

/** @import { Browser, BrowserContext, Page } from "playwright-core" */

const KINDS = ["vanilla", "dense"];
const RUN = { ...TINY, steps: 480, dropout: 0.1, seed: 7, kinds: KINDS.join(",") };
const OWN = Array.from({ length: 900 }, (_, i) => `${(i * 7919) % 1000} green bottles hang on wall ${i % 17}.`).join("\n");

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {Browser} */
let browser;
/** @type {string} */
let home;

before(async () => {
  server = await serve({ "/some/where/": at("www", "dist"), "/libraries/synthattn/": at("pkg") });
  home = `${server.origin}/some/where/`;
  browser = await launchChromium();
});

after(async () => {
  await browser?.close();
  server?.close();
});

/** @param {Record<string, string | number>} settings */
const address = (settings) => `?device=cpu${hashOf(settings)}`;

/**
 * @param {Record<string, string | number>} settings
 * @param {(visit: Awaited<ReturnType<typeof openDemo>>) => Promise<void>} body
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
async function visit(settings, body, options) {
  const visited = await openDemo(browser, home + address(settings), options);
  try {
    await body(visited);
    assert.deepEqual(visited.complaints, []);
  } finally {
    await visited.context.close();
  }
}

/** Another tab, or the same after a crash. @param {BrowserContext} context @param {Record<string, string | number>} settings */
async function openTab(context, settings) {
  const page = await context.newPage();
  await page.goto(home + address(settings));
  return { page, demo: new DemoPage(page) };
}

/** As when another tab comes to the front, which a browser without a window never does. @param {Page} page */
const hide = (page) =>
  page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { configurable: true, value: "hidden" });
    document.dispatchEvent(new Event("visibilitychange"));
    Reflect.deleteProperty(document, "visibilityState");
  });

/** The step up to which the run is kept. @param {DemoPage} demo */
const keptStep = async (demo) => Number((await demo.hook("kept-state").getAttribute("data-step")) ?? NaN);

/** Lets a run begin and be kept in its middle. @param {DemoPage} demo @param {number} [step] */
async function keepMiddle(demo, step = 60) {
  await until("the run is kept", async () => (await keptStep(demo)) >= 0);
  await until(`step ${step}`, async () => (await steps(demo)).every((made) => made >= step));
  await hide(demo.page);
  await until("its middle is kept", async () => (await keptStep(demo)) >= step);
  return keptStep(demo);
}

/** How many steps each kind has made, by the table. @param {DemoPage} demo */
async function steps(demo) {
  const rows = demo.hook("race-table").locator("tr[data-origin=run] th small");
  const made = (await rows.allInnerTexts()).map((text) => Number(text.replace(/\D/g, "") || "0"));
  return made.length === KINDS.length ? made : KINDS.map(() => 0);
}

/** Everything that a run comes to: numbers in the table, the curves, the weights and all else in the files. @param {DemoPage} demo */
async function outcome(demo) {
  const fold = demo.page.locator(".race-chart details");
  if ((await fold.getAttribute("open")) === null) await fold.locator("summary").click();
  const models = [];
  for (const kind of KINDS) {
    const [download] = await Promise.all([demo.page.waitForEvent("download"), demo.click(`download-${kind}`)]);
    const file = readFileSync(await download.path());
    const length = Number(file.readBigUInt64LE(0));
    // The order of the header's entries is free.
    models.push([download.suggestedFilename(), JSON.parse(file.subarray(8, 8 + length).toString()), file.subarray(8 + length).toString("base64")]);
  }
  return {
    losses: await demo.losses(KINDS),
    scores: await Promise.all(KINDS.map((kind) => demo.cell(kind, "score"))),
    curves: await fold.locator("table").innerText(),
    models,
  };
}

/** What an uninterrupted run comes to, made once for each setting. @type {Map<string, ReturnType<typeof outcome>>} */
const whole = new Map();

/** @param {Record<string, string | number>} settings @param {string} [own] */
function uninterrupted(settings, own) {
  const key = JSON.stringify(settings);
  const made = whole.get(key) ?? (async () => {
    /** @type {Awaited<ReturnType<typeof outcome>> | undefined} */
    let result;
    await visit(settings, async ({ demo }) => {
      if (own) await giveText(demo, own);
      await demo.click("compare");
      await demo.untilPhase("done", 300);
      result = await outcome(demo);
    });
    assert.ok(result && result.scores.every((score) => /^\d\.\d\d\d$/.test(score)), `scores ${result?.scores}`);
    return result;
  })();
  whole.set(key, made);
  return made;
}

/**
 * As a paste does, by one event: the driver's own way of filling a box makes one of every line, which takes seconds.
 *
 * @param {DemoPage} demo
 * @param {string} text
 */
async function giveText(demo, text) {
  const box = demo.hook("own-text");
  await until("the box is open", async () => {
    if (!(await box.isVisible())) await demo.click("open-text");
    return box.isVisible();
  });
  await box.evaluate((area, given) => {
    /** @type {HTMLTextAreaElement} */ (area).value = given;
    area.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertFromPaste" }));
  }, text);
}

/** @param {DemoPage} demo @param {number} [count] */
const untilOffered = (demo, count = 1) => until(`${count} offered`, async () => (await demo.hook("kept-offer").count()) === count);

test("after a reload in the middle the page offers to resume, and the end is that of a run never left", async () => {
  const expected = await uninterrupted(RUN);
  await visit(RUN, async ({ demo, page }) => {
    assert.equal(await demo.hook("kept-offer").count(), 0);
    await demo.click("compare");
    const step = await keepMiddle(demo);
    await page.reload();
    await untilOffered(demo);
    const [, kept] = /2 kinds on Moby-Dick stopped at step (\d+) of 480, a moment ago/.exec(await demo.hook("kept-offer").innerText()) ?? [];
    assert.ok(Number(kept) >= step, `step ${kept} after ${step}`);
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "keep-1-offer");
    await page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "keep-2-offer-dark");
    await demo.hook("kept-resume").focus();
    await page.keyboard.press("Enter");
    await until("it runs again", async () => (await demo.phase()) === "running");
    assert.equal(await demo.hook("kept-offer").isVisible(), false);
    const made = await steps(demo);
    assert.ok(made.every((one) => one >= step), `it began anew: ${made} after ${step}`);
    assert.ok(await page.evaluate(() => document.activeElement?.closest(".run-bar") !== null), "the focus is lost");
    await demo.untilPhase("done", 300);
    assert.deepEqual(await outcome(demo), expected);
  });
});

test("what was trained four seconds before a reload is kept", async () => {
  const settings = { ...RUN, steps: 100_000 };
  await visit(settings, async ({ demo, page }) => {
    await demo.click("compare");
    await until("it trains", async () => (await steps(demo)).every((made) => made > 0));
    const before = Math.min(...(await steps(demo)));
    await page.waitForTimeout(4000);
    await page.reload();
    await untilOffered(demo);
    const [, kept] = /stopped at step ([\d,]+) of/.exec(await demo.hook("kept-offer").innerText()) ?? [];
    assert.ok(Number(kept?.replace(",", "")) >= before, `step ${kept} is kept, ${before} was seen`);
    await demo.click("kept-discard");
    await until("it is gone", async () => (await demo.hook("kept-offer").count()) === 0);
  });
});

test("after a crash of the tab a new one resumes, whatever the address it opens with", async () => {
  const expected = await uninterrupted(RUN);
  await visit(RUN, async ({ demo, page, context, complaints }) => {
    await demo.click("compare");
    await keepMiddle(demo);
    const crashed = page.waitForEvent("crash");
    void page.goto("chrome://crash").catch(() => {});
    await crashed;
    assert.deepEqual(complaints.splice(0), ["the page crashed"]);
    const { demo: again } = await openTab(context, {});
    await untilOffered(again);
    await again.click("kept-resume");
    await again.untilPhase("done", 300);
    assert.deepEqual(await outcome(again), expected);
    await again.click("open-budget");
    assert.equal(await again.hook("steps").inputValue(), "480");
    assert.equal(await again.hook("seed").inputValue(), "7");
  });
});

test("a run on own text is resumed on that text, though another was given since; a finished one is shown again", async () => {
  const settings = { ...RUN, text: "own", tokenizer: "bpe", vocabulary: 300 };
  const expected = await uninterrupted(settings, OWN);
  await visit(settings, async ({ demo, page, context }) => {
    await giveText(demo, OWN);
    await demo.click("compare");
    await keepMiddle(demo);
    await page.close();
    const { demo: again, page: second } = await openTab(context, settings);
    await untilOffered(again);
    await giveText(again, "Something else altogether. ".repeat(200));
    await again.click("kept-resume");
    await again.untilPhase("done", 300);
    assert.deepEqual(await outcome(again), expected);
    await until("the end is kept", async () => (await again.hook("kept-state").getAttribute("data-finished")) === "true");
    await second.reload();
    await untilOffered(again);
    assert.match(await again.hook("kept-offer").innerText(), /finished comparison of 2 kinds on .*, 480 steps[^]*Show it/);
    await again.click("kept-resume");
    await again.untilPhase("done");
    assert.deepEqual(await outcome(again), expected);
  });
});

test("a model that was opened from a file comes back beside the run", async () => {
  await visit(RUN, async ({ demo, page }) => {
    await demo.click("compare");
    await demo.untilPhase("done", 300);
    const [download] = await Promise.all([page.waitForEvent("download"), demo.click("download-dense")]);
    await demo.hook("load-file").setInputFiles({ name: "mine.safetensors", mimeType: "application/octet-stream", buffer: readFileSync(await download.path()) });
    let score = ""; // a new row has no numbers for a moment
    await until("it is scored", async () => /\d/.test((score = await demo.cell("dense", "score", "file"))));
    await until("it is kept", async () => (await demo.hook("kept-state").getAttribute("data-scored")) === "3");
    await page.reload();
    await untilOffered(demo);
    await demo.click("kept-resume");
    await demo.untilPhase("done");
    await until("it is there again", async () => (await demo.cell("dense", "score", "file")) === score);
    assert.match(await demo.hook("race-table").locator("tr[data-origin=file]").innerText(), /mine\.safetensors/);
    assert.equal(await demo.hook("race-table").locator("tr[data-origin=run]").count(), 2);
  });
});

test("rows of a task come back with their scores, and go on", async () => {
  const settings = { task: "classification", text: "sentiment", kinds: "vanilla,dense", layers: 1, width: 16, heads: 2, length: 16, steps: 200, batch: 4 };
  await visit(settings, async ({ demo, page }) => {
    await demo.click("compare");
    await keepMiddle(demo, 40);
    await page.reload();
    await untilOffered(demo);
    await demo.click("kept-resume");
    await demo.untilPhase("done", 300);
    for (const kind of KINDS) assert.match(await demo.cell(kind, "score"), /^\d+\.\d%$/);
    const scores = await Promise.all(KINDS.map((kind) => demo.cell(kind, "score")));
    await until("the end is kept", async () => (await demo.hook("kept-state").getAttribute("data-finished")) === "true");
    await page.reload();
    await untilOffered(demo);
    await demo.click("kept-resume");
    await demo.untilPhase("done");
    assert.deepEqual(await Promise.all(KINDS.map((kind) => demo.cell(kind, "score"))), scores);
  });
});

/** What a worker does at its end. @type {Record<string, { end: () => void, said: RegExp }>} */
const LOSSES = {
  "a worker that dies": { end: () => void setTimeout(() => { throw new Error("gone"); }), said: /gone/ },
  // As the worker tells of a graphics device that went away, which this machine may not have.
  "a lost device": { end: () => postMessage({ type: "dead", error: { code: "device-lost", message: "The graphics device was lost." } }), said: /device was lost[^]*ten seconds before/ },
};

for (const [what, { end, said }] of Object.entries(LOSSES)) {
  test(`${what}: the run goes on from its last snapshot to the same end, without a reload`, async () => {
    const expected = await uninterrupted(RUN);
    await visit(RUN, async ({ demo, page, complaints }) => {
      await demo.click("compare");
      await until("step 60", async () => (await steps(demo)).every((made) => made >= 60));
      await page.workers()[0].evaluate(end);
      await demo.untilPhase("failed");
      assert.match(await demo.hook("run-error").innerText(), said);
      assert.equal(await demo.hook("device-error").isVisible(), false, "it is said twice");
      assert.ok((await demo.losses(KINDS)).every(Number.isFinite), "what was seen is gone");
      await demo.hook("go-on-again").scrollIntoViewIfNeeded();
      assert.deepEqual(await demo.violations(), []);
      await picture(page, "keep-3-lost");
      await demo.click("go-on-again");
      await until("it goes on", async () => (await demo.phase()) !== "failed");
      await demo.untilPhase("done", 300);
      assert.equal(await demo.hook("run-error").isVisible(), false);
      assert.deepEqual(await outcome(demo), expected);
      complaints.splice(0, complaints.length, ...complaints.filter((one) => !one.includes("gone")));
    });
  });
}

test("stopped in the middle of a round and gone on with, the models are those of a run never left", async () => {
  const expected = await uninterrupted(RUN);
  await visit(RUN, async ({ demo }) => {
    await demo.click("compare");
    for (const step of [40, 120]) {
      await until(`step ${step}`, async () => (await steps(demo)).every((made) => made >= step));
      await demo.click("stop");
      await demo.untilPhase("stopped");
      await demo.click("go-on");
    }
    await demo.untilPhase("done", 300);
    const { models, scores } = await outcome(demo);
    assert.deepEqual({ models, scores }, { models: expected.models, scores: expected.scores });
  });
});

test("a tab that crashes while it writes leaves the snapshot before, whole", async () => {
  const { page, context } = await openDemo(browser, home);
  try {
    let tab = page;
    let begun = 0;
    for (let crash = 0; crash < 3; crash += 1) {
      await tab.evaluate(async (begun) => {
        const { keep } = await import(/** @type {any} */ ("/libraries/synthattn/keep.js"));
        /** A file as large as those of real models, which says in every byte which step it is of. */
        const model = {
          step: begun,
          async save() {
            this.step += 1;
            const about = { spec: "{}", training: JSON.stringify({ step: this.step }) };
            const header = new TextEncoder().encode(JSON.stringify({ __metadata__: about }));
            const file = new Uint8Array(8 + header.length + 30_000_000).fill(this.step);
            new DataView(file.buffer).setBigUint64(0, BigInt(header.length), true);
            file.set(header, 8);
            return file;
          },
        };
        const onKept = (/** @type {{ step: number }} */ { step }) => (document.title = String(step));
        const keeping = await keep(model, { name: "large", onKept });
        const goOn = () => void keeping.now().then(goOn);
        goOn();
      }, begun);
      const first = begun;
      await until("two more are written", async () => (begun = Number(await tab.title())) >= first + 2);
      await new Promise((resolve) => setTimeout(resolve, 40 * crash));
      const crashed = tab.waitForEvent("crash");
      void tab.goto("chrome://crash").catch(() => {});
      await crashed;
      tab = await context.newPage();
      await tab.goto(home);
      const found = await tab.evaluate(async () => {
        const { recall } = await import(/** @type {any} */ ("/libraries/synthattn/keep.js"));
        const { step, size, file } = await recall("large");
        const body = file.subarray(file.length - 30_000_000);
        return { step, whole: file.length === size && body.every((/** @type {number} */ byte) => byte === step) };
      });
      assert.ok(found.step >= begun, `step ${found.step}, though ${begun} was said to be kept`);
      assert.ok(found.whole, `what is kept of step ${found.step} is mixed`);
      begun = found.step;
    }
  } finally {
    await context.close();
  }
});

test("two tabs keep a comparison each and never take the other's", async () => {
  await visit(RUN, async ({ demo, context }) => {
    await demo.click("compare");
    await keepMiddle(demo);
    const { demo: other, page: second } = await openTab(context, { ...RUN, steps: 400 });
    await new Promise((resolve) => setTimeout(resolve, 2500));
    assert.equal(await other.hook("kept-offer").count(), 0, "a comparison at work is no offer");
    await other.click("compare");
    await keepMiddle(other);
    await demo.untilPhase("done", 300);
    await second.close();
    await demo.page.reload();
    await untilOffered(demo, 2);
    const [newest, older] = await demo.hook("kept-offer").allTextContents();
    assert.match(`${newest} | ${older}`, /finished[^|]* \| .*stopped at step|stopped at step[^|]* \| .*finished/);
    await demo.page.locator(".kept summary").click();
    await demo.hook("kept-discard").first().click();
    await untilOffered(demo, 1);
    await demo.click("kept-discard");
    await untilOffered(demo, 0);
    await demo.page.reload();
    await new Promise((resolve) => setTimeout(resolve, 2500));
    assert.equal(await demo.hook("kept-offer").count(), 0);
  });
});

test("without room the page says so once, keeps what it had, and offers the models to be downloaded", async () => {
  await visit({ ...RUN, steps: 50_000 }, async ({ demo, page, context }) => {
    await demo.click("compare");
    await keepMiddle(demo);
    const session = await context.newCDPSession(page);
    const room = (/** @type {number | undefined} */ quotaSize) => session.send("Storage.overrideQuotaForOrigin", { origin: server.origin, quotaSize });
    // The browser remembers for a while how much room there was.
    const hideUntil = (/** @type {string} */ what, /** @type {() => Promise<boolean>} */ seen) => until(what, async () => {
      await hide(page);
      await new Promise((resolve) => setTimeout(resolve, 500));
      return seen();
    }, 120);
    await room(1000);
    await hideUntil("it is said", () => demo.hook("kept-trouble").isVisible());
    const step = await keptStep(demo);
    assert.match(await demo.hook("kept-trouble").innerText(), new RegExp(`no room[^]*up to step ${step.toLocaleString("en")} is still there[^]*download`, "i"));
    assert.equal(await demo.hook("kept-trouble").getAttribute("data-code"), "storage-full");
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "keep-4-no-room");
    const [download] = await Promise.all([page.waitForEvent("download"), demo.click("kept-download-dense")]);
    assert.match(download.suggestedFilename(), /^synthattn-dense-step-\d+\.safetensors$/);
    await demo.click("kept-close");
    const before = await steps(demo);
    await until("more steps", async () => (await steps(demo)).every((made, i) => made > before[i]));
    await hide(page);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    assert.equal(await demo.hook("kept-trouble").isVisible(), false, "it is said twice");
    assert.equal(await keptStep(demo), step);
    await room(undefined);
    await hideUntil("there is room again", async () => (await keptStep(demo)) > step);
    await demo.click("stop");
    await demo.untilPhase("stopped");
  });
});

test("where nothing can be stored the page says so when a run begins, and trains all the same", async () => {
  const profile = mkdtempSync(join(tmpdir(), "synthattn-blocked-"));
  mkdirSync(join(profile, "Default"));
  const blocked = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(join(profile, "Default", "Preferences"), JSON.stringify(blocked));
  const context = await chromium.launchPersistentContext(profile, { executablePath: browserPaths().chrome, args: ["--no-sandbox"], viewport: { width: 360, height: 740 } });
  try {
    const { demo, page } = await openTab(context, { ...TINY, steps: 60, kinds: "vanilla,dense" });
    assert.equal(await demo.hook("kept-trouble").isVisible(), false);
    await demo.click("compare");
    await until("it is said", () => demo.hook("kept-trouble").isVisible());
    assert.match(await demo.hook("kept-trouble").innerText(), /can’t be kept: the browser stores nothing[^]*download/);
    await demo.untilPhase("done");
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "keep-5-blocked");
    const { width, inner } = await page.evaluate(() => ({ width: document.documentElement.scrollWidth, inner: innerWidth }));
    assert.ok(width <= inner, `${width} pixels wide in a window of ${inner}`);
    const [download] = await Promise.all([page.waitForEvent("download"), demo.click("kept-download-vanilla")]);
    assert.equal(download.suggestedFilename(), "synthattn-vanilla-step-60.safetensors");
  } finally {
    await context.close();
    rmSync(profile, { recursive: true });
  }
});

test("it fits 360 pixels", async () => {
  await visit(RUN, async ({ demo, page }) => {
    await demo.click("compare");
    await keepMiddle(demo);
    await page.reload();
    await untilOffered(demo);
    const { width, inner } = await page.evaluate(() => ({ width: document.documentElement.scrollWidth, inner: innerWidth }));
    assert.ok(width <= inner, `${width} pixels wide in a window of ${inner}`);
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "keep-6-narrow");
  }, { viewport: { width: 360, height: 740 } });
});
