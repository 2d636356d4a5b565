// The page in its languages: chosen by the browser, changed on the page, with all that was on it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FOUR_KINDS, TINY, hashOf, servedDemo } from "./demo-page.js";
import { picture, until } from "./support.js";

/** @import { Page } from "playwright-core" */

const visit = servedDemo();

/** @param {Page} page */
const languageOf = (page) => page.evaluate(() => document.documentElement.lang);

/** Words that stand in the page whatever its language: names, units, what people typed or data hold. */
const NAMES =
  /synthattn|WebGPU|CPU|English|Top-k|Dropout|Linformer|MLP-Mixer|FNet|AFT|Tay|Bahri|Metzler|Juan|Zhao|Zheng|Synthesizer: Rethinking Self-Attention for Transformer Models|ICML|CC0|Herman Melville|Moby Word Lists|Grady Ward|npm|stdlib\S*|datasets\S*|kB|MB|softmax|Vaswani|Wu|Wang|Tolstikhin|Lee-Thorp|Zhai|relu|gelu|exp|Re|One Billion Word|TPU|Narang|JSON|CSV|TSV|safetensors|SVG|PNG/g;

/** Texts that are neither Chinese nor names nor rows of data: two Latin words in a row. @param {Page} page */
async function leftInEnglish(page) {
  const texts = await page.evaluate(() => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (!parent || parent.closest(`script, noscript, math, textarea, .speech, .sample-rows, [data-testid="predictions"]`)) continue;
      found.push(walker.currentNode.textContent ?? "");
    }
    for (const element of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
      for (const name of ["aria-label", "title", "placeholder"]) found.push(element.getAttribute(name) ?? "");
    }
    return found;
  });
  return [...new Set(texts.filter((text) => /[A-Za-z]{2,}[ ,]+[A-Za-z]{2,}/.test(text.replace(NAMES, "")) && !/\p{Script=Han}/u.test(text)))];
}

test("a browser that asks for Chinese gets it: every text, the numbers, the language of the document", async () => {
  await visit(`?device=cpu${hashOf({ ...TINY, kinds: FOUR_KINDS.join(","), steps: 60 })}`, async ({ demo, page }) => {
    await until("a device is shown", async () => (await demo.hook("device-chip").getAttribute("data-kind")) === "cpu");
    assert.equal(await languageOf(page), "zh-Hans");
    assert.equal(await page.title(), "synthattn：我们需要点积吗？");
    assert.equal(await demo.hook("compare").innerText(), "开始比较");
    assert.match(await demo.hook("device-chip").innerText(), /^CPU 单线程/);
    assert.deepEqual(await demo.violations(), []);
    await demo.click("compare");
    await demo.untilPhase("done");
    for (const kind of FOUR_KINDS) await until(`${kind} has written`, async () => (await demo.written(kind)).length >= 200);
    await demo.click("all-cards");
    await until("multiply-adds are counted in ten thousands", async () => /\d万次/.test(await demo.hook("card-vanilla").innerText()));
    assert.match(await demo.hook("card-vanilla").innerText(), /Vaswani 等（2017），第 3\.2\.1 节/);
    assert.deepEqual(await leftInEnglish(page), []);
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "10-chinese");
    await page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "11-chinese-dark");
  }, { locale: "zh-CN" });
});

for (const task of ["masked-language-model", "classification", "pair-classification", "sequence-to-sequence"]) {
  test(`in Chinese, no text of the task ${task} is left in English, on a phone`, async () => {
    await visit(`?device=cpu&lang=zh${hashOf({ task })}`, async ({ demo, page }) => {
      await until("a device is shown", async () => (await demo.hook("device-chip").getAttribute("data-kind")) === "cpu");
      for (const panel of ["open-text", "open-budget", "open-size"]) {
        await demo.click(panel);
        assert.deepEqual(await leftInEnglish(page), []);
      }
      const { width, inner } = await page.evaluate(() => ({ width: document.documentElement.scrollWidth, inner: innerWidth }));
      assert.ok(width <= inner, `${width} pixels wide in a window of ${inner}`);
      assert.deepEqual(await demo.violations(), []);
    }, { viewport: { width: 360, height: 740 } });
  });
}

test("the language is changed on the page and stays, with the settings and the finished comparison", async () => {
  await visit(`?device=cpu${hashOf({ ...TINY, kinds: "vanilla,random", steps: 40, seed: 5 })}`, async ({ demo, page }) => {
    await demo.click("compare");
    await demo.untilPhase("done");
    await until("it is scored", async () => (await demo.number("random", "score")) > 0);
    const before = await demo.losses(["vanilla", "random"]);
    await demo.hook("language").selectOption("zh-Hans");
    await until("it is Chinese", async () => (await languageOf(page).catch(() => "")) === "zh-Hans");
    await until("the comparison is back", async () => (await demo.losses(["vanilla", "random"])).join() === before.join());
    await demo.untilPhase("done");
    assert.equal(await demo.hook("seed").inputValue(), "5");
    assert.equal(await demo.hook("compare").innerText(), "开始比较");
    await page.reload();
    await until("it is still Chinese", async () => (await languageOf(page).catch(() => "")) === "zh-Hans");
    await until("the choice is shown", async () => (await demo.hook("language").inputValue()) === "zh-Hans");
  });
});

test("a run under way goes on in the other language", async () => {
  await visit(`?device=cpu${hashOf({ ...TINY, kinds: "vanilla,random", steps: 3000 })}`, async ({ demo, page }) => {
    await demo.click("compare");
    await until("it runs", async () => Number.isFinite(await demo.number("random", "loss")));
    await demo.hook("language").selectOption("zh-Hans");
    await until("it is Chinese", async () => (await languageOf(page).catch(() => "")) === "zh-Hans");
    await until("it runs on", async () => (await demo.phase()) === "running" && Number.isFinite(await demo.number("random", "loss")));
    await demo.click("stop");
    await demo.untilPhase("stopped");
  });
});

test("the address may name a language, which links leave out", async () => {
  await visit("?device=cpu&lang=zh", async ({ demo, page }) => {
    await until("it is Chinese", async () => (await languageOf(page)) === "zh-Hans");
    await demo.click("share");
    await until("the link is there", async () => (await demo.hook("share-link").inputValue()) !== "");
    assert.doesNotMatch(await demo.hook("share-link").inputValue(), /lang=/);
    // Changed on the page, it holds against the address.
    await demo.hook("language").selectOption("en");
    await until("it is English", async () => (await languageOf(page).catch(() => "")) === "en");
  });
});

test("where nothing can be kept, a comparison is not lost unasked", async () => {
  await visit(`?device=cpu${hashOf({ ...TINY, kinds: "vanilla", steps: 20 })}`, async ({ demo, page }) => {
    await page.evaluate(() => {
      Object.defineProperty(IDBFactory.prototype, "open", { value: () => { throw new DOMException("no", "SecurityError"); } });
    });
    await demo.click("compare");
    await demo.untilPhase("done");
    await demo.hook("language").selectOption("zh-Hans");
    await until("the page says so", async () => (await demo.hook("language-anyway").count()) === 1);
    assert.equal(await languageOf(page), "en");
    assert.equal(await demo.hook("language").inputValue(), "en");
    await demo.click("language-anyway");
    await until("it is Chinese", async () => (await languageOf(page).catch(() => "")) === "zh-Hans");
  });
});
