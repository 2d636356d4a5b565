// The demo with more than one worker: asked for in the budget, the same losses, said wherever speed is told.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launchChromium } from "../../scripts/lib/browser.js";
import { at } from "../../scripts/lib/paths.js";
import { serve } from "../../scripts/lib/serve.js";
import { TINY, hashOf, openDemo } from "./demo-page.js";
import { until } from "./support.js";

/** @import { Browser } from "playwright-core" */

const KINDS = ["vanilla", "random"];
const RUN = { ...TINY, steps: 40, batch: 5, kinds: KINDS.join(","), dropout: 0.1 };

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {Browser} */
let browser;

before(async () => {
  server = await serve({ "/": at("www", "dist") });
  browser = await launchChromium();
});

after(async () => {
  await browser?.close();
  server?.close();
});

/**
 * The demo on a machine of so many cores.
 *
 * @param {number} cores
 * @param {Record<string, string | number>} settings
 * @param {(visit: Awaited<ReturnType<typeof openDemo>>) => Promise<void>} body
 */
async function visit(cores, settings, body) {
  const visited = await openDemo(browser, `${server.origin}/?device=cpu`);
  try {
    await visited.page.addInitScript((cores) => Object.defineProperty(Navigator.prototype, "hardwareConcurrency", { get: () => cores }), cores);
    await visited.page.goto(`${server.origin}/?device=cpu&cores=${cores}${hashOf(settings)}`);
    await body(visited);
    assert.deepEqual(visited.complaints, []);
  } finally {
    await visited.context.close();
  }
}

test("workers asked for in the budget share the run, which has the losses of one", async () => {
  await visit(3, RUN, async ({ demo, page }) => {
    const chip = async () => (await demo.hook("device-chip").innerText()).trim();
    await demo.click("compare");
    await demo.untilPhase("done");
    assert.equal(await chip(), "CPU, one thread");
    assert.equal(page.workers().length, 1);
    const alone = await demo.losses(KINDS);

    await demo.click("open-budget");
    assert.deepEqual(await demo.violations(), []);
    await demo.hook("workers").fill("3");
    await demo.hook("workers").press("Tab");
    await demo.click("compare");
    await until("the second run", async () => (await demo.phase()) !== "done");
    await demo.untilPhase("done");
    assert.equal(await chip(), "CPU, 3 threads");
    assert.equal(page.workers().length, 3);
    assert.match(await page.locator("#race").innerText(), /measured on CPU, 3 threads/);
    // As shown, in thousandths: rounding may move the last of them.
    for (const [index, loss] of (await demo.losses(KINDS)).entries()) assert.ok(Math.abs(loss - alone[index]) < 2e-3, `${loss}, ${alone[index]}`);
    assert.match(page.url(), /workers=3/);
  });
});

test("no more workers than the machine has cores, and none to choose where there is one", async () => {
  await visit(2, RUN, async ({ demo }) => {
    await demo.click("open-budget");
    await demo.hook("workers").fill("3");
    await demo.click("compare");
    assert.equal(await demo.phase(), "idle");
    assert.equal(await demo.hook("workers").getAttribute("aria-invalid"), "true");
    await demo.hook("workers").fill("2");
    await demo.click("compare");
    await demo.untilPhase("done");
  });
  await visit(1, { ...RUN, workers: 4 }, async ({ demo }) => {
    assert.match(await demo.hook("link-notice").innerText(), /workers/);
    await demo.click("open-budget");
    assert.equal(await demo.hook("batch").isVisible(), true);
    assert.equal(await demo.hook("workers").isVisible(), false);
    await demo.click("compare");
    await demo.untilPhase("done");
  });
});
