// A person's own text and rows, and the data of comparisons, kept in IndexedDB over a reload. Nothing leaves the machine.

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
      // Not at a request's error, which comes before the transaction knows of it.
      transaction.onabort = () => reject(transaction.error);
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

/** Characters and rows a record: copying one must not hold up the page. */
const TEXT_PIECE = 1 << 20;
const ROWS_PIECE = 2000;

/** Keys of a comparison's data begin so. @param {string} name */
const dataKey = (name) => `data:${name}:`;

/**
 * What a comparison is trained and tested on, whatever is chosen or pasted later.
 *
 * @typedef {{ text: string, training: unknown[], test: unknown[] }} RunData
 */

/**
 * Keeps the data of a comparison, all of it or none. Rejects where there is no storage, or no room.
 *
 * @param {string} name
 * @param {RunData} data
 */
export async function keepData(name, { text, training, test }) {
  /** @type {[string, unknown][]} */
  const pieces = [];
  for (let start = 0; start < text.length; start += TEXT_PIECE)
    pieces.push(["text", text.slice(start, start + TEXT_PIECE)]);
  for (const [part, rows] of Object.entries({ training, test })) {
    for (let start = 0; start < rows.length; start += ROWS_PIECE)
      pieces.push([part, rows.slice(start, start + ROWS_PIECE)]);
  }
  const last = dataKey(name);
  await transact("readwrite", (store) => {
    // One after the other, or all of them would be copied at once.
    const put = (/** @type {number} */ index) => {
      const [part, piece] = pieces[index];
      const key = `${last}${String(index).padStart(8, "0")}`;
      const request = store.put({ part, piece }, key);
      if (index + 1 < pieces.length) request.onsuccess = () => put(index + 1);
    };
    if (pieces.length > 0) put(0);
    return store.count();
  });
}

/** @param {string} name @returns {Promise<RunData | undefined>} */
export async function keptData(name) {
  /** @type {{ part: keyof RunData, piece: any }[]} */
  const pieces = await transact("readonly", (store) => store.getAll(rangeOf(dataKey(name))));
  if (pieces.length === 0) return undefined;
  const of = (/** @type {keyof RunData} */ wanted) => pieces.filter(({ part }) => part === wanted).map(({ piece }) => piece);
  return { text: of("text").join(""), training: of("training").flat(), test: of("test").flat() };
}

/** @param {string} name */
export async function forgetData(name) {
  await transact("readwrite", (store) => store.delete(rangeOf(dataKey(name))));
}

/** The names of all comparisons that have data here. @returns {Promise<string[]>} */
export async function namesOfData() {
  const keys = await transact("readonly", (store) => store.getAllKeys(rangeOf("data:")));
  return [...new Set(keys.map((key) => String(key).split(":")[1]))];
}

/** Every key with this beginning. @param {string} start */
function rangeOf(start) {
  return IDBKeyRange.bound(start, `${start}\uffff`);
}
