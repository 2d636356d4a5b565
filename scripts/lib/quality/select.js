// The table of groups as single runs, and which of them a command line names.

import { createHash } from "node:crypto";
import { Stop } from "../run.js";
import { GROUPS } from "./runs.js";

/** @typedef {import("./runs.js").Group} Group */
/** @typedef {import("./runs.js").KindName} KindName */

/**
 * @typedef {object} Run
 * @property {string} id "group/kind"
 * @property {string} group
 * @property {KindName} kind
 * @property {string} data
 * @property {import("./runs.js").Metric} metric
 * @property {number} limit seconds of training
 * @property {number} [curve]
 * @property {Record<string, unknown>} [options] of the kind
 * @property {Group["spec"]} spec
 * @property {Group["train"]} train
 * @property {import("./runs.js").Target} [target]
 */

/** @param {Group[]} [groups] @returns {Run[]} */
export function allRuns(groups = GROUPS) {
  return groups.flatMap(({ name, data, metric, limit, curve, spec, train, kinds }) =>
    Object.entries(kinds).map(([kind, own]) => ({
      id: `${name}/${kind}`,
      group: name,
      kind: /** @type {KindName} */ (kind),
      data,
      metric,
      limit,
      curve,
      options: own.options,
      spec: { ...spec, ...own.spec },
      train: { ...train, ...own.train },
      target: own.target,
    })),
  );
}

/**
 * @param {Run[]} runs
 * @param {string[]} names of groups or runs; none: all
 */
export function select(runs, names) {
  const named = (/** @type {string} */ name) => (/** @type {Run} */ run) => run.group === name || run.id === name;
  for (const name of names) {
    if (!runs.some(named(name))) throw new Stop(`There is no run ${name}, only ${[...new Set(runs.map(({ group }) => group))].join(", ")}; "-- --list" lists their kinds.`);
  }
  return names.length ? runs.filter((run) => names.some((name) => named(name)(run))) : runs;
}

/** What a result depends on, in a few letters: a result with other ones is of other settings. @param {Run} run */
export function settingsKey({ data, kind, limit, curve, options, spec, train }) {
  const sorted = (/** @type {object} */ value) => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([data, kind, limit, curve ?? 1, sorted(options ?? {}), sorted(spec), sorted(train)]);
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
