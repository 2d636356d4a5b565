/**
 * The worker: owns the WebAssembly instance and the device, and does one command at a time.
 *
 * @module
 */

// @ts-ignore generated, so not always there when types are checked
import * as glue from "./wasm/synthattn.js";
import { glueOf } from "./worker/glue.js";
import { start } from "./worker/start.js";

start({ glue: glueOf(glue, { gpu: true }), beside: new URL("./wasm/synthattn_bg.wasm", import.meta.url) });
