// The demo as a visitor drives it: finds things by the hooks that www/main.js lists.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before } from "node:test";
import { launchChromium } from "../../scripts/lib/browser.js";
import { at } from "../../scripts/lib/paths.js";
import { serve } from "../../scripts/lib/serve.js";
import { openPage, until } from "./support.js";

/** @import { Browser, Page } from "playwright-core" */

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const FOUR_KINDS = ["vanilla", "random", "dense", "random+vanilla"];

/** Enough to see every kind learn, little enough to wait for. */
export const TINY = { layers: 1, width: 32, heads: 4, length: 16, batch: 4, warmup: 5, rate: 0.01, steps: 120, validation: 0.1 };

/** @param {Record<string, string | number>} settings */
export const hashOf = (settings) => `#${new URLSearchParams(Object.entries(settings).map(([name, value]) => [name, String(value)]))}`;

/**
 * @param {Browser} browser
 * @param {string} url
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function openDemo(browser, url, options) {
  const { page, context, complaints } = await openPage(browser, url, options);
  return { demo: new DemoPage(page), page, context, complaints };
}

/**
 * The demo as built, served and opened in a Chromium of its own for the tests of one file. Gives a way to visit it: at an
 * address below its home, with nothing complained of or missing at the end.
 */
export function servedDemo() {
  /** @type {Awaited<ReturnType<typeof serve>>} */
  let server;
  /** @type {Browser} */
  let browser;
  before(async () => {
    server = await serve({ "/demo/": at("www", "dist") });
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  /**
   * @param {string} address
   * @param {(visit: Awaited<ReturnType<typeof openDemo>>) => Promise<void>} body
   * @param {import("playwright-core").BrowserContextOptions} [options]
   */
  return async (address, body, options) => {
    const visited = await openDemo(browser, `${server.origin}/demo/${address}`, options);
    try {
      await body(visited);
      assert.deepEqual(visited.complaints, []);
      assert.deepEqual(server.missing, []);
    } finally {
      await visited.context.close();
    }
  };
}

export class DemoPage {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
  }

  /** @param {string} id */
  hook(id) {
    return this.page.locator(`[data-testid="${id}"]`);
  }

  /** @param {string} id */
  click(id) {
    return this.hook(id).click();
  }

  /** @returns {Promise<string>} idle, not-started, preparing, running, pausing, paused, stopping, stopped, done or failed */
  async phase() {
    return (await this.page.locator("body").getAttribute("data-phase")) ?? "";
  }

  /** @param {string} phase @param {number} [seconds] */
  async untilPhase(phase, seconds = 120) {
    await until(`phase ${phase}`, async () => {
      const now = await this.phase();
      if (["failed", "not-started"].includes(now) && phase !== now) throw new Error(`the run failed: ${await this.hook("run-error").innerText()}`);
      return now === phase;
    }, seconds);
  }

  /** A cell of the table, empty while there is no such row. @param {string} kind @param {string} column @param {"run" | "file"} [origin] */
  async cell(kind, column, origin = "run") {
    const row = this.hook("race-table").locator(`tr[data-kind="${kind}"][data-origin="${origin}"]`);
    const texts = await row.locator(`[data-column="${column}"]`).allInnerTexts();
    return texts[0] ?? "";
  }

  /** The number in a cell, NaN while there is none. @param {string} kind @param {string} column @param {"run" | "file"} [origin] */
  async number(kind, column, origin = "run") {
    return Number.parseFloat((await this.cell(kind, column, origin)).replace(/[^0-9.]/g, "") || "NaN");
  }

  /** @param {string[]} kinds */
  async losses(kinds) {
    return Promise.all(kinds.map((kind) => this.number(kind, "loss")));
  }

  /** What a kind has written after the prompt. @param {string} kind */
  written(kind) {
    return this.hook(`speech-${kind}`).locator(".new").evaluate((element) => element.textContent ?? "");
  }

  /** What an automatic check of accessibility finds. */
  async violations() {
    // Not by a script element, which the page's policy forbids.
    const session = await this.page.context().newCDPSession(this.page);
    await session.send("Runtime.evaluate", { expression: AXE });
    const { violations } = await this.page.evaluate(() => /** @type {any} */ (globalThis).axe.run());
    return violations.map((/** @type {any} */ { id, help, nodes }) => `${id}: ${help}: ${nodes.map((/** @type {any} */ { target }) => target).join("; ")}`);
  }
}
