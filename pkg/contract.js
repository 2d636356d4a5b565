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
 * @property {number | string} default
 * @property {number} [min]
 * @property {number} [max]
 * @property {string[]} [choices]
 * @property {string} help
 */

/**
 * One row of the table of kinds.
 *
 * @typedef {object} KindInfo
 * @property {KindName} name
 * @property {string} label
 * @property {string} summary
 * @property {string} formula
 * @property {string} source paper and section
 * @property {"dot-product" | "synthesizer" | "mixture" | "baseline"} family
 * @property {"nothing" | "token" | "token-pair"} conditionsOn what a weight depends on: the paper's table 1
 * @property {boolean} causal usable in a decoder
 * @property {OptionInfo[]} options
 */

/**
 * @typedef {"language-model" | "masked-language-model" | "classification" | "pair-classification"
 *   | "sequence-to-sequence"} TaskName
 */

/**
 * What there is to know of a built-in data set before it is loaded.
 *
 * @typedef {object} BuiltinInfo
 * @property {string} name for `{ builtin: name }` and `builtinData(name)`
 * @property {string} label
 * @property {number} rows of both parts; of a text its lines that are not blank
 * @property {number} bytes what loading it takes, before any compression
 * @property {string} licence an SPDX identifier or expression, or "WordNet"
 * @property {string} source
 * @property {number} testRows how many of `rows` are for tests
 * @property {number} [ceiling] the accuracy that is possible on the test part without telling which words belong
 *   together, for sets where that can be counted: one of the values in a text is right, and all look alike
 */

/**
 * One row of the table of tasks.
 *
 * @typedef {object} TaskInfo
 * @property {TaskName} name
 * @property {string} label
 * @property {string} summary
 * @property {string} input
 * @property {string} output
 * @property {(keyof Metrics)[]} metrics
 * @property {BuiltinInfo[]} builtins data sets that come with the package
 */

/**
 * What a browser can do, as `support()` says it.
 *
 * @typedef {object} Support
 * @property {boolean} webgpu
 * @property {string} [reason] why not, in one sentence
 * @property {{ vendor: string, architecture: string, software: boolean }} [adapter]
 */

/**
 * @typedef {object} EngineOptions
 * @property {"auto" | "webgpu" | "cpu"} [device] `auto` (the default) takes WebGPU where it works on real
 *   hardware, else the CPU, and says why in `device.fallbackReason`
 * @property {URL | string | Response | BufferSource | WebAssembly.Module} [wasm] where the WebAssembly file is,
 *   or what is in it; default: beside the package's worker
 * @property {number} [workers] CPU device only; this version takes 1, the default, and nothing else
 * @property {number} [seed] a whole number from 0 to 2^32 - 1, default 0
 */

/**
 * What an engine computes on.
 *
 * @typedef {object} DeviceInfo
 * @property {"webgpu" | "cpu"} kind
 * @property {string} description
 * @property {boolean} software a WebGPU adapter that is itself a program on the CPU
 * @property {string} [fallbackReason] why `auto` did not take WebGPU
 */

/**
 * @typedef {object} ModelSpec
 * @property {TaskName} task
 * @property {KindName | { kind: KindName, [option: string]: unknown }} attention
 * @property {number} [dModel] default 64
 * @property {number} [heads] default 4
 * @property {number} [layers] default 2
 * @property {number} [dFf] default 4 dModel
 * @property {number} [maxLength] tokens, default 64
 * @property {number} [dropout] share of activations dropped in training, and half of it of the words of texts to classify; default 0
 * @property {"learned" | "sinusoidal" | "none"} [positions] default learned
 * @property {"character" | "byte" | "word" | "bpe" | { kind: "bpe" | "word", vocabulary: number }} [tokenizer]
 *   default character, word for classification
 * @property {boolean} [tieEmbeddings] default false
 * @property {number} [seed] default: the engine's
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
 * @typedef {object} TrainOptions
 * @property {number} steps steps to make in this call
 * @property {number} [batch] default 16
 * @property {number} [learningRate] default 1e-3
 * @property {number} [warmup] steps, default 0
 * @property {"constant" | "cosine" | "linear"} [schedule] default constant
 * @property {"adamw" | "adam" | "sgd"} [optimizer] default adamw
 * @property {number} [weightDecay] default 0.01
 * @property {number} [clipNorm] default 1
 * @property {number} [validation] share held out, 0 to 0.5, default 0
 * @property {number} [every] steps between reports, default 20
 * @property {AbortSignal} [signal]
 * @property {{ start: number, end: number }} [span] model steps over which warm-up and schedule run; default:
 *   this call. To go on with a run that was left, pass the span it had.
 */

/**
 * @typedef {object} Report
 * @property {number} step all steps the model ever made
 * @property {number} steps the step at which this call ends
 * @property {number} loss nats per token, mean since the last report; NaN before the first
 * @property {number} learningRate
 * @property {number} gradientNorm global, before clipping, of the last step
 * @property {number} tokensPerSecond
 * @property {number} stepsPerSecond
 * @property {number} seconds training in this call: pauses, validation and compiling left out
 * @property {"compiling" | "training" | "validating"} phase
 * @property {Metrics} [validation] comes with the last report
 */

/**
 * Scores; which of them depends on the task. `bleu` is from 0 to 100; `accuracy`, `f1`, `exactMatch` and `rougeL` are
 * from 0 to 1.
 *
 * @typedef {object} Metrics
 * @property {number} loss
 * @property {number} [perplexity]
 * @property {number} [bitsPerCharacter]
 * @property {number} [accuracy]
 * @property {number} [f1]
 * @property {number} [exactMatch]
 * @property {number} [bleu]
 * @property {number} [rougeL]
 * @property {Baseline} [baseline] what needs no model, on the same rows: always the commonest class, or the commonest
 *   of the hidden tokens; a copy of the source where that is to be turned into a target
 * @property {number[][]} [confusion] with classes: how many rows of a class (a list for each) were taken for which
 *   (the numbers in it), in the order of `model.labels`
 */

/** @typedef {{ accuracy?: number, f1?: number, exactMatch?: number, bleu?: number, rougeL?: number }} Baseline */

/**
 * @typedef {TrainOptions & { models?: Model[] }} CompareOptions `models`: go on with these, one for each spec,
 *   each on the data it was made with
 */

/**
 * `index` counts the specs. `model` is the model that made the step: from the first report on it belongs to
 * whoever runs the loop, who may use it inside the loop and has to dispose of it some day.
 *
 * @typedef {Report & { index: number, kind: KindName, model: Model }} CompareReport
 */

/**
 * @typedef {object} CompareSummary
 * @property {{ kind: KindName, parameterCount: number, report: Report, validation?: Metrics, model: Model }[]} runs
 */

/**
 * @typedef {object} BenchmarkOptions
 * @property {KindName[]} kinds
 * @property {number[]} lengths
 * @property {number} [batch] default 8
 * @property {number} [dModel] default 64
 * @property {number} [heads] default 4
 * @property {number} [layers] default 2
 * @property {number} [repeats] default 5
 * @property {AbortSignal} [signal]
 */

/**
 * @typedef {object} SpeedReport
 * @property {KindName} kind
 * @property {number} length
 * @property {"train" | "forward" | "generate"} what
 * @property {number} median
 * @property {number} low
 * @property {number} high
 * @property {"ms" | "tokens/s"} unit
 * @property {number} [relativeToVanilla] how many times as fast as vanilla in the same run; there if vanilla was asked for
 * @property {string} device
 */

/**
 * @typedef {object} EvaluateOptions
 * @property {number} [batch]
 * @property {AbortSignal} [signal]
 */

/**
 * @typedef {object} GenerateOptions
 * @property {number} [maxTokens] default 200
 * @property {number} [temperature] default 0.8; 0 takes the likeliest
 * @property {number} [topK]
 * @property {number} [topP]
 * @property {number} [seed]
 * @property {string[]} [stop] never yielded, nor parts of them
 * @property {AbortSignal} [signal]
 */

/**
 * @typedef {object} GenerateSummary
 * @property {number} tokens
 * @property {number} seconds generating, pauses left out
 * @property {number} tokensPerSecond
 * @property {"length" | "stop" | "end"} reason
 */

/**
 * @typedef {object} Classification
 * @property {string} label
 * @property {Record<string, number>} probabilities
 */

/**
 * @typedef {object} FilledMask
 * @property {number} position a token index
 * @property {{ token: string, probability: number }[]} candidates
 */

/**
 * @typedef {object} TranslateOptions
 * @property {number} [maxTokens]
 * @property {number} [beams]
 * @property {AbortSignal} [signal]
 */

/**
 * @typedef {object} AttentionMaps
 * @property {number} layers
 * @property {number} heads
 * @property {number} queries
 * @property {number} keys differs from queries for Linformer and cross-attention
 * @property {string[]} tokens
 * @property {string[]} [keyTokens]
 * @property {Float32Array} weights `[layers, heads, queries, keys]`, row-major
 * @property {Float32Array} [mixture] `[layers, heads, parts]`, after softmax
 * @property {KindName[]} [parts]
 */

/** @typedef {{ edges: Float32Array, counts: Uint32Array[] }} WeightHistogram */

/** @typedef {{ wasmBytes: number, gpuBytes: number, models: number }} MemoryUse */

/**
 * @typedef {"invalid-option" | "invalid-data" | "text-too-long" | "unknown-kind" | "wrong-task"
 *   | "webgpu-unavailable" | "device-lost" | "out-of-memory" | "diverged" | "corrupt-file" | "unsupported-version"
 *   | "disposed" | "busy" | "aborted" | "attention-unavailable" | "internal"} ErrorCode
 */

export {};
