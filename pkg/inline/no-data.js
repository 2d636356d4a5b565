/**
 * Stands for data/index.js in the inline entries: all data sets would make them twice as large.
 *
 * @module
 */

export const builtins = {};
export const sets = {};
export const missing =
  "the inline entries come without data sets: pass rows or a text, or take builtinData from synthattn/core";
