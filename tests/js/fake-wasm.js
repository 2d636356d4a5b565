/**
 * A stand-in for the WebAssembly module: the same interface, arithmetic in place of a model, and a trap on re-entry
 * as wasm-bindgen has it.
 *
 * Weights are one number that falls with each step, so that a report says which steps it has seen.
 */

/** What Rust throws. */
export function synthError(code, message, details) {
  return Object.assign(new Error(message), { name: "SynthError", code, details });
}

/** What a panic throws; what it logs comes with it. No words: an allocation that failed. */
export function panic(words = "panicked at src/lib.rs:1:1:\nthe cat sat on it") {
  return Object.assign(new WebAssembly.RuntimeError("unreachable"), { words });
}

/** Everything one test wants to know of, and to change in, all fake instances it makes. */
export class Control {
  /** Names of the methods called, in order, as `name` or `name:model`. */
  log = [];
  /** Instances made: one for each worker. */
  instances = 0;
  /** Called before each method with its name; may throw or return a promise to wait for. */
  before = () => {};
  /** Live models over all instances. */
  live = new Set();
  /** Live copies of models of other workers. */
  copies = new Set();
  /** Data and files that arrived. */
  received = [];
  gpu = { fails: undefined, check: undefined };
  /** Where panics log. */
  error = (words) => console.error(words);

  /** As `Surroundings.load` of the core. */
  load = async (source, error = this.error) => {
    this.instances += 1;
    this.source = source;
    await this.before("init");
    return { module: { compiled: this.instances }, exports: makeExports(this, error) };
  };
}

function makeExports(control, error) {
  const guard = new Guard(control, error);
  return {
    wasmBytes: () => 65_536 * 17,
    WebEngine: {
      create: (kind) =>
        guard.async("engine.create", async () => {
          if (kind === "webgpu" && control.gpu.fails) throw control.gpu.fails;
          return new FakeEngine(control, guard, kind);
        }),
    },
  };
}

/** Only one call at a time, and none after a panic. */
class Guard {
  #inside = false;
  #broken = false;

  constructor(control, error) {
    Object.assign(this, { control, error });
  }

  sync(name, work) {
    this.#enter(name);
    try {
      const wait = this.control.before(name);
      if (wait instanceof Promise) throw new TypeError(`${name} is not asynchronous`);
      return work();
    } catch (error) {
      throw this.#note(error);
    } finally {
      this.#inside = false;
    }
  }

  async async(name, work) {
    this.#enter(name);
    try {
      await this.control.before(name);
      await null;
      return await work();
    } catch (error) {
      throw this.#note(error);
    } finally {
      this.#inside = false;
    }
  }

  #enter(name) {
    if (this.#broken) throw new Error(`${name} was called in a broken instance`);
    if (this.#inside)
      throw new Error("recursive use of an object detected which would lead to unsafe aliasing in rust");
    this.#inside = true;
    this.control.log.push(name);
  }

  #note(error) {
    if (error.name !== "SynthError") this.#broken = true;
    if (error.words) this.error(`${error.words}\n\nStack:\n\nError\n    at somewhere`);
    return error;
  }
}

class FakeEngine {
  constructor(control, guard, kind) {
    Object.assign(this, { control, guard, kind });
  }

  selfCheck() {
    return this.guard.async("selfCheck", async () => {
      if (this.control.gpu.check) throw this.control.gpu.check;
    });
  }

  createModel(spec, data) {
    return this.guard.async("createModel", async () => {
      this.control.received.push(data);
      if (spec.dModel === "wide") {
        throw synthError("invalid-option", "dModel must be a number", {
          option: "dModel",
          value: '"wide"',
          expected: "a number",
        });
      }
      const full = { dModel: 64, heads: 4, layers: 2, maxLength: 64, ...spec };
      return new FakeModel(this, { spec: full, data, step: 0, weight: 8 + (spec.seed % 7) });
    });
  }

  load(bytes, data) {
    return this.guard.async("load", async () => {
      this.control.received.push(bytes, data);
      let state;
      try {
        state = JSON.parse(new TextDecoder().decode(bytes));
      } catch {
        throw synthError("corrupt-file", "not a model file", { reason: "not JSON" });
      }
      return new FakeModel(this, { ...state, data });
    });
  }

  helper(bytes) {
    return this.guard.sync("helper", () => new FakeHelper(this, JSON.parse(new TextDecoder().decode(bytes))));
  }

  gpuBytes() {
    return this.guard.sync("gpuBytes", () => (this.kind === "webgpu" ? 4096 : 0));
  }
}

function labelsOf(data) {
  return [...new Set(data?.rows?.map(({ label }) => String(label)))].sort();
}

/** What some rows of a batch add to a step. */
function contribution(weight, { rows, batch }) {
  return { loss: (weight * rows) / batch, gradient: (0.01 * weight * rows) / batch };
}

class FakeHelper {
  constructor(engine) {
    Object.assign(this, { guard: engine.guard, control: engine.control });
    this.control.copies.add(this);
  }

  compute(assignment, flat) {
    return this.guard.async("compute", async () => {
      const { loss, gradient } = contribution(flat[0], JSON.parse(assignment));
      flat[0] = gradient;
      return loss;
    });
  }

  free() {
    return this.guard.sync("helper.free", () => {
      this.control.copies.delete(this);
    });
  }
}

class FakeModel {
  run;
  evaluations = new Map();
  generations = new Map();
  translations = new Map();
  ids = 0;

  constructor(engine, { spec, data, step, weight }) {
    Object.assign(this, { engine, guard: engine.guard, control: engine.control, spec, data, step, weight });
    this.control.live.add(this);
  }

  info() {
    return this.guard.sync("info", () => ({
      spec: this.spec,
      parameterCount: 100,
      attentionParameterCount: 10,
      vocabulary: ["[UNK]", "a", "b"],
      labels: this.spec.task.endsWith("classification") ? labelsOf(this.data) : undefined,
      step: this.step,
    }));
  }

  beginTraining(options) {
    return this.guard.sync("beginTraining", () => {
      if (this.run) throw synthError("busy", "a run is open", { what: "training" });
      const { steps, every = 20, validation = 0, learningRate = 1e-3, ...rest } = options;
      const unknown = Object.keys(rest).find(
        (name) => !["batch", "warmup", "schedule", "span"].includes(name),
      );
      if (unknown) {
        throw synthError("invalid-option", `no option ${unknown}`, {
          option: unknown,
          value: String(rest[unknown]),
          expected: "",
        });
      }
      if (!Number.isInteger(steps)) {
        throw synthError("invalid-option", "steps", {
          option: "steps",
          value: String(steps),
          expected: "a whole number",
        });
      }
      this.run = { end: this.step + steps, learningRate, batch: rest.batch ?? 16, seen: [] };
      return { start: this.step, end: this.run.end, every, validation: validation > 0 };
    });
  }

  trainStep() {
    return this.guard.sync("trainStep", () => {
      this.step += 1;
      this.weight *= 0.99;
      this.run.seen.push(this.weight);
    });
  }

  beginStep(workers) {
    return this.guard.sync("beginStep", () => {
      const { batch } = this.run;
      const start = (worker) => Math.floor((worker * batch) / workers);
      const shares = Array.from({ length: workers }, (_, worker) => ({ rows: start(worker + 1) - start(worker), batch }));
      const [own, ...others] = shares;
      this.shared = { own, loss: 0, gradient: 0 };
      return others.map((share) => (share.rows > 0 ? JSON.stringify(share) : undefined));
    });
  }

  computeOwnShare() {
    return this.guard.sync("computeOwnShare", () => {
      const { loss, gradient } = contribution(this.weight, this.shared.own);
      this.shared.loss += loss;
      this.shared.gradient += gradient;
    });
  }

  addShare(loss, flat) {
    return this.guard.sync("addShare", () => {
      this.shared.loss += loss;
      this.shared.gradient += flat[0];
    });
  }

  finishStep() {
    return this.guard.sync("finishStep", () => {
      this.step += 1;
      this.weight -= this.shared.gradient;
      this.run.seen.push(this.weight);
      this.shared = undefined;
    });
  }

  flatLength() {
    return this.guard.sync("flatLength", () => 1);
  }

  flatWeights(to) {
    return this.guard.async("flatWeights", async () => to.set([this.weight]));
  }

  settle() {
    return this.guard.async("settle", async () => {});
  }

  report() {
    return this.guard.async("report", async () => {
      const { seen, end, learningRate } = this.run;
      const loss = seen.reduce((sum, one) => sum + one, 0) / seen.length;
      const tokens = 256 * seen.length;
      this.run.seen = [];
      return { step: this.step, steps: end, loss, learningRate, gradientNorm: this.weight / 2, tokens };
    });
  }

  endTraining() {
    return this.guard.sync("endTraining", () => {
      this.run = undefined;
    });
  }

  beginEvaluation(data, options = {}) {
    return this.guard.sync("beginEvaluation", () => {
      if (!data && !this.run) throw new Error("no run holds anything out");
      if (options.batch === 0) throw synthError("invalid-option", "batch", { option: "batch" });
      if (data) this.control.received.push(data);
      this.evaluations.set((this.ids += 1), 3);
      return this.ids;
    });
  }

  evaluateNext(id) {
    return this.guard.async("evaluateNext", async () => {
      const left = this.evaluations.get(id) - 1;
      this.evaluations.set(id, left);
      return left > 0 ? undefined : { loss: this.weight, perplexity: Math.exp(this.weight) };
    });
  }

  endEvaluation(id) {
    return this.guard.sync("endEvaluation", () => {
      this.evaluations.delete(id);
    });
  }

  beginGeneration(prompt, options = {}) {
    return this.guard.sync("beginGeneration", () => {
      this.generations.set((this.ids += 1), { made: 0, max: options.maxTokens ?? 200 });
      return this.ids;
    });
  }

  /** Every second token completes a character. */
  generateNext(id) {
    return this.guard.async("generateNext", async () => {
      const generation = this.generations.get(id);
      generation.made += 1;
      const { made, max } = generation;
      const piece = made % 2 === 0 ? `<${made}>` : "";
      return made >= max ? { piece, tokens: made, done: "length" } : { piece, tokens: made };
    });
  }

  endGeneration(id) {
    return this.guard.sync("endGeneration", () => {
      this.generations.delete(id);
    });
  }

  attention(text, options) {
    return this.guard.async("attention", async () => ({
      layers: 1,
      heads: 1,
      queries: 1,
      keys: 1,
      tokens: [text],
      weights: new Float32Array([options.part === "decoder" ? 2 : 1]),
    }));
  }

  weightHistogram(text, bins = 50) {
    return this.guard.async("weightHistogram", async () => {
      // As if it were a view on linear memory: not to be taken away from there.
      const memory = new Float32Array(1000);
      return { edges: memory.subarray(0, bins + 1), counts: [new Uint32Array(bins)] };
    });
  }

  save() {
    return this.guard.async("save", async () => {
      const { spec, step, weight } = this;
      return new TextEncoder().encode(JSON.stringify({ spec, step, weight }));
    });
  }

  classifyAll(texts) {
    return this.guard.async("classifyAll", async () => {
      this.control.received.push(texts);
      if (this.spec.task === "language-model")
        throw synthError("wrong-task", "a language model cannot classify");
      return texts.map((text) => ({ label: String(text), probabilities: { [String(text)]: 1 } }));
    });
  }

  fill() {
    return this.guard.async("fill", async () => {
      throw synthError("wrong-task", "not this task");
    });
  }

  beginTranslation(source, options = {}) {
    return this.guard.sync("beginTranslation", () => {
      if (options.beams === 0) throw synthError("invalid-option", "beams", { option: "beams" });
      this.translations.set((this.ids += 1), { source, made: 0 });
      return this.ids;
    });
  }

  /** One character a call. */
  translateNext(id) {
    return this.guard.async("translateNext", async () => {
      const translation = this.translations.get(id);
      translation.made += 1;
      return translation.made < translation.source.length ? undefined : translation.source.toUpperCase();
    });
  }

  endTranslation(id) {
    return this.guard.sync("endTranslation", () => {
      this.translations.delete(id);
    });
  }

  free() {
    return this.guard.sync("free", () => {
      this.control.live.delete(this);
    });
  }
}
