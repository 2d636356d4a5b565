/**
 * What the page's thread and the worker say to each other. Types only.
 *
 * Calls are answered in the order they came, one at a time: WebAssembly must never be entered twice. The other
 * messages are out of band and take effect between two steps of the call at work.
 *
 * @module
 */

/** @import { PackedError } from "./errors.js" */
/** @import { AttentionMaps, Classification, FilledMask, Metrics, ModelSpec, WeightHistogram } from "./contract.js" */

/**
 * Every command with its arguments and its answer. `model` is a number the client gave. What `Uploads` names comes
 * in parts, and the command sees it whole.
 *
 * @typedef {object} Commands
 * @property {{ args: { kind: "cpu" | "webgpu", wasm: WasmSource, selfCheck: boolean },
 *   answer: { module: WebAssembly.Module } }} start
 * @property {{ args: { ports: MessagePort[] }, answer: null }} enlist channels to the other workers, for the first
 * @property {{ args: { port: MessagePort }, answer: null }} assist a channel to the first worker, for another
 * @property {{ args: { model: number, bytes: Uint8Array<ArrayBuffer> }, answer: null }} copy from here to `forget`:
 *   what the first worker asks another
 * @property {{ args: { model: number, assignment: string, flat: Float32Array<ArrayBuffer> },
 *   answer: { loss: number, flat: Float32Array<ArrayBuffer> } }} share `flat` holds weights, and comes back with the
 *   gradient
 * @property {{ args: { model: number }, answer: null }} forget
 * @property {{ args: { model: number, spec: object, cross?: string }, answer: ModelFacts }} create `cross` is an
 *   experiment's, see experimental.js
 * @property {{ args: { model: number, cross?: string }, answer: ModelFacts }} load
 * @property {{ args: { model: number, options: object }, answer: TrainingPlan }} beginTraining
 * @property {{ args: { model: number, count: number, compiling: boolean }, answer: Interval }} interval
 * @property {{ args: { model: number }, answer: { step: number } }} endTraining
 * @property {{ args: { model: number, options?: object }, answer: { metrics: Metrics, seconds: number } }} evaluate
 *   on uploaded data, or on the share an open run holds out
 * @property {{ args: { model: number, prompt: string, options: object }, answer: { run: number, seconds: number } }}
 *   beginGeneration
 * @property {{ args: { model: number, run: number }, answer: GeneratedPiece }} generatePiece
 * @property {{ args: { model: number, run: number }, answer: null }} endGeneration
 * @property {{ args: { model: number, options: { batch?: number } }, answer: Classification[] }} classifyAll
 * @property {{ args: { model: number, text: string, options: object }, answer: FilledMask[] }} fill
 * @property {{ args: { model: number, text: string, options: object }, answer: string }} translate
 * @property {{ args: { model: number, text: string | [string, string], options: object }, answer: AttentionMaps }}
 *   attention
 * @property {{ args: { model: number, text: string | [string, string], bins?: number }, answer: WeightHistogram }} weightHistogram
 * @property {{ args: { model: number }, answer: Uint8Array<ArrayBuffer> }} save
 * @property {{ args: {}, answer: { wasmBytes: number, gpuBytes: number } }} memory
 */

/** @typedef {keyof Commands} CommandName */

/**
 * What a call carries beside its arguments.
 *
 * @typedef {object} Uploads
 * @property {unknown} [data] training or evaluation data
 * @property {Uint8Array} [bytes] a file of `save()`
 * @property {unknown[]} [texts]
 */

/**
 * `default` is the file beside the worker; `gzip` a file compressed, in pieces of base64, as the inline entries hold it.
 *
 * @typedef {{ default: true } | { gzip: string[] } | { url: string } | { bytes: BufferSource }
 *   | { module: WebAssembly.Module }} WasmSource
 */

/**
 * @typedef {object} ModelFacts
 * @property {Required<ModelSpec>} spec
 * @property {number} parameterCount
 * @property {number} attentionParameterCount
 * @property {string[]} vocabulary
 * @property {string[]} [labels]
 * @property {number} step
 */

/** @typedef {{ start: number, end: number, every: number, validation: boolean }} TrainingPlan */

/**
 * The numbers of one report interval, timed in the worker with nothing else in flight, up to its read-back.
 *
 * @typedef {object} Interval
 * @property {number} step
 * @property {number} loss
 * @property {number} learningRate
 * @property {number} gradientNorm
 * @property {number} seconds
 * @property {number} tokensPerSecond
 * @property {number} stepsPerSecond
 * @property {Uint8Array<ArrayBuffer>} [snapshot] the model as `save()` gives it, every ten seconds at most
 */

/** @typedef {{ piece: string, tokens: number, done?: "length" | "stop" | "end", seconds: number }} GeneratedPiece */

/** @typedef {"text" | "rows" | "bytes" | "texts"} UploadShape */

/**
 * To the worker. `part`s make the upload `key`, in order; `whole` ends it, with an error if the client found one.
 *
 * @typedef {{ type: "call", id: number, name: CommandName, args: any, uploads: Partial<Record<keyof Uploads, number>> }
 *   | { type: "abort", id: number }
 *   | { type: "drop", id: number, model: number }
 *   | { type: "part", key: number, part: string | unknown[] | Uint8Array }
 *   | { type: "whole", key: number, shape: UploadShape }
 *   | { type: "whole", key: number, error: PackedError }} ToWorker
 */

/**
 * From the worker. `pulse` names a lock that is held until the worker ends. After `dead` it says nothing more: its WebAssembly instance or its device is gone.
 *
 * @typedef {{ type: "hello", pulse?: string }
 *   | { type: "done", id: number, value: any }
 *   | { type: "failed", id: number, error: PackedError }
 *   | { type: "dead", error: PackedError }} FromWorker
 */

/**
 * A worker seen from the client, whatever kind of worker it is.
 *
 * @typedef {object} Port
 * @property {(message: ToWorker, transfer?: Transferable[]) => void} post
 * @property {(onMessage: (message: FromWorker) => void, onError: (error: unknown) => void) => void} listen
 * @property {(busy: boolean) => void} hold whether the process must stay alive for an answer
 * @property {() => Promise<void>} close
 */

export {};
