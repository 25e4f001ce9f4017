// @ts-check
/**
 * One agent's protocol state: takes a line, gives a line or nothing. It never throws and never
 * rejects; what goes wrong is an error line. The first valid request says for good which protocol
 * is spoken. Contract: control protocol 1; MCP.
 */

import { selectsMcp } from "../contract/mcp_messages.js";
import { ControlSession, failure } from "./control_session.js";
import { readEnvelope } from "./envelope.js";
import { McpSession } from "./mcp_session.js";
import { METHODS } from "./methods.js";

/** @import { AppError } from "./app_error.js" */
/** @import { Dispatcher } from "./dispatcher.js" */
/** @import { Envelope } from "./envelope.js" */
/** @import { Taken } from "./mcp_front.js" */
/** @import { Ending, SessionAnswer } from "./session_answer.js" */

/** @typedef {"control" | "mcp"} Protocol Control protocol 1, or MCP in either revision. */

/**
 * @typedef {object} Message A line as this session understands it.
 * @property {Envelope} envelope
 * @property {boolean} valid Whether it asks for something that there is: only that reserves anything.
 * @property {Taken} [taken] What MCP makes of it; undefined in control protocol 1.
 */

/** The state of one agent session. */
export class RpcSession {
  /**
   * @param {Dispatcher} dispatcher
   * @param {string} [name] The bridge session that this belongs to.
   * @param {object} [options]
   * @param {Protocol} [options.protocol] Where it is known before the first request.
   * @param {(line: string) => void} [options.notify] Sends a line that answers nothing: the progress of a
   *   call that asked for it. Without it there is none. What it throws changes nothing.
   */
  constructor(dispatcher, name, { protocol, notify } = {}) {
    this._dispatcher = dispatcher;
    this._name = name;
    this._notify = notify;
    this._protocol = protocol;
    this._control = new ControlSession(dispatcher, name);
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
    const valid = taken.kind === "app" || (taken.kind === "answered" && taken.ok);
    return { envelope, valid, taken };
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
    const { line, ending } = await this._run(message, expired);
    if (message.valid && ending !== undefined) ended?.(ending);
    return line;
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
   * @returns {Promise<SessionAnswer>}
   */
  async _run({ envelope, valid, taken }, expired) {
    if (valid && envelope.id !== undefined) {
      this._protocol ??= taken === undefined ? "control" : "mcp";
    }
    return taken === undefined
      ? this._control.handle(envelope, expired)
      : this._mcpSession().handle(taken, expired);
  }

  /** @returns {McpSession} */
  _mcpSession() {
    this._mcp ??= new McpSession(this._dispatcher, this._name, this._notify);
    return this._mcp;
  }
}
