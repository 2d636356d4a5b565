// Names of emoji, from English into a language that the text names: "de: red heart" becomes "rotes Herz".

import { Random } from "./random.js";
import { readPackage } from "./sources.js";

/** @import { DataSet, Row } from "./set.js" */

export const options = {
  seed: "emoji",
  languages: ["de", "es", "fr"],
  /** How many of the emoji that are others in another skin colour. */
  coloured: 500,
  /** Share of the emoji that are kept for the test, in all languages. */
  test: 0.08,
  /** Characters of a name, in any language. */
  longest: 48,
};

/** @type {DataSet} */
export const emoji = {
  name: "emoji",
  label: "Names of emoji",
  tasks: ["sequence-to-sequence"],
  licence: "MIT AND Unicode-3.0",
  source: "Unicode CLDR; npm emojibase-data",
  credit: `Names of emoji in several languages, from the Unicode Common Locale Data Repository, as the npm package emojibase-data
has them, under the two licences below.`,
  licences: ["node_modules/emojibase-data/LICENSE", "scripts/lib/data/unicode-3.0.txt"],
  make() {
    const random = new Random(options.seed);
    const files = readPackage("emojibase-data", ["en", "de", "es", "fr"].map((language) => `${language}/data.json`));
    const [english, ...others] = files.map((file) => names(JSON.parse(file)));
    const languages = ["de", "es", "fr"].map((language, index) => ({ language, names: others[index] }));
    const wanted = languages.filter(({ language }) => options.languages.includes(language));
    const fits = (/** @type {string} */ code) =>
      [english, ...wanted.map(({ names }) => names)].every((names) => (names.get(code)?.length ?? Infinity) <= options.longest);
    const codes = random.shuffled([...english.keys()].sort().filter(fits));
    const plain = codes.filter((code) => !COLOUR.test(code));
    const coloured = codes.filter((code) => COLOUR.test(code)).slice(0, options.coloured);
    const kept = random.shuffled([...plain, ...coloured]);
    const count = Math.round(kept.length * options.test);
    const rows = (/** @type {string[]} */ some) =>
      random.shuffled(
        some.flatMap((code) =>
          wanted.map(({ language, names }) => ({ source: `${language}: ${english.get(code)}`, target: names.get(code) ?? "" })),
        ),
      );
    return unambiguous(rows(kept.slice(count)), rows(kept.slice(0, count)));
  },
};

/** The code points of the five skin colours. */
const COLOUR = /1F3F[B-F]/;

/** @param {{ hexcode: string, label: string, group?: number, skins?: { hexcode: string, label: string }[] }[]} data */
function names(data) {
  /** @type {Map<string, string>} */
  const byCode = new Map();
  // Those without a group are parts of others: letters of flags, skin colours.
  for (const { group, hexcode, label, skins } of data) {
    if (group === undefined || group === 2) continue;
    for (const one of [{ hexcode, label }, ...(skins ?? [])]) byCode.set(one.hexcode, one.label.normalize("NFC").replace(/\s+/g, " ").trim());
  }
  return byCode;
}

/** Two emoji may have one name: no text twice, and none of the test in training. @param {Row[]} training @param {Row[]} test */
function unambiguous(training, test) {
  const once = (/** @type {Row[]} */ rows) => [...new Map(rows.map((row) => [row.source, row])).values()];
  const tested = new Set(test.map(({ source }) => source));
  return { training: once(training).filter(({ source }) => !tested.has(source)), test: once(test) };
}
