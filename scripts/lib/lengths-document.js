// docs/lengths.md, made of what bench/lengths.js measured.

/** @import { Measured } from "../../bench/lengths.js" */

/** How many times as fast as dot products a kind should train. @type {{ kind: string, length: number, least: number }[]} */
const AIMS = [
  { kind: "random", length: 64, least: 1.3 },
  { kind: "factorized-random", length: 64, least: 1.3 },
  { kind: "random", length: 512, least: 2 },
  { kind: "factorized-random", length: 512, least: 2 },
];

/**
 * @param {Measured[]} all
 * @param {{ date: string, machine: string, tokens: number, turns: number, dModel: number }} how
 */
export function lengthsDocument(all, { date, machine, tokens, turns, dModel }) {
  const lengths = [...new Set(all.map(({ length }) => length))];
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  const at = (/** @type {string} */ kind, /** @type {number} */ length) => all.find((one) => one.kind === kind && one.length === length);
  const grid = (/** @type {(one: Measured) => string} */ cell) =>
    table(["kind", ...lengths.map(String)], kinds.map((kind) => [kind, ...lengths.map((length) => (at(kind, length) ? cell(/** @type {Measured} */ (at(kind, length))) : ""))]));
  const time = (/** @type {"train" | "forward"} */ what) => grid(({ [what]: { median, against } }) => `${digits(median)} (${against.toFixed(2)} ×)`);
  const spread = (/** @type {"train" | "forward"} */ what) => grid(({ [what]: { low, high } }) => `${digits(low)}–${digits(high)}`);
  const reading = kinds.filter((kind) => all.some((one) => one.kind === kind && one.task === "masked-language-model"));
  const parts = [
    "# Speed and memory by length",
    `Written by \`npm run lengths\`, as it came out, on ${date}: ${machine}.`,
    `Models of 2 layers, width ${dModel} and 4 heads on the CPU device in Node, one worker, ${whole(tokens)} tokens a step at every length, so that
the batch is smaller where texts are longer. Milliseconds of processor time for a batch, medians of ${turns} turns. Each kind takes
turns with dot products (vanilla); × says how many times as fast as these it was, the median over the turns. Kinds that
cannot hide the future (${reading.join(", ") || "none here"}) train as masked language models and are compared with dot products
that do so too, all others as language models.`,
    "## Aims",
    aims(at, lengths),
    "## A training step",
    time("train"),
    "## A forward pass, with its loss",
    time("forward"),
    "## Memory after training",
    "MB of WebAssembly, which holds weights, moments, gradients and what a step keeps for its way back.",
    grid(({ megabytes }) => megabytes.toFixed(0)),
    "## Lowest and highest of a training step",
    spread("train"),
    "## Lowest and highest of a forward pass",
    spread("forward"),
  ];
  return `${parts.join("\n\n")}\n`;
}

/**
 * @param {(kind: string, length: number) => Measured | undefined} at
 * @param {number[]} lengths
 */
function aims(at, lengths) {
  const rows = AIMS.filter(({ length }) => lengths.includes(length)).flatMap(({ kind, length, least }) => {
    const found = at(kind, length)?.train.against;
    return found === undefined ? [] : [[kind, String(length), `${least} ×`, `${found.toFixed(2)} ×`, found >= least ? "met" : "missed"]];
  });
  return table(["kind", "length", "training step at least", "found", ""], rows);
}

/** @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

/** @param {number} milliseconds */
const digits = (milliseconds) => milliseconds.toFixed(milliseconds < 100 ? 1 : 0);
/** @param {number} count */
const whole = (count) => count.toLocaleString("en");
