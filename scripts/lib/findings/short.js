// The short form: every arm of every experiment for a few steps, so that tests notice when one would no longer work.

/** @typedef {import("../../../www/findings/contract.js").Experiment} Experiment */

const SHORT = { steps: 4, checkpoints: 1, seeds: [1] };
export const SHORT_TIMING = { rounds: 2, steps: 1 };

/** The quick scale made still quicker. @param {Experiment} experiment @returns {Experiment} */
export function shortened(experiment) {
  return { ...experiment, setups: experiment.setups.map((setup) => ({ ...setup, train: { ...setup.train, warmup: 0 }, scale: { ...setup.scale, quick: SHORT } })) };
}
