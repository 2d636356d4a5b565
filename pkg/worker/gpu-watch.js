/**
 * Tells when a graphics device is lost, and how much it can hold at once. The kernels' library owns the device and may wait for it for ever.
 *
 * @module
 */

import { SynthError } from "../errors.js";

/** @type {number | undefined} */
let largest;

/** The most bytes of one buffer of the device that was requested last. The kernels' library would compute nothing, silently. */
export const largestBuffer = () => largest;

const ANEW = "The next call starts anew, from the last snapshots.";

/**
 * Watches every device that will be requested in this worker, which is the engine's one.
 *
 * @param {any} scope the worker's global object
 * @param {(why: SynthError) => void} onLoss
 */
export function watchDevices(scope, onLoss) {
  const prototype = scope.GPUAdapter?.prototype;
  const request = prototype?.requestDevice;
  if (typeof request !== "function") return;
  /** @this {unknown} @param {unknown[]} args */
  prototype.requestDevice = async function (...args) {
    const device = await request.apply(this, args);
    const { maxBufferSize, maxStorageBufferBindingSize } = device.limits ?? {};
    largest = Math.min(maxBufferSize, maxStorageBufferBindingSize) || undefined;
    device.lost.then((/** @type {{ reason?: string, message?: string }} */ { reason, message }) => {
      const why = (message || reason || "no reason given").replace(/\.$/, "");
      const advice = "The driver may have been reset, or memory may have run out.";
      onLoss(new SynthError("device-lost", `The graphics device was lost (${why}). ${advice} ${ANEW}`, { reason: why }));
    });
    return device;
  };
}
