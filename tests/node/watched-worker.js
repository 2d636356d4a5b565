// The package's worker, which also tells how much of its own heap is in use when it is asked to.

import { BroadcastChannel } from "node:worker_threads";
import { heapInUse } from "./heap.js";

const channel = new BroadcastChannel("heap");
channel.unref();
/** @param {{ data: unknown }} event */
channel.onmessage = async (event) => {
  if (event.data === "question") channel.postMessage({ heap: await heapInUse() });
};

await import("../../pkg/worker.js");
