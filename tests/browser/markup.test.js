// What is typed, picked or loaded stays text in the page, whatever it looks like.

import assert from "node:assert/strict";
import { test } from "node:test";
import { at } from "../../scripts/lib/paths.js";
import { hashOf, servedDemo } from "./demo-page.js";
import { until } from "./support.js";

/** @import { Page } from "playwright-core" */

const MARKUP = `<img src=x onerror="window.broken=1">`;
const LINK = `<a href="javascript:window.broken=1">x</a><script>window.broken=1</script>`;

const open = servedDemo();
const SMALL = { layers: 1, width: 16, heads: 2, batch: 8, steps: 30, warmup: 5 };

/** @param {Record<string, string | number>} settings @param {Parameters<typeof open>[1]} body */
const visit = (settings, body) => open(`?device=cpu${hashOf({ ...SMALL, ...settings })}`, body);

/** Shows the text, and holds nothing that was made of it. @param {Page} page @param {string} text */
async function staysText(page, text) {
  const { shown, made, broken } = await page.evaluate((text) => {
    const made = [...document.querySelectorAll("img, iframe, object, embed, [onerror], [onload], a[href^='javascript:'], body script:not([src])")];
    const boxes = [...document.querySelectorAll("input, textarea")].map((box) => /** @type {HTMLInputElement} */ (box).value);
    const shown = document.body.textContent?.includes(text) || boxes.some((value) => value.includes(text));
    return { shown, made: made.map(({ outerHTML }) => outerHTML), broken: /** @type {any} */ (window).broken };
  }, text);
  assert.deepEqual(made, []);
  assert.equal(broken, undefined, "it ran");
  assert.ok(shown, `${text} is nowhere on the page`);
}

test("rows, labels, the names of their columns and of their file", async () => {
  const quoted = (/** @type {string} */ text) => `"${text.replaceAll('"', '""')}"`;
  const rows = Array.from({ length: 40 }, (_, index) => [quoted(`${index % 2 ? "good" : "bad"} ${index} ${MARKUP}`), quoted(index % 2 ? MARKUP : LINK)].join(","));
  const buffer = Buffer.from(["text,label", ...rows].join("\n"));
  await visit({ task: "classification", kinds: "vanilla" }, async ({ demo, page }) => {
    await demo.click("open-text");
    await demo.click("text-own");
    await demo.hook("rows-file").setInputFiles({ name: `${MARKUP.replaceAll('"', "")}.csv`, mimeType: "text/csv", buffer });
    await until("they are split", async () => /32 rows to train on/.test(await demo.hook("about-data").innerText()));
    await staysText(page, MARKUP);
    await demo.click("compare");
    await demo.untilPhase("done");
    await until("test rows have answers", async () => (await page.locator('[data-testid^="prediction-"][data-right]').count()) > 0);
    await demo.hook("prompt").first().fill(`${LINK} ${MARKUP}`);
    await until("the prompt is answered", async () => (await page.locator(".answer-line").count()) > 0);
    await staysText(page, LINK);
  });
});

test("a text, a prompt, what is written, and the name of a model's file", async () => {
  const buffer = Buffer.from(`${MARKUP} ${LINK}\n`.repeat(60));
  await visit({ kinds: "vanilla", length: 16 }, async ({ demo, page }) => {
    await demo.click("open-text");
    await demo.click("text-own");
    await demo.hook("text-file").setInputFiles({ name: `${MARKUP.replaceAll('"', "")}.txt`, mimeType: "text/plain", buffer });
    await until("the name is shown", async () => ((await page.locator("body").textContent()) ?? "").includes("onerror=window.broken=1>.txt"));
    await staysText(page, "<img src=x");
    await demo.click("compare");
    await demo.untilPhase("done");
    await demo.hook("prompt").first().fill(MARKUP);
    await demo.click("speak");
    await until("it has written", async () => (await demo.hook("speech-vanilla").innerText()).length > MARKUP.length + 20);
    await staysText(page, MARKUP);
    await demo.hook("load-file").setInputFiles({ name: `${MARKUP.replaceAll('"', "")}.safetensors`, mimeType: "text/plain", buffer });
    await until("it is refused", async () => (await demo.hook("load-error").innerText()).length > 0);
    await staysText(page, MARKUP);
  });
});
