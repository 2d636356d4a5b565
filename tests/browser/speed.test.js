// The speed lab's numbers, to take along.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Papa from "papaparse";
import { launchChromium } from "../../scripts/lib/browser.js";
import { at } from "../../scripts/lib/paths.js";
import { serve } from "../../scripts/lib/serve.js";
import { hashOf, openDemo } from "./demo-page.js";
import { picture, until } from "./support.js";

/** @import { DemoPage } from "./demo-page.js" */
/** @import { Page } from "playwright-core" */

const SIZE = { layers: 1, width: 16, heads: 2, batch: 2 };

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
before(async () => {
  server = await serve({ "/some/where/": at("www", "dist") });
});
after(() => server?.close());

/**
 * @param {{ webgpu?: boolean, address: string, clipboard?: boolean }} options
 * @param {(visit: { demo: DemoPage, page: Page }) => Promise<void>} body
 */
async function measured({ webgpu = false, address, clipboard = true }, body) {
  const browser = await launchChromium({ webgpu });
  try {
    const { demo, page, context, complaints } = await openDemo(browser, `${server.origin}/some/where/${address}`);
    if (clipboard) await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await demo.click("measure");
    await until("it is measured", async () => /^Measured on/.test(await demo.hook("measure-status").innerText()), 600);
    await body({ demo, page });
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
  }
}

/** @param {DemoPage} demo @param {"csv" | "markdown"} form */
async function copied(demo, form) {
  await demo.page.evaluate(() => navigator.clipboard.writeText(""));
  await demo.click(`speed-copy-${form}`);
  await until("it is copied", async () => (await demo.hook("speed-copied").innerText()) === "Copied, with all that was measured.");
  return demo.page.evaluate(() => navigator.clipboard.readText());
}

/** Cells of the table on the page, by rows, the head first. @param {DemoPage} demo @returns {Promise<string[][]>} */
const shown = (demo) => demo.hook("speed-table").locator("tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));

/** Half of the last digit that the page writes of a speed, and what six digits leave out. @param {number} value */
const rounding = (value) => 0.51 * (value >= 100 ? 1 : value >= 10 ? 0.1 : 0.01);

test("what was measured on the CPU is copied as CSV and as Markdown, as the table has it", async () => {
  await measured({ address: `?device=cpu${hashOf({ ...SIZE, kinds: "vanilla,random", lengths: "8, 16" })}` }, async ({ demo, page }) => {
    const { data, errors, meta } = Papa.parse(await copied(demo, "csv"), { header: true, skipEmptyLines: true });
    assert.deepEqual(errors, []);
    assert.deepEqual(meta.fields, "kind,what,length,median,low,high,unit,relativeToVanilla,device,software,batch,dModel,heads,layers,repeats".split(","));
    const rows = /** @type {Record<string, string>[]} */ (data);
    assert.equal(rows.length, 2 * 2 * 3, "kinds, lengths, and what is measured");
    for (const row of rows) {
      assert.ok(0 < Number(row.low) && Number(row.low) <= Number(row.median) && Number(row.median) <= Number(row.high), JSON.stringify(row));
      assert.ok(Number(row.relativeToVanilla) > 0);
      const { repeats, batch, dModel, heads, layers, device, software, unit, what } = row;
      assert.deepEqual({ repeats, batch, dModel, heads, layers }, { repeats: "5", batch: "2", dModel: "16", heads: "2", layers: "1" });
      assert.deepEqual({ device, software, unit }, { device: "CPU, one thread", software: "false", unit: what === "generate" ? "tokens/s" : "ms" });
    }

    const markdown = await copied(demo, "markdown");
    const tables = markdown.split("\n\n");
    assert.match(markdown, /^\*\*Training step, ms\*\*$/m);
    assert.match(markdown, /^\*\*Generation, tokens\/s\*\*$/m);
    assert.match(markdown, /Medians of 5 repeats, with the least and the most; batch of 2, layers: 1, width 16, heads: 2; measured on CPU, one thread\.\n$/);
    assert.doesNotMatch(markdown, /program on the CPU/);
    for (const what of ["train", "forward", "generate"]) {
      await demo.hook(`what-${what}`).evaluate((input) => /** @type {HTMLElement} */ (input).click());
      const [head, ...body] = await shown(demo);
      const lines = tables[tables.findIndex((text) => text.startsWith(`**${{ train: "Training step", forward: "Forward pass", generate: "Generation" }[what]}`)) + 1].split("\n");
      const cells = lines.map((line) => line.slice(2, -2).split(" | "));
      assert.deepEqual(cells[0], head);
      assert.match(lines[1], /^\|---\|---:\|---:\|$/);
      for (const [index, [label, ...values]] of body.entries()) {
        const [copiedLabel, ...copiedValues] = cells[index + 2];
        assert.equal(copiedLabel, label);
        for (const [column, value] of values.entries()) {
          const median = value.replace(/ \(.*/, "");
          assert.ok(copiedValues[column].startsWith(`${median} (`), `${copiedValues[column]} for ${value}`);
          const kind = ["vanilla", "random"][index];
          const row = rows.find((one) => one.kind === kind && one.what === what && Number(one.length) === [8, 16][column]);
          const exact = Number(row?.median);
          assert.ok(Math.abs(exact - Number(median.replaceAll(",", ""))) <= rounding(exact), `${exact} for ${median}`);
        }
      }
    }
    assert.deepEqual(await demo.violations(), []);
    await demo.hook("speed-copy-csv").scrollIntoViewIfNeeded();
    await picture(page, "speed-copy");
  });
});

test("where the clipboard is closed the text is shown, to be copied by hand", async () => {
  await measured({ address: `?device=cpu${hashOf({ ...SIZE, kinds: "random", lengths: "8" })}`, clipboard: false }, async ({ demo, page }) => {
    await page.evaluate(() => (navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))));
    await demo.click("speed-copy-csv");
    await until("it is shown", () => demo.hook("speed-copy-text").isVisible());
    const text = await demo.hook("speed-copy-text").inputValue();
    assert.equal(text.trim().split("\n").length, 1 + 3);
    assert.match(await demo.hook("speed-copied").innerText(), /Copy it from the box/);
    const selected = await demo.hook("speed-copy-text").evaluate((box) => /** @type {HTMLTextAreaElement} */ (box).selectionEnd);
    assert.equal(selected, text.length);
    assert.deepEqual(await demo.violations(), []);
  });
});

test("on a software adapter both say so, and which it is", async () => {
  await measured({ webgpu: true, address: `?device=webgpu${hashOf({ ...SIZE, kinds: "random", lengths: "8" })}` }, async ({ demo }) => {
    const { data } = Papa.parse(await copied(demo, "csv"), { header: true, skipEmptyLines: true });
    const rows = /** @type {Record<string, string>[]} */ (data);
    assert.equal(rows.length, 3);
    const name = /WebGPU, .*\(software\)/.exec(await demo.hook("device-chip").innerText())?.[0];
    assert.ok(name);
    for (const { device, software } of rows) assert.deepEqual({ device, software }, { device: name, software: "true" });
    const markdown = await copied(demo, "markdown");
    assert.ok(markdown.includes(`measured on ${name}. This adapter is a program on the CPU`), markdown);
  });
});
