// @ts-check
/**
 * One agent's protocol state: takes a line, gives a line or nothing. It never throws and never
 * rejects; what goes wrong is an error line. Contract: control protocol 1.
 */

import { isObject } from "../contract/json_number.js";
import { isId } from "../contract/jsonrpc.js";
import { StrictJsonError, parse, stringify } from "../contract/strict_json.js";
import { AppError, RpcError, contractCode, limitExceeded, wireErrorText } from "./app_error.js";
import { outputError } from "./json_copy.js";
import { ALWAYS_ANSWERED, METHODS } from "./methods.js";

/** @import { Dispatcher } from "./dispatcher.js" */
/** @import { Params } from "./params.js" */

const PROTOCOL_VERSION = "1";

/**
 * @typedef {object} Envelope A parsed line.
 * @property {unknown} id The id to answer with; undefined for a notification, null where it is unknown.
 * @property {string} method
 * @property {Params} params
 * @property {unknown} [error] What is wrong with the line, if anything.
 */

/** @typedef {{ ok: boolean, deferred: boolean, code?: string }} Ending How a call ended. */

/**
 * Reads a line as far as it can be tied to an id. Reserves nothing and runs nothing.
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
        : new RpcError("PARSE_ERROR", `The line is not strict JSON (${error.message}).`),
    );
  }
}

/**
 * @param {unknown} id
 * @param {unknown} error
 * @returns {Envelope}
 */
function broken(id, error) {
  return { id, method: "", params: {}, error };
}

/**
 * @param {unknown} message
 * @returns {Envelope}
 */
function checkedEnvelope(message) {
  /** @param {unknown} id @param {string} text */
  const refuse = (id, text) => broken(id, new RpcError("INVALID_REQUEST", text));
  if (Array.isArray(message)) {
    return refuse(null, "An array is no request; use actions/batch for several calls.");
  }
  if (!isObject(message)) return refuse(null, "A request is a JSON object.");
  const members = message;
  /** @param {string} name */
  const own = (name) => (Object.hasOwn(members, name) ? members[name] : undefined);
  const hasId = Object.hasOwn(members, "id");
  const id = hasId ? members["id"] : undefined;
  if (hasId && !isId(id)) {
    return refuse(null, "An id is a string of at most 256 bytes or an integer.");
  }
  const method = own("method");
  if (own("jsonrpc") !== "2.0" || typeof method !== "string") {
    return refuse(hasId ? id : null, 'A request has jsonrpc "2.0" and a method.');
  }
  const params = Object.hasOwn(members, "params") ? members["params"] : {};
  if (!isObject(params)) {
    return { ...broken(id, new RpcError("INVALID_PARAMS", "params must be an object")), method };
  }
  return { id, method, params };
}

/**
 * Whether it is a request for a method that there is not: that comes before its params.
 *
 * @param {Envelope} envelope
 */
function isUnknown({ method }) {
  return method !== "" && !METHODS.has(method);
}

/** The state of one agent session. */
export class RpcSession {
  /**
   * @param {Dispatcher} dispatcher
   * @param {string} [name] The bridge session that this belongs to.
   */
  constructor(dispatcher, name) {
    this._dispatcher = dispatcher;
    this._name = name;
  }

  /**
   * Takes one line.
   *
   * @param {string} line
   * @returns {Promise<string | undefined>} One line, or undefined for a notification. Never rejects.
   */
  receive(line) {
    return this.handle(readEnvelope(line));
  }

  /**
   * Takes one line that was read before.
   *
   * @param {Envelope} envelope
   * @param {() => boolean} [expired] Whether the caller has gone by now.
   * @param {(ending: Ending) => void} [ended] Told once; must not throw.
   * @returns {Promise<string | undefined>}
   */
  async handle(envelope, expired, ended) {
    try {
      if (envelope.error !== undefined && !isUnknown(envelope)) throw envelope.error;
      const result = await this._call(envelope, expired);
      const line = envelope.id === undefined ? undefined : success(envelope.id, result);
      ended?.({ ok: true, deferred: result["status"] === "deferred" });
      return line;
    } catch (error) {
      this._dispatcher.reportHostError(error);
      ended?.({ ok: false, deferred: false, code: contractCode(error) ?? "HOST_ERROR" });
      return envelope.id === undefined ? undefined : failure(envelope.id, error);
    }
  }

  /**
   * @param {Envelope} envelope
   * @param {(() => boolean) | undefined} expired
   */
  _call({ method, params }, expired) {
    const run = METHODS.get(method);
    if (run === undefined) {
      throw new RpcError("METHOD_NOT_FOUND", "No such method; see agent/info for all of them.");
    }
    if (
      Object.hasOwn(params, "protocolVersion") &&
      params["protocolVersion"] !== PROTOCOL_VERSION
    ) {
      throw new AppError("UNSUPPORTED_PROTOCOL_VERSION", "This app speaks control protocol 1.", {
        supported: [PROTOCOL_VERSION],
      });
    }
    if (!ALWAYS_ANSWERED.has(method)) this._dispatcher.requireEnabled();
    return run({ dispatcher: this._dispatcher, session: this._name, expired }, params);
  }
}

/**
 * @param {unknown} id
 * @param {Record<string, unknown>} result
 * @returns {string}
 */
function success(id, result) {
  try {
    return stringify({
      jsonrpc: "2.0",
      id,
      result: { ...result, protocolVersion: PROTOCOL_VERSION },
    });
  } catch (error) {
    throw outputError(error, result);
  }
}

/**
 * The error line for a request.
 *
 * @param {unknown} id An id that was read, or null.
 * @param {unknown} error
 * @returns {string}
 */
export function failure(id, error) {
  return `{"jsonrpc":"2.0","id":${stringify(id)},"error":${wireErrorText(error)}}`;
}
