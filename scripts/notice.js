// NOTICE: whose work ships inside the module, the data sets and the demo. `npm run notice` writes it, `-- --check` compares.

import { readFileSync, writeFileSync } from "node:fs";
import { dataSets } from "./lib/data/index.js";
import { at } from "./lib/paths.js";
import { Stop, main, output } from "./lib/run.js";

const HEAD = `synthattn
Copyright 2026 The synthattn authors

Licensed under the Apache License, Version 2.0 (LICENSE-APACHE) or the MIT license (LICENSE-MIT), at your option.

The attention kinds are those of Yi Tay, Dara Bahri, Donald Metzler, Da-Cheng Juan, Zhe Zhao, Che Zheng:
"Synthesizer: Rethinking Self-Attention for Transformer Models", 2021, https://arxiv.org/abs/2005.00743.


The demo

The charts of the demo are drawn by uPlot, Copyright 2022 Leon Sorokin, MIT license, https://github.com/leeoniya/uPlot.
It reads tables of text by Papa Parse, Copyright 2015 Matthew Holt, MIT license, https://github.com/mholt/PapaParse.
`;

const DATA = `

The built-in data sets

Each data set in the package, and on the demo, is made from what is named here, or else made up by this project.
`;

const MODULE = `

The WebAssembly module

The module is compiled from this crate and from the crates below, from https://crates.io, each under the license given.
Burn and CubeCL are by Tracel Technologies Inc. and their contributors.
`;

/** Whose work the data sets are, and the licences that have to go with them. */
function dataCredits() {
  const parts = dataSets.flatMap(({ credit, licences = [] }) => {
    const texts = licences.map((file) => readFileSync(at(file), "utf8").replace(/[ \t]+$/gm, "").trim().replace(/^(?=.)/gm, "    "));
    return credit ? [[credit, ...texts].join("\n\n")] : [];
  });
  return [...new Set(parts)].map((part) => `\n${part}\n`).join("");
}

/** Every crate that is compiled into the module, with its licence, in one list. */
function notice() {
  const tree = output("cargo", ["tree", "--locked", "--target", "wasm32-unknown-unknown", "-e", "normal,no-proc-macro", "--prefix", "none", "-f", "{p}|{l}"]);
  if (!tree) throw new Stop("cargo tree failed.");
  const lines = new Set(tree.split("\n").map((line) => line.replace(/ \(\*\)$/, "")));
  /** @type {Map<string, string[]>} licence to "crate version" */
  const byLicence = new Map();
  for (const line of lines) {
    const [crate, licence] = line.split("|");
    const [name, version] = crate.split(" ");
    if (/^synthattn(-|$)/.test(name)) continue;
    // The same licence in its older spelling and other orders: "MIT/Apache-2.0", "Apache-2.0 OR MIT".
    const key = /^[^()]+$/.test(licence) ? licence.split(/ ?\/ ?| OR /).sort().join(" OR ") : licence;
    byLicence.set(key, [...(byLicence.get(key) ?? []), `${name} ${version.slice(1)}`]);
  }
  const parts = [...byLicence].sort(([a], [b]) => (a < b ? -1 : 1)).map(([licence, crates]) => `\n${licence}\n${wrap(crates.sort())}\n`);
  return HEAD + DATA + dataCredits() + MODULE + parts.join("");
}

/** @param {string[]} words */
function wrap(words) {
  let line = " ";
  const lines = [];
  for (const [i, word] of words.entries()) {
    const next = ` ${word}${i < words.length - 1 ? "," : ""}`;
    if (line.length + next.length > 110) {
      lines.push(line);
      line = " ";
    }
    line += next;
  }
  return [...lines, line].join("\n");
}

await main(async () => {
  const text = notice();
  if (!process.argv.includes("--check")) writeFileSync(at("NOTICE"), text);
  else if (readFileSync(at("NOTICE"), "utf8") !== text) throw new Stop('NOTICE is out of date: run "npm run notice".');
});
