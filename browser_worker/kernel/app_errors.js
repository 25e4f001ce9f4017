// @ts-check
/** Which errors an app may give in its own name: a decision of the kernel's is none of them. */

import { BusError } from "../contract/bus_error.js";
import { checkJson } from "../contract/bus_json.js";
import { BUS_LIMITS } from "../contract/limits.js";
import { EndReason, endedCall } from "./calls/call_end.js";
import { gone } from "./endpoints/endpoint.js";
import { wellFormed } from "./well_formed.js";

/** @import { Endpoint } from "./endpoints/endpoint.js" */

/** What an error may have, as JSON: with what is added to it, it must fit into a message. */
const BOUNDS = Object.freeze({ maxBytes: BUS_LIMITS.maxProgressBytes });
const MAX_MESSAGE_CHARS = 1_000;

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
    const known = begun || error instanceof EndReason || error.code !== "ENDPOINT_GONE";
    return endedCall(known ? error : gone(endpoint.id, false), begun);
  }
  const told = unclaimed(bounded(error));
  if (CODES_OF_APPS.has(told.code)) return told;
  return new BusError("TOOL_FAILED", told.message, {
    ...(told.retryAfterMs === undefined ? {} : { retryAfterMs: told.retryAfterMs }),
    data: { ...told.data, code: told.code },
  });
}

/**
 * What ended a call that the tool had made, and that it passes on, says nothing of the tool's own.
 *
 * @param {BusError} error
 */
function unclaimed(error) {
  const { code, message, retryAfterMs, data } = error;
  if (data === undefined || !Object.hasOwn(data, "outcome")) return error;
  const { outcome: _outcome, ...others } = data;
  const later = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new BusError(code, message, { ...later, data: others });
}

/** @param {BusError} error */
function bounded(error) {
  try {
    checkJson(error.toWire(), BOUNDS);
    return error;
  } catch {
    const { code, message, retryAfterMs } = error;
    const later = retryAfterMs === undefined ? {} : { retryAfterMs };
    return new BusError(code, wellFormed(message, MAX_MESSAGE_CHARS), later);
  }
}
