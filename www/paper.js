// Papers: where they are, and numbers to hold beside ours, as published. Data alone.

/** The papers that the table of kinds names as sources. @type {Record<string, string>} */
const ADDRESSES = {
  "Vaswani et al. 2017": "https://arxiv.org/abs/1706.03762",
  "Wu et al. 2019": "https://arxiv.org/abs/1901.10430",
  "Tay et al. 2021": "https://arxiv.org/abs/2005.00743",
  "Wang et al. 2020": "https://arxiv.org/abs/2006.04768",
  "Tolstikhin et al. 2021": "https://arxiv.org/abs/2105.01601",
  "Lee-Thorp et al. 2021": "https://arxiv.org/abs/2105.03824",
  "Zhai et al. 2021": "https://arxiv.org/abs/2105.14103",
};

/** Where the paper is that a kind's source names. @param {string} source as in the table of kinds */
export function addressOf(source) {
  return ADDRESSES[source.split(",")[0]];
}

/**
 * @typedef {object} Published
 * @property {string} measure names the message that presents it
 * @property {number} value
 * @property {number} reference the same for the plain Transformer
 * @property {number} change more or less of it than the Transformer, as a share; of the logarithm for perplexity
 * @property {1 | -1} better whether more or less of it is better
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
  better: -1,
});

/**
 * More of it is better: speeds and BLEU.
 *
 * @param {string} measure
 * @param {number} value
 * @param {number} reference
 * @returns {Published}
 */
const gain = (measure, value, reference) => ({
  measure,
  value,
  reference,
  change: value / reference - 1,
  better: 1,
});

/**
 * Quality by task and kind. Tay et al. 2021: LM1B perplexity, C4 log perplexity, WMT'14 English to German BLEU. Narang
 * et al. 2021 for what they re-ran.
 *
 * @type {Record<string, Record<string, Published>>}
 */
export const QUALITY = {
  "language-model": {
    random: loss("lm1b", 40.6, 38.21, Math.log),
    dense: loss("lm1b", 40.88, 38.21, Math.log),
    "dense+vanilla": loss("lm1b", 37.27, 38.21, Math.log),
    "random+vanilla": loss("c4", 1.849, 1.865),
    "factorized-random": loss("narang", 1.968, 1.838),
  },
  "masked-language-model": {
    random: loss("c4", 1.972, 1.865),
    "random+vanilla": loss("c4", 1.849, 1.865),
    "factorized-random": loss("narang", 1.968, 1.838),
  },
  "sequence-to-sequence": {
    random: gain("wmt", 27.27, 27.67),
    "fixed-random": gain("wmt", 23.89, 27.67),
    "random+vanilla": gain("wmt", 28.47, 27.67),
    "dense+vanilla": gain("wmt", 27.57, 27.67),
  },
};

/** Training steps per second on C4. @type {Record<string, Published>} */
export const SPEED = {
  random: gain("c4Speed", 4.26, 3.9),
  "random+vanilla": gain("c4Speed", 3.79, 3.9),
  dense: gain("narangSpeed", 3.47, 3.5),
  "factorized-random": gain("narangSpeed", 3.94, 3.5),
};
