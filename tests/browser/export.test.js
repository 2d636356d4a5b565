// What can be taken out of the page: pictures of every chart, numbers of every table, and the link that runs it again.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import Papa from "papaparse";
import { at } from "../../scripts/lib/paths.js";
import { TINY, hashOf, servedDemo } from "./demo-page.js";
import { until } from "./support.js";

/** @import { Page } from "playwright-core" */

const open = servedDemo();

/**
 * @param {Record<string, string | number>} settings
 * @param {Parameters<typeof open>[1]} body
 * @param {Parameters<typeof open>[2]} [options]
 */
const visit = (settings, body, options) => open(`?device=cpu${hashOf(settings)}`, body, options);

/** Presses a button and reads the file. @param {Page} page @param {string} hook */
async function saved(page, hook) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`[data-testid="${hook}"]`).click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Rows of a CSV file. @param {Buffer} bytes @returns {Record<string, string>[]} */
function rowsOf(bytes) {
  const text = bytes.toString("utf8");
  assert.ok(text.startsWith("\uFEFF"), "no mark of the encoding");
  const { data, errors } = Papa.parse(text.slice(1).trimEnd(), { header: true });
  assert.deepEqual(errors, []);
  return /** @type {Record<string, string>[]} */ (data);
}

/**
 * What is in an SVG file, as a browser draws it outside the page.
 *
 * @param {Page} page
 * @param {Buffer} bytes
 */
function drawn(page, bytes) {
  return page.evaluate((text) => {
    const { documentElement: root } = new DOMParser().parseFromString(text, "image/svg+xml");
    const all = (/** @type {string} */ selector) => [...root.querySelectorAll(selector)];
    return {
      root: root.nodeName,
      viewBox: root.getAttribute("viewBox"),
      texts: all("text").map(({ textContent }) => textContent),
      lines: all("polyline").map((line) => (line.getAttribute("points") ?? "").split(" ").filter(Boolean).map((point) => point.split(",").map(Number))),
      strokes: all("polyline").map((line) => line.getAttribute("stroke")),
      circles: all("circle").length,
      rects: all("rect").length,
      foreign: all("script, foreignObject, style").length,
      images: all("image").map((image) => image.getAttribute("href") ?? ""),
    };
  }, bytes.toString("utf8"));
}

/** Width and height of a PNG file, and how many colours it has. @param {Page} page @param {Buffer} bytes */
async function pixelsOf(page, bytes) {
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  return page.evaluate(async (data) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(data)], { type: "image/png" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.drawImage(bitmap, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const colours = new Set();
    let opaque = true;
    for (let i = 0; i < pixels.length; i += 4) {
      colours.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
      opaque &&= pixels[i + 3] === 255;
    }
    return { width: bitmap.width, height: bitmap.height, colours: colours.size, opaque };
  }, [...bytes]);
}

test("the race: curves as SVG, PNG and CSV, the table as CSV, with the numbers that the page shows", async () => {
  await visit({ ...TINY, kinds: "vanilla,random", steps: 100 }, async ({ demo, page }) => {
    assert.equal(await demo.hook("save-curves-svg").isVisible(), false);
    assert.equal(await demo.hook("share-run").isVisible(), false);
    await demo.click("compare");
    await demo.untilPhase("done");
    await until("it is scored", async () => (await demo.number("random", "score")) > 0);

    const svg = await saved(page, "save-curves-svg");
    assert.equal(svg.name, "synthattn-curves.svg");
    const picture = await drawn(page, svg.bytes);
    assert.equal(picture.root, "svg");
    assert.equal(picture.foreign, 0);
    for (const text of ["Vanilla", "Random", "The race", "100"]) assert.ok(picture.texts.includes(text), `${text} is not in ${picture.texts}`);

    const csv = await saved(page, "save-curves-csv");
    const rows = rowsOf(csv.bytes);
    for (const [index, kind] of ["vanilla", "random"].entries()) {
      const points = rows.filter((row) => row.kind === kind && row.on === "training");
      assert.deepEqual(points.map(({ step }) => Number(step)), [20, 40, 60, 80, 100]);
      assert.equal(Number(points[4].loss).toFixed(3), await demo.cell(kind, "loss"));
      const whole = rows.filter((row) => row.kind === kind && row.on === "held-out");
      assert.equal(Number(whole.at(-1)?.bitsPerCharacter).toFixed(3), await demo.cell(kind, "score"));
      // The picture's line goes through the same points: right with the steps, down with the loss.
      const line = picture.lines[index];
      assert.equal(line.length, points.length);
      const [x, y] = [0, 1].map((axis) => line.map((point) => point[axis]));
      const unit = (x[4] - x[0]) / 80;
      const high = (y[4] - y[0]) / (Number(points[4].loss) - Number(points[0].loss));
      for (const [at, point] of points.entries()) {
        assert.ok(Math.abs(x[at] - x[0] - unit * (Number(point.step) - 20)) < 0.1, `x of step ${point.step}`);
        assert.ok(Math.abs(y[at] - y[0] - high * (Number(point.loss) - Number(points[0].loss))) < 0.1, `y of step ${point.step}`);
      }
      assert.ok(high < 0);
    }
    assert.equal(new Set(picture.strokes).size, 2);
    assert.equal(picture.circles, rows.filter(({ on }) => on !== "training").length);

    const png = await pixelsOf(page, (await saved(page, "save-curves-png")).bytes);
    assert.ok(png.width > 300 && png.height > 300 && png.opaque && png.colours > 20, JSON.stringify(png));

    const table = rowsOf((await saved(page, "save-race-csv")).bytes);
    assert.deepEqual(table.map(({ kind }) => kind), ["vanilla", "random"]);
    for (const row of table) {
      assert.equal(Number(row.trainingLoss).toFixed(3), await demo.cell(row.kind, "loss"));
      assert.equal(Number(row.weights).toLocaleString("en"), await demo.cell(row.kind, "parameters"));
      assert.equal(row.step, "100");
      assert.ok(Number(row.stepsPerSecond) > 0 && row.device === "CPU, one thread");
    }
    assert.deepEqual(await demo.violations(), []);
  });
});

test("maps of attention as SVG, PNG and CSV", async () => {
  await visit({ ...TINY, kinds: "vanilla,random", steps: 20, look: "white whale" }, async ({ demo, page }) => {
    await demo.click("compare");
    await demo.untilPhase("done");
    await until("the maps are there", async () => (await page.locator("#inside canvas.map").count()) === 2);
    const rows = rowsOf((await saved(page, "save-maps-csv")).bytes);
    const { length } = "white whale";
    assert.equal(rows.length, 2 * length * length);
    for (const kind of ["vanilla", "random"]) {
      for (let query = 1; query <= length; query += 1) {
        const weights = rows.filter((row) => row.kind === kind && Number(row.query) === query).map(({ weight }) => Number(weight));
        assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-4, `${kind}: row ${query}`);
      }
    }
    assert.equal(rows[0].queryToken, "w");
    const picture = await drawn(page, (await saved(page, "save-maps-svg")).bytes);
    assert.equal(picture.rects, 2 * length * length + 1);
    assert.deepEqual(picture.images, []);
    assert.ok(picture.texts.includes("Vanilla") && picture.texts.includes("Random"));
    const png = await pixelsOf(page, (await saved(page, "save-maps-png")).bytes);
    assert.ok(png.width > 400 && png.opaque && png.colours > 20, JSON.stringify(png));
  });
});

test("maps of long texts are pictures in the SVG, a pixel a cell", async () => {
  await visit({ ...TINY, length: 80, kinds: "random", steps: 2, warmup: 1, look: "call me ishmael ".repeat(5).slice(0, 70) }, async ({ demo, page }) => {
    await demo.click("compare");
    await demo.untilPhase("done");
    await until("the map is there", async () => (await page.locator("#inside canvas.map").count()) === 1);
    const { images, rects, foreign } = await drawn(page, (await saved(page, "save-maps-svg")).bytes);
    assert.deepEqual([images.length, rects, foreign], [1, 1, 0]);
    const { width, height } = await pixelsOf(page, Buffer.from(images[0].split(",")[1], "base64"));
    assert.deepEqual([width, height], [70, 70]);
  });
});

test("measured speeds as SVG, PNG and CSV", async () => {
  await visit({ ...TINY, kinds: "vanilla,random", lengths: "4, 8" }, async ({ demo, page }) => {
    await until("a device is shown", async () => (await demo.hook("device-chip").getAttribute("data-kind")) === "cpu");
    await demo.click("measure");
    await until("all is measured", async () => /Measured on/.test(await demo.hook("measure-status").innerText()), 120);
    const rows = rowsOf((await saved(page, "save-speed-csv")).bytes);
    assert.equal(rows.length, 2 * 2 * 3);
    for (const { kind, what, length, median, low, high } of rows) {
      assert.ok(["vanilla", "random"].includes(kind) && ["train", "forward", "generate"].includes(what) && ["4", "8"].includes(length));
      assert.ok(Number(low) <= Number(median) && Number(median) <= Number(high));
    }
    const picture = await drawn(page, (await saved(page, "save-speed-svg")).bytes);
    assert.deepEqual(picture.lines.map((line) => line.length), [2, 2]);
    assert.ok(picture.texts.includes("4") && picture.texts.includes("8"), String(picture.texts));
    const png = await pixelsOf(page, (await saved(page, "save-speed-png")).bytes);
    assert.ok(png.width > 300 && png.opaque && png.colours > 20, JSON.stringify(png));
  });
});

test("counts of labels as CSV; a label that looks like a formula stays text in a spreadsheet", async () => {
  const rows = Array.from({ length: 60 }, (_, index) => `${index % 2 ? "good" : "bad"} ${index},${index % 2 ? "=1+1" : "-bad"}`);
  const buffer = Buffer.from(["text,label", ...rows].join("\n"));
  await visit({ task: "classification", kinds: "vanilla", layers: 1, width: 16, heads: 2, batch: 8, steps: 20, warmup: 5 }, async ({ demo, page }) => {
    await demo.click("open-text");
    await demo.click("text-own");
    await demo.hook("rows-file").setInputFiles({ name: "own.csv", mimeType: "text/csv", buffer });
    await until("they are split", async () => /48 rows to train on/.test(await demo.hook("about-data").innerText()));
    await demo.click("compare");
    await demo.untilPhase("done");
    await until("there are counts", async () => demo.hook("save-confusion-csv").isVisible());
    const counts = rowsOf((await saved(page, "save-confusion-csv")).bytes);
    assert.equal(counts.length, 4);
    assert.equal(counts.reduce((sum, { rows }) => sum + Number(rows), 0), 12);
    for (const { truth } of counts) assert.ok(["'=1+1", "'-bad"].includes(truth), truth);
  });
});

test("the link to a run has the run's settings, whatever was set since, and is copied with one press", async () => {
  await visit({ ...TINY, kinds: "vanilla,random", steps: 40, seed: 7 }, async ({ demo, page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await demo.click("compare");
    await demo.untilPhase("done");
    const losses = await demo.losses(["vanilla", "random"]);
    await demo.hook("seed").fill("8");
    await demo.hook("seed").blur();
    await demo.click("share-run");
    await until("it says so", async () => /Copied: it opens with the settings of this run/.test(await page.locator(".saves").innerText()));
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(new URLSearchParams(new URL(link).hash.slice(1)).get("seed"), "7");
    assert.equal(await demo.hook("seed").inputValue(), "8", "the page keeps what was set");
    const second = await context.newPage();
    await second.goto(link.replace("/demo/", "/demo/?device=cpu"));
    const { DemoPage } = await import("./demo-page.js");
    const again = new DemoPage(second);
    await until("it is open", async () => (await again.hook("compare").count()) === 1);
    await again.click("compare");
    await again.untilPhase("done");
    assert.deepEqual(await again.losses(["vanilla", "random"]), losses);
  });
});

test("where the clipboard is closed, the link of the run is shown", async () => {
  await visit({ ...TINY, kinds: "vanilla", steps: 20 }, async ({ demo, page }) => {
    await page.evaluate(() => Object.defineProperty(navigator.clipboard, "writeText", { value: () => Promise.reject(new Error("no")) }));
    await demo.click("compare");
    await demo.untilPhase("done");
    await demo.click("share-run");
    await until("the link is there", async () => /steps=20/.test(await demo.hook("share-run-link").inputValue()));
    assert.ok(await demo.hook("share-run-link").isVisible());
  });
});
