// Results of experiments made by hand: every run, timing and table that a real one has, with numbers that are plausible
// and the same every time.

import { snapshotOf, nearness } from "../../www/findings/attention.js";
import { settingsOf } from "../../www/findings/settings.js";

/** @import { Experiment, Result, Scale } from "../../www/findings/contract.js" */

/** Numbers from 0 to 1 from what they are of: FNV-1a, and two rounds of mixing. @param {...(string | number)} of */
function noise(...of) {
  let hash = 0x811c9dc5;
  for (const letter of of.join("|")) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

/**
 * Attention that moves from a drawn table to the nearest tokens.
 *
 * @param {number} share of training that is over
 * @param {string} arm
 * @param {{ layers: number, heads: number, length: number }} sizes
 */
function mapsAt(share, arm, { layers, heads, length }) {
  const weights = new Float32Array(layers * heads * length * length);
  for (let map = 0; map < layers * heads; map += 1) {
    for (let query = 0; query < length; query += 1) {
      const row = Array.from({ length: query + 1 }, (_, key) => Math.exp(2 * noise(arm, map, query, key) - share * 0.6 * (map + 1) * Math.min(6, query - key)));
      const sum = row.reduce((all, one) => all + one, 0);
      row.forEach((one, key) => (weights[(map * length + query) * length + key] = one / sum));
    }
  }
  const tokens = Array.from({ length }, (_, index) => String(index));
  return { tokens, layers, heads, queries: length, keys: length, weights };
}

/**
 * A whole result of an experiment.
 *
 * @param {Experiment} experiment
 * @param {Scale} [scale]
 */
export function resultFor(experiment, scale = "full") {
  /** @type {Result} */
  const result = { experiment: experiment.id, settings: settingsOf(experiment, scale), scale, date: "2026-01-31", machine: "a machine made by hand", device: "CPU (SIMD)", seconds: 754, runs: [], timings: [], histograms: [], snapshots: [], nearness: [] };
  for (const setup of experiment.setups) {
    const { steps, checkpoints, seeds } = setup.scale[scale];
    const marks = Array.from({ length: checkpoints }, (_, index) => Math.round((steps * (index + 1)) / checkpoints));
    const far = setup.chance ?? (setup.better > 0 ? 0.05 : 4.2);
    const near = setup.better > 0 ? 0.95 : 2.2;
    setup.arms.forEach((arm, place) => {
      for (const seed of seeds) {
        const end = near + (far - near) * (0.1 * place + 0.05 * noise(setup.id, arm.id, seed));
        const scores = marks.map((step) => end + (far - end) * Math.exp((-4 * step) / steps));
        result.runs.push({ setup: setup.id, arm: arm.id, seed, parameters: 100_000 + 7000 * place, steps: marks, scores });
        if (!setup.watch) continue;
        const { bins, nearest, films } = setup.watch;
        for (const step of [0, ...marks]) {
          const at = { setup: setup.id, arm: arm.id, seed, step };
          const maps = mapsAt(step / steps, arm.id, { layers: 2, heads: 4, length: 32 });
          result.nearness.push({ ...at, ...nearness(maps, nearest) });
          const ends = step === 0 || step === steps;
          if (seed === seeds[0] && (ends || films.includes(arm.id))) result.snapshots.push({ ...at, ...snapshotOf(maps) });
          if (ends) result.histograms.push({ ...at, counts: [0, 1].map((layer) => Array.from({ length: bins }, (_, bin) => Math.round(4000 * Math.exp((-bin * (2 - step / steps)) / (3 + layer))))) });
        }
      }
      result.timings.push({ setup: setup.id, arm: arm.id, milliseconds: [0, 1, 2, 3, 4].map((round) => 20 + 3 * place + noise(arm.id, round)) });
    });
  }
  return result;
}
