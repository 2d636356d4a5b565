// What keeping needs of a browser: IndexedDB, Web Locks, a document that can be hidden.

import * as fake from "fake-indexeddb";

/** Locks as browsers have them: one holder a name, the others wait in order, those whose signal aborts give up. */
class FakeLocks {
  /** @type {Map<string, { turn: () => void, held: boolean }[]>} */
  #held = new Map();

  /**
   * @param {string} name
   * @param {{ signal?: AbortSignal }} options
   * @param {(lock: { name: string }) => Promise<unknown>} granted
   */
  request(name, { signal }, granted) {
    return new Promise((resolve, reject) => {
      const queue = this.#held.get(name) ?? [];
      this.#held.set(name, queue);
      const turn = async () => {
        entry.held = true;
        try {
          resolve(await granted({ name }));
        } finally {
          queue.shift();
          queue[0]?.turn();
        }
      };
      const entry = { turn, held: false };
      queue.push(entry);
      signal?.addEventListener("abort", () => {
        if (entry.held) return;
        queue.splice(queue.indexOf(entry), 1);
        reject(signal.reason);
      });
      if (queue[0] === entry) turn();
    });
  }

  async query() {
    return { held: [...this.#held].filter(([, queue]) => queue[0]?.held).map(([name]) => ({ name })) };
  }
}

class FakeDocument extends EventTarget {
  visibilityState = "visible";

  hide() {
    this.visibilityState = "hidden";
    this.dispatchEvent(new Event("visibilitychange"));
    this.visibilityState = "visible";
  }
}

/**
 * Makes this process a browser with empty storage, until the test ends.
 *
 * @param {import("node:test").TestContext} t
 * @param {{ [name: string]: PropertyDescriptor }} [other] globals that differ
 */
export function becomeBrowser(t, other = {}) {
  const document = new FakeDocument();
  const globals = {
    indexedDB: new fake.IDBFactory(),
    IDBKeyRange: fake.IDBKeyRange,
    navigator: { locks: new FakeLocks() },
    document,
  };
  const descriptors = { ...Object.getOwnPropertyDescriptors(globals), ...other };
  for (const [name, descriptor] of Object.entries(descriptors)) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { ...descriptor, configurable: true });
    t.after(() => {
      if (before) Object.defineProperty(globalThis, name, before);
      else Reflect.deleteProperty(globalThis, name);
    });
  }
  return { document };
}
