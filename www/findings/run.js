// Runs an experiment: every arm with every seed on the same batches, scored on what was never trained on, and then the
// time of a step, arms in turn. Says how far it is as it goes.
import { SynthError } from "synthattn";
import { nearness, snapshotOf } from "./attention.js";
import { settingsOf } from "./settings.js";

/** @import { Engine, Model, ModelSpec, TrainingData } from "synthattn" */
/** @import { Arm, Experiment, Progress, Result, Run, Scale, Setup, Timing } from "./contract.js" */

/**
 * Makes the model of an arm. Arms with `cross` need a way that the package does not have.
 *
 * @typedef {(spec: ModelSpec, data: TrainingData, arm: Arm) => Promise<Model>} CreateModel
 */

/**
 * @typedef {object} Options
 * @property {Scale} scale
 * @property {AbortSignal} [signal] ends it within a step, with the error `aborted`
 * @property {CreateModel} [createModel] default: the engine's
 * @property {string} [machine] processor and program, as the result tells them
 * @property {Progress["phase"][]} [phases] default: training, then timing
 * @property {{ rounds: number, steps: number }} [timing] default: that of the scale
 */

/** Steps between two words on how far it is. */
const EVERY = 10;
/** Rows or windows scored at once. */
const SCORED = 32;
/** Steps before the first measurement of a model, and of each measurement. */
const WARM = 5;

/** @type {Record<Scale, { rounds: number, steps: number }>} */
export const TIMING = { quick: { rounds: 5, steps: 8 }, full: { rounds: 11, steps: 12 } };

/**
 * @param {Engine} engine
 * @param {Experiment} experiment
 * @param {Options} options
 * @returns {AsyncGenerator<Progress, void>} the result of the last one is whole
 */
export async function* runExperiment(engine, experiment, options) {
  const { scale, phases = ["training", "timing"], timing = TIMING[scale], machine = globalThis.navigator?.userAgent ?? "" } = options;
  const begun = performance.now();
  /** @type {Result} */
  const result = {
    experiment: experiment.id,
    settings: settingsOf(experiment, scale),
    scale,
    date: new Date().toISOString().slice(0, 10),
    machine,
    device: engine.device.description,
    seconds: 0,
    runs: [],
    timings: [],
    histograms: [],
    snapshots: [],
    nearness: [],
  };
  const work = phases.reduce((sum, phase) => sum + workOf(experiment, scale, phase, timing), 0);
  const bench = new Bench(engine, { ...options, timing }, result, work);
  for await (const at of inTurn(bench, experiment, phases)) {
    result.seconds = (performance.now() - begun) / 1000;
    yield { ...at, done: bench.done / bench.work, result: structuredClone(result) };
  }
}

/** @typedef {Omit<Progress, "done" | "result">} At */

/** @param {Bench} bench @param {Experiment} experiment @param {Progress["phase"][]} phases @returns {AsyncGenerator<At, void>} */
async function* inTurn(bench, { setups }, phases) {
  for (const setup of setups) {
    const specs = await bench.specsOf(setup);
    // All arms of a seed before the next one: a run that is left has whole pairs.
    if (phases.includes("training")) {
      for (const seed of setup.scale[bench.scale].seeds) for (const arm of setup.arms) yield* train(bench, setup, arm, { ...specs(arm), seed });
    }
  }
  if (phases.includes("timing")) for (const setup of setups) yield* time(bench, setup, await bench.specsOf(setup));
}

/** Steps of a phase, as a measure of how long it takes. @param {Experiment} experiment @param {Scale} scale @param {Progress["phase"]} phase */
export function workOf({ setups }, scale, phase, { rounds, steps: timed } = TIMING[scale]) {
  const of = (/** @type {Setup} */ { arms, scale: { [scale]: { steps, seeds } } }) => arms.length * (phase === "training" ? steps * seeds.length : WARM + rounds * timed);
  return setups.reduce((sum, setup) => sum + of(setup), 0);
}

/** What the parts of a run share. */
class Bench {
  /** Steps made so far. */
  done = 0;
  #engine;
  #create;
  /** @type {Map<Setup, (arm: Arm) => ModelSpec>} */
  #specs = new Map();

  /** @param {Engine} engine @param {Options & Required<Pick<Options, "timing">>} options @param {Result} result @param {number} work all steps to be made */
  constructor(engine, { scale, signal, timing, createModel }, result, work) {
    this.#engine = engine;
    this.#create = createModel;
    this.scale = scale;
    this.signal = signal;
    this.timing = timing;
    this.result = result;
    this.work = work;
  }

  /**
   * A model, which whoever asked for it disposes of.
   *
   * @param {ModelSpec} spec
   * @param {Setup} setup
   * @param {Arm} arm
   * @returns {Promise<Model>}
   */
  model(spec, { builtin }, arm) {
    this.check();
    if (this.#create) return this.#create(spec, { builtin }, arm);
    if (arm.cross) throw new SynthError("invalid-option", `The engine makes no model with cross: "${arm.cross}".`, { option: "cross", value: arm.cross, expected: "createModel, which makes it" });
    return this.#engine.createModel(spec, { builtin });
  }

  /** Ends it when that was asked for. */
  check() {
    if (this.signal?.aborted) throw new SynthError("aborted", "The experiment was stopped.");
  }

  /** The spec of each arm of a setup, with those fitted that are to have as many weights as another. @param {Setup} setup */
  async specsOf(setup) {
    let specs = this.#specs.get(setup);
    if (!specs) {
      /** @type {Map<string, number>} */
      const widths = new Map();
      for (const arm of setup.arms) {
        if (!arm.sized) continue;
        const other = setup.arms.find(({ id }) => id === arm.sized);
        if (!other) throw new Error(`${setup.id} has no arm ${arm.sized}.`);
        widths.set(arm.id, await this.#fit(setup, arm, other));
      }
      specs = (arm) => specOf(setup, arm, widths.get(arm.id));
      this.#specs.set(setup, specs);
    }
    return specs;
  }

  /**
   * The feed-forward width with which an arm has as many weights as another. Weights are so many a unit of width and so
   * many besides: two models tell both.
   *
   * @param {Setup} setup
   * @param {Arm} arm
   * @param {Arm} other
   */
  async #fit(setup, arm, other) {
    const count = async (/** @type {Arm} */ which, /** @type {number} */ width) => {
      const model = await this.model(specOf(setup, which, width), setup, which);
      try {
        return { parameters: model.parameterCount, width: model.spec.dFf };
      } finally {
        await model.dispose();
      }
    };
    const base = await count(arm, /** @type {any} */ (undefined));
    const next = await count(arm, base.width + 1);
    const wanted = await count(other, /** @type {any} */ (undefined));
    return base.width + Math.round((wanted.parameters - base.parameters) / (next.parameters - base.parameters));
  }
}

/** @param {Setup} setup @param {Arm} arm @param {number} [dFf] @returns {ModelSpec} */
function specOf({ task, spec }, { attention, spec: own }, dFf) {
  return { ...spec, ...own, ...(dFf === undefined ? {} : { dFf }), task, attention };
}

/**
 * One arm with one seed, scored at every checkpoint.
 *
 * @param {Bench} bench
 * @param {Setup} setup
 * @param {Arm} arm
 * @param {ModelSpec & { seed: number }} spec
 * @returns {AsyncGenerator<At, void>}
 */
async function* train(bench, setup, arm, spec) {
  const { steps, checkpoints } = setup.scale[bench.scale];
  const { seed } = spec;
  const model = await bench.model(spec, setup, arm);
  try {
    /** @type {Run} */
    const run = { setup: setup.id, arm: arm.id, seed, parameters: model.parameterCount, steps: [], scores: [] };
    bench.result.runs.push(run);
    let told = 0;
    await watch(bench, setup, arm, seed, model);
    for (let mark = 1; mark <= checkpoints; mark += 1) {
      const slice = Math.round((steps * mark) / checkpoints) - model.step;
      // One span, so that the slices make one schedule.
      for await (const report of model.train({ ...setup.train, steps: slice, span: { start: 0, end: steps }, every: EVERY, signal: bench.signal })) {
        if (report.phase !== "training") continue;
        bench.done += report.step - told;
        told = report.step;
        yield { setup: setup.id, arm: arm.id, seed, phase: "training", step: report.step, steps };
      }
      const metrics = await model.evaluate({ builtin: setup.builtin }, { batch: SCORED, signal: bench.signal });
      const score = metrics[setup.metric];
      if (score === undefined) throw new Error(`${setup.task} has no ${setup.metric}.`);
      run.steps.push(model.step);
      run.scores.push(score);
      await watch(bench, setup, arm, seed, model);
      yield { setup: setup.id, arm: arm.id, seed, phase: "training", step: model.step, steps };
    }
  } finally {
    await model.dispose();
  }
}

/** Keeps what a setup wants to see of attention. @param {Bench} bench @param {Setup} setup @param {Arm} arm @param {number} seed @param {Model} model */
async function watch({ result, scale }, setup, arm, seed, model) {
  if (!setup.watch) return;
  const { text, bins, nearest, films } = setup.watch;
  const { steps, seeds } = setup.scale[scale];
  const { step } = model;
  const ends = step === 0 || step === steps;
  const at = { setup: setup.id, arm: arm.id, seed, step };
  const maps = await model.attention(text);
  result.nearness.push({ ...at, ...nearness(maps, nearest) });
  if (seed === seeds[0] && (ends || films.includes(arm.id))) result.snapshots.push({ ...at, ...snapshotOf(maps) });
  if (ends) {
    const { counts } = await model.weightHistogram(text, bins);
    result.histograms.push({ ...at, counts: counts.map((layer) => [...layer]) });
  }
}

/**
 * Milliseconds a step: all arms warm, then round after round, one after the other.
 *
 * @param {Bench} bench
 * @param {Setup} setup
 * @param {(arm: Arm) => ModelSpec} specs
 * @returns {AsyncGenerator<At, void>}
 */
async function* time(bench, setup, specs) {
  const { rounds, steps } = bench.timing;
  const seed = setup.scale[bench.scale].seeds[0];
  const at = (/** @type {Arm} */ arm, /** @type {number} */ step) => /** @type {At} */ ({ setup: setup.id, arm: arm.id, seed, phase: "timing", step, steps: rounds * steps });
  /** @type {{ arm: Arm, model: Model, timing: Timing }[]} */
  const lanes = [];
  try {
    for (const arm of setup.arms) {
      const model = await bench.model({ ...specs(arm), seed }, setup, arm);
      const timing = { setup: setup.id, arm: arm.id, milliseconds: [] };
      lanes.push({ arm, model, timing });
      await secondsOf(model, setup, WARM, bench.signal);
      bench.done += WARM;
      yield at(arm, 0);
    }
    bench.result.timings.push(...lanes.map(({ timing }) => timing));
    for (let round = 1; round <= rounds; round += 1) {
      for (const { arm, model, timing } of lanes) {
        timing.milliseconds.push((1000 * (await secondsOf(model, setup, steps, bench.signal))) / steps);
        bench.done += steps;
        yield at(arm, round * steps);
      }
    }
  } finally {
    for (const { model } of lanes) await model.dispose();
  }
}

/** How long some steps take, up to the read-back after the last. @param {Model} model @param {Setup} setup @param {number} steps @param {AbortSignal} [signal] */
async function secondsOf(model, { train: { batch, learningRate } }, steps, signal) {
  let seconds = 0;
  for await (const report of model.train({ batch, learningRate, steps, every: steps, signal })) seconds = report.seconds;
  return seconds;
}
