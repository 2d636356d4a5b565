/**
 * The package for the CPU alone, in one piece: the worker and the WebAssembly are in the script. Importing this starts
 * nothing.
 *
 * @module
 */

import { support } from "../client/cpu-only.js";
import { Engine as Base, createEngine } from "../client/engine.js";
// @ts-ignore made while bundling
import { code, gzip } from "./payload-cpu.js";
import { spawnCode } from "./spawn.js";

/** @import { EngineOptions } from "../contract.js" */

export * from "../common.js";
export { support };

/** The `Engine` of `synthattn/cpu`, with worker and module in the script. */
export class Engine extends Base {
  /**
   * Starts a worker that owns the wasm instance. `auto`, the default, is the CPU here; `webgpu` is refused as
   * `webgpu-unavailable`.
   *
   * @param {EngineOptions} [options]
   * @returns {Promise<Engine>}
   */
  static create(options) {
    return createEngine(options, { spawn: () => spawnCode(code), support, wasm: () => ({ gzip }) }, Engine);
  }
}
