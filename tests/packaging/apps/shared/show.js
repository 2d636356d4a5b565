// The outcome in the page, from an engine of the page's own and from one that a worker of the app makes.

import { use } from "./use.js";

/**
 * @param {Pick<typeof import("synthattn"), "Engine" | "support">} entry
 * @param {Worker} [worker] that does the same and posts its outcome
 */
export async function show(entry, worker) {
  const wasm = new URLSearchParams(location.search).get("wasm");
  const outcomes = [await use(entry, wasm === null ? {} : { wasm })];
  if (worker) outcomes.push(await new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(wasm === null ? {} : { wasm: new URL(wasm, document.baseURI).href });
  }));
  /** @type {HTMLElement} */ (document.querySelector("#outcome")).textContent = JSON.stringify(outcomes);
}
