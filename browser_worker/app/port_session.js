// @ts-check
/**
 * Requests both ways over one port, from the app's side: what the app asks and waits for, and what it
 * is asked. Before there is a port, what is asked waits. Contract: bus, the envelope.
 */

import { BusError } from "../contract/bus_error.js";
import * as messages from "../contract/bus_messages.js";
import { checkJson, copyJson } from "../contract/bus_json.js";
import { BUS_LIMITS } from "../contract/limits.js";

/** @import { BusMessage, Exec } from "../contract/bus_messages.js" */

/**
 * @typedef {object} AppPort What the runtime needs of a MessagePort.
 * @property {(message: any, transfer: ArrayBuffer[]) => void} postMessage
 * @property {((event: any) => void) | null} onmessage Setting it begins delivery.
 * @property {() => void} close
 */

/** @typedef {{ ok: unknown, attachment: ArrayBuffer | undefined }} Answer */

/**
 * @typedef {object} Incoming A request of the kernel's.
 * @property {string} action
 * @property {Record<string, unknown>} payload
 * @property {ArrayBuffer | undefined} attachment
 * @property {AbortSignal} signal Aborts where nobody waits for the answer any more.
 * @property {(value: unknown) => void} progress
 */

/**
 * @typedef {object} SessionHandlers
 * @property {(request: Incoming) => Answer | Promise<Answer>} onRequest May throw a `BusError`.
 * @property {(name: string, payload: Record<string, unknown>) => void} onEvent
 */

/**
 * @typedef {object} AskOptions
 * @property {ArrayBuffer | undefined} [attachment] Goes over where the request does.
 * @property {((value: unknown) => void) | undefined} [onProgress] What it throws changes nothing.
 * @property {AbortSignal | undefined} [signal]
 * @property {number | undefined} [seconds] After which there is no answer any more.
 */

/** @typedef {(ms: number, callback: () => void) => () => void} SetTimer */

/** What the kernel takes to tell of a call that ended by its own time-out. */
const GRACE_SECONDS = 5;
/** Requests that wait for a port: an app that was never mounted must not fill its memory. */
const MAX_WAITING = 64;
/** What an answer has around its result. */
const ENVELOPE_BYTES = 1_024;

/** @typedef {{ resolve: (answer: Answer) => void, reject: (error: BusError) => void, onProgress: ((value: unknown) => void) | undefined, events: number }} Pending */

export class PortSession {
  /**
   * @param {SessionHandlers} handlers
   * @param {SetTimer} setTimer
   */
  constructor(handlers, setTimer) {
    this._handlers = handlers;
    this._setTimer = setTimer;
    /** @type {AppPort | null} */
    this._port = null;
    /** @type {(() => void)[]} */
    this._waiting = [];
    this._closed = false;
    this._lastId = 0;
    /** @type {Map<number, Pending>} */
    this._pending = new Map();
    /** @type {Map<number, AbortController>} */
    this._running = new Map();
  }

  /** Takes a port; what waited for one is sent. @param {AppPort} port */
  connect(port) {
    this._drop("the workspace gave this app another port");
    this._port = port;
    this._closed = false;
    port.onmessage = ({ data }) => {
      if (this._port === port) this._receive(data);
    };
    for (const send of this._waiting.splice(0)) send();
  }

  /** Lets the port go. @param {string} why */
  close(why) {
    this._closed = true;
    this._drop(why);
    for (const send of this._waiting.splice(0)) send();
  }

  /**
   * Asks the kernel.
   *
   * @param {string} action
   * @param {Record<string, unknown>} payload Plain JSON data.
   * @param {AskOptions} [options]
   * @returns {Promise<Answer>} Rejects with a `BusError`.
   */
  ask(
    action,
    payload,
    { attachment, onProgress, signal, seconds = BUS_LIMITS.defaultTimeoutSeconds } = {},
  ) {
    return new Promise((resolve, reject) => {
      const message = messages.exec(++this._lastId, action, payload);
      checkJson(message, { what: "message" });
      requireUsable(attachment);
      if (signal?.aborted)
        throw new BusError("CANCELLED", "The call was cancelled; nothing was run.");
      const { id } = message;
      let sent = false;
      const abort = () => {
        if (sent) this._post(messages.cancel(id, "by its caller"));
        fail(new BusError("CANCELLED", `The call was cancelled; ${doneSoFar(sent)}.`));
      };
      const cancelTimer = this._setTimer((seconds + GRACE_SECONDS) * 1000, () => {
        if (sent) this._post(messages.cancel(id, "it was waited for too long"));
        fail(new BusError("TIMEOUT", `No answer came in ${seconds} s; ${doneSoFar(sent)}.`));
      });
      const settle = () => {
        cancelTimer();
        signal?.removeEventListener("abort", abort);
        return this._pending.delete(id);
      };
      const fail = (/** @type {BusError} */ error) => {
        if (settle()) reject(error);
      };
      this._pending.set(id, {
        resolve: (answer) => void (settle(), resolve(answer)),
        reject: fail,
        onProgress,
        events: 0,
      });
      signal?.addEventListener("abort", abort);
      const send = () => {
        if (!this._pending.has(id)) return;
        if (this._port === null) {
          fail(
            new BusError(
              "ENDPOINT_GONE",
              "This app has no port to the workspace; nothing was run.",
            ),
          );
          return;
        }
        try {
          requireUsable(attachment);
          sent = true;
          this._post(message, attachment);
        } catch (error) {
          sent = false;
          fail(error instanceof BusError ? error : detached());
        }
      };
      if (this._port !== null || this._closed) send();
      else if (this._waiting.length < MAX_WAITING) this._waiting.push(send);
      else
        fail(new BusError("TOO_MANY_CALLS", "This app has no port yet, and too many calls wait."));
    });
  }

  /** @param {string} why */
  _drop(why) {
    const port = this._port;
    if (port === null) return;
    this._port = null;
    port.onmessage = null;
    port.close();
    for (const controller of this._running.values()) controller.abort();
    this._running.clear();
    const text = `The port is gone (${why}); what was asked may have been done.`;
    for (const { reject } of [...this._pending.values()]) {
      reject(new BusError("ENDPOINT_GONE", text));
    }
  }

  /** @param {unknown} data */
  _receive(data) {
    let received;
    try {
      received = messages.readMessage(data);
    } catch (error) {
      if (!(error instanceof messages.MalformedMessage)) throw error;
      if (error.id !== undefined) this._post(messages.failure(error.id, error.error));
      return;
    }
    const { message, attachment } = received;
    switch (message.type) {
      case "exec":
        void this._run(message, attachment);
        break;
      case "response": {
        const pending = this._pending.get(message.id);
        if (pending === undefined) return;
        if ("error" in message) pending.reject(BusError.fromWire(message.error));
        else pending.resolve({ ok: message.ok, attachment });
        break;
      }
      case "progress":
        this._progress(message.id, message.payload);
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
   * @param {number} id
   * @param {unknown} value
   */
  _progress(id, value) {
    const pending = this._pending.get(id);
    if (pending?.onProgress === undefined) return;
    if (++pending.events > BUS_LIMITS.maxProgressEvents) return;
    try {
      pending.onProgress(value);
    } catch (error) {
      reportError(error);
    }
  }

  /**
   * @param {Exec} message
   * @param {ArrayBuffer | undefined} attachment
   */
  async _run({ id, payload: { action, payload } }, attachment) {
    const port = this._port;
    const controller = new AbortController();
    this._running.set(id, controller);
    let events = 0;
    let open = true;
    const progress = (/** @type {unknown} */ value) => {
      const copy = copyJson(value, { maxBytes: BUS_LIMITS.maxProgressBytes, what: "progress" });
      if (++events > BUS_LIMITS.maxProgressEvents) {
        const most = BUS_LIMITS.maxProgressEvents;
        throw new BusError("TOO_LARGE", `A request reports progress at most ${most} times.`);
      }
      // Nobody waits any more: it is not an error of the tool's.
      if (open && !controller.signal.aborted) this._postBy(port, messages.progress(id, copy));
    };
    const { signal } = controller;
    /** @type {BusMessage} */
    let answer;
    /** @type {ArrayBuffer | undefined} */
    let reply;
    try {
      const done = await this._handlers.onRequest({
        action,
        payload,
        attachment,
        signal,
        progress,
      });
      const most = BUS_LIMITS.maxMessageBytes - ENVELOPE_BYTES;
      answer = messages.success(id, copyJson(done.ok, { maxBytes: most, what: "result" }));
      reply = done.attachment;
    } catch (error) {
      answer = messages.failure(id, failureOf(error));
    }
    open = false;
    if (this._running.get(id) === controller) this._running.delete(id);
    if (signal.aborted) return;
    try {
      requireUsable(reply);
      this._postBy(port, answer, reply);
    } catch {
      this._postBy(port, messages.failure(id, detached()));
    }
  }

  /**
   * @param {BusMessage} message
   * @param {ArrayBuffer} [attachment]
   */
  _post(message, attachment = undefined) {
    this._postBy(this._port, message, attachment);
  }

  /**
   * Answers go by the port that the request came by, or nowhere.
   *
   * @param {AppPort | null} port
   * @param {BusMessage} message
   * @param {ArrayBuffer} [attachment]
   */
  _postBy(port, message, attachment = undefined) {
    if (port !== null && port === this._port) messages.post(port, message, attachment);
  }
}

/** @param {unknown} error */
function failureOf(error) {
  if (!(error instanceof BusError)) {
    reportError(error);
    return new BusError("TOOL_FAILED", "The tool failed; it may have done part of its work.");
  }
  try {
    checkJson(error.toWire(), { maxBytes: BUS_LIMITS.maxProgressBytes, what: "error" });
    return error;
  } catch {
    return new BusError(error.code, error.message.slice(0, 1_000));
  }
}

/** Tells the app's own console what went wrong in the app. @param {unknown} error */
function reportError(error) {
  globalThis.console?.error(error);
}

/**
 * A buffer that was transferred already has no bytes to send, and would arrive empty.
 *
 * @param {unknown} attachment
 * @throws {BusError} `ATTACHMENT_DETACHED`, `ATTACHMENT_UNSUPPORTED`, `ATTACHMENT_TOO_LARGE`
 */
export function requireUsable(attachment) {
  if (attachment === undefined) return;
  if (!(attachment instanceof ArrayBuffer)) {
    throw new BusError(
      "ATTACHMENT_UNSUPPORTED",
      "An attachment is an ArrayBuffer; nothing was sent.",
    );
  }
  const maximum = BUS_LIMITS.maxAttachmentBytes;
  if (attachment.byteLength > maximum) {
    throw new BusError(
      "ATTACHMENT_TOO_LARGE",
      `An attachment has at most ${maximum} bytes, this one ${attachment.byteLength}; nothing was sent.`,
      { data: { maximum } },
    );
  }
  if (attachment.byteLength > 0) return;
  try {
    new Uint8Array(attachment);
  } catch {
    throw detached();
  }
}

function detached() {
  return new BusError(
    "ATTACHMENT_DETACHED",
    "The attachment was sent before and is not this app's any more; send a copy of your own.",
  );
}

/** @param {boolean} sent */
function doneSoFar(sent) {
  return sent ? "it may have been done" : "nothing was sent";
}
