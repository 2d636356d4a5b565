/**
 * Trains and runs Synthesizer transformers on WebGPU or the CPU, in a worker. Importing this starts nothing.
 *
 * @module
 */

import { Engine as Base, createEngine } from "./client/engine.js";
import { support } from "./support.js";
import { spawn } from "./spawn.js";

/** @import { EngineOptions } from "./contract.js" */

export * from "./common.js";
export { support };

/** One worker, one device. Everything in it happens one call at a time, so what is timed has nothing else in flight. */
export class Engine extends Base {
  /**
   * Starts a worker that owns the wasm instance and the device. `auto`, the default, takes WebGPU where it works on
   * real hardware and a small check against the CPU agrees, else the CPU, and says why.
   *
   * @param {EngineOptions} [options]
   * @returns {Promise<Engine>}
   */
  static create(options) {
    return createEngine(options, { spawn, support }, Engine);
  }
}
