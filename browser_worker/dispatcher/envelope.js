// @ts-check
/**
 * A line, read as far as it can be tied to a request: its id, method and params, or its fault.
 * Reserves nothing and runs nothing, and does not know which protocol the line is of.
 */

import { isObject } from "../contract/json_number.js";
import { isId } from "../contract/jsonrpc.js";
import { StrictJsonError, parse } from "../contract/strict_json.js";
import { RpcError, limitExceeded } from "./app_error.js";

/** @import { Params } from "./params.js" */

/**
 * @typedef {object} Envelope A parsed line.
 * @property {unknown} id The id to answer with; undefined for a notification, null where it is unknown.
 * @property {string} method
 * @property {Params} params
 * @property {unknown} [error] What is wrong with the line, if anything.
 * @property {"array" | "response" | "other"} [kind] Of what is no message with a method, be it an empty one.
 */

/**
 * Reads a line as far as it can be tied to an id. Never throws.
 *
 * @param {string} line
 * @returns {Envelope}
 */
export function readEnvelope(line) {
  try {
    return checkedEnvelope(parse(line));
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    return broken(
      null,
      error.kind === "limit"
        ? limitExceeded(error)
        : new RpcError("PARSE_ERROR", `The message is ${error.message}.`),
    );
  }
}

/**
 * @param {unknown} id
 * @param {unknown} error
 * @returns {Envelope}
 */
function broken(id, error) {
  return { id, method: "", params: {}, error, kind: "other" };
}

/**
 * @param {unknown} message
 * @returns {Envelope}
 */
function checkedEnvelope(message) {
  /** @param {unknown} id @param {string} text @returns {Envelope} */
  const refuse = (id, text) => broken(id, new RpcError("INVALID_REQUEST", text));
  if (Array.isArray(message)) {
    const text = "An array is no request; use actions/batch for several calls.";
    return { ...refuse(null, text), kind: "array" };
  }
  if (!isObject(message)) return refuse(null, "A request is a JSON object.");
  const members = message;
  /** @param {string} name */
  const own = (name) => (Object.hasOwn(members, name) ? members[name] : undefined);
  const hasId = Object.hasOwn(members, "id");
  const id = hasId ? members["id"] : undefined;
  /** @type {Pick<Envelope, "kind">} */
  const kind = isResponse(members) ? { kind: "response" } : {};
  if (hasId && !isId(id)) {
    return { ...refuse(null, "An id is a string of at most 256 bytes or an integer."), ...kind };
  }
  const method = own("method");
  if (own("jsonrpc") !== "2.0" || typeof method !== "string") {
    return { ...refuse(hasId ? id : null, 'A request has jsonrpc "2.0" and a method.'), ...kind };
  }
  const params = Object.hasOwn(members, "params") ? members["params"] : {};
  if (!isObject(params)) {
    const error = new RpcError("INVALID_PARAMS", "params must be an object");
    return { id, method, params: {}, error };
  }
  return { id, method, params };
}

/** @param {Record<string, unknown>} message */
function isResponse(message) {
  return (
    !Object.hasOwn(message, "method") &&
    (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"))
  );
}
