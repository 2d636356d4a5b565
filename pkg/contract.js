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
 * @property {string} name as it is written beside `kind` in a spec
 * @property {"integer" | "number" | "choice"} type of its value
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
 * @property {KindName} name as a spec asks for it
 * @property {string} label the name in menus
 * @property {string} summary one sentence
 * @property {string} formula in the paper's notation
 * @property {string} source paper and section
 * @property {"dot-product" | "synthesizer" | "mixture" | "baseline"} family whether it compares tokens, synthesizes, mixes both, or is
 *   one that the paper compares with
 * @property {"nothing" | "token" | "token-pair"} conditionsOn what a weight depends on: the paper's table 1
 * @property {boolean} causal usable in a decoder
 * @property {OptionInfo[]} options what can be set of this kind alone
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
 * @property {TaskName} name as a spec asks for it
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
 * @property {{ vendor: string, architecture: string, software: boolean }} [adapter] the graphics adapter, if there
 *   is one: its `vendor` and `architecture` as the browser names them, and `software`: it is itself a program on the CPU
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
 * @property {"webgpu" | "cpu"} kind what computes
 * @property {string} description for people
 * @property {boolean} software a WebGPU adapter that is itself a program on the CPU
 * @property {string} [fallbackReason] why `auto` did not take WebGPU
 */

/**
 * What a model is made of; at most 100,000,000 weights. The same spec, data and seed give the same, on either device.
 *
 * @typedef {object} ModelSpec
 * @property {TaskName} task what the model is for
 * @property {KindName | { kind: KindName, [option: string]: unknown }} attention how tokens are mixed: the name of a
 *   kind, or that name as `kind` with options of its own beside it, as `kinds()` lists them
 * @property {number} [dModel] width of a token's vector, 1 to 2048, default 64
 * @property {number} [heads] a divisor of `dModel`, default 4
 * @property {number} [layers] blocks, 1 to 64, default 2
 * @property {number} [dFf] width of the feed-forward part, 1 to 8192, default 4 dModel
 * @property {number} [maxLength] the longest input in tokens, 2 to 4096, of pairs from 4, default 64
 * @property {number} [dropout] share of activations dropped in training, half of it of words to classify; 0 to below 1, default 0
 * @property {"learned" | "sinusoidal" | "none"} [positions] position encoding, default learned
 * @property {"character" | "byte" | "word" | "bpe" | { kind: "bpe" | "word", vocabulary: number }} [tokenizer]
 *   how text is cut; default character, word for classification. With a `kind` of words or byte pairs, `vocabulary` is
 *   the most tokens: 16 to 65536 words, default 8192; 280 to 65536 byte pairs, default 2048. 65536 characters are kept
 * @property {boolean} [tieEmbeddings] whether the input embedding is also the output projection, default false
 * @property {number} [seed] of weights, batches and dropout: a whole number from 0 to 2^32 - 1; default: the engine's
 */

/**
 * A `text` for both kinds of language model; `rows` for the rest. A row is a `text`, or a `text` and a `second` one, with
 * its `label`, a string or a whole number up to 2^53 - 1; or a `source` with its `target`. `builtin` is the name of a built-in set, one
 * that `tasks()` lists. It has two parts: `evaluate()` takes the test part, all else the training part.
 *
 * @typedef {{ text: string }
 *   | { rows: { text: string, label: string | number }[] }
 *   | { rows: { text: string, second: string, label: string | number }[] }
 *   | { rows: { source: string, target: string }[] }
 *   | { builtin: string }} TrainingData
 */

/**
 * Data themselves, as a built-in set holds them: anything but the name of one as `builtin`.
 *
 * @typedef {Exclude<TrainingData, { builtin: string }>} PlainData
 */

/**
 * A built-in set.
 *
 * @typedef {object} BuiltinData
 * @property {PlainData} training what models learn from
 * @property {PlainData} test what they are scored on; nothing in it occurs in `training`
 */

/**
 * How to train.
 *
 * @typedef {object} TrainOptions
 * @property {number} steps steps to make in this call, 1 to 100,000,000
 * @property {number} [batch] texts or rows a step, 1 to 4096, default 16
 * @property {number} [learningRate] above 0, default 1e-3
 * @property {number} [warmup] steps in which the learning rate rises to `learningRate`, 0 to 100,000,000, default 0
 * @property {"constant" | "cosine" | "linear"} [schedule] how it falls after that, default constant
 * @property {"adamw" | "adam" | "sgd"} [optimizer] default adamw; its state is kept over calls unless it changes
 * @property {number} [weightDecay] 0 or more, default 0.01
 * @property {number} [clipNorm] largest global gradient norm; longer gradients are scaled down to it; above 0, default 1
 * @property {number} [validation] share of the data that is held out and scored at the end, 0 to 0.5, default 0
 * @property {number} [every] steps between reports, 1 to 100,000,000, default 20
 * @property {AbortSignal} [signal] ends the loop with `aborted`
 * @property {{ start: number, end: number }} [span] model steps over which warm-up and schedule run, from `start` to
 *   `end`, whole numbers from 0 to 2^53; default: this call. To go on with a run that was left, pass the span it had.
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
 * @property {number} [bleu] of all targets together: how many runs of one to four words are right
 * @property {number} [rougeL] mean over targets: F1 of the longest common subsequence of words
 * @property {Baseline} [baseline] what needs no model, on the same rows: the majority class, or the commonest
 *   of the hidden tokens; a copy of the source where that is to be turned into a target
 * @property {number[][]} [confusion] with classes: how many rows of a class (a list for each) were taken for which
 *   (the numbers in it), in the order of `model.labels`
 */

/**
 * Scores of what needs no model, counted as those in `Metrics`.
 *
 * @typedef {object} Baseline
 * @property {number} [accuracy] from 0 to 1
 * @property {number} [f1] from 0 to 1
 * @property {number} [exactMatch] from 0 to 1
 * @property {number} [bleu] from 0 to 100
 * @property {number} [rougeL] from 0 to 1
 */

/**
 * How to compare. `models`: go on with these, one for each spec, each on its own data. A spec may say only what is so of its model.
 *
 * @typedef {TrainOptions & { models?: Model[] }} CompareOptions
 */

/**
 * `index` counts the specs, from 0; `kind` is that of its attention. `model` is the model that made the step: from the first report on it belongs to
 * whoever runs the loop, who may use it inside the loop and has to dispose of it some day.
 *
 * @typedef {Report & { index: number, kind: KindName, model: Model }} CompareReport
 */

/**
 * How a comparison ended.
 *
 * @typedef {object} CompareSummary
 * @property {{ kind: KindName, parameterCount: number, report: Report, validation?: Metrics, model: Model }[]} runs one
 *   for each spec, in their order: the `kind` of its attention, the `model` with its `parameterCount`, the last `report`,
 *   and `validation`, the scores on what was held out
 */

/**
 * What to measure.
 *
 * @typedef {object} BenchmarkOptions
 * @property {KindName[]} kinds what to measure; each must be causal
 * @property {number[]} lengths in tokens, each 2 to 4096
 * @property {number} [batch] texts a step, 1 to 4096, default 8
 * @property {number} [dModel] width of a token's vector, 1 to 2048, default 64
 * @property {number} [heads] a divisor of `dModel`, default 4
 * @property {number} [layers] blocks, 1 to 64, default 2
 * @property {number} [repeats] times that each is measured, 1 to 10,000, default 5
 * @property {AbortSignal} [signal] ends the loop with `aborted`
 */

/**
 * One measurement.
 *
 * @typedef {object} SpeedReport
 * @property {KindName} kind what was measured
 * @property {number} length in tokens
 * @property {"train" | "forward" | "generate"} what a training step, a forward pass, or generation
 * @property {number} median of all repeats
 * @property {number} low the least
 * @property {number} high the most
 * @property {"ms" | "tokens/s"} unit of `median`, `low` and `high`: milliseconds a step or pass, or tokens a second in generation
 * @property {number} [relativeToVanilla] how many times as fast as vanilla in the same run; there if vanilla was asked for
 * @property {string} device its description
 */

/**
 * How to score.
 *
 * @typedef {object} EvaluateOptions
 * @property {number} [batch] texts or rows at once, 1 to 4096, default 16; changes no score but by rounding
 * @property {AbortSignal} [signal] ends it with `aborted`
 */

/**
 * How to classify many texts.
 *
 * @typedef {object} ClassifyAllOptions
 * @property {number} [batch] texts at once, 1 to 4096, default 16; changes no answer but by rounding
 * @property {AbortSignal} [signal] ends it with `aborted`
 */

/**
 * How to generate.
 *
 * @typedef {object} GenerateOptions
 * @property {number} [maxTokens] the most tokens to write, 1 to 1,000,000, default 200
 * @property {number} [temperature] what logits are divided by, 0 to 100, default 0.8; 0 takes the likeliest
 * @property {number} [topK] draw from so many of the likeliest tokens, 1 to 1,000,000; default: from all
 * @property {number} [topP] draw from the likeliest tokens that together have this share, above 0 to 1; default: from all
 * @property {number} [seed] the same seed draws the same: a whole number from 0 to 2^32 - 1; default: the model's
 * @property {string[]} [stop] at most 10,000 texts that end it; never yielded, nor parts of them
 * @property {AbortSignal} [signal] ends it with `aborted`
 */

/**
 * How generation ended.
 *
 * @typedef {object} GenerateSummary
 * @property {number} tokens written
 * @property {number} seconds generating, pauses left out
 * @property {number} tokensPerSecond `tokens` by `seconds`
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
 * How to fill.
 *
 * @typedef {object} FillOptions
 * @property {number} [top] candidates for each `[MASK]`, 1 to 100,000, default 5
 */

/**
 * What may stand for one `[MASK]`.
 *
 * @typedef {object} FilledMask
 * @property {number} position a token index
 * @property {{ token: string, probability: number }[]} candidates the likeliest first: each `token` in its printable
 *   form, with its `probability` among all tokens
 */

/**
 * How to translate.
 *
 * @typedef {object} TranslateOptions
 * @property {number} [maxTokens] the most tokens to write, 1 to 1,000,000, default `maxLength`
 * @property {number} [beams] targets that are followed at a time, 1 to 64; default 1, which is greedy
 * @property {AbortSignal} [signal] ends it with `aborted`
 */

/**
 * Which attention to look at.
 *
 * @typedef {object} AttentionOptions
 * @property {"encoder" | "decoder" | "cross"} [part] `cross`, what the target takes from the source, is the default of
 *   a sequence-to-sequence model; language models have a `decoder` alone, all others an `encoder`
 */

/**
 * Attention weights after softmax.
 *
 * @typedef {object} AttentionMaps
 * @property {number} layers blocks of the model
 * @property {number} heads of each layer
 * @property {number} queries positions that look
 * @property {number} keys positions looked at; differs from queries for Linformer and cross-attention
 * @property {string[]} tokens printable, of the positions that look
 * @property {string[]} [keyTokens] of those looked at, where they are of another text
 * @property {Float32Array} weights `[layers, heads, queries, keys]`, row-major
 * @property {Float32Array} [mixture] `[layers, heads, parts]`, after softmax
 * @property {KindName[]} [parts] of the mixture
 */

/**
 * How often which attention weight occurs.
 *
 * @typedef {object} WeightHistogram
 * @property {Float32Array} edges of the bins, from 0 to 1
 * @property {Uint32Array[]} counts a list for each layer, one shorter than `edges`
 */

/**
 * What an engine holds.
 *
 * @typedef {object} MemoryUse
 * @property {number} wasmBytes memory of the WebAssembly instances of all workers together; it never shrinks
 * @property {number} gpuBytes what the graphics device's allocator holds; 0 on the CPU
 * @property {number} models that were made or loaded and not disposed of
 */

/**
 * What went wrong. `docs/errors.md` says what to do about each.
 *
 * @typedef {"invalid-option" | "invalid-data" | "text-too-long" | "unknown-kind" | "wrong-task"
 *   | "webgpu-unavailable" | "device-lost" | "out-of-memory" | "diverged" | "corrupt-file" | "unsupported-version"
 *   | "disposed" | "busy" | "aborted" | "attention-unavailable" | "internal"} ErrorCode
 */

export {};
