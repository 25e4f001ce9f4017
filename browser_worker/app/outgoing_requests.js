// @ts-check
/**
 * What an app asked the kernel and has no answer to. Each request ends exactly once: answered, failed,
 * cancelled, or by its time. Before there is a port, requests wait for one. Contract: bus, the envelope.
 */

import { detached, requireSendable } from "../contract/bus_attachments.js";
import { BusError } from "../contract/bus_error.js";
import * as messages from "../contract/bus_messages.js";
import { Deadlines } from "../contract/deadlines.js";
import { BUS_LIMITS } from "../contract/limits.js";
import { reportFailure } from "./report_failure.js";

/** @import { BusMessage, Exec } from "../contract/bus_messages.js" */
/** @import { Deadline, DeadlinePowers } from "../contract/deadlines.js" */

/** @typedef {{ ok: unknown, attachment: ArrayBuffer | undefined }} Answer */

/**
 * @typedef {object} AskOptions
 * @property {ArrayBuffer | undefined} [attachment] Goes over where the request does.
 * @property {((value: unknown) => void) | undefined} [onProgress] What it throws changes nothing.
 * @property {AbortSignal | undefined} [signal]
 * @property {number | undefined} [seconds] After which there is no answer any more.
 * @property {string | undefined} [invocation] The call in whose name this is asked.
 */

/** @typedef {(message: BusMessage, attachment?: ArrayBuffer) => boolean} Post False where there is no port. */

/**
 * @typedef {object} Pending
 * @property {Exec} message
 * @property {(answer: Answer) => void} resolve
 * @property {(error: BusError) => void} reject
 * @property {AskOptions} options
 * @property {Deadline | null} deadline
 * @property {(() => void) | null} onAbort
 * @property {boolean} sent
 * @property {number} events Of progress, so far.
 */

/** What the kernel takes to tell of a call that ended by its own time-out. */
const GRACE_SECONDS = 5;
/** Requests that wait for a port: an app that was never mounted must not fill its memory. */
const MAX_WAITING = 64;

export class OutgoingRequests {
  /**
   * @param {Post} post
   * @param {DeadlinePowers} powers
   */
  constructor(post, powers) {
    this._post = post;
    this._deadlines = new Deadlines(powers);
    this._lastId = 0;
    /** @type {Map<number, Pending>} */
    this._pending = new Map();
    /** @type {Pending[]} */
    this._waiting = [];
  }

  /** How many have no answer yet. */
  get size() {
    return this._pending.size;
  }

  /**
   * Asks the kernel.
   *
   * @param {string} action
   * @param {Record<string, unknown>} payload Checked JSON.
   * @param {boolean} mayWait Whether a port can still come.
   * @param {AskOptions} options
   * @returns {Promise<Answer>} Rejects with a `BusError`.
   */
  ask(action, payload, mayWait, options) {
    return new Promise((resolve, reject) => {
      const { attachment, signal, invocation } = options;
      const { seconds = BUS_LIMITS.defaultTimeoutSeconds } = options;
      requireSendable(attachment);
      if (signal?.aborted) {
        throw ended("CANCELLED", "The call was cancelled", false);
      }
      const message = messages.exec(++this._lastId, action, payload, invocation);
      /** @type {Pending} */
      const pending = {
        message,
        resolve,
        reject,
        options,
        deadline: null,
        onAbort: null,
        sent: false,
        events: 0,
      };
      this._pending.set(message.id, pending);
      if (this._send(pending)) {
        // Sent, or failed at once.
      } else if (mayWait && this._waiting.length < MAX_WAITING) this._waiting.push(pending);
      else if (mayWait) {
        const text = "This app has no port yet, and too many requests wait for one.";
        this._fail(pending, new BusError("TOO_MANY_CALLS", text));
      } else this._fail(pending, noPort());
      if (!this._pending.has(message.id)) return;
      pending.deadline = this._deadlines.add(seconds + GRACE_SECONDS, () => {
        const error = ended("TIMEOUT", `No answer came in ${seconds} s`, pending.sent);
        this._give(pending, error, "it was waited for too long");
      });
      if (signal === undefined) return;
      pending.onAbort = () => {
        const error = ended("CANCELLED", "The call was cancelled", pending.sent);
        this._give(pending, error, "by its caller");
      };
      signal.addEventListener("abort", pending.onAbort);
    });
  }

  /** A port has come: what waited for one is sent. */
  flush() {
    for (const pending of this._waiting.splice(0)) {
      if (this._pending.has(pending.message.id) && !this._send(pending)) {
        this._fail(pending, noPort());
      }
    }
  }

  /** Fails what was sent by a port that is gone. @param {string} why */
  drop(why) {
    for (const pending of [...this._pending.values()]) {
      if (!pending.sent) continue;
      this._fail(pending, ended("ENDPOINT_GONE", `The port is gone (${why})`, true));
    }
  }

  /** No port will come: what waits fails, and no timer is left. */
  close() {
    this.flush();
    if (this._pending.size === 0) this._deadlines.close();
  }

  /**
   * @param {messages.Success | messages.Failure} message Ignored where nothing waits for it.
   * @param {ArrayBuffer | undefined} attachment
   */
  answered(message, attachment) {
    const pending = this._pending.get(message.id);
    if (pending === undefined || !pending.sent) return;
    if ("error" in message) this._fail(pending, BusError.fromWire(message.error));
    else {
      this._forget(pending);
      pending.resolve({ ok: message.ok, attachment });
    }
  }

  /** @param {messages.Progress} message Ignored where nothing waits for it. */
  progress({ id, payload }) {
    const pending = this._pending.get(id);
    if (pending?.options.onProgress === undefined || !pending.sent) return;
    if (++pending.events > BUS_LIMITS.maxProgressEvents) return;
    try {
      pending.options.onProgress(payload);
    } catch (error) {
      reportFailure(error);
    }
  }

  /**
   * @param {Pending} pending
   * @returns {boolean} False where there is no port.
   */
  _send(pending) {
    const { attachment } = pending.options;
    try {
      // It may have gone elsewhere while this waited.
      requireSendable(attachment);
      pending.sent = this._post(pending.message, attachment);
      return pending.sent;
    } catch (error) {
      this._fail(pending, error instanceof BusError ? error : detached());
      return true;
    }
  }

  /**
   * Waits no longer, and tells the kernel so.
   *
   * @param {Pending} pending
   * @param {BusError} error
   * @param {string} reason
   */
  _give(pending, error, reason) {
    if (pending.sent) this._post(messages.cancel(pending.message.id, reason));
    this._fail(pending, error);
  }

  /**
   * @param {Pending} pending
   * @param {BusError} error
   */
  _fail(pending, error) {
    this._forget(pending);
    pending.reject(error);
  }

  /** @param {Pending} pending */
  _forget({ message, deadline, onAbort, options }) {
    this._pending.delete(message.id);
    if (deadline !== null) this._deadlines.cancel(deadline);
    if (onAbort !== null) options.signal?.removeEventListener("abort", onAbort);
  }
}

function noPort() {
  return ended("ENDPOINT_GONE", "This app has no port to the workspace", false);
}

/**
 * How a request ends that the kernel has not answered: told as the kernel tells it of calls that it ends.
 *
 * @param {"CANCELLED" | "TIMEOUT" | "ENDPOINT_GONE"} code
 * @param {string} why A clause, without a stop.
 * @param {boolean} sent
 */
function ended(code, why, sent) {
  const soFar = sent ? "it may have been done" : "nothing was sent";
  const outcome = sent ? "unknown" : "not_delivered";
  return new BusError(code, `${why}; ${soFar}.`, { data: { outcome } });
}
