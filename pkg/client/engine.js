/**
 * The engine: a worker that owns the WebAssembly instance and the device, and the models in it.
 *
 * @module
 */
/// <reference lib="esnext.disposable" preserve="true" />

import { invalidOption } from "../errors.js";
import { benchmark } from "./benchmark.js";
import { compare } from "./compare.js";
import { Handle } from "./handle.js";
import { modelOf } from "./model.js";
import { known, wholeNumber } from "./options.js";
import { Runtime } from "./runtime.js";
import { wasmSource } from "./wasm-option.js";

/** @import { BenchmarkOptions, CompareOptions, CompareReport, CompareSummary } from "../contract.js" */
/** @import { DeviceInfo, EngineOptions, MemoryUse, ModelSpec, SpeedReport, TrainingData } from "../contract.js" */
/** @import { SynthError } from "../errors.js" */
/** @import { Host } from "./device.js" */
/** @import { Model } from "./model.js" */

/** More would only wait for the first: no machine that runs a browser has so many cores. */
const MOST_WORKERS = 64;

const DEVICES = /** @type {const} */ (["auto", "webgpu", "cpu"]);

/**
 * An engine in the place that an entry of the package, or a test, gives it.
 *
 * @type {(options: EngineOptions | undefined, host: Host, of?: typeof Engine) => Promise<Engine>}
 */
export let createEngine;

/** What is behind an engine, undefined if it is none. @type {(engine: unknown) => Runtime | undefined} */
export let runtimeOf;

/**
 * What is behind the engine that a method was called on, if it was called on one.
 *
 * @param {unknown} engine
 */
function runtimeIn(engine) {
  const runtime = runtimeOf(engine);
  if (runtime) return runtime;
  throw invalidOption("this", engine, "an engine of Engine.create()");
}

/**
 * One worker, one device. Everything in it happens one call at a time, so what is timed has nothing else in flight.
 */
export class Engine {
  /** @type {Runtime} */
  #runtime;

  /**
   * @protected
   * @param {Runtime} runtime
   */
  constructor(runtime) {
    this.#runtime = runtime;
  }

  static {
    runtimeOf = (engine) =>
      typeof engine === "object" && engine !== null && #runtime in engine ? engine.#runtime : undefined;
    createEngine = async (options, host, of = Engine) => {
      const given = known(options, ["device", "wasm", "workers", "seed"]);
      const { device = "auto", workers = 1, seed = 0 } = given;
      if (!DEVICES.includes(device)) throw invalidOption("device", device, `one of ${DEVICES.join(", ")}`);
      wholeNumber("workers", workers, 1, MOST_WORKERS);
      if (device === "webgpu" && workers > 1) throw invalidOption("workers", workers, "1 on the device webgpu");
      wholeNumber("seed", seed, 0, 2 ** 32 - 1);
      const wasm = given.wasm === undefined && host.wasm ? host.wasm() : await wasmSource(given.wasm);
      return new of(await Runtime.start(host, { device, wasm, workers, seed }));
    };
  }

  /**
   * After a loss this may change: where WebGPU does not come back, `auto` goes on with the CPU.
   *
   * @returns {DeviceInfo}
   */
  get device() {
    return runtimeIn(this).device;
  }

  /**
   * Resolves once, with a SynthError, if the device or the worker is lost. The engine goes on in a new worker, and
   * its models with the weights of their last snapshot.
   *
   * @returns {Promise<SynthError>}
   */
  get lost() {
    return runtimeIn(this).lost;
  }

  /**
   * Fits a tokenizer on the data and makes a model with fresh weights. The data is kept by reference, to make the
   * model again should the worker be lost.
   *
   * @param {ModelSpec} spec
   * @param {TrainingData} data
   * @returns {Promise<Model>}
   */
  async createModel(spec, data) {
    return modelOf(await Handle.create(runtimeIn(this), spec, data));
  }

  /**
   * A model from `save()`.
   *
   * @param {Uint8Array | ArrayBuffer | Blob} bytes
   * @param {TrainingData} [data] to train on; a file does not hold the text, only its vocabulary: with words, every one
   *   that is kept
   * @returns {Promise<Model>}
   */
  async load(bytes, data) {
    return modelOf(await Handle.load(runtimeIn(this), bytes, data));
  }

  /**
   * Several kinds on the same data, seed and budget, in turn on one device: one report interval each. Leaving the
   * loop ends all runs. Models made here are in the reports and in the summary, and belong to the caller; one that
   * was in no report yet when the loop ends is disposed of. With `models`, these go on, one for each spec.
   *
   * @param {ModelSpec[]} specs
   * @param {TrainingData} data
   * @param {CompareOptions} options
   * @returns {AsyncGenerator<CompareReport, CompareSummary>}
   */
  compare(specs, data, options) {
    return compare(runtimeIn(this), specs, data, options);
  }

  /**
   * Speed of every kind at each length, as causal language models: a training step, a forward pass (with its loss)
   * and generation. At each length the kinds take turns, repeat by repeat; every repeat ends in a read-back.
   *
   * @param {BenchmarkOptions} options
   * @returns {AsyncGenerator<SpeedReport, void>}
   */
  benchmark(options) {
    return benchmark(runtimeIn(this), options);
  }

  /**
   * `wasmBytes` is the memory of the WebAssembly instances of all workers together; `gpuBytes` what the device's
   * allocator holds, 0 on the CPU device.
   *
   * @returns {Promise<MemoryUse>}
   */
  async memory() {
    const runtime = runtimeIn(this);
    const link = await runtime.connect();
    const uses = await Promise.all([link, ...link.companions].map((one) => one.call("memory", {})));
    const sum = (/** @type {"wasmBytes" | "gpuBytes"} */ what) => uses.reduce((bytes, use) => bytes + use[what], 0);
    return { wasmBytes: sum("wasmBytes"), gpuBytes: sum("gpuBytes"), models: runtime.handles.size };
  }

  /**
   * Frees everything and ends the worker; idempotent. Calls in flight end with `aborted`. Also `[Symbol.asyncDispose]`.
   *
   * @returns {Promise<void>}
   */
  async dispose() {
    await runtimeIn(this).dispose();
  }

  /** @returns {Promise<void>} */
  async [Symbol.asyncDispose]() {
    await this.dispose();
  }
}

// Where the symbol does not exist yet, the method above got the name "undefined".
if (!Symbol.asyncDispose) Reflect.deleteProperty(Engine.prototype, "undefined");
