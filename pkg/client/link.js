/**
 * One worker and the calls in flight. A link that died stays dead: the runtime makes a new one.
 *
 * @module
 */

import { SynthError, aborted, asSynthError, invalidData, isSynthError, pack, unpack, wordsOf } from "../errors.js";
import { macrotask } from "../macrotask.js";

/** @import { CommandName, Commands, FromWorker, Port, ToWorker, Uploads } from "../protocol.js" */
/** @import { Upload } from "./upload.js" */

/** @typedef {{ resolve: (value: any) => void, reject: (why: SynthError) => void }} Waiter */

/** @typedef {{ signal?: AbortSignal, uploads?: Partial<Record<keyof Uploads, Upload>>, transfer?: Transferable[] }} CallExtras */

export class Link {
  /** @type {Port} */
  #port;
  /** @type {Map<number, Waiter>} */
  #waiting = new Map();
  /** Counts calls and uploads. */
  #next = 0;
  /** Messages from before the worker listened. @type {Parameters<Port["post"]>[] | undefined} */
  #early = [];
  /** @type {((why: SynthError) => void)[]} */
  #mourners = [];
  /** @type {SynthError | undefined} */
  #death;
  /** @type {Link[]} */
  #companions = [];

  /** @param {Port} port */
  constructor(port) {
    this.#port = port;
    port.listen(
      (message) => this.#receive(message),
      (error) =>
        this.#die(asSynthError(error, this.#early ? "The worker did not start" : "The worker failed")),
    );
  }

  /** Why it is dead, if it is. */
  get death() {
    return this.#death;
  }

  /** @param {(why: SynthError) => void} mourner called once, if the worker or its device is lost */
  onDeath(mourner) {
    this.#mourners.push(mourner);
  }

  /** Links that live and end with this one. */
  get companions() {
    return this.#companions;
  }

  /**
   * From now on each ends when the other does.
   *
   * @param {Link} companion
   */
  join(companion) {
    this.#companions.push(companion);
    companion.onDeath((why) => this.#die(why));
    if (this.#death) void companion.close(this.#death);
  }

  /**
   * Puts a command at the end of the worker's queue, at once, and uploads what belongs to it after.
   *
   * @template {CommandName} N
   * @param {N} name
   * @param {Commands[N]["args"]} args
   * @param {CallExtras} [extras]
   * @returns {Promise<Commands[N]["answer"]>}
   */
  call(name, args, { signal, uploads = {}, transfer } = {}) {
    if (signal?.aborted) return Promise.reject(aborted(signal));
    const keys = Object.entries(uploads).map(([field, upload]) => ({
      field,
      upload,
      key: (this.#next += 1),
    }));
    const id = (this.#next += 1);
    const abort = () => this.#post({ type: "abort", id });
    signal?.addEventListener("abort", abort, { once: true });
    const answer = this.#expect(id, () =>
      this.#post(
        {
          type: "call",
          id,
          name,
          args,
          uploads: Object.fromEntries(keys.map(({ field, key }) => [field, key])),
        },
        transfer,
      ),
    );
    /** What was wrong with an upload: its details may hold what cannot cross. @type {SynthError | undefined} */
    let fault;
    for (const { key, upload } of keys) {
      void this.#stream(key, upload, () => this.#waiting.has(id)).catch((why) => (fault ??= why));
    }
    return answer
      .catch((error) => {
        if (fault && error.code === fault.code) throw fault;
        throw error.code === "aborted" && signal?.aborted ? aborted(signal) : error;
      })
      .finally(() => signal?.removeEventListener("abort", abort));
  }

  /**
   * Out of band: ends the calls on a model, then frees it.
   *
   * @param {number} model
   * @returns {Promise<void>}
   */
  drop(model) {
    const id = (this.#next += 1);
    return this.#expect(id, () => this.#post({ type: "drop", id, model }));
  }

  /**
   * Ends the worker and every call in flight.
   *
   * @param {SynthError} why
   */
  async close(why) {
    this.#mourners = [];
    this.#die(why);
    await Promise.all([this.#port.close(), ...this.#companions.map((companion) => companion.close(why))]);
  }

  /**
   * @param {number} id
   * @param {() => void} send
   * @returns {Promise<any>}
   */
  #expect(id, send) {
    if (this.#death) return Promise.reject(this.#death);
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#port.hold(true);
      this.#waiting.set(id, { resolve, reject });
      send();
    });
  }

  /**
   * Throws what it has told the worker: why the caller's data could not be read.
   *
   * @param {number} key
   * @param {Upload} upload
   * @param {() => boolean} wanted
   */
  async #stream(key, upload, wanted) {
    try {
      const { shape, slices } = "load" in upload ? await upload.load() : upload;
      let first = true;
      for (const { part, transfer } of slices()) {
        if (!first) await macrotask();
        first = false;
        if (!wanted()) break;
        this.#post({ type: "part", key, part }, transfer);
      }
      this.#post({ type: "whole", key, shape });
    } catch (error) {
      // Reading a caller's data runs a caller's code, if it has getters or is a proxy.
      const why = isSynthError(error) ? error : invalidData(`The data could not be read: ${wordsOf(error)}`);
      this.#post({ type: "whole", key, error: pack(new SynthError(why.code, why.message)) });
      throw why;
    }
  }

  /**
   * @param {ToWorker} message
   * @param {Transferable[]} [transfer]
   */
  #post(message, transfer) {
    if (this.#death) return;
    if (this.#early) this.#early.push([message, transfer]);
    else this.#send(message, transfer);
  }

  /**
   * A message that cannot be copied is the end of its call, and of no other.
   *
   * @param {ToWorker} message
   * @param {Transferable[]} [transfer]
   */
  #send(message, transfer) {
    try {
      this.#port.post(message, transfer);
    } catch (error) {
      if (!("id" in message)) throw error;
      const why = asSynthError(error, "The call could not be handed to the worker");
      this.#receive({ type: "failed", id: message.id, error: pack(why) });
    }
  }

  /** @param {FromWorker} message */
  #receive(message) {
    if (this.#death) return;
    if (message.type === "hello") {
      const early = this.#early ?? [];
      this.#early = undefined;
      for (const [first, transfer] of early) this.#send(first, transfer);
    } else if (message.type === "dead") {
      this.#die(unpack(message.error));
    } else {
      const waiter = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (this.#waiting.size === 0) this.#port.hold(false);
      if (message.type === "done") waiter?.resolve(message.value);
      else waiter?.reject(unpack(message.error));
    }
  }

  /** @param {SynthError} why */
  #die(why) {
    if (this.#death) return;
    this.#death = why;
    const waiters = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#early = [];
    for (const { reject } of waiters) reject(unpack(pack(why)));
    for (const mourner of this.#mourners) mourner(why);
    for (const companion of this.#companions) void companion.close(why);
    void this.#port.close();
  }
}
