/**
 * The worker of `synthattn/core`: either of the package's modules, as the app gives it.
 *
 * @module
 */

// @ts-ignore generated, so not always there when types are checked
import * as both from "./wasm/synthattn.js";
// @ts-ignore generated, so not always there when types are checked
import * as cpu from "./wasm-cpu/synthattn.js";
import { start } from "./worker/start.js";

start({ glue: (module) => (asksForGpu(module) ? both : cpu) });

/**
 * The two differ in what they import, and each needs the glue that was written for it.
 *
 * @param {WebAssembly.Module} module
 */
function asksForGpu(module) {
  return WebAssembly.Module.imports(module).some(({ name }) => name.startsWith("__wbg_requestAdapter"));
}
