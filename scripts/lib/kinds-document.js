// docs/kinds.md, made from the table of kinds and from the page's table of costs: the cards of the page, to read.

import { costAt, costOf, lettersIn, sizesOf } from "../../www/cards/costs.js";
import { cardMessages } from "../../www/messages/en-cards.js";
import { addressOf } from "../../www/paper.js";

/** @typedef {import("synthattn").KindInfo} KindInfo */

/** Sizes at which costs are worked out: those with which the page opens, and longer texts. */
const EXAMPLES = [
  { width: 64, heads: 4, length: 32 },
  { width: 128, heads: 4, length: 128 },
  { width: 256, heads: 8, length: 512 },
];

const numbers = new Intl.NumberFormat("en");

/** @param {string} key */
const say = (key) => String(cardMessages[key]);

/** The whole document. */
export async function kindsDocument() {
  const { kinds } = await import("synthattn");
  const table = await kinds();
  return `${[introduction(), overview(table), ...table.map(cardOf)].join("\n")}`;
}

function introduction() {
  const letters = ["n", "d", "h", "k", "m", "a", "b", "w", "r", "t", "g"];
  const defaults = sizesOf(EXAMPLES[0]);
  const rows = letters.map((letter) => `| *${letter}* | ${say(`card.letter.${letter}`)} | ${OPTIONS[letter] ?? ""} | ${defaults[letter]} |`);
  return `# Kinds

What each kind of attention computes, what its weights depend on, and what it has and does in one layer. Made from the
sources by \`npm run docs\`; not edited by hand. The page shows the same cards, worked out for the settings chosen there.
Formulas of scores are those of one head, and the *d* under a root is its width.

*Weights* are all numbers of the layer, frozen tables included; at several sizes tests hold the formulas to what the
engine counts and to what its files hold. *Multiply-adds* are those of a forward pass over one text of *n* tokens that
fills the model: products of matrices and products element by element. Scaling by constants, softmax, divisions and
activations are left out. Tests count them in a reference in plain JavaScript, on weights from the engine's files, which
gives the golden values. What the engine executes differs from that in three ways: tables that do not depend on the text
are made once for a whole batch, convolutions go through blocks that hold some zeros, and hidden positions of a decoder
are computed and then masked.

| | | option | at width ${EXAMPLES[0].width}, ${EXAMPLES[0].heads} heads, ${EXAMPLES[0].length} tokens |
|---|---|---|---|
${rows.join("\n")}
`;
}

/** What sets a size. @type {Record<string, string>} */
const OPTIONS = {
  n: "`maxLength`",
  d: "`dModel`",
  h: "`heads`",
  k: "`rank`",
  m: "`hidden`",
  a: "`a`",
  b: "*n* / *a*",
  w: "`kernel`",
  r: "`projected`",
  t: "`tokensHidden`",
  g: "`mixing`: *h*, or 1",
};

/** @param {KindInfo[]} table */
function overview(table) {
  const head = EXAMPLES.map(({ width, length }) => `n ${length}, d ${width}`);
  const rows = table.map(({ name, causal, conditionsOn }) => {
    const costs = EXAMPLES.map((size) => {
      const { weights, products } = costAt(name, sizesOf(size));
      return `${numbers.format(weights)} / ${numbers.format(products)}`;
    });
    return `| \`${name}\` | ${conditionsOn.replace("-", " ")} | ${causal ? "yes" : "no"} | ${costs.join(" | ")} |`;
  });
  return `## All of them

Weights / multiply-adds with the default options.

| kind | depends on | decoder | ${head.join(" | ")} |
|---|---|---|${head.map(() => "---|").join("")}
${rows.join("\n")}
`;
}

/** @param {KindInfo} info */
function cardOf({ name, label, summary, formula, conditionsOn, causal, source, options }) {
  const { weights, products, window, frozen } = costOf(name);
  const letters = lettersIn(name).map((letter) => `*${letter}* ${say(`card.letter.${letter}`)}`);
  return `## ${label}

\`${name}\`: ${summary}

    ${formula}

| | |
|---|---|
| ${say("card.sees").toLowerCase()} | ${say(`card.sees.${conditionsOn}`)} |
| ${say("card.takes").toLowerCase()} | ${window ? say("card.takes.window").replace("{window}", `*${window}*`) : say("card.takes.all")} |
| ${say("card.writes").toLowerCase()} | ${causal ? say("card.writes.yes") : "no: it needs the whole text at once, so tasks with a decoder refuse it"} |
| weights | \`${weights}\`${frozen ? ", of which `hn²` are drawn once and never trained" : ""} |
| multiply-adds | \`${products}\` |
| sizes | ${letters.join(", ")} |
| options | ${options.map((option) => `\`${option.name}\`: ${option.help}`).join(" ") || "none"} |
| source | [${source}](${addressOf(source)}) |
`;
}
