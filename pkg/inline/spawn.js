/**
 * Starts a worker from its code, in a browser or in Node.
 *
 * @module
 */

import { nodeWorker, webPort } from "../port.js";

/** @import { Port } from "../protocol.js" */

const BLOCKED =
  "its script could not be started: does the page's Content-Security-Policy allow worker-src blob: and script-src " +
  "'wasm-unsafe-eval'?";

/**
 * @param {string} code
 * @returns {Promise<Port>}
 */
export async function spawnCode(code) {
  if (typeof Worker !== "function") return nodeWorker(code, { eval: true });
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = fromMemory(url);
  // Not at once: some browsers read it only when the worker is on its way up.
  const release = () => URL.revokeObjectURL(url);
  worker.addEventListener("message", release, { once: true });
  worker.addEventListener("error", release, { once: true });
  return webPort(worker, BLOCKED);
}

/**
 * A classic one: a page without an origin, from the disk or in a sandbox, may start no module out of memory. Deno knows
 * modules alone, and the code is as good as one.
 *
 * @param {string} url
 */
function fromMemory(url) {
  try {
    return new Worker(url);
  } catch {
    return new Worker(url, { type: "module" });
  }
}
