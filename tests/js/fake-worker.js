// A Node worker with the real core over the fake module. `workerData.breakAt` names a method that goes wrong, and how.

import { parentPort, workerData } from "node:worker_threads";
import { macrotask } from "../../pkg/macrotask.js";
import { Core } from "../../pkg/worker/core.js";
import { Control } from "./fake-wasm.js";

const control = new Control();
const core = new Core({
  post: (message, transfer) => parentPort.postMessage(message, transfer),
  load: async (source) => ({ ...(await control.load(source)), module: undefined }),
  pause: macrotask,
  now: () => performance.now(),
  support: async () => ({ webgpu: false }),
});
const { breakAt, how } = workerData ?? {};
control.before = (name) => {
  if (name !== breakAt) return undefined;
  if (how === "loop") for (;;);
  if (how === "exit") process.exit(3);
  // As an asynchronous panic does: outside of every promise.
  core.note("panicked at src/lib.rs:1:1:\nunreachable");
  queueMicrotask(() => {
    throw new WebAssembly.RuntimeError("unreachable");
  });
  return new Promise(() => {});
};
parentPort.on("message", (message) => core.receive(message));
parentPort.postMessage({ type: "hello" });
