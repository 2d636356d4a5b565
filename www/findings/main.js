// The page of findings: puts it together. What each part does is in its own file.
//
// Hooks for tests, as data-testid:
//   summary overview                          what the report comes to, in all and by experiment: overview a[href="#<id>"]
//   hide-first                                the switch that hides results until something is expected
//   finding-<id>                              a section; body[data-running] is the experiment that runs, body[data-shown] that all of the report is
//   expect-<id>-<prediction> expected-<id>    what a visitor expects, and what is said of it
//   report-<id> own-<id>                      a result: [data-claim][data-verdict] are its claims, [data-missing] why there is none
//   <report|own>-<id>-<figure>                a figure; view-<the same>-<view> its views, save-<the same>-<format> its files
//   <report|own>-<id>-film                    the table over time: its slider, reading and maps
//   run-<id>-<quick|full> stop-<id> progress-<id> state-<id> run-error-<id> forget-<id>          running it here
//   rerun-<id> rerun-<id>-link                a link that reruns it
//   device device-chip restart device-error theme language                                       the rest
import { kinds } from "synthattn";
import { DeviceChip } from "../device.js";
import { h } from "../dom.js";
import { explain, tellErrorsBy } from "../errors.js";
import { learnKinds } from "../kinds.js";
import { languageSwitch } from "../language-switch.js";
import { language, said, t } from "../messages/index.js";
import { themeSwitch } from "../theme.js";
import { EXPERIMENTS } from "./experiments.js";
import { Finding } from "./finding.js";
import { followLink } from "./link.js";
import { overview } from "./overview.js";
import { reportOf } from "./reports.js";
import { Workbench } from "./workbench.js";

/** @param {HTMLElement} page */
async function open(page) {
  document.documentElement.lang = language;
  document.title = t("findings.title");
  tellErrorsBy((code, part) => `findings.error.${code}.${part}`);
  const reports = Promise.all(EXPERIMENTS.map((experiment) => found(reportOf(experiment.id))));
  learnKinds((await kinds()).map((kind) => ({ ...kind, label: said(kind.label) })));
  const bench = new Workbench();
  const place = placeOfVisit();
  const device = new DeviceChip(bench, place);
  device.rest(t("findings.device.later"), t("findings.device.laterWhy"));
  const findings = EXPERIMENTS.map((experiment) => new Finding(experiment, bench, () => device.start()));
  const head = overview(EXPERIMENTS, () => findings.forEach((finding) => finding.showResults()));
  const main = h("main", { tabindex: -1 }, head.element);
  page.append(
    h("button", { type: "button", class: "skip", onclick: () => main.focus() }, t("findings.skip")),
    header(bench, device),
    main,
    h("footer", {}, h("p", { class: "hint" }, t("findings.footer"))),
  );
  bench.addEventListener("phase", () => {
    if (bench.running) document.body.dataset.running = bench.running;
    else delete document.body.dataset.running;
  });
  const stored = await reports;
  head.show(stored);
  for (const [index, finding] of findings.entries()) {
    await painted(); // one at a time: all at once would hold the page up
    finding.showReport(stored[index]);
    main.append(finding.element);
  }
  await painted();
  document.body.dataset.shown = "true";
  followLink(findings);
}

/** After the next frame; a page that is hidden has none. */
function painted() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 200);
  });
}

/**
 * A stored result, or why it could not be had.
 *
 * @param {Promise<import("./contract.js").Result | undefined>} report
 * @returns {Promise<Stored>}
 */
async function found(report) {
  try {
    return { result: await report };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** @typedef {{ result?: import("./contract.js").Result, fault?: string }} Stored */

/** The device that this visit asks for, in the address or by the switch. */
function placeOfVisit() {
  const asked = new URLSearchParams(location.search).get("device");
  const settings = { device: asked === "cpu" || asked === "webgpu" ? asked : "auto", workers: 1 };
  return { settings, set: (/** @type {{ device: string }} */ change) => void Object.assign(settings, change) };
}

/** @param {Workbench} bench @param {DeviceChip} device */
function header(bench, device) {
  const work = { isThere: () => bench.busy, keep: async () => false, lost: t("findings.languageLost") };
  return h(
    "header",
    {},
    h(
      "div",
      { class: "masthead" },
      h("p", {}, h("a", { class: "wordmark", href: "../" }, t("page.name"))),
      h("div", { class: "row" }, h("a", { class: "quiet-link", href: "../" }, t("findings.toDemo")), languageSwitch(work), themeSwitch()),
    ),
    h("h1", {}, t("findings.heading")),
    h("p", { class: "lead" }, t("findings.lead")),
    device.element,
  );
}

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
open(page).catch((error) => {
  page.append(h("p", { class: "notice", role: "alert" }, explain(error)));
});
