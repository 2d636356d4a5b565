// Associative recall: pairs of a key and a value in any order, and one key that is asked for. Where pairs and question
// stand changes from text to text, so that no fixed pattern finds the answer.

import { Random } from "./random.js";
import { OURS, distinct } from "./set.js";

/** @import { DataSet, Row } from "./set.js" */

export const options = {
  seed: "recall",
  training: 8000,
  test: 600,
  /** Pairs in a text. */
  pairs: /** @type {const} */ ([4, 6]),
  /** Words of filling in a text, anywhere between the pairs. */
  filling: /** @type {const} */ ([0, 4]),
  keys: "ant bat bee cat cow crab crow deer dog duck eel elk fly fox frog goat goose hare hen horse lion mole moth mouse owl pig rat seal sheep swan toad wolf".split(" "),
  values: "black blue brown green grey pink purple red white yellow".split(" "),
  fillers: ["and", "then", "also", "look"],
  question: "which",
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
    let made = 0;
    const parts = distinct(options, () => {
      // In turn, so that every value is right equally often.
      const label = options.values[made++ % options.values.length];
      return example(random, label);
    });
    return { training: random.shuffled(parts.training), test: random.shuffled(parts.test), ceiling: ceiling(parts.test) };
  },
};

/**
 * @param {Random} random
 * @param {string} label
 */
function example(random, label) {
  const { keys, values, pairs, filling, fillers, question } = options;
  const count = random.within(pairs);
  const some = random.sample(keys, count);
  const wrong = random.sample(values.filter((value) => value !== label), count - 1);
  const parts = [label, ...wrong].map((value, index) => `${some[index]} ${value}`);
  parts.push(`${question} ${some[0]}`);
  for (let left = random.within(filling); left > 0; left -= 1) parts.push(random.pick(fillers));
  return { text: random.shuffled(parts).join(" "), label };
}

/**
 * What a reader can score who sees which words there are and not what belongs to what: all values of a text are as
 * likely.
 *
 * @param {Row[]} rows
 */
function ceiling(rows) {
  const present = (/** @type {Row} */ { text }) => text.split(" ").filter((word) => options.values.includes(word)).length;
  return rows.reduce((sum, row) => sum + 1 / present(row), 0) / rows.length;
}
