// The comparison on the bench, kept in this browser now and then and when the tab is hidden, and found again after a
// reload or a crash. Each has a name of its own, which one tab at a time holds. No elements here.
import { SynthError } from "synthattn";
import { forget, keep, KeepError, kept, recall } from "synthattn/keep";
import { recordOf } from "./entry.js";
import { forgetData, keepData, keptData, namesOfData } from "./store.js";

/** @typedef {import("./entry.js").Entry} Entry */
/** @typedef {import("./entry.js").Record} Record */
/** @typedef {import("./lab.js").Order} Order */
/** @typedef {import("synthattn/keep").Kept} Kept */
/** @typedef {import("synthattn/keep").Keeping} Keeping */

/**
 * What is kept beside the models: all that the page shows of them, and what they were asked.
 *
 * @typedef {object} Note
 * @property {1} version
 * @property {string} settings the hash
 * @property {Omit<Order, "data"> & { data: Omit<import("./data.js").DataSet, "training" | "text" | "test"> }} order
 * @property {Record[]} records
 * @property {[number, number]} [hiddenSteps]
 * @property {boolean} finished
 */

/** @typedef {Omit<Kept, "note"> & { note: Note }} Comparison */

const DATABASE = { database: "synthattn-comparisons" };
/**
 * Seconds between two snapshots: what a reload or a crash may cost. Four models of the first run are written in a twentieth
 * of a second, and their training does not notice; where writing takes longer there is more time between.
 */
const EVERY = 2;
/** Comparisons that are kept at most, beside those of open tabs. */
const MOST = 4;

/** Phases in which a run stands still. */
const HALTED = ["paused", "stopped", "done", "failed", "not-started"];

/** Events: "offers", "kept" and "problem" when what they are named after has changed. */
export class Keeper extends EventTarget {
  /** What other visits left, the newest first. @type {Comparison[]} */
  offers = [];
  /** What is kept of the comparison on the bench. @type {Kept | undefined} */
  kept;
  /** Why it is not. @type {unknown} */
  problem;
  /** The comparison that this page is about to bring back. @type {string | null} */
  awaited = null;
  #lab;
  #state;
  /** @type {Order | undefined} */
  #order;
  /** The names of comparisons that were brought back. @type {WeakMap<Order, string>} */
  #names = new WeakMap();
  /** @type {Promise<Keeping | undefined>} */
  #keeping = Promise.resolve(undefined);

  /** @param {import("./lab.js").Lab} lab @param {import("./state.js").State} state */
  constructor(lab, state) {
    super();
    this.#lab = lab;
    this.#state = state;
    lab.addEventListener("phase", () => this.#follow());
    for (const what of ["entries", "scored"]) lab.addEventListener(what, () => this.#renew());
  }

  /** A run begins, or halts. */
  #follow() {
    const { order, phase } = this.#lab;
    if (!order || !["running", ...HALTED].includes(phase)) return;
    if (order !== this.#order) {
      this.#order = order;
      this.#keeping = this.#keeping.then((before) => this.#begin(order, before));
    } else this.#renew();
  }

  /** Keeps what came while nothing moves: scores, a model from a file. */
  #renew() {
    const { order, phase } = this.#lab;
    if (!order || order !== this.#order || !HALTED.includes(phase)) return;
    // What goes wrong is told by the keeping itself.
    void this.#keeping.then((keeping) => keeping?.now()).catch((error) => this.#complain(error));
  }

  /**
   * @param {Order} order
   * @param {Keeping} [before] of the comparison that was on the bench, which this one has replaced
   * @param {boolean} [again] whether it was tried just before
   * @returns {Promise<Keeping | undefined>}
   */
  async #begin(order, before, again = false) {
    this.kept = this.problem = undefined;
    this.dispatchEvent(new Event("problem"));
    const restored = this.#names.get(order);
    try {
      if (before) await this.#drop(before);
      const keeping = await this.#hold(order, restored ?? freshName());
      // The data of one that was brought back is there already, unless another tab has removed it since.
      const there = restored ? await namesOfData().catch(() => [restored]) : [];
      if (keeping.name !== restored || !there.includes(restored)) await this.#keepData(order, keeping);
      return keeping;
    } catch (error) {
      if (isMoot(error) && this.#lab.order === order) {
        // A short run is between its last step and its score before its first snapshot is taken.
        if (!again && HALTED.includes(this.#lab.phase)) return this.#begin(order, undefined, true);
        this.#order = undefined; // it is tried anew at the next phase
      }
      this.#complain(error);
      return undefined;
    }
  }

  /** All of a comparison is kept, or nothing. @param {Order} order @param {Keeping} keeping */
  async #keepData({ data: { training, text, test } }, keeping) {
    try {
      await keepData(keeping.name, { text, training: "rows" in training ? training.rows : [], test });
    } catch (error) {
      await keeping.stop({ forget: true }).catch(() => {}); // what it leaves is removed at the next visit
      this.kept = undefined;
      this.dispatchEvent(new Event("kept"));
      throw asKeepError(error);
    }
  }

  /** @param {Order} order @param {string} name @returns {Promise<Keeping>} */
  async #hold(order, name) {
    const options = {
      ...DATABASE,
      every: EVERY,
      note: () => this.#note(order),
      onKept: (/** @type {Kept} */ kept) => this.#take(order, kept),
      onProblem: (/** @type {unknown} */ error) => this.#complain(error),
    };
    try {
      return await keep(() => this.#models(order), { ...options, name });
    } catch (error) {
      // Brought back in two tabs at once: this one goes on under a name of its own.
      if (!(error instanceof KeepError && error.code === "in-use")) throw error;
      return keep(() => this.#models(order), { ...options, name: freshName() });
    }
  }

  /** @param {Keeping} keeping */
  async #drop(keeping) {
    await keeping.stop({ forget: true });
    await forgetData(keeping.name);
  }

  /**
   * The models by their ids. Between its last step and its score a run can't be left and come back with the same
   * score, so what was kept before is better; models of another run are none of this one.
   *
   * @param {Order} order
   */
  #models(order) {
    const lab = this.#lab;
    const odd = () => lab.order !== order || lab.entries.some((entry) => isUnscored(entry, order));
    const models = lab.entries.map((entry) => [
      entry.id,
      {
        get step() {
          return odd() ? -1 : entry.model.step;
        },
        save: async () => {
          const file = await entry.model.save();
          if (odd()) throw new SynthError("aborted", "The run has moved on.");
          return file;
        },
      },
    ]);
    return Object.fromEntries(models);
  }

  /** @param {Order} order @returns {Note} */
  #note(order) {
    const { entries, hiddenSteps, phase } = this.#lab;
    if (this.#lab.order !== order) throw new SynthError("aborted", "The run has moved on.");
    const { training: _, text: __, test: ___, ...data } = order.data;
    const settings = this.#state.hash();
    const records = entries.map(recordOf);
    const finished = phase === "done" || (phase === "not-started" && !this.#lab.unfinished);
    return { version: 1, settings, order: { ...order, data }, records, hiddenSteps, finished };
  }

  /** @param {Order} order @param {Kept} kept */
  #take(order, kept) {
    if (order !== this.#order) return;
    this.kept = kept;
    const solved = this.problem !== undefined;
    this.problem = undefined;
    this.dispatchEvent(new Event("kept"));
    if (solved) this.dispatchEvent(new Event("problem"));
  }

  /** @param {unknown} error */
  #complain(error) {
    if (isMoot(error)) return;
    this.problem = error;
    this.dispatchEvent(new Event("problem"));
  }

  /**
   * Keeps the comparison on the bench as it is, for the page to be opened anew.
   *
   * @returns {Promise<string | undefined>} its name; none if there is no comparison, or it can't be kept
   */
  async keepNow() {
    const keeping = await this.#keeping;
    if (!keeping || this.#lab.order === undefined || this.#lab.order !== this.#order) return undefined;
    try {
      await keeping.now();
    } catch (error) {
      this.#complain(error);
    }
    return this.kept && keeping.name;
  }

  /** Looks for what other visits left. Where there is no storage there is nothing; a run will say why. */
  async look() {
    try {
      const before = await namesOfData(); // data that appear after this belong to a tab at work
      const all = /** @type {Comparison[]} */ (await kept(DATABASE));
      const names = await namesOfData(); // models that nobody holds have had their data by now, if ever
      const left = all.filter(({ inUse, note }) => !inUse && note?.version === 1);
      // One that made no step has nothing to go on with, unless this page left it a moment ago to come back to it.
      const worth = (/** @type {Comparison} */ one) => one.name === this.awaited || stepsOf(one).some((step) => step > 0);
      const whole = left.filter((one) => names.includes(one.name) && worth(one));
      const offers = whole.slice(0, MOST);
      // What another tab takes meanwhile is left to it.
      for (const one of left) if (!offers.includes(one)) await forgetAll(one.name).catch(() => {});
      for (const name of before) if (!all.some((one) => one.name === name)) await forgetData(name).catch(() => {});
      this.offers = offers;
    } catch {
      this.offers = [];
    }
    this.dispatchEvent(new Event("offers"));
  }

  /**
   * Puts a comparison back on the bench, with its settings, data, curves and numbers, and goes on with it.
   *
   * @param {Comparison} offer
   */
  async restore({ name }) {
    const [work, data] = await Promise.all([recall(name, DATABASE), keptData(name)]);
    if (!work || !data || this.#lab.busy) return this.look();
    this.awaited = null;
    const { settings, order, records, hiddenSteps } = /** @type {Note} */ (work.note);
    this.offers = this.offers.filter((offer) => offer.name !== name);
    this.#state.open(settings);
    const { text, training, test } = /** @type {{ text: string, training: any[], test: any[] }} */ (data);
    const whole = { ...order.data, text, test, training: text === "" ? { rows: training } : { text } };
    const files = records.flatMap((record) => {
      const file = work.files[record.id];
      return file ? [{ record, file }] : [];
    });
    const again = { ...order, data: whole };
    this.#names.set(again, name);
    await this.#lab.restore(again, files, hiddenSteps, this.#state.settings);
    await this.look();
  }

  /** @param {Comparison} offer */
  async discard({ name }) {
    await forgetAll(name);
    await this.look();
  }
}

/** The step that all models of a run have made. @param {Comparison} comparison */
export function reached(comparison) {
  return Math.min(...stepsOf(comparison));
}

/** How many steps each model of a run has made. @param {Comparison} comparison */
function stepsOf({ models, note: { records } }) {
  const files = new Set(records.filter(({ file }) => file).map(({ id }) => id));
  return models.filter(({ key }) => !files.has(key)).map(({ step }) => step);
}

/** A comparison's models and data. @param {string} name */
async function forgetAll(name) {
  await forget(name, DATABASE);
  await forgetData(name);
}

/** A run that has moved on or was replaced, or a page that is being left, is no trouble. @param {unknown} error */
function isMoot(error) {
  return error instanceof SynthError && ["aborted", "disposed"].includes(error.code);
}

/** Whether all steps of a run are made, but the share of text it holds out is not scored. @param {Entry} entry @param {Order} order */
function isUnscored({ file, model, held }, { data, options }) {
  if (file || data.text === "" || !options.validation || model.step < options.steps) return false;
  const last = held.at(-1);
  return !(last?.whole && last.step === model.step);
}

/** Sorts by time, and is no other tab's. */
function freshName() {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
}

/** What the page's own store threw. @param {any} error */
function asKeepError(error) {
  const full = error?.name === "QuotaExceededError";
  return new KeepError(full ? "storage-full" : "storage-unavailable", String(error?.message ?? error), {
    reason: String(error?.message ?? error),
  });
}
