/**
 * The worker of `synthattn/cpu`: its module has the CPU device alone, and is a small part of the other's size.
 *
 * @module
 */

// @ts-ignore generated, so not always there when types are checked
import * as glue from "./wasm-cpu/synthattn.js";
import { glueOf } from "./worker/glue.js";
import { start } from "./worker/start.js";

start({ glue: glueOf(glue, { gpu: false }), beside: new URL("./wasm-cpu/synthattn_bg.wasm", import.meta.url) });
