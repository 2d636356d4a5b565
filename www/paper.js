// Numbers to hold beside ours, as published. Data alone.

/**
 * @typedef {object} Published
 * @property {string} measure names the message that presents it
 * @property {number} value
 * @property {number} reference the same for the plain Transformer
 * @property {number} change how much more or less loss or speed than the Transformer, as a share
 */

/**
 * @param {string} measure
 * @param {number} value
 * @param {number} reference
 * @param {(value: number) => number} [toLoss]
 * @returns {Published}
 */
const loss = (measure, value, reference, toLoss = (one) => one) => ({
  measure,
  value,
  reference,
  change: toLoss(value) / toLoss(reference) - 1,
});

/**
 * @param {string} measure
 * @param {number} value
 * @param {number} reference
 * @returns {Published}
 */
const speed = (measure, value, reference) => ({ measure, value, reference, change: value / reference - 1 });

/**
 * Language modelling: Tay et al. 2021, LM1B perplexity and C4 log perplexity; Narang et al. 2021 for what they re-ran.
 *
 * @type {Record<string, Published>}
 */
export const QUALITY = {
  random: loss("lm1b", 40.6, 38.21, Math.log),
  dense: loss("lm1b", 40.88, 38.21, Math.log),
  "dense+vanilla": loss("lm1b", 37.27, 38.21, Math.log),
  "random+vanilla": loss("c4", 1.849, 1.865),
  "factorized-random": loss("narang", 1.968, 1.838),
};

/** Training steps per second on C4. @type {Record<string, Published>} */
export const SPEED = {
  random: speed("c4Speed", 4.26, 3.9),
  "random+vanilla": speed("c4Speed", 3.79, 3.9),
  dense: speed("narangSpeed", 3.47, 3.5),
  "factorized-random": speed("narangSpeed", 3.94, 3.5),
};
