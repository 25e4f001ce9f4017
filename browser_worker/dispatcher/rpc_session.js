// @ts-check
/**
 * One agent's protocol state: takes a line, gives a line or nothing. It never throws and never
 * rejects; what goes wrong is an error line. The first valid request says for good which protocol
 * is spoken. Contract: control protocol 1; MCP.
 */

import { selectsMcp } from "../contract/mcp_messages.js";
import { stringify } from "../contract/strict_json.js";
import { AppError, RpcError, wireErrorText } from "./app_error.js";
import { failed, succeeded } from "./ending.js";
import { readEnvelope } from "./envelope.js";
import { outputError } from "./json_copy.js";
import { McpSession } from "./mcp_session.js";
import { ALWAYS_ANSWERED, METHODS } from "./methods.js";

/** @import { Dispatcher } from "./dispatcher.js" */
/** @import { Ending } from "./ending.js" */
/** @import { Envelope } from "./envelope.js" */
/** @import { Taken } from "./mcp_front.js" */

const PROTOCOL_VERSION = "1";

/** @typedef {"control" | "mcp"} Protocol Control protocol 1, or MCP in either revision. */

/**
 * @typedef {object} Message A line as this session understands it.
 * @property {Envelope} envelope
 * @property {boolean} valid Whether it asks for something that there is: only that reserves anything.
 * @property {Taken} [taken] What MCP makes of it; undefined in control protocol 1.
 */

/** @typedef {{ line: string | undefined, cancelled: boolean }} Answer */

/** The state of one agent session. */
export class RpcSession {
  /**
   * @param {Dispatcher} dispatcher
   * @param {string} [name] The bridge session that this belongs to.
   * @param {object} [options]
   * @param {Protocol} [options.protocol] Where it is known before the first request.
   * @param {(line: string) => void} [options.notify] Sends a line that answers nothing: the progress of a
   *   call that asked for it. Without it there is none.
   */
  constructor(dispatcher, name, { protocol, notify } = {}) {
    this._dispatcher = dispatcher;
    this._name = name;
    this._notify = notify;
    this._protocol = protocol;
    /** Most sessions never speak it. @type {McpSession | undefined} */
    this._mcp = undefined;
  }

  /**
   * Takes one line.
   *
   * @param {string} line
   * @returns {Promise<string | undefined>} One line, or undefined for a notification and for a call
   *   that was cancelled meanwhile. Never rejects.
   */
  async receive(line) {
    const answer = await this._run(this.read(readEnvelope(line)));
    return answer.cancelled ? undefined : answer.line;
  }

  /**
   * Says what a line is to this session. Changes nothing and runs nothing.
   *
   * @param {Envelope} envelope
   * @returns {Message}
   */
  read(envelope) {
    const { id, method, params, error } = envelope;
    const isMcp =
      this._protocol === "mcp" ||
      (this._protocol === undefined && id !== undefined && selectsMcp(method, params));
    if (!isMcp) return { envelope, valid: error === undefined && METHODS.has(method) };
    const taken = this._mcpSession().take(envelope);
    return {
      envelope,
      valid: taken.kind === "app" || (taken.kind === "answered" && taken.ok),
      taken,
    };
  }

  /**
   * Answers a message that was read, even one that is cancelled meanwhile: who carries it may have to
   * answer something.
   *
   * @param {Message} message
   * @param {() => boolean} [expired] Whether the caller has gone by now.
   * @param {(ending: Ending) => void} [ended] Told once, of a valid request; must not throw.
   * @returns {Promise<string | undefined>} Never rejects.
   */
  async answer(message, expired, ended) {
    return (await this._run(message, expired, ended)).line;
  }

  /**
   * The answer of who has no place for this request. Nothing is run.
   *
   * @param {Message} message A valid one.
   * @param {AppError} error
   * @returns {string | undefined} Undefined for a notification.
   */
  refuse({ envelope, taken }, error) {
    if (envelope.id === undefined) return undefined;
    if (taken === undefined) return failure(envelope.id, error);
    return this._mcpSession().refuse(envelope.id, taken, error);
  }

  /**
   * @param {Message} message
   * @param {() => boolean} [expired]
   * @param {(ending: Ending) => void} [ended]
   * @returns {Promise<Answer>}
   */
  async _run(message, expired, ended) {
    const { envelope, valid, taken } = message;
    if (valid && envelope.id !== undefined) {
      this._protocol ??= taken === undefined ? "control" : "mcp";
    }
    if (taken === undefined) {
      return { line: await this._control(envelope, expired, ended), cancelled: false };
    }
    switch (taken.kind) {
      case "answered":
        if (valid) ended?.({ ok: true, deferred: false });
        return { line: taken.line, cancelled: false };
      case "cancelled":
        this._mcpSession().cancel(taken.requestId);
        return { line: undefined, cancelled: false };
      case "ignored":
        return { line: undefined, cancelled: false };
      default: {
        const { line, ending, cancelled } = await this._mcpSession().run(taken, expired);
        ended?.(ending);
        return { line, cancelled };
      }
    }
  }

  /** @returns {McpSession} */
  _mcpSession() {
    this._mcp ??= new McpSession(this._dispatcher, this._name, this._notify);
    return this._mcp;
  }

  /**
   * @param {Envelope} envelope
   * @param {(() => boolean) | undefined} expired
   * @param {((ending: Ending) => void) | undefined} ended
   * @returns {Promise<string | undefined>}
   */
  async _control(envelope, expired, ended) {
    try {
      if (envelope.error !== undefined && !isUnknown(envelope)) throw envelope.error;
      const result = await this._call(envelope, expired);
      const line = envelope.id === undefined ? undefined : success(envelope.id, result);
      ended?.(succeeded(result));
      return line;
    } catch (error) {
      this._dispatcher.reportHostError(error);
      ended?.(failed(error));
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
 * Whether it is a request for a method that there is not: that comes before its params.
 *
 * @param {Envelope} envelope
 */
function isUnknown({ method }) {
  return method !== "" && !METHODS.has(method);
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
function failure(id, error) {
  return `{"jsonrpc":"2.0","id":${stringify(id)},"error":${wireErrorText(error)}}`;
}
