/**
 * Workers of browsers and of Node, seen alike.
 *
 * @module
 */

import { builtin } from "./builtin.js";
import { watchPulse } from "./pulse.js";

/** @import { FromWorker, Port } from "./protocol.js" */

const BLOCKED =
  "its script could not be loaded: is it served from this origin, and does the page's Content-Security-Policy allow " +
  "worker-src 'self'? Where a bundler leaves the worker out, synthattn/inline needs no file beside it.";

/**
 * @param {Worker} worker
 * @param {string} [blocked] what to say of a failure that the browser keeps silent about
 * @returns {Port}
 */
export function webPort(worker, blocked = BLOCKED) {
  let closing = false;
  let stopWatching = () => {};
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    listen(onMessage, onError) {
      worker.onmessage = ({ data }) => {
        if (data.type === "hello" && data.pulse !== undefined && !closing) {
          stopWatching = watchPulse(data.pulse, () => onError(new Error("it ended unexpectedly, perhaps for lack of memory")));
        }
        onMessage(data);
      };
      worker.onmessageerror = () => onError(new Error("a message could not be read"));
      worker.onerror = (event) => {
        event.preventDefault?.();
        onError(event.error ?? new Error(event.message || blocked));
      };
    },
    hold() {},
    async close() {
      closing = true;
      stopWatching();
      worker.terminate();
    },
  };
}

/**
 * @param {string | URL} script
 * @param {{ eval?: boolean }} [options] `eval`: the script is the code itself
 */
export async function nodeWorker(script, options) {
  const { Worker } = await builtin("node:worker_threads");
  // Without the process's own flags, some of which (--input-type) keep a worker from starting.
  return nodePort(new Worker(script, { ...options, execArgv: [] }));
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
