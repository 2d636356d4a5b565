/**
 * The public types, and nothing that runs: `import type { Report, ModelSpec } from "synthattn"`.
 *
 * @module
 */

/** @import { Model } from "./client/model.js" */

/**
 * Names of the attention kinds and token mixers, as `kinds()` lists them.
 *
 * @typedef {"vanilla" | "random" | "fixed-random" | "factorized-random" | "dense" | "factorized-dense"
 *   | "random+vanilla" | "dense+vanilla" | "random+dense" | "random+dense+vanilla"
 *   | "factorized-random+vanilla" | "factorized-dense+vanilla" | "factorized-random+factorized-dense"
 *   | "lightweight-convolution" | "dynamic-convolution" | "linformer" | "mlp-mixer" | "fnet" | "aft"} KindName
 */

/**
 * One option of a kind: enough to draw a menu and to check a value.
 *
 * @typedef {object} OptionInfo
 * @property {string} name
 * @property {"integer" | "number" | "choice"} type
 * @property {number | string} default in a model of the default sizes
 * @property {number} [min] the least, both bounds included
 * @property {number} [max] the most in a model of the default sizes
 * @property {string[]} [choices] of a `choice`
 * @property {string} help one sentence
 */

/**
 * One row of the table of kinds.
 *
 * @typedef {object} KindInfo
 * @property {KindName} name
 * @property {string} label the name in menus
 * @property {string} summary one sentence
 * @property {string} formula in the paper's notation
 * @property {string} source paper and section
 * @property {"dot-product" | "synthesizer" | "mixture" | "baseline"} family
 * @property {"nothing" | "token" | "token-pair"} conditionsOn what a weight depends on: the paper's table 1
 * @property {boolean} causal usable in a decoder
 * @property {OptionInfo[]} options
 */

/**
 * What a model is for.
 *
 * @typedef {"language-model" | "masked-language-model" | "classification" | "pair-classification"
 *   | "sequence-to-sequence"} TaskName
 */

/**
 * What there is to know of a built-in data set before it is loaded.
 *
 * @typedef {object} BuiltinInfo
 * @property {string} name for `{ builtin: name }` and `builtinData(name)`
 * @property {string} label the name in menus
 * @property {number} rows of both parts; of a text its lines that are not blank
 * @property {number} bytes what loading it takes, before any compression
 * @property {string} licence an SPDX identifier or expression, or "WordNet"
 * @property {string} source where the data are from
 * @property {number} testRows how many of `rows` are for tests
 * @property {number} [ceiling] the accuracy that is possible on the test part without telling which words belong
 *   together, for sets where that can be counted: one of the values in a text is right, and all look alike
 */

/**
 * One row of the table of tasks.
 *
 * @typedef {object} TaskInfo
 * @property {TaskName} name
 * @property {string} label the name in menus
 * @property {string} summary one sentence
 * @property {string} input what a model is given, in a few words
 * @property {string} output what it makes of that
 * @property {(keyof Metrics)[]} metrics which scores there are
 * @property {BuiltinInfo[]} builtins data sets that come with the package
 */

/**
 * What a browser can do, as `support()` says it.
 *
 * @typedef {object} Support
 * @property {boolean} webgpu whether an engine can run on it here
 * @property {string} [reason] why not, in one sentence
 * @property {{ vendor: string, architecture: string, software: boolean }} [adapter] `software`: it is itself a program on the CPU
 */

/**
 * How to start an engine.
 *
 * @typedef {object} EngineOptions
 * @property {"auto" | "webgpu" | "cpu"} [device] `auto` (the default) takes WebGPU where it works on real
 *   hardware, else the CPU, and says why in `device.fallbackReason`
 * @property {URL | string | Response | BufferSource | WebAssembly.Module} [wasm] where the WebAssembly file is,
 *   or what is in it; default: beside the package's worker
 * @property {number} [workers] CPU device only: share each batch of training among this many workers, 1 to 64, default
 *   1; results depend on it only by rounding. `auto` keeps to it where it takes the CPU
 * @property {number} [seed] a whole number from 0 to 2^32 - 1, default 0
 */

/**
 * What an engine computes on.
 *
 * @typedef {object} DeviceInfo
 * @property {"webgpu" | "cpu"} kind
 * @property {string} description for people
 * @property {boolean} software a WebGPU adapter that is itself a program on the CPU
 * @property {string} [fallbackReason] why `auto` did not take WebGPU
 */

/**
 * What a model is made of. The same spec, data and seed give the same weights, on either device.
 *
 * @typedef {object} ModelSpec
 * @property {TaskName} task
 * @property {KindName | { kind: KindName, [option: string]: unknown }} attention a kind, with options of its own if it
 *   has any
 * @property {number} [dModel] width of a token's vector, default 64
 * @property {number} [heads] a divisor of `dModel`, default 4
 * @property {number} [layers] blocks, default 2
 * @property {number} [dFf] width of the feed-forward part, default 4 dModel
 * @property {number} [maxLength] the longest input in tokens, default 64
 * @property {number} [dropout] share of activations dropped in training, and half of it of the words of texts to classify; default 0
 * @property {"learned" | "sinusoidal" | "none"} [positions] position encoding, default learned
 * @property {"character" | "byte" | "word" | "bpe" | { kind: "bpe" | "word", vocabulary: number }} [tokenizer]
 *   how text is cut; default character, word for classification. `vocabulary`: the most tokens, default 8192 words or
 *   2048 byte pairs
 * @property {boolean} [tieEmbeddings] whether the input embedding is also the output projection, default false
 * @property {number} [seed] of weights, batches and dropout: a whole number from 0 to 2^32 - 1; default: the engine's
 */

/**
 * Text for both kinds of language model; rows for the rest. Labels are strings or whole numbers. A built-in set, one
 * that `tasks()` names, has two parts: `evaluate()` takes the test part, all else the training part.
 *
 * @typedef {{ text: string }
 *   | { rows: { text: string, label: string | number }[] }
 *   | { rows: { text: string, second: string, label: string | number }[] }
 *   | { rows: { source: string, target: string }[] }
 *   | { builtin: string }} TrainingData
 */

/**
 * Data themselves, as a built-in set holds them.
 *
 * @typedef {Exclude<TrainingData, { builtin: string }>} PlainData
 */

/**
 * A built-in set. Nothing in `test` occurs in `training`.
 *
 * @typedef {{ training: PlainData, test: PlainData }} BuiltinData
 */

/**
 * How to train.
 *
 * @typedef {object} TrainOptions
 * @property {number} steps steps to make in this call
 * @property {number} [batch] texts or rows a step, default 16
 * @property {number} [learningRate] default 1e-3
 * @property {number} [warmup] steps in which the learning rate rises to `learningRate`, default 0
 * @property {"constant" | "cosine" | "linear"} [schedule] how it falls after that, default constant
 * @property {"adamw" | "adam" | "sgd"} [optimizer] default adamw; its state is kept over calls unless it changes
 * @property {number} [weightDecay] default 0.01
 * @property {number} [clipNorm] largest global gradient norm; longer gradients are scaled down to it, default 1
 * @property {number} [validation] share of the data that is held out and scored at the end, 0 to 0.5, default 0
 * @property {number} [every] steps between reports, default 20
 * @property {AbortSignal} [signal] ends the loop with `aborted`
 * @property {{ start: number, end: number }} [span] model steps over which warm-up and schedule run; default:
 *   this call. To go on with a run that was left, pass the span it had.
 */

/**
 * How far training got.
 *
 * @typedef {object} Report
 * @property {number} step all steps the model ever made
 * @property {number} steps the step at which this call ends
 * @property {number} loss nats per token (with classes: per row), mean since the last report; NaN before the first
 * @property {number} learningRate of the last step
 * @property {number} gradientNorm global, before clipping, of the last step
 * @property {number} tokensPerSecond target tokens per second, since the last report
 * @property {number} stepsPerSecond since the last report
 * @property {number} seconds training in this call: pauses, validation and compiling left out
 * @property {"compiling" | "training" | "validating"} phase `training` has news; the others repeat the last numbers
 * @property {Metrics} [validation] comes with the last report
 */

/**
 * Scores; which of them depends on the task. `bleu` is from 0 to 100; `accuracy`, `f1`, `exactMatch` and `rougeL` are
 * from 0 to 1.
 *
 * @typedef {object} Metrics
 * @property {number} loss nats per token, or per row with classes
 * @property {number} [perplexity] the exponential of the loss
 * @property {number} [bitsPerCharacter] comparable over tokenizers: all nats / ln 2 / Unicode code points scored
 * @property {number} [accuracy] share of classes or hidden tokens predicted correctly
 * @property {number} [f1] the mean of all classes' F1
 * @property {number} [exactMatch] share of targets that are right as a whole
 * @property {number} [bleu]
 * @property {number} [rougeL]
 * @property {Baseline} [baseline] what needs no model, on the same rows: the majority class, or the commonest
 *   of the hidden tokens; a copy of the source where that is to be turned into a target
 * @property {number[][]} [confusion] with classes: how many rows of a class (a list for each) were taken for which
 *   (the numbers in it), in the order of `model.labels`
 */

/**
 * Scores of what needs no model.
 *
 * @typedef {{ accuracy?: number, f1?: number, exactMatch?: number, bleu?: number, rougeL?: number }} Baseline
 */

/**
 * How to compare. `models`: go on with these, one for each spec, each on the data it was made with.
 *
 * @typedef {TrainOptions & { models?: Model[] }} CompareOptions
 */

/**
 * `index` counts the specs. `model` is the model that made the step: from the first report on it belongs to
 * whoever runs the loop, who may use it inside the loop and has to dispose of it some day.
 *
 * @typedef {Report & { index: number, kind: KindName, model: Model }} CompareReport
 */

/**
 * How a comparison ended.
 *
 * @typedef {object} CompareSummary
 * @property {{ kind: KindName, parameterCount: number, report: Report, validation?: Metrics, model: Model }[]} runs
 */

/**
 * What to measure.
 *
 * @typedef {object} BenchmarkOptions
 * @property {KindName[]} kinds
 * @property {number[]} lengths in tokens
 * @property {number} [batch] default 8
 * @property {number} [dModel] default 64
 * @property {number} [heads] default 4
 * @property {number} [layers] default 2
 * @property {number} [repeats] default 5
 * @property {AbortSignal} [signal] ends the loop with `aborted`
 */

/**
 * One measurement.
 *
 * @typedef {object} SpeedReport
 * @property {KindName} kind
 * @property {number} length in tokens
 * @property {"train" | "forward" | "generate"} what a training step, a forward pass, or generation
 * @property {number} median of all repeats
 * @property {number} low the least
 * @property {number} high the most
 * @property {"ms" | "tokens/s"} unit
 * @property {number} [relativeToVanilla] how many times as fast as vanilla in the same run; there if vanilla was asked for
 * @property {string} device its description
 */

/**
 * How to score.
 *
 * @typedef {object} EvaluateOptions
 * @property {number} [batch] texts or rows at once, default 16; changes no score but by rounding
 * @property {AbortSignal} [signal]
 */

/**
 * How to generate.
 *
 * @typedef {object} GenerateOptions
 * @property {number} [maxTokens] default 200
 * @property {number} [temperature] default 0.8; 0 takes the likeliest
 * @property {number} [topK] draw from so many of the likeliest tokens; default: from all
 * @property {number} [topP] draw from the likeliest tokens that together have this share, above 0 to 1; default: from all
 * @property {number} [seed] the same seed draws the same; default: the model's
 * @property {string[]} [stop] never yielded, nor parts of them
 * @property {AbortSignal} [signal]
 */

/**
 * How generation ended.
 *
 * @typedef {object} GenerateSummary
 * @property {number} tokens written
 * @property {number} seconds generating, pauses left out
 * @property {number} tokensPerSecond
 * @property {"length" | "stop" | "end"} reason `maxTokens`, one of `stop`, or the model's own end
 */

/**
 * The class of a text.
 *
 * @typedef {object} Classification
 * @property {string} label the likeliest
 * @property {Record<string, number>} probabilities of all labels, summing to 1
 */

/**
 * What may stand for one `[MASK]`.
 *
 * @typedef {object} FilledMask
 * @property {number} position a token index
 * @property {{ token: string, probability: number }[]} candidates the likeliest first
 */

/**
 * How to translate.
 *
 * @typedef {object} TranslateOptions
 * @property {number} [maxTokens] default `maxLength`
 * @property {number} [beams] targets that are followed at a time; default 1, which is greedy
 * @property {AbortSignal} [signal]
 */

/**
 * Attention weights after softmax.
 *
 * @typedef {object} AttentionMaps
 * @property {number} layers
 * @property {number} heads
 * @property {number} queries positions that look
 * @property {number} keys positions looked at; differs from queries for Linformer and cross-attention
 * @property {string[]} tokens printable, of the positions that look
 * @property {string[]} [keyTokens] of those looked at, where they are of another text
 * @property {Float32Array} weights `[layers, heads, queries, keys]`, row-major
 * @property {Float32Array} [mixture] `[layers, heads, parts]`, after softmax
 * @property {KindName[]} [parts] of the mixture
 */

/**
 * `counts` has a list for each layer, one shorter than `edges`.
 *
 * @typedef {{ edges: Float32Array, counts: Uint32Array[] }} WeightHistogram
 */

/**
 * What an engine holds.
 *
 * @typedef {{ wasmBytes: number, gpuBytes: number, models: number }} MemoryUse
 */

/**
 * What went wrong. `docs/errors.md` says what to do about each.
 *
 * @typedef {"invalid-option" | "invalid-data" | "text-too-long" | "unknown-kind" | "wrong-task"
 *   | "webgpu-unavailable" | "device-lost" | "out-of-memory" | "diverged" | "corrupt-file" | "unsupported-version"
 *   | "disposed" | "busy" | "aborted" | "attention-unavailable" | "internal"} ErrorCode
 */

export {};
