// What each part and mixer has in weights and multiply-adds, as formulas of sizes. tests/node/kinds.test.js holds the
// weights to those that the engine counts, and the multiply-adds to those counted in a reference in plain JavaScript.
import { added, evaluate, lettersOf } from "./formula.js";

/** @typedef {import("synthattn").KindInfo} KindInfo */

/**
 * What a part costs in one layer.
 *
 * @typedef {object} Cost
 * @property {string} weights all of them, frozen ones included
 * @property {string} products multiply-adds of a forward pass over one text of n tokens; empty if there are none
 * @property {string} [window] how many neighbouring tokens an output takes from; of all that it may see if there is none
 * @property {boolean} [frozen] whether some of the weights are drawn once and never trained
 */

/** Around scores: values and the output, linear maps with biases, and the sum of values. */
const FRAME = { weights: "2d(d + 1)", products: "2nd² + n²d" };

/** Scores, by the part of the kind's name. @type {Record<string, Cost>} */
const SCORES = {
  vanilla: { weights: "2d(d + 1)", products: "2nd² + n²d" },
  random: { weights: "hn²", products: "" },
  "fixed-random": { weights: "hn²", products: "", frozen: true },
  "factorized-random": { weights: "2hnk", products: "hn²k" },
  dense: { weights: "hm(d + 1) + hn(m + 1)", products: "hmnd + hmn²" },
  "factorized-dense": {
    weights: "hm(d + 1) + h(a + b)(m + 1)",
    products: "hmnd + hmn(a + b) + hn²",
  },
};

/** What is no scores. @type {Record<string, Cost>} */
const MIXERS = {
  "lightweight-convolution": { weights: "3d(d + 1) + hw", products: "3nd² + nd + nwd", window: "w" },
  "dynamic-convolution": { weights: "3d(d + 1) + hwd", products: "3nd² + nd + hwnd + nwd", window: "w" },
  linformer: { weights: "4d(d + 1) + 2nr", products: "4nd² + 4nrd" },
  "mlp-mixer": { weights: "2nt + n + t", products: "2ntd" },
  fnet: { weights: "0", products: "2nd² + 2n²d" },
  aft: { weights: "4d(d + 1) + n²", products: "4nd² + 2n²d + 2nd" },
};

/** The names in the table above, for tests. */
export const COSTED = [...Object.keys(SCORES), ...Object.keys(MIXERS)];

/**
 * The costs of a kind: of a mixture those of its parts, of weighing them, and of one frame.
 *
 * @param {string} kind
 * @returns {Cost}
 */
export function costOf(kind) {
  const mixer = MIXERS[kind];
  if (mixer) return mixer;
  const parts = kind.split("+").map((name) => {
    if (!SCORES[name]) throw new Error(`there are no costs of ${name}`);
    return SCORES[name];
  });
  const count = parts.length;
  const mixture = count > 1 ? { weights: [`${count}g`], products: [`${count}hn²`] } : { weights: [], products: [] };
  return {
    weights: added([FRAME.weights, ...parts.map(({ weights }) => weights), ...mixture.weights]),
    products: added([FRAME.products, ...parts.map(({ products }) => products), ...mixture.products]),
    frozen: parts.some(({ frozen }) => frozen),
  };
}

/**
 * The sizes that formulas are written in, as a kind has them in a model.
 *
 * @param {{ width: number, heads: number, length: number }} model
 * @param {Record<string, number | string>} [options] of the kind, those that were chosen
 * @returns {Record<string, number>} by letter
 */
export function sizesOf({ width: d, heads: h, length: n }, options = {}) {
  const chosen = (/** @type {string} */ name, /** @type {number} */ usual) => Number(options[name] ?? usual);
  const a = chosen("a", largestDivisorToRoot(n));
  return {
    n,
    d,
    h,
    k: chosen("rank", Math.min(8, n)),
    m: chosen("hidden", d / h),
    a,
    b: n / a,
    w: chosen("kernel", 7),
    r: chosen("projected", Math.max(1, Math.floor(n / 4))),
    t: chosen("tokensHidden", n),
    g: options.mixing === "layer" ? 1 : h,
  };
}

/** @param {number} n */
function largestDivisorToRoot(n) {
  let divisor = Math.floor(Math.sqrt(n));
  while (divisor > 1 && n % divisor !== 0) divisor -= 1;
  return Math.max(1, divisor);
}

/**
 * Weights and multiply-adds of a layer at given sizes.
 *
 * @param {string} kind
 * @param {Record<string, number>} sizes
 */
export function costAt(kind, sizes) {
  const { weights, products } = costOf(kind);
  return { weights: evaluate(weights, sizes), products: evaluate(products, sizes) };
}

/** The letters in a kind's costs, in the order in which they are explained. @param {string} kind */
export function lettersIn(kind) {
  const { weights, products, window = "" } = costOf(kind);
  const used = lettersOf(`${weights} ${products} ${window}`);
  return ["n", "d", "h", "k", "m", "a", "b", "w", "r", "t", "g"].filter((letter) => used.includes(letter));
}
