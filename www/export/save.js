// Files for a person to keep: pictures of charts and numbers of tables, by a row of small buttons.
import Papa from "papaparse";
import { h, setText } from "../dom.js";
import { explain } from "../errors.js";
import { t } from "../messages/index.js";

/** @typedef {"svg" | "png" | "csv"} Format */
/** @typedef {() => string | Blob | Promise<Blob>} Make */

const TYPES = { svg: "image/svg+xml", png: "image/png", csv: "text/csv;charset=utf-8" };

/** @param {string} name @param {Blob} blob */
export function saveFile(name, blob) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * A table as CSV, its first row the names of the columns: names and numbers as programs read them, whatever the page's
 * language. A text that a spreadsheet would take for a formula gets a quote before it.
 *
 * @param {Record<string, string | number | undefined>[]} rows with the same fields each
 */
export function csvOf(rows) {
  const plain = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === "number" && !Number.isFinite(value) ? "" : value])),
  );
  // The mark lets spreadsheets read it as UTF-8.
  return `\uFEFF${Papa.unparse(plain, { escapeFormulae: /^[=+@\t\r]|^-(?![\d.]+(e[+-]?\d+)?$)/, newline: "\r\n" })}\r\n`;
}

/**
 * Buttons that save one chart or table.
 *
 * @param {string} name of the files, and of the hooks: save-<name>-<format>
 * @param {Partial<Record<Format, Make>>} ways
 * @param {string} [what] its name in words
 */
export function saveRow(name, ways, what = t(`save.${name}`)) {
  const said = h("small", { class: "hint", role: "status" });
  const buttons = Object.entries(ways).map(([format, make]) =>
    h(
      "button",
      {
        type: "button",
        class: "quiet",
        "data-testid": `save-${name}-${format}`,
        "aria-label": t("save.as", { what, format: t(`save.${format}`) }),
        onclick: async () => {
          try {
            const made = await make();
            const file = `synthattn-${name}.${format}`;
            saveFile(file, made instanceof Blob ? made : new Blob([made], { type: TYPES[/** @type {Format} */ (format)] }));
            setText(said, t("save.done", { file }));
          } catch (error) {
            setText(said, explain(error));
          }
        },
      },
      t(`save.${format}`),
    ),
  );
  return h("div", { class: "save-row" }, h("span", { class: "hint" }, t("save.label", { what })), buttons, said);
}

/** A canvas as a file. @param {HTMLCanvasElement} canvas @returns {Promise<Blob>} */
export function pngOf(canvas) {
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(t("save.failed")))), "image/png"),
  );
}
