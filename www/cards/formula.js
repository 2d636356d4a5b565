// Formulas as the tables write them, in Unicode: to a tree of MathML, and those of sizes also to numbers.

/**
 * A MathML element: of text, or of others. `infix`: an operator that begins a piece is no sign of what follows.
 *
 * @typedef {{ tag: string, children: (MathTree | string)[], infix?: boolean }} MathTree
 */

/** Characters set above and below, and what they are on the line. */
const ABOVE = new Map([["ᵀ", "T"], ["²", "2"]]);
const BELOW = new Map([["₁", "1"], ["₂", "2"], ["₃", "3"], ["ᵢ", "i"], ["ⱼ", "j"]]);
/** Read aloud as a product, not seen. */
const TIMES = "\u2062";
const OPERATORS = new Set(["+", "/", "=", ",", "⊙", "⊗", "∗"]);
/** Operators at which a long formula may go on in the next line. */
const BREAKS = new Set(["+", "/", "=", "⊙"]);
/** Stands before a word that is said of a symbol, as in `R frozen`. */
const BLANK = "\u00a0";

/** @param {string} tag @param {...(MathTree | string)} children @returns {MathTree} */
const node = (tag, ...children) => ({ tag, children });

/**
 * Reads a formula. `size`: letters are one symbol each, as in `hn²`; otherwise words are, as `softmax`.
 *
 * @param {string} text
 * @param {boolean} size
 */
function reader(text, size) {
  const pattern = size ? /\d+|\p{L}|\S/gu : /\d+|[A-Za-z]+|\S/gu;
  const tokens = [...text.matchAll(pattern)].map(([token]) => token);
  let place = 0;
  return {
    /** The token to come. */
    get next() {
      return tokens[place];
    },
    take: () => tokens[place++],
    /** Takes the tokens that are scripts of the symbol before. @param {Map<string, string>} scripts */
    scripts(scripts) {
      let found = "";
      for (; scripts.has(tokens[place]); place += 1) found += scripts.get(tokens[place]);
      return found;
    },
  };
}

/** @typedef {ReturnType<typeof reader>} Reader */

/**
 * The formula in pieces between which lines may break.
 *
 * @param {string} text
 * @param {{ size?: boolean }} [options] `size`: every letter is a symbol of its own
 * @returns {MathTree[]}
 */
export function mathTrees(text, { size = false } = {}) {
  const read = reader(text, size);
  /** @type {MathTree[][]} */
  const pieces = [[]];
  for (const part of row(read)) {
    const [first] = part.children;
    const breaks = part.tag === "mo" && BREAKS.has(String(first)) && pieces[pieces.length - 1].length > 0;
    if (breaks) pieces.push([]);
    pieces[pieces.length - 1].push(breaks ? { ...part, infix: true } : part);
    // A comma ends its line, other signs begin theirs.
    if (part.tag === "mo" && first === ",") pieces.push([]);
  }
  if (read.next !== undefined) throw new Error(`${text}: nothing opens before ${read.next}`);
  return pieces.map((piece) => node("math", node("mrow", ...piece)));
}

/** Everything up to a closing bracket. @param {Reader} read @returns {MathTree[]} */
function row(read) {
  /** @type {MathTree[]} */
  const parts = [];
  while (read.next !== undefined && read.next !== ")") {
    const part = scripted(read);
    const before = parts.at(-1);
    if (before && before.tag !== "mo" && part.tag !== "mo" && part.tag !== "mtext") parts.push(node("mo", TIMES));
    parts.push(part);
  }
  return parts;
}

/** A symbol with what stands above and below it. @param {Reader} read @returns {MathTree} */
function scripted(read) {
  const base = symbol(read);
  // What is below comes first where there is both.
  const below = read.scripts(BELOW);
  const above = read.scripts(ABOVE);
  const script = (/** @type {string} */ one) => node(/^\d+$/.test(one) ? "mn" : "mi", one);
  if (below && above) return node("msubsup", base, script(below), script(above));
  if (below) return node("msub", base, script(below));
  if (above) return node("msup", base, script(above));
  return base;
}

/** @param {Reader} read @returns {MathTree} */
function symbol(read) {
  const token = read.take();
  if (token === "(") {
    const inner = row(read);
    if (read.take() !== ")") throw new Error("a bracket is not closed");
    return node("mrow", node("mo", "("), ...inner, node("mo", ")"));
  }
  if (token === "√") return node("msqrt", scripted(read));
  if (OPERATORS.has(token)) return node("mo", token);
  if (/^\d+$/.test(token)) return node("mn", token);
  if (/^[a-z]{2,}$/.test(token) && read.next !== "(") return node("mtext", BLANK + token);
  return node("mi", token);
}

/** The formula that a tree was made of, without blanks. @param {MathTree | string} tree @returns {string} */
export function textOf(tree) {
  if (typeof tree === "string") return tree === TIMES ? "" : tree.replace(BLANK, "");
  const [base, ...scripts] = tree.children.map(textOf);
  const turned = (/** @type {string} */ text, /** @type {Map<string, string>} */ map) =>
    [...text].map((one) => [...map].find(([, plain]) => plain === one)?.[0]).join("");
  if (tree.tag === "msqrt") return `√${base}`;
  if (tree.tag === "msub") return base + turned(scripts[0], BELOW);
  if (tree.tag === "msup") return base + turned(scripts[0], ABOVE);
  if (tree.tag === "msubsup") return base + turned(scripts[0], BELOW) + turned(scripts[1], ABOVE);
  return [base, ...scripts].join("");
}

/**
 * What a formula of sizes comes to, as `2d(d + 1) + hn²`: sums of products of letters, numbers and brackets.
 *
 * @param {string} text
 * @param {Record<string, number>} sizes by letter
 * @returns {number}
 */
export function evaluate(text, sizes) {
  const read = reader(text, true);
  const value = sum(read, sizes);
  if (read.next !== undefined) throw new Error(`${text}: nothing opens before ${read.next}`);
  return value;
}

/** @param {Reader} read @param {Record<string, number>} sizes @returns {number} */
function sum(read, sizes) {
  let total = product(read, sizes);
  while (read.next === "+") {
    read.take();
    total += product(read, sizes);
  }
  return total;
}

/** @param {Reader} read @param {Record<string, number>} sizes @returns {number} */
function product(read, sizes) {
  let total = 1;
  do {
    const factor = factorOf(read, sizes);
    total *= read.next === "²" ? factor ** (read.take() ? 2 : 1) : factor;
  } while (read.next !== undefined && read.next !== "+" && read.next !== ")");
  return total;
}

/** @param {Reader} read @param {Record<string, number>} sizes @returns {number} */
function factorOf(read, sizes) {
  const token = read.take();
  if (token === "(") {
    const value = sum(read, sizes);
    if (read.take() !== ")") throw new Error("a bracket is not closed");
    return value;
  }
  const value = /^\d+$/.test(token ?? "") ? Number(token) : sizes[token];
  if (value === undefined) throw new Error(`there is no size ${token}`);
  return value;
}

/** The letters of a formula of sizes, each once. @param {string} text */
export function lettersOf(text) {
  return [...new Set(text.match(/\p{L}/gu) ?? [])];
}

/**
 * Sums of products as one, like terms put together: `n²d` and `n²d` are `2n²d`.
 *
 * @param {string[]} formulas
 */
export function added(formulas) {
  /** @type {Map<string, number>} */
  const terms = new Map();
  // A sum within brackets has blanks around its sign too, so that brackets are looked at first.
  for (const term of formulas.flatMap((formula) => formula.match(/(?:\([^)]*\)|[^+(])+/g) ?? [])) {
    const [, count, rest] = /** @type {RegExpExecArray} */ (/^(\d*)(.*)$/.exec(term.trim()));
    terms.set(rest, (terms.get(rest) ?? 0) + (count === "" ? 1 : Number(count)));
  }
  return [...terms].map(([rest, count]) => (count === 1 && rest !== "" ? rest : `${count}${rest}`)).join(" + ");
}
