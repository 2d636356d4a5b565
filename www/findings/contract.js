// The experiments of the findings: what one is, what a run of it gives, and what is made of that. Types alone, shared by
// the page, the run without one (`npm run findings`) and the report. A result holds what was measured and nothing that
// follows from it: means, intervals and verdicts are worked out from it wherever they are shown, by the same code.

/** @import { ModelSpec, TaskName } from "synthattn" */

/**
 * One of the models that are compared.
 *
 * @typedef {object} Arm
 * @property {string} id within its setup; names the arm in results
 * @property {ModelSpec["attention"]} attention
 * @property {Partial<ModelSpec>} [spec] what differs from the setup's
 * @property {"random"} [cross] cross-attention that is synthesized: an experiment of this page, which the package does not have
 * @property {string} [sized] the arm whose number of weights this one's feed-forward width is fitted to
 */

/**
 * Models on the same data, with the same seeds, and so the same batches.
 *
 * @typedef {object} Setup
 * @property {string} id within its experiment
 * @property {TaskName} task
 * @property {string} builtin the data: a set of the package
 * @property {Partial<ModelSpec>} spec
 * @property {{ batch: number, learningRate: number, warmup: number, schedule: "constant" | "cosine", weightDecay?: number }} train
 * @property {ScoreName} metric of rows or text that were never trained on
 * @property {1 | -1} better whether more or less of it is better
 * @property {number} [chance] what can be reached without looking at what is to be looked at
 * @property {Watch} [watch] what is kept of the attention weights
 * @property {Arm[]} arms
 * @property {Record<Scale, { steps: number, checkpoints: number, seeds: number[] }>} scale checkpoints: how often it is scored, the last at the end
 */

/** @typedef {"loss" | "perplexity" | "bitsPerCharacter" | "accuracy" | "f1" | "exactMatch" | "bleu" | "rougeL"} ScoreName a metric that is one number */

/**
 * Attention weights on one text, before the first step and at every checkpoint.
 *
 * @typedef {object} Watch
 * @property {string} text
 * @property {number} bins of the histograms, which are kept of the start and the end
 * @property {number} nearest how many tokens, up to the one that looks, count as near
 * @property {string[]} films arms of which a table is kept at every checkpoint of the first seed; of the others at the start and the end
 */

/**
 * `quick`: a few minutes in a tab. `full`: what the report has.
 *
 * @typedef {"quick" | "full"} Scale
 */

/**
 * Something said of two arms that numbers can speak against. The difference of each seed, in the metric's unit and
 * turned so that more is better, is arm minus against.
 *
 * - `better`: the interval of the mean difference lies above `margin`
 * - `close`: it lies within plus and minus `margin`
 * - `no-worse`: it lies above minus `margin`
 *
 * In the view `speed` the difference is the factor by which a step of `arm` is faster, less 1: 0.05 is 5 % more steps in
 * the same time. In the view `near` it is the share of attention on the nearest tokens, after training less before it
 * where `arm` and `against` are the same, after training in both otherwise.
 *
 * @typedef {object} Comparison
 * @property {string} setup
 * @property {string} arm its id, or `chance`: the setup's number for that
 * @property {string} against the same
 * @property {{ arm: string, against: string }} [beyond] a difference whose own is taken off: does it matter more here than there?
 * @property {"better" | "close" | "no-worse"} says
 * @property {number} margin
 * @property {"steps" | "time" | "speed" | "near"} view after as many steps; after as long; by the time of a step; by where attention lies
 */

/**
 * What is said in a paper. `why` tells how its margin was chosen, before anything was run.
 *
 * @typedef {Comparison & { id: string, why: string }} Claim `id` within its experiment; names its sentence
 */

/**
 * `agrees`: the interval lies where the comparison says. `disagrees`: it lies wholly elsewhere. `undecided`: neither.
 *
 * @typedef {"agrees" | "disagrees" | "undecided"} Verdict
 */

/**
 * @typedef {object} Experiment
 * @property {string} id names its messages and its result
 * @property {number} number 1 to 9, as they are told
 * @property {Setup[]} setups
 * @property {Claim[]} claims
 * @property {string[]} predictions what a visitor may expect, named by messages
 * @property {Record<string, Comparison[]>} right by prediction: it was right when all of these agree
 * @property {Published[]} published
 */

/**
 * A number from a paper.
 *
 * @typedef {object} Published
 * @property {string} source names the message that says whose it is, and of what
 * @property {string} arm
 * @property {number} value
 * @property {1 | -1} better whether more or less of it is better
 */

/**
 * One arm trained with one seed.
 *
 * @typedef {object} Run
 * @property {string} setup
 * @property {string} arm
 * @property {number} seed
 * @property {number} parameters
 * @property {number[]} steps at which it was scored
 * @property {number[]} scores
 */

/**
 * How long a step takes, measured in turn with the setup's other arms and nothing else in flight.
 *
 * @typedef {object} Timing
 * @property {string} setup
 * @property {string} arm
 * @property {number[]} milliseconds a step, one number a round
 */

/**
 * How the weights of attention are spread over 0 to 1, of every layer.
 *
 * @typedef {object} Histogram
 * @property {string} setup @property {string} arm @property {number} seed
 * @property {number} step
 * @property {number[][]} counts by layer and bin
 */

/**
 * A table of attention over training time. Weights are whole numbers from 0 to 255, of the largest in the snapshot.
 *
 * @typedef {object} Snapshot
 * @property {string} setup @property {string} arm @property {number} seed
 * @property {number} step
 * @property {number} layers @property {number} heads @property {number} length
 * @property {number} largest
 * @property {string} weights base64 of [layers, heads, length, length], rows before columns
 */

/**
 * The share of attention that lies on the nearest tokens, of every layer: a mean over heads and over rows that have
 * tokens before those. `uniform` is what weights that are all alike would give.
 *
 * @typedef {object} Nearness
 * @property {string} setup @property {string} arm @property {number} seed
 * @property {number} step
 * @property {number[]} layers
 * @property {number} uniform
 */

/**
 * What one run of an experiment measured.
 *
 * @typedef {object} Result
 * @property {string} experiment
 * @property {string} settings a digest of the experiment's definition; a result of another one is out of date
 * @property {Scale} scale
 * @property {string} date as 2026-01-31
 * @property {string} machine processor and program
 * @property {string} device as the engine describes it
 * @property {number} seconds all of it took
 * @property {Run[]} runs
 * @property {Timing[]} timings
 * @property {Histogram[]} histograms
 * @property {Snapshot[]} snapshots
 * @property {Nearness[]} nearness
 */

/**
 * What is told while an experiment runs.
 *
 * @typedef {object} Progress
 * @property {number} done of 1
 * @property {string} setup @property {string} arm @property {number} seed
 * @property {"training" | "timing"} phase
 * @property {number} step @property {number} steps
 * @property {Result} result what there is so far
 */

export {};
