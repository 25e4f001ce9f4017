// @ts-check
/**
 * One connected port of an app: what it asks of the kernel, and what the kernel asks of it. Who it is
 * was decided when it was connected, and nothing that it sends changes that. Contract: bus, endpoints.
 */

import { BusError } from "../contract/bus_error.js";
import * as messages from "../contract/bus_messages.js";
import { BUS_LIMITS } from "../contract/limits.js";
import { checkJson } from "../contract/bus_json.js";

/** @import { Exec, Received } from "../contract/bus_messages.js" */
/** @import { EndpointPlace } from "../contract/bus_names.js" */
/** @import { FloodGuard } from "./flood_guard.js" */
/** @import { BusPort } from "./kernel_powers.js" */
/** @import { Tool } from "./tool_descriptors.js" */

/** @typedef {{ ok: unknown, attachment?: ArrayBuffer | undefined } | { error: BusError }} Outcome */

/**
 * @typedef {object} Asked What the kernel asked of an endpoint and waits for.
 * @property {(outcome: Outcome) => void} done Told once.
 * @property {((value: unknown) => void) | undefined} progress
 * @property {number} events Of progress, so far.
 */

/**
 * @typedef {object} EndpointOwner Who is told what an endpoint does.
 * @property {(endpoint: Endpoint, request: Exec, attachment: ArrayBuffer | undefined) => void} onRequest
 * @property {(endpoint: Endpoint, id: number, reason: string) => void} onCancel
 * @property {(endpoint: Endpoint, error: BusError) => void} onFault It lost its right to the port.
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
    /** When something was last heard of it, in `now`'s milliseconds. */
    this.heardAt = now();
    this._now = now;
    this._port = port;
    this._flood = flood;
    this._owner = owner;
    this._lastId = 0;
    /** @type {Map<number, Asked>} */
    this._asked = new Map();
    port.onmessage = ({ data }) => this._receive(data);
    port.onmessageerror = () => this._count(BUS_LIMITS.maxMessageBytes);
  }

  /**
   * Asks something of the endpoint.
   *
   * @param {string} action
   * @param {Record<string, unknown>} payload Checked JSON.
   * @param {{ done: Asked["done"], progress?: Asked["progress"], attachment?: ArrayBuffer | undefined }} how
   * @returns {number} What `forget` takes.
   */
  ask(action, payload, { done, progress, attachment }) {
    const id = ++this._lastId;
    if (!this.open) {
      done({ error: gone(this.id, false) });
      return id;
    }
    this._asked.set(id, { done, progress, events: 0 });
    try {
      this._post(messages.exec(id, action, payload), attachment);
    } catch {
      // What is JSON can be cloned: it is the buffer, which somebody has sent elsewhere.
      this._asked.delete(id);
      const text = "The attachment is not the sender's any more; nothing was run.";
      done({ error: new BusError("ATTACHMENT_DETACHED", text) });
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
    for (const { done } of asked) done({ error: error ?? gone(this.id, true) });
  }

  /** @param {unknown} data */
  _receive(data) {
    if (!this.open) return;
    this.heardAt = this._now();
    /** @type {Received} */
    let received;
    try {
      received = messages.readMessage(data);
    } catch (error) {
      if (!(error instanceof messages.MalformedMessage)) throw error;
      const huge = error.error.code === "TOO_LARGE";
      if (!this._count(huge ? BUS_LIMITS.maxMessageBytes : 256)) return;
      if (error.id !== undefined) this.answer(error.id, { error: error.error });
      return;
    }
    if (this._count(received.bytes)) this._take(received);
  }

  /**
   * @param {number} bytes
   * @returns {boolean} Whether the port is still its own.
   */
  _count(bytes) {
    if (this._flood.take(bytes)) return true;
    this._owner.onFault(
      this,
      new BusError("FLOODED", `${this.id} sent more than it may, and lost its port.`),
    );
    return false;
  }

  /** @param {Received} received */
  _take({ message, attachment }) {
    switch (message.type) {
      case "exec":
        this._owner.onRequest(this, message, attachment);
        break;
      case "cancel":
        this._owner.onCancel(this, message.id, message.payload.reason);
        break;
      case "progress":
        this._progress(message.id, message.payload);
        break;
      case "response": {
        const asked = this._asked.get(message.id);
        // Late, repeated, or of nobody's asking.
        if (asked === undefined || !this._asked.delete(message.id)) return;
        if ("error" in message) asked.done({ error: BusError.fromWire(message.error) });
        else asked.done({ ok: message.ok, attachment });
        break;
      }
      default:
      // Only the kernel tells of events.
    }
  }

  /**
   * @param {number} id
   * @param {unknown} value
   */
  _progress(id, value) {
    const asked = this._asked.get(id);
    if (asked?.progress === undefined || asked.events >= BUS_LIMITS.maxProgressEvents) return;
    try {
      checkJson(value, { maxBytes: BUS_LIMITS.maxProgressBytes, what: "progress" });
    } catch (error) {
      if (error instanceof BusError) return;
      throw error;
    }
    asked.events += 1;
    asked.progress(value);
  }

  /**
   * @param {import("../contract/bus_messages.js").BusMessage} message
   * @param {ArrayBuffer} [attachment]
   */
  _post(message, attachment = undefined) {
    if (this.open) messages.post(this._port, message, attachment);
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
