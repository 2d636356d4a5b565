/**
 * The worker of `synthattn/core`: either of the package's modules, as the app gives it.
 *
 * @module
 */

// @ts-ignore generated, so not always there when types are checked
import * as both from "./wasm/synthattn.js";
// @ts-ignore generated, so not always there when types are checked
import * as cpu from "./wasm-cpu/synthattn.js";
import { asksForGpu } from "./worker/glue.js";
import { start } from "./worker/start.js";

start({ glue: (module) => (asksForGpu(module) ? both : cpu) });
