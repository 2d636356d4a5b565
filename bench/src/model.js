// What every library is given: sizes, text, first weights and batches, all from seeds, so that losses can be compared.
//
// The model is a small causal character model: pre-LN blocks, learned positions, untied head, GELU by tanh, a bias
// at every linear map, Adam without decay.

/** @typedef {{ vocabulary: number, length: number, width: number, layers: number, heads: number, inner: number, batch: number }} Sizes */
/** @typedef {{ shape: number[], data: Float32Array }} Weight */
/** @typedef {"vanilla" | "random" | "dense"} Kind */

/** @type {Record<string, Sizes>} */
export const SIZES = {
  small: { vocabulary: 65, length: 32, width: 64, layers: 2, heads: 4, inner: 256, batch: 8 },
  base: { vocabulary: 65, length: 64, width: 128, layers: 4, heads: 4, inner: 512, batch: 16 },
};

export const ADAM = { rate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };

/** mulberry32: numbers in [0, 1). @param {number} seed */
export function randomNumbers(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** @param {() => number} random @param {number} count @param {number} deviation */
function normalNumbers(random, count, deviation) {
  const numbers = new Float32Array(count);
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - random())) * deviation;
    const angle = 2 * Math.PI * random();
    numbers[i] = radius * Math.cos(angle);
    if (i + 1 < count) numbers[i + 1] = radius * Math.sin(angle);
  }
  return numbers;
}

/**
 * First weights as GPT-2 draws them: N(0, 0.02), maps into the residual stream divided by √(2 layers), biases 0, gains 1.
 *
 * @param {Sizes} sizes
 * @param {Kind} kind
 * @returns {Record<string, Weight>}
 */
export function firstWeights({ vocabulary, length, width, layers, heads, inner }, kind) {
  const random = randomNumbers(42);
  const headWidth = width / heads;
  /** @type {Record<string, Weight>} */
  const weights = {};
  const count = (/** @type {number[]} */ shape) => shape.reduce((a, b) => a * b, 1);
  const draw = (/** @type {string} */ name, /** @type {number[]} */ shape, deviation = 0.02) => {
    weights[name] = { shape, data: normalNumbers(random, count(shape), deviation) };
  };
  const fill = (/** @type {string} */ name, /** @type {number[]} */ shape, /** @type {number} */ value) => {
    weights[name] = { shape, data: new Float32Array(count(shape)).fill(value) };
  };
  const linear = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ to, deviation = 0.02) => {
    draw(`${name}.weight`, [from, to], deviation);
    fill(`${name}.bias`, [to], 0);
  };
  const norm = (/** @type {string} */ name) => {
    fill(`${name}.weight`, [width], 1);
    fill(`${name}.bias`, [width], 0);
  };

  draw("tok_embed.weight", [vocabulary, width]);
  draw("pos_embed.weight", [length, width]);
  const residual = 0.02 / Math.sqrt(2 * layers);
  for (let layer = 0; layer < layers; layer++) {
    const block = `blocks.${layer}`;
    norm(`${block}.ln1`);
    if (kind === "vanilla") {
      linear(`${block}.attn.query`, width, width);
      linear(`${block}.attn.key`, width, width);
    } else if (kind === "random") {
      draw(`${block}.attn.random.logits`, [heads, length, length]);
    } else {
      draw(`${block}.attn.dense.w1`, [width, width]);
      fill(`${block}.attn.dense.b1`, [width], 0);
      draw(`${block}.attn.dense.w2`, [heads, headWidth, length]);
      fill(`${block}.attn.dense.b2`, [heads, length], 0);
    }
    linear(`${block}.attn.value`, width, width);
    linear(`${block}.attn.out`, width, width, residual);
    norm(`${block}.ln2`);
    draw(`${block}.ffn.w1`, [width, inner]);
    fill(`${block}.ffn.b1`, [inner], 0);
    draw(`${block}.ffn.w2`, [inner, width], residual);
    fill(`${block}.ffn.b2`, [width], 0);
  }
  norm("ln_f");
  linear("head", width, vocabulary);
  return weights;
}

/**
 * Floating-point operations of the matrix products of a step, an addition and a multiplication counted as two: forward,
 * and twice as many for the gradients of both operands. What is hidden from attention is counted as if it were not.
 *
 * @param {Sizes} sizes
 * @param {Kind} kind
 */
export function operationsOf({ vocabulary, length, width, layers, inner, batch }, kind) {
  const values = 2 * width * width + length * width;
  const scores = { vanilla: 2 * width * width + length * width, random: 0, dense: width * width + width * length }[kind];
  const token = layers * (values + scores + 2 * width * inner) + width * vocabulary;
  return 2 * 3 * batch * length * token;
}

/**
 * Text as numbers below `vocabulary`: the most frequent characters have their own, the others share the last.
 *
 * @param {string} text
 * @param {number} vocabulary
 */
export function encode(text, vocabulary) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const characters = [...text];
  for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1);
  const order = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([character]) => character);
  const numbers = new Map(order.map((character, rank) => [character, Math.min(rank, vocabulary - 1)]));
  return Int32Array.from(characters, (character) => /** @type {number} */ (numbers.get(character)));
}

/**
 * The batch of a step: random windows and the same windows one character on, both [batch, length] row by row.
 *
 * @param {Int32Array} tokens
 * @param {Sizes} sizes
 * @param {number} step
 */
export function batchOf(tokens, { batch, length }, step) {
  const random = randomNumbers(1000 + step);
  const inputs = new Int32Array(batch * length);
  const targets = new Int32Array(batch * length);
  for (let row = 0; row < batch; row++) {
    const start = Math.floor(random() * (tokens.length - length - 1));
    inputs.set(tokens.subarray(start, start + length), row * length);
    targets.set(tokens.subarray(start + 1, start + length + 1), row * length);
  }
  return { inputs, targets };
}
