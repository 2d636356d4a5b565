// The data that runs name: sets of the package, and files in the folder that SYNTHATTN_DATA names. Those are for
// measuring alone: nothing of them goes into the package, the page or a report.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Stop } from "../run.js";
import { agNews, aligned, coarselyLabelled, labelled, plainText, sick } from "./parse.js";

/** @typedef {import("synthattn").PlainData} PlainData */
/** @typedef {{ files: string[], parse: (...texts: string[]) => PlainData }} Part */
/** @typedef {{ task: import("synthattn").TaskName, training: Part, test: Part }} FileSet */
/** @typedef {{ task: import("synthattn").TaskName, training: PlainData, test: PlainData, ceiling?: number }} Loaded */

const BUILTIN = "builtin:";

/** @type {Record<string, FileSet>} */
const FILE_SETS = {
  tinyshakespeare: {
    task: "language-model",
    training: { files: ["tinyshakespeare/train.txt.gz"], parse: plainText },
    test: { files: ["tinyshakespeare/val.txt"], parse: plainText },
  },
  "rt-polarity": {
    task: "classification",
    training: { files: ["rt-polarity/train.tsv.gz"], parse: labelled },
    test: { files: ["rt-polarity/val.tsv"], parse: labelled },
  },
  trec: {
    task: "classification",
    training: { files: ["trec/train.tsv"], parse: coarselyLabelled },
    test: { files: ["trec/val.tsv"], parse: coarselyLabelled },
  },
  ag_news: {
    task: "classification",
    training: { files: ["ag_news/part-joined.tsv.gz"], parse: labelled },
    test: { files: ["ag_news/part-title-desc.csv.gz"], parse: agNews },
  },
  sick: {
    task: "pair-classification",
    training: { files: ["sick/train.tsv.gz"], parse: sick },
    test: { files: ["sick/val.tsv"], parse: sick },
  },
  "multi30k-en-de": {
    task: "sequence-to-sequence",
    training: { files: ["multi30k-en-de/train.en.gz", "multi30k-en-de/train.de.gz"], parse: aligned },
    test: { files: ["multi30k-en-de/val.en.gz", "multi30k-en-de/val.de.gz"], parse: aligned },
  },
};

/** Whether a set comes from files. @param {string} data */
export const needsFolder = (data) => !data.startsWith(BUILTIN);

/** Files that a set has and a folder lacks. @param {string} data @param {string} folder */
export function missingFiles(data, folder) {
  const { training, test } = fileSet(data);
  return [...training.files, ...test.files].filter((file) => !existsSync(join(folder, file)));
}

/**
 * @param {string} data
 * @param {string | undefined} folder for sets that come from files
 * @returns {Promise<Loaded>}
 */
export async function loadData(data, folder) {
  if (!needsFolder(data)) return loadBuiltin(data.slice(BUILTIN.length));
  if (!folder) throw new Stop(`${data} needs the folder that SYNTHATTN_DATA names.`);
  const { task, training, test } = fileSet(data);
  return { task, training: readPart(folder, training), test: readPart(folder, test) };
}

/** @param {string} data */
function fileSet(data) {
  const set = FILE_SETS[data];
  if (!set) throw new Stop(`There is no data set ${data}, only ${Object.keys(FILE_SETS).join(", ")} and ${BUILTIN}….`);
  return set;
}

/** @param {string} folder @param {Part} part */
function readPart(folder, { files, parse }) {
  const texts = files.map((file) => {
    const bytes = readFileSync(join(folder, file));
    return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  });
  try {
    return parse(...texts);
  } catch (why) {
    throw why instanceof Stop ? new Stop(`${files.join(", ")}: ${why.message}`) : why;
  }
}

/** @param {string} name */
async function loadBuiltin(name) {
  const { builtinData, tasks } = await import("synthattn");
  const { training, test } = await builtinData(name);
  const task = (await tasks()).find(({ builtins }) => builtins.some((set) => set.name === name));
  if (!task) throw new Stop(`No task has the built-in set ${name}.`);
  return { task: task.name, training, test, ceiling: task.builtins.find((set) => set.name === name)?.ceiling };
}
