// What the speed lab has measured, to take along: as CSV for a spreadsheet, as Markdown for a text.
import { h, setText } from "./dom.js";
import { csvOf } from "./export/save.js";
import { speed } from "./format.js";
import { labelOf } from "./kinds.js";
import { said, t, together } from "./messages/index.js";

/** @typedef {import("synthattn").SpeedReport} SpeedReport */

/**
 * Measurements, and how they were made.
 *
 * @typedef {object} Measured
 * @property {(SpeedReport & { software: boolean })[]} reports `software`: on a program that stands for a graphics card
 * @property {{ batch: number, dModel: number, heads: number, layers: number, repeats: number }} options
 */

/** One row for each measurement, with all that it takes to read it alone. @param {Measured} measured */
export function rowsOf({ reports, options }) {
  return reports.map(({ kind, what, length, median, low, high, unit, relativeToVanilla, device, software }) => {
    const measured = { kind, what, length, median, low, high, unit, relativeToVanilla, device };
    return { ...measured, software: String(software), ...options };
  });
}

/** Those rows as text; a clipboard needs no mark of how it is written. @param {Measured} measured */
const asCsv = (measured) => csvOf(rowsOf(measured)).replace(/^\uFEFF/, "");

/** A table for each thing measured, and below it on what. @param {Measured} measured */
export function asMarkdown({ reports, options }) {
  const whats = [...new Set(reports.map(({ what }) => what))];
  const tables = whats.map((what) => tableOf(reports.filter((report) => report.what === what)));
  const devices = [...new Set(reports.map(({ device }) => said(device)))].join("; ");
  const { batch, dModel: width, heads, layers, repeats } = options;
  const about = t("speed.copy.about", { repeats, batch, layers, width, heads, device: devices });
  const software = reports.some((report) => report.software) ? t("device.software") : "";
  return `${[...tables, together(about, software)].join("\n\n")}\n`;
}

/** @param {SpeedReport[]} reports of one thing measured */
function tableOf(reports) {
  const [{ what, unit }] = reports;
  const lengths = [...new Set(reports.map(({ length }) => length))];
  const kinds = [...new Set(reports.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => {
    const cells = lengths.map((length) => {
      const report = reports.find((one) => one.kind === kind && one.length === length);
      if (!report) return "";
      const { median, low, high } = report;
      return t("speed.copy.cell", { median: speed(median), low: speed(low), high: speed(high) });
    });
    return line([labelOf(kind), ...cells]);
  });
  const head = line([t("table.kind"), ...lengths.map((length) => t("speed.length", { length }))]);
  const rule = `|---|${"---:|".repeat(lengths.length)}`;
  return [`**${t("speed.copy.title", { what: t(`speed.what.${what}`), unit })}**`, "", head, rule, ...rows].join("\n");
}

/** @param {string[]} cells */
const line = (cells) => `| ${cells.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;

/**
 * Two buttons, and a box with the text where the clipboard is closed.
 *
 * @param {() => Measured} measured
 */
export function copyButtons(measured) {
  const outcome = h("small", { class: "hint", role: "status", "data-testid": "speed-copied" });
  const box = h("textarea", {
    readonly: true,
    hidden: true,
    rows: 8,
    "aria-label": t("speed.copy.box"),
    "data-testid": "speed-copy-text",
  });
  const button = (/** @type {"csv" | "markdown"} */ form, /** @type {(all: Measured) => string} */ write) =>
    h(
      "button",
      {
        type: "button",
        class: "quiet",
        "data-testid": `speed-copy-${form}`,
        "aria-label": t("speed.copy.as", { form: t(`speed.copy.${form}`) }),
        onclick: async () => {
          const text = write(measured());
          try {
            await navigator.clipboard.writeText(text);
            box.hidden = true;
            setText(outcome, t("speed.copy.done"));
          } catch {
            // No permission to write to the clipboard: the text is shown to be copied by hand.
            box.value = text;
            box.hidden = false;
            box.select();
            setText(outcome, t("share.byHand"));
          }
        },
      },
      t(`speed.copy.${form}`),
    );
  return h(
    "div",
    { class: "speed-copy" },
    h(
      "div",
      { class: "save-row" },
      h("span", { class: "hint" }, t("speed.copy.label")),
      button("csv", asCsv),
      button("markdown", asMarkdown),
      outcome,
    ),
    box,
  );
}
