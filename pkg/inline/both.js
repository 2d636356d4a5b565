/**
 * The package in one piece: the worker and the WebAssembly are in the script. Importing this starts nothing.
 *
 * @module
 */

import { Engine as Base, createEngine } from "../client/engine.js";
import { support } from "../support.js";
// @ts-ignore made while bundling
import { code, gzip } from "./payload-both.js";
import { spawnCode } from "./spawn.js";

/** @import { EngineOptions } from "../contract.js" */

export * from "../common.js";
export { support };

/** The `Engine` of `synthattn`, with worker and module in the script. */
export class Engine extends Base {
  /**
   * Starts a worker that owns the wasm instance and the device. `auto`, the default, takes WebGPU where it works on
   * real hardware and a small check against the CPU agrees, else the CPU, and says why.
   *
   * @param {EngineOptions} [options]
   * @returns {Promise<Engine>}
   */
  static create(options) {
    return createEngine(options, { spawn: () => spawnCode(code), support, wasm: () => ({ gzip }) }, Engine);
  }
}
