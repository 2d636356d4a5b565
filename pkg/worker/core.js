/**
 * The worker's loop: one queue over everything, because WebAssembly must never be entered twice.
 *
 * @module
 */

import { SynthError, aborted, asSynthError, isSynthError, pack, unpack } from "../errors.js";
import { commands } from "./commands.js";
import { Inbox } from "./inbox.js";

/** @import { CommandName, FromWorker, ToWorker } from "../protocol.js" */
/** @import { Context, Wasm } from "./commands.js" */

/**
 * What the core needs of the place it runs in; tests bring their own.
 *
 * @typedef {object} Surroundings
 * @property {(message: FromWorker, transfer: Transferable[]) => void} post
 * @property {Wasm["load"]} load
 * @property {() => Promise<void>} pause lets messages in
 * @property {() => number} now milliseconds
 * @property {Context["support"]} support
 * @property {Context["largestBuffer"]} [largestBuffer]
 */

/** Whether a call is to end early; asked between its steps. */
export class Cancel {
  requested = false;
  /** @type {(why: SynthError) => void} */
  #reject = () => {};
  /** Rejects when requested. @type {Promise<never>} */
  promise = new Promise((_, reject) => (this.#reject = reject));

  constructor() {
    this.promise.catch(() => {});
  }

  request() {
    this.requested = true;
    this.#reject(aborted());
  }

  /** Throws if requested. */
  check() {
    if (this.requested) throw aborted();
  }
}

/**
 * @typedef {object} Item
 * @property {number} id
 * @property {number | undefined} model
 * @property {Cancel} cancel
 * @property {Surroundings["post"]} post where the answer goes
 * @property {number[]} keys uploads it takes
 * @property {() => Promise<unknown>} run
 */

export class Core {
  #surroundings;
  /** @type {Context} */
  #context;
  #inbox = new Inbox();
  /** @type {Item[]} */
  #queue = [];
  /** @type {Item | undefined} */
  #running;
  #dead = false;
  /** @type {string | undefined} */
  #note;

  /** @param {Surroundings} surroundings */
  constructor(surroundings) {
    const { load, pause, now, support, largestBuffer } = surroundings;
    this.#surroundings = surroundings;
    this.#context = {
      load,
      pause,
      now,
      support,
      largestBuffer,
      serve: (port) => this.#serve(port),
      models: new Map(),
      copies: new Map(),
      crew: undefined,
      engine: undefined,
      wasm: undefined,
    };
  }

  /**
   * @param {ToWorker} message
   * @param {Surroundings["post"]} [from] where the answer goes, if not to the page
   */
  receive(message, from = this.#surroundings.post) {
    if (this.#dead) return;
    if (message.type === "call") this.#enqueue(this.#item(message, from));
    else if (message.type === "abort") this.#cancel(({ id, post }) => id === message.id && post === from);
    else if (message.type === "drop") this.#drop(message);
    else this.#inbox.receive(message);
  }

  /** @param {string} text what was last logged as an error: a panic says there what happened */
  note(text) {
    this.#note = text;
  }

  /**
   * The instance or its device is gone. Nothing in WebAssembly may be called again.
   *
   * @param {unknown} cause
   */
  die(cause) {
    if (this.#dead) return;
    this.#dead = true;
    this.#queue = [];
    const error = pack(crash(cause, this.#note, this.#context.engine !== undefined));
    this.#post({ type: "dead", error }, this.#surroundings.post);
  }

  /**
   * Another worker's calls come by a port of their own, into the same queue.
   *
   * @param {MessagePort} port
   */
  #serve(port) {
    /** @type {Surroundings["post"]} */
    const post = (message, transfer) => port.postMessage(message, transfer);
    port.onmessage = ({ data }) => this.receive(data, post);
  }

  /**
   * @param {ToWorker & { type: "call" }} call
   * @param {Surroundings["post"]} post
   */
  #item({ id, name, args, uploads }, post) {
    const cancel = new Cancel();
    const run = async () => {
      /** @type {Record<string, unknown>} */
      const arrived = {};
      for (const [field, key] of Object.entries(uploads)) {
        arrived[field] = await Promise.race([this.#inbox.whole(key), cancel.promise]);
      }
      cancel.check();
      const command = /** @type {(context: Context, args: any, cancel: Cancel) => Promise<unknown>} */ (
        commands[name]
      );
      const value = await command(this.#context, { ...args, ...arrived }, cancel);
      cancel.check();
      return value;
    };
    return {
      id,
      model: name === "create" || name === "load" ? undefined : args.model,
      cancel,
      post,
      keys: Object.values(uploads),
      run,
    };
  }

  /** @param {ToWorker & { type: "drop" }} message */
  #drop({ id, model }) {
    this.#cancel((item) => item.model === model);
    const run = async () => {
      const entry = this.#context.models.get(model);
      this.#context.models.delete(model);
      entry?.wasm.free();
      await this.#context.crew?.end(model);
      return null;
    };
    const { post } = this.#surroundings;
    // Before all others that wait: what it frees they may need.
    this.#queue.unshift({ id, model: undefined, cancel: new Cancel(), post, keys: [], run });
    void this.#drain();
  }

  /** @param {Item} item */
  #enqueue(item) {
    this.#queue.push(item);
    void this.#drain();
  }

  /** @param {(item: Item) => boolean} concerned */
  #cancel(concerned) {
    if (this.#running && concerned(this.#running)) this.#running.cancel.request();
    const ended = this.#queue.filter(concerned);
    this.#queue = this.#queue.filter((item) => !concerned(item));
    for (const item of ended) this.#finish(item, { type: "failed", id: item.id, error: pack(aborted()) });
  }

  async #drain() {
    if (this.#running) return;
    for (let item = this.#queue.shift(); item; item = this.#queue.shift()) {
      this.#running = item;
      this.#note = undefined;
      const outcome = await this.#perform(item);
      this.#running = undefined;
      if (this.#dead || !outcome) return;
      this.#finish(item, outcome);
    }
  }

  /**
   * @param {Item} item
   * @returns {Promise<FromWorker | undefined>} undefined if there can be no more answers
   */
  async #perform({ id, run }) {
    try {
      return { type: "done", id, value: await run() };
    } catch (error) {
      // What Rust says it says with a code. Anything else was thrown by an instance that is broken now.
      if (isSynthError(error) && error.code !== "device-lost")
        return { type: "failed", id, error: pack(error) };
      this.die(error);
      return undefined;
    }
  }

  /**
   * @param {Item} item
   * @param {FromWorker} outcome
   */
  #finish({ keys, post }, outcome) {
    for (const key of keys) this.#inbox.forget(key);
    this.#post(outcome, post);
  }

  /**
   * @param {FromWorker} message
   * @param {Surroundings["post"]} post
   */
  #post(message, post) {
    try {
      post(message, message.type === "done" ? buffers(message.value) : []);
    } catch (error) {
      if (!("error" in message)) throw error;
      // An error's details may hold what cannot cross. Its code and words can.
      post(
        { ...message, error: pack(unpack({ code: message.error.code, message: message.error.message })) },
        [],
      );
    }
  }
}

/**
 * @param {unknown} cause
 * @param {string | undefined} note the panic hook's words, if it was a panic
 * @param {boolean} started one that has not is not started anew
 */
function crash(cause, note, started) {
  const anew = "the next call starts it anew, from the last snapshots";
  const crashed = started ? `The engine crashed; ${anew}` : "The engine crashed";
  const error = asSynthError(cause, crashed);
  if (isSynthError(cause)) return error;
  const logged = note?.split(/\n+Stack:/)[0]?.trim();
  const details = logged === undefined ? undefined : { logged };
  // Rust panics with words, but ends without any when an allocation fails.
  const silent =
    cause instanceof WebAssembly.RuntimeError && /unreachable/i.test(cause.message) && logged === undefined;
  if (silent || error.code === "out-of-memory" || /capacity overflow|out of memory/i.test(logged ?? "")) {
    return new SynthError(
      "out-of-memory",
      `The engine ran out of memory: a smaller model, batch or length may fit${started ? `; ${anew}` : ""}.`,
      details,
    );
  }
  return logged === undefined ? error : new SynthError("internal", `${crashed}: ${logged}`, details);
}

/**
 * The buffers of an answer, to be handed over and not copied. One that is larger than the view on it is shared with
 * something else.
 *
 * @param {any} value
 * @returns {ArrayBuffer[]}
 */
function buffers(value) {
  if (typeof value !== "object" || value === null) return [];
  const found = new Set();
  for (const view of [value, ...Object.values(ArrayBuffer.isView(value) ? {} : value)].flat()) {
    if (
      ArrayBuffer.isView(view) &&
      view.buffer instanceof ArrayBuffer &&
      view.buffer.byteLength === view.byteLength
    ) {
      found.add(view.buffer);
    }
  }
  return [...found];
}
