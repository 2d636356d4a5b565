// What holds in browsers without WebGPU: the package and the demo, on the CPU, driven over WebDriver.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { at } from "../../scripts/lib/paths.js";
import { POLICY, serve } from "../../scripts/lib/serve.js";
import { until } from "./support.js";

/** @import { Driver } from "./webdriver.js" */

const page = join(import.meta.dirname, "page");
const importMap = /<script type="importmap">([^]*?)<\/script>/.exec(readFileSync(join(page, "on-cpu.html"), "utf8"))?.[1] ?? "";
const hash = createHash("sha256").update(importMap).digest("base64");

/**
 * Tests of one browser.
 *
 * @param {() => Promise<Driver>} start
 */
export function testOnCpu(start) {
  /** @type {Driver} */
  let driver;
  /** @type {Awaited<ReturnType<typeof serve>>[]} */
  let servers;

  before(async () => {
    const policy = POLICY.replace("script-src 'self'", `script-src 'self' 'sha256-${hash}'`);
    const mounts = {
      "/some/page/": page,
      "/libraries/synthattn/": at("pkg"),
      "/book.txt": at("node_modules", "@stdlib", "datasets-moby-dick", "data", "data.txt"),
    };
    servers = [await serve(mounts, { "content-security-policy": policy }), await serve({ "/some/where/": at("www", "dist") })];
    driver = await start();
  });

  after(async () => {
    await driver?.close();
    for (const server of servers ?? []) server.close();
  });

  test("the package trains, writes, saves, loads and disposes of models", async () => {
    const [server] = servers;
    await driver.open(`${server.origin}/some/page/on-cpu.html`);
    let found = "";
    await until("the page is done", async () => (found = await driver.run(() => document.body.dataset.outcome ?? "")) !== "", 120);
    const { error, complaints, support, device, losses, uninterrupted, resumed, written, models, forced } = JSON.parse(found);
    assert.equal(error, undefined);
    assert.deepEqual(complaints, []);
    assert.deepEqual(server.missing, []);

    assert.equal(device.kind, "cpu");
    assert.ok(device.fallbackReason, "it says why it is not on WebGPU");
    assert.equal(support.webgpu, false, "this browser has an adapter now: test WebGPU in it too");
    assert.ok(support.reason);
    assert.equal(forced, "webgpu-unavailable");

    assert.equal(losses.length, 6);
    assert.ok(losses[5] < losses[0] - 0.1, `losses ${losses}`);
    assert.deepEqual(resumed, uninterrupted, "a loaded model goes on as if never stopped");
    assert.equal([...written].length, 20);
    assert.equal(models, 0);
  });

  test("the demo trains and writes", async () => {
    const [, server] = servers;
    const settings = { layers: 1, width: 32, heads: 4, length: 16, batch: 4, warmup: 5, rate: 0.01, steps: 60, kinds: "vanilla,random", tokens: 20 };
    const hash = new URLSearchParams(Object.entries(settings).map(([name, value]) => [name, String(value)]));
    await driver.open(`${server.origin}/some/where/?device=cpu#${hash}`);
    const chip = () => driver.run(() => /** @type {HTMLElement | null} */ (document.querySelector('[data-testid="device-chip"]'))?.dataset.kind);
    await until("a device is shown", async () => (await chip()) === "cpu");
    await driver.run(() => /** @type {HTMLElement} */ (document.querySelector('[data-testid="compare"]')).click());
    await until("the run is done", async () => {
      const phase = await driver.run(() => document.body.dataset.phase);
      assert.notEqual(phase, "failed", await driver.run(() => document.querySelector('[data-testid="run-error"]')?.textContent ?? ""));
      return phase === "done";
    }, 120);
    const losses = await driver.run(() => [...document.querySelectorAll('[data-testid="race-table"] tr[data-kind] [data-column="loss"]')].map((cell) => cell.textContent ?? ""));
    assert.equal(losses.length, 2);
    // Letters of the book, by how often they come alone, are worth about 3.1 nats each; a fresh model is above 4.
    for (const loss of losses) assert.ok(Number.parseFloat(loss) < 3.5, `losses ${losses}`);
    const written = () => driver.run(() => [...document.querySelectorAll('[data-testid^="speech-"] .new')].map((text) => [...(text.textContent ?? "")].length));
    await until("both have written", async () => String(await written()) === "20,20");
    assert.deepEqual(server.missing, []);
  });

  test("the demo keeps a comparison over a reload and resumes it", async () => {
    const [, server] = servers;
    const settings = { layers: 1, width: 32, heads: 4, length: 16, batch: 4, steps: 20_000, kinds: "vanilla,random" };
    const address = `${server.origin}/some/where/?device=cpu#${new URLSearchParams(Object.entries(settings).map(([name, value]) => [name, String(value)]))}`;
    const click = (/** @type {string} */ id) => driver.run((id) => /** @type {HTMLElement} */ (document.querySelector(`[data-testid="${id}"]`)).click(), id);
    const text = (/** @type {string} */ id) => driver.run((id) => document.querySelector(`[data-testid="${id}"]`)?.textContent ?? "", id);
    const keptStep = () => driver.run(() => Number(/** @type {HTMLElement | null} */ (document.querySelector('[data-testid="kept-state"]'))?.dataset.step ?? -1));
    await driver.open("about:blank"); // or the address would only change its hash
    await driver.open(address);
    await until("it can begin", async () => (await text("compare")) !== "");
    await click("compare");
    await until("it is kept", async () => {
      assert.equal(await text("kept-trouble"), "");
      return (await keptStep()) >= 0;
    });
    await until("its middle is kept", async () => {
      await driver.run(() => {
        Object.defineProperty(document, "visibilityState", { configurable: true, value: "hidden" });
        document.dispatchEvent(new Event("visibilitychange"));
        Reflect.deleteProperty(document, "visibilityState");
      });
      return (await keptStep()) >= 40;
    });
    await driver.open("about:blank");
    await driver.open(`${server.origin}/some/where/?device=cpu`);
    await until("it is offered", async () => (await text("kept-offer")) !== "");
    const step = Number((/stopped at step ([\d,]+) of 20,000/.exec(await text("kept-offer"))?.[1] ?? "").replace(",", ""));
    assert.ok(step >= 40, `stopped at ${step}`);
    await click("kept-resume");
    const made = () => driver.run(() => [...document.querySelectorAll('[data-testid="race-table"] tr[data-origin="run"] th small')].map((cell) => Number((cell.textContent ?? "").replace(/\D/g, ""))));
    await until("both go on", async () => (await made()).length === 2 && (await made()).every((one) => one > step));
    await click("stop");
    await until("it has stopped", async () => (await driver.run(() => document.body.dataset.phase)) === "stopped");
    assert.deepEqual(server.missing, []);
  });
}
