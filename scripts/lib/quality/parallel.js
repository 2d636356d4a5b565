// So many things at a time.

/**
 * @template T
 * @param {number} count at a time
 * @param {T[]} items in the order in which they begin
 * @param {(item: T) => Promise<void>} work
 */
export async function inParallel(count, items, work) {
  const waiting = items[Symbol.iterator]();
  const lane = async () => {
    // All lanes take from one iterator.
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: count }, lane));
}
