/**
 * Work that is being kept: now and then, and when the page is hidden.
 *
 * @module
 */

import { known } from "../client/options.js";
import { SynthError, invalidOption } from "../errors.js";
import { readAll, remove, write } from "./database.js";
import { KeepError, asProblem } from "./error.js";
import { factsOf } from "./header.js";
import { shown } from "./kept.js";

/** @import { Keepable, Kept } from "./contract.js" */
/** @import { Files, StoredModel } from "./database.js" */

/**
 * @typedef {object} Settings
 * @property {string} name
 * @property {string} database
 * @property {number} every
 * @property {boolean} replace
 * @property {() => unknown} [note]
 * @property {(kept: Kept) => void} [onKept]
 * @property {(problem: KeepError | SynthError) => void} [onProblem]
 */

/** Writing takes at most one part in so many of the time. */
const SHARE = 20;

/**
 * For `keep()`: resolves when the first snapshot is on disk.
 *
 * @type {(models: () => { [key: string]: Keepable }, settings: Settings, release: () => void) => Promise<Keeping>}
 *   `release` gives the name back
 */
export let startKeeping;

/** What `keep()` gives. */
export class Keeping {
  /** Why the last attempt failed; undefined if it did not. @type {KeepError | SynthError | undefined} */
  problem;
  /** What is kept of this work. @type {Kept | undefined} */
  kept;
  #models;
  #settings;
  #release;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Milliseconds that the last writing took. */
  #cost = 0;
  /** The attempt under way, and the one that waits for its end. @type {Promise<Kept> | undefined} */
  #running;
  /** @type {Promise<Kept> | undefined} */
  #waiting;
  /** @type {Promise<void> | undefined} */
  #end;
  #hidden = () => {
    if (document.visibilityState === "hidden") void this.#attempt();
  };

  /**
   * @private
   * @param {() => { [key: string]: Keepable }} models
   * @param {Settings} settings
   * @param {() => void} release
   */
  constructor(models, settings, release) {
    this.#models = models;
    this.#settings = settings;
    this.#release = release;
  }

  static {
    startKeeping = async (models, settings, release) => {
      const keeping = new Keeping(models, settings, release);
      await keeping.#start();
      return keeping;
    };
  }

  /**
   * What the work is kept as.
   *
   * @returns {string}
   */
  get name() {
    return this.#settings.name;
  }

  /**
   * Keeps the models as they are now; while a report of `train()` is awaited, as they are after it. Resolves when it
   * is on disk. Models that a lost device took back to earlier steps do not replace those that are kept.
   *
   * @returns {Promise<Kept>}
   */
  now() {
    if (this.#end) return Promise.reject(new SynthError("disposed", "This keeping was stopped."));
    return this.#now();
  }

  /**
   * Keeps the work a last time and gives its name back, whether that works or not. With `forget`, what is kept is
   * removed instead. Idempotent.
   *
   * @param {{ forget?: boolean }} [options] `forget`: default false
   * @returns {Promise<void>}
   */
  async stop(options) {
    const { forget = false } = known(options, ["forget"]);
    if (typeof forget !== "boolean") throw invalidOption("forget", forget, "true or false");
    this.#end ??= this.#stop(forget);
    return this.#end;
  }

  async #start() {
    try {
      await this.#first();
    } catch (error) {
      throw asProblem(error);
    }
    globalThis.document?.addEventListener("visibilitychange", this.#hidden);
    this.#schedule();
  }

  /** The first snapshot, unless it would take the place of work that got further. */
  async #first() {
    const { name, database, replace } = this.#settings;
    const before = replace ? undefined : (await readAll(database)).find((work) => work.name === name);
    const files = await this.#save();
    const further = before && Math.max(...before.models.map(({ step }) => step));
    if (further !== undefined && further > Math.max(...files.models.map(({ step }) => step))) {
      throw new KeepError(
        "already-kept",
        `Work that got to step ${further} is kept as ${JSON.stringify(name)}. ` +
          "Go on from it with recall(), forget() it, or pass replace: true.",
        { name, step: further },
      );
    }
    await this.#write(files);
  }

  #schedule() {
    clearTimeout(this.#timer);
    if (this.#end) return;
    const wait = Math.max(this.#settings.every * 1000, SHARE * this.#cost);
    this.#timer = setTimeout(() => void this.#attempt(), wait);
    // A keeping that nobody stopped must not keep a program alive.
    /** @type {any} */ (this.#timer).unref?.();
  }

  /** Of its own accord: nobody waits for the outcome, so a failure is told, once until it works again. */
  async #attempt() {
    if (this.#end) return;
    const before = this.problem;
    try {
      const now = Object.entries(this.#models()).map(([key, { step }]) => ({ key, step }));
      if (!before && this.kept && !moved(this.kept, now, (step, kept) => step > kept)) return this.#schedule();
      await this.#now();
    } catch (error) {
      // Keeping goes on, whatever it was.
      this.#schedule();
      const problem = asProblem(error);
      this.problem = problem;
      // A model that is gone has been kept for the last time.
      const gone = problem.code === "disposed" || problem.code === "aborted";
      if (this.#end || gone || problem.code === before?.code) return;
      const { onProblem } = this.#settings;
      if (onProblem) tell(onProblem, problem);
      else console.warn(`${problem.name}: ${problem.message}`);
    }
  }

  /** @returns {Promise<Kept>} */
  #now() {
    // Asked first: the one that waits begins a little after the one before has ended.
    if (this.#waiting) return this.#waiting;
    if (!this.#running) return this.#once();
    // Whoever asks while it is being written wants what there is now, not what there was.
    this.#waiting = this.#running
      .catch(() => {})
      .then(() => {
        this.#waiting = undefined;
        return this.#once();
      });
    return this.#waiting;
  }

  /** @returns {Promise<Kept>} */
  #once() {
    const running = this.#keep().finally(() => {
      if (this.#running === running) this.#running = undefined;
      this.#schedule();
    });
    this.#running = running;
    return running;
  }

  async #keep() {
    try {
      const saved = await this.#save();
      const older = this.kept && !moved(this.kept, saved.models, (step, before) => step >= before);
      const kept = older ? /** @type {Kept} */ (this.kept) : await this.#write(saved);
      this.problem = undefined;
      return kept;
    } catch (error) {
      this.problem = asProblem(error);
      throw this.problem;
    }
  }

  /** The models' files. Those of models that train come between two reports. */
  async #save() {
    /** @type {Files} */
    const files = {};
    /** @type {StoredModel[]} */
    const models = [];
    for (const [key, model] of Object.entries(this.#models())) {
      const file = await model.save();
      files[key] = file;
      models.push({ key, size: file.length, ...factsOf(file) });
    }
    return { files, models };
  }

  /** @param {{ files: Files, models: StoredModel[] }} saved */
  async #write({ files, models }) {
    const { name, database, note, onKept } = this.#settings;
    const work = { name, savedAt: Date.now(), models, note: await note?.() };
    const from = performance.now();
    await write(database, work, files);
    this.#cost = performance.now() - from;
    this.kept = shown(work, true);
    if (onKept) tell(onKept, this.kept);
    return this.kept;
  }

  /** @param {boolean} forget */
  async #stop(forget) {
    clearTimeout(this.#timer);
    globalThis.document?.removeEventListener("visibilitychange", this.#hidden);
    try {
      if (forget) {
        await (this.#waiting ?? this.#running)?.catch(() => {});
        await remove(this.#settings.database, this.name);
      } else {
        await this.#now();
      }
    } finally {
      this.#release();
    }
  }
}

/**
 * Calls a function of the app, whose own mistakes are none of keeping.
 *
 * @template T
 * @param {(value: T) => void} listener
 * @param {T} value
 */
function tell(listener, value) {
  try {
    listener(value);
  } catch (error) {
    console.error(error);
  }
}

/**
 * Whether any model, or which models there are, has moved from what is kept.
 *
 * @param {Kept} kept
 * @param {{ key: string, step: number }[]} models
 * @param {(step: number, before: number) => boolean} further
 */
function moved(kept, models, further) {
  const steps = new Map(kept.models.map(({ key, step }) => [key, step]));
  return models.length !== steps.size || models.some(({ key, step }) => further(step, steps.get(key) ?? -1));
}
