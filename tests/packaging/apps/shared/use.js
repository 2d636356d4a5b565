// What every app here does: an engine on the CPU, a few steps of a tiny model, some text, and everything freed.

const text = "the cat sat on the mat, and the dog sat on the log. ".repeat(20);

/** @type {import("synthattn").ModelSpec} */
const spec = { task: "language-model", attention: "random+vanilla", dModel: 16, heads: 2, layers: 1, maxLength: 16 };

/**
 * @param {Pick<typeof import("synthattn"), "Engine" | "support">} entry
 * @param {import("synthattn").EngineOptions} [options]
 */
export async function use({ Engine, support }, options) {
  try {
    const engine = await Engine.create({ device: "cpu", ...options });
    const model = await engine.createModel(spec, { text });
    const losses = [];
    for await (const { phase, loss } of model.train({ steps: 6, every: 2, batch: 4 })) {
      if (phase === "training") losses.push(loss);
    }
    let written = "";
    for await (const piece of model.generate("the ", { maxTokens: 12, seed: 1 })) written += piece;
    const { device } = engine;
    await engine.dispose();
    return { losses, written, device, support: await support() };
  } catch (error) {
    const { name, code, message, details } = /** @type {import("synthattn").SynthError} */ (error);
    return { error: { name, code, message, details } };
  }
}
