/**
 * Starts the worker, in a browser or in Node.
 *
 * @module
 */

import { nodeWorker, webPort } from "./port.js";

/** @import { Port } from "./protocol.js" */

/** @returns {Promise<Port>} */
export async function spawn() {
  if (typeof Worker === "function") {
    // Literally so: this is the form that bundlers know and follow.
    return webPort(new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));
  }
  // In other words, or a bundler would copy the file once more for the browser.
  return nodeWorker(new URL(import.meta.url.replace(/[^/]*$/, "worker.js")));
}

export { nodePort } from "./port.js";
