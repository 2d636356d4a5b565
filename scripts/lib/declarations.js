// What TypeScript's declarations of the package say of fields that may be missing: of a JSDoc property in brackets it writes
// that it may be undefined too. Of options that is so. What the package gives leaves such a field out, and apps with
// `exactOptionalPropertyTypes` may count on it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Types of what apps hand in. */
const GIVEN = /^export type (\w+Options|ModelSpec) =/;

/** Says of results what they are. @param {string} folder with the declarations */
export function exactResults(folder) {
  const path = join(folder, "contract.d.ts");
  const types = readFileSync(path, "utf8").split(/^(?=export type )/m);
  writeFileSync(path, types.map((type) => (GIVEN.test(type) ? type : type.replaceAll(" | undefined;", ";"))).join(""));
}
