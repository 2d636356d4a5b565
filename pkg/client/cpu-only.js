/**
 * What there is to say of WebGPU where the module has the CPU device alone.
 *
 * @module
 */

/** @import { Support } from "../contract.js" */

/**
 * Whether an engine of this entry can run on WebGPU: it cannot, whatever the browser has.
 *
 * @returns {Promise<Support>}
 */
export async function support() {
  return {
    webgpu: false,
    reason: "This entry of the package has the CPU alone, without WebGPU: synthattn and synthattn/inline have both.",
  };
}
