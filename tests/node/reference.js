// Every way to mix tokens in plain JavaScript, from the formulas that tests/golden/README.md writes out, counting the
// multiplications: those in products of matrices and those element by element. Scaling by constants, softmax, divisions
// and activations are not counted, nor is what is added.

/** @typedef {number[][]} Matrix rows */
/** @typedef {{ shape: number[], values: number[] }} Weight */
/** @typedef {Record<string, Weight>} Weights by the names in files */

/** What is multiplied, and how often. */
class Multiplier {
  count = 0;

  /** @param {Matrix} a @param {Matrix} b @returns {Matrix} */
  matrices(a, b) {
    return a.map((row) =>
      b[0].map((_, column) =>
        row.reduce((sum, value, inner) => {
          this.count += 1;
          return sum + value * b[inner][column];
        }, 0),
      ),
    );
  }

  /** @param {Matrix} a @param {Matrix} b @returns {Matrix} */
  elements(a, b) {
    return a.map((row, i) =>
      row.map((value, j) => {
        this.count += 1;
        return value * b[i][j];
      }),
    );
  }

  /** Every element of one row with every element of another, one after the other. @param {number[]} a @param {number[]} b */
  outer(a, b) {
    return a.flatMap((first) =>
      b.map((second) => {
        this.count += 1;
        return first * second;
      }),
    );
  }
}

/** @param {number[]} values */
function softmax(values) {
  const most = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

const transposed = (/** @type {Matrix} */ a) => a[0].map((_, column) => a.map((row) => row[column]));
const sigmoid = (/** @type {number} */ value) => 1 / (1 + Math.exp(-value));
const relu = (/** @type {number} */ value) => Math.max(0, value);
const summed = (/** @type {Matrix} */ a, /** @type {Matrix} */ b) => a.map((row, i) => row.map((value, j) => value + b[i][j]));
/** @param {Matrix} a @param {(value: number) => number} change */
const mapped = (a, change) => a.map((row) => row.map(change));
const columns = (/** @type {Matrix} */ a, /** @type {number} */ from, /** @type {number} */ to) => a.map((row) => row.slice(from, to));

/** The error function, from its series and, far out, from its continued fraction. @param {number} x */
function erf(x) {
  if (Math.abs(x) > 3) {
    let fraction = 0;
    for (let k = 60; k > 0; k -= 1) fraction = k / 2 / (Math.abs(x) + fraction);
    return Math.sign(x) * (1 - Math.exp(-x * x) / Math.sqrt(Math.PI) / (Math.abs(x) + fraction));
  }
  let [term, sum] = [x, x];
  for (let k = 1; k < 80; k += 1) {
    term *= (-x * x) / k;
    sum += term / (2 * k + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

/**
 * What a kind makes of one text.
 *
 * @param {string} kind
 * @param {Weights} weights of its layer
 * @param {Matrix} x a row a token
 * @param {number} heads
 * @returns {{ output: Matrix, count: number }}
 */
export function mixed(kind, weights, x, heads) {
  const by = new Multiplier();
  const layer = new Layer(by, weights, x, heads);
  const output = kind in MIXERS ? MIXERS[kind](layer) : attention(layer, kind.split("+"));
  return { output, count: by.count };
}

/** What all mixers share. */
class Layer {
  /** @param {Multiplier} by @param {Weights} weights @param {Matrix} x @param {number} heads */
  constructor(by, weights, x, heads) {
    this.by = by;
    this.weights = weights;
    this.x = x;
    this.heads = heads;
    this.length = x.length;
    this.width = x[0].length;
  }

  /** A weight with a row for each index but the last. @param {string} name @returns {Matrix} */
  matrix(name) {
    const { shape, values } = this.weights[name];
    const size = shape[shape.length - 1];
    return Array.from({ length: values.length / size }, (_, row) => values.slice(row * size, (row + 1) * size));
  }

  /** The matrix of one head. @param {string} name @param {number} head @returns {Matrix} */
  ofHead(name, head) {
    const rows = this.matrix(name);
    const each = rows.length / this.heads;
    return rows.slice(head * each, (head + 1) * each);
  }

  /** @param {string} name @param {Matrix} [x] @returns {Matrix} */
  linear(name, x = this.x) {
    const bias = this.weights[`${name}.bias`].values;
    return this.by.matrices(x, this.matrix(`${name}.weight`)).map((row) => row.map((value, i) => value + bias[i]));
  }

  /** The columns of one head. @param {Matrix} a @param {number} head @returns {Matrix} */
  split(a, head) {
    const each = a[0].length / this.heads;
    return columns(a, head * each, (head + 1) * each);
  }

  /** @param {(head: number) => Matrix} make @returns {Matrix} heads side by side */
  join(make) {
    const made = Array.from({ length: this.heads }, (_, head) => make(head));
    return made[0].map((_, row) => made.flatMap((one) => one[row]));
  }
}

/** @param {Layer} layer @param {string[]} parts @returns {Matrix} */
function attention(layer, parts) {
  const { by, heads, weights } = layer;
  const makers = parts.map((part) => SCORES[part](layer));
  const value = layer.linear("value");
  const rows = weights["mixture.logits"] && layer.matrix("mixture.logits");
  const output = layer.join((head) => {
    const scores = makers.map((scoresOf) => scoresOf(head));
    let total = scores[0];
    if (rows) {
      const shares = softmax(rows[rows.length === heads ? head : 0]);
      const weighed = scores.map((one, part) => by.elements(one, mapped(one, () => shares[part])));
      total = weighed.reduce(summed);
    }
    return by.matrices(total.map(softmax), layer.split(value, head));
  });
  return layer.linear("out", output);
}

/** @typedef {(head: number) => Matrix} ScoresOfHead */

/** @type {Record<string, (layer: Layer) => ScoresOfHead>} */
const SCORES = {
  vanilla(layer) {
    const [query, key] = [layer.linear("query"), layer.linear("key")];
    const scale = Math.sqrt(layer.width / layer.heads);
    return (head) => mapped(layer.by.matrices(layer.split(query, head), transposed(layer.split(key, head))), (score) => score / scale);
  },
  random: (layer) => (head) => columns(layer.ofHead("random.logits", head).slice(0, layer.length), 0, layer.length),
  "fixed-random": (layer) => SCORES.random(layer),
  "factorized-random": (layer) => (head) => {
    const [left, right] = ["left", "right"].map((name) => layer.ofHead(`factorized_random.${name}`, head).slice(0, layer.length));
    return layer.by.matrices(left, transposed(right));
  },
  dense(layer) {
    const hidden = hiddenOf(layer, "dense");
    return (head) => {
      const second = columns(layer.ofHead("dense.w2", head), 0, layer.length);
      const bias = layer.matrix("dense.b2")[head];
      return layer.by.matrices(layer.split(hidden, head), second).map((row) => row.map((score, j) => score + bias[j]));
    };
  },
  "factorized-dense"(layer) {
    const hidden = hiddenOf(layer, "factorized_dense");
    return (head) => {
      const [first, second] = ["a", "b"].map((factor) => {
        const bias = layer.matrix(`factorized_dense.b${factor}`)[head];
        const made = layer.by.matrices(layer.split(hidden, head), layer.ofHead(`factorized_dense.w${factor}`, head));
        return made.map((row) => row.map((value, j) => value + bias[j]));
      });
      return first.map((row, i) => layer.by.outer(row, second[i]).slice(0, layer.length));
    };
  },
};

/** @param {Layer} layer @param {string} scope */
function hiddenOf(layer, scope) {
  const bias = layer.weights[`${scope}.b1`].values;
  return layer.by.matrices(layer.x, layer.matrix(`${scope}.w1`)).map((row) => row.map((value, j) => relu(value + bias[j])));
}

/** @param {Layer} layer @param {(u: Matrix) => (position: number, head: number) => number[]} kernel */
function convolution(layer, kernel) {
  const { by, length, width, heads } = layer;
  const both = layer.linear("conv_in");
  const u = by.elements(columns(both, 0, width), mapped(columns(both, width, 2 * width), sigmoid));
  const tapsOf = kernel(u);
  const output = layer.join((head) => {
    const mine = layer.split(u, head);
    return mine.map((_, position) => {
      const taps = tapsOf(position, head);
      // Zeros stand around the text, and are multiplied too.
      const window = taps.map((_tap, k) => mine[position + k - (taps.length - 1) / 2] ?? mine[0].map(() => 0));
      return by.matrices([taps], window)[0];
    });
  });
  if (output.length !== length || output[0].length !== (width / heads) * heads) throw new Error("a convolution keeps its form");
  return layer.linear("conv_out", output);
}

/** @type {Record<string, (layer: Layer) => Matrix>} */
const MIXERS = {
  "lightweight-convolution"(layer) {
    const taps = layer.matrix("conv.weight").map(softmax);
    return convolution(layer, () => (_position, head) => taps[head]);
  },
  "dynamic-convolution"(layer) {
    return convolution(layer, (u) => {
      const scores = layer.by.matrices(u, layer.matrix("conv.weight"));
      return (position, head) => softmax(layer.split(scores, head)[position]);
    });
  },
  linformer(layer) {
    const { by, length, width, heads } = layer;
    const summaries = (/** @type {string} */ table, /** @type {Matrix} */ of) =>
      by.matrices(transposed(layer.matrix(`linformer.${table}`).slice(0, length)), of);
    const query = layer.linear("query");
    const key = summaries("e", layer.linear("key"));
    const value = summaries("f", layer.linear("value"));
    const scale = Math.sqrt(width / heads);
    const output = layer.join((head) => {
      const scores = by.matrices(layer.split(query, head), transposed(layer.split(key, head)));
      return by.matrices(scores.map((row) => softmax(row.map((score) => score / scale))), layer.split(value, head));
    });
    return layer.linear("out", output);
  },
  "mlp-mixer"(layer) {
    const { by, length } = layer;
    const along = (/** @type {Matrix} */ weight, /** @type {Matrix} */ x, /** @type {number[]} */ bias) =>
      by.matrices(transposed(weight), x).map((row, i) => row.map((value) => value + bias[i]));
    const [b1, b2] = ["b1", "b2"].map((name) => layer.weights[`mixer.${name}`].values);
    const hidden = along(layer.matrix("mixer.w1").slice(0, length), layer.x, b1);
    const active = mapped(hidden, (value) => (value * (1 + erf(value / Math.SQRT2))) / 2);
    return along(columns(layer.matrix("mixer.w2"), 0, length), active, b2);
  },
  /** As products of matrices, of a text that fills the model. */
  fnet(layer) {
    const { by, length, width } = layer;
    const waves = (/** @type {number} */ n, /** @type {(angle: number) => number} */ wave) =>
      Array.from({ length: n }, (_, j) => Array.from({ length: n }, (_, k) => wave((2 * Math.PI * j * k) / n) / Math.sqrt(n)));
    const [even, odd] = [Math.cos, Math.sin].map((wave) => by.matrices(waves(length, wave), by.matrices(layer.x, waves(width, wave))));
    return even.map((row, i) => row.map((value, j) => value - odd[i][j]));
  },
  aft(layer) {
    const { by, length } = layer;
    const [query, key, value] = ["query", "key", "value"].map((name) => layer.linear(name));
    const biases = columns(layer.matrix("aft.w").slice(0, length), 0, length).map((row) => row.map(Math.exp));
    const keys = mapped(key, Math.exp);
    const above = by.matrices(biases, by.elements(keys, value));
    const below = by.matrices(biases, keys);
    const means = above.map((row, i) => row.map((sum, j) => sum / below[i][j]));
    return layer.linear("out", by.elements(mapped(query, sigmoid), means));
  },
};
