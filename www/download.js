// A model as a file for the visitor to have.
import { h } from "./dom.js";

/**
 * @param {import("./lab.js").Lab} lab
 * @param {import("./entry.js").Entry} entry
 */
export async function downloadModel(lab, entry) {
  const bytes = await lab.save(entry);
  const url = URL.createObjectURL(
    new Blob([/** @type {BlobPart} */ (bytes)], { type: "application/octet-stream" }),
  );
  h("a", { href: url, download: `synthattn-${entry.kind}-step-${entry.model.step}.safetensors` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
