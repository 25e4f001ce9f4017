// @ts-check
/** How one message to a session ended, whichever protocol it is of. */

import { contractCode } from "./app_error.js";

/**
 * @typedef {{ ok: boolean, deferred: boolean, task?: string, code?: string }} Ending How a request ended.
 */

/**
 * @typedef {object} SessionAnswer
 * @property {string | undefined} line Undefined for what is not answered.
 * @property {Ending} [ending] Of a request that was run.
 * @property {boolean} [cancelled] Whether the caller has said that it wants no answer any more.
 */

/**
 * @param {Record<string, unknown>} result
 * @returns {Ending}
 */
export function succeeded(result) {
  if (result["status"] !== "deferred") return { ok: true, deferred: false };
  const task = /** @type {any} */ (result["task"])?.id;
  return { ok: true, deferred: true, ...(typeof task === "string" ? { task } : {}) };
}

/**
 * @param {unknown} error
 * @returns {Ending}
 */
export function failed(error) {
  return { ok: false, deferred: false, code: contractCode(error) ?? "HOST_ERROR" };
}
