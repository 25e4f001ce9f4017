// @ts-check
/**
 * One app's side of its port: hands what comes by it to whom it is for, and answers each request that
 * it is asked once. Contract: bus, the envelope.
 */

import { detached, requireSendable } from "../contract/bus_attachments.js";
import { BusError, isBusErrorCode } from "../contract/bus_error.js";
import { copyJson } from "../contract/bus_json.js";
import * as messages from "../contract/bus_messages.js";
import { BUS_LIMITS } from "../contract/limits.js";
import { IncomingRequest } from "./incoming_request.js";
import { OutgoingRequests } from "./outgoing_requests.js";
import { isOfRequest } from "./own_request.js";
import { reportFailure } from "./report_failure.js";

/** @import { BusMessage, Exec } from "../contract/bus_messages.js" */
/** @import { DeadlinePowers } from "../contract/deadlines.js" */
/** @import { Answer, AskOptions } from "./outgoing_requests.js" */

/**
 * @typedef {object} AppPort What the runtime needs of a MessagePort.
 * @property {(message: any, transfer: ArrayBuffer[]) => void} postMessage
 * @property {((event: any) => void) | null} onmessage Setting it begins delivery.
 * @property {() => void} close
 */

/**
 * @typedef {object} SessionHandlers
 * @property {(request: IncomingRequest) => Answer | Promise<Answer>} onRequest Gives checked JSON. What
 *   it throws is answered: a `BusError` as it is, unless it is how a request of its own failed; that and
 *   anything else as `TOOL_FAILED`.
 * @property {(name: string, payload: Record<string, unknown>) => void} onEvent
 */

const ERROR = Object.freeze({ maxBytes: BUS_LIMITS.maxProgressBytes, what: "error" });
const MAX_MESSAGE_CHARS = 1_000;
const UNREAD = "The answer cannot be read; what was asked may have been done.";

export class PortSession {
  /**
   * @param {SessionHandlers} handlers
   * @param {DeadlinePowers} powers
   */
  constructor(handlers, powers) {
    this._handlers = handlers;
    /** @type {AppPort | null} */
    this._port = null;
    this._closed = false;
    this._outgoing = new OutgoingRequests(
      (message, attachment) => this._postBy(this._port, message, attachment),
      powers,
    );
    /** @type {Map<number, IncomingRequest>} */
    this._running = new Map();
  }

  /** Takes a port; what waited for one is sent. @param {AppPort} port */
  connect(port) {
    this._drop("the workspace gave this app another port");
    this._port = port;
    this._closed = false;
    port.onmessage = ({ data }) => {
      if (this._port === port) this._receive(port, data);
    };
    this._outgoing.flush();
  }

  /** Lets the port go. @param {string} why */
  close(why) {
    this._closed = true;
    this._drop(why);
    this._outgoing.close();
  }

  /**
   * Asks the kernel.
   *
   * @param {string} action
   * @param {Record<string, unknown>} payload Checked JSON.
   * @param {AskOptions} [options]
   * @returns {Promise<Answer>} Rejects with a `BusError`.
   */
  ask(action, payload, options = {}) {
    return this._outgoing.ask(action, payload, !this._closed, options);
  }

  /** @param {string} why */
  _drop(why) {
    const port = this._port;
    if (port === null) return;
    this._port = null;
    port.onmessage = null;
    port.close();
    const running = [...this._running.values()];
    this._running.clear();
    for (const request of running) request.abort();
    this._outgoing.drop(why);
  }

  /**
   * @param {AppPort} port
   * @param {unknown} data
   */
  _receive(port, data) {
    let received;
    try {
      received = messages.readMessage(data);
    } catch (error) {
      if (!(error instanceof messages.MalformedMessage)) throw error;
      if (error.requestId !== undefined) {
        this._postBy(port, messages.failure(error.requestId, error.error));
      }
      // No other answer will come.
      if (error.responseId !== undefined) {
        const unread = new BusError("INVALID_OUTPUT", `${UNREAD} ${error.message}`);
        this._outgoing.answered(messages.failure(error.responseId, unread), undefined);
      }
      return;
    }
    const { message, attachment } = received;
    switch (message.type) {
      case "exec":
        void this._run(port, message, attachment);
        break;
      case "response":
        this._outgoing.answered(message, attachment);
        break;
      case "progress":
        this._outgoing.progress(message);
        break;
      case "cancel":
        this._running.get(message.id)?.abort();
        break;
      case "event":
        this._handlers.onEvent(message.payload.event, message.payload);
        break;
    }
  }

  /**
   * @param {AppPort} port Answers go by the port that the request came by, or nowhere.
   * @param {Exec} message
   * @param {ArrayBuffer | undefined} attachment
   */
  async _run(port, message, attachment) {
    const { id } = message;
    const request = new IncomingRequest(message, attachment, (of, value) => {
      this._postBy(port, messages.progress(of, value));
    });
    this._running.set(id, request);
    /** @type {BusMessage} */
    let answer;
    /** @type {ArrayBuffer | undefined} */
    let reply;
    try {
      const done = await this._handlers.onRequest(request);
      requireSendable(done.attachment);
      answer = messages.success(id, done.ok);
      reply = done.attachment;
    } catch (error) {
      answer = messages.failure(id, failureOf(error));
    }
    request.close();
    if (this._running.get(id) === request) this._running.delete(id);
    if (request.aborted) return;
    try {
      this._postBy(port, answer, reply);
    } catch {
      // What is JSON can be cloned: it is the buffer.
      this._postBy(port, messages.failure(id, detached()));
    }
  }

  /**
   * @param {AppPort | null} port
   * @param {BusMessage} message
   * @param {ArrayBuffer} [attachment]
   * @returns {boolean} False where that port is not this app's any more.
   */
  _postBy(port, message, attachment = undefined) {
    if (port === null || port !== this._port) return false;
    messages.post(port, message, attachment);
    return true;
  }
}

/**
 * What of an error is sent.
 *
 * @param {unknown} error
 */
function failureOf(error) {
  if (!(error instanceof BusError) || !isBusErrorCode(error.code)) {
    reportFailure(error);
    return new BusError("TOOL_FAILED", "The tool failed; it may have done part of its work.");
  }
  const told = isOfRequest(error) ? passedOn(error) : error;
  try {
    return BusError.fromWire(copyJson(told.toWire(), ERROR));
  } catch {
    return new BusError(told.code, String(told.message).slice(0, MAX_MESSAGE_CHARS));
  }
}

/**
 * What a request of the tool's own was told, that nothing was run say, is not so of the tool.
 *
 * @param {BusError} error
 */
function passedOn({ code, message, retryAfterMs, data }) {
  const text = `The tool may have done part of its work; what it asked for itself failed: ${message}`;
  const inner = code === "TOOL_FAILED" ? (data?.["code"] ?? code) : code;
  return new BusError("TOOL_FAILED", text, {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    data: { ...data, code: inner },
  });
}
