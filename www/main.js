// Puts the page together. What each part does is in its own file.
//
// Hooks for tests, as data-testid:
//   compare pause resume stop go-on           the run; body[data-phase] is its phase, `status` its last announcement
//   race-table                                rows: tr[data-kind][data-origin], cells: [data-column]
//                                             (loss score steps tokens speed between parameters); tfoot tr[data-row=baseline|ceiling]
//   axis-steps axis-seconds reading ceiling    the chart's switch and what its cursor reads; `measured`: how speeds were
//   device device-chip restart                the device, its choice and its restart; device-chip[data-kind=cpu|webgpu|waiting|none]
//   kind-<name>                               switches of kinds (aria-pressed)
//   task open-text open-budget open-size      the sentence's choice of task and its panels
//   steps batch rate warmup schedule validation workers layers width heads length dropout tokenizer vocabulary seed
//   <kind>.<option>                           fields
//   text-<name> about-data sample-rows data-error    the choice of data
//   own-text text-file text-error read-as-<encoding>    a person's own text; for rows see rows-panel.js
//   predictions prediction-<kind> confusion    test rows: predictions li[data-kind], [data-right]; figure[data-kind]
//   prompt speak quiet temperature topK tokens sampleSeed speech-<kind>                                     let them speak
//   prompt second ask another-row ask-problem known-answer beams top words answer-<kind>                    let them answer
//   look lookSecond part-<part> inside-layer inside-head inside-reading                                     look inside
//   download-<kind> remove-<kind> load-file load-error                                                      model files
//   kept-offer kept-resume kept-discard kept-error    comparisons of earlier visits
//   kept-state kept-trouble kept-download-<kind> kept-close    how far this one is kept ([data-step], [data-finished], [data-scored]: models with a score), or why not
//   go-on-again                               after an error, beside what is said of it
//   lengths measure measure-stop measure-status what-<what> speed-table speed-error                          the speed lab
//   speed-copy-csv speed-copy-markdown speed-copied speed-copy-text                                         its numbers, to take along
//   card-<kind> all-cards                     the kinds one by one; [data-value] of weights and multiply-adds
//   save-<what>-<format>                      files to keep: curves, speed and maps as svg, png and csv, race and confusion as csv
//   share-run share-run-link                  a link with the settings of the run
//   share share-link link-notice run-error speak-error inside-error device-error conclusions theme language    the rest
import { kinds, tasks } from "synthattn";
import { KindCards } from "./cards/cards.js";
import { Controls } from "./controls.js";
import { DataPanel } from "./data-panel.js";
import { DataSource } from "./data.js";
import { DeviceChip } from "./device.js";
import { h } from "./dom.js";
import { explain } from "./errors.js";
import { OWN } from "./fields.js";
import { ModelFiles } from "./files.js";
import { Conclusions } from "./conclusions.js";
import { Inside } from "./inside.js";
import { Keeper } from "./keeping.js";
import { KeptWork, comeBackTo } from "./kept-work.js";
import { learnKinds } from "./kinds.js";
import { Lab } from "./lab.js";
import { languageSwitch } from "./language-switch.js";
import { language, said, t } from "./messages/index.js";
import { OwnPanels } from "./own-data.js";
import { Race } from "./race.js";
import { shareButton } from "./share.js";
import { SpeedLab } from "./speed.js";
import { State } from "./state.js";
import { TASKS } from "./tasks.js";
import { rest } from "./text-source.js";
import { themeSwitch } from "./theme.js";
import { answersStage, testedStage } from "./views/stage.js";

/** @param {HTMLElement} page */
async function open(page) {
  document.documentElement.lang = language;
  document.title = t("page.title");
  const [kindTable, taskTable] = await Promise.all([kinds(), tasks()]).then(inLanguage);
  learnKinds(kindTable);
  const state = new State(kindTable, taskTable);
  const lab = new Lab();
  const own = new OwnPanels((given) => {
    if (given) state.set({ text: OWN });
    data.ownChanged();
  });
  const data = new DataSource(state, own);
  const device = new DeviceChip(lab, state);
  const started = device.start(); // the worker starts while the page is put together
  const controls = new Controls(state, kindTable, data, new DataPanel(state, data, own));
  const race = new Race(lab, state, controls, data);
  const readData = (/** @type {File} */ file) => {
    controls.openText();
    void own.of(TASKS[state.settings.task].shape).readFile(file);
  };
  race.notes.before(new ModelFiles(lab, state, data, readData).element);
  const keeper = new Keeper(lab, state);
  const work = new KeptWork(keeper, lab, (show) => race.takeFocus(show));
  race.notes.append(work.state);
  const main = h(
    "main",
    { tabindex: -1 },
    work.offers,
    controls.element,
    race.bar,
    work.trouble,
    race.element,
  );
  page.append(
    // A button, not a link: the address's hash holds the settings.
    h("button", { type: "button", class: "skip", onclick: () => main.focus() }, t("page.skip")),
    header(state, device, languageSwitch(comparison(keeper, lab))),
    main,
  );
  // What needs a laid-out page, and what lies below the first screen, comes after that has been painted.
  await rest();
  race.placed();
  const bench = { lab, state, data };
  for (const section of SECTIONS) {
    await rest();
    const { element, placed } = section(bench);
    main.append(element);
    placed?.();
  }
  page.append(h("footer", {}, h("p", { class: "hint" }, t("page.footer"))));
  await started;
}

/**
 * The comparison on the bench, which a page that is opened anew brings back.
 *
 * @param {Keeper} keeper
 * @param {Lab} lab
 * @returns {import("./language-switch.js").Work}
 */
function comparison(keeper, lab) {
  const keep = async () => {
    const name = await keeper.keepNow();
    if (name !== undefined) comeBackTo(name);
    return name !== undefined;
  };
  return { isThere: () => lab.order !== undefined, keep, lost: t("language.lost") };
}

/**
 * The package's tables with what is read of them in the language of the page.
 *
 * @param {[import("synthattn").KindInfo[], import("synthattn").TaskInfo[]]} tables
 * @returns {[import("synthattn").KindInfo[], import("synthattn").TaskInfo[]]}
 */
function inLanguage([kindTable, taskTable]) {
  return [
    kindTable.map((kind) => ({
      ...kind,
      label: said(kind.label),
      summary: said(kind.summary),
      options: kind.options.map((option) => ({ ...option, help: said(option.help) })),
    })),
    taskTable.map((task) => ({
      ...task,
      builtins: task.builtins
        .map((set) => ({ ...set, label: said(set.label), source: said(set.source) }))
        .sort((a, b) => Number(isNative(b, task)) - Number(isNative(a, task))),
    })),
  ];
}

/**
 * Whether a set of data is in the language of the page.
 *
 * @param {import("synthattn").TaskInfo["builtins"][number]} set
 * @param {import("synthattn").TaskInfo} task
 */
function isNative({ name }, task) {
  return TASKS[task.name]?.sets[name]?.language === language;
}

/**
 * What stands below the race.
 *
 * @type {((bench: import("./views/bench.js").Bench) => { element: HTMLElement, placed?: () => void })[]}
 */
const SECTIONS = [
  testedStage,
  answersStage,
  (bench) => new Inside(bench),
  ({ lab, state }) => new SpeedLab(lab, state),
  (bench) => new Conclusions(bench),
  (bench) => new KindCards(bench),
];

/**
 * @param {State} state
 * @param {DeviceChip} device
 * @param {HTMLElement} languages
 */
function header(state, device, languages) {
  const findings = h("a", { class: "quiet-link", href: "findings/" }, t("page.toFindings"));
  const tools = h("div", { class: "row" }, findings, shareButton(state), languages, themeSwitch());
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
