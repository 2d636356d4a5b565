// What the report comes to: when and where it was made, how many claims held, and the nine questions with a link to each.
import { h } from "../dom.js";
import { day } from "../format.js";
import { listed, said, t, together } from "../messages/index.js";
import { hideFirst, hidesFirst, predictionOf } from "./kept.js";
import { settingsOf } from "./settings.js";
import { summarize } from "./summary.js";
import { words } from "./texts.js";

/** @import { Experiment, Result, Verdict } from "./contract.js" */

const VERDICTS = /** @type {Verdict[]} */ (["agrees", "disagrees", "undecided"]);

/**
 * @param {Experiment[]} experiments
 * @param {() => void} changed results are to be hidden, or no longer
 */
export function overview(experiments, changed) {
  const text = h("div", { "data-testid": "summary" });
  const tallies = experiments.map(() => h("span", { class: "tally" }));
  /** @type {(Result | undefined)[]} */
  let results = [];
  const hide = h("input", {
    type: "checkbox",
    checked: hidesFirst(),
    "data-testid": "hide-first",
    onchange: () => {
      hideFirst(hide.checked);
      changed();
      draw();
    },
  });
  const element = h(
    "section",
    { class: "overview", "aria-labelledby": "overview-title" },
    h("h2", { id: "overview-title" }, t("findings.overview.title")),
    text,
    h("label", { class: "switch-line" }, hide, h("span", {}, t("findings.overview.hide"))),
    h(
      "ol",
      { class: "contents", "data-testid": "overview" },
      experiments.map((experiment, index) =>
        h("li", {}, h("span", { class: "finding-number" }, experiment.number), h("a", { href: `#${experiment.id}` }, words.question(experiment)), tallies[index]),
      ),
    ),
  );
  const draw = () => {
    const verdicts = experiments.map((experiment, index) => verdictsOf(experiment, results[index]));
    text.replaceChildren(...paragraphs(results, verdicts).map((one) => h("p", {}, one)));
    experiments.forEach(({ id }, index) => {
      const hidden = hidesFirst() && predictionOf(id) === undefined;
      tallies[index].textContent = hidden && results[index] ? t("findings.tally.hidden") : tallyOf(verdicts[index]);
    });
  };
  return {
    element,
    draw,
    /** @param {import("./main.js").Stored[]} stored */
    show(stored) {
      results = stored.map(({ result }, index) => (result?.settings === settingsOf(experiments[index], result?.scale ?? "full") ? result : undefined));
      draw();
    },
  };
}

/** @param {Experiment} experiment @param {Result | undefined} result @returns {Verdict[]} */
function verdictsOf(experiment, result) {
  return result ? summarize(experiment, result).claims.map(({ verdict }) => verdict) : [];
}

/** @param {Verdict[]} verdicts */
function tallyOf(verdicts) {
  const counts = VERDICTS.map((verdict) => [verdict, verdicts.filter((one) => one === verdict).length]).filter(([, count]) => count);
  return counts.length > 0 ? listed(counts.map(([verdict, count]) => t(`findings.tally.${verdict}`, { count }))) : t("findings.tally.missing");
}

/** @param {(Result | undefined)[]} results @param {Verdict[][]} verdicts */
function paragraphs(results, verdicts) {
  const there = results.flatMap((result) => result ?? []);
  if (there.length === 0) return [t("findings.overview.none")];
  const one = (/** @type {(result: Result) => string} */ of) => listed([...new Set(there.map(of))]);
  const seeds = there.map((result) => new Set(result.runs.map(({ seed }) => seed)).size);
  const [least, most] = [Math.min(...seeds), Math.max(...seeds)];
  const dates = there.map(({ date }) => date).sort();
  const made = t("findings.overview.made", {
    date: day(dates[dates.length - 1]),
    machine: one(({ machine }) => machine),
    device: one(({ device }) => said(device)),
    seeds: least === most ? least : t("findings.overview.range", { least, most }),
  });
  const all = verdicts.flat();
  const counted = Object.fromEntries(VERDICTS.map((verdict) => [verdict, all.filter((one) => one === verdict).length]));
  const count = t("findings.overview.count", { count: all.length, ...counted });
  const missing = results.length - there.length;
  return [together(made, count, missing > 0 ? t("findings.overview.missing", { count: missing }) : ""), t("findings.overview.rule")];
}
