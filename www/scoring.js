// How good the models are on what they were not trained on: a part of it now and then during a run, all at the end.
import { spreadRows } from "./split.js";
import { TASKS } from "./tasks.js";
import { heldOutSample } from "./text-source.js";

/** @typedef {import("./entry.js").Entry} Entry */
/** @typedef {import("./data.js").DataSet} DataSet */
/** @typedef {import("synthattn").TrainingData} TrainingData */

/** Places along a run where a part is scored, besides the end. */
const MARKS = 10;
/** Rows scored at once. */
const BATCH = 32;
/**
 * Milliseconds of training between two rounds of scores, and how many times as long as scoring it must be.
 */
const PAUSE = 2500;
const SHARE = 4;

/** @typedef {{ step: number, seconds: number, signal?: AbortSignal }} At */

export class Scorer {
  #alone;
  #tell;
  /** The mark at which all models are scored, decided when the first of them gets there. */
  #open = 0;
  #roundFrom = 0;
  #roundUntil = 0;

  /**
   * @param {<T>(act: () => Promise<T>) => Promise<T>} alone runs something with the device to itself
   * @param {() => void} tell called when a score is there
   */
  constructor(alone, tell) {
    this.#alone = alone;
    this.#tell = tell;
  }

  /** A run begins. */
  begin() {
    this.#open = 0;
    this.#roundFrom = this.#roundUntil = performance.now();
  }

  /**
   * Scores a part when a mark has been passed: all models at the same steps, and never so often that training waits
   * long.
   *
   * @param {Entry} entry which has just moved
   * @param {import("./lab.js").Order} order
   * @param {boolean} first whether it is the first of its race
   * @param {AbortSignal} signal
   */
  async pass(entry, { data, options }, first, signal) {
    const { steps, validation = 0 } = options;
    if (entry.phase !== "training") return;
    const { step, seconds } = entry.points[entry.points.length - 1];
    const mark = Math.floor((step * MARKS) / steps);
    if (mark <= entry.lastMark || step >= steps) return;
    entry.lastMark = mark;
    if (first) {
      const rested = performance.now() - this.#roundUntil;
      if (rested < Math.max(PAUSE, SHARE * (this.#roundUntil - this.#roundFrom))) return;
      this.#open = mark;
      this.#roundFrom = performance.now();
    } else if (mark !== this.#open) return;
    await this.part(entry, data, validation, { step, seconds, signal });
    this.#roundUntil = performance.now();
  }

  /**
   * @param {Entry} entry
   * @param {DataSet} data
   * @param {number} share of running text that is held out
   * @param {At} at
   */
  async part(entry, data, share, at) {
    const rows = spreadRows(data.test, TASKS[data.task].quick);
    const text = heldOutSample(data.text, share);
    if (rows.length > 0)
      await this.#score(entry, asRows(rows), rows.length, rows.length === data.test.length, at);
    else if (text.length > 1) await this.#score(entry, { text }, 0, false, at);
  }

  /**
   * All test rows. The held-out share of a text is scored by the run itself, right after its last step; of a run that
   * was left between the two, a part is.
   *
   * @param {Entry} entry
   * @param {{ data: DataSet, options: { validation?: number } }} order
   * @param {At} at
   */
  async whole(entry, { data, options }, at) {
    const { test } = data;
    const share = options.validation ?? 0;
    if (test.length > 0 && !isScored(entry, test))
      await this.#score(entry, asRows(test), test.length, true, at);
    else if (share > 0 && entry.held.at(-1)?.step !== entry.model.step) await this.part(entry, data, share, at);
  }

  /**
   * @param {Entry} entry
   * @param {TrainingData} data
   * @param {number} count of rows
   * @param {boolean} whole
   * @param {At} at
   */
  async #score(entry, data, count, whole, { step, seconds, signal }) {
    const metrics = await this.#alone(() => entry.model.evaluate(data, { batch: BATCH, signal }));
    entry.held.push({ step, seconds, loss: metrics.loss, metrics, count, whole });
    this.#tell();
  }
}

/** Whether a model was scored on all rows as it is now. @param {Entry} entry @param {unknown[]} test */
export function isScored({ held, model }, test) {
  const last = held.at(-1);
  return test.length === 0 || (last?.whole === true && last.step === model.step);
}

/** @param {import("./tasks.js").Row[]} rows */
function asRows(rows) {
  return /** @type {TrainingData} */ ({ rows });
}
