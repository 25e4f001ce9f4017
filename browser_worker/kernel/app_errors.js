// @ts-check
/** Which errors an app may give in its own name: a decision of the kernel's is none of them. */

import { BusError } from "../contract/bus_error.js";
import { gone } from "./endpoint.js";

/** @import { Endpoint } from "./endpoint.js" */

const CODES_OF_APPS = new Set([
  "INVALID_INPUT",
  "INVALID_OUTPUT",
  "NOT_JSON",
  "TOO_LARGE",
  "UNKNOWN_TOOL",
  "TOOL_FAILED",
  "CANCELLED",
  "ATTACHMENT_UNSUPPORTED",
  "ATTACHMENT_TOO_LARGE",
  "ATTACHMENT_DETACHED",
]);

/**
 * @param {Endpoint} endpoint
 * @param {BusError} error As it answered, or as it was closed with.
 * @param {boolean} begun Whether it may have done something for the call.
 * @returns {BusError} What the caller is told.
 */
export function errorFrom(endpoint, error, begun) {
  if (!endpoint.open) {
    // Whoever closes an endpoint does not know how far each call was.
    return begun || error.code !== "ENDPOINT_GONE" ? error : gone(endpoint.id, false);
  }
  if (CODES_OF_APPS.has(error.code)) return error;
  return new BusError("TOOL_FAILED", error.message, {
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    data: { ...error.data, code: error.code },
  });
}
