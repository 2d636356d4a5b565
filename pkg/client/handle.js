/**
 * A model as the client knows it: where it lives, and how to bring it back after its worker is lost.
 *
 * @module
 */

import { aborted, disposed, invalidOption, wordsOf } from "../errors.js";
import { macrotask } from "../macrotask.js";
import { plain } from "./options.js";
import { bytesUpload, copyInSlices, dataUpload, viewOf } from "./upload.js";

/** @import { ModelSpec, TrainingData } from "../contract.js" */
/** @import { CommandName, Commands, Interval, ModelFacts } from "../protocol.js" */
/** @import { CallExtras, Link } from "./link.js" */
/** @import { Runtime } from "./runtime.js" */

/**
 * What a model is made from: a file, or a spec whose seed is filled in. The data is kept by reference. `cross` is how an
 * experiment scores sources.
 *
 * @typedef {{ spec: object, data: TrainingData, snapshot?: Uint8Array, cross?: string }
 *   | { spec?: undefined, data?: TrainingData, snapshot: Uint8Array, cross?: undefined }} Origin
 */

export class Handle {
  /** @type {Runtime} */
  runtime;
  /** @type {number} */
  id;
  /** @type {ModelFacts} */
  facts;
  /** The numbers of the last report. @type {Omit<Interval, "snapshot"> | undefined} */
  numbers;
  /** Whether the device's kernels for training this model are ready. */
  warm = false;

  /** Spec or file, and the newest snapshot. @type {Origin} */
  #origin;
  /** Where the model lives. @type {Link} */
  #link;
  /** @type {{ link: Link, done: Promise<void> } | undefined} */
  #restoring;
  /** @type {Promise<void> | undefined} */
  #end;

  /**
   * @param {Runtime} runtime
   * @param {number} id
   * @param {Origin} origin
   * @param {Link} link
   * @param {ModelFacts} facts
   */
  constructor(runtime, id, origin, link, facts) {
    this.runtime = runtime;
    this.id = id;
    this.#origin = origin;
    this.#link = link;
    this.facts = facts;
    Object.freeze(facts.spec);
    runtime.handles.add(this);
  }

  /**
   * @param {Runtime} runtime
   * @param {ModelSpec} spec
   * @param {TrainingData} data
   * @param {string} [cross]
   */
  static async create(runtime, spec, data, cross) {
    const given = /** @type {ModelSpec} */ (plain(spec, "spec"));
    if (typeof given !== "object" || given === null) throw invalidOption("spec", spec, "an object");
    // What is null is given, and Rust's to refuse.
    const { seed = runtime.seed } = given;
    return Handle.#make(runtime, { spec: { ...given, seed }, data, cross });
  }

  /**
   * @param {Runtime} runtime
   * @param {Uint8Array | ArrayBuffer | Blob} bytes
   * @param {TrainingData} [data]
   */
  static async load(runtime, bytes, data) {
    return Handle.#make(runtime, { data, snapshot: await ownBytes(bytes) });
  }

  /**
   * @param {Runtime} runtime
   * @param {Origin} origin
   */
  static async #make(runtime, origin) {
    if (runtime.disposed) throw disposed("engine");
    const uploads = uploadsOf(origin);
    const link = await runtime.connect();
    const id = runtime.nextModel();
    return new Handle(runtime, id, origin, link, await build(link, id, origin, uploads));
  }

  get step() {
    return this.facts.step;
  }

  set step(step) {
    this.facts.step = step;
  }

  /** @param {Link} link */
  livesIn(link) {
    return (
      this.#link === link && link.death === undefined && this.#end === undefined && !this.runtime.disposed
    );
  }

  /**
   * The link the model lives in. After a loss, it is first restored: from its last snapshot, else with the weights
   * it started from.
   *
   * @returns {Promise<Link>}
   */
  async home() {
    this.checkAlive();
    const link = await this.runtime.connect();
    if (this.#link !== link) {
      if (this.#restoring?.link !== link) {
        this.#restoring = { link, done: this.#restore(link).finally(() => (this.#restoring = undefined)) };
      }
      await this.#restoring.done;
    }
    // The call that waits for this was in flight already.
    if (this.#end !== undefined || this.runtime.disposed) throw aborted();
    return link;
  }

  checkAlive() {
    if (this.#end !== undefined) throw disposed("model");
    if (this.runtime.disposed) throw disposed("engine");
  }

  /**
   * @template {CommandName} N
   * @param {N} name
   * @param {Omit<Commands[N]["args"], "model">} args
   * @param {CallExtras} [extras]
   * @returns {Promise<Commands[N]["answer"]>}
   */
  async call(name, args, extras) {
    const link = await this.home();
    return link.call(name, /** @type {any} */ ({ model: this.id, ...args }), extras);
  }

  /** @param {Uint8Array<ArrayBuffer>} snapshot */
  keep(snapshot) {
    this.#origin = { ...this.#origin, snapshot };
  }

  /**
   * The model as a file. Between a loss and the next use of the model, that is its last snapshot.
   *
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  async save() {
    this.checkAlive();
    const { snapshot } = this.#origin;
    if (this.#link.death && snapshot) return copyInSlices(snapshot, macrotask);
    return this.call("save", {});
  }

  /** Idempotent. A call in flight ends with `aborted`. */
  dispose() {
    this.#end ??= this.#dispose();
    return this.#end;
  }

  async #dispose() {
    this.runtime.handles.delete(this);
    if (this.runtime.disposed) return;
    for (const link of new Set([this.#link, this.#restoring?.link])) {
      // A worker that ends in the meantime takes the model with it.
      await link?.drop(this.id).catch(() => {});
    }
  }

  /** @param {Link} link */
  async #restore(link) {
    const { step } = await build(link, this.id, this.#origin, uploadsOf(this.#origin));
    this.step = step;
    this.warm = false;
    this.#link = link;
  }
}

/**
 * @param {Link} link
 * @param {number} model
 * @param {Origin} origin
 * @param {CallExtras["uploads"]} uploads
 */
function build(link, model, origin, uploads) {
  const { spec, snapshot, cross } = origin;
  if (snapshot) return link.call("load", { model, cross }, { uploads });
  return link.call("create", { model, spec: /** @type {object} */ (spec), cross }, { uploads });
}

/**
 * @param {Origin} origin
 * @returns {CallExtras["uploads"]}
 */
function uploadsOf({ data, snapshot }) {
  if (!snapshot) return { data: dataUpload(/** @type {TrainingData} */ (data)) };
  const bytes = bytesUpload(snapshot);
  return data === undefined ? { bytes } : { bytes, data: dataUpload(data) };
}

/**
 * The file's bytes, no longer the caller's to change.
 *
 * @param {unknown} bytes
 */
async function ownBytes(bytes) {
  try {
    if (bytes instanceof Blob) return new Uint8Array(await bytes.arrayBuffer());
    const view = viewOf(bytes);
    if (view) return await copyInSlices(view, macrotask);
  } catch (error) {
    // Bytes that were handed over to a worker meanwhile, or a file that was moved since it was picked.
    throw invalidOption("bytes", bytes, `bytes that can be read (${wordsOf(error)})`);
  }
  throw invalidOption("bytes", bytes, "a Uint8Array, an ArrayBuffer or a Blob");
}
