// Memory of engines on WebGPU. One for many models: no more at the end than after the first few, the device's or the
// module's. A larger model: no more of the device than is said.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launchChromium } from "../../scripts/lib/browser.js";
import { inFaultyPage, serveFaults } from "./faults.js";

/** @import { Browser } from "playwright-core" */

const MODELS = 40;
/** How much more may be in use at the end than after a tenth. */
const GROWTH = 1.05;

/** @type {Awaited<ReturnType<typeof serveFaults>>} */
let server;
/** @type {Browser} */
let browser;

before(async () => {
  server = await serveFaults();
  browser = await launchChromium({ webgpu: true });
});

after(async () => {
  await browser?.close();
  server?.close();
});

test(`${MODELS} models that are trained, asked, saved, loaded and disposed of leave nothing behind on the device`, async () => {
  const { uses, left } = await inFaultyPage(browser, server, {}, (page) =>
    page.evaluate(async (models) => {
      const { Engine } = await import("synthattn");
      const path = "/tests/fault-page.js";
      /** @type {typeof import("./fault-page.js")} */
      const { TEXT } = await import(path);
      const engine = await Engine.create({ device: "webgpu" });
      const data = { text: TEXT };
      const sizes = /** @type {const} */ ({ task: "language-model", dModel: 4, heads: 1, layers: 1, dFf: 4, maxLength: 8 });
      /** @type {Awaited<ReturnType<typeof engine.memory>>[]} */
      const uses = [];
      for (let made = 0; made < models; made += 1) {
        const model = await engine.createModel({ ...sizes, attention: made % 2 ? "vanilla" : "random", seed: made }, data);
        const abandoned = model.train({ steps: 2, batch: 2, every: 1 });
        await abandoned.next();
        await abandoned.return();
        for await (const { loss } of model.train({ steps: 2, batch: 2, every: 2 })) if (loss <= 0) throw new Error(`a loss of ${loss}`);
        for await (const _ of model.generate("the ", { maxTokens: 2 }));
        const loaded = await engine.load(await model.save(), data);
        await Promise.all([model.dispose(), loaded.dispose()]);
        uses.push(await engine.memory());
      }
      const left = (await engine.memory()).models;
      await engine.dispose();
      return { uses, left };
    }, MODELS),
  );
  assert.equal(left, 0);
  const early = uses[MODELS / 10 - 1];
  const late = uses[MODELS - 1];
  assert.ok(early.gpuBytes > 0, "the device holds something");
  for (const what of /** @type {const} */ (["gpuBytes", "wasmBytes"])) {
    assert.ok(late[what] <= GROWTH * early[what], `${what}: ${uses.map((use) => use[what]).join(" ")}`);
  }
});

/** Bytes of the device that training may hold: weights, moments, those of the last report, what a step keeps, and a file. */
const MOST = 80e6;

test("4 layers of width 128 train within 80 MB of the device, files included", async () => {
  const uses = await inFaultyPage(browser, server, {}, (page) =>
    page.evaluate(async () => {
      const { Engine } = await import("synthattn");
      const path = "/tests/fault-page.js";
      /** @type {typeof import("./fault-page.js")} */
      const { TEXT } = await import(path);
      const engine = await Engine.create({ device: "webgpu" });
      const sizes = /** @type {const} */ ({ dModel: 128, heads: 4, layers: 4, maxLength: 64 });
      const model = await engine.createModel({ task: "language-model", attention: "vanilla", ...sizes }, { text: TEXT.repeat(20) });
      /** @type {Record<string, number>} */
      const uses = {};
      for (const every of [1, 2]) {
        for await (const _ of model.train({ steps: every, batch: 16, every }));
        // What is read for a file, and for the snapshots of a longer run, takes room too.
        await model.save();
        uses[`reports after ${every}`] = (await engine.memory()).gpuBytes;
      }
      await engine.dispose();
      return uses;
    }),
  );
  for (const [when, bytes] of Object.entries(uses)) assert.ok(bytes > 0 && bytes <= MOST, `${when}: ${bytes} bytes`);
});
