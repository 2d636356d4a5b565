// What is said of an experiment. The texts stand with the page's others; this knows their names.

/** @import { Claim, Experiment, Published, Setup } from "./contract.js" */

/**
 * Texts of experiments in one language.
 *
 * @param {(key: string) => string} t the text of a key
 * @param {(key: string) => boolean} has whether there is one
 */
export function wordsOf(t, has) {
  return {
    /** @param {Experiment} experiment */
    title: ({ id }) => t(`experiment.${id}.title`),
    /** One sentence. @param {Experiment} experiment */
    question: ({ id }) => t(`experiment.${id}.question`),
    /** What is run. @param {Experiment} experiment */
    about: ({ id }) => t(`experiment.${id}.about`),
    /** What is to be kept in mind; empty where there is nothing. @param {Experiment} experiment */
    remark: ({ id }) => (has(`experiment.${id}.remark`) ? t(`experiment.${id}.remark`) : ""),
    /** @param {Experiment} experiment @param {string} prediction */
    expects: ({ id }, prediction) => t(`experiment.${id}.expects.${prediction}`),
    /** A sentence of what the paper says. @param {Experiment} experiment @param {Claim} claim */
    claim: ({ id }, claim) => t(`experiment.${id}.claim.${claim.id}`),
    /** @param {Experiment} experiment @param {Setup} setup */
    setup: ({ id }, setup) => t(`experiment.${id}.setup.${setup.id}`),
    /**
     * The name of an arm: that of its kind, or one of its own.
     *
     * @param {Experiment} experiment
     * @param {string} arm
     * @param {(kind: string) => string} labelOf the name of a kind
     */
    arm: ({ id }, arm, labelOf) => (has(`experiment.${id}.arm.${arm}`) ? t(`experiment.${id}.arm.${arm}`) : labelOf(arm)),
    /** Whose a number is, and of what. @param {Pick<Published, "source">} published */
    source: ({ source }) => t(`experiment.published.${source}`),
  };
}
