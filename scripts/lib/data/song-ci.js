// Lyrics of the Song dynasty, in Chinese: the first thousand pieces of a collection, to about 1070.
//
// The npm package that has them takes 362 MB. Two of its files stand in chinese-poetry/ as they are there, checked by
// their sum: one of lyrics, and the licence.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { at } from "../paths.js";
import { Stop } from "../run.js";

/** @import { DataSet } from "./set.js" */

const FILE = "scripts/lib/data/chinese-poetry/ci.song.0.json";
const SUM = "7761bc5ef50305753ea3dcea9e1ef3164e153e3ee366169e9c5a9a7d85b21b22";
const TEST_SHARE = 0.1;
/** What stands for a character that is lost, and marks of editors. */
const DAMAGED = /[□ㄋ…《》]/;

/** The pieces: a line with the tune, the verses line by line, and a blank line. */
function pieces() {
  const bytes = readFileSync(at(FILE));
  if (createHash("sha256").update(bytes).digest("hex") !== SUM) throw new Stop(`${FILE} is not the file of the package chinese-poetry that the data set is made from.`);
  /** @type {{ rhythmic: string, paragraphs: string[] }[]} */
  const all = JSON.parse(bytes.toString("utf8"));
  const whole = all.map(({ rhythmic, paragraphs }) => [rhythmic, ...paragraphs].map((line) => line.trim()));
  return whole.filter((lines) => !DAMAGED.test(lines.join(""))).map((lines) => `${lines.join("\n")}\n\n`);
}

/** @type {DataSet} */
export const songCi = {
  name: "song-ci",
  label: "Lyrics of the Song dynasty, in Chinese",
  tasks: ["language-model"],
  licence: "MIT",
  source: "Liu Yong, Ouyang Xiu, Zhang Xian, Yan Shu and others, to about 1070; npm chinese-poetry",
  credit: `Lyrics of the Song dynasty, works in the public domain, as the npm package chinese-poetry 2.0.1 has them in its file
dist/songci/ci.song.0.json, under the licence below. Changed: pieces with lost characters were left out.`,
  licences: ["scripts/lib/data/chinese-poetry/LICENSE"],
  make() {
    const all = pieces();
    const cut = Math.floor(all.length * (1 - TEST_SHARE));
    return { training: all.slice(0, cut).join(""), test: all.slice(cut).join("") };
  },
};
