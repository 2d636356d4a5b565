// support(): one sentence for each thing that can be missing, and never an exception.

import assert from "node:assert/strict";
import { test } from "node:test";
import { probe, support } from "../../pkg/support.js";
import { watchDevices } from "../../pkg/worker/gpu-watch.js";

const LIMITS = {
  maxStorageBuffersPerShaderStage: 10,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupStorageSize: 16384,
  maxComputeWorkgroupsPerDimension: 65535,
  maxStorageBufferBindingSize: 2 ** 27,
  maxBufferSize: 2 ** 28,
};

const adapter = (changes = {}) => ({
  features: new Set(["timestamp-query", "shader-f16"]),
  limits: LIMITS,
  info: { vendor: "acme", architecture: "one", device: "", description: "" },
  ...changes,
});

const page = (requestAdapter, changes = {}) => ({
  isSecureContext: true,
  navigator: { gpu: { requestAdapter } },
  ...changes,
});

test("a good adapter is named", async () => {
  let asked;
  const found = await probe(page(async (options) => ((asked = options), adapter())));
  assert.deepEqual(found, {
    webgpu: true,
    adapter: { vendor: "acme", architecture: "one", software: false },
  });
  assert.deepEqual(asked, { powerPreference: "high-performance" });
});

for (const [what, scope, reason] of [
  ["no WebGPU in the browser", { isSecureContext: true, navigator: {} }, /This browser has no WebGPU/],
  ["no navigator", {}, /no WebGPU/],
  ["an insecure page", { isSecureContext: false, navigator: {} }, /https/],
  ["Node", { process: { versions: { node: "20" } }, navigator: {} }, /outside a browser/],
  ["no adapter", page(async () => null), /hardware acceleration/],
  [
    "an adapter request that throws",
    page(() => {
      throw new Error("blocklisted");
    }),
    /refused.*blocklisted/,
  ],
  [
    "an adapter request that rejects",
    page(async () => {
      throw "odd";
    }),
    /refused.*odd/,
  ],
  ["no timestamp-query", page(async () => adapter({ features: new Set() })), /timestamp-query/],
  ["no features at all", page(async () => adapter({ features: undefined })), /timestamp-query/],
  [
    "too few storage buffers",
    page(async () => adapter({ limits: { ...LIMITS, maxStorageBuffersPerShaderStage: 4 } })),
    /maxStorageBuffersPerShaderStage is 4, and 8/,
  ],
  [
    "too small workgroups",
    page(async () => adapter({ limits: { ...LIMITS, maxComputeInvocationsPerWorkgroup: 128 } })),
    /maxComputeInvocationsPerWorkgroup/,
  ],
  [
    "too small buffers",
    page(async () => adapter({ limits: { ...LIMITS, maxBufferSize: 1 } })),
    /maxBufferSize/,
  ],
  [
    "a getter that throws",
    {
      get navigator() {
        throw new Error("trap");
      },
    },
    /trap/,
  ],
]) {
  test(`${what} is one sentence`, async () => {
    const found = await probe(scope);
    assert.equal(found.webgpu, false);
    assert.match(found.reason, reason);
    assert.match(found.reason, /^[A-Z].*\.$/);
  });
}

for (const [what, changes, software] of [
  ["SwiftShader", { info: { vendor: "google", architecture: "swiftshader" } }, true],
  [
    "llvmpipe",
    { info: { vendor: "mesa", architecture: "", description: "llvmpipe (LLVM 19, 256 bits)" } },
    true,
  ],
  [
    "Microsoft's",
    { info: { vendor: "microsoft", architecture: "", description: "Microsoft Basic Render Driver" } },
    true,
  ],
  ["one that says so", { info: { vendor: "x", architecture: "y", isFallbackAdapter: true } }, true],
  ["one that says so as it used to be said", { isFallbackAdapter: true }, true],
  ["a graphics card", { info: { vendor: "nvidia", architecture: "lovelace" } }, false],
  [
    "one asked in the old way",
    { info: undefined, requestAdapterInfo: async () => ({ vendor: "intel", architecture: "gen-12lp" }) },
    false,
  ],
  ["one that says nothing", { info: undefined }, false],
]) {
  test(`an adapter is software or not: ${what}`, async () => {
    const found = await probe(page(async () => adapter(changes)));
    assert.equal(found.webgpu, true);
    assert.equal(found.adapter.software, software);
    assert.equal(typeof found.adapter.vendor, "string");
  });
}

test("an adapter that does not do is named all the same", async () => {
  const found = await probe(page(async () => adapter({ features: new Set() })));
  assert.equal(found.adapter.vendor, "acme");
});

test("in Node support() says no", async () => {
  assert.equal((await support()).webgpu, false);
});

test("a device's loss is told, whoever requested the device", async () => {
  let lose;
  const device = { lost: new Promise((resolve) => (lose = resolve)) };
  class GPUAdapter {
    async requestDevice(descriptor) {
      assert.equal(this instanceof GPUAdapter, true);
      return { ...device, descriptor };
    }
  }
  const losses = [];
  watchDevices({ GPUAdapter }, (why) => losses.push(why));
  assert.equal((await new GPUAdapter().requestDevice("mine")).descriptor, "mine");
  assert.equal(losses.length, 0);
  lose({ reason: "unknown", message: "reset" });
  await new Promise(setImmediate);
  assert.equal(losses.length, 1);
  assert.equal(losses[0].code, "device-lost");
  assert.match(losses[0].message, /reset/);
  // "unknown" is what most losses give as their reason, and tells nobody anything.
  assert.deepEqual(losses[0].details, { reason: "reset" });
  watchDevices({}, () => assert.fail("there is nothing to watch"));
});
