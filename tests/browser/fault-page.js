// What the pages of the tests of faults run: training that tells what became of it.

/** @import { Engine, Model, ModelSpec, TrainOptions } from "synthattn" */

export const TEXT = "the cat sat on the mat and the dog lay on the log ".repeat(12);

/** @type {ModelSpec} */
export const SPEC = { task: "language-model", attention: "random", dModel: 16, heads: 2, layers: 1, maxLength: 16 };

/** @typedef {{ code: string, message: string, synthError: boolean }} Said */

/** @param {any} error @returns {Said} */
export function said(error) {
  const { name, code, message } = error ?? {};
  return { code: String(code), message: String(message), synthError: name === "SynthError" };
}

/** What a promise rejects with. @param {Promise<unknown>} promise @returns {Promise<Said | "no error">} */
export function failure(promise) {
  return promise.then(() => /** @type {const} */ ("no error"), said);
}

/**
 * The steps that were reported, and the error that ended it, if one did.
 *
 * @param {Model} model
 * @param {Partial<TrainOptions>} options
 * @param {(step: number) => unknown} [meanwhile] done at each report
 */
export async function trained(model, options, meanwhile = () => {}) {
  /** @type {number[]} */
  const steps = [];
  /** @type {number[]} */
  const losses = [];
  try {
    for await (const { phase, step, loss } of model.train({ steps: 20, every: 10, batch: 2, ...options })) {
      if (phase !== "training") continue;
      steps.push(step);
      losses.push(loss);
      await meanwhile(step);
    }
    return { steps, losses, error: undefined };
  } catch (error) {
    return { steps, losses, error: said(error) };
  }
}

/** Tells the prelude in the worker what to break, and waits until it has. @param {string} what */
export async function cause(what) {
  const channel = new BroadcastChannel("faults");
  const done = new Promise((resolve, reject) => {
    channel.onmessage = resolve;
    setTimeout(() => reject(new Error(`nobody could ${what}: has the worker its prelude?`)), 60_000);
  });
  channel.postMessage(what);
  await done;
  channel.close();
}

/**
 * Trains; at step 20 something breaks. What is kept, and how it goes on.
 *
 * @param {Engine} engine
 * @param {(model: Model) => unknown} fault
 */
export async function lose(engine, fault) {
  const model = await engine.createModel(SPEC, { text: TEXT });
  const other = await engine.createModel({ ...SPEC, seed: 5 }, { text: TEXT });
  const first = await trained(model, { steps: 40 }, (step) => step === 20 && fault(model));
  const lost = said(await engine.lost);
  // The file first: no worker runs, and none has to.
  const saved = await engine.load(await model.save(), { text: TEXT });
  const snapshot = saved.step;
  const again = await trained(model, { steps: 20 });
  const others = await trained(other, { steps: 10 });
  return { first, lost, snapshot, again, others, models: (await engine.memory()).models };
}
