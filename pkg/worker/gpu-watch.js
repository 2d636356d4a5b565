/**
 * Tells when a graphics device is lost. The kernels' library owns the device and may wait for it for ever.
 *
 * @module
 */

import { SynthError } from "../errors.js";

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
    device.lost.then((/** @type {{ reason?: string, message?: string }} */ { reason, message }) => {
      const why = message || reason || "no reason given";
      const advice = "The driver may have been reset, or memory may have run out.";
      onLoss(new SynthError("device-lost", `The graphics device was lost (${why}). ${advice} ${ANEW}`, { reason }));
    });
    return device;
  };
}
