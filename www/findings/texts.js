// What is said of experiments, in the language of the page.
import { labelOf } from "../kinds.js";
import "../messages/findings.js";
import { has, t } from "../messages/index.js";
import { wordsOf } from "./words.js";

export const words = wordsOf(t, has);

/** The name of an arm. @param {import("./contract.js").Experiment} experiment @param {string} arm */
export const armName = (experiment, arm) => words.arm(experiment, arm, labelOf);
