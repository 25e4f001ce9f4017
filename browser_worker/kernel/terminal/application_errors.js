// @ts-check
/**
 * What an error of the bus is for a terminal, which knows the errors of actions only. Where nothing was run
 * it is `UNAVAILABLE`, with the bus's own code; what failed after it began is `HOST_ERROR`. Contract: bus,
 * the terminal.
 *
 * | the bus says | the terminal is told |
 * | --- | --- |
 * | `INVALID_INPUT` | `INVALID_INPUT` |
 * | `INVALID_OUTPUT`, `NOT_JSON`, `ATTACHMENT_UNSUPPORTED`, `ATTACHMENT_DETACHED` | `INVALID_OUTPUT`: the tool ran |
 * | `TOO_MANY_CALLS`, `TOO_LARGE`, `ATTACHMENT_TOO_LARGE`, `ATTACHMENT_LIMIT` | `LIMIT_EXCEEDED` |
 * | `UNKNOWN_TOOL`, `UNKNOWN_ENDPOINT` | `UNKNOWN_ACTION`: it was there when it was looked for |
 * | `TIMEOUT`, `CANCELLED`, `ENDPOINT_GONE`, `FLOODED`, `TOOL_FAILED` and the rest | `HOST_ERROR`, with `bus` |
 * | `LOCKED`, `OWNER_REQUIRED` and every other decision of a policy | `UNAVAILABLE`, with `retryAfterMs` |
 * | whatever else ended a call from outside | by the call: `UNAVAILABLE` before it began, then `HOST_ERROR` |
 */

import { BusError } from "../../contract/bus_error.js";
import { isObject } from "../../contract/json_number.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { AppError } from "../../dispatcher/app_error.js";
import { EndedCall } from "../calls/call_end.js";
import { wellFormed } from "../well_formed.js";

/** @import { BusErrorCode } from "../../contract/bus_error.js" */
/** @import { SchemaProblem } from "../../contract/schema.js" */

/** @type {Readonly<Partial<Record<BusErrorCode, { limit: string, maximum: number }>>>} */
const LIMITS = Object.freeze({
  TOO_MANY_CALLS: { limit: "callsInFlight", maximum: BUS_LIMITS.maxCallsInFlight },
  TOO_LARGE: { limit: "encodedBytes", maximum: BUS_LIMITS.maxMessageBytes },
  ATTACHMENT_TOO_LARGE: { limit: "attachmentBytes", maximum: BUS_LIMITS.maxAttachmentBytes },
  ATTACHMENT_LIMIT: {
    limit: "attachmentBytesInFlight",
    maximum: BUS_LIMITS.maxAttachmentBytesOfEndpoint,
  },
});

const MAX_TOLD_CHARS = 1_024;

const OUTPUTS = new Set([
  "INVALID_OUTPUT",
  "NOT_JSON",
  "ATTACHMENT_UNSUPPORTED",
  "ATTACHMENT_DETACHED",
]);
const UNKNOWN = new Set(["UNKNOWN_TOOL", "UNKNOWN_ENDPOINT"]);
const FAILED = new Set([
  "TIMEOUT",
  "CANCELLED",
  "ENDPOINT_GONE",
  "FLOODED",
  "TOOL_FAILED",
  "INVALID_MESSAGE",
  "UNKNOWN_ACTION",
]);

/**
 * @param {unknown} error What a call through the kernel was rejected with.
 * @param {string} [path] Where the input holds the arguments, for the places that an error names.
 * @returns {unknown} An `AppError`; what is no error of the bus stays what it is.
 */
export function applicationError(error, path = "") {
  if (!(error instanceof BusError)) return error;
  const { code, message, retryAfterMs } = error;
  if (code === "INVALID_INPUT") return invalidInput(message, problemsOf(error, path));
  if (OUTPUTS.has(code)) {
    return new AppError("INVALID_OUTPUT", message, { errors: problemsOf(error, "") });
  }
  const limit = LIMITS[code];
  if (limit !== undefined) {
    const told = error.data?.["maximum"];
    const maximum = typeof told === "number" ? told : limit.maximum;
    const characters = error.data?.["limit"] === "characters";
    return new AppError("LIMIT_EXCEEDED", message, {
      limit: characters ? "characters" : limit.limit,
      maximum,
    });
  }
  if (UNKNOWN.has(code)) return new AppError("UNKNOWN_ACTION", message);
  const later = retryAfterMs === undefined ? {} : { retryAfterMs };
  // An app can write an error of these codes as well, but not that the kernel ended the call.
  const mayHaveRun = error instanceof EndedCall ? error.begun : FAILED.has(code);
  if (mayHaveRun) {
    const details = error.data === undefined ? {} : { details: error.data };
    return new AppError("HOST_ERROR", message, { bus: code, ...later, ...details });
  }
  return new AppError("UNAVAILABLE", message, {
    availability: { code, reason: message },
    ...later,
  });
}

/**
 * @param {string} message
 * @param {SchemaProblem[]} errors
 */
export function invalidInput(message, errors) {
  return new AppError("INVALID_INPUT", message, { errors });
}

/**
 * An object that an app sent has members named as methods are, and is not to be made a text of.
 *
 * @param {unknown} value
 */
function textOf(value) {
  return typeof value === "string" ? wellFormed(value, MAX_TOLD_CHARS) : "";
}

/**
 * @param {BusError} error
 * @param {string} path
 * @returns {SchemaProblem[]} At least one. An app may have written them: they are read with distrust.
 */
function problemsOf({ message, data }, path) {
  const told = data?.["errors"];
  const problems = (Array.isArray(told) ? told : [])
    .filter((each) => isObject(each))
    .map((each) => ({ path: path + textOf(each["path"]), message: textOf(each["message"]) }));
  return problems.length > 0 ? problems.slice(0, BUS_LIMITS.maxProblems) : [{ path, message }];
}
