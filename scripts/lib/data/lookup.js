// Look up a thing by two words that only together say which: "red cup 3, red hat 5, blue cup 8; red hat?" is 5.

import { Random } from "./random.js";
import { OURS, distinct } from "./set.js";

/** @import { DataSet, Row } from "./set.js" */

export const options = {
  seed: "lookup",
  training: 8000,
  test: 600,
  /** Entries in a text; each shares one word or none with what is asked for, and two of them one word each. */
  entries: /** @type {const} */ ([3, 5]),
  first: "black blue brown green grey pink red white".split(" "),
  second: "bag bowl box coat cup hat lamp pen".split(" "),
  values: "one two three four five six seven eight".split(" "),
  filling: /** @type {const} */ ([0, 3]),
  fillers: ["and", "then", "also"],
  question: "what",
};

/** @type {DataSet} */
export const lookup = {
  name: "lookup",
  label: "Look up a pair of words",
  tasks: ["classification"],
  ...OURS,
  fewWords: true,
  make() {
    const random = new Random(options.seed);
    let made = 0;
    const parts = distinct(options, () => example(random, options.values[made++ % options.values.length]));
    return { training: random.shuffled(parts.training), test: random.shuffled(parts.test), ceiling: ceiling(parts.test) };
  },
};

/**
 * @param {Random} random
 * @param {string} label
 */
function example(random, label) {
  const { first, second, values, entries, filling, fillers, question } = options;
  const count = random.within(entries);
  const [a, ...otherFirst] = random.sample(first, 1 + count);
  const [b, ...otherSecond] = random.sample(second, 1 + count);
  // One with the same first word, one with the same second, and others with neither.
  const things = [`${a} ${b}`, `${a} ${otherSecond[0]}`, `${otherFirst[0]} ${b}`];
  while (things.length < count) things.push(`${otherFirst[things.length - 2]} ${otherSecond[things.length - 2]}`);
  const wrong = random.sample(values.filter((value) => value !== label), count - 1);
  const parts = [label, ...wrong].map((value, index) => `${things[index]} ${value}`);
  parts.push(`${question} ${a} ${b}`);
  for (let left = random.within(filling); left > 0; left -= 1) parts.push(random.pick(fillers));
  return { text: random.shuffled(parts).join(" "), label };
}

/** As for recall: all values of a text are as likely. @param {Row[]} rows */
function ceiling(rows) {
  const present = (/** @type {Row} */ { text }) => text.split(" ").filter((word) => options.values.includes(word)).length;
  return rows.reduce((sum, row) => sum + 1 / present(row), 0) / rows.length;
}
