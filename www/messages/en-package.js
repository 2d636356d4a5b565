// What the package says with the names of its options, in English with those of the page's fields. What is not here is shown
// as the package says it.

/** @type {Record<string, string>} */
export const words = {
  "Width of the hidden layer for each head; by default dModel / heads.":
    "Width of the hidden layer for each head; by default the width divided by the heads.",
  "Length of the first factor; divides maxLength, by default the largest divisor not above its root.":
    "Length of the first factor; divides the length, by default the largest divisor not above its root.",
  "Number of summaries that stand for the text; by default maxLength / 4.":
    "Number of summaries that stand for the text; by default a quarter of the length.",
  "Width of the hidden layer along the text; by default maxLength.":
    "Width of the hidden layer along the text; by default the length.",
};

/** @type {[RegExp, string][]} */
export const patterns = [
  [/^a divisor of dModel, (\d+)$/, "a divisor of the width, $1"],
  [/^a divisor of maxLength, (\d+)$/, "a divisor of the length, $1"],
  [/^the text has (\d+) tokens, fewer than maxLength \+ 1 = (\d+)$/,
    "the text has $1 tokens, but models of this “Length” need $2 at least"],
  [/^(.+) (\d+) tokens, maxLength is (\d+)$/, "$1 $2 tokens, but models of this “Length” take $3 at most"],
];
