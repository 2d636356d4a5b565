// A person's own text and rows, kept in IndexedDB over a reload. Nothing leaves the machine.

/** @typedef {{ name: string, text: string, encoding: string }} OwnText */

const DATABASE = "synthattn";
const STORE = "kept";
const KEY = "own-text";

/** @returns {Promise<IDBDatabase>} */
function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
}

/**
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} act
 * @returns {Promise<T>}
 */
async function transact(mode, act) {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = act(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
      transaction.onerror = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

/**
 * Keeps the text. Resolves to whether it will be there after a reload: private windows may refuse.
 *
 * @param {OwnText} own
 */
export async function keepText(own) {
  try {
    await transact("readwrite", (store) => store.put(own, KEY));
    return true;
  } catch {
    return false;
  }
}

/** @returns {Promise<OwnText | undefined>} */
export async function keptText() {
  try {
    return await transact("readonly", (store) => store.get(KEY));
  } catch {
    return undefined; // no storage, so nothing was kept; keepText() said so at the time
  }
}

/**
 * Keeps rows as they were given, under the name of their fields; undefined forgets them. Resolves as `keepText` does.
 *
 * @param {string} fields
 * @param {unknown} own
 */
export async function keepRows(fields, own) {
  try {
    const key = `own-rows:${fields}`;
    if (own === undefined) await transact("readwrite", (store) => store.delete(key));
    else await transact("readwrite", (store) => store.put(own, key));
    return true;
  } catch {
    return false;
  }
}

/** @param {string} fields @returns {Promise<any>} */
export async function keptRows(fields) {
  try {
    return await transact("readonly", (store) => store.get(`own-rows:${fields}`));
  } catch {
    return undefined;
  }
}
