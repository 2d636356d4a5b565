// Sentences of reviews, of products, films and restaurants: does the writer like it?

import { Random } from "./random.js";
import { stratified } from "./set.js";
import { readPackage } from "./sources.js";

/** @import { DataSet } from "./set.js" */

const SITES = ["amazon", "imdb", "yelp"];
const LABELS = ["negative", "positive"];
const TEST_SHARE = 0.2;
/** Characters of Windows-1252 that were read as Latin-1. @type {Record<string, string>} */
const MISREAD = { "\x85": "…", "\x96": "–", "\x97": "—" };

/** @type {DataSet} */
export const sentiment = {
  name: "sentiment",
  label: "Review sentences",
  tasks: ["classification"],
  licence: "CC-BY-4.0",
  source: "Kotzias et al. 2015, Sentiment Labelled Sentences, UCI Machine Learning Repository; npm sentiment",
  credit: `"Sentiment Labelled Sentences" by Dimitrios Kotzias, UCI Machine Learning Repository, 2015,
https://archive.ics.uci.edu/dataset/331/sentiment+labelled+sentences, under Creative Commons Attribution 4.0 International,
https://creativecommons.org/licenses/by/4.0/; made for Kotzias, Denil, de Freitas, Smyth: "From Group to Individual Labels
using Deep Features", KDD 2015; as the npm package sentiment (Copyright 2016 Andrew Sliwinski, MIT license) has it. Changed:
sentences that occur twice were left out once, blanks and misread characters put right, and a part set aside for tests.`,
  make() {
    const files = readPackage("sentiment", SITES.map((site) => `test/fixtures/${site}.json`));
    /** @type {Map<string, { site: string, label: string }>} */
    const rows = new Map();
    for (const [index, file] of files.entries()) {
      for (const { text, class: which } of JSON.parse(file)) {
        const label = LABELS[which];
        if (label === undefined) continue;
        const clean = text.replace(/[\x85\x96\x97]/g, (/** @type {string} */ one) => MISREAD[one]).replace(/\s+/g, " ").trim();
        rows.set(clean, { site: SITES[index], label });
      }
    }
    const all = [...rows].map(([text, { site, label }]) => ({ site, row: { text, label } }));
    const { training, test } = stratified(new Random("sentiment"), all, ({ site, row }) => `${site} ${row.label}`, TEST_SHARE);
    return { training: training.map(({ row }) => row), test: test.map(({ row }) => row) };
  },
};
