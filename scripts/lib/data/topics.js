// Definitions out of a dictionary, without the word they define: what are they about?

import { Random } from "./random.js";
import { WORDNET, nouns } from "./wordnet.js";

/** @import { DataSet, Row } from "./set.js" */

export const options = {
  seed: "topics",
  /** Rows of each class. */
  training: 700,
  test: 100,
  /** Words of a definition. */
  words: /** @type {const} */ ([4, 24]),
};

/** WordNet's lexicographer files: https://wordnet.princeton.edu/documentation/lexnames5wn @type {Record<string, string>} */
const TOPICS = {
  "05": "animal",
  "06": "artifact",
  "08": "body",
  13: "food",
  15: "place",
  18: "person",
  20: "plant",
  28: "time",
};

/** @type {DataSet} */
export const topics = {
  name: "topics",
  label: "Dictionary definitions",
  tasks: ["classification"],
  ...WORDNET,
  make() {
    const random = new Random(options.seed);
    /** @type {Map<string, Set<string>>} */
    const definitions = new Map(Object.keys(TOPICS).map((file) => [file, new Set()]));
    for (const { file, instance, definition } of nouns().values()) {
      const count = definition.split(" ").length;
      if (!instance && count >= options.words[0] && count <= options.words[1]) definitions.get(file)?.add(definition);
    }
    // A text under two topics has no right label.
    const often = new Map();
    for (const texts of definitions.values()) for (const text of texts) often.set(text, (often.get(text) ?? 0) + 1);
    /** @type {{ training: Row[], test: Row[] }} */
    const parts = { training: [], test: [] };
    for (const [file, texts] of definitions) {
      const rows = random.shuffled([...texts].filter((text) => often.get(text) === 1)).map((text) => ({ text, label: TOPICS[file] }));
      parts.test.push(...rows.slice(0, options.test));
      parts.training.push(...rows.slice(options.test, options.test + options.training));
    }
    return { training: random.shuffled(parts.training), test: random.shuffled(parts.test) };
  },
};
