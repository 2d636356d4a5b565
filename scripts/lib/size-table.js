// The table of sizes in README.md, and whether it says what was built.

import { inWords } from "./sizes.js";

/** @typedef {import("./sizes.js").Size} Size */

const TABLE = /^\| file \| raw \| gzip \| brotli \|\n(\|.*\n)+/m;

/** What rustc and wasm-bindgen may add or take from one version to the next, as a share. */
const DRIFT = 0.03;
/** What a wasm-opt takes off at most: the table is of modules without it. */
const SHRINK = 0.35;

/** @param {Size[]} sizes */
function tableOf(sizes) {
  const rows = sizes.map(({ name, raw, gzip, brotli }) => [name, ...[raw, gzip, brotli].map(inWords)]);
  return [["file", "raw", "gzip", "brotli"], ["---", "---", "---", "---"], ...rows].map((row) => `| ${row.join(" | ")} |\n`).join("").replace(/^\| ---.*$/m, "|---|---|---|---|");
}

/** @param {string} text of README.md @param {Size[]} sizes */
export function withTable(text, sizes) {
  if (!TABLE.test(text)) throw new Error("README.md has no table of sizes");
  return text.replace(TABLE, tableOf(sizes));
}

/**
 * Where the table says something else than was built, by more than rounding and drift.
 *
 * @param {string} text
 * @param {Size[]} sizes
 * @param {{ optimised: boolean }} build whether a wasm-opt made the modules smaller than the table has them
 * @returns {string[]}
 */
export function differences(text, sizes, { optimised }) {
  const rows = (TABLE.exec(text)?.[0] ?? "").trim().split("\n").slice(2).map((row) => row.split("|").slice(1, -1).map((cell) => cell.trim()));
  const names = rows.map(([name]) => name);
  const wanted = sizes.map(({ name }) => name);
  if (names.join() !== wanted.join()) return [`the rows are ${names.join(", ")} instead of ${wanted.join(", ")}`];
  return sizes.flatMap(({ name, raw, gzip, brotli }, index) =>
    [raw, gzip, brotli].flatMap((measured, column) => {
      const cell = rows[index][column + 1];
      const { stated, rounding } = read(cell);
      const least = stated * (1 - DRIFT - (optimised ? SHRINK : 0)) - rounding;
      const most = stated * (1 + DRIFT) + rounding;
      return measured >= least && measured <= most ? [] : [`${name}: ${cell} stands there, and ${inWords(measured)} is true`];
    }),
  );
}

/** A size in words, and half of its last digit, in bytes. @param {string} cell */
function read(cell) {
  const [, digits, unit] = /^([\d.]+) (kB|MB)$/.exec(cell) ?? [];
  if (!unit) return { stated: NaN, rounding: NaN };
  const scale = unit === "MB" ? 1e6 : 1e3;
  const decimals = digits.split(".")[1]?.length ?? 0;
  return { stated: Number(digits) * scale, rounding: (scale * 10 ** -decimals) / 2 };
}
