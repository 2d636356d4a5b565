/**
 * Puts together what comes in parts.
 *
 * @module
 */

import { unpack } from "../errors.js";

/** @import { ToWorker, UploadShape } from "../protocol.js" */

/**
 * @typedef {object} Parcel
 * @property {any[]} parts
 * @property {boolean} complete
 * @property {Promise<unknown>} whole
 * @property {(value: unknown) => void} resolve
 * @property {(why: Error) => void} reject
 */

export class Inbox {
  /** @type {Map<number, Parcel>} */
  #parcels = new Map();
  /** Of calls that ended early: what still comes of them is thrown away. @type {Set<number>} */
  #unwanted = new Set();

  /** @param {ToWorker & { type: "part" | "whole" }} message */
  receive(message) {
    const { key } = message;
    if (this.#unwanted.has(key)) {
      if (message.type === "whole") this.#unwanted.delete(key);
      return;
    }
    const parcel = this.#parcel(key);
    if (message.type === "part") {
      parcel.parts.push(message.part);
    } else {
      parcel.complete = true;
      if ("error" in message) parcel.reject(unpack(message.error));
      else parcel.resolve(ASSEMBLE[message.shape](parcel.parts));
    }
  }

  /**
   * @param {number} key
   * @returns {Promise<unknown>}
   */
  whole(key) {
    return this.#parcel(key).whole;
  }

  /** @param {number} key of a call that has ended */
  forget(key) {
    if (!this.#parcels.get(key)?.complete) this.#unwanted.add(key);
    this.#parcels.delete(key);
  }

  /** @param {number} key */
  #parcel(key) {
    const known = this.#parcels.get(key);
    if (known) return known;
    /** @type {Parcel} */
    const parcel = { parts: [], complete: false, whole: Promise.resolve(), resolve() {}, reject() {} };
    parcel.whole = new Promise((resolve, reject) => Object.assign(parcel, { resolve, reject }));
    // Nobody may be waiting yet, or ever.
    parcel.whole.catch(() => {});
    this.#parcels.set(key, parcel);
    return parcel;
  }
}

/** @type {Record<UploadShape, (parts: any[]) => unknown>} */
const ASSEMBLE = {
  text: (parts) => ({ text: parts.join("") }),
  rows: (parts) => ({ rows: parts.flat() }),
  texts: (parts) => parts.flat(),
  bytes(parts) {
    const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    let offset = 0;
    for (const part of parts) {
      bytes.set(part, offset);
      offset += part.length;
    }
    return bytes;
  },
};
