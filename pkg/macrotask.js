/**
 * Lets other events in: messages, input, painting.
 *
 * @module
 */

/** @type {(() => Promise<void>) | undefined} */
let pause;

/** Resolves in a later task, soon: a timer would be held back to 4 ms, and to a second in a hidden tab. */
export function macrotask() {
  pause ??= byImmediate() ?? byChannel();
  return pause();
}

/** Node's way; there an open channel would keep the process alive. */
function byImmediate() {
  const { process, setImmediate } = /** @type {any} */ (globalThis);
  if (process?.versions?.node === undefined || typeof setImmediate !== "function") return undefined;
  return () => /** @type {Promise<void>} */ (new Promise((resolve) => setImmediate(resolve)));
}

function byChannel() {
  const { port1, port2 } = new MessageChannel();
  /** @type {(() => void)[]} */
  const waiting = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        waiting.push(resolve);
        port2.postMessage(null);
      })
    );
}
