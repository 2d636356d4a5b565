// How this page makes the model of an arm. A synthesized cross-attention is an experiment of this repository, which the
// published package does not have: hence the relative path.
import { createModelWithCross } from "../../pkg/experimental.js";

/**
 * @param {import("synthattn").Engine} engine
 * @returns {import("./run.js").CreateModel}
 */
export function createModelFor(engine) {
  return (spec, data, { cross }) => (cross ? createModelWithCross(engine, spec, data, { cross }) : engine.createModel(spec, data));
}
