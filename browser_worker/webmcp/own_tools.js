// @ts-check
/**
 * Which tools of the browser are Bascule's own registrations, so that a dispatcher's actions do not
 * come back to it as tools.
 */

/** @import { ModelContextLike } from "./model_context.js" */

/** @type {WeakMap<ModelContextLike, Set<string>>} */
const OWN = new WeakMap();

/**
 * The names that are registered from here.
 *
 * @param {ModelContextLike} context
 * @returns {Set<string>} To be changed by who registers.
 */
export function ownTools(context) {
  const names = OWN.get(context) ?? new Set();
  OWN.set(context, names);
  return names;
}
