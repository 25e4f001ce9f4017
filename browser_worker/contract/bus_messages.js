// @ts-check
/**
 * The messages of a port between the kernel and a frame: made, and read with distrust. What an
 * action takes is its own affair. Contract: bus, the envelope.
 */

import { BusError } from "./bus_error.js";
import { readJson } from "./bus_json.js";
import { isArrayBuffer } from "./bus_attachments.js";
import { isObject } from "./json_number.js";
import { BUS_LIMITS } from "./limits.js";

/** @import { WireError } from "./bus_error.js" */

/** @typedef {Record<string, unknown>} Payload */
/** @typedef {{ type: "exec", id: number, payload: { action: string, payload: Payload, invocation?: string } }} Exec */
/** @typedef {{ type: "response", id: number, ok: unknown }} Success */
/** @typedef {{ type: "response", id: number, error: WireError }} Failure */
/** @typedef {{ type: "progress", id: number, payload: unknown }} Progress */
/** @typedef {{ type: "cancel", id: number, payload: { reason: string } }} Cancel */
/** @typedef {{ type: "event", payload: { event: string } & Payload }} BusEvent */
/** @typedef {Exec | Success | Failure | Progress | Cancel | BusEvent} BusMessage */

/**
 * @typedef {object} Received
 * @property {BusMessage} message A copy, without the attachment; members that nobody knows stay in it.
 * @property {ArrayBuffer | undefined} attachment
 * @property {number} bytes What the message has as JSON, at most.
 */

/** What was sent within its bound arrives, whatever its envelope adds. */
const BOUNDS = Object.freeze({
  maxBytes: BUS_LIMITS.maxMessageBytes + BUS_LIMITS.maxEnvelopeBytes,
  maxDepth: BUS_LIMITS.maxDepth + 3,
  what: "message",
  not: "taken",
});

/** A message that cannot be taken. */
export class MalformedMessage extends Error {
  /**
   * @param {BusError} error
   * @param {unknown} type
   * @param {unknown} id
   */
  constructor(error, type, id) {
    super(error.message);
    this.name = "MalformedMessage";
    const known = isMessageId(id) ? /** @type {number} */ (id) : undefined;
    /** @readonly */
    this.error = error;
    /** @readonly The id of a request, which can be answered. */
    this.requestId = type === "exec" ? known : undefined;
    /** @readonly The id of what it was meant to answer. */
    this.responseId = type === "response" ? known : undefined;
  }
}

/**
 * @param {number} id
 * @param {string} action
 * @param {Payload} payload
 * @param {string} [invocation] In whose name it is asked: metadata of the port's own, and never part of
 *   what is asked.
 * @returns {Exec}
 */
export function exec(id, action, payload, invocation = undefined) {
  if (invocation === undefined) return { type: "exec", id, payload: { action, payload } };
  return { type: "exec", id, payload: { action, payload, invocation } };
}

/**
 * @param {number} id
 * @param {unknown} ok
 * @returns {Success}
 */
export function success(id, ok) {
  return { type: "response", id, ok };
}

/**
 * @param {number} id
 * @param {BusError} error
 * @returns {Failure}
 */
export function failure(id, error) {
  return { type: "response", id, error: error.toWire() };
}

/**
 * @param {number} id
 * @param {unknown} payload
 * @returns {Progress}
 */
export function progress(id, payload) {
  return { type: "progress", id, payload };
}

/**
 * @param {number} id
 * @param {string} reason For a person.
 * @returns {Cancel}
 */
export function cancel(id, reason) {
  return { type: "cancel", id, payload: { reason } };
}

/**
 * @param {string} event
 * @param {Payload} [more]
 * @returns {BusEvent}
 */
export function event(event, more = {}) {
  return { type: "event", payload: { ...more, event } };
}

/**
 * Sends a message. Its JSON has been checked; a buffer goes over and is no longer the sender's.
 *
 * @param {{ postMessage: (message: unknown, transfer: ArrayBuffer[]) => void }} port
 * @param {BusMessage} message
 * @param {ArrayBuffer} [attachment]
 */
export function post(port, message, attachment) {
  if (attachment === undefined) port.postMessage(message, []);
  else port.postMessage({ ...message, attachment }, [attachment]);
}

/**
 * Reads what came by a port, whoever sent it.
 *
 * @param {unknown} data
 * @returns {Received}
 * @throws {MalformedMessage}
 */
export function readMessage(data) {
  if (!isObject(data)) throw malformed("it is no object", {});
  let read;
  try {
    read = readJson(data, BOUNDS, "attachment");
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    throw new MalformedMessage(error, data["type"], data["id"]);
  }
  const attachment = data["attachment"];
  if (attachment !== undefined && !isArrayBuffer(attachment)) {
    throw malformed("its attachment is no ArrayBuffer", data);
  }
  const { copy, bytes } = read;
  const why = fault(copy, isMessageId(copy["id"]));
  if (why !== undefined) throw malformed(why, copy);
  return { message: /** @type {BusMessage} */ (/** @type {unknown} */ (copy)), attachment, bytes };
}

/** @param {unknown} value */
function isMessageId(value) {
  return Number.isSafeInteger(value) && /** @type {number} */ (value) > 0;
}

/**
 * @param {Record<string, unknown>} data
 * @param {boolean} named Whether it has an id.
 * @returns {string | undefined} What is wrong with it.
 */
function fault(data, named) {
  const { type, payload } = data;
  if (type !== "event" && !named) return "its id is no positive integer";
  switch (type) {
    case "exec":
      return isObject(payload) &&
        typeof payload["action"] === "string" &&
        isObject(payload["payload"]) &&
        ["undefined", "string"].includes(typeof payload["invocation"])
        ? undefined
        : "a request has a payload with an action and a payload of its own";
    case "response":
      return responseFault(data);
    case "progress":
      return Object.hasOwn(data, "payload") ? undefined : "progress has a payload";
    case "cancel":
      return isObject(payload) && typeof payload["reason"] === "string"
        ? undefined
        : "a cancellation has a payload with a reason";
    case "event":
      return isObject(payload) && typeof payload["event"] === "string"
        ? undefined
        : "an event has a payload that names it";
    default:
      return "its type is unknown";
  }
}

/** @param {Record<string, unknown>} data */
function responseFault(data) {
  if (Object.hasOwn(data, "ok") === Object.hasOwn(data, "error")) {
    return "a response has either ok or error";
  }
  if (Object.hasOwn(data, "ok")) return undefined;
  const error = data["error"];
  if (!isObject(error)) return "an error is an object";
  const { code, message, retryAfterMs, data: more } = error;
  const sound =
    typeof code === "string" &&
    typeof message === "string" &&
    (retryAfterMs === undefined ||
      (Number.isSafeInteger(retryAfterMs) && Number(retryAfterMs) >= 0)) &&
    (more === undefined || isObject(more));
  return sound ? undefined : "an error has a code and a message";
}

/**
 * @param {string} why
 * @param {Record<string, unknown>} data
 */
function malformed(why, { type, id }) {
  const error = new BusError("INVALID_MESSAGE", `The message was not taken: ${why}.`);
  return new MalformedMessage(error, type, id);
}
