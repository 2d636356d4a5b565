/**
 * What the worker can be told to do. Only one of these is at work at any time.
 *
 * @module
 */

import { SynthError, disposed, isSynthError } from "../errors.js";
import { Crew } from "./crew.js";

/** @import { AttentionMaps, Classification, FilledMask, Metrics, Support, WeightHistogram } from "../contract.js" */
/** @import { CommandName, Commands, GeneratedPiece, ModelFacts, TrainingPlan } from "../protocol.js" */
/** @import { Uploads, WasmSource } from "../protocol.js" */
/** @import { Cancel } from "./core.js" */

/** On a GPU, steps are queued faster than they are done; without a wait now and then, memory runs out. */
const STEPS_IN_FLIGHT = 8;
const MILLISECONDS_BETWEEN_SNAPSHOTS = 10_000;
/** An interval this long, and so many times as long as the last one, was not all training: the computer slept. */
const MILLISECONDS_OF_SLEEP = 60_000;
const TIMES_OF_SLEEP = 100;
/** Texts to classify between two looks at whether to stop. */
const TEXTS_AT_ONCE = 16;

/**
 * The WebAssembly module as wasm-bindgen gives it.
 *
 * @typedef {object} Wasm
 * @property {(source: WasmSource) => Promise<{ module: WebAssembly.Module, exports: WasmExports }>} load
 */

/**
 * What was learned since the last report; `tokens` counts the target tokens that carried loss.
 *
 * @typedef {object} TrainingNumbers
 * @property {number} step
 * @property {number} steps
 * @property {number} loss
 * @property {number} learningRate
 * @property {number} gradientNorm
 * @property {number} tokens
 */

/** @typedef {{ WebEngine: { create(kind: string): Promise<WebEngine> }, wasmBytes(): number }} WasmExports */

/**
 * @typedef {object} WebEngine
 * @property {() => Promise<void>} selfCheck in the module with WebGPU alone, which alone needs it
 * @property {(spec: object, data: object, cross?: string) => Promise<WebModel>} createModel
 * @property {(bytes: Uint8Array, data: object | undefined, cross?: string) => Promise<WebModel>} load
 * @property {(bytes: Uint8Array) => WebHelper} helper
 * @property {() => number} gpuBytes
 * @property {(bytes: number) => void} setLargestBuffer
 */

/**
 * @typedef {object} WebModel
 * @property {() => ModelFacts} info
 * @property {(options: object) => TrainingPlan} beginTraining
 * @property {() => void} trainStep
 * @property {(workers: number) => (string | undefined)[]} beginStep
 * @property {() => void} computeOwnShare
 * @property {(loss: number, gradient: Float32Array) => void} addShare
 * @property {() => void} finishStep
 * @property {() => number} flatLength
 * @property {(to: Float32Array) => Promise<void>} flatWeights
 * @property {() => Promise<void>} settle
 * @property {() => Promise<TrainingNumbers>} report
 * @property {() => void} endTraining
 * @property {(data: object | undefined, options: object | undefined) => number} beginEvaluation
 * @property {(id: number) => Promise<Metrics | undefined>} evaluateNext
 * @property {(id: number) => void} endEvaluation
 * @property {(prompt: string, options: object | undefined) => number} beginGeneration
 * @property {(id: number) => Promise<Omit<GeneratedPiece, "seconds">>} generateNext
 * @property {(id: number) => void} endGeneration
 * @property {(text: string | [string, string], options: object | undefined) => Promise<AttentionMaps>} attention
 * @property {(text: string | [string, string], bins: number | undefined) => Promise<WeightHistogram>} weightHistogram
 * @property {() => Promise<Uint8Array<ArrayBuffer>>} save
 * @property {(texts: unknown[], options: object | undefined) => Promise<Classification[]>} classifyAll
 * @property {(text: string, options: object | undefined) => Promise<FilledMask[]>} fill
 * @property {(source: string, options: object | undefined) => number} beginTranslation
 * @property {(id: number) => Promise<string | undefined>} translateNext
 * @property {(id: number) => void} endTranslation
 * @property {() => void} free
 */

/**
 * The form of a model of another worker.
 *
 * @typedef {object} WebHelper
 * @property {(assignment: string, flat: Float32Array) => Promise<number>} compute
 * @property {() => void} free
 */

/** @typedef {{ wasm: WebModel, savedAt: number, pace?: number }} Entry `pace`: milliseconds a step, lately */

/**
 * @typedef {object} Context
 * @property {Wasm["load"]} load
 * @property {() => Promise<void>} pause
 * @property {() => number} now
 * @property {() => Promise<Support>} support whether WebGPU works in this very worker
 * @property {(() => number | undefined) | undefined} largestBuffer bytes that the graphics device can hold at once
 * @property {(port: MessagePort) => void} serve lets another worker call this one
 * @property {Map<number, Entry>} models
 * @property {Map<number, WebHelper>} copies of models of another worker, by its numbers
 * @property {Crew | undefined} crew the other workers, if this is the first of several
 * @property {WebEngine | undefined} engine
 * @property {WasmExports | undefined} wasm
 */

/**
 * @type {{ [N in CommandName]:
 *   (context: Context, args: Commands[N]["args"] & Uploads, cancel: Cancel) => Promise<Commands[N]["answer"]> }}
 */
export const commands = {
  async start(context, { kind, wasm, selfCheck }) {
    if (kind === "webgpu") await mustSupport(context);
    const { module, exports } = await context.load(wasm);
    context.wasm = exports;
    const engine = await exports.WebEngine.create(kind);
    const largest = kind === "webgpu" ? context.largestBuffer?.() : undefined;
    if (largest !== undefined) engine.setLargestBuffer(largest);
    if (selfCheck) await engine.selfCheck();
    context.engine = engine;
    return { module };
  },

  async enlist(context, { ports }) {
    context.crew = new Crew(ports);
    return null;
  },

  async assist(context, { port }) {
    context.serve(port);
    return null;
  },

  async copy(context, { model, bytes }) {
    context.copies.set(model, engineOf(context).helper(bytes));
    return null;
  },

  async share({ copies }, { model, assignment, flat }) {
    const copy = /** @type {WebHelper} */ (copies.get(model));
    return { loss: await copy.compute(assignment, flat), flat };
  },

  async forget({ copies }, { model }) {
    copies.get(model)?.free();
    copies.delete(model);
    return null;
  },

  async create(context, { model, spec, cross, data }) {
    const engine = engineOf(context);
    return place(context, model, await engine.createModel(spec, /** @type {object} */ (data), cross));
  },

  async load(context, { model, cross, bytes, data }) {
    const file = /** @type {Uint8Array} */ (bytes);
    return place(
      context,
      model,
      await engineOf(context).load(file, /** @type {object | undefined} */ (data), cross),
    );
  },

  async beginTraining(context, { model, options }) {
    const entry = entryOf(context, model);
    const plan = entry.wasm.beginTraining(options);
    try {
      await context.crew?.begin(model, entry.wasm);
    } catch (error) {
      if (isSynthError(error)) entry.wasm.endTraining();
      throw error;
    }
    // Other batches may take longer.
    entry.pace = undefined;
    return plan;
  },

  async interval(context, { model, count, compiling }, cancel) {
    const entry = entryOf(context, model);
    let from = context.now();
    let measured = count;
    for (let step = 1; step <= count; step += 1) {
      if (context.crew) await context.crew.step(model, entry.wasm);
      else entry.wasm.trainStep();
      if (compiling && step === 1 && count > 1) {
        // Shaders are compiled in the first step, which says nothing of the steps to come.
        await entry.wasm.settle();
        from = context.now();
        measured = count - 1;
      } else if (step % STEPS_IN_FLIGHT === 0) {
        await entry.wasm.settle();
      }
      await context.pause();
      cancel.check();
    }
    const { tokens, step, loss, learningRate, gradientNorm } = await entry.wasm.report();
    const seconds = awake(entry, context.now() - from, measured) / 1000;
    // A clock that is kept coarse on purpose may not have moved; one interval has no speed then.
    const stepsPerSecond = seconds > 0 ? measured / seconds : 0;
    const tokensPerSecond = (stepsPerSecond * tokens) / count;
    const numbers = { step, loss, learningRate, gradientNorm, seconds, tokensPerSecond, stepsPerSecond };
    if (context.now() - entry.savedAt < MILLISECONDS_BETWEEN_SNAPSHOTS) return numbers;
    const snapshot = await entry.wasm.save();
    entry.savedAt = context.now();
    return { ...numbers, snapshot };
  },

  async endTraining(context, { model }) {
    const { wasm } = entryOf(context, model);
    wasm.endTraining();
    await context.crew?.end(model);
    return { step: wasm.info().step };
  },

  async evaluate(context, { model, options, data }, cancel) {
    const { wasm } = entryOf(context, model);
    const from = context.now();
    const id = wasm.beginEvaluation(/** @type {object | undefined} */ (data), options);
    return closing(
      () => wasm.endEvaluation(id),
      async () => {
        for (;;) {
          const metrics = await wasm.evaluateNext(id);
          if (metrics !== undefined) return { metrics, seconds: (context.now() - from) / 1000 };
          await context.pause();
          cancel.check();
        }
      },
    );
  },

  async beginGeneration(context, { model, prompt, options }) {
    const { wasm } = entryOf(context, model);
    const from = context.now();
    const run = wasm.beginGeneration(prompt, options);
    return { run, seconds: (context.now() - from) / 1000 };
  },

  async generatePiece(context, { model, run }, cancel) {
    const { wasm } = entryOf(context, model);
    const from = context.now();
    for (;;) {
      const next = await wasm.generateNext(run);
      if (next.piece !== "" || next.done) return { ...next, seconds: (context.now() - from) / 1000 };
      await context.pause();
      cancel.check();
    }
  },

  async endGeneration(context, { model, run }) {
    entryOf(context, model).wasm.endGeneration(run);
    return null;
  },

  async classifyAll(context, { model, options, texts }, cancel) {
    const { wasm } = entryOf(context, model);
    const all = /** @type {unknown[]} */ (texts);
    const { batch } = options;
    const slice = typeof batch === "number" && Number.isInteger(batch) && batch > 0 ? batch : TEXTS_AT_ONCE;
    // Once even for none: the model says if it cannot classify at all.
    const answers = await wasm.classifyAll(all.slice(0, slice), options);
    for (let start = slice; start < all.length; start += slice) {
      await context.pause();
      cancel.check();
      answers.push(...(await wasm.classifyAll(all.slice(start, start + slice), options)));
    }
    return answers;
  },

  async fill(context, { model, text, options }) {
    return entryOf(context, model).wasm.fill(text, options);
  },

  async translate(context, { model, text, options }, cancel) {
    const { wasm } = entryOf(context, model);
    const id = wasm.beginTranslation(text, options);
    return closing(
      () => wasm.endTranslation(id),
      async () => {
        for (;;) {
          const target = await wasm.translateNext(id);
          if (target !== undefined) return target;
          await context.pause();
          cancel.check();
        }
      },
    );
  },

  async attention(context, { model, text, options }) {
    return entryOf(context, model).wasm.attention(text, options);
  },

  async weightHistogram(context, { model, text, bins }) {
    return entryOf(context, model).wasm.weightHistogram(text, bins);
  },

  async save(context, { model }) {
    return entryOf(context, model).wasm.save();
  },

  async memory(context) {
    const { wasm, engine } = context;
    return { wasmBytes: wasm?.wasmBytes() ?? 0, gpuBytes: engine?.gpuBytes() ?? 0 };
  },
};

/**
 * The page's thread has looked already, but a worker may be given another adapter or none; and where a feature is
 * missing, the kernels' library would not say so in words.
 *
 * @param {Context} context
 */
async function mustSupport(context) {
  const { webgpu, reason } = await context.support();
  if (webgpu) return;
  throw new SynthError("webgpu-unavailable", `WebGPU works in the page, but not in the worker it is needed in. ${reason}`, { reason });
}

/**
 * @param {Context} context
 * @param {number} model
 * @param {WebModel} wasm
 */
function place(context, model, wasm) {
  context.models.set(model, { wasm, savedAt: -Infinity });
  return wasm.info();
}

/**
 * What of the time for some steps was training: a computer that sleeps, or a page that is frozen, may stand still for
 * hours in the middle of one.
 *
 * @param {Entry} entry
 * @param {number} elapsed milliseconds
 * @param {number} steps
 */
function awake(entry, elapsed, steps) {
  const { pace } = entry;
  const usual = pace === undefined ? elapsed : pace * steps;
  if (elapsed > MILLISECONDS_OF_SLEEP && elapsed > TIMES_OF_SLEEP * usual) return usual;
  entry.pace = elapsed / steps;
  return elapsed;
}

/** @param {Context} context */
function engineOf({ engine }) {
  // The client creates nothing before its start was answered.
  if (!engine) throw new TypeError("the engine has not started");
  return engine;
}

/**
 * @param {Context} context
 * @param {number} model
 */
function entryOf({ models }, model) {
  const entry = models.get(model);
  if (!entry) throw disposed("model");
  return entry;
}

/**
 * Closes what was opened, whether the work went well or not; but calls nothing in an instance that broke at it.
 *
 * @template T
 * @param {() => void} close
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function closing(close, work) {
  try {
    const value = await work();
    close();
    return value;
  } catch (error) {
    if (isSynthError(error)) close();
    throw error;
  }
}
