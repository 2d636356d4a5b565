/**
 * Starts the worker, in a browser or in Node.
 *
 * @module
 */

import { builtin } from "./builtin.js";

/** @import { FromWorker, Port } from "./protocol.js" */

/** @returns {Promise<Port>} */
export async function spawn() {
  if (typeof Worker === "function") {
    // Literally so: this is the form that bundlers know and follow.
    return webPort(new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));
  }
  const { Worker: NodeWorker } = await builtin("node:worker_threads");
  // In other words, or a bundler would copy the file once more for the browser.
  const script = new URL(import.meta.url.replace(/[^/]*$/, "worker.js"));
  // Without the process's own flags, some of which (--input-type) keep a worker from starting.
  return nodePort(new NodeWorker(script, { execArgv: [] }));
}

/**
 * @param {Worker} worker
 * @returns {Port}
 */
function webPort(worker) {
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    listen(onMessage, onError) {
      worker.onmessage = ({ data }) => onMessage(data);
      worker.onmessageerror = () => onError(new Error("a message could not be read"));
      worker.onerror = (event) => {
        event.preventDefault?.();
        const blocked =
          "its script could not be loaded: is worker.js served from this origin, and does the page's " +
          "Content-Security-Policy allow worker-src 'self'?";
        onError(event.error ?? new Error(event.message || blocked));
      };
    },
    hold() {},
    async close() {
      worker.terminate();
    },
  };
}

/**
 * @param {any} worker of `node:worker_threads`
 * @returns {Port}
 */
export function nodePort(worker) {
  let closing = false;
  // An idle engine must not keep a script alive that forgot to dispose of it.
  worker.unref();
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    listen(/** @type {(message: FromWorker) => void} */ onMessage, onError) {
      worker.on("message", onMessage);
      worker.on("messageerror", onError);
      worker.on("error", onError);
      worker.on("exit", (/** @type {number} */ code) => {
        if (!closing) onError(new Error(`it exited with code ${code}`));
      });
    },
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    async close() {
      closing = true;
      await worker.terminate();
    },
  };
}
