// What a training step, a forward pass and memory come to at each length of text, for every kind, on the CPU in Node.

import { readFileSync } from "node:fs";
import { Engine, kinds } from "synthattn";
import { fullModule } from "../scripts/lib/paths.js";

/** @import { KindName, Model, TaskName } from "synthattn" */

/** A measurement shorter than this would be lost in what else a process does. */
const MILLISECONDS_PER_TURN = 60;
const MOST_AT_ONCE = 20;
/** Batches of a text to score: what is done once a call is shared among them. */
const SCORED_AT_ONCE = 4;
/** V8 compiles what is called often again, and better, on other threads. */
const WARM_UP_STEPS = 3;

/** Milliseconds of processor time. @typedef {{ median: number, low: number, high: number }} Spread */

/**
 * One kind at one length. Times are for a batch; `against` says how many times as fast it is as dot
 * products in turn with it, the median over the turns.
 *
 * @typedef {object} Measured
 * @property {KindName} kind
 * @property {TaskName} task
 * @property {number} length
 * @property {number} batch
 * @property {number} parameters
 * @property {Spread & { against: number }} train a step
 * @property {Spread & { against: number }} forward with its loss
 * @property {number} megabytes of WebAssembly after training
 */

/**
 * @param {object} options
 * @param {number[]} options.lengths
 * @param {number} options.tokens a step, whatever the length
 * @param {number} options.turns
 * @param {number} [options.dModel]
 * @param {KindName[]} [options.only] default: all kinds
 * @param {(text: string) => void} [options.say]
 * @returns {Promise<Measured[]>}
 */
export async function measureLengths({ lengths, tokens, turns, dModel = 64, only, say = () => {} }) {
  const chosen = (await kinds()).filter(({ name }) => only?.includes(name) ?? true);
  // One for all engines: V8 keeps with it what it has compiled well.
  const wasm = await WebAssembly.compile(readFileSync(fullModule.wasm));
  /** @type {Measured[]} */
  const all = [];
  for (const length of lengths) {
    // A kind that cannot hide the future fills in what is hidden; dot products do so too, to be compared with it.
    for (const task of /** @type {const} */ (["language-model", "masked-language-model"])) {
      const shape = { task, length, batch: Math.max(1, Math.round(tokens / length)), dModel, wasm };
      const entrants = chosen.filter(({ causal }) => causal === (task === "language-model"));
      if (entrants.length === 0) continue;
      const vanilla = await Lane.begin("vanilla", shape);
      try {
        for (const { name } of entrants) {
          const lane = name === "vanilla" ? vanilla : await Lane.begin(name, shape);
          const measured = await lane.inTurn(vanilla, turns);
          if (lane !== vanilla) await lane.end();
          all.push(measured);
          say(`${length}, ${name}: ${measured.train.median.toFixed(1)} ms a step (${measured.train.against.toFixed(2)} ×), ${measured.forward.median.toFixed(1)} ms forward (${measured.forward.against.toFixed(2)} ×), ${measured.megabytes.toFixed(0)} MB`);
        }
      } finally {
        await vanilla.end();
      }
    }
  }
  return all;
}

/** @typedef {{ task: TaskName, length: number, batch: number, dModel: number, wasm: WebAssembly.Module }} Shape */

/** One model in an engine of its own, whose memory is the model's. */
class Lane {
  #engine;
  #model;
  #kind;
  #shape;
  #text;
  #reports;
  #steps;

  /**
   * @param {Engine} engine
   * @param {Model} model
   * @param {KindName} kind
   * @param {Shape} shape
   * @param {string} text
   * @param {number} steps a turn
   */
  constructor(engine, model, kind, shape, text, steps) {
    this.#engine = engine;
    this.#model = model;
    this.#kind = kind;
    this.#shape = shape;
    this.#text = text;
    this.#steps = steps;
    this.#reports = model.train({ steps: 1_000_000, batch: shape.batch, every: steps });
  }

  /** @param {KindName} kind @param {Shape} shape */
  static async begin(kind, shape) {
    const { task, length, batch, dModel, wasm } = shape;
    const engine = await Engine.create({ device: "cpu", wasm });
    const text = letters(SCORED_AT_ONCE * batch * length + 1);
    const model = await engine.createModel({ task, attention: kind, dModel, heads: 4, layers: 2, maxLength: length }, { text });
    const step = async () => {
      for await (const _ of model.train({ steps: 1, batch }));
    };
    for (let warm = 0; warm < WARM_UP_STEPS; warm += 1) {
      await step();
      await model.evaluate({ text }, { batch });
    }
    const steps = Math.min(MOST_AT_ONCE, Math.ceil(MILLISECONDS_PER_TURN / (await processorTime(step))));
    return new Lane(engine, model, kind, shape, text, steps);
  }

  /** @param {Lane} vanilla @param {number} turns @returns {Promise<Measured>} */
  async inTurn(vanilla, turns) {
    /** @type {Record<"train" | "forward", { own: number[], other: number[] }>} */
    const times = { train: { own: [], other: [] }, forward: { own: [], other: [] } };
    for (let turn = 0; turn < turns; turn += 1) {
      for (const what of /** @type {const} */ (["train", "forward"])) {
        times[what].own.push(await this[what]());
        times[what].other.push(vanilla === this ? /** @type {number} */ (times[what].own.at(-1)) : await vanilla[what]());
      }
    }
    const { task, length, batch } = this.#shape;
    // Turn by turn, so that a machine that gets slower and faster again does so for both.
    const against = (/** @type {{ own: number[], other: number[] }} */ { own, other }) => ({
      ...spread(own),
      against: spread(own.map((time, turn) => other[turn] / time)).median,
    });
    return {
      kind: this.#kind,
      task,
      length,
      batch,
      parameters: this.#model.parameterCount,
      train: against(times.train),
      forward: against(times.forward),
      megabytes: (await this.#engine.memory()).wasmBytes / 1e6,
    };
  }

  /** Milliseconds a step. */
  async train() {
    return (await processorTime(() => this.#reports.next())) / this.#steps;
  }

  /** Milliseconds a batch. */
  async forward() {
    const { batch } = this.#shape;
    return (await processorTime(() => this.#model.evaluate({ text: this.#text }, { batch }))) / SCORED_AT_ONCE;
  }

  async end() {
    await this.#reports.return(undefined);
    await this.#engine.dispose();
  }
}

/** What the process works for this, in milliseconds: other programs cannot lengthen it but by what they do to caches. @param {() => Promise<unknown>} work */
async function processorTime(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** @param {number[]} samples @returns {Spread} */
function spread(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return { median: (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2, low: sorted[0], high: sorted[sorted.length - 1] };
}

/** Letters in no order, the same every time. @param {number} count */
function letters(count) {
  let state = 1;
  return Array.from({ length: count }, () => {
    // Park and Miller's generator: exact in a double.
    state = (state * 48271) % 2147483647;
    return String.fromCharCode(97 + (state % 26));
  }).join("");
}
