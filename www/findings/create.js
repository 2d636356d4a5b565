// How this page makes the model of an arm.

/**
 * @param {import("synthattn").Engine} engine
 * @returns {import("./run.js").CreateModel}
 */
export function createModelFor(engine) {
  return (spec, data) => engine.createModel(spec, data);
}
