/**
 * The worker: owns the WebAssembly instance and the device, and does one command at a time.
 *
 * @module
 */

// @ts-ignore generated, so not always there when types are checked
import init, * as wasm from "./wasm/synthattn.js";
import { builtin } from "./builtin.js";
import { asSynthError } from "./errors.js";
import { macrotask } from "./macrotask.js";
import { Core } from "./worker/core.js";
import { watchDevices } from "./worker/gpu-watch.js";
import { compile } from "./worker/wasm-file.js";

/** @import { FromWorker, WasmSource } from "./protocol.js" */

/** @param {WasmSource} source */
async function load(source) {
  const module = await compile(source, new URL("./wasm/synthattn_bg.wasm", import.meta.url));
  try {
    await init({ module_or_path: module });
  } catch (error) {
    throw asSynthError(error, "The WebAssembly file does not start; it may be of another version");
  }
  return { module, exports: /** @type {any} */ (wasm) };
}

/**
 * @param {(message: FromWorker, transfer: Transferable[]) => void} post
 */
function coreFor(post) {
  const core = new Core({ post, load, pause: macrotask, now: () => performance.now() });
  // The panic hook of the Rust side writes here what happened before it traps.
  const { error } = console;
  console.error = (...words) => {
    core.note(words.map(String).join(" ").slice(0, 2000));
    error.apply(console, words);
  };
  return core;
}

function startInBrowser() {
  const scope = /** @type {any} */ (globalThis);
  const core = coreFor((message, transfer) => scope.postMessage(message, transfer));
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
  scope.postMessage({ type: "hello" });
}

async function startInNode() {
  const { parentPort } = await builtin("node:worker_threads");
  const { process } = /** @type {any} */ (globalThis);
  const core = coreFor((message, transfer) => parentPort.postMessage(message, transfer));
  process.on("uncaughtException", (/** @type {unknown} */ error) => core.die(error));
  process.on("unhandledRejection", (/** @type {unknown} */ error) => core.die(error));
  parentPort.on("message", (/** @type {any} */ message) => core.receive(message));
  parentPort.postMessage({ type: "hello" });
}

if (typeof (/** @type {any} */ (globalThis).WorkerGlobalScope) === "function") startInBrowser();
else void startInNode();
