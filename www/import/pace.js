// Long work in short turns, so that the page goes on answering: a few milliseconds of work, then a pause.

/** Milliseconds of work before a pause. A turn may overrun it by one slice of work, which has a few milliseconds. */
const TURN = 8;

export class Pace {
  #turnEnds;
  #now;
  #pause;
  #signal;
  #progress;

  /**
   * @param {object} [options]
   * @param {AbortSignal} [options.signal] ends the work at the next pause, with the signal's reason
   * @param {(share: number) => void} [options.progress] told at pauses how much of the work at hand is done
   * @param {() => number} [options.now]
   * @param {() => Promise<unknown>} [options.pause]
   */
  constructor({ signal, progress, now = () => performance.now(), pause = nextTask } = {}) {
    this.#signal = signal;
    this.#progress = progress;
    this.#now = now;
    this.#pause = pause;
    this.#turnEnds = now() + TURN;
  }

  /** Whether it is time for a pause: for loops too tight to wait in each round. */
  get due() {
    return this.#now() >= this.#turnEnds;
  }

  /** To be awaited between slices of work. Pauses if one is due. @param {number} share of the work done, 0 to 1 */
  async breathe(share) {
    if (!this.due) return;
    this.#progress?.(share);
    await this.#pause();
    this.#signal?.throwIfAborted();
    this.#turnEnds = this.#now() + TURN;
  }
}

/** @type {(() => Promise<unknown>) | undefined} */
let next;

/** Resolves in a later task, soon: a timer would be held back to 4 ms, and to a second in a hidden tab. */
function nextTask() {
  next ??= bySetImmediate() ?? byChannel();
  return next();
}

/** Node's way; there an open channel would keep the process alive. */
function bySetImmediate() {
  const { setImmediate } = /** @type {any} */ (globalThis);
  return typeof setImmediate === "function" ? () => new Promise((done) => setImmediate(done)) : undefined;
}

function byChannel() {
  const { port1, port2 } = new MessageChannel();
  /** @type {((value?: unknown) => void)[]} */
  const waiting = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((done) => {
      waiting.push(done);
      port2.postMessage(null);
    });
}
