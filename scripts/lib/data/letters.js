// Tasks on rows of letters. To copy, reverse or shift, each letter of the answer comes from a place that is always the
// same, and a fixed table of attention is enough; to sort, where to look depends on the letters.

import { Random } from "./random.js";
import { OURS, distinct } from "./set.js";

/** @import { DataSet } from "./set.js" */

const ALPHABET = "abcdefghijklmnopqrstuvwxyz";

/** `letters`: how many of the alphabet occur. `lengths`: from, to; one length alone makes a place from the end a fixed place. */
export const options = {
  copy: { training: 6000, test: 500, letters: 10, lengths: /** @type {const} */ ([3, 10]) },
  reverse: { training: 6000, test: 500, letters: 10, lengths: /** @type {const} */ ([8, 8]) },
  shift: { training: 6000, test: 500, letters: 10, lengths: /** @type {const} */ ([8, 8]), places: 3 },
  sort: { training: 8000, test: 500, letters: 26, lengths: /** @type {const} */ ([6, 10]) },
};

/**
 * @param {keyof typeof options} name
 * @param {string} label
 * @param {(letters: string[]) => string[]} answer
 * @returns {DataSet}
 */
function task(name, label, answer) {
  return {
    name,
    label,
    tasks: ["sequence-to-sequence"],
    ...OURS,
    make() {
      const random = new Random(name);
      const { letters, lengths } = options[name];
      return distinct(options[name], () => {
        const source = Array.from({ length: random.within(lengths) }, () => ALPHABET[random.below(letters)]);
        return { source: source.join(""), target: answer(source).join("") };
      });
    },
  };
}

export const copy = task("copy", "Copy letters", (letters) => letters);
export const reverse = task("reverse", "Reverse letters", (letters) => letters.toReversed());
/** What leaves at the front comes back at the end. */
export const shift = task("shift", "Shift letters", (letters) => [
  ...letters.slice(options.shift.places),
  ...letters.slice(0, options.shift.places),
]);
export const sort = task("sort", "Sort letters", (letters) => letters.toSorted());
