// A tab that another one hides for a minute, in browsers that do hide it: what is hidden has few timers and no frames.
//
// Playwright tells pages that they are looked at, always, and Chromium without a screen hides nothing. So Chromium gets a
// screen that nobody sees, and both are driven over WebDriver.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { QUIET } from "../../scripts/lib/browser.js";
import { at } from "../../scripts/lib/paths.js";
import { serve } from "../../scripts/lib/serve.js";
import { browserPaths, firefoxPaths, webkitPaths } from "../../scripts/lib/tools.js";
import { hashOf } from "./demo-page.js";
import { until } from "./support.js";
import { Driver } from "./webdriver.js";

/** Seconds that the tab is hidden. */
const HIDDEN = 60;
/** Far more than there is time for. */
const RUN = { layers: 1, width: 32, heads: 4, length: 16, batch: 4, warmup: 5, rate: 0.01, steps: 100_000, kinds: "vanilla,dense" };

/** A driver of its own takes the throttling of hidden tabs away. */
const THROTTLING = ["disable-background-timer-throttling", "disable-backgrounding-occluded-windows", "disable-renderer-backgrounding"];
/** What Chromium does to a tab after five minutes, one wake-up a minute, it does after ten seconds. */
const SOON = "--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/10";

/** @type {Record<string, () => Promise<Driver>>} */
const BROWSERS = {
  Chromium: () => {
    const { chrome, chromedriver } = browserPaths();
    const options = { binary: chrome, args: [...QUIET, SOON], excludeSwitches: THROTTLING };
    return Driver.start([webkitPaths().xvfb, "-a", chromedriver], { "goog:chromeOptions": options });
  },
  Firefox: () => {
    const { firefox, geckodriver } = firefoxPaths();
    return Driver.start([geckodriver], { "moz:firefoxOptions": { binary: firefox, args: ["-headless"] } });
  },
};

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;

before(async () => {
  server = await serve({ "/some/where/": at("www", "dist"), "/page/": at("tests", "browser", "page"), "/libraries/synthattn/": at("pkg") });
});

after(() => server?.close());

/** @param {Driver} driver @param {string} id @returns {Promise<string>} */
const text = (driver, id) => driver.run((id) => document.querySelector(`[data-testid="${id}"]`)?.textContent ?? "", id);

/** @param {Driver} driver @param {string} id */
const click = (driver, id) => driver.run((id) => /** @type {HTMLElement} */ (document.querySelector(`[data-testid="${id}"]`)).click(), id);

/** How many steps each kind has made, by the table. @param {Driver} driver @returns {Promise<number[]>} */
const steps = (driver) => driver.run(() => [...document.querySelectorAll('[data-testid="race-table"] tr[data-origin="run"] th small')].map((cell) => Number((cell.textContent ?? "").replace(/\D/g, ""))));

/** From now on the page notes when it is hidden, what it asks of the worker, and how often its timer comes. */
function record() {
  /** @type {{ what: string, at: number, hidden: boolean }[]} */
  const log = [];
  const note = (/** @type {string} */ what) => log.push({ what, at: performance.now() / 1000, hidden: document.visibilityState === "hidden" });
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (/** @type {[any, any]} */ ...args) {
    note("asks");
    return postMessage.apply(this, args);
  };
  setInterval(() => note("timer"), 100);
  document.addEventListener("visibilitychange", () => note("change"));
  Object.assign(window, { log });
}

describe("a tab that is hidden for a minute", { concurrency: true }, () => {
  for (const [name, start] of Object.entries(BROWSERS)) {
    test(`trains on, is kept, and says so afterwards, in ${name}`, async () => {
      const driver = await start();
      try {
        await driver.open(`${server.origin}/some/where/?device=cpu${hashOf(RUN)}`);
        await until("it can begin", async () => (await text(driver, "device-chip")) !== "" && (await text(driver, "compare")) !== "");
        await click(driver, "compare");
        await until("step 40", async () => {
          const made = await steps(driver);
          return made.length === 2 && made.every((step) => step >= 40);
        });
        await driver.run(record);
        const seen = Math.min(...(await steps(driver)));
        const trained = await driver.tab();
        await driver.openTab();
        const end = Date.now() + HIDDEN * 1000;

        const keptStep = async () => {
          await driver.open("about:blank");
          await driver.open(`${server.origin}/page/kept.html`);
          let step = "";
          await until("the other tab has looked", async () => (step = await driver.run(() => document.body.dataset.step ?? "")) !== "");
          return Number(step);
        };
        await until("it is kept as it was hidden", async () => (await keptStep()) >= seen, 15);
        await new Promise((resolve) => setTimeout(resolve, end - Date.now()));
        await driver.show(trained);

        /** @type {{ what: string, at: number, hidden: boolean }[]} */
        const log = await driver.run(() => /** @type {any} */ (window).log);
        const changes = log.filter(({ what }) => what === "change");
        assert.deepEqual(changes.map(({ hidden }) => hidden), [true, false], "it was hidden once");
        const [from, to] = changes.map(({ at }) => at);
        assert.ok(to - from >= HIDDEN - 1, `it was hidden for ${to - from} s`);
        const meanwhile = log.filter(({ at }) => at > from && at < to);
        const timers = meanwhile.filter(({ what }) => what === "timer").length;
        assert.ok(timers < 2 * (to - from), `${timers} timers came, as if it were looked at`);
        // Reports come several times a second; each is asked for.
        for (let quarter = 0; quarter < 4; quarter += 1) {
          const [begin, finish] = [quarter, quarter + 1].map((share) => from + ((to - from) * share) / 4);
          const asked = meanwhile.filter(({ what, at }) => what === "asks" && at >= begin && at < finish);
          assert.ok(asked.length > 0, `nothing was trained from second ${begin - from} to ${finish - from}`);
        }

        await until("it says so", async () => /in the background/.test(await text(driver, "measured")));
        const words = /Steps ([\d,]+) to ([\d,]+) passed while this tab was in the background; their speeds are left out/.exec(await text(driver, "measured"));
        assert.ok(words, await text(driver, "measured"));
        const [first, last] = words.slice(1).map((step) => Number(step.replaceAll(",", "")));
        assert.ok(first >= seen && last >= first + 80, `steps ${first} to ${last}, after ${seen}`);
        assert.equal(await driver.run(() => document.body.dataset.phase), "running");
        await until("it goes on", async () => (await steps(driver)).every((step) => step > last));
        assert.equal(await text(driver, "run-error"), "");
        assert.equal(await text(driver, "kept-trouble"), "");
        await click(driver, "stop");
        await until("it has stopped", async () => (await driver.run(() => document.body.dataset.phase)) === "stopped");
        assert.deepEqual(server.missing, []);
      } finally {
        await driver.close();
      }
    });
  }
});
