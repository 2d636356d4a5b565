// What browser tests share: pages that report every complaint, polling, traces of the main thread, screenshots.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputFolder } from "../../scripts/lib/paths.js";

/** @import { Browser, Page } from "playwright-core" */

/**
 * The page's thread must never be held up for 50 ms. What is measured is processor time, which other load on the
 * machine can't lengthen but a virtual machine may count short: 90 ms of spinning came out as 53. Hence the margin.
 */
export const LONGEST_TASK = 29;

const MARK = "traced by the test";

/** Chromium's own remark when a page asks for an adapter and there is none. */
const NO_ADAPTER = "No available adapters.";

/**
 * Opens a page that remembers every console error, exception, failed request and request to another origin.
 *
 * @param {Browser} browser
 * @param {string} url
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function openPage(browser, url, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  /** @type {string[]} */
  const complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error" || (message.type() === "warning" && message.text() !== NO_ADAPTER)) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (why) => complaints.push(`exception: ${why.message}`));
  page.on("crash", () => complaints.push("the page crashed"));
  const { origin } = new URL(url);
  context.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) complaints.push(`request to ${request.url()}`);
  });
  context.on("requestfailed", (request) => {
    const why = request.failure()?.errorText;
    // A page that is left or reloaded drops what it still fetches, such as its icon: nothing is wrong with that.
    if (why !== "net::ERR_ABORTED") complaints.push(`failed: ${request.url()} (${why})`);
  });
  await page.goto(url);
  return { page, context, complaints };
}

/**
 * Asks until the answer is true. Playwright's own waiting compiles code in the page, which the policy forbids.
 *
 * @param {string} what
 * @param {() => Promise<unknown>} question
 * @param {number} seconds
 */
export async function until(what, question, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  while (!(await question())) {
    if (Date.now() > end) assert.fail(`after ${seconds} s still not: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * Runs something under Chromium's tracer and gives the longest tasks of the page's main thread, in milliseconds of
 * processor time: what else the machine does at the time does not count.
 *
 * @param {Browser} browser
 * @param {Page} page
 * @param {() => Promise<void>} body
 * @returns {Promise<{ milliseconds: number, where: string }[]>} longest first
 */
export async function mainThreadTasks(browser, page, body) {
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing"] });
  try {
    await page.evaluate((name) => performance.mark(name), MARK);
    await body();
  } finally {
    var trace = await browser.stopTracing();
  }
  /** @type {any[]} */
  const events = JSON.parse(String(trace)).traceEvents;
  // The thread that made the mark is the page's, among those of other pages and of the browser.
  const main = events.find(({ name }) => name === MARK);
  assert.ok(main, "the trace does not hold the page's mark");
  const tasks = events
    .filter(({ name, pid, tid }) => name === "ThreadControllerImpl::RunTask" && pid === main.pid && tid === main.tid)
    .map(({ tdur = 0, args }) => ({ milliseconds: tdur / 1000, where: `${args.src_file}: ${args.src_func}` }))
    .sort((a, b) => b.milliseconds - a.milliseconds);
  assert.ok(tasks.length > 0, "the trace holds no tasks of the page's main thread");
  return tasks;
}

/** Keeps a picture for a person to look at. @param {Page} page @param {string} name */
export async function picture(page, name) {
  const folder = join(outputFolder, "screenshots");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.png`), await page.screenshot({ fullPage: true }));
}
