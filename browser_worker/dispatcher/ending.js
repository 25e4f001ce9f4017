// @ts-check
/** How a request ended, for those who only watch. */

import { contractCode } from "./app_error.js";

/** @typedef {{ ok: boolean, deferred: boolean, code?: string }} Ending How a call ended. */

/**
 * @param {Record<string, unknown>} result
 * @returns {Ending}
 */
export function succeeded(result) {
  return { ok: true, deferred: result["status"] === "deferred" };
}

/**
 * @param {unknown} error
 * @returns {Ending}
 */
export function failed(error) {
  return { ok: false, deferred: false, code: contractCode(error) ?? "HOST_ERROR" };
}
