/**
 * What a model file says of itself: read from its head, so that it is true of these very bytes.
 *
 * @module
 */

import { SynthError } from "../errors.js";

/** @import { ModelSpec } from "../contract.js" */

/** @typedef {{ step: number, spec: Required<ModelSpec> }} Facts */

/**
 * @param {Uint8Array} file from `save()`
 * @returns {Facts}
 */
export function factsOf(file) {
  try {
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    const length = Number(view.getBigUint64(0, true));
    const { __metadata__: about } = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length)));
    const { step } = JSON.parse(about.training);
    return { step, spec: JSON.parse(about.spec) };
  } catch (cause) {
    throw new SynthError("corrupt-file", "save() gave no model file.", undefined, { cause });
  }
}
