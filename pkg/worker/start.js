/**
 * Puts the core to work in this worker: of a browser, or of Node.
 *
 * @module
 */

import { builtin } from "../builtin.js";
import { support } from "../support.js";
import { asSynthError } from "../errors.js";
import { macrotask } from "../macrotask.js";
import { takePulse } from "../pulse.js";
import { Core } from "./core.js";
import { largestBuffer, watchDevices } from "./gpu-watch.js";
import { compile } from "./wasm-file.js";

/** @import { FromWorker, WasmSource } from "../protocol.js" */

/**
 * What wasm-bindgen writes beside a module, as a namespace.
 *
 * @typedef {{ default: (source: { module_or_path: WebAssembly.Module }) => Promise<unknown> }} Glue
 */

/**
 * @param {object} given
 * @param {(module: WebAssembly.Module) => any} given.glue of this module
 * @param {URL} [given.beside] where the WebAssembly file is, for entries that come with one
 */
export function start({ glue, beside }) {
  /** @param {WasmSource} source */
  const load = async (source) => {
    const module = await compile(source, beside);
    const exports = /** @type {Glue} */ (glue(module));
    try {
      await exports.default({ module_or_path: module });
    } catch (error) {
      throw asSynthError(error, "The WebAssembly file does not start; it may be of another version");
    }
    return { module, exports: /** @type {any} */ (exports) };
  };
  if (typeof (/** @type {any} */ (globalThis).WorkerGlobalScope) === "function") startInBrowser(load);
  else void startInNode(load);
}

/** @typedef {(source: WasmSource) => Promise<{ module: WebAssembly.Module, exports: any }>} Load */

/**
 * @param {Load} load
 * @param {(message: FromWorker, transfer: Transferable[]) => void} post
 */
function coreFor(load, post) {
  const core = new Core({ post, load, pause: macrotask, now: () => performance.now(), support, largestBuffer });
  // The panic hook of the Rust side writes here what happened before it traps.
  const { error } = console;
  console.error = (...words) => {
    core.note(words.map(String).join(" ").slice(0, 2000));
    error.apply(console, words);
  };
  return core;
}

/** @param {Load} load */
function startInBrowser(load) {
  const scope = /** @type {any} */ (globalThis);
  const core = coreFor(load, (message, transfer) => scope.postMessage(message, transfer));
  // A panic in asynchronous Rust code surfaces here: no promise of a call is ever rejected by it.
  scope.addEventListener("error", (/** @type {ErrorEvent} */ event) => {
    event.preventDefault();
    core.die(event.error ?? event.message);
  });
  scope.addEventListener("unhandledrejection", (/** @type {PromiseRejectionEvent} */ event) => {
    event.preventDefault();
    core.die(event.reason);
  });
  watchDevices(scope, (why) => core.die(why));
  scope.onmessage = (/** @type {MessageEvent} */ { data }) => core.receive(data);
  void takePulse(scope).then((pulse) => scope.postMessage({ type: "hello", pulse }));
}

/** @param {Load} load */
async function startInNode(load) {
  const { parentPort } = await builtin("node:worker_threads");
  const { process } = /** @type {any} */ (globalThis);
  const core = coreFor(load, (message, transfer) => parentPort.postMessage(message, transfer));
  process.on("uncaughtException", (/** @type {unknown} */ error) => core.die(error));
  process.on("unhandledRejection", (/** @type {unknown} */ error) => core.die(error));
  parentPort.on("message", (/** @type {any} */ message) => core.receive(message));
  parentPort.postMessage({ type: "hello" });
}
