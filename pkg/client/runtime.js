/**
 * What an engine is made of: one link at a time, the models that live in it, and a new link when one is lost.
 *
 * @module
 */

import { aborted, disposed } from "../errors.js";
import { open } from "./device.js";

/** @import { DeviceInfo } from "../contract.js" */
/** @import { SynthError } from "../errors.js" */
/** @import { WasmSource } from "../protocol.js" */
/** @import { Host, Opened } from "./device.js" */
/** @import { Handle } from "./handle.js" */
/** @import { Link } from "./link.js" */

/** @typedef {{ device: "auto" | "webgpu" | "cpu", wasm: WasmSource, workers: number, seed: number }} Settings */

export class Runtime {
  /** Live models. @type {Set<Handle>} */
  handles = new Set();
  /** Resolves at the first loss. @type {Promise<SynthError>} */
  lost;
  /** @type {DeviceInfo} */
  device;
  /** @type {number} */
  seed;

  /** @type {Host} */
  #host;
  /** @type {Settings} */
  #settings;
  /** @type {(why: SynthError) => void} */
  #lose = () => {};
  /** @type {Promise<Link> | undefined} */
  #link;
  /** The live link, once there is one. @type {Link | undefined} */
  #live;
  /** @type {Promise<void> | undefined} */
  #end;
  #models = 0;

  /**
   * @param {Host} host
   * @param {Settings} settings
   * @param {Opened} opened
   */
  constructor(host, settings, opened) {
    this.#host = host;
    this.#settings = settings;
    this.seed = settings.seed;
    this.lost = new Promise((resolve) => (this.#lose = resolve));
    this.device = opened.device;
    this.#link = Promise.resolve(this.#adopt(opened));
  }

  /**
   * @param {Host} host
   * @param {Settings} settings
   */
  static async start(host, settings) {
    const { device, wasm, workers } = settings;
    return new Runtime(host, settings, await open(host, device, wasm, workers));
  }

  get disposed() {
    return this.#end !== undefined;
  }

  /** A number for a new model. */
  nextModel() {
    return (this.#models += 1);
  }

  /**
   * The link to call through: the one there is, or a new one after a loss. Callers that wait for it go on in the
   * order they came.
   *
   * @returns {Promise<Link>}
   */
  connect() {
    if (this.disposed) return Promise.reject(disposed("engine"));
    this.#link ??= this.#restart();
    return this.#link;
  }

  /** Frees everything; idempotent. */
  dispose() {
    this.#end ??= this.#dispose();
    return this.#end;
  }

  async #dispose() {
    const starting = this.#live ? undefined : this.#link;
    await this.#live?.close(aborted());
    this.handles.clear();
    // A worker on its way up closes itself when it finds the engine gone.
    await starting?.catch(() => {});
  }

  async #restart() {
    try {
      const { device, wasm, workers } = this.#settings;
      const opened = await open(this.#host, device, wasm, workers);
      if (this.disposed) {
        await opened.link.close(aborted());
        throw aborted();
      }
      this.device = opened.device;
      return this.#adopt(opened);
    } catch (error) {
      // The next call tries again.
      this.#link = undefined;
      throw error;
    }
  }

  /** @param {Opened} opened */
  #adopt({ link, module }) {
    // Compiled once: a second worker starts from the module, with nothing to fetch.
    this.#settings = { ...this.#settings, wasm: { module } };
    this.#live = link;
    link.onDeath((why) => {
      this.#live = undefined;
      this.#link = undefined;
      this.#lose(why);
    });
    return link;
  }
}
