/**
 * Chooses the device and starts a worker on it: WebGPU where it works, else the CPU and why.
 *
 * @module
 */

import { SynthError, aborted, asSynthError } from "../errors.js";
import { hire } from "./crew.js";
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
 * @param {number} workers on the CPU
 * @returns {Promise<Opened>}
 */
export async function open(host, wanted, wasm, workers) {
  /** @param {string} [reason] */
  const bootCpu = (reason) => boot(host, cpu(workers, reason), wasm, { workers });
  if (wanted === "cpu") return bootCpu();
  const support = await host.support();
  if (wanted === "webgpu") {
    if (!support.webgpu)
      throw new SynthError("webgpu-unavailable", support.reason ?? "WebGPU is not available.", {
        reason: support.reason,
      });
    return boot(host, webgpu(support), wasm);
  }
  const reason = unfit(support);
  if (reason !== undefined) return bootCpu(reason);
  try {
    return await boot(host, webgpu(support), wasm, { selfCheck: true });
  } catch (error) {
    // Whatever became of that worker, its instance is not to be used again: the CPU gets one of its own.
    return bootCpu(asSynthError(error, "WebGPU failed to start").message);
  }
}

/**
 * @param {Host} host
 * @param {DeviceInfo} device
 * @param {WasmSource} wasm
 * @param {{ selfCheck?: boolean, workers?: number }} [options] `selfCheck`: compare a small model with the CPU first
 * @returns {Promise<Opened>}
 */
async function boot(host, device, wasm, { selfCheck = false, workers = 1 } = {}) {
  const link = new Link(await spawnOrSay(host));
  try {
    const { module } = await link.call("start", { kind: device.kind, wasm, selfCheck });
    if (workers > 1) await hire(link, workers - 1, () => spawnOrSay(host), module);
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
 * @param {number} workers
 * @param {string} [fallbackReason]
 * @returns {DeviceInfo}
 */
function cpu(workers, fallbackReason) {
  const description = workers === 1 ? "CPU, one thread" : `CPU, ${workers} threads`;
  const device = { kind: /** @type {const} */ ("cpu"), description, software: false };
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
