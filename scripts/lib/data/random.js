// Seeded choice: the same on every machine. Mulberry32, over a hash (FNV-1a) of the seed's text.

export class Random {
  #state;

  /** @param {string} seed */
  constructor(seed) {
    let hash = 0x811c9dc5;
    for (const character of seed) hash = Math.imul(hash ^ /** @type {number} */ (character.codePointAt(0)), 0x01000193);
    this.#state = hash >>> 0;
  }

  /** From 0 to 1, 1 left out. */
  share() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to `end`, which is left out. @param {number} end */
  below(end) {
    return Math.floor(this.share() * end);
  }

  /** A whole number, both ends possible. @param {readonly [number, number]} range */
  within([first, last]) {
    return first + this.below(last - first + 1);
  }

  /** @param {number} share how often, from 0 to 1 */
  chance(share) {
    return this.share() < share;
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  pick(list) {
    return list[this.below(list.length)];
  }

  /** A copy in another order. @template T @param {readonly T[]} list @returns {T[]} */
  shuffled(list) {
    const copy = [...list];
    for (let last = copy.length - 1; last > 0; last -= 1) {
      const other = this.below(last + 1);
      [copy[last], copy[other]] = [copy[other], copy[last]];
    }
    return copy;
  }

  /** Different items, in any order. @template T @param {readonly T[]} list @param {number} count @returns {T[]} */
  sample(list, count) {
    return this.shuffled(list).slice(0, count);
  }
}
