// The demo from the first click to the downloaded model, as built, under a sub-path of an ordinary static server.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launchChromium } from "../../scripts/lib/browser.js";
import { at, outputFolder } from "../../scripts/lib/paths.js";
import { serve } from "../../scripts/lib/serve.js";
import { FOUR_KINDS, TINY, hashOf, openDemo } from "./demo-page.js";
import { LONGEST_TASK, mainThreadTasks, picture, until } from "./support.js";

/** @import { Browser } from "playwright-core" */

/** Bits per character on held-out text after the default run: what the kinds must reach. */
const BITS = { vanilla: 2.95, "random+vanilla": 2.95, random: 3.15, dense: 3.15 };

const OWN_TEXT = readFileSync(at("node_modules", "@stdlib", "datasets-moby-dick", "data", "chapter_9.txt"), "utf8");

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {Browser} */
let browser;
/** @type {string} */
let home;

before(async () => {
  server = await serve({ "/some/where/": at("www", "dist") });
  home = `${server.origin}/some/where/`;
  browser = await launchChromium({ webgpu: true });
});

after(async () => {
  await browser?.close();
  server?.close();
});

/**
 * @param {string} address below the demo's home
 * @param {(visit: Awaited<ReturnType<typeof openDemo>>) => Promise<void>} body
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
async function visit(address, body, options) {
  const visited = await openDemo(browser, home + address, options);
  try {
    await body(visited);
    assert.deepEqual(visited.complaints, []);
    assert.deepEqual(server.missing, []);
  } finally {
    await visited.context.close();
  }
}

test("one click on the page as it opens teaches four kinds the book", async () => {
  await visit("", async ({ demo, page }) => {
    await until("a device is shown", async () => (await demo.hook("device-chip").getAttribute("data-kind")) === "cpu");
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "1-opened");
    await demo.click("compare");
    await until("every kind has a loss", async () => (await demo.losses(FOUR_KINDS)).every(Number.isFinite), 60);
    const first = await demo.losses(FOUR_KINDS);
    await until("half-way", async () => (await page.locator("progress").getAttribute("value").then(Number)) > 0.5, 600);
    await picture(page, "2-half-way");
    await demo.untilPhase("done", 900);

    for (const [i, kind] of FOUR_KINDS.entries()) {
      const loss = await demo.number(kind, "loss");
      assert.ok(loss < first[i] - 0.5, `${kind}: loss ${first[i]} to ${loss}`);
      const bits = await demo.number(kind, "score");
      assert.ok(bits < BITS[/** @type {keyof BITS} */ (kind)], `${kind}: ${bits} bits per character on held-out text`);
      for (const column of ["steps", "tokens", "parameters", "speed"]) assert.ok((await demo.number(kind, column)) > 0, `${kind}: ${column}`);
      console.log(`${kind}: ${bits} bits per character, ${await demo.cell(kind, "steps")} steps/s`);
    }
    // They speak by themselves once the race is over.
    for (const kind of FOUR_KINDS) await until(`${kind} has written`, async () => (await demo.written(kind)).length >= 200);
    await demo.hook("look").scrollIntoViewIfNeeded();
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "3-done");
    await page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "4-done-dark");
  });
});

test("own text is learned; pause, resume, stop and go on do what they say", async () => {
  const settings = { ...TINY, steps: 1500, kinds: "vanilla,random" };
  await visit(`?device=cpu${hashOf(settings)}`, async ({ demo, page }) => {
    await demo.click("open-text");
    await demo.hook("own-text").fill(OWN_TEXT);
    await demo.click("compare");
    await until("a first loss", async () => Number.isFinite(await demo.number("random", "loss")));
    await demo.click("pause");
    await demo.untilPhase("paused");
    const paused = await demo.losses(["vanilla", "random"]);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.deepEqual(await demo.losses(["vanilla", "random"]), paused, "it went on while paused");
    await picture(page, "5-paused");

    await demo.click("resume");
    await until("losses move again", async () => (await demo.losses(["vanilla", "random"])).every((loss, i) => loss !== paused[i]));
    await demo.click("stop");
    await demo.untilPhase("stopped");
    const stopped = await demo.number("vanilla", "loss");
    await demo.click("go-on");
    await demo.untilPhase("done", 300);
    assert.notEqual(await demo.number("vanilla", "loss"), stopped);
    assert.ok((await demo.number("vanilla", "score")) > 0);
  });
});

test("text streams while it is written and can be stopped", async () => {
  await visit(`?device=cpu${hashOf({ ...TINY, kinds: "vanilla,random", steps: 40, tokens: 2000 })}`, async ({ demo }) => {
    await demo.click("compare");
    await demo.untilPhase("done");
    /** @type {Set<number>} */
    const lengths = new Set();
    await until("three lengths were seen", async () => lengths.add((await demo.written("vanilla")).length).size > 3);
    await demo.click("quiet");
    await until("it has stopped", async () => demo.hook("quiet").isDisabled());
    const said = (await demo.written("vanilla")).length;
    assert.ok(said < 2000);

    await demo.hook("prompt").fill("Queequeg ");
    await demo.hook("tokens").fill("30");
    await demo.click("speak");
    await until("both have written 30 characters", async () => (await demo.written("vanilla")).length === 30 && (await demo.written("random")).length === 30);
  });
});

test("models speak with the values that are shown, or not at all", async () => {
  await visit(`?device=cpu${hashOf({ ...TINY, kinds: "vanilla,random", steps: 20, tokens: 30 })}`, async ({ demo, page }) => {
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-testid"));
    await demo.click("compare");
    await demo.untilPhase("done");
    await until("both have spoken of their own accord", async () => (await demo.written("vanilla")).length === 30 && (await demo.written("random")).length === 30);
    const before = await demo.written("vanilla");
    for (const [name, wrong, right] of [["temperature", "-3", "3"], ["temperature", "", "0"], ["tokens", "99999", "12"], ["topK", "some", "3"]]) {
      await demo.hook(name).fill(wrong);
      await demo.click("speak");
      assert.equal(await focused(), name, `${name} of ${wrong}`);
      assert.equal(await demo.hook(name).getAttribute("aria-invalid"), "true");
      await demo.hook("prompt").press("Enter");
      assert.equal(await focused(), name);
      await page.waitForTimeout(300);
      assert.equal(await demo.written("vanilla"), before, `${name} of ${wrong}`);
      await demo.hook(name).fill(right);
    }
    assert.deepEqual(await demo.violations(), []);
    await demo.click("speak");
    await until("both have written 12 characters", async () => (await demo.written("vanilla")).length === 12 && (await demo.written("random")).length === 12);
  });
});

test("the page says what keeps a run from starting, before and after Compare is pressed", async () => {
  await visit(`?device=cpu${hashOf({ ...TINY, kinds: "vanilla", steps: 20 })}`, async ({ demo, page }) => {
    const status = () => page.locator(".run-bar .run-state").innerText();
    assert.equal(await status(), "Ready: one press trains all of them.");
    await demo.click("kind-vanilla");
    assert.equal(await status(), "Not ready. Choose at least one kind.");
    await demo.click("compare");
    assert.equal(await demo.phase(), "idle");
    assert.equal(await demo.hook("status").innerText(), "Choose at least one kind.");
    await demo.click("kind-vanilla");
    await demo.click("open-budget");
    await demo.hook("steps").fill("0");
    assert.equal(await status(), "Not ready. Steps: From 1 to 100000.");
    await demo.hook("steps").fill("20");
    assert.equal(await status(), "Ready: one press trains all of them.");
    await demo.hook("warmup").fill("500");
    await demo.hook("warmup").blur();
    assert.equal(await status(), "Not ready. Warm-up: Not more than the 20 steps of the run.");
    await demo.hook("warmup").fill("5");
    await demo.click("compare");
    await demo.untilPhase("done");
    await demo.hook("seed").fill("-1");
    assert.match(await status(), /^Done: .*\s+Can’t be compared so\. Seed: From 0 to 4294967295\.$/);
    await demo.click("compare");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-testid")), "seed");
    assert.equal(await demo.hook("status").innerText(), "Seed: From 0 to 4294967295.");
  });
});

test("a run of a few reports tells nothing of which kind is faster, in the table or below", async () => {
  await visit(`?device=cpu${hashOf({ ...TINY, kinds: "vanilla,random", steps: 60 })}`, async ({ demo }) => {
    await demo.click("compare");
    await demo.untilPhase("done");
    assert.equal(await demo.cell("random", "between"), "too few reports");
    assert.equal(await demo.cell("vanilla", "between"), "");
    const speed = demo.hook("conclusions").locator(".conclusion").last();
    await until("it is said below", async () => (await speed.innerText()).includes("Too short to tell them apart"));
    assert.doesNotMatch(await speed.innerText(), /Ours/);
  });
});

test("a run that can't start is said not to have, and what is shown to be of the run before", async () => {
  await visit(`?device=cpu${hashOf({ ...TINY, kinds: "vanilla", steps: 20 })}`, async ({ demo, page }) => {
    const status = () => page.locator(".run-bar .status").innerText();
    const share = () => page.locator(".run-bar progress").getAttribute("value").then(Number);
    /** @param {string} text */
    const compareOn = async (text) => {
      await demo.click("open-text");
      await demo.click("text-own");
      await demo.hook("own-text").fill(text);
      await demo.click("compare");
    };
    await compareOn("abc");
    await demo.untilPhase("not-started");
    assert.equal(await share(), 0);
    assert.equal(await status(), "Not started: what is wrong stands below.");
    assert.match(await demo.hook("run-error").innerText(), /the text has 3 tokens, but models of this “Length” need 17 at least/);
    await demo.hook("own-text").fill(OWN_TEXT);
    await demo.click("compare");
    await demo.untilPhase("done");
    assert.equal(await share(), 1);
    // Nothing in the table is marked so.
    assert.doesNotMatch(await demo.hook("measured").innerText(), /≈/);
    const loss = await demo.cell("vanilla", "loss");
    await demo.hook("own-text").fill("abc");
    await demo.click("compare");
    await demo.untilPhase("not-started");
    assert.equal(await share(), 0);
    assert.equal(await status(), "Not started: what is wrong stands below. Table and curves are still those of the run before.");
    assert.equal(await demo.cell("vanilla", "loss"), loss);
    assert.ok(await demo.hook("go-on").isHidden());
    assert.ok(await demo.hook("compare").isEnabled());
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "4-not-started");
    await demo.hook("own-text").fill(OWN_TEXT);
    await demo.click("compare");
    await demo.untilPhase("done");
    assert.equal(await demo.hook("run-error").isHidden(), true);
  });
});

test("a shared link makes the same run", async () => {
  /** @type {string} */
  let link = "";
  /** @type {number[]} */
  let losses = [];
  const kinds = ["vanilla", "dense"];
  await visit(`?device=cpu${hashOf({ ...TINY, steps: 40, kinds: kinds.join(",") })}`, async ({ demo, page }) => {
    await demo.click("open-budget");
    await demo.hook("steps").fill("60");
    await demo.hook("seed").fill("42");
    await demo.click("kind-random+vanilla");
    await demo.click("share");
    await until("the link is there", async () => (await demo.hook("share-link").inputValue()) !== "");
    link = await demo.hook("share-link").inputValue();
    assert.equal(link, page.url().replace("?device=cpu", ""));
    await demo.click("compare");
    await demo.untilPhase("done");
    losses = await demo.losses([...kinds, "random+vanilla"]);
  });
  assert.ok(link.startsWith(home) && losses.every(Number.isFinite));
  await visit(link.slice(home.length), async ({ demo }) => {
    await demo.click("open-budget");
    assert.equal(await demo.hook("steps").inputValue(), "60");
    assert.equal(await demo.hook("seed").inputValue(), "42");
    for (const kind of FOUR_KINDS) {
      assert.equal(await demo.hook(`kind-${kind}`).getAttribute("aria-pressed"), String(kind !== "random"), kind);
    }
    await demo.click("compare");
    await demo.untilPhase("done");
    assert.deepEqual(await demo.losses([...kinds, "random+vanilla"]), losses);
  });
});

test("a link with nonsense in it says what it left out", async () => {
  await visit(`?device=cpu${hashOf({ steps: "many", kinds: "vanilla,telepathy", colour: "blue" })}`, async ({ demo }) => {
    const notice = await demo.hook("link-notice").innerText();
    assert.deepEqual(notice.split(/\n+/), [
      "The link’s “steps” was left out: it takes a number from 1 to 100000.",
      "Left out of the link’s “kinds”: telepathy. There is no such kind for this task.",
      "The link’s “colour” was left out: there is no such setting.",
    ]);
    assert.equal(await demo.hook("kind-vanilla").getAttribute("aria-pressed"), "true");
  });
  await visit(`?device=cpu${hashOf({ steps: 0, layers: 1.5, schedule: "sideways" })}`, async ({ demo }) => {
    assert.deepEqual((await demo.hook("link-notice").innerText()).split(/\n+/), [
      "The link’s “steps” was left out: it takes values from 1 to 100000.",
      "The link’s “layers” was left out: it takes a whole number from 1 to 12.",
      "The link’s “schedule” was left out: it takes one of cosine, linear, constant.",
    ]);
  });
  await visit(`?device=cpu&lang=zh${hashOf({ steps: 0, kinds: "vanilla,telepathy" })}`, async ({ demo }) => {
    assert.deepEqual((await demo.hook("link-notice").innerText()).split(/\n+/), [
      "链接中的“steps”已忽略：应在 1 到 100000 之间。",
      "链接的“kinds”中已忽略：telepathy。这项任务没有这样的种类。",
    ]);
  });
});

test("a model is downloaded, loaded in another visit, and writes the same", async () => {
  const file = join(outputFolder, "model.safetensors");
  let written = "";
  await visit(`?device=cpu${hashOf({ ...TINY, kinds: "random+vanilla", temperature: 0, tokens: 40 })}`, async ({ demo, page }) => {
    await demo.click("compare");
    await demo.untilPhase("done");
    await until("it has written", async () => (await demo.written("random+vanilla")).length === 40);
    written = await demo.written("random+vanilla");
    const [download] = await Promise.all([page.waitForEvent("download"), demo.click("download-random+vanilla")]);
    assert.match(download.suggestedFilename(), /\.safetensors$/);
    await download.saveAs(file);
  });
  await visit(`?device=cpu${hashOf({ temperature: 0, tokens: 40 })}`, async ({ demo }) => {
    await demo.hook("load-file").setInputFiles(file);
    await until("the model is scored", async () => (await demo.number("random+vanilla", "score", "file")) > 0);
    await demo.click("speak");
    await until("it has written", async () => (await demo.written("random+vanilla")).length === 40);
    assert.equal(await demo.written("random+vanilla"), written);
    await demo.click("remove-random+vanilla");
    await until("it is gone", async () => (await demo.hook("race-table").locator('tr[data-origin="file"]').count()) === 0);

    await demo.hook("load-file").setInputFiles({ name: "letter.safetensors", mimeType: "text/plain", buffer: Buffer.from("Dear model") });
    await until("the error is said", async () => (await demo.hook("load-error").innerText()).length > 0);
  });
});

test("a file in another encoding is named, not swallowed", async () => {
  await visit("?device=cpu", async ({ demo }) => {
    await demo.click("open-text");
    const buffer = Buffer.concat([Buffer.from("caf"), Buffer.from([0xe9]), Buffer.from(` ${OWN_TEXT}`)]);
    await demo.hook("text-file").setInputFiles({ name: "old.txt", mimeType: "text/plain", buffer });
    await until("the error is said", async () => (await demo.hook("text-error").innerText()).includes("byte 4"));
    await demo.click("read-as-windows-1252");
    await until("it is read", async () => (await demo.hook("own-text").inputValue()).startsWith("café CHAPTER 9"));
  });
});

test("attention of a sentence is shown, layer by layer", async () => {
  await visit(`?device=cpu${hashOf({ ...TINY, kinds: FOUR_KINDS.join(","), steps: 40 })}`, async ({ demo, page }) => {
    await demo.click("compare");
    await demo.untilPhase("done");
    await demo.hook("look").fill("the white whale");
    await demo.hook("look").press("Enter");
    const maps = page.locator("#inside canvas");
    await until("there is a map for every kind", async () => (await maps.count()) >= FOUR_KINDS.length);
    await maps.first().hover({ position: { x: 5, y: 5 } });
    await until("the value is read out", async () => /\d/.test(await demo.hook("inside-reading").innerText()));
    await picture(page, "6-inside");
  });
});

test("it fits 360 pixels and needs no pointer", async () => {
  await visit(`?device=cpu${hashOf({ ...TINY, kinds: "vanilla,random", steps: 40 })}`, async ({ demo, page }) => {
    await demo.hook("compare").focus();
    await page.keyboard.press("Enter");
    await demo.untilPhase("done");
    const { width, inner } = await page.evaluate(() => ({ width: document.documentElement.scrollWidth, inner: innerWidth }));
    assert.ok(width <= inner, `${width} pixels wide in a window of ${inner}`);
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "7-narrow");
  }, { viewport: { width: 360, height: 740 } });
});

test("the page's thread is never held up for 50 ms", async () => {
  await visit(`?device=cpu${hashOf({ ...TINY, kinds: FOUR_KINDS.join(",") })}`, async ({ demo, page }) => {
    const ready = () => until("a device is shown", async () => (await demo.hook("device-chip").getAttribute("data-kind")) === "cpu");
    await ready();
    const [longest] = await mainThreadTasks(browser, page, async () => {
      await page.reload();
      await ready();
      await demo.click("compare");
      await demo.untilPhase("done");
      for (const kind of FOUR_KINDS) await until(`${kind} has written`, async () => (await demo.written(kind)).length >= 200);
    });
    assert.ok(longest.milliseconds < LONGEST_TASK, `a task of ${longest.milliseconds} ms in ${longest.where}`);
  });
});

test("on WebGPU in software all four kinds learn too, and the page says what it runs on", async () => {
  const settings = { ...TINY, steps: 40, warmup: 2, kinds: FOUR_KINDS.join(","), tokens: 20 };
  await visit(`?device=webgpu${hashOf(settings)}`, async ({ demo, page }) => {
    await until("WebGPU is shown", async () => (await demo.hook("device-chip").getAttribute("data-kind")) === "webgpu", 120);
    assert.match(await demo.hook("device-chip").innerText(), /program on the CPU/);
    await demo.click("compare");
    await until("every kind has a loss", async () => (await demo.losses(FOUR_KINDS)).every(Number.isFinite), 400);
    const first = await demo.losses(FOUR_KINDS);
    await picture(page, "8-webgpu");
    await demo.untilPhase("done", 600);
    for (const [i, loss] of (await demo.losses(FOUR_KINDS)).entries()) assert.ok(loss < first[i], `${FOUR_KINDS[i]}: ${first[i]} to ${loss}`);
    for (const kind of FOUR_KINDS) await until(`${kind} has written`, async () => (await demo.written(kind)).length === 20, 120);
  });
});
