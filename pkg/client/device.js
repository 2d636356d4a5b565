/**
 * Chooses the device and starts a worker on it: WebGPU where it works, else the CPU and why.
 *
 * @module
 */

import { SynthError, aborted, asSynthError } from "../errors.js";
import { Link } from "./link.js";

/** @import { DeviceInfo, Support } from "../contract.js" */
/** @import { Port, WasmSource } from "../protocol.js" */

/**
 * What an engine needs of the place it runs in; each entry of the package has its own, and tests bring theirs.
 *
 * @typedef {object} Host
 * @property {() => Promise<Port>} spawn
 * @property {() => Promise<Support>} support
 * @property {() => WasmSource} [wasm] where the option `wasm` is not given, if not the file beside the worker
 */

/** @typedef {{ link: Link, device: DeviceInfo, module: WebAssembly.Module }} Opened */

/**
 * @param {Host} host
 * @param {"auto" | "webgpu" | "cpu"} wanted
 * @param {WasmSource} wasm
 * @returns {Promise<Opened>}
 */
export async function open(host, wanted, wasm) {
  if (wanted === "cpu") return boot(host, cpu(), wasm);
  const support = await host.support();
  if (wanted === "webgpu") {
    if (!support.webgpu)
      throw new SynthError("webgpu-unavailable", support.reason ?? "WebGPU is not available.", {
        reason: support.reason,
      });
    return boot(host, webgpu(support), wasm);
  }
  const reason = unfit(support);
  if (reason !== undefined) return boot(host, cpu(reason), wasm);
  try {
    return await boot(host, webgpu(support), wasm, true);
  } catch (error) {
    // Whatever became of that worker, its instance is not to be used again: the CPU gets one of its own.
    return boot(host, cpu(asSynthError(error, "WebGPU failed to start").message), wasm);
  }
}

/**
 * @param {Host} host
 * @param {DeviceInfo} device
 * @param {WasmSource} wasm
 * @param {boolean} [selfCheck] compare a small model with the CPU first
 * @returns {Promise<Opened>}
 */
async function boot(host, device, wasm, selfCheck = false) {
  const link = new Link(await spawnOrSay(host));
  try {
    const { module } = await link.call("start", { kind: device.kind, wasm, selfCheck });
    return { link, device, module };
  } catch (error) {
    await link.close(aborted());
    throw error;
  }
}

/** @param {Host} host */
async function spawnOrSay(host) {
  try {
    return await host.spawn();
  } catch (error) {
    throw asSynthError(
      error,
      "The worker could not be made (its script must come from the page's own origin)",
    );
  }
}

/**
 * Why `auto` should not take WebGPU.
 *
 * @param {Support} support
 */
function unfit({ webgpu, reason, adapter }) {
  if (!webgpu) return reason ?? "WebGPU is not available.";
  if (!adapter?.software) return undefined;
  const name = `${adapter.vendor} ${adapter.architecture}`.trim() || "unnamed";
  return `The only WebGPU adapter here is a software one (${name}), which is slower than computing on the CPU directly.`;
}

/**
 * @param {string} [fallbackReason]
 * @returns {DeviceInfo}
 */
function cpu(fallbackReason) {
  const device = { kind: /** @type {const} */ ("cpu"), description: "CPU, one thread", software: false };
  return fallbackReason === undefined ? device : { ...device, fallbackReason };
}

/**
 * @param {Support} support
 * @returns {DeviceInfo}
 */
function webgpu({ adapter }) {
  const { vendor = "", architecture = "", software = false } = adapter ?? {};
  const name = `${vendor} ${architecture}`.trim();
  const description = `WebGPU${name === "" ? "" : `, ${name}`}${software ? " (software)" : ""}`;
  return { kind: "webgpu", description, software };
}
