// What ships keeps to its budget, and README.md says how large it is.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { fullModule, wasmFile } from "../../scripts/lib/paths.js";
import { Stop } from "../../scripts/lib/run.js";
import { differences, withTable } from "../../scripts/lib/size-table.js";
import { checkBudget, inWords, shippedSizes } from "../../scripts/lib/sizes.js";
import { withoutCustomSections } from "../../scripts/lib/wasm-names.js";
import { documentText } from "../documents.js";

describe("what was built", () => {
  /** @type {import("../../scripts/lib/sizes.js").Size[]} */
  let sizes;
  before(async () => {
    sizes = await shippedSizes();
  });

  test("is within its budget", () => checkBudget(sizes));

  test("has a budget that would notice a quarter more", () => {
    const grown = sizes.map((size) => ({ ...size, brotli: 1.25 * size.brotli }));
    assert.throws(() => checkBudget(grown), (why) => why instanceof Stop && sizes.every(({ name }) => why.message.includes(name)));
  });

  test("is as large as README.md says", () => {
    // The module as the compiler left it, if no wasm-opt was there.
    const optimised = readFileSync(wasmFile).length < withoutCustomSections(readFileSync(fullModule.named)).length;
    assert.deepEqual(differences(documentText("README.md"), sizes, { optimised }), [], 'run "node scripts/sizes.js"');
  });
});

describe("the table of sizes", () => {
  const sizes = [
    { name: "a module", raw: 19_440_000, gzip: 4_020_000, brotli: 2_750_000 },
    { name: "scripts", raw: 71_600, gzip: 24_400, brotli: 20_100 },
  ];
  const text = withTable("before\n\n| file | raw | gzip | brotli |\n|---|---|---|---|\n| old | 1 kB | 1 kB | 1 kB |\n\nafter\n", sizes);

  test("is written in the place of the old one", () => {
    assert.equal(
      text,
      "before\n\n| file | raw | gzip | brotli |\n|---|---|---|---|\n| a module | 19.4 MB | 4.0 MB | 2.8 MB |\n| scripts | 72 kB | 24 kB | 20 kB |\n\nafter\n",
    );
  });

  test("agrees with what it was written from, and with a compiler's next version", () => {
    assert.deepEqual(differences(text, sizes, { optimised: false }), []);
    const next = sizes.map((size) => ({ ...size, raw: 1.01 * size.raw }));
    assert.deepEqual(differences(text, next, { optimised: false }), []);
  });

  test("may be of a larger module than one that wasm-opt made, and never of a smaller", () => {
    const half = sizes.map((size) => ({ ...size, raw: 0.8 * size.raw }));
    assert.deepEqual(differences(text, half, { optimised: true }), []);
    assert.equal(differences(text, half, { optimised: false }).length, 2);
    const grown = sizes.map((size) => ({ ...size, raw: 1.2 * size.raw }));
    assert.deepEqual(differences(text, grown, { optimised: true }), ["a module: 19.4 MB stands there, and 23.3 MB is true", "scripts: 72 kB stands there, and 86 kB is true"]);
  });

  test("must have a row for each file, and nothing that is no size", () => {
    assert.equal(differences(text, sizes.slice(1), { optimised: false }).length, 1);
    assert.equal(differences("no table", sizes, { optimised: false }).length, 1);
    assert.equal(differences(text.replace("2.8 MB", "small"), sizes, { optimised: false }).length, 1);
  });

  test("has numbers of a length that can be read", () => {
    assert.deepEqual([999, 71_600, 999_499, 999_500, 2_750_000, 19_440_000].map(inWords), ["1 kB", "72 kB", "999 kB", "1.0 MB", "2.8 MB", "19.4 MB"]);
  });
});
