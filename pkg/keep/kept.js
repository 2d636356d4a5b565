/**
 * What is kept, as others see it.
 *
 * @module
 */

/** @import { Kept, KeptModel } from "./contract.js" */
/** @import { Work } from "./database.js" */

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
