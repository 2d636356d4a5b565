/**
 * Trains and runs Synthesizer transformers on WebGPU or the CPU, in a worker. Importing this starts nothing.
 *
 * @module
 */

export { Engine } from "./client/engine.js";
export { Model } from "./client/model.js";
export { builtinData } from "./client/builtin-data.js";
export { kinds, tasks } from "./client/catalog.js";
export { support } from "./client/support.js";
export { SynthError } from "./errors.js";
export * from "./contract.js";
