/**
 * The package with a module for the CPU alone, a small part of the other's size. Importing this starts nothing.
 *
 * @module
 */

import { support } from "./client/cpu-only.js";
import { Engine as Base, createEngine } from "./client/engine.js";
import { spawn } from "./spawn-cpu.js";

/** @import { EngineOptions } from "./contract.js" */

export * from "./common.js";
export { support };

/** The `Engine` of `synthattn`, on the CPU alone. */
export class Engine extends Base {
  /**
   * Starts a worker that owns the wasm instance. `auto`, the default, is the CPU here; `webgpu` is refused as
   * `webgpu-unavailable`.
   *
   * @param {EngineOptions} [options]
   * @returns {Promise<Engine>}
   */
  static create(options) {
    return createEngine(options, { spawn, support }, Engine);
  }
}
