// The page's one engine, made when an experiment first needs it, and whether it is at work.
import { Engine } from "synthattn";

/** @typedef {import("../lab.js").Place} Place */
/** @typedef {import("synthattn").SynthError} SynthError */

/** Tells listeners of "engine", of "phase" when work begins or ends, and of "lost" with the error while there is none. */
export class Workbench extends EventTarget {
  /** @type {Engine | undefined} */
  engine;
  /** Why there is no engine, where one could not be made. @type {unknown} */
  failure;
  /** What is running, by its name. @type {string | undefined} */
  running;
  /** @type {Promise<Engine> | undefined} */
  #starting;
  /** @type {string | undefined} */
  #device;

  get busy() {
    return this.running !== undefined;
  }

  /** The engine on the device asked for, started if it must be. @param {Pick<Place, "device">} place @returns {Promise<Engine>} */
  start({ device }) {
    if (this.#starting && device === this.#device) return this.#starting;
    const before = this.#starting;
    this.#device = device;
    const starting = this.#switch(before, device);
    this.#starting = starting;
    starting.catch((error) => {
      if (this.#starting !== starting) return;
      this.#starting = undefined;
      this.failure = error;
    });
    return starting;
  }

  /** @param {Promise<Engine> | undefined} before @param {string} device */
  async #switch(before, device) {
    await (await before?.catch(() => undefined))?.dispose();
    this.engine = undefined;
    const engine = await Engine.create({ device: /** @type {"auto" | "webgpu" | "cpu"} */ (device) });
    this.engine = engine;
    this.failure = undefined;
    // The engine itself goes on in a new worker. An experiment that runs ends with the same error and says so.
    void engine.lost.then((detail) => {
      if (engine === this.engine && !this.busy) this.dispatchEvent(new CustomEvent("lost", { detail }));
    });
    this.dispatchEvent(new Event("engine"));
    return engine;
  }

  /**
   * Has the engine to itself for as long as something takes.
   *
   * @param {string} name
   * @param {() => Promise<void>} body
   */
  async work(name, body) {
    this.running = name;
    this.dispatchEvent(new Event("phase"));
    try {
      await body();
    } finally {
      this.running = undefined;
      this.dispatchEvent(new Event("phase"));
    }
  }
}
