// The kinds one by one: what the page says of each, at the settings chosen.

import assert from "node:assert/strict";
import { test } from "node:test";
import { kinds } from "synthattn";
import { costAt, sizesOf } from "../../www/cards/costs.js";
import { FOUR_KINDS, hashOf, servedDemo } from "./demo-page.js";
import { picture, until } from "./support.js";

const open = servedDemo();

/**
 * @param {Record<string, string | number>} settings
 * @param {Parameters<typeof open>[1]} body
 * @param {Parameters<typeof open>[2]} [options]
 */
const visit = (settings, body, options) => open(`?device=cpu${hashOf(settings)}`, body, options);

test("every kind has a card with its numbers at the settings, which follow them", async () => {
  const table = await kinds();
  await visit({ task: "masked-language-model", width: 32, heads: 4, length: 16 }, async ({ demo, page }) => {
    const cards = page.locator('[data-testid^="card-"]');
    await until("the chosen kinds have cards", async () => (await cards.count()) === FOUR_KINDS.length);
    await demo.click("all-cards");
    await until("all kinds have cards", async () => (await cards.count()) === table.length);
    const numbers = () =>
      cards.evaluateAll((all) => all.map((card) => [card.getAttribute("data-kind"), ...[...card.querySelectorAll("[data-value]")].map((one) => Number(one.getAttribute("data-value")))]));
    const expected = (/** @type {{ width: number, heads: number, length: number }} */ sizes, options = {}) =>
      table.map(({ name }) => {
        const { weights, products } = costAt(name, sizesOf(sizes, name === "factorized-random" ? options : {}));
        return [name, weights, products];
      });
    assert.deepEqual(await numbers(), expected({ width: 32, heads: 4, length: 16 }));
    await demo.click("open-size");
    await demo.hook("width").fill("48");
    await demo.hook("width").blur();
    await demo.click("more-kinds");
    await demo.click("kind-factorized-random");
    await demo.hook("factorized-random.rank").fill("3");
    await demo.hook("factorized-random.rank").blur();
    await until("the cards have followed", async () => JSON.stringify(await numbers()) === JSON.stringify(expected({ width: 48, heads: 4, length: 16 }, { rank: 3 })));
    // What fits no model has no numbers.
    await demo.hook("heads").fill("5");
    await demo.hook("heads").blur();
    await until("there are none", async () => (await numbers()).every(([, weights]) => weights === 0));
  });
});

test("formulas are drawn, words say what can write, and all is accessible", async () => {
  await visit({}, async ({ demo, page }) => {
    await demo.click("all-cards");
    const cards = page.locator('[data-testid^="card-"]');
    const table = await kinds();
    await until("all kinds have cards", async () => (await cards.count()) === table.length);
    const drawn = await cards.locator(".computes math").evaluateAll((all) => all.map((math) => math.getBoundingClientRect()).filter(({ width, height }) => width > 5 && height > 5).length);
    assert.ok(drawn >= table.length, `${drawn} formulas are drawn`);
    for (const { name, causal } of table) {
      const said = await demo.hook(`card-${name}`).innerText();
      assert.equal(/not offered to continue text or rewrite text/.test(said), !causal, name);
      // Where text is written, such a kind can't be chosen.
      assert.equal(await demo.hook(`kind-${name}`).evaluate((chip) => chip.checkVisibility()), causal && FOUR_KINDS.includes(name), name);
    }
    assert.deepEqual(await demo.violations(), []);
  });
});

test("cards fit a phone", async () => {
  await visit({}, async ({ demo, page }) => {
    await demo.click("all-cards");
    const cards = page.locator('[data-testid^="card-"]');
    const { length } = await kinds();
    await until("all kinds have cards", async () => (await cards.count()) === length);
    const { width, inner } = await page.evaluate(() => ({ width: document.documentElement.scrollWidth, inner: innerWidth }));
    assert.ok(width <= inner, `${width} pixels wide in a window of ${inner}`);
    await picture(page, "9-cards-narrow");
  }, { viewport: { width: 360, height: 740 } });
});
