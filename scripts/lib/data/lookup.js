// Look up a cell by its row and its column: "ax8 b aw3 bx1 w bw5" is 5. A text is a small table, its cells in any order
// and each one word of row, column and value; a bare row and a bare column, at any places, ask for one of them.
//
// Either letter alone leaves two or three cells, all equally likely: unlike in recall, two tokens have to be matched and
// what they find be put together.

import { Random } from "./random.js";
import { OURS, puzzle } from "./set.js";

/** @import { DataSet } from "./set.js" */

export const options = {
  seed: "lookup",
  training: 12000,
  test: 600,
  rows: [..."abcde"],
  columns: [..."vwxyz"],
  values: [..."0123456789"],
  /** Rows and columns of a table, all as often; of four cells as often as of six. */
  sizes: /** @type {const} */ ([[2, 2], [2, 3], [2, 2], [3, 2]]),
};

/** @type {DataSet} */
export const lookup = {
  name: "lookup",
  label: "Look up a cell by row and column",
  tasks: ["classification"],
  ...OURS,
  fewWords: true,
  make() {
    const random = new Random(options.seed);
    // All words of a text hold a value but for what is asked for.
    return puzzle(random, options, (label) => example(random, label), ({ text }) => text.split(" ").length - 2);
  },
};

/**
 * @param {Random} random
 * @param {string} label
 */
function example(random, label) {
  const [height, width] = random.pick(options.sizes);
  const rows = random.sample(options.rows, height);
  const columns = random.sample(options.columns, width);
  const places = rows.flatMap((row) => columns.map((column) => row + column));
  const wrong = random.sample(options.values.filter((value) => value !== label), places.length - 1);
  // The first cell is asked for.
  const words = [label, ...wrong].map((value, index) => places[index] + value);
  return { text: random.shuffled([...words, rows[0], columns[0]]).join(" "), label };
}
