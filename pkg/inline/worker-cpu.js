/**
 * The worker of `synthattn/cpu/inline`; the page sends it the WebAssembly.
 *
 * @module
 */

// @ts-ignore generated, so not always there when types are checked
import * as glue from "../wasm-cpu/synthattn.js";
import { glueOf } from "../worker/glue.js";
import { start } from "../worker/start.js";

start({ glue: glueOf(glue, { gpu: false }) });
