// A model on the bench with what is known about its training.

/** @typedef {import("synthattn").Model} Model */
/** @typedef {import("synthattn").Report} Report */
/** @typedef {import("synthattn").Metrics} Metrics */

/**
 * A score on what was never trained on: held-out text, or `count` test rows. `whole` if on all of it.
 *
 * @typedef {object} Held
 * @property {number} step @property {number} seconds
 * @property {number} loss
 * @property {Metrics} metrics
 * @property {number} count
 * @property {boolean} whole
 */

/**
 * A model on the bench with what is known about its training.
 *
 * @typedef {object} Entry
 * @property {string} id
 * @property {string} kind
 * @property {Model} model
 * @property {string} [file] the file it was loaded from
 * @property {{ step: number, seconds: number, loss: number }[]} points training loss, one a report
 * @property {Held[]} held scores on what is not trained on
 * @property {Report["phase"] | "waiting" | "finished"} phase
 * @property {number[]} speeds steps per second of the intervals that count
 * @property {number[]} ends the steps at which these ended; NaN where that was not kept
 * @property {number[]} rates tokens per second of the same
 * @property {number} seconds of training, over all calls
 * @property {number} earlier seconds of the calls before this one
 * @property {number} lastMark how many of the marks along the run have been scored
 */

/** What is known of a model beside its file. @typedef {Omit<Entry, "model">} Record */

let made = 0;

/**
 * @param {string} kind
 * @param {Model} model
 * @param {string} [file] the file it was loaded from
 * @returns {Entry}
 */
export function newEntry(kind, model, file) {
  made += 1;
  return {
    id: `m${made}`,
    kind,
    model,
    file,
    points: [],
    held: [],
    phase: file ? "finished" : "waiting",
    speeds: [],
    ends: [],
    rates: [],
    seconds: 0,
    earlier: 0,
    lastMark: 0,
  };
}

/**
 * All but the model: to be kept, and to be given to `revived` with it.
 *
 * @param {Entry} entry
 * @returns {Record}
 */
export function recordOf({ model: _, ...record }) {
  return record;
}

/**
 * An entry as it was when its model had made as many steps.
 *
 * @param {Record} record
 * @param {Model} model
 * @returns {Entry}
 */
export function revived(record, model) {
  const ends = record.ends ?? record.speeds.map(() => NaN); // earlier versions kept none
  const entry = { ...newEntry(record.kind, model, record.file), ...record, ends, id: `m${made}` };
  if (!entry.file) forget(entry, model.step);
  if (entry.phase !== "finished" || entry.held.at(-1)?.step !== model.step) entry.phase = "waiting";
  return entry;
}

/**
 * Drops what was seen after a step: a device that was lost takes models back to their last snapshot.
 *
 * @param {Entry} entry
 * @param {number} step
 */
export function forget(entry, step) {
  entry.points = entry.points.filter((point) => point.step <= step);
  entry.held = entry.held.filter((point) => point.step <= step);
  entry.seconds = entry.points.at(-1)?.seconds ?? 0;
}
