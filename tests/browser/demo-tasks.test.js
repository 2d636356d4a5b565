// The demo's tasks beside the language model, as built: their data, their scores and their views.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOf, servedDemo } from "./demo-page.js";
import { picture, until } from "./support.js";

const open = servedDemo();

/**
 * @param {Record<string, string | number>} settings
 * @param {Parameters<typeof open>[1]} body
 * @param {Parameters<typeof open>[2]} [options]
 */
const visit = (settings, body, options) => open(`?device=cpu${hashOf(settings)}`, body, options);

/** @param {import("./demo-page.js").DemoPage} demo */
async function run(demo) {
  await demo.click("compare");
  await demo.untilPhase("done", 120);
}

/** All numbers of a text. @param {string} text */
const numbersIn = (text) => (text.match(/\d+(\.\d+)?/g) ?? []).map(Number);

const SMALL = { layers: 1, width: 32, heads: 4, batch: 16, warmup: 10, rate: 0.003 };

test("reviews are labelled: scores on test rows beside the commonest label, confusions, answers", async () => {
  const kinds = ["vanilla", "dense", "linformer"];
  await visit({ kinds: "vanilla,dense" }, async ({ demo, page }) => {
    assert.ok(await demo.hook("kind-linformer").isHidden());
    await demo.hook("task").selectOption("classification");
    await until("the data is here", async () => /CC-BY-4\.0.*UCI/.test(await demo.hook("about-data").innerText()));
    await demo.click("more-kinds");
    await demo.click("kind-linformer");
    await demo.click("open-budget");
    await demo.hook("steps").fill("150");
    await demo.hook("warmup").fill("20");
    await demo.click("open-size");
    await demo.hook("width").fill("32");
    await demo.hook("width").press("Enter");
    await run(demo);

    const baseline = page.locator('tfoot tr[data-row="baseline"]');
    assert.match(await baseline.innerText(), /commonest label/i);
    const [commonest] = numbersIn(await baseline.locator('[data-column="score"]').innerText());
    for (const kind of kinds) {
      const score = await demo.number(kind, "score");
      assert.ok(score > commonest + 8, `${kind}: ${score} % right, ${commonest} % without a model`);
    }
    // All test rows are in the confusions of the end, the right ones on the diagonal.
    for (const kind of kinds) {
      const figure = demo.hook("confusion").locator(`figure[data-kind="${kind}"]`);
      await until(`confusions of ${kind} on all rows`, async () => /597 rows/.test(await figure.innerText()));
      const counts = (await figure.locator("tbody td").allInnerTexts()).map(Number);
      assert.equal(counts.reduce((sum, count) => sum + count), 597);
      const right = (100 * (counts[0] + counts[3])) / 597;
      assert.ok(Math.abs(right - (await demo.number(kind, "score"))) < 0.06, `${kind}: ${right} % on the diagonal`);
    }
    await demo.hook("predictions").scrollIntoViewIfNeeded();
    await until("six rows have an answer of each", async () => (await page.locator('[data-testid^="prediction-"][data-right]').count()) === 6 * kinds.length);
    await demo.hook("prompt").fill("A wonderful, excellent phone: I love it");
    for (const kind of kinds) {
      const answer = demo.hook(`answer-${kind}`);
      await until(`${kind} answers`, async () => /positive|negative/.test(await answer.innerText()));
      const shares = numbersIn((await answer.locator(".bars .number").allInnerTexts()).join(" "));
      assert.ok(Math.abs(shares.reduce((sum, share) => sum + share) - 100) <= 1, `${kind}: ${shares}`);
    }
    await demo.hook("look").scrollIntoViewIfNeeded();
    await until("there is a map for every kind", async () => (await page.locator("#inside .map").count()) === kinds.length);
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "tasks-1-classification");

    // Another task drops what it can't use, and the way back is open.
    await demo.hook("task").selectOption("language-model");
    assert.match(page.url(), /kinds=vanilla%2Cdense&/);
    assert.equal(await demo.hook("predictions").count(), 0);
    await demo.hook("task").selectOption("classification");
    await until("the rows are back", async () => (await page.locator('[data-testid^="prediction-"][data-right]').count()) === 6 * kinds.length);
  });
});

test("pairs are compared: the other sentence is marked in the maps, and a kind without maps says so", async () => {
  const kinds = ["vanilla", "random", "fnet"];
  await visit({ ...SMALL, task: "pair-classification", kinds: kinds.join(","), steps: 40 }, async ({ demo, page }) => {
    await until("the data is here", async () => (await demo.hook("about-data").innerText()).includes("WordNet"));
    await run(demo);
    for (const kind of kinds) assert.ok((await demo.number(kind, "score")) > 20, kind);
    await demo.hook("prompt").fill("there is one dog and no cat");
    await demo.hook("second").fill("there is no cat");
    for (const kind of kinds) {
      await until(`${kind} answers`, async () => /entailment|contradiction|neutral/.test(await demo.hook(`answer-${kind}`).innerText()));
    }
    await demo.hook("look").fill("one dog");
    await demo.hook("lookSecond").fill("no cat here");
    await demo.hook("lookSecond").press("Enter");
    const columns = page.locator("#inside .map-column");
    for (const kind of ["vanilla", "random"]) {
      const column = page.locator(`#inside .map-column[data-kind="${kind}"]`);
      await until(`${kind}'s share of attention`, async () => /\d% of its attention goes to the other/.test(await column.innerText()));
      assert.equal(await column.locator(".small-map").first().locator(".block").count(), 2);
    }
    assert.match(await columns.last().innerText(), /no map to show/);
    await columns.first().locator(".map").hover({ position: { x: 120, y: 120 } });
    await until("the value is read out", async () => /0\.\d/.test(await demo.hook("inside-reading").innerText()));
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "tasks-2-pairs");
  });
});

test("letters are copied: outputs become right, and the alignment can be seen", async () => {
  const settings = { ...SMALL, task: "sequence-to-sequence", text: "copy", kinds: "vanilla,random", width: 64, length: 12, steps: 240, batch: 32, warmup: 30, rate: 0.004 };
  await visit(settings, async ({ demo, page }) => {
    await run(demo);
    const score = await demo.number("vanilla", "score");
    assert.ok(score > 80, `${score} % exactly right`);
    assert.match(await page.locator('tfoot tr[data-row="baseline"]').innerText(), /copy of the input\s+100/i);
    await demo.hook("predictions").scrollIntoViewIfNeeded();
    const written = page.locator('[data-testid="prediction-vanilla"]');
    await until("most rows are right", async () => (await page.locator('[data-testid="prediction-vanilla"][data-right="true"]').count()) >= 4);
    assert.equal(await written.count(), 6);
    await demo.hook("prompt").fill("abcab");
    await until("it is copied", async () => /abcab/.test(await demo.hook("answer-vanilla").innerText()));
    await demo.hook("look").fill("abc");
    await demo.hook("lookSecond").fill("abc");
    await demo.hook("lookSecond").press("Enter");
    const numbers = page.locator("#inside details");
    await numbers.locator("summary").click();
    const rows = numbers.locator("tbody tr");
    await until("the alignment has a row for each token of the target and its beginning", async () => (await rows.count()) === 4);
    await page.locator('[data-testid="part-encoder"]').check({ force: true });
    await until("the encoder has a row for each token of the source", async () => (await rows.count()) === 3);
    assert.match(await demo.hook("conclusions").innerText(), /fixed alignment is enough/);
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "tasks-3-copy");
  });
});

test("words are hidden by a press, and each kind guesses them", async () => {
  await visit({ ...SMALL, task: "masked-language-model", kinds: "vanilla,random", steps: 40, length: 16, vocabulary: 500 }, async ({ demo, page }) => {
    await run(demo);
    for (const kind of ["vanilla", "random"]) assert.ok((await demo.number(kind, "score")) > 0, kind);
    await demo.hook("prompt").fill("The captain saw the whale.");
    const word = (/** @type {number} */ place) => demo.hook("words").locator("button").nth(place);
    await until("the words are there", async () => (await word(1).innerText()) === "captain");
    await word(1).click();
    await word(4).press("Enter");
    assert.equal(await demo.hook("prompt").inputValue(), "The [MASK] saw the [MASK].");
    for (const kind of ["vanilla", "random"]) {
      const gaps = demo.hook(`answer-${kind}`).locator(".gap");
      await until(`${kind} guesses twice`, async () => (await gaps.count()) === 2 && (await gaps.last().innerText()).includes("whale"));
      assert.equal(await gaps.first().locator(".bars li").count(), 5);
    }
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "tasks-4-masked");
    await word(1).click();
    assert.equal(await demo.hook("prompt").inputValue(), "The captain saw the [MASK].");
    await word(4).click();
    await until("it says that nothing is hidden", async () => /press a word/i.test(await demo.hook("ask-problem").innerText()));
  });
});

test("answers are those to the values that are shown: with a wrong one nothing is asked", async () => {
  for (const { task, field, wrong, right, more } of [
    { task: "sequence-to-sequence", field: "beams", wrong: "-7", right: "2", more: { text: "copy", length: 24 } },
    { task: "masked-language-model", field: "top", wrong: "", right: "3", more: { length: 16, vocabulary: 500, prompt: "The [MASK] saw it." } },
  ]) {
    await visit({ ...SMALL, task, kinds: "vanilla", steps: 20, ...more }, async ({ demo, page }) => {
      const answer = () => demo.hook("answer-vanilla").evaluate((element) => element.innerHTML);
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-testid"));
      await run(demo);
      await demo.click("ask");
      await until("it has answered", async () => (await answer()) !== "");
      const before = await answer();
      await demo.hook(field).fill(wrong);
      await demo.click("ask");
      assert.equal(await focused(), field);
      assert.match(await demo.hook("ask-problem").innerText(), /^\w+: .*from 1 to \d+\.$/i);
      // Nor when something else asks.
      await demo.hook("prompt").press("Enter");
      assert.equal(await focused(), field);
      if (await demo.hook("another-row").isVisible()) await demo.click("another-row");
      await page.waitForTimeout(500);
      assert.equal(await answer(), before);
      await demo.hook(field).fill(right);
      await demo.click("ask");
      await until("it has answered anew", async () => (await answer()) !== before && (await demo.hook("ask-problem").isHidden()));
      if (field === "top") assert.equal(await demo.hook("answer-vanilla").locator(".bars li").count(), 3);
    });
  }
});

test("own rows are split, learned, and there after a reload", async () => {
  const praise = ["lovely", "great", "fine", "superb", "splendid"];
  const blame = ["awful", "bad", "poor", "weak", "dull"];
  const rows = ["soup", "film", "song", "book", "room", "walk"].flatMap((thing) => praise.flatMap((word, i) => [`"a ${word} ${thing}",good`, `"a ${blame[i]} ${thing}",bad`]));
  await visit({ ...SMALL, task: "classification", kinds: "vanilla,random", steps: 60 }, async ({ demo, page }) => {
    await demo.click("open-text");
    await demo.click("text-own");
    await demo.click("compare");
    await until("it asks for rows", async () => /no rows yet/i.test(await demo.hook("run-error").innerText()));
    await demo.hook("rows-text").fill(`text,label\n${rows.join("\n")}`);
    const split = () => demo.hook("about-data").innerText();
    await until("they are split", async () => /48 rows to train on, 12 others/.test(await split()));
    await run(demo);
    assert.ok((await demo.number("vanilla", "score")) > 80);
    assert.equal(await page.locator(".test-row").count(), 6);
    await demo.click("another-row");
    await until("the right answer is known", async () => /good|bad/.test(await demo.hook("known-answer").innerText()));
    await page.reload();
    await until("they are there again", async () => /48 rows to train on, 12 others/.test(await split()));
  });
});

test("where tokens must be compared, the page says what can be reached without", async () => {
  await visit({ task: "classification", text: "recall", kinds: "random,vanilla" }, async ({ demo, page }) => {
    await until("the limit is in the table", async () => (await page.locator('tfoot tr[data-row="ceiling"]').count()) === 1);
    assert.match(await demo.hook("ceiling").innerText(), /best guess is right in \d+\.\d%/);
    await until("and in the conclusions", async () => /places, not tokens/.test(await demo.hook("conclusions").innerText()));
  });
});

test("another task fits 360 pixels, in the dark too", async () => {
  await visit({ ...SMALL, task: "classification", text: "topics", kinds: "vanilla,random", steps: 40 }, async ({ demo, page }) => {
    await run(demo);
    await demo.hook("predictions").scrollIntoViewIfNeeded();
    await until("rows have answers", async () => (await page.locator('[data-testid^="prediction-"][data-right]').count()) === 12);
    const { width, inner } = await page.evaluate(() => ({ width: document.documentElement.scrollWidth, inner: innerWidth }));
    assert.ok(width <= inner, `${width} pixels wide in a window of ${inner}`);
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "tasks-5-narrow");
  }, { viewport: { width: 360, height: 740 }, colorScheme: "dark" });
});
