// @ts-check
/** Copies of an app's data, as they will be sent: what the app does to its own later changes nothing. */

import { StrictJsonError, parse, stringify } from "../contract/strict_json.js";
import { AppError, limitExceeded } from "./app_error.js";

/** @import { JsonLimits } from "../contract/limits.js" */

/**
 * @param {unknown} value
 * @param {Readonly<JsonLimits>} [limits]
 * @returns {any}
 * @throws {StrictJsonError} Where it is not JSON within the limits.
 */
export function jsonCopy(value, limits) {
  return parse(stringify(value, limits), limits);
}

/**
 * Says which application error it is that an output cannot be written.
 *
 * @param {unknown} error
 * @returns {unknown} The same, where it is nothing of the writer's.
 */
export function outputError(error) {
  if (!(error instanceof StrictJsonError)) return error;
  return error.kind === "limit"
    ? limitExceeded(error)
    : new AppError("INVALID_OUTPUT", "What the app gave is not JSON; what it did stays done.");
}
