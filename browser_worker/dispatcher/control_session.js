// @ts-check
/**
 * Control protocol 1, for one session: a request that was read gives an answer. Remembers nothing
 * between two of them. Contract: control protocol 1.
 */

import { stringify } from "../contract/strict_json.js";
import { AppError, RpcError, wireErrorText } from "./app_error.js";
import { failed, succeeded } from "./session_answer.js";
import { outputError } from "./json_copy.js";
import { ALWAYS_ANSWERED, METHODS } from "./methods.js";

/** @import { Dispatcher } from "./dispatcher.js" */
/** @import { Envelope } from "./envelope.js" */
/** @import { SessionAnswer } from "./session_answer.js" */

const PROTOCOL_VERSION = "1";

/** The protocol's state for one session. */
export class ControlSession {
  /**
   * @param {Dispatcher} dispatcher
   * @param {string | undefined} name The bridge session that this belongs to.
   */
  constructor(dispatcher, name) {
    this._dispatcher = dispatcher;
    this._name = name;
  }

  /**
   * Runs a request.
   *
   * @param {Envelope} envelope
   * @param {(() => boolean) | undefined} expired Whether the caller has gone by now.
   * @returns {Promise<SessionAnswer>} Never rejects.
   */
  async handle(envelope, expired) {
    const { id } = envelope;
    try {
      if (envelope.error !== undefined && !isUnknown(envelope)) throw envelope.error;
      const result = await this._call(envelope, expired);
      return {
        line: id === undefined ? undefined : success(id, result),
        ending: succeeded(result),
      };
    } catch (error) {
      this._dispatcher.reportHostError(error);
      return { line: id === undefined ? undefined : failure(id, error), ending: failed(error) };
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
 * Whether it is a request for a method that there is not: that comes before its params.
 *
 * @param {Envelope} envelope
 */
function isUnknown({ kind, method }) {
  return kind === undefined && !METHODS.has(method);
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
