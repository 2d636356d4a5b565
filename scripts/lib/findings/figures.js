// The figures of the report: those of the page, as files, and a table of attention at three moments.

import { kinds } from "synthattn";
import { weightsOf } from "../../../www/findings/attention.js";
import { fileOf } from "../../../www/findings/drawing.js";
import { tablesFigure } from "../../../www/findings/figures.js";
import { figuresOf } from "../../../www/findings/pictures.js";
import { armName } from "../../../www/findings/texts.js";
import { whole } from "../../../www/format.js";
import { learnKinds } from "../../../www/kinds.js";
import { t } from "../../../www/messages/index.js";

/** @typedef {import("../../../www/findings/contract.js").Experiment} Experiment */
/** @typedef {import("../../../www/findings/contract.js").Result} Result */
/** @typedef {import("../../../www/findings/contract.js").Snapshot} Snapshot */
/** @typedef {{ name: string, title: string, svg: string }} File */

learnKinds(await kinds());

/** CSS pixels. */
const WIDTH = 720;
/** Moments of a film that are shown: evenly over its frames, the first and the last among them. */
const MOMENTS = 3;

/** @param {Experiment} experiment @param {Result} result @returns {File[]} */
export function figuresFor(experiment, result) {
  const drawn = figuresOf(experiment, result).flatMap(({ name, title, views }) =>
    views.filter((view) => isShown(experiment, name, view.name)).map((view) => {
      const whole = views.length > 1 ? t("findings.figure.viewed", { title, view: view.label }) : title;
      return { name: name === view.name || views.length === 1 ? name : `${name}-${view.name}`, title: whole, svg: fileOf(view.picture(WIDTH), { title: whole, caption: view.note ?? "" }) };
    }),
  );
  return [...drawn, ...films(experiment, result)];
}

/**
 * Scores at the end and on the way; against speed or size where that is what an experiment is about. What is left out
 * stands in tables.
 *
 * @param {Experiment} experiment
 * @param {string} figure
 * @param {string} view
 */
function isShown({ setups, claims }, figure, view) {
  if (view === "time") return false;
  if (view === "speed") return claims.some((claim) => claim.view === "speed");
  if (view === "size") return setups.some(({ id, arms }) => id === figure && arms.some(({ sized }) => sized));
  return true;
}

/** The tables that are kept all along, at a few moments. @param {Experiment} experiment @param {Result} result @returns {File[]} */
function films(experiment, { snapshots }) {
  return experiment.setups.flatMap(({ id, watch }) =>
    (watch?.films ?? []).flatMap((arm) => {
      const frames = snapshots.filter((one) => one.setup === id && one.arm === arm).sort((a, b) => a.step - b.step);
      if (frames.length < MOMENTS) return [];
      const title = t("findings.film.title", { arm: armName(experiment, arm) });
      const moments = Array.from({ length: MOMENTS }, (_, index) => frames[Math.round((index * (frames.length - 1)) / (MOMENTS - 1))]);
      const largest = Math.max(...moments.map((one) => one.largest));
      return moments.map((moment) => {
        const pictured = t("findings.film.pictured", { title, step: whole(moment.step) });
        return { name: `${id}-${arm}-${moment.step}`, title: pictured, svg: fileOf(tablesFigure({ tables: tablesOf(moment), largest }, WIDTH), { title: pictured, caption: t("findings.film.scale") }) };
      });
    }),
  );
}

/** Every head of every layer. @param {Snapshot} snapshot */
function tablesOf(snapshot) {
  const { layers, heads, length } = snapshot;
  const weights = weightsOf(snapshot);
  return Array.from({ length: layers * heads }, (_, index) => ({
    label: t("findings.film.head", { layer: Math.floor(index / heads) + 1, head: (index % heads) + 1 }),
    length,
    weights: weights.subarray(index * length * length, (index + 1) * length * length),
  }));
}
