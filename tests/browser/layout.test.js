// How the page is laid out: what stands in the first screen, that nothing moves under a reader's eyes, that nothing is cut off.

import assert from "node:assert/strict";
import { test } from "node:test";
import { kinds } from "synthattn";
import { TINY, hashOf, servedDemo } from "./demo-page.js";
import { until } from "./support.js";

/** @import { Locator, Page } from "playwright-core" */
/** @import { DemoPage } from "./demo-page.js" */

const visit = servedDemo();

const PHONE = { width: 390, height: 664 };
/** How far everything in sight may move in all, as a share of the window: the measure of Cumulative Layout Shift. */
const SHIFT = 0.02;

/** @param {DemoPage} demo */
const opened = (demo) => until("a device is shown", async () => (await demo.hook("device-chip").getAttribute("data-kind")) === "cpu");

/** @param {Locator} locator */
const placeOf = (locator) =>
  locator.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return { left, right, top, bottom };
  });

/** What moved without being moved by a person, and what did right after a press. @param {Page} page */
const shifts = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const observer = new PerformanceObserver((list) => resolve(told(list.getEntries())));
        const told = (/** @type {any[]} */ entries) => entries.map(({ value, sources }) => ({ value, what: sources.map((/** @type {any} */ { node }) => (node?.nodeType === 1 ? node.className || node.tagName : "text")) }));
        observer.observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve(told(observer.takeRecords())), 500);
      }),
  );

for (const [name, viewport, language] of /** @type {const} */ ([
  ["a phone", PHONE, "en"],
  ["a phone, in Chinese", PHONE, "zh"],
  ["a small phone", { width: 320, height: 568 }, "en"],
  ["a desk", { width: 1280, height: 800 }, "en"],
])) {
  test(`the first screen has the button: ${name}`, async () => {
    await visit(`?lang=${language}`, async ({ demo }) => {
      await opened(demo);
      const { top, bottom } = await placeOf(demo.hook("compare"));
      assert.ok(top > 0 && bottom <= viewport.height, `from ${top} to ${bottom}`);
    }, { viewport });
  });
}

test("on a phone what takes the focus is not under the bar, and the order is that of the eye", async () => {
  await visit(hashOf(TINY), async ({ demo, page }) => {
    await opened(demo);
    await demo.click("open-budget");
    await demo.click("choose-kinds");
    await demo.hook("theme").focus();
    const seen = [];
    for (let last = ""; last !== "compare"; seen.push(last)) {
      assert.ok(seen.length < 60, `the button does not come after ${seen.join(", ")}`);
      await page.keyboard.press("Tab");
      await page.waitForTimeout(50);
      const now = await page.evaluate(() => {
        const element = /** @type {HTMLElement} */ (document.activeElement);
        const { left, right, top, bottom } = element.getClientRects()[0];
        const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return { name: element.dataset.testid ?? element.tagName, inSight: Boolean(on && (element.contains(on) || on.contains(element))), top, bottom };
      });
      assert.ok(now.inSight, JSON.stringify(now));
      last = now.name;
    }
    for (const name of ["task", "steps", "choose-kinds", "kind-random", "more-kinds"]) assert.ok(seen.includes(name), `${name} is not among ${seen.join(", ")}`);
  }, { viewport: PHONE, reducedMotion: "reduce" });
});

for (const key of ["Enter", "a tap"]) {
  test(`on a phone a run is shown right under its bar, and stays there when it is paused: begun by ${key}`, async () => {
    await visit(hashOf({ ...TINY, steps: 4000 }), async ({ demo, page }) => {
      await opened(demo);
      if (key === "Enter") {
        await demo.hook("compare").focus();
        await page.keyboard.press("Enter");
      } else await demo.hook("compare").tap();
      await until("it runs", async () => Number.isFinite(await demo.number("random+vanilla", "loss")));
      const isUnder = async () => {
        const [bar, race] = [await placeOf(page.locator(".run-bar")), await placeOf(page.locator("#race"))];
        return Math.abs(bar.top) < 1 && Math.abs(race.top - bar.bottom) < 40;
      };
      await until("the curves are under the bar", isUnder, 10);
      await (key === "Enter" ? demo.hook("pause").press("Enter") : demo.hook("pause").tap());
      await demo.untilPhase("paused");
      await page.waitForTimeout(300);
      assert.ok(await isUnder(), "the page has jumped");
    }, { viewport: PHONE, hasTouch: true, reducedMotion: "reduce" });
  });
}

test("on a phone the choice of kinds is folded, and unfolds when there is none to compare", async () => {
  await visit(hashOf(TINY), async ({ demo }) => {
    await opened(demo);
    const chip = demo.hook("kind-random");
    assert.equal(await chip.isVisible(), false);
    await demo.click("choose-kinds");
    for (const kind of ["vanilla", "random", "dense", "random+vanilla"]) await demo.click(`kind-${kind}`);
    await demo.click("choose-kinds");
    assert.equal(await chip.isVisible(), false);
    await demo.click("compare");
    await until("the kinds are there", () => chip.isVisible());
    assert.deepEqual(await demo.violations(), []);
  }, { viewport: PHONE });
});

for (const [task, size] of /** @type {const} */ ([
  ["language-model", { width: 1280, height: 800 }],
  ["language-model", { width: 390, height: 844 }],
  ["classification", { width: 1280, height: 800 }],
])) {
  test(`nothing moves while a run comes in: ${task} at ${size.width} pixels`, async () => {
    await visit(hashOf({ ...TINY, task, steps: 200 }), async ({ demo, page }) => {
      await opened(demo);
      await demo.click("compare");
      await demo.untilPhase("done", 300);
      await until("it is scored and kept", async () => (await demo.number("random+vanilla", "score")) > 0 && (await demo.hook("kept-state").getAttribute("data-finished")) === "true");
      const moved = /** @type {{ value: number, what: string[] }[]} */ (await shifts(page));
      const sum = moved.reduce((all, { value }) => all + value, 0);
      assert.ok(sum < SHIFT, `${sum}: ${JSON.stringify(moved)}`);
    }, { viewport: size });
  });
}

test("a copied link is told of in the button's own place, and what needs saying lies over the page", async () => {
  await visit("", async ({ demo, page, context }) => {
    await opened(demo);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const places = async () => [await placeOf(demo.hook("share")), await placeOf(page.locator(".quiet-link")), await placeOf(page.locator("h1"))];
    const before = await places();
    assert.equal(await demo.hook("share").innerText(), "Copy link");
    await demo.click("share");
    await until("it says so", async () => (await demo.hook("share").innerText()) === "Copied");
    assert.deepEqual(await places(), before);
    await until("it can be pressed again", async () => (await demo.hook("share").innerText()) === "Copy link");
    await page.evaluate(() => Object.defineProperty(navigator.clipboard, "writeText", { value: () => Promise.reject(new Error("no")) }));
    await demo.click("share");
    await until("the link is shown", () => demo.hook("share-link").isVisible());
    assert.deepEqual(await places(), before);
    await page.keyboard.press("Escape");
    await until("it is gone", async () => !(await demo.hook("share-link").isVisible()));
    assert.equal(await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).dataset.testid), "share");
  }, { viewport: { width: 1280, height: 800 } });
});

test("the table is whole beside the chart, with a second score too", async () => {
  await visit(hashOf({ ...TINY, task: "masked-language-model", steps: 20 }), async ({ demo, page }) => {
    await demo.click("compare");
    await demo.untilPhase("done");
    await until("all are scored", async () => (await demo.number("random+vanilla", "score")) >= 0);
    for (const width of [1200, 1280, 1366, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const { needed, given } = await page.locator(".race-numbers .table-scroll").evaluate((scroll) => ({ needed: scroll.scrollWidth, given: scroll.clientWidth }));
      assert.ok(needed <= given, `${needed} pixels in ${given}, at ${width}`);
    }
  });
});

test("no window is too narrow for any kind's card or chip", async () => {
  const names = (await kinds()).map(({ name }) => name);
  await visit(hashOf({ ...TINY, task: "masked-language-model", kinds: names.join(",") }), async ({ demo, page }) => {
    await opened(demo);
    await until("the cards are there", async () => (await page.locator(".card").count()) === names.length);
    for (const width of [320, 390, 621, 1200, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} pixels wide in a window of ${width}`);
    }
  });
});

test("tabs stand in line with what is above and below them", async () => {
  await visit(hashOf({ ...TINY, kinds: "vanilla,random", lengths: "8,16" }), async ({ demo, page }) => {
    await opened(demo);
    const [switcher, chart] = [await placeOf(page.locator("#race .segmented")), await placeOf(page.locator("#race .chart"))];
    assert.equal(switcher.right, chart.right);
    await demo.click("measure");
    await until("all is measured", async () => /Measured on/.test(await demo.hook("measure-status").innerText()), 120);
    const [tab, title] = [await placeOf(page.locator("#speed .segmented span").first()), await placeOf(page.locator("#speed-title"))];
    assert.equal(tab.left, title.left);
  }, { viewport: { width: 1280, height: 800 } });
});

test("the switches of the four sorts of kinds begin in one line, in Chinese too", async () => {
  for (const language of ["en", "zh"]) {
    await visit(`?lang=${language}`, async ({ demo, page }) => {
      await opened(demo);
      const tops = await page.locator(".sights .chips").evaluateAll((all) => all.map((chips) => chips.getBoundingClientRect().top));
      assert.equal(tops.length, 4);
      assert.deepEqual(tops, tops.map(() => tops[0]));
    }, { viewport: { width: 1280, height: 800 } });
  }
});

test("on paper there is nothing to press to skip something", async () => {
  await visit("", async ({ page }) => {
    await page.locator(".skip").waitFor({ state: "attached" });
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".skip").isVisible(), false);
  });
});
