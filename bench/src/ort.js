// The model in ONNX Runtime, which does not train in a browser: it writes with weights that another library trained. Its best
// case is a graph that takes the keys and values of the tokens before and gives them back with those of the new tokens.

import { offer } from "./harness.js";
import { Graph } from "./onnx.js";

/** @import { InferenceSession, Tensor } from "onnxruntime-web" */
/** @import { Kind, Sizes, Weight } from "./model.js" */

/** @type {typeof import("onnxruntime-web")} */
let ort;
/** @type {"cpu" | "webgpu"} */
let device;
/** @type {Sizes} */
let sizes;
/** @type {InferenceSession | undefined} */
let session;
/** @type {Record<string, Tensor>} */
let nothingBefore;

/** What is kept of the tokens of each layer. @param {Kind} kind */
const keptOf = (kind) => (kind === "vanilla" ? ["key", "value"] : ["value"]);

/**
 * The model of one text: `ids` and `positions` of its new tokens, and `past.*` of those before, to the `logits` of the new
 * ones, and `present.*` of all.
 *
 * @param {Sizes} sizes
 * @param {Kind} kind
 * @param {Record<string, Weight>} weights
 */
function graphOf(sizes, kind, weights) {
  const { vocabulary, length, width, layers, heads } = sizes;
  const graph = new Graph();
  const of = (/** @type {string} */ name) => graph.constant(name, weights[name].shape, weights[name].data);
  const add = (/** @type {string} */ a, /** @type {string} */ b) => graph.one("Add", [a, b]);
  const linear = (/** @type {string} */ x, /** @type {string} */ weight, /** @type {string} */ bias) => graph.one("Gemm", [x, weight, bias]);
  const reshape = (/** @type {string} */ x, /** @type {number[]} */ ...shape) => graph.one("Reshape", [x, graph.list(...shape)]);
  const transpose = (/** @type {string} */ x, /** @type {number[]} */ ...perm) => graph.one("Transpose", [x], { perm });
  const norm = (/** @type {string} */ x, /** @type {string} */ name) =>
    graph.one("LayerNormalization", [x, of(`${name}.weight`), of(`${name}.bias`)], { axis: -1, epsilon: { float: 1e-5 } });
  const perHead = [1, heads, "tokens", width / heads];
  const past = (/** @type {number} */ layer) => keptOf(kind).map((part) => graph.input(`past.${layer}.${part}`, "float32", perHead.with(2, "tokens before")));
  const present = (/** @type {number} */ layer) => keptOf(kind).map((part) => graph.output(`present.${layer}.${part}`, "float32", perHead));
  const hidden = Float32Array.from({ length: length ** 2 }, (_, i) => (i % length > Math.floor(i / length) ? -1e9 : 0));
  const mask = () => graph.constant("mask", [length, length], hidden);

  /** Dot products, of one product for query, key and value. @param {string} h @param {number} layer */
  function compared(h, layer) {
    const names = ["query", "key", "value"].map((part) => `blocks.${layer}.attn.${part}`);
    // What is made of constants alone becomes one when the graph is optimised, here and in a table's softmax.
    const weight = graph.one("Concat", names.map((name) => of(`${name}.weight`)), { axis: 1 });
    const bias = graph.one("Concat", names.map((name) => of(`${name}.bias`)), { axis: 0 });
    const all = reshape(linear(h, weight, bias), 1, -1, 3 * width);
    const parts = graph.several("Split", [all], { axis: 2, num_outputs: 3 }, graph.names(3));
    const settings = { q_num_heads: heads, kv_num_heads: heads, is_causal: 1 };
    return graph.several("Attention", [...parts, "", ...past(layer)], settings, [...graph.names(1), ...present(layer)])[0];
  }

  /** A table, or rows made of each token. @param {string} h @param {number} layer */
  function looked(h, layer) {
    const name = `blocks.${layer}.attn`;
    const news = reshape(linear(h, of(`${name}.value.weight`), of(`${name}.value.bias`)), 1, -1, heads, width / heads);
    const values = graph.one("Concat", [...past(layer), transpose(news, 0, 2, 1, 3)], { axis: 2 }, present(layer)[0]);
    const rows = kind === "random" ? tableRows(name) : denseRows(h, name);
    // What is cut off is exactly zero: positions that no token has yet.
    const seen = graph.one("Slice", [rows, graph.list(0), graph.one("Shape", [values], { start: 2, end: 3 }), graph.list(2)]);
    return transpose(graph.one("MatMul", [seen, values]), 0, 2, 1, 3);
  }

  /** @param {string} name */
  function tableRows(name) {
    const table = graph.one("Softmax", [add(of(`${name}.random.logits`), mask())], { axis: -1 });
    return graph.one("Gather", [table, "positions"], { axis: 1 });
  }

  /** @param {string} h @param {string} name */
  function denseRows(h, name) {
    const inner = graph.one("Relu", [linear(h, of(`${name}.dense.w1`), of(`${name}.dense.b1`))]);
    const split = transpose(reshape(inner, -1, heads, width / heads), 1, 0, 2);
    const bias = graph.constant(`${name}.dense.b2`, [heads, 1, length], weights[`${name}.dense.b2`].data);
    const scores = add(graph.one("MatMul", [split, of(`${name}.dense.w2`)]), bias);
    return graph.one("Softmax", [add(scores, graph.one("Gather", [mask(), "positions"]))], { axis: -1 });
  }

  graph.input("ids", "int32", ["new tokens"]);
  graph.input("positions", "int32", ["new tokens"]);
  let x = add(graph.one("Gather", [of("tok_embed.weight"), "ids"]), graph.one("Gather", [of("pos_embed.weight"), "positions"]));
  for (let layer = 0; layer < layers; layer++) {
    const block = `blocks.${layer}`;
    const h = norm(x, `${block}.ln1`);
    const mixed = reshape(kind === "vanilla" ? compared(h, layer) : looked(h, layer), -1, width);
    x = add(x, linear(mixed, of(`${block}.attn.out.weight`), of(`${block}.attn.out.bias`)));
    const inner = linear(norm(x, `${block}.ln2`), of(`${block}.ffn.w1`), of(`${block}.ffn.b1`));
    x = add(x, linear(graph.one("Gelu", [inner], { approximate: "tanh" }), of(`${block}.ffn.w2`), of(`${block}.ffn.b2`)));
  }
  graph.one("Gemm", [norm(x, "ln_f"), of("head.weight"), of("head.bias")], {}, "logits");
  graph.output("logits", "float32", ["new tokens", vocabulary]);
  return graph.bytes();
}

/** @param {Int32Array} ids of new tokens @param {number} start position of the first of them @param {Record<string, Tensor>} past */
async function run(ids, start, past) {
  const positions = Int32Array.from(ids, (_, i) => start + i);
  const given = { ids: new ort.Tensor("int32", ids, [ids.length]), positions: new ort.Tensor("int32", positions, [ids.length]) };
  const { logits, ...kept } = await /** @type {InferenceSession} */ (session).run({ ...given, ...past });
  release(past);
  const present = Object.fromEntries(Object.entries(kept).map(([name, tensor]) => [name.replace("present", "past"), tensor]));
  return { logits: /** @type {Float32Array} */ (logits.data), present };
}

/** It lies in the module's memory or on the device, where no browser collects it. @param {Record<string, Tensor>} past */
function release(past) {
  if (past !== nothingBefore) for (const tensor of Object.values(past)) tensor.dispose();
}

offer({
  async init(ofDevice) {
    device = ofDevice;
    ort = device === "cpu" ? await import("onnxruntime-web/wasm") : await import("onnxruntime-web/webgpu");
    ort.env.wasm.wasmPaths = "/ort/";
    // A token is too little work to share: with two threads it is no faster.
    ort.env.wasm.numThreads = 1;
    const backend = device === "cpu" ? "wasm, 1 thread" : "WebGPU";
    return { name: "ONNX Runtime", version: ort.env.versions.web ?? ort.env.versions.common, backend };
  },

  async build(ofSizes, kind, weights) {
    sizes = ofSizes;
    await session?.release();
    const kept = Array.from({ length: sizes.layers }, (_, layer) => keptOf(kind).map((part) => `${layer}.${part}`)).flat();
    session = await ort.InferenceSession.create(graphOf(sizes, kind, weights), {
      executionProviders: [device === "cpu" ? "wasm" : "webgpu"],
      graphOptimizationLevel: "all",
      preferredOutputLocation: Object.fromEntries(kept.map((name) => [`present.${name}`, device === "cpu" ? "cpu-pinned" : "gpu-buffer"])),
    });
    const shape = [1, sizes.heads, 0, sizes.width / sizes.heads];
    nothingBefore = Object.fromEntries(kept.map((name) => [`past.${name}`, new ort.Tensor("float32", new Float32Array(0), shape)]));
  },

  async logits(window) {
    // In two parts, so that what is kept of the first is looked at.
    const half = window.length >> 1;
    const first = await run(window.slice(0, half), 0, nothingBefore);
    const second = await run(window.slice(half), half, first.present);
    release(second.present);
    return Float32Array.of(...first.logits, ...second.logits);
  },

  async generate(prompt, count) {
    /** @type {number[]} */
    const written = [];
    let [news, past] = [prompt, nothingBefore];
    for (let start = 0; written.length < count; ) {
      const { logits, present } = await run(news, start, past);
      const last = logits.subarray(-sizes.vocabulary);
      const next = last.indexOf(Math.max(...last));
      written.push(next);
      start += news.length;
      [news, past] = [Int32Array.of(next), present];
    }
    release(past);
    return written;
  },
});
