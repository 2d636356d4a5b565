// How far the y axis of the loss curves reaches.

/**
 * The share of losses inside the plot: the first steps fall from so high that they would flatten the rest.
 */
const SHOWN_SHARE = 0.94;
/** Nats a token shown before there is anything to show. */
const EMPTY = /** @type {[number, number]} */ ([1, 5]);
/** The top comes down only this far at once: an axis that follows every report is never read. */
const PATIENCE = 0.3;

export class LossScale {
  /** @type {number | undefined} */
  #top;

  /** The range for all losses shown now. @param {number[]} losses @returns {[number, number]} */
  range(losses) {
    const sorted = losses.filter(Number.isFinite).sort((a, b) => a - b);
    if (sorted.length === 0) {
      this.#top = undefined;
      return EMPTY;
    }
    const highest = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * SHOWN_SHARE))];
    const bottom = Math.max(0, Math.floor((sorted[0] - 0.05) * 10) / 10);
    const top = Math.max(bottom + 0.3, Math.ceil((highest + 0.05) * 5) / 5);
    if (this.#top === undefined || top > this.#top || this.#top - top > PATIENCE) this.#top = top;
    return [bottom, this.#top];
  }
}
