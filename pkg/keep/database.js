/**
 * Kept work in IndexedDB: everything under one name is replaced in one transaction, or not at all.
 *
 * IndexedDB and not the origin private file system: it is in all browsers and in private windows of most, needs no
 * worker, and its transactions span several files, which no rename does.
 *
 * @module
 */

import { storageError, unavailable } from "./error.js";

/** @import { Facts } from "./header.js" */

/** What is known of a work without reading its models. */
const WORKS = "works";
/** The models' bytes, by `[name, key, slice]`. */
const SLICES = "slices";
/** Bytes a record: copying one must not hold up the page's thread. */
const SLICE = 1 << 21;

/** @typedef {Facts & { key: string, size: number }} StoredModel */
/** @typedef {{ name: string, savedAt: number, models: StoredModel[], note: unknown }} Work */
/** @typedef {{ [key: string]: Uint8Array<ArrayBuffer> }} Files */

/**
 * Replaces what is kept under the work's name.
 *
 * @param {string} database
 * @param {Work} work
 * @param {Files} files
 */
export async function write(database, work, files) {
  const needed = work.models.reduce((sum, { size }) => sum + size, 0);
  await transact(database, "readwrite", needed, async (works, slices) => {
    await done(slices.delete(slicesOf(work.name)));
    for (const { key, size } of work.models) {
      const file = /** @type {Uint8Array} */ (files[key]);
      for (let start = 0; start < size; start += SLICE) {
        // A copy: of a view, the whole buffer behind it would be stored.
        await done(slices.put(file.slice(start, start + SLICE), [work.name, key, start / SLICE]));
      }
    }
    await done(works.put(work));
  });
}

/**
 * @param {string} database
 * @param {string} name
 * @returns {Promise<{ work: Work, files: Files } | undefined>}
 */
export function read(database, name) {
  return transact(database, "readonly", 0, async (works, slices) => {
    /** @type {Work | undefined} */
    const work = await done(works.get(name));
    if (!work) return undefined;
    /** @type {Files} */
    const files = {};
    for (const { key, size } of work.models) {
      const file = new Uint8Array(size);
      for (let start = 0; start < size; start += SLICE) {
        file.set(await done(slices.get([name, key, start / SLICE])), start);
      }
      files[key] = file;
    }
    return { work, files };
  });
}

/**
 * @param {string} database
 * @returns {Promise<Work[]>}
 */
export function readAll(database) {
  return transact(database, "readonly", 0, (works) => done(works.getAll()));
}

/**
 * @param {string} database
 * @param {string} name
 */
export async function remove(database, name) {
  await transact(database, "readwrite", 0, async (works, slices) => {
    await done(slices.delete(slicesOf(name)));
    await done(works.delete(name));
  });
}

/** Every key that begins with the name: lists sort after all strings. @param {string} name */
function slicesOf(name) {
  return IDBKeyRange.bound([name], [name, []]);
}

/**
 * Opened anew each time: browsers close connections of pages that rest.
 *
 * @template T
 * @param {string} database
 * @param {IDBTransactionMode} mode
 * @param {number} needed bytes to be written
 * @param {(works: IDBObjectStore, slices: IDBObjectStore) => Promise<T>} act waits for nothing but requests
 * @returns {Promise<T>}
 */
async function transact(database, mode, needed, act) {
  /** @type {IDBDatabase | undefined} */
  let connection;
  try {
    connection = await open(database);
    const transaction = connection.transaction([WORKS, SLICES], mode, { durability: "strict" });
    const finished = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error ?? new Error("the browser broke it off"));
    });
    finished.catch(() => {}); // it is waited for below, unless a request fails before
    const value = await act(transaction.objectStore(WORKS), transaction.objectStore(SLICES)).catch((error) => {
      abort(transaction);
      throw transaction.error ?? error; // when there is no room, the request only says that it was broken off
    });
    await finished;
    return value;
  } catch (error) {
    throw await storageError(error, needed);
  } finally {
    connection?.close();
  }
}

/** A transaction whose request failed has been broken off already. @param {IDBTransaction} transaction */
function abort(transaction) {
  try {
    transaction.abort();
  } catch {
    // It has.
  }
}

/**
 * @param {string} database
 * @returns {Promise<IDBDatabase>}
 */
function open(database) {
  return new Promise((resolve, reject) => {
    // Where site data is blocked, asking for it may already throw.
    const factory = /** @type {IDBFactory | undefined} */ (globalThis.indexedDB);
    if (!factory) throw unavailable("this is no browser, or one that gives this page no IndexedDB");
    const request = factory.open(database, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(WORKS, { keyPath: "name" });
      request.result.createObjectStore(SLICES);
    };
    request.onsuccess = () => {
      // Whoever wants to delete the database need not wait for this page.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
