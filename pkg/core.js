/**
 * The package without a WebAssembly file: the app brings it. Importing this starts nothing.
 *
 * @module
 */

import { Engine as Base, createEngine } from "./client/engine.js";
import { support } from "./support.js";
import { SynthError } from "./errors.js";
import { spawn } from "./spawn-core.js";

/** @import { EngineOptions } from "./contract.js" */
/** @import { WasmSource } from "./protocol.js" */

export * from "./common.js";
export { support };

/** The `Engine` of `synthattn`, with the module that the app passes. */
export class Engine extends Base {
  /**
   * Starts a worker that owns the wasm instance and the device. `wasm` is either of the package's files,
   * `synthattn/wasm/synthattn_bg.wasm` or `synthattn/wasm-cpu/synthattn_bg.wasm`; with the latter, `auto` is the CPU.
   *
   * @param {EngineOptions & { wasm: NonNullable<EngineOptions["wasm"]> }} options
   * @returns {Promise<Engine>}
   */
  static create(options) {
    return createEngine(options, { spawn, support, wasm }, Engine);
  }
}

/** @returns {WasmSource} */
function wasm() {
  const reason =
    "synthattn/core comes without a WebAssembly file: pass one as the option wasm, such as the URL at which the app " +
    "serves synthattn/wasm/synthattn_bg.wasm.";
  const expected = "a URL, a Response, the bytes of synthattn_bg.wasm, or a WebAssembly.Module";
  throw new SynthError("invalid-option", reason, { option: "wasm", value: undefined, expected });
}
