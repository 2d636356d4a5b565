// What docs/faults.md says of each fault, in a real browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { launchChromium } from "../../scripts/lib/browser.js";
import { at } from "../../scripts/lib/paths.js";
import { TINY, hashOf, openDemo } from "./demo-page.js";
import { FAULT_POLICY, inFaultyPage, prepare, serveFaults } from "./faults.js";
import { picture, until } from "./support.js";

/** @import { Browser, Page } from "playwright-core" */
/** @import { Scene } from "./faults.js" */

/** The least that the WebGPU specification lets an adapter have. */
const LEAST_LIMITS = {
  maxBindGroups: 4,
  maxBindingsPerBindGroup: 1000,
  maxBufferSize: 256 << 20,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxDynamicStorageBuffersPerPipelineLayout: 4,
  maxDynamicUniformBuffersPerPipelineLayout: 8,
  maxStorageBufferBindingSize: 128 << 20,
  maxStorageBuffersPerShaderStage: 8,
  maxUniformBufferBindingSize: 65_536,
  maxUniformBuffersPerShaderStage: 12,
};

/** @type {Awaited<ReturnType<typeof serveFaults>>} */
let server;
/** @type {Record<"plain" | "webgpu", Browser>} */
let browsers;

before(async () => {
  server = await serveFaults();
  browsers = { plain: await launchChromium(), webgpu: await launchChromium({ webgpu: true }) };
});

after(async () => {
  for (const browser of Object.values(browsers ?? {})) await browser.close();
  server?.close();
});

/** @template T @param {Scene} scene @param {(page: Page) => Promise<T>} body */
const onCpu = (scene, body) => inFaultyPage(browsers.plain, server, scene, body);
/** @template T @param {Scene} scene @param {(page: Page) => Promise<T>} body */
const onGpu = (scene, body) => inFaultyPage(browsers.webgpu, server, scene, body);

/** How `Engine.create` ends. @param {Page} page @param {object} [options] */
function creation(page, options = { device: "cpu" }) {
  return page.evaluate(async (options) => {
    const { Engine } = await import("synthattn");
    try {
      const engine = await Engine.create(options);
      await engine.dispose();
      return { device: engine.device, code: "no error", message: "", synthError: true };
    } catch (error) {
      const { name, code, message } = /** @type {any} */ (error);
      return { device: undefined, code, message, synthError: name === "SynthError" };
    }
  }, options);
}

/** Trains until something breaks at step 20, and goes on. @param {Page} page @param {"cpu" | "webgpu"} device @param {string} [fault] */
function losing(page, device, fault) {
  return page.evaluate(
    async ({ device, fault }) => {
      const { Engine } = await import("synthattn");
      const path = "/tests/fault-page.js";
      /** @type {typeof import("./fault-page.js")} */
      const { cause, lose } = await import(path);
      const engine = await Engine.create({ device });
      const result = await lose(engine, () => fault && cause(fault));
      await engine.dispose();
      return result;
    },
    { device, fault },
  );
}

/** @param {Awaited<ReturnType<typeof losing>>} result */
function goesOnFromSnapshot({ first, snapshot, again, others, models }) {
  assert.deepEqual(first.steps, [10, 20]);
  // The first report has one, the second if ten seconds had passed.
  assert.ok(snapshot === 10 || snapshot === 20, `a snapshot of step ${snapshot}`);
  assert.equal(again.error, undefined);
  assert.deepEqual(again.steps, [snapshot + 10, snapshot + 20]);
  assert.deepEqual(others.steps, [10], "the other model goes on too");
  assert.equal(models, 3, "two models, and the file that was loaded");
}

describe("a worker that is lost on the CPU", () => {
  test("one that ended without a word is noticed and replaced", async () => {
    const result = await onCpu({}, (page) => losing(page, "cpu", "end the worker"));
    assert.equal(result.lost.code, "internal");
    assert.match(result.lost.message, /ended unexpectedly/);
    assert.deepEqual(result.first.error, result.lost);
    goesOnFromSnapshot(result);
  });

  test("one whose memory is spoiled crashes, says so and is replaced", async () => {
    const result = await onCpu({}, (page) => losing(page, "cpu", "spoil the memory"));
    assert.equal(result.lost.code, "internal");
    assert.match(result.lost.message, /^The engine crashed; the next call starts it anew, from the last snapshots: /);
    assert.deepEqual(result.first.error, result.lost);
    goesOnFromSnapshot(result);
  });
});

describe("one of several workers on the CPU", () => {
  for (const which of [0, 1]) {
    test(`that ends without a word takes the others along, and all are replaced (the ${which === 0 ? "first" : "second"})`, async () => {
      const [result, before, after] = await onCpu({}, async (page) => {
        const running = page.evaluate(async () => {
          const { Engine } = await import("synthattn");
          const path = "/tests/fault-page.js";
          /** @type {typeof import("./fault-page.js")} */
          const { lose } = await import(path);
          const engine = await Engine.create({ device: "cpu", workers: 2 });
          const reached = new Promise((resolve) => (/** @type {any} */ (globalThis).broken = resolve));
          document.title = "made";
          const result = await lose(engine, () => {
            document.title = "training";
            return reached;
          });
          document.title = "over";
          await new Promise((resolve) => (/** @type {any} */ (globalThis).end = resolve));
          await engine.dispose();
          return result;
        });
        await until("the middle of a run", async () => (await page.title()) === "training");
        const before = page.workers().length;
        await page.workers()[which].evaluate(() => void setTimeout(() => close()));
        await page.evaluate(() => /** @type {any} */ (globalThis).broken());
        await until("the end", async () => (await page.title()) === "over");
        const after = page.workers().length;
        await page.evaluate(() => /** @type {any} */ (globalThis).end());
        return [await running, before, after];
      });
      assert.equal(result.lost.code, "internal");
      assert.match(result.lost.message, /ended unexpectedly/);
      assert.deepEqual(result.first.error, result.lost);
      goesOnFromSnapshot(result);
      assert.deepEqual([before, after], [2, 2], "workers before and after");
    });
  }
});

describe("memory that runs out on the CPU", () => {
  for (const [what, fill, options] of /** @type {const} */ ([
    ["a batch larger than all memory", false, { batch: 4096 }],
    ["a model that does not fit beside the others", true, { batch: 2 }],
  ])) {
    test(`${what} is out-of-memory, and the others go on`, async () => {
      const result = await onCpu({}, (page) =>
        page.evaluate(
          async ({ fill, options }) => {
            const { Engine } = await import("synthattn");
            const path = "/tests/fault-page.js";
            /** @type {typeof import("./fault-page.js")} */
            const { SPEC, TEXT, cause, said, trained } = await import(path);
            const engine = await Engine.create({ device: "cpu" });
            const small = await engine.createModel(SPEC, { text: TEXT });
            const before = await trained(small, { steps: 10 });
            if (fill) await cause("fill the memory");
            const large = { ...SPEC, dModel: 256, maxLength: 512 };
            const tooMuch = await engine.createModel(large, { text: TEXT.repeat(2) }).then((model) => trained(model, { steps: 2, ...options }), (error) => ({ error: said(error) }));
            const lost = said(await engine.lost);
            const after = await trained(small, { steps: 10 });
            await engine.dispose();
            return { before, tooMuch, lost, after };
          },
          { fill, options },
        ),
      );
      assert.equal(result.tooMuch.error?.code, "out-of-memory", result.tooMuch.error?.message);
      assert.match(String(result.tooMuch.error?.message), /a smaller model, batch or length may fit/);
      assert.equal(result.lost.code, "out-of-memory");
      assert.deepEqual(result.before.steps, [10]);
      assert.deepEqual(result.after.steps, [20]);
    });
  }
});

describe("what a server or a policy holds back", () => {
  const HTML = { contentType: "text/html", body: "<!doctype html><title>The app</title>" };
  const missing = { status: 404, contentType: "text/html", body: "<h1>Not here</h1>" };
  const wasm = readFileSync(at("pkg", "wasm", "synthattn_bg.wasm"));

  for (const [what, answers, words] of /** @type {const} */ ([
    ["the worker's script is not there", { "worker.js": missing }, /worker did not start.*could not be loaded.*Content-Security-Policy/s],
    ["a page comes in place of the worker's script", { "worker.js": HTML }, /worker did not start.*could not be loaded/s],
    ["a part of the worker's script is not there", { "worker/core.js": missing }, /worker did not start.*could not be loaded/s],
    ["the WebAssembly is not there", { "synthattn_bg.wasm": missing }, /synthattn_bg\.wasm could not be fetched: the server answered 404.*option wasm/s],
    ["a page comes in place of the WebAssembly", { "synthattn_bg.wasm": HTML }, /looks like a web page.*option wasm/s],
    ["the WebAssembly is cut", { "synthattn_bg.wasm": { contentType: "application/wasm", body: wasm.subarray(0, wasm.length / 2) } }, /could not be compiled.*option wasm/s],
    ["the WebAssembly is cut and has no type", { "synthattn_bg.wasm": { contentType: "application/octet-stream", body: wasm.subarray(0, wasm.length / 2) } }, /could not be compiled.*option wasm/s],
  ])) {
    test(`${what}: create says so`, async () => {
      const { code, message, synthError } = await onCpu({ answers }, (page) => creation(page));
      assert.equal(code, "internal", message);
      assert.ok(synthError);
      assert.match(message, words);
    });
  }

  for (const [what, policy, words] of /** @type {const} */ ([
    ["workers", FAULT_POLICY.replace("worker-src 'self'", "worker-src 'none'"), /worker-src 'self'/],
    ["WebAssembly", FAULT_POLICY.replace(" 'wasm-unsafe-eval'", ""), /'wasm-unsafe-eval'/],
  ])) {
    test(`a policy that forbids ${what}: create says what to allow`, async () => {
      const strict = await serveFaults(policy);
      try {
        const { code, message, synthError } = await inFaultyPage(browsers.plain, strict, {}, (page) => creation(page));
        assert.equal(code, "internal", message);
        assert.ok(synthError);
        assert.match(message, words);
      } finally {
        strict.close();
      }
    });
  }
});

describe("a page that is not looked at", () => {
  test("goes on where it stood after it was frozen", async () => {
    await onCpu({}, async (page) => {
      const client = await page.context().newCDPSession(page);
      const running = page.evaluate(async () => {
        const { Engine } = await import("synthattn");
        const path = "/tests/fault-page.js";
        /** @type {typeof import("./fault-page.js")} */
        const { SPEC, TEXT, trained } = await import(path);
        const engine = await Engine.create({ device: "cpu" });
        const model = await engine.createModel(SPEC, { text: TEXT });
        const result = await trained(model, { steps: 600, every: 100 }, (step) => (/** @type {any} */ (window).reached = step));
        const file = await engine.load(await model.save());
        await engine.dispose();
        return { ...result, saved: file.step };
      });
      await until("the first report", () => page.evaluate(() => /** @type {any} */ (window).reached >= 100));
      await client.send("Page.setWebLifecycleState", { state: "frozen" });
      await new Promise((resolve) => setTimeout(resolve, 3000));
      await client.send("Page.setWebLifecycleState", { state: "active" });
      const { steps, losses, error, saved } = await running;
      assert.equal(error, undefined);
      assert.deepEqual(steps, [100, 200, 300, 400, 500, 600]);
      assert.ok(losses.every((loss) => Number.isFinite(loss)));
      assert.equal(saved, 600);
    });
  });

  test("trains on without timers and frames, of which a hidden tab has few or none", async () => {
    await onCpu({}, async (page) => {
      const { steps, error } = await page.evaluate(async () => {
        const never = () => 0;
        Object.assign(window, { setTimeout: never, setInterval: never, requestAnimationFrame: never, requestIdleCallback: never });
        const { Engine } = await import("synthattn");
        const path = "/tests/fault-page.js";
        /** @type {typeof import("./fault-page.js")} */
        const { SPEC, TEXT, trained } = await import(path);
        const engine = await Engine.create({ device: "cpu" });
        const model = await engine.createModel(SPEC, { text: TEXT });
        const result = await trained(model, { steps: 300, every: 10 });
        await engine.dispose();
        return result;
      });
      assert.equal(error, undefined);
      assert.equal(steps.length, 30);
    });
  });
});

/** Two pages of one browser train the same model at once. @param {Browser} browser @param {"cpu" | "webgpu"} device @param {number} steps */
async function twoTabs(browser, device, steps) {
  return inFaultyPage(browser, server, {}, async (page) => {
    const second = await page.context().newPage();
    await second.goto(page.url());
    await prepare(second, {});
    const train = (/** @type {Page} */ tab) =>
      tab.evaluate(
        async ({ device, steps }) => {
          const { Engine } = await import("synthattn");
          const path = "/tests/fault-page.js";
          /** @type {typeof import("./fault-page.js")} */
          const { SPEC, TEXT, trained } = await import(path);
          const engine = await Engine.create({ device });
          const model = await engine.createModel(SPEC, { text: TEXT });
          const result = await trained(model, { steps, every: 2 });
          await engine.dispose();
          return result;
        },
        { device, steps },
      );
    return Promise.all([train(page), train(second)]);
  });
}

for (const [device, which, steps] of /** @type {const} */ ([["cpu", "plain", 200], ["webgpu", "webgpu", 4]])) {
  test(`two tabs that train at once do not know of each other, on ${device}`, async () => {
    const [one, other] = await twoTabs(browsers[which], device, steps);
    assert.equal(one.error, undefined);
    assert.equal(one.steps.length, steps / 2);
    assert.deepEqual(one, other);
  });
}

describe("WebGPU that is not what it should be", () => {
  const noQueries = { without: ["timestamp-query"] };
  for (const [what, scene, words] of /** @type {const} */ ([
    ["there is no adapter", { page: { noAdapter: true }, worker: { noAdapter: true } }, /no graphics adapter: check that hardware acceleration/],
    ["there is no adapter in the worker", { worker: { noAdapter: true } }, /not in the worker.*no graphics adapter/],
    ["there is no WebGPU in the worker", { worker: { noWebGpu: true } }, /not in the worker.*no WebGPU/],
    ["the adapter lacks timestamp-query", { page: noQueries, worker: noQueries }, /lacks the WebGPU feature timestamp-query/],
    ["the worker's adapter lacks timestamp-query", { worker: noQueries }, /not in the worker.*timestamp-query/],
    ["a limit is below the specification's", { page: { limits: { maxStorageBuffersPerShaderStage: 4 } } }, /its limit maxStorageBuffersPerShaderStage is 4, and 8 is needed/],
  ])) {
    test(`${what}: webgpu says so, and auto takes the CPU`, async () => {
      const asked = await onGpu(/** @type {Scene} */ (scene), (page) => creation(page, { device: "webgpu" }));
      assert.equal(asked.code, "webgpu-unavailable", asked.message);
      assert.match(asked.message, words);
      const auto = await onGpu(/** @type {Scene} */ (scene), (page) => creation(page, { device: "auto" }));
      assert.equal(auto.device?.kind, "cpu", auto.message);
    });
  }

  test("the least that the specification guarantees is enough, and what is beyond it is refused", async () => {
    const least = { without: ["shader-f16", "subgroups"], limits: LEAST_LIMITS };
    const { first, tooLarge, again } = await onGpu({ page: least, worker: least }, (page) =>
      page.evaluate(async () => {
        const { Engine } = await import("synthattn");
        const path = "/tests/fault-page.js";
        /** @type {typeof import("./fault-page.js")} */
        const { SPEC, TEXT, trained } = await import(path);
        const engine = await Engine.create({ device: "webgpu" });
        const model = await engine.createModel({ ...SPEC, attention: "dense+vanilla" }, { text: TEXT });
        const first = await trained(model, { steps: 4, every: 2 });
        const long = await engine.createModel({ ...SPEC, attention: "vanilla", heads: 4, maxLength: 512 }, { text: TEXT });
        // Scores of 256 MiB, where a buffer may have 128.
        const tooLarge = await trained(long, { steps: 1, batch: 64 });
        const again = await trained(model, { steps: 2, every: 2 });
        await engine.dispose();
        return { first, tooLarge: tooLarge.error, again };
      }),
    );
    assert.equal(first.error, undefined);
    assert.deepEqual([first.steps, again.steps], [[2, 4], [6]]);
    for (const loss of [...first.losses, ...again.losses]) assert.ok(loss > 0 && Number.isFinite(loss), String(loss));
    assert.equal(tooLarge?.code, "out-of-memory");
    assert.match(tooLarge.message, /takes 134217728 bytes at once, and this needs 268435456/);
  });

  test("a device that is lost in the middle of a step is told, and everything goes on with another", async () => {
    const result = await onGpu({ worker: { destroyAt: 150 } }, (page) =>
      page.evaluate(async () => {
        const { Engine } = await import("synthattn");
        const path = "/tests/fault-page.js";
        /** @type {typeof import("./fault-page.js")} */
        const { SPEC, TEXT, said, trained } = await import(path);
        const engine = await Engine.create({ device: "webgpu" });
        const model = await engine.createModel(SPEC, { text: TEXT });
        const first = await trained(model, { steps: 1000, every: 2 });
        const lost = said(await engine.lost);
        const saved = await engine.load(await model.save(), { text: TEXT });
        const snapshot = saved.step;
        await saved.dispose();
        const again = await trained(model, { steps: 2, every: 2 });
        await engine.dispose();
        return { first, lost, snapshot, again };
      }),
    );
    assert.equal(result.lost.code, "device-lost");
    assert.match(result.lost.message, /^The graphics device was lost .* The next call starts anew, from the last snapshots\.$/);
    assert.deepEqual(result.first.error, result.lost);
    assert.ok(result.first.steps.includes(result.snapshot), `a snapshot of step ${result.snapshot}`);
    assert.deepEqual(result.again, { ...result.again, error: undefined, steps: [result.snapshot + 2] });
  });
});

test("the demo says that its graphics device was lost in the middle of a step, and goes on from the last snapshot", async () => {
  const kinds = ["random", "dense"];
  const settings = { ...TINY, steps: 60, validation: 0, kinds: kinds.join(",") };
  const { demo, page, context, complaints } = await openDemo(browsers.webgpu, `${server.origin}/page/`);
  try {
    await prepare(page, {});
    await page.goto(`${server.origin}/demo/?device=webgpu${hashOf(settings)}`);
    await until("WebGPU is shown", async () => (await demo.hook("device-chip").getAttribute("data-kind")) === "webgpu", 120);
    await demo.click("compare");
    /** How many steps each kind has made, by the table. */
    const steps = async () => {
      const made = await demo.hook("race-table").locator("tr[data-origin=run] th small").allInnerTexts();
      return kinds.map((_, index) => Number(/step (\d+)/.exec(made[index] ?? "")?.[1] ?? NaN));
    };
    await until("both are in the middle", async () => (await steps()).every((made) => made >= 20), 400);
    await page.evaluate(async (path) => {
      /** @type {typeof import("./fault-page.js")} */
      const { cause } = await import(path);
      await cause("lose the graphics device");
    }, "/tests/fault-page.js");
    await demo.untilPhase("failed");
    const before = await steps();
    assert.ok(before.every((made) => made >= 20 && made < 60), `it was lost at steps ${before}`);
    assert.equal(await demo.hook("run-error").getAttribute("data-code"), "device-lost");
    assert.match(await demo.hook("run-error").innerText(), /^The device was lost: .*destroyed.*ten seconds before[^]*Go on from the last snapshot/);
    assert.equal(await demo.hook("device-error").isVisible(), false, "it is said twice");
    assert.deepEqual(await demo.violations(), []);
    await picture(page, "lost-graphics-device");

    await demo.click("go-on-again");
    await until("it goes on", async () => (await demo.phase()) === "running", 120);
    const again = await steps();
    // The first report had a snapshot.
    for (const [index, made] of again.entries()) assert.ok(made >= 20 && made <= before[index], `${kinds[index]} from step ${before[index]} to ${made}`);
    assert.equal(await demo.hook("run-error").isVisible(), false);
    await demo.untilPhase("done", 600);
    assert.equal(await demo.hook("device-chip").getAttribute("data-kind"), "webgpu");
    assert.deepEqual(await steps(), [60, 60]);
    assert.ok((await demo.losses(kinds)).every((loss) => loss > 0 && loss < 4), `losses ${await demo.losses(kinds)}`);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
});
