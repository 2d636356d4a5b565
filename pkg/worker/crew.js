/**
 * Several workers at one training step. The first owns the models; the others hold copies of those in training, which
 * are given their weights with each share and give its gradient back in the same buffer.
 *
 * @module
 */

import { unpack } from "../errors.js";

/** @import { CommandName, Commands, FromWorker, ToWorker } from "../protocol.js" */
/** @import { WebModel } from "./commands.js" */

/** @typedef {{ resolve: (value: any) => void, reject: (why: Error) => void }} Waiter */

/** Another worker, seen from the first. It answers in the order it was asked. */
class Peer {
  #port;
  /** @type {Map<number, Waiter>} */
  #waiting = new Map();
  #next = 0;

  /** @param {MessagePort} port */
  constructor(port) {
    this.#port = port;
    port.onmessage = ({ data }) => this.#receive(data);
  }

  /**
   * @template {CommandName} N
   * @param {N} name
   * @param {Commands[N]["args"]} args
   * @param {Transferable[]} [transfer]
   * @returns {Promise<Commands[N]["answer"]>}
   */
  call(name, args, transfer = []) {
    const id = (this.#next += 1);
    /** @type {ToWorker} */
    const message = { type: "call", id, name, args, uploads: {} };
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    // Whoever asks several looks at their answers one after the other.
    answer.catch(() => {});
    this.#port.postMessage(message, transfer);
    return answer;
  }

  /** @param {FromWorker} message */
  #receive(message) {
    // One that dies tells the page, which ends all workers.
    if (message.type !== "done" && message.type !== "failed") return;
    const waiter = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.type === "done") waiter?.resolve(message.value);
    else waiter?.reject(unpack(message.error));
  }
}

/** The other workers of an engine. */
export class Crew {
  /** @type {Peer[]} */
  #peers;
  /** Of each model in training: for each peer a buffer that goes to it and back. @type {Map<number, Float32Array<ArrayBuffer>[]>} */
  #flats = new Map();

  /** @param {MessagePort[]} ports one to each of the others */
  constructor(ports) {
    this.#peers = ports.map((port) => new Peer(port));
  }

  /**
   * Gives a copy of a model to each.
   *
   * @param {number} model
   * @param {WebModel} wasm
   */
  async begin(model, wasm) {
    const file = await wasm.save();
    const copies = this.#peers.map((peer, index) => {
      const bytes = index === 0 ? file : file.slice();
      return { peer, bytes };
    });
    await Promise.all(copies.map(({ peer, bytes }) => peer.call("copy", { model, bytes }, [bytes.buffer])));
    this.#flats.set(model, this.#peers.map(() => new Float32Array(wasm.flatLength())));
  }

  /**
   * One optimizer step, to which all contribute. What they compute is added up in their order, so that it rounds the
   * same every time.
   *
   * @param {number} model
   * @param {WebModel} wasm
   */
  async step(model, wasm) {
    const flats = /** @type {Float32Array<ArrayBuffer>[]} */ (this.#flats.get(model));
    const assignments = wasm.beginStep(1 + this.#peers.length);
    const busy = this.#peers.flatMap((peer, index) => {
      const assignment = assignments[index];
      return assignment === undefined ? [] : [{ peer, index, assignment, flat: /** @type {Float32Array<ArrayBuffer>} */ (flats[index]) }];
    });
    const [first, ...others] = busy;
    if (first) await wasm.flatWeights(first.flat);
    for (const { flat } of others) flat.set(/** @type {typeof busy[0]} */ (first).flat);
    const asked = busy.map(({ peer, index, assignment, flat }) => ({
      index,
      answer: peer.call("share", { model, assignment, flat }, [flat.buffer]),
    }));
    wasm.computeOwnShare();
    for (const { index, answer } of asked) {
      const { loss, flat } = await answer;
      flats[index] = flat;
      wasm.addShare(loss, flat);
    }
    wasm.finishStep();
  }

  /**
   * Frees the copies of a model, if there are any.
   *
   * @param {number} model
   */
  async end(model) {
    if (!this.#flats.delete(model)) return;
    await Promise.all(this.#peers.map((peer) => peer.call("forget", { model })));
  }
}
