/**
 * A model that lives in the engine's worker.
 *
 * @module
 */
/// <reference lib="esnext.disposable" preserve="true" />

import { invalidOption } from "../errors.js";
import { dataUpload, textsUpload } from "./upload.js";
import { generate } from "./generation.js";
import { plainOptions, split, textArgument } from "./options.js";
import { train } from "./run.js";

/** @import { AttentionMaps, AttentionOptions, Classification, ClassifyAllOptions } from "../contract.js" */
/** @import { EvaluateOptions, FillOptions, FilledMask, GenerateOptions } from "../contract.js" */
/** @import { GenerateSummary, Metrics, ModelSpec, Report, TrainOptions, TrainingData } from "../contract.js" */
/** @import { TranslateOptions, WeightHistogram } from "../contract.js" */
/** @import { Handle } from "./handle.js" */

/** The handle behind a model, undefined if it is none. @type {(model: unknown) => Handle | undefined} */
export let handleOf;

/** @type {(handle: Handle) => Model} */
export let modelOf;

/**
 * What is behind the model that a method was called on, if it was called on one.
 *
 * @param {unknown} model
 */
function handleIn(model) {
  const handle = handleOf(model);
  if (handle) return handle;
  throw invalidOption("this", model, "a model of an engine");
}

/**
 * Calls on one model queue in the order they were made. `dispose()` ends those in flight with `aborted`.
 */
export class Model {
  /** @type {Handle} */
  #handle;

  /**
   * @private
   * @param {Handle} handle
   */
  constructor(handle) {
    this.#handle = handle;
  }

  static {
    handleOf = (model) =>
      typeof model === "object" && model !== null && #handle in model ? model.#handle : undefined;
    modelOf = (handle) => new Model(handle);
  }

  /**
   * What the model was made from, with every default filled in.
   *
   * @returns {Required<ModelSpec>}
   */
  get spec() {
    return handleIn(this).facts.spec;
  }

  /**
   * Frozen tables count too.
   *
   * @returns {number}
   */
  get parameterCount() {
    return handleIn(this).facts.parameterCount;
  }

  /**
   * Of attention in all layers, cross-attention and frozen tables included.
   *
   * @returns {number}
   */
  get attentionParameterCount() {
    return handleIn(this).facts.attentionParameterCount;
  }

  /**
   * Printable forms, special tokens first.
   *
   * @returns {string[]}
   */
  get vocabulary() {
    return handleIn(this).facts.vocabulary;
  }

  /**
   * Sorted by code point; undefined for a task without labels.
   *
   * @returns {string[] | undefined}
   */
  get labels() {
    return handleIn(this).facts.labels;
  }

  /**
   * All optimizer steps the model ever made.
   *
   * @returns {number}
   */
  get step() {
    return handleIn(this).step;
  }

  /**
   * Trains for `steps` steps. Moves only when asked: a slow reader paces it, leaving the loop stops it, calling
   * again goes on from the same step. The first report of a model on WebGPU is of phase `compiling`, and the step
   * that compiles is left out of the speed and of `seconds`.
   *
   * @param {TrainOptions} options
   * @returns {AsyncGenerator<Report, void>}
   * @example
   * for await (const { step, loss } of model.train({ steps: 2000 })) chart.push(step, loss);
   */
  train(options) {
    return train(handleIn(this), options);
  }

  /**
   * Scores on data of the model's task; of a built-in set on its test part. A text is cut into windows of `maxLength`
   * tokens that overlap by one, so that all but the first token are scored once.
   *
   * @param {TrainingData} data
   * @param {EvaluateOptions} [options]
   * @returns {Promise<Metrics>}
   */
  async evaluate(data, options) {
    const { signal, rest } = split(options);
    const uploads = { data: dataUpload(data, "test") };
    return (await handleIn(this).call("evaluate", { options: rest }, { signal, uploads })).metrics;
  }

  /**
   * Continues a prompt. Yields text as it is made, a piece at a time; pieces join to valid text. The summary is
   * the generator's return value.
   *
   * @param {string} prompt
   * @param {GenerateOptions} [options]
   * @returns {AsyncGenerator<string, GenerateSummary>}
   * @example
   * for await (const piece of model.generate("Once ", { temperature: 0.7 })) output.append(piece);
   */
  generate(prompt, options) {
    return generate(handleIn(this), prompt, options);
  }

  /**
   * The class of a text. One that is too long is cut at its end; of a pair, the longer one.
   *
   * @param {string | [string, string]} text two for a pair
   * @returns {Promise<Classification>}
   */
  async classify(text) {
    const uploads = { texts: textsUpload([textArgument("text", text, true)]) };
    const [answer] = await handleIn(this).call("classifyAll", { options: {} }, { uploads });
    return /** @type {Classification} */ (answer);
  }

  /**
   * The classes of many texts, in their order.
   *
   * @param {(string | [string, string])[]} texts
   * @param {ClassifyAllOptions} [options]
   * @returns {Promise<Classification[]>}
   */
  async classifyAll(texts, options) {
    const { signal, rest } = split(options);
    return handleIn(this).call(
      "classifyAll",
      { options: rest },
      { signal, uploads: { texts: textsUpload(texts) } },
    );
  }

  /**
   * The likeliest tokens for every `[MASK]` in a text.
   *
   * @param {string} textWithMasks
   * @param {FillOptions} [options]
   * @returns {Promise<FilledMask[]>}
   */
  async fill(textWithMasks, options) {
    const text = textArgument("textWithMasks", textWithMasks);
    return handleIn(this).call("fill", { text, options: plainOptions(options) });
  }

  /**
   * The target for a source: every sequence-to-sequence task. An abort takes effect within one further token.
   *
   * @param {string} source
   * @param {TranslateOptions} [options]
   * @returns {Promise<string>}
   */
  async translate(source, options) {
    const { signal, rest } = split(options);
    return handleIn(this).call(
      "translate",
      { text: textArgument("source", source), options: rest },
      { signal },
    );
  }

  /**
   * Weights after softmax. A mixer without such weights says so: `attention-unavailable`.
   *
   * @param {string | [string, string]} text for sequence-to-sequence: source and target
   * @param {AttentionOptions} [options]
   * @returns {Promise<AttentionMaps>}
   */
  async attention(text, options) {
    const own = textArgument("text", text, true);
    return handleIn(this).call("attention", { text: own, options: plainOptions(options) });
  }

  /**
   * How often which weight occurs, over all positions, per layer: `bins + 1` edges from 0 to 1. Of an
   * encoder-decoder: the encoder's.
   *
   * @param {string | [string, string]} text two for a model of pairs
   * @param {number} [bins] 1 to 10,000, default 50
   * @returns {Promise<WeightHistogram>}
   */
  async weightHistogram(text, bins) {
    const own = textArgument("text", text, true);
    return handleIn(this).call("weightHistogram", { text: own, ...plainOptions({ bins }) });
  }

  /**
   * One safetensors file: weights, optimizer state, step, tokenizer, spec. Training resumed from it goes on as if
   * never stopped.
   *
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  async save() {
    return handleIn(this).save();
  }

  /**
   * Frees the model's memory; idempotent. Also `[Symbol.asyncDispose]`.
   *
   * @returns {Promise<void>}
   */
  async dispose() {
    await handleIn(this).dispose();
  }

  /** @returns {Promise<void>} */
  async [Symbol.asyncDispose]() {
    await this.dispose();
  }
}

// Where the symbol does not exist yet, the method above got the name "undefined".
if (!Symbol.asyncDispose) Reflect.deleteProperty(Model.prototype, "undefined");
