/**
 * How a page learns that a worker has ended: no browser tells when one was ended for want of memory, or ended itself.
 * A lock that the worker holds for as long as it lives becomes free then.
 *
 * @module
 */

/**
 * In the worker: takes a lock and never gives it back.
 *
 * @param {any} scope the worker's global object
 * @returns {Promise<string | undefined>} the lock's name, once it is held; undefined where there are no locks
 */
export function takePulse({ navigator, crypto }) {
  return new Promise((resolve) => {
    // Neither is there on pages that are not secure.
    if (!navigator?.locks || !crypto?.randomUUID) return resolve(undefined);
    const name = `synthattn worker ${crypto.randomUUID()}`;
    const held = () => {
      resolve(name);
      return new Promise(() => {});
    };
    // Pages without an origin may not have any.
    navigator.locks.request(name, held).catch(() => resolve(undefined));
  });
}

/**
 * In the page.
 *
 * @param {string} name of a lock that a worker holds
 * @param {() => void} onEnd
 * @returns {() => void} stops watching
 */
export function watchPulse(name, onEnd) {
  const watch = new AbortController();
  // Rejects when the watch ends, or the page does: nobody is to be told.
  navigator.locks.request(name, { signal: watch.signal }, onEnd).catch(() => {});
  return () => watch.abort();
}
