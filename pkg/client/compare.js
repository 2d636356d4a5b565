/**
 * Several models trained in turn: one report interval each, round and round.
 *
 * @module
 */

import { SynthError, aborted, asSynthError, disposed, invalidOption } from "../errors.js";
import { Handle } from "./handle.js";
import { handleOf, modelOf } from "./model.js";
import { listArgument, objectOptions, plain, split } from "./options.js";
import { Run } from "./run.js";
import { dataUpload } from "./upload.js";

/** @import { CompareOptions, CompareReport, CompareSummary, KindName, Metrics } from "../contract.js" */
/** @import { ModelSpec, Report, TrainingData } from "../contract.js" */
/** @import { Model } from "./model.js" */
/** @import { Runtime } from "./runtime.js" */

/**
 * One model's way through the comparison.
 *
 * @typedef {object} Lane
 * @property {number} index
 * @property {KindName} kind
 * @property {Handle} handle
 * @property {Model} model
 * @property {AsyncGenerator<Report, void>} reports
 * @property {Report | undefined} last
 * @property {Metrics | undefined} validation
 * @property {boolean} done
 */

/**
 * @param {Runtime} runtime
 * @param {ModelSpec[]} specs
 * @param {TrainingData} data
 * @param {CompareOptions} options
 * @returns {AsyncGenerator<CompareReport, CompareSummary>}
 */
export async function* compare(runtime, specs, data, options) {
  const all = listArgument("specs", specs, "a list of one spec or more");
  const { models, ...training } = objectOptions(options);
  const { signal } = split(training);
  const handles = models === undefined ? [] : handlesOf(runtime, models, all.length);
  if (handles.length > 0) dataUpload(data);
  for (const [index, { facts }] of handles.entries()) await at(index, checkFits(all[index], facts.spec));
  /** Made here, and not yet in anybody's hands. @type {Set<Handle>} */
  const unseen = new Set();
  /** @type {Run[]} */
  const runs = [];
  try {
    for (let index = handles.length; index < all.length; index += 1) {
      if (signal?.aborted) throw aborted(signal);
      const handle = await at(index, Handle.create(runtime, /** @type {ModelSpec} */ (all[index]), data));
      handles.push(handle);
      unseen.add(handle);
    }
    // All runs begin before the first step, so that a bad option costs no training.
    for (const [index, handle] of handles.entries()) runs.push(await at(index, Run.begin(handle, training)));
    const lanes = runs.map((run, index) => lane(/** @type {Handle} */ (handles[index]), run, index));
    while (lanes.some(({ done }) => !done)) {
      for (const lane of lanes) yield* turn(lane, unseen);
    }
    return { runs: lanes.map(summary) };
  } finally {
    await Promise.all(runs.map((run) => run.end()));
    // Nobody could ever dispose of these.
    await Promise.all([...unseen].map((handle) => handle.dispose()));
  }
}

/**
 * One report interval, and what comes before it. At a run's end: its validation.
 *
 * @param {Lane} lane
 * @param {Set<Handle>} unseen
 * @returns {AsyncGenerator<CompareReport, void>}
 */
async function* turn(lane, unseen) {
  while (!lane.done) {
    const { value: report } = await at(lane.index, lane.reports.next());
    lane.done = !report;
    if (!report) return;
    lane.last = report;
    if (report.validation) lane.validation = report.validation;
    unseen.delete(lane.handle);
    yield { ...report, index: lane.index, kind: lane.kind, model: lane.model };
    if (report.phase === "training") return;
  }
}

/**
 * @param {Handle} handle
 * @param {Run} run
 * @param {number} index
 * @returns {Lane}
 */
function lane(handle, run, index) {
  const { attention } = handle.facts.spec;
  const kind = typeof attention === "string" ? attention : attention.kind;
  const model = modelOf(handle);
  return {
    index,
    kind,
    handle,
    model,
    reports: run.reports(),
    last: undefined,
    validation: undefined,
    done: false,
  };
}

/**
 * @param {Lane} lane
 * @returns {CompareSummary["runs"][number]}
 */
function summary({ kind, handle, model, last, validation }) {
  const report = /** @type {Report} */ (last);
  const run = { kind, parameterCount: handle.facts.parameterCount, report, model };
  return validation === undefined ? run : { ...run, validation };
}

/**
 * @param {Runtime} runtime
 * @param {unknown} models
 * @param {number} count
 */
function handlesOf(runtime, models, count) {
  const expected = `a list of ${count}: one model for each spec`;
  const all = listArgument("models", /** @type {unknown[]} */ (models), expected);
  if (all.length !== count) throw invalidOption("models", models, expected);
  return all.map((model, index) => {
    const handle = handleOf(model);
    if (handle?.runtime !== runtime) throw invalidOption(`models[${index}]`, model, "a model of this engine");
    if (all.indexOf(model) !== index)
      throw invalidOption(`models[${index}]`, model, "another model than those before it");
    if (!runtime.handles.has(handle)) throw disposed("model");
    return handle;
  });
}

/**
 * Refuses a spec that says otherwise than the model that is to go on. What it leaves out is as the model has it.
 *
 * @param {unknown} spec
 * @param {ModelSpec} own
 */
async function checkFits(spec, own) {
  const given = plain(spec, "spec");
  if (typeof given !== "object" || given === null) throw invalidOption("spec", spec, "an object");
  checkEntries(given, own, "");
}

/**
 * @param {object} given
 * @param {object} own
 * @param {string} scope of the options' names
 */
function checkEntries(given, own, scope) {
  const names = Object.keys(own);
  for (const [name, value] of Object.entries(given)) {
    const option = `${scope}${name}`;
    if (!names.includes(name)) throw invalidOption(option, value, `one of ${names.join(", ")}: there is no such option`);
    const has = /** @type {Record<string, unknown>} */ (own)[name];
    if (NAMED.includes(option)) {
      const [said, owned] = [byName(value), byName(has)];
      if (typeof said !== "object" || said === null) throw invalidOption(option, value, `${JSON.stringify(has)}, as the model has it`);
      checkEntries(said, /** @type {object} */ (owned), `${option}.`);
    } else if (value !== has) throw invalidOption(option, value, `${JSON.stringify(has)}, as the model has it`);
  }
}

/** The options that are a name, or an object with it and more. */
const NAMED = ["attention", "tokenizer"];

/** @param {unknown} value */
function byName(value) {
  return typeof value === "string" ? { kind: value } : value;
}

/**
 * Says in an error's details which of the models it is about.
 *
 * @template T
 * @param {number} index
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
async function at(index, work) {
  try {
    return await work;
  } catch (error) {
    const { code, message, details } = asSynthError(error, "The comparison failed");
    throw new SynthError(code, message, { ...details, index }, { cause: error });
  }
}
