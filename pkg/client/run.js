/**
 * One call of `train()`: its intervals, asked for one at a time, and the reports made of them.
 *
 * @module
 */

import { aborted } from "../errors.js";
import { split } from "./options.js";

/** @import { Report, TrainOptions } from "../contract.js" */
/** @import { CommandName, Commands, TrainingPlan } from "../protocol.js" */
/** @import { Handle } from "./handle.js" */
/** @import { Link } from "./link.js" */

/** @typedef {Pick<Report, "loss" | "learningRate" | "gradientNorm" | "tokensPerSecond" | "stepsPerSecond">} Numbers */

/** Before the first report. @type {Numbers} */
const NOTHING = { loss: NaN, learningRate: 0, gradientNorm: NaN, tokensPerSecond: 0, stepsPerSecond: 0 };

export class Run {
  #handle;
  #link;
  #plan;
  #signal;

  /**
   * @param {Handle} handle
   * @param {Link} link the worker this run is in; in another there is no such run
   * @param {TrainingPlan} plan
   * @param {AbortSignal} [signal]
   */
  constructor(handle, link, plan, signal) {
    this.#handle = handle;
    this.#link = link;
    this.#plan = plan;
    this.#signal = signal;
  }

  /**
   * @param {Handle} handle
   * @param {TrainOptions} options
   */
  static async begin(handle, options) {
    const { signal, rest } = split(options);
    if (signal?.aborted) throw aborted(signal);
    const link = await handle.home();
    // Without the signal: an answer that is thrown away would leave the run open.
    const plan = await link.call("beginTraining", { model: handle.id, options: rest });
    return new Run(handle, link, plan, signal);
  }

  /**
   * Reports of phase `training` come with each interval. Compiling is told before it starts. Validation is told
   * before it starts and once more, with the metrics, when it is done.
   *
   * @returns {AsyncGenerator<Report, void>}
   */
  async *reports() {
    const handle = this.#handle;
    const { start, end, every, validation } = this.#plan;
    let seconds = 0;
    /** @type {(phase: Report["phase"]) => Report} */
    const report = (phase) => {
      const { loss, learningRate, gradientNorm, tokensPerSecond, stepsPerSecond } = handle.numbers ?? NOTHING;
      const numbers = { loss, learningRate, gradientNorm, tokensPerSecond, stepsPerSecond };
      return { step: handle.step, steps: end, ...numbers, seconds, phase };
    };
    if (!handle.warm && handle.runtime.device.kind === "webgpu") yield report("compiling");
    for (let step = start; step < end;) {
      const count = Math.min(every, end - step);
      const compiling = !handle.warm && handle.runtime.device.kind === "webgpu";
      const { snapshot, ...numbers } = await this.#call("interval", { count, compiling });
      step += count;
      seconds += numbers.seconds;
      handle.warm = true;
      handle.numbers = numbers;
      handle.step = numbers.step;
      if (snapshot) handle.keep(snapshot);
      yield report("training");
    }
    if (!validation) return;
    yield report("validating");
    const { metrics } = await this.#call("evaluate", {});
    yield { ...report("validating"), validation: metrics };
  }

  /**
   * Trains without a report, for measuring.
   *
   * @param {number} count steps
   * @returns {Promise<number>} seconds, up to the read-back
   */
  async timed(count) {
    return (await this.#call("interval", { count, compiling: false })).seconds;
  }

  /** Frees the model for the next run; idempotent. */
  async end() {
    if (!this.#handle.livesIn(this.#link)) return;
    try {
      const { step } = await this.#link.call("endTraining", { model: this.#handle.id });
      this.#handle.step = step;
    } catch {
      // The model or the worker went away meanwhile, and the run with it. Who uses them next is told so.
    }
  }

  /**
   * @template {CommandName} N
   * @param {N} name
   * @param {Omit<Commands[N]["args"], "model">} args
   * @returns {Promise<Commands[N]["answer"]>}
   */
  async #call(name, args) {
    this.#handle.checkAlive();
    if (this.#link.death) throw this.#link.death;
    const whole = /** @type {any} */ ({ model: this.#handle.id, ...args });
    return this.#link.call(name, whole, { signal: this.#signal });
  }
}

/**
 * @param {Handle} handle
 * @param {TrainOptions} options
 * @returns {AsyncGenerator<Report, void>}
 */
export async function* train(handle, options) {
  const run = await Run.begin(handle, options);
  try {
    yield* run.reports();
  } finally {
    await run.end();
  }
}
