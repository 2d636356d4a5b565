// The model in this project's own wasm module, on one thread where it is the CPU's.

import init, { BenchModel, WebEngine } from "/wasm/synthattn.js";
import { offer } from "./harness.js";

/** @type {any} */
let engine;
/** @type {any} */
let model;

offer({
  async init(device) {
    await init({ module_or_path: "/wasm/synthattn_bg.wasm" });
    engine = await WebEngine.create(device);
    return { name: "synthattn", version: "this checkout", backend: device === "cpu" ? "wasm, 1 thread" : "WebGPU" };
  },

  async build({ vocabulary, length, width, layers, heads, inner }, kind, weights) {
    const spec = { attention: kind, vocabulary, maxLength: length, dModel: width, layers, heads, dFf: inner };
    model = await BenchModel.create(engine, spec, weights);
  },

  step: (inputs, targets) => model.step(inputs, targets),

  loss: () => model.loss(),

  generate: async (prompt, count) => [...(await model.generate(prompt, count))],
});
