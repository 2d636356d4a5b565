// Files of the evaluation data as rows for the package. A fault is told by the number of its row, never by its text.

import Papa from "papaparse";
import { Stop } from "../run.js";

/** @param {string} text */
const lines = (text) => text.replace(/\n$/, "").split("\n");

/** @param {string} line @param {number} index @param {number} columns */
function fields(line, index, columns) {
  const values = line.split("\t");
  if (values.length !== columns) throw new Stop(`Row ${index + 1} has ${values.length} fields, not ${columns}.`);
  return values;
}

/** @param {string} text */
export const plainText = (text) => ({ text });

/** `label<TAB>text`, without quoting. @param {string} text */
export function labelled(text) {
  const rows = lines(text).map((line, index) => {
    const [label, words] = fields(line, index, 2);
    return { text: words, label };
  });
  return { rows };
}

/** `COARSE:fine<TAB>question`: the coarse class. @param {string} text */
export function coarselyLabelled(text) {
  return { rows: labelled(text).rows.map(({ text, label }) => ({ text, label: label.split(":")[0] })) };
}

/** SICK: a header names the columns. @param {string} text */
export function sick(text) {
  const [head, ...body] = lines(text);
  const names = head.split("\t");
  const [first, second, label] = ["sentence_A", "sentence_B", "label"].map((name) => {
    if (!names.includes(name)) throw new Stop(`There is no column ${name}.`);
    return names.indexOf(name);
  });
  const rows = body.map((line, index) => {
    const values = fields(line, index + 1, names.length);
    return { text: values[first], second: values[second], label: values[label] };
  });
  return { rows };
}

/** AG News as CSV: class, title, description, all quoted, `""` for a quote. @param {string} text */
export function agNews(text) {
  const { data, errors } = Papa.parse(text, { header: false, delimiter: ",", quoteChar: '"', newline: "\n", skipEmptyLines: true });
  if (errors.length) throw new Stop(`Row ${(errors[0].row ?? 0) + 1}: ${errors[0].code}.`);
  const rows = /** @type {string[][]} */ (data).map((values, index) => {
    if (values.length !== 3) throw new Stop(`Row ${index + 1} has ${values.length} fields, not 3.`);
    const [label, title, description] = values;
    return { text: `${title} ${description}`, label };
  });
  return { rows };
}

/** Two texts, aligned by lines. @param {string} sources @param {string} targets */
export function aligned(sources, targets) {
  const [from, to] = [lines(sources), lines(targets)];
  if (from.length !== to.length) throw new Stop(`${from.length} lines against ${to.length}.`);
  return { rows: from.map((source, index) => ({ source, target: to[index] })) };
}
