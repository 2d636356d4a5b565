// Associative recall: "b7 k a9 k2" is 2. Items of a key and a value, and the bare key of one of them at any place.
//
// An item is one word, so that one look at another token finds the answer; which tokens belong together changes from
// text to text, so that no fixed pattern does. Of associative recall: Arora et al., "Zoology",
// https://arxiv.org/abs/2312.04927

import { Random } from "./random.js";
import { OURS, puzzle } from "./set.js";

/** @import { DataSet } from "./set.js" */

export const options = {
  seed: "recall",
  training: 12000,
  test: 600,
  /** Items in a text. */
  items: /** @type {const} */ ([3, 6]),
  keys: [..."abcdefghijklmnopqrstuvwxyz"],
  values: [..."0123456789"],
};

/** @type {DataSet} */
export const recall = {
  name: "recall",
  label: "Recall a value by its key",
  tasks: ["classification"],
  ...OURS,
  fewWords: true,
  make() {
    const random = new Random(options.seed);
    // All words of a text hold a value but for what is asked for.
    return puzzle(random, options, (label) => example(random, label), ({ text }) => text.split(" ").length - 1);
  },
};

/**
 * @param {Random} random
 * @param {string} label
 */
function example(random, label) {
  const { keys, values, items } = options;
  const count = random.within(items);
  const some = random.sample(keys, count);
  const wrong = random.sample(values.filter((value) => value !== label), count - 1);
  const words = [label, ...wrong].map((value, index) => `${some[index]}${value}`);
  return { text: random.shuffled([...words, some[0]]).join(" "), label };
}
