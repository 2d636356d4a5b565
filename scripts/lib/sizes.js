// How much a visitor downloads: raw, gzip and brotli.

import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { basename } from "node:path";
import { say } from "./run.js";

/** @param {number} bytes */
const megabytes = (bytes) => (bytes >= 1e5 ? `${(bytes / 1e6).toFixed(2)} MB` : `${(bytes / 1e3).toFixed(1)} kB`).padStart(10);

/** @param {string[]} files */
export function printSizes(files) {
  say(`\n${"file".padEnd(28)}${"raw".padStart(10)}${"gzip".padStart(10)}${"brotli".padStart(10)}`);
  for (const file of files) {
    const bytes = readFileSync(file);
    // Quality 9 takes a second where 11 takes a minute, and is within a tenth of it.
    const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 } });
    say(`${basename(file).padEnd(28)}${megabytes(bytes.length)}${megabytes(gzipSync(bytes, { level: 9 }).length)}${megabytes(brotli.length)}`);
  }
}
