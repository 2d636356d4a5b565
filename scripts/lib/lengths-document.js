// docs/lengths.md, made of what bench/lengths.js measured.

/** @import { Counted } from "../../bench/counted.js" */
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
 * @param {Counted[]} counted
 * @param {{ date: string, machine: string, tokens: number, turns: number, dModel: number, countedTokens: number }} how
 */
export function lengthsDocument(all, counted, { date, machine, tokens, turns, dModel, countedTokens }) {
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
    ...(lengths.includes(64) && lengths.includes(512) ? [`By multiply-adds, matrix products of a layer take 12 d + length for each token and each of its d numbers with dot products, and
10 d + 1/2 length with a table, both leaving out the future: ${times(64, dModel)} times as many at 64, ${times(512, dModel)} at 512, and 2 at best. Dot
products that compute the future and then hide it, as other libraries do, take 12 d + 2 length: ${timesWhole(512, dModel)} times a table's at 512.
What is found beyond is softmax and its gradient, which a table needs once for all texts of a batch; what is lost, its own gradient
and optimizer step, which grow with the square of the length and not with the batch.`] : []),
    "## A training step",
    time("train"),
    "## A forward pass, with its loss",
    time("forward"),
    "## Memory after training",
    "MB of WebAssembly, which holds weights, moments, gradients and what a step keeps for its way back. It never shrinks, and large pieces\nleave gaps, so that it differs from run to run.",
    grid(({ megabytes }) => megabytes.toFixed(0)),
    "## Lowest and highest of a training step",
    spread("train"),
    "## Lowest and highest of a forward pass",
    spread("forward"),
    "## WebGPU, as counted",
    `What a warm training step of the same models asks of WebGPU, ${whole(countedTokens)} tokens a step: times of an adapter in software, which
is what was here, say nothing about a graphics card. Dispatches and submits grow with neither batch nor length. Bytes are those
handed over in a step; MB what the device holds after training. No buffer is made in a warm step${counted.every(({ buffers }) => buffers === 0) ? "" : ", but for those in the table"}.`,
    table(
      ["kind", "length", "dispatches", "submits", "buffers made", "bytes", "MB"],
      counted.map(({ kind, length, ...one }) => [
        kind,
        String(length),
        short(one.dispatches),
        short(one.submits),
        short(one.buffers),
        whole(Math.round(one.bytes)),
        one.megabytes.toFixed(1),
      ]),
    ),
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

/** Multiply-adds of products with dot products, against those with a table. @param {number} length @param {number} d */
const times = (length, d) => ((12 * d + length) / (10 * d + length / 2)).toFixed(2);

/** The same where dot products compute the future. @param {number} length @param {number} d */
const timesWhole = (length, d) => ((12 * d + 2 * length) / (10 * d + length / 2)).toFixed(2);

/** @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

/** @param {number} milliseconds */
const digits = (milliseconds) => milliseconds.toFixed(milliseconds < 100 ? 1 : 0);
/** @param {number} count a mean over steps */
const short = (count) => String(Math.round(10 * count) / 10);
/** @param {number} count */
const whole = (count) => count.toLocaleString("en");
