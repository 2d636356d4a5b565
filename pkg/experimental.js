/**
 * Experiments of this repository's own page. No part of the published package.
 *
 * @module
 */

import { runtimeOf } from "./client/engine.js";
import { Handle } from "./client/handle.js";
import { modelOf } from "./client/model.js";
import { known } from "./client/options.js";
import { invalidOption } from "./errors.js";

/**
 * A sequence-to-sequence model whose decoder scores the positions of its source in another way, and otherwise the one
 * that `engine.createModel` would make. `random`: by a learned table that looks at neither text, the Random
 * Synthesizer's. It fails where the answer is a matter of what the source says.
 *
 * @template {{ createModel: (spec: any, data: any) => Promise<any> }} E
 * @param {E} engine
 * @param {Parameters<E["createModel"]>[0]} spec
 * @param {Parameters<E["createModel"]>[1]} data
 * @param {{ cross: "dot-product" | "random" }} options
 * @returns {Promise<Awaited<ReturnType<E["createModel"]>>>}
 */
export async function createModelWithCross(engine, spec, data, options) {
  const runtime = runtimeOf(engine);
  if (!runtime) throw invalidOption("engine", engine, "an Engine");
  const { cross } = known(options, ["cross"]);
  if (typeof cross !== "string") throw invalidOption("cross", cross, "\"dot-product\" or \"random\"");
  const model = modelOf(await Handle.create(runtime, spec, data, cross));
  return /** @type {any} */ (model);
}
