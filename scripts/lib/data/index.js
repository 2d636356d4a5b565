// All built-in data sets, in the order of menus.

import { dates } from "./dates.js";
import { emoji } from "./emoji.js";
import { entailment } from "./entailment.js";
import { firstNames } from "./first-names.js";
import { copy, reverse, shift, sort } from "./letters.js";
import { lookup } from "./lookup.js";
import { mobyDick } from "./moby-dick.js";
import { numbers } from "./numbers.js";
import { recall } from "./recall.js";
import { sentiment } from "./sentiment.js";
import { songCi } from "./song-ci.js";
import { topics } from "./topics.js";

/** @import { DataSet } from "./set.js" */

/** @type {DataSet[]} */
export const dataSets = [
  mobyDick, songCi, firstNames, sentiment, topics, recall, lookup, entailment, copy, reverse, shift, sort, numbers, dates, emoji,
];
