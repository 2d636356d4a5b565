// Trains, writes, saves, loads and disposes of models on the CPU; leaves what came of it in the page, as JSON.

import { Engine, support } from "synthattn";

/** @import { Model } from "synthattn" */

/** @type {string[]} */
const complaints = [];
addEventListener("error", (event) => complaints.push(event.message));
addEventListener("unhandledrejection", (event) => complaints.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => complaints.push(`${event.violatedDirective}: ${event.blockedURI}`));

/** @param {Model} model */
async function lossesOf(model) {
  const losses = [];
  const options = { steps: 6, span: { start: 0, end: 12 }, batch: 4, every: 1, learningRate: 1e-2, schedule: /** @type {const} */ ("cosine") };
  for await (const { phase, loss } of model.train(options)) if (phase === "training") losses.push(loss);
  return losses;
}

async function use() {
  const text = (await (await fetch("/book.txt")).text()).slice(0, 20_000);
  const engine = await Engine.create();
  const model = await engine.createModel({ task: "language-model", attention: "random+vanilla", dModel: 32, maxLength: 32, seed: 5 }, { text });
  const losses = await lossesOf(model);
  const file = await model.save();
  const uninterrupted = await lossesOf(model);
  let written = "";
  for await (const piece of model.generate("Call me ", { maxTokens: 20, temperature: 0 })) written += piece;
  await model.dispose();
  const { models } = await engine.memory();
  await engine.dispose();

  const second = await Engine.create({ device: "cpu" });
  const resumed = await lossesOf(await second.load(file, { text }));
  await second.dispose();
  const forced = await Engine.create({ device: "webgpu" }).then((engine) => engine.dispose().then(() => "made"), (why) => why.code);
  return { support: await support(), device: engine.device, losses, uninterrupted, resumed, written, models, forced };
}

const outcome = await use().catch((why) => ({ error: `${why.code}: ${why.message}` }));
document.body.dataset.outcome = JSON.stringify({ ...outcome, complaints });
