// @ts-check
/**
 * One connected port of an app: what it asks of the kernel, and what the kernel asks of it. Who it is
 * was decided when it was connected, and nothing that it sends changes that. Contract: bus, endpoints.
 */

import { detached } from "../../contract/bus_attachments.js";
import { BusError } from "../../contract/bus_error.js";
import { checkJson } from "../../contract/bus_json.js";
import * as messages from "../../contract/bus_messages.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { EndReason } from "../calls/call_end.js";
import { senderActivation } from "../private/sender_activation.js";
import { FloodGuard } from "./flood_guard.js";

/** @import { Exec, Received } from "../../contract/bus_messages.js" */
/** @import { EndpointPlace } from "../../contract/bus_names.js" */
/** @import { CallHandle } from "../calls/broker.js" */
/** @import { BusPort } from "../kernel_powers.js" */
/** @import { SenderActivation } from "../private/sender_activation.js" */
/** @import { Tool } from "../tools/tool_descriptors.js" */

/** @typedef {{ ok: unknown, attachment?: ArrayBuffer | undefined } | { error: BusError }} Outcome */

/** @typedef {{ data: unknown } & Parameters<typeof senderActivation>[0]} PortEvent As the browser made it. */

/**
 * @typedef {object} Asked What the kernel asked of an endpoint and waits for.
 * @property {(outcome: Outcome) => void} done Told once.
 * @property {((value: unknown) => void) | undefined} progress
 * @property {number} events Of progress, so far.
 */

/**
 * @typedef {object} Came What comes with a request, beside its JSON.
 * @property {ArrayBuffer | undefined} attachment
 * @property {SenderActivation | null} sender Whether the frame that sent it was clicked, as the browser says.
 */

/**
 * @typedef {object} EndpointOwner Who is told what an endpoint does.
 * @property {(endpoint: Endpoint, request: Exec, came: Came) => void} onRequest
 * @property {(endpoint: Endpoint, id: number, reason: string) => void} onCancel
 * @property {(endpoint: Endpoint, error: BusError) => void} onFault It gave its port up, or lost the
 *   right to it.
 */

/**
 * @typedef {object} EndpointOptions
 * @property {string} id
 * @property {EndpointPlace} place
 * @property {string} session Names this connection, and no other at any time.
 * @property {BusPort} port
 * @property {FloodGuard} flood
 * @property {EndpointOwner} owner
 * @property {() => number} now
 */

export class Endpoint {
  /** @param {EndpointOptions} options */
  constructor({ id, place, session, port, flood, owner, now }) {
    /** @readonly */
    this.id = id;
    /** @readonly */
    this.place = place;
    /** @readonly */
    this.session = session;
    this.open = true;
    /** Tools as the endpoint last confirmed them; it is asked again whether they still hold. */
    this.confirmed = /** @type {Map<string, Tool>} */ (new Map());
    /** What it asked for and has no answer to, by its own ids. @type {Map<number, CallHandle>} */
    this.requests = new Map();
    /** When something was last heard of it, in `now`'s milliseconds. */
    this.heardAt = now();
    this._now = now;
    this._port = port;
    this._flood = flood;
    this._progressFlood = new FloodGuard(now);
    this._owner = owner;
    this._lastId = 0;
    /** @type {Map<number, Asked>} */
    this._asked = new Map();
    port.onmessage = (event) => this._receive(event);
    port.onmessageerror = () => this._count(BUS_LIMITS.maxMessageBytes);
  }

  /**
   * Asks something of the endpoint.
   *
   * @param {string} action
   * @param {Record<string, unknown>} payload Checked JSON.
   * @param {object} how
   * @param {Asked["done"]} how.done
   * @param {Asked["progress"]} [how.progress]
   * @param {ArrayBuffer} [how.attachment]
   * @param {string} [how.invocation] What the endpoint may say on whose behalf it calls.
   * @returns {number} What `forget` takes.
   */
  ask(action, payload, { done, progress, attachment, invocation }) {
    const id = ++this._lastId;
    if (!this.open) {
      done({ error: gone(this.id, false) });
      return id;
    }
    this._asked.set(id, { done, progress, events: 0 });
    try {
      this._post(messages.exec(id, action, payload, invocation), attachment);
    } catch {
      // What is JSON can be cloned: it is the buffer, which somebody has sent elsewhere.
      this._asked.delete(id);
      done({ error: detached() });
    }
    return id;
  }

  /**
   * Waits no longer for what was asked, and says so to the endpoint.
   *
   * @param {number} id
   * @param {string} reason
   */
  forget(id, reason) {
    if (this._asked.delete(id)) this._post(messages.cancel(id, reason));
  }

  /**
   * Answers a request of the endpoint's.
   *
   * @param {number} id
   * @param {Outcome} outcome
   */
  answer(id, outcome) {
    if ("error" in outcome) this._post(messages.failure(id, outcome.error));
    else this._post(messages.success(id, outcome.ok), outcome.attachment);
  }

  /** One of its requests was let in, and has its result: it counts for no flood. */
  forgive() {
    this._flood.forgive();
  }

  /**
   * @param {number} id The endpoint's own request.
   * @param {unknown} value
   */
  sendProgress(id, value) {
    this._post(messages.progress(id, value));
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} payload
   */
  sendEvent(name, payload) {
    this._post(messages.event(name, payload));
  }

  /** Closes the port. Whoever waits for an answer is told that there is none. @param {BusError} [error] */
  close(error = undefined) {
    if (!this.open) return;
    this.open = false;
    this._port.onmessage = null;
    this._port.onmessageerror = null;
    this._port.close();
    const asked = [...this._asked.values()];
    this._asked.clear();
    this.requests.clear();
    for (const { done } of asked) done({ error: error ?? gone(this.id, true) });
  }

  /** @param {PortEvent} event */
  _receive(event) {
    if (!this.open) return;
    this.heardAt = this._now();
    /** @type {Received} */
    let received;
    try {
      received = messages.readMessage(event.data);
    } catch (error) {
      if (!(error instanceof messages.MalformedMessage)) throw error;
      // What it has beside what is wrong nobody measured: a buffer of any size, say.
      const measured = error.error.code === "INVALID_MESSAGE";
      if (this._count(measured ? 256 : BUS_LIMITS.maxMessageBytes)) this._malformed(error);
      return;
    }
    const { message } = received;
    // Who answers what it was asked must not lose its port for who asks so much.
    const wanted = message.type === "response" && this._asked.has(message.id);
    const isProgress = message.type === "progress" && this._asked.has(message.id);
    const bytes = received.bytes + strayBytes(received);
    if (wanted || (isProgress && this._progressFlood.take(bytes))) {
      this._take(received, event);
    }
    // Progress that comes too fast is dropped before it costs the port.
    else if (this._count(bytes) && !isProgress) this._take(received, event);
  }

  /** @param {messages.MalformedMessage} malformed */
  _malformed({ requestId, responseId, error }) {
    if (requestId !== undefined) this.answer(requestId, { error });
    if (responseId === undefined) return;
    // What cannot be an answer is the only one that there will be.
    const text = `${this.id} gave what is no answer; it may have done what it was asked. ${error.message}`;
    this._answered(responseId, {
      error: new BusError(
        "INVALID_OUTPUT",
        text,
        error.data === undefined ? {} : { data: error.data },
      ),
    });
  }

  /**
   * @param {number} bytes
   * @returns {boolean} Whether the port is still its own.
   */
  _count(bytes) {
    if (this._flood.take(bytes)) return true;
    this._owner.onFault(
      this,
      new EndReason("FLOODED", `${this.id} sent more than it may, and lost its port`),
    );
    return false;
  }

  /**
   * @param {Received} received
   * @param {PortEvent} event That it came by.
   */
  _take({ message, attachment, bytes }, event) {
    switch (message.type) {
      case "exec":
        this._owner.onRequest(this, message, { attachment, sender: senderActivation(event) });
        break;
      case "cancel":
        this._owner.onCancel(this, message.id, message.payload.reason);
        break;
      case "progress":
        this._progress(message.id, message.payload, bytes);
        break;
      case "response":
        this._answered(
          message.id,
          "error" in message
            ? { error: BusError.fromWire(message.error) }
            : { ok: message.ok, attachment },
        );
        break;
      case "event":
        if (message.payload.event === "leaving") this._owner.onFault(this, gone(this.id, true));
        break;
    }
  }

  /**
   * @param {number} id
   * @param {Outcome} outcome
   */
  _answered(id, outcome) {
    const asked = this._asked.get(id);
    // Late, repeated, or of nobody's asking.
    if (asked === undefined) return;
    this._asked.delete(id);
    asked.done(outcome);
  }

  /**
   * @param {number} id
   * @param {unknown} value
   * @param {number} bytes Of the whole message, at most.
   */
  _progress(id, value, bytes) {
    const asked = this._asked.get(id);
    if (asked?.progress === undefined || asked.events >= BUS_LIMITS.maxProgressEvents) return;
    if (bytes > BUS_LIMITS.maxProgressBytes && !isProgress(value)) return;
    asked.events += 1;
    asked.progress(value);
  }

  /**
   * @param {import("../../contract/bus_messages.js").BusMessage} message
   * @param {ArrayBuffer} [attachment]
   */
  _post(message, attachment = undefined) {
    if (this.open) messages.post(this._port, message, attachment);
  }
}

/**
 * Of a buffer that is for nobody. One of a call is bounded where the call is let in, or refused by name.
 *
 * @param {Received} received
 */
function strayBytes({ message, attachment }) {
  return message.type === "exec" ? 0 : (attachment?.byteLength ?? 0);
}

/** @param {unknown} value */
function isProgress(value) {
  try {
    checkJson(value, { maxBytes: BUS_LIMITS.maxProgressBytes });
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string} id
 * @param {boolean} begun Whether it was asked something already.
 */
export function gone(id, begun) {
  const what = begun
    ? "it may have done what it was asked; look at its state before you ask again"
    : "nothing was done";
  return new BusError("ENDPOINT_GONE", `${id.slice(0, 200)} is not there any more: ${what}.`);
}
