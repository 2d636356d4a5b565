/**
 * Which of the package's two modules a module is, and the glue that was written for it: another's would fail at a call.
 *
 * @module
 */

import { SynthError } from "../errors.js";

/**
 * The two differ in what they import.
 *
 * @param {WebAssembly.Module} module
 */
export function asksForGpu(module) {
  return WebAssembly.Module.imports(module).some(({ name }) => name.startsWith("__wbg_requestAdapter"));
}

/**
 * For the worker of an entry that has the glue of one module.
 *
 * @param {unknown} glue
 * @param {{ gpu: boolean }} made whether it was made for the module with WebGPU
 * @returns {(module: WebAssembly.Module) => unknown}
 */
export function glueOf(glue, { gpu }) {
  return (module) => {
    if (asksForGpu(module) === gpu) return glue;
    const [mine, other] = gpu ? ["wasm", "wasm-cpu"] : ["wasm-cpu", "wasm"];
    throw new SynthError(
      "invalid-option",
      `The module given as wasm is not the one of this entry, synthattn/${mine}/synthattn_bg.wasm; synthattn/core takes ` +
        `that and synthattn/${other}/synthattn_bg.wasm.`,
      { option: "wasm", value: "a WebAssembly.Module", expected: `synthattn/${mine}/synthattn_bg.wasm of this version` },
    );
  };
}
