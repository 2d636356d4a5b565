// The texts about kinds one by one: what each computes, looks at and costs.

/** @type {Record<string, import("./index.js").Message>} */
export const cardMessages = {
  "cards.title": "The kinds, one by one",
  "cards.lead":
    "What each kind computes, what it looks at and what it costs: for one layer, with the options and sizes chosen above. Formulas of scores are those of one head, and the d under a root is its width.",
  "cards.counted":
    "A multiply-add is one product of two numbers and its place in a sum. Counted is a forward pass over one text that fills the model; scaling, softmax, divisions and activations are left out. Tables that do not depend on the text are made once for a whole batch, and convolutions on this page multiply some zeros besides.",
  "cards.all": "All {kinds} kinds",
  "cards.chosen": "Only the chosen ones",

  "card.sees": "A weight depends on",
  "card.sees.nothing": "places alone, on no token",
  "card.sees.token": "one token and places",
  "card.sees.token-pair": "two tokens, compared",
  "card.takes": "A token takes from",
  "card.takes.all": "all tokens it may see",
  "card.takes.window": "a window of {window} neighbouring tokens",
  "card.writes": "In a decoder",
  "card.writes.yes": "yes: it can hide what comes later",
  "card.writes.no": "no: it needs the whole text at once, so it is not offered to {tasks}",
  "card.weights": "Weights",
  "card.weights.now": "{weights} at your settings",
  "card.weights.frozen": "{weights} at your settings, its table drawn once and never trained",
  "card.products": "Multiply-adds",
  "card.products.now": "{products} a text at your settings",
  "card.letters": "Sizes",
  "card.letter.n": "tokens of a text",
  "card.letter.d": "width",
  "card.letter.h": "heads",
  "card.letter.k": "rank",
  "card.letter.m": "hidden width of a head",
  "card.letter.a": "first factor",
  "card.letter.b": "second factor",
  "card.letter.w": "window",
  "card.letter.r": "summaries",
  "card.letter.t": "hidden width along the text",
  "card.letter.g": "sets of mixture weights",
  "card.letter": "{letter} = {value} {meaning}",
  "card.source": "Source",
  "kind.card.costs": "{weights} weights and {products} multiply-adds a text in each layer, at your settings.",
};
