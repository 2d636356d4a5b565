/**
 * What is kept, as others see it.
 *
 * @module
 */

/** @import { ModelSpec } from "../contract.js" */
/** @import { Work } from "./database.js" */

/**
 * Kept work, without its bytes.
 *
 * @typedef {object} Kept
 * @property {string} name
 * @property {Date} savedAt
 * @property {number} step of the first model
 * @property {Required<ModelSpec>} spec of the first model
 * @property {number} size bytes of all models
 * @property {KeptModel[]} models
 * @property {unknown} note what `note()` gave
 * @property {boolean} inUse a tab, this or another, is keeping work under this name
 */

/** @typedef {{ key: string, step: number, spec: Required<ModelSpec>, size: number }} KeptModel */

/**
 * @param {Work} work
 * @param {boolean} inUse
 * @returns {Kept}
 */
export function shown({ name, savedAt, models, note }, inUse) {
  const [{ step, spec }] = /** @type {[KeptModel]} */ (models);
  const size = models.reduce((sum, model) => sum + model.size, 0);
  return { name, savedAt: new Date(savedAt), step, spec, size, models, note, inUse };
}
