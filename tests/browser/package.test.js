// The package as a plain page uses it: unbundled through an import map, under the policy that API.md names.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launchChromium } from "../../scripts/lib/browser.js";
import { at } from "../../scripts/lib/paths.js";
import { POLICY, serve } from "../../scripts/lib/serve.js";
import { LONGEST_TASK, mainThreadTasks, openPage } from "./support.js";

/** @import { Browser } from "playwright-core" */

const html = join(import.meta.dirname, "page", "index.html");
const importMap = /<script type="importmap">([^]*?)<\/script>/.exec(readFileSync(html, "utf8"))?.[1] ?? "";
const hash = createHash("sha256").update(importMap).digest("base64");

/** How far two devices may be apart: float32 sums in another order, over a few training steps. */
const DEVICE_TOLERANCE = 1e-3;

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {Record<"plain" | "webgpu", Browser>} */
let browsers;

before(async () => {
  const policy = POLICY.replace("script-src 'self'", `script-src 'self' 'sha256-${hash}'`);
  server = await serve(
    {
      "/some/page/": join(import.meta.dirname, "page"),
      "/libraries/synthattn/": at("pkg"),
      "/tests/bad-input.js": at("tests", "bad-input.js"),
      "/book.txt": at("node_modules", "@stdlib", "datasets-moby-dick", "data", "data.txt"),
    },
    { "content-security-policy": policy },
  );
  browsers = { plain: await launchChromium(), webgpu: await launchChromium({ webgpu: true }) };
});

after(async () => {
  for (const browser of Object.values(browsers ?? {})) await browser.close();
  server?.close();
});

/**
 * A fresh page with the package in its import map; afterwards nobody may have complained.
 *
 * @template T
 * @param {keyof browsers} which
 * @param {(page: import("playwright-core").Page) => Promise<T>} body
 */
async function inPage(which, body) {
  const { page, context, complaints } = await openPage(browsers[which], `${server.origin}/some/page/`);
  try {
    const result = await body(page);
    assert.deepEqual(complaints, []);
    assert.deepEqual(server.missing, []);
    return result;
  } finally {
    await context.close();
  }
}

test("tables and support need no engine", async () => {
  const without = await inPage("plain", (page) =>
    page.evaluate(async () => {
      const { kinds, support, tasks } = await import("synthattn");
      return { kinds: (await kinds()).length, tasks: (await tasks()).length, support: await support() };
    }),
  );
  assert.ok(without.kinds >= 13 && without.tasks >= 1);
  assert.equal(without.support.webgpu, false);
  assert.ok(without.support.reason);
  const software = await inPage("webgpu", (page) => page.evaluate(async () => (await import("synthattn")).support()));
  assert.equal(software.webgpu, true);
  assert.equal(software.adapter?.software, true);
});

test("auto leaves a software adapter alone and says so", async () => {
  for (const which of /** @type {const} */ (["plain", "webgpu"])) {
    const device = await inPage(which, (page) =>
      page.evaluate(async () => {
        const { Engine } = await import("synthattn");
        const engine = await Engine.create();
        const { device } = engine;
        await engine.dispose();
        return device;
      }),
    );
    assert.equal(device.kind, "cpu");
    assert.ok(device.fallbackReason, which);
  }
});

test("WebGPU asked for where there is none is webgpu-unavailable", async () => {
  const code = await inPage("plain", (page) =>
    page.evaluate(async () => {
      const { Engine } = await import("synthattn");
      return Engine.create({ device: "webgpu" }).then(() => "no error", (why) => why.code);
    }),
  );
  assert.equal(code, "webgpu-unavailable");
});

/**
 * Trains, saves half-way, goes on both here and in a new engine; writes, and looks at attention.
 *
 * @param {import("playwright-core").Page} page
 * @param {{ device: "cpu" | "webgpu", kind: import("synthattn").KindName, steps: number }} options
 */
function trainSaveAndGoOn(page, options) {
  return page.evaluate(async ({ device, kind, steps }) => {
    const { Engine } = await import("synthattn");
    const text = (await (await fetch("/book.txt")).text()).slice(0, 60_000);
    /** @type {import("synthattn").ModelSpec} */
    const spec = { task: "language-model", attention: kind, dModel: 32, heads: 4, layers: 2, maxLength: 32, seed: 5 };
    const span = { start: 0, end: 2 * steps };
    const options = { steps, span, batch: 4, every: 1, learningRate: 3e-3, warmup: 3, schedule: /** @type {const} */ ("cosine") };
    const lossesOf = async (/** @type {import("synthattn").Model} */ model) => {
      const losses = [];
      for await (const { phase, loss } of model.train(options)) if (phase === "training") losses.push(loss);
      return losses;
    };
    const engine = await Engine.create({ device });
    const model = await engine.createModel(spec, { text });
    const losses = await lossesOf(model);
    const file = await model.save();
    const uninterrupted = await lossesOf(model);
    let written = "";
    for await (const piece of model.generate("Call me ", { maxTokens: 20, temperature: 0 })) written += piece;
    const maps = await model.attention("Call me Ishmael.");
    const memory = await engine.memory();
    const { device: info } = engine;
    await engine.dispose();

    const second = await Engine.create({ device });
    const loaded = await second.load(file, { text });
    const resumed = await lossesOf(loaded);
    await second.dispose();
    return { info, losses, uninterrupted, resumed, written, weights: [...maps.weights], memory };
  }, options);
}

test("workers that share each batch are found and linked under the policy, and give the losses of one", async () => {
  const [alone, two, three] = await inPage("plain", (page) =>
    page.evaluate(async () => {
      const text = (await (await fetch("/book.txt")).text()).slice(0, 60_000);
      const losses = async (/** @type {number} */ workers) => {
        const { Engine } = await import("synthattn");
        const engine = await Engine.create({ device: "cpu", workers });
        const model = await engine.createModel({ task: "language-model", attention: "random+vanilla", maxLength: 32, dropout: 0.1 }, { text });
        const seen = [];
        for await (const { phase, loss } of model.train({ steps: 20, every: 1, batch: 5 })) if (phase === "training") seen.push(loss);
        const { wasmBytes } = await engine.memory();
        const { description } = engine.device;
        await engine.dispose();
        return { seen, wasmBytes, description };
      };
      return [await losses(1), await losses(2), await losses(3)];
    }),
  );
  assert.deepEqual([alone, two, three].map(({ description }) => description), ["CPU, one thread", "CPU, 2 threads", "CPU, 3 threads"]);
  for (const { seen, wasmBytes } of [two, three]) {
    assert.equal(seen.length, 20);
    // Sums in another order: rounding alone.
    for (const [index, loss] of seen.entries()) assert.ok(Math.abs(loss / alone.seen[index] - 1) < 1e-5, `${loss}, ${alone.seen[index]}`);
    assert.ok(wasmBytes > 1.5 * alone.wasmBytes);
  }
});

describe("on either device", () => {
  for (const kind of /** @type {const} */ (["vanilla", "random", "dense", "random+vanilla"])) {
    test(`${kind} trains, is saved, and goes on in a new engine as if never stopped`, async () => {
      const steps = 4;
      const cpu = await inPage("plain", (page) => trainSaveAndGoOn(page, { device: "cpu", kind, steps }));
      assert.equal(cpu.info.kind, "cpu");
      assert.equal(cpu.memory.gpuBytes, 0);
      assert.deepEqual(cpu.resumed, cpu.uninterrupted);

      const gpu = await inPage("webgpu", (page) => trainSaveAndGoOn(page, { device: "webgpu", kind, steps }));
      assert.equal(gpu.info.kind, "webgpu");
      assert.equal(gpu.info.software, true);
      assert.ok(gpu.memory.gpuBytes > 0);
      assert.deepEqual(gpu.resumed, gpu.uninterrupted);

      // The two devices compute the same, from the same first weights on the same batches.
      const close = (/** @type {number} */ a, /** @type {number} */ b, /** @type {string} */ what) =>
        assert.ok(Math.abs(a - b) <= DEVICE_TOLERANCE * Math.max(1, Math.abs(b)), `${what}: ${a} on WebGPU, ${b} on the CPU`);
      for (const [i, loss] of [...cpu.losses, ...cpu.uninterrupted].entries()) {
        close([...gpu.losses, ...gpu.uninterrupted][i], loss, `loss of step ${i + 1}`);
      }
      for (const [i, weight] of cpu.weights.entries()) close(gpu.weights[i], weight, `attention weight ${i}`);
      assert.equal([...cpu.written].length, 20);
      assert.equal([...gpu.written].length, 20);
    });
  }
});

for (const { device, which } of /** @type {const} */ ([{ device: "cpu", which: "plain" }, { device: "webgpu", which: "webgpu" }])) {
  test(`bad input gets its named error and the model goes on working, on ${device}`, async () => {
    const faults = await inPage(which, (page) =>
      page.evaluate(async (device) => {
        const { Engine } = await import("synthattn");
        const path = "/tests/bad-input.js";
        /** @type {typeof import("../bad-input.js")} */
        const { BAD_CALLS, SPEC, TEXT, fault } = await import(path);
        const engine = await Engine.create({ device });
        const model = await engine.createModel(SPEC, { text: TEXT });
        const file = await model.save();
        const faults = [];
        for (const bad of BAD_CALLS) {
          const found = await fault(bad, { engine, model, file });
          if (found) faults.push(`${bad.what}: ${found}`);
          for await (const { loss, phase } of model.train({ steps: 1 })) {
            if (phase === "training" && !Number.isFinite(loss)) faults.push(`${bad.what}: the model is broken`);
          }
        }
        await engine.dispose();
        return faults;
      }, device),
    );
    assert.deepEqual(faults, []);
  });

  test(`the page's thread is never held up for 50 ms, on ${device}`, async () => {
    await inPage(which, async (page) => {
      const [longest] = await mainThreadTasks(browsers[which], page, () =>
        page.evaluate(async (device) => {
          const { Engine } = await import("synthattn");
          const text = await (await fetch("/book.txt")).text();
          const engine = await Engine.create({ device });
          const spec = { task: /** @type {const} */ ("language-model"), attention: /** @type {const} */ ("random+vanilla"), maxLength: 32 };
          const model = await engine.createModel(spec, { text });
          for await (const _ of model.train({ steps: 6, every: 2, batch: 4 }));
          for await (const _ of model.generate("Call me ", { maxTokens: 5 }));
          await model.attention("Call me Ishmael.");
          const file = await model.save();
          await (await engine.load(file, { text })).dispose();
          await engine.dispose();
        }, device),
      );
      assert.ok(longest.milliseconds < LONGEST_TASK, `a task of ${longest.milliseconds} ms in ${longest.where}`);
    });
  });
}
