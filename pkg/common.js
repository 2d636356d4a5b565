/**
 * What all entries of the package share: everything but how an engine is made, and on what.
 *
 * @module
 */

export { Model } from "./client/model.js";
export { builtinData } from "./client/builtin-data.js";
export { kinds, tasks } from "./client/catalog.js";
export { SynthError } from "./errors.js";
export * from "./contract.js";
