// @ts-check
/** Copies of an app's data, as they will be sent: what the app does to its own later changes nothing. */

import { StrictJsonError, parse, stringify } from "../contract/strict_json.js";
import { AppError, limitExceeded } from "./app_error.js";
import { firstNotJson } from "./not_json.js";

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
 * @param {unknown} output What could not be written, to name the place in it.
 * @returns {unknown} The same, where it is nothing of the writer's.
 */
export function outputError(error, output) {
  if (!(error instanceof StrictJsonError)) return error;
  if (error.kind === "limit") return limitExceeded(error);
  const found = firstNotJson(output);
  const what = found === undefined ? "" : ` (${found.path || "all of it"} ${found.message})`;
  return new AppError(
    "INVALID_OUTPUT",
    `What the app gave is not JSON${what}; what it did stays done.`,
    found === undefined ? {} : { errors: [found] },
  );
}
