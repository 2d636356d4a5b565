// Puts the page together. What each part does is in its own file.
//
// Hooks for tests, as data-testid:
//   compare pause resume stop go-on           the run; body[data-phase] is its phase, `status` its last announcement
//   race-table                                rows: tr[data-kind][data-origin], cells: td[data-column=loss|bits|steps|tokens|speed|parameters]
//   axis-steps axis-seconds reading           the chart's switch and what its cursor reads
//   device device-chip restart                the device, its choice and its restart; device-chip[data-kind=cpu|webgpu|waiting|none]
//   kind-<name>                               switches of kinds (aria-pressed)
//   open-text open-budget open-size           the sentence's panels
//   steps batch rate warmup schedule validation layers width heads length tokenizer seed <kind>.<option>    fields
//   text-<name> own-text text-file text-error read-as-<encoding>                                            the text
//   prompt speak quiet temperature topK tokens sampleSeed speech-<kind>                                     let them speak
//   look inside-layer inside-head inside-reading                                                            look inside
//   download-<kind> remove-<kind> load-file load-error                                                      model files
//   lengths measure measure-stop measure-status what-<what> speed-table speed-error                          the speed lab
//   share share-link link-notice run-error speak-error inside-error device-error findings theme             the rest
import { kinds, tasks } from "synthattn";
import { Controls } from "./controls.js";
import { DeviceChip } from "./device.js";
import { h } from "./dom.js";
import { explain } from "./errors.js";
import { ModelFiles } from "./files.js";
import { Findings } from "./findings.js";
import { Inside } from "./inside.js";
import { learnKinds } from "./kinds.js";
import { Lab } from "./lab.js";
import { language, t } from "./messages/index.js";
import { Race } from "./race.js";
import { shareButton } from "./share.js";
import { Speak } from "./speak.js";
import { SpeedLab } from "./speed.js";
import { State } from "./state.js";
import { TextPanel } from "./text-panel.js";
import { rest } from "./text-source.js";
import { themeSwitch } from "./theme.js";

/** @param {HTMLElement} page */
async function open(page) {
  document.documentElement.lang = language;
  document.title = t("page.title");
  const [kindTable, taskTable] = await Promise.all([kinds(), tasks()]);
  learnKinds(kindTable);
  const state = new State(kindTable);
  const lab = new Lab();
  const texts = new TextPanel(state);
  const device = new DeviceChip(lab, state);
  const started = device.start(); // the worker starts while the page is put together
  const controls = new Controls(state, kindTable, taskTable, texts);
  const race = new Race(lab, state, controls, texts);
  race.aside.append(new ModelFiles(lab, state, texts, () => controls.openText()).element);
  const main = h("main", { tabindex: -1 }, controls.element, race.bar, race.element);
  page.append(
    // A button, not a link: the address's hash holds the settings.
    h("button", { type: "button", class: "skip", onclick: () => main.focus() }, t("page.skip")),
    header(state, device),
    main,
  );
  // What needs a laid-out page, and what lies below the first screen, comes after that has been painted.
  await rest();
  race.placed();
  for (const Section of [Speak, Inside, SpeedLab, Findings]) {
    await rest();
    main.append(new Section(lab, state).element);
  }
  page.append(h("footer", {}, h("p", { class: "hint" }, t("page.footer"))));
  await started;
}

/**
 * @param {State} state
 * @param {DeviceChip} device
 */
function header(state, device) {
  const tools = h("div", { class: "row" }, shareButton(state), themeSwitch());
  return h(
    "header",
    {},
    h("div", { class: "masthead" }, h("p", { class: "wordmark" }, t("page.name")), tools),
    h("h1", {}, t("page.question")),
    h("p", { class: "lead" }, t("page.lead")),
    device.element,
  );
}

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
open(page).catch((error) => {
  page.append(h("p", { class: "notice", role: "alert" }, explain(error)));
});
