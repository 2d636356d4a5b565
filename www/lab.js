// The engine, the models on the bench and the run that trains them. No elements here: views listen and draw.
import { Engine, SynthError } from "synthattn";
import { forget, newEntry, revived } from "./entry.js";
import { median } from "./format.js";
import { kindOf } from "./kinds.js";
import { isScored, Scorer } from "./scoring.js";
import { Turns } from "./turns.js";

/** @typedef {import("./entry.js").Entry} Entry */
/** @typedef {import("synthattn").ModelSpec} ModelSpec */
/** @typedef {import("synthattn").Report} Report */
/** @typedef {import("synthattn").TrainOptions} TrainOptions */
/**
 * Where a run stands.
 *
 * `not-started`: what was asked for could not begin, and the run before is still on the bench.
 *
 * @typedef {"idle" | "not-started" | "preparing" | "running" | "pausing" | "paused" | "stopping" | "stopped" | "done"
 *   | "failed"} Phase
 */

/** Phases in which another run may begin. */
const FREE = ["idle", "not-started", "stopped", "done", "failed"];

/**
 * One press of Compare: what was asked for.
 *
 * @typedef {object} Order
 * @property {ModelSpec[]} specs
 * @property {import("./data.js").DataSet} data
 * @property {TrainOptions} options
 * @property {string} settings the hash it came from
 */

/**
 * What an engine is to run on.
 *
 * @typedef {Pick<import("./state.js").Settings, "device" | "workers">} Place
 */

/** Steps between reports. */
const EVERY = 20;

export class Lab extends EventTarget {
  /** @type {Engine | undefined} */
  engine;
  /** @type {Entry[]} */
  entries = [];
  /** @type {Phase} */
  phase = "idle";
  /** @type {Order | undefined} */
  order;
  /** Steps that passed while the tab was hidden, first and last. @type {[number, number] | undefined} */
  hiddenSteps;
  /** Whether speeds are being measured, which wants the device for itself. */
  measuring = false;
  /** What is being prepared, and how many of its models are made. @type {Order | undefined} */
  making;
  made = 0;

  /** @type {Promise<Engine> | undefined} */
  #starting;
  /** What it was asked to run on. @type {Place | undefined} */
  #place;
  /** A loss has taken models back, and their steps are not known until they are used. */
  #mustRecover = false;
  #turns = new Turns();
  /** @type {AbortController | undefined} */
  #abort;
  /** @type {(() => void) | undefined} */
  #resume;
  #scorer = new Scorer(
    (act) => this.#turns.take(act),
    () => this.#tell("report"),
  );

  /**
   * Tells listeners that something changed: "engine", "entries", "phase", "report", or "scored" for a model from a file.
   *
   * @param {string} what
   */
  #tell(what) {
    this.dispatchEvent(new Event(what));
  }

  /** @param {Phase} phase */
  #enter(phase) {
    this.phase = phase;
    this.#tell("phase");
  }

  /** Whether a run is under way, moving or not, or speeds are being measured. */
  get busy() {
    return this.measuring || !FREE.includes(this.phase);
  }

  /**
   * The engine on the device asked for, with the workers asked for, started if it must be.
   *
   * @param {Place} place
   * @returns {Promise<Engine>}
   */
  start({ device, workers }) {
    if (this.#starting && device === this.#place?.device && workers === this.#place.workers) return this.#starting;
    const before = this.#starting ?? Promise.resolve(undefined);
    const place = { device, workers };
    this.#place = place;
    const starting = before.catch(() => undefined).then(() => this.#switch(place));
    this.#starting = starting;
    starting.catch(() => {
      if (this.#starting === starting) this.#starting = undefined;
    });
    return starting;
  }

  /** @param {Place} place */
  async #switch({ device, workers }) {
    const old = this.engine;
    const engine = await Engine.create({
      device: /** @type {"auto" | "webgpu" | "cpu"} */ (device),
      workers: device === "webgpu" ? 1 : workers,
    });
    try {
      await this.#turns.take(() => this.#move(engine));
    } catch (error) {
      await engine.dispose(); // the models stay where they are, and so does the page
      throw error;
    }
    this.engine = engine;
    void engine.lost.then((error) => this.#lost(engine, error));
    await old?.dispose();
    this.#tell("engine");
    return engine;
  }

  /**
   * Makes every model anew in an engine from its file. After a loss, that is its last snapshot: what was seen since
   * will be seen again.
   *
   * @param {Engine} engine
   */
  async #move(engine) {
    /** @type {import("synthattn").Model[]} */
    const moved = [];
    // All or none: a model of one engine cannot run beside a model of another.
    try {
      for (const entry of this.entries) {
        const data = entry.file ? undefined : this.order?.data.training;
        moved.push(await engine.load(await entry.model.save(), data));
      }
    } catch (error) {
      await Promise.all(moved.map((model) => model.dispose()));
      throw error;
    }
    const before = this.entries.map((entry) => entry.model);
    for (const [index, entry] of this.entries.entries()) {
      entry.model = moved[index];
      if (!entry.file) forget(entry, entry.model.step);
    }
    if (this.entries.length > 0) this.#tell("entries");
    await Promise.all(before.map((model) => model.dispose()));
  }

  /** @param {Engine} engine @param {SynthError} error */
  #lost(engine, error) {
    // The engine itself goes on in a new worker. A run that moves ends with the same error and says so.
    this.#mustRecover = true;
    const moving = ["preparing", "running", "pausing", "stopping"].includes(this.phase);
    if (engine === this.engine && !moving) this.dispatchEvent(new CustomEvent("lost", { detail: error }));
  }

  /**
   * For the other sections: something quick between two intervals of training.
   *
   * @template T
   * @param {() => Promise<T>} act
   */
  between(act) {
    return this.#turns.take(act);
  }

  /** Makes the models of an order and trains them. @param {Order} order @param {Place} place */
  async compare(order, place) {
    await this.#begin(order, place, (engine) =>
      order.specs.map((spec) => async () =>
        newEntry(kindOf(spec), await engine.createModel(spec, order.data.training)),
      ),
    );
  }

  /**
   * Puts a comparison that was kept on the bench, and goes on with it from the step it had got to.
   *
   * @param {Order} order
   * @param {{ record: import("./entry.js").Record, file: Uint8Array }[]} kept
   * @param {[number, number] | undefined} hiddenSteps
   * @param {Place} place
   */
  async restore(order, kept, hiddenSteps, place) {
    const makers = (/** @type {Engine} */ engine) =>
      kept.map(({ record, file }) => async () =>
        revived(record, await engine.load(file, record.file ? undefined : order.data.training)),
      );
    await this.#begin(order, place, makers, hiddenSteps);
  }

  /**
   * @param {Order} order
   * @param {Place} place
   * @param {(engine: Engine) => (() => Promise<Entry>)[]} makers of the entries
   * @param {[number, number]} [hiddenSteps]
   */
  async #begin(order, place, makers, hiddenSteps) {
    const before = this.phase;
    this.making = order;
    this.made = 0;
    this.#enter("preparing");
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    try {
      const engine = await this.start(place);
      const entries = await this.#make(makers(engine), signal);
      const before = this.entries.filter((entry) => !entry.file);
      this.entries = [...entries, ...this.entries.filter((entry) => entry.file)];
      this.order = order;
      this.hiddenSteps = hiddenSteps;
      this.#mustRecover = false;
      this.#tell("entries");
      await Promise.all(before.map((entry) => entry.model.dispose()));
      await this.#run(engine, order, signal);
    } catch (error) {
      if (this.order === order) this.#end(error, signal);
      else this.#refuse(error, signal, before);
    }
  }

  /**
   * What was asked for could not begin: the run before is still on the bench, as it was.
   *
   * @param {unknown} error
   * @param {AbortSignal} signal
   * @param {Phase} before
   */
  #refuse(error, signal, before) {
    if (isStopped(error, signal)) return this.#enter(before);
    this.#mustRecover ||= before === "failed";
    this.#enter("not-started");
    this.dispatchEvent(new CustomEvent("fail", { detail: error }));
  }

  /**
   * Every model, or none: the run before stays on the bench until its successor can begin.
   *
   * @param {(() => Promise<Entry>)[]} makers
   * @param {AbortSignal} signal
   */
  async #make(makers, signal) {
    /** @type {Entry[]} */
    const entries = [];
    try {
      for (const make of makers) {
        if (signal.aborted) throw signal.reason;
        entries.push(await this.#turns.take(make));
        this.made = entries.length;
        this.#tell("report");
      }
    } catch (error) {
      await Promise.all(entries.map((entry) => entry.model.dispose()));
      throw error;
    }
    return entries;
  }

  /**
   * Goes on with a run that was stopped, to the step it was meant to reach; after an error from the last snapshots.
   *
   * @param {Place} place
   */
  async goOn(place) {
    const { order, phase } = this;
    if (!order) return;
    this.making = undefined;
    this.#enter("preparing");
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    try {
      const engine = await this.start(place);
      if (phase === "failed" || this.#mustRecover) await this.#turns.take(() => this.#move(engine));
      this.#mustRecover = false;
      await this.#run(engine, order, signal);
    } catch (error) {
      this.#end(error, signal);
    }
  }

  /** Whether a run that was left has steps to make, or models to score. */
  get unfinished() {
    const { order, entries } = this;
    if (!order) return false;
    return entries.some(
      (entry) => !entry.file && (entry.model.step < order.options.steps || !isScored(entry, order.data.test)),
    );
  }

  pause() {
    if (this.phase === "running") this.#enter("pausing");
  }

  resume() {
    if (this.phase === "pausing") this.#enter("running");
    if (this.phase !== "paused") return;
    this.#enter("running");
    this.#resume?.();
  }

  stop() {
    if (!this.busy) return;
    this.#enter("stopping");
    this.#abort?.abort();
    this.#resume?.();
  }

  /**
   * @param {Engine} engine
   * @param {Order} order
   * @param {AbortSignal} signal
   */
  async #run(engine, order, signal) {
    const entries = this.entries.filter((entry) => !entry.file);
    const { steps } = order.options;
    const span = { start: 0, end: steps };
    const options = { ...order.options, every: EVERY, span, signal };
    this.#enter("running");
    this.#scorer.begin();
    for (const entry of entries) forget(entry, entry.model.step);
    // A run may have been left with some kinds a few steps ahead; the others catch up first.
    const front = Math.max(...entries.map((entry) => entry.model.step));
    for (const entry of entries) {
      const behind = front - entry.model.step;
      if (behind === 0) continue;
      // Scored when all are, unless the others have been.
      await this.#pull(entry.model.train({ ...options, steps: behind }), () => entry, signal, front < steps);
    }
    if (front < steps) {
      const models = entries.map((entry) => entry.model);
      const race = engine.compare(order.specs, order.data.training, {
        ...options,
        steps: steps - front,
        models,
      });
      await this.#pull(
        race,
        (report) => entries[/** @type {import("synthattn").CompareReport} */ (report).index],
        signal,
      );
    }
    for (const entry of entries) await this.#scoreWhole(entry, order, signal);
    this.#enter("done");
  }

  /**
   * Pulls report after report, leaving the device to others in between. Not asking is pausing, leaving stopping.
   *
   * @param {AsyncGenerator<Report, unknown>} reports
   * @param {(report: Report) => Entry} entryOf
   * @param {AbortSignal} signal
   * @param {boolean} [unscored] leaves before the held-out share is scored
   */
  async #pull(reports, entryOf, signal, unscored = false) {
    for (const entry of this.entries) entry.earlier = entry.seconds;
    try {
      while (true) {
        if (this.phase === "pausing") await this.#rest();
        if (signal.aborted) throw signal.reason;
        const result = await this.#turns.take(() => reports.next());
        if (result.done || (unscored && result.value.phase === "validating")) return;
        const entry = entryOf(result.value);
        this.#take(entry, result.value);
        if (this.order) await this.#scorer.pass(entry, this.order, entry === this.#first, signal);
      }
    } finally {
      await reports.return(undefined);
    }
  }

  async #rest() {
    this.#enter("paused");
    await new Promise((resolve) => {
      this.#resume = () => resolve(undefined);
    });
    this.#resume = undefined;
  }

  /** @param {Entry} entry @param {Report} report */
  #take(entry, report) {
    for (const other of this.entries)
      if (other !== entry && other.phase !== "finished") other.phase = "waiting";
    entry.phase = report.phase;
    if (report.phase === "training") {
      entry.seconds = entry.earlier + report.seconds;
      entry.points.push({ step: report.step, seconds: entry.seconds, loss: report.loss });
      if (document.hidden) {
        this.hiddenSteps = [this.hiddenSteps?.[0] ?? report.step, report.step];
      } else {
        entry.speeds.push(report.stepsPerSecond);
        entry.ends.push(report.step);
        entry.rates.push(report.tokensPerSecond);
      }
    }
    if (report.validation) {
      const { loss } = report.validation;
      const { step, validation: metrics } = report;
      entry.held.push({ step, seconds: entry.seconds, loss, metrics, count: 0, whole: true });
      entry.phase = "finished";
    }
    this.#tell("report");
  }

  get #first() {
    return this.entries.find((entry) => !entry.file);
  }

  /**
   * @param {Entry} entry
   * @param {Order} order
   * @param {AbortSignal} signal
   */
  async #scoreWhole(entry, order, signal) {
    if (entry.phase !== "finished") entry.phase = "validating";
    this.#tell("report");
    const { step } = entry.model;
    await this.#scorer.whole(entry, order, { step, seconds: entry.seconds, signal });
    entry.phase = "finished";
    this.#tell("report");
  }

  /**
   * Scores a model from a file.
   *
   * @param {Entry} entry
   * @param {import("./data.js").DataSet} data
   * @param {number} share
   */
  async scoreLoaded(entry, data, share) {
    const at = { step: entry.model.step, seconds: 0 };
    await (data.test.length > 0
      ? this.#scorer.whole(entry, { data, options: {} }, at)
      : this.#scorer.part(entry, data, share, at));
    this.#tell("scored");
  }

  /** @param {unknown} error @param {AbortSignal} signal */
  #end(error, signal) {
    for (const entry of this.entries) if (entry.phase !== "finished") entry.phase = "waiting";
    if (isStopped(error, signal)) {
      this.#enter("stopped");
      return;
    }
    this.#enter("failed");
    this.dispatchEvent(new CustomEvent("fail", { detail: error }));
  }

  /**
   * Measures speeds with the device to itself.
   *
   * @param {Parameters<Engine["benchmark"]>[0]} options
   * @param {Place} place
   * @param {(report: import("synthattn").SpeedReport) => void} take
   */
  async measure(options, place, take) {
    this.measuring = true;
    this.#tell("phase");
    try {
      const engine = await this.start(place);
      for await (const report of this.#turns.each(engine.benchmark(options))) take(report);
    } finally {
      this.measuring = false;
      this.#tell("phase");
    }
  }

  /** Puts a model from a file on the bench. @param {Blob} file @param {string} name @param {Place} place */
  async load(file, name, place) {
    const engine = await this.start(place);
    const model = await this.#turns.take(() => engine.load(file));
    const entry = newEntry(kindOf(model.spec), model, name);
    this.entries.push(entry);
    this.#tell("entries");
    return entry;
  }

  /** Takes a loaded model off the bench. @param {Entry} entry */
  async remove(entry) {
    this.entries = this.entries.filter((other) => other !== entry);
    this.#tell("entries");
    await entry.model.dispose();
  }

  /** @param {Entry} entry @returns {Promise<Uint8Array>} */
  save(entry) {
    return this.#turns.take(() => entry.model.save());
  }

  /** Seconds a run still takes, by the speeds seen so far; undefined before every kind has moved. */
  secondsLeft() {
    const steps = this.order?.options.steps ?? 0;
    let left = 0;
    for (const entry of this.entries) {
      if (entry.file || entry.phase === "finished") continue;
      const speed = median(entry.speeds);
      if (!(speed > 0)) return undefined;
      left += (steps - (entry.points.at(-1)?.step ?? 0)) / speed;
    }
    return left;
  }
}

/** Whether it is what a person's Stop ends a run with. @param {unknown} error @param {AbortSignal} signal */
function isStopped(error, signal) {
  return signal.aborted && (error === signal.reason || isAborted(error));
}

/** @param {unknown} error */
export function isAborted(error) {
  return error instanceof SynthError && error.code === "aborted";
}
