// What a visitor leaves on this page: predictions, and what experiments gave in this browser. Where storage is switched
// off, both last until the page is left.

/** @import { Result } from "./contract.js" */

const PREFIX = "synthattn.findings.";

/** @type {Map<string, string>} */
const unstored = new Map();

/** @param {string} name @returns {string | undefined} */
function read(name) {
  try {
    return unstored.get(name) ?? localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return unstored.get(name);
  }
}

/** @param {string} name @param {string | undefined} value @returns {boolean} whether it outlives the page */
function write(name, value) {
  if (value === undefined) unstored.delete(name);
  else unstored.set(name, value);
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
    return true;
  } catch {
    return false; // switched off, or full
  }
}

/** What was expected of an experiment. @param {string} id */
export const predictionOf = (id) => read(`prediction.${id}`);

/** @param {string} id @param {string} prediction */
export const predict = (id, prediction) => write(`prediction.${id}`, prediction);

/** Whether results are hidden until something was expected. */
export const hidesFirst = () => read("hidden") === "true";

/** @param {boolean} hidden */
export const hideFirst = (hidden) => write("hidden", hidden ? "true" : undefined);

/** What an experiment gave in this browser; none that can't be read. @param {string} id @returns {Result | undefined} */
export function resultOf(id) {
  try {
    const result = JSON.parse(read(`result.${id}`) ?? "null");
    return result?.experiment === id && Array.isArray(result.runs) ? result : undefined;
  } catch {
    return undefined; // not what this page wrote
  }
}

/** @param {string} id @param {Result | undefined} result @returns {boolean} whether it outlives the page */
export const keepResult = (id, result) => write(`result.${id}`, result && JSON.stringify(result));
