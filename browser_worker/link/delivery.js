// @ts-check
/**
 * Runs what the bridge delivers, in the page: each item at most once, none past its deadline, every
 * one answered with something that can be sent.
 *
 * Waits for nothing: an item is handed to the endpoint while earlier ones still run, and the
 * endpoint keeps their order. Contract: delivery, size.
 */

import { APP_ERROR } from "../contract/error_codes.js";
import { JSON_LIMITS } from "../contract/limits.js";
import { exceedsUtf8 } from "../contract/utf8.js";
import { elapsedMs } from "./deadlines.js";
import { rawMembers } from "./raw_members.js";

/** @import { Reading } from "./deadlines.js" */
/** @import { DeliveredItem, Transport } from "./transport.js" */
/** @import { Clock } from "./powers.js" */

/**
 * @typedef {object} RequestContext
 * @property {string} session
 * @property {() => boolean} expired Whether the caller has gone by now: an endpoint that lets requests
 *   wait asks again before it starts one.
 */

/**
 * @typedef {object} Endpoint
 * @property {(text: string, context: RequestContext) => Promise<string | null>} request One JSON-RPC
 *   message in, its response out, both as JSON text; null for what is not answered.
 * @property {(session: string) => unknown} closeSession May return a promise.
 * @property {(session: string) => unknown} [sessionUnreached] Whoever waits for its calls cannot be told anything
 *   now: nobody need be asked for their sake. What runs goes on, and its answer is sent should the bridge come back.
 */

/** Twice what the bridge keeps outstanding, and more: an item is repeated only while it is that. */
const MAX_REMEMBERED = 512;
/** Far more than an endpoint keeps at once. */
const MAX_SESSIONS = 512;

export class Delivery {
  #endpoint;
  #clock;
  #maxBytes = JSON_LIMITS.maxEncodedBytes;
  /** @type {Set<string>} oldest first */
  #seen = new Set();
  #taken = 0;
  /** Those that the present client's requests were in and that no close came for.
   * @type {Set<string>} least recently used first */
  #sessions = new Set();
  /** Counts those who were let go: what the bridge delivered for an earlier one, nobody waits for. */
  #era = 0;

  /**
   * @param {object} powers
   * @param {Endpoint} powers.endpoint
   * @param {Clock} powers.clock
   */
  constructor({ endpoint, clock }) {
    this.#endpoint = endpoint;
    this.#clock = clock;
  }

  /** The highest `seq` that was begun for the present client. */
  get taken() {
    return this.#taken;
  }

  /**
   * A new client: the bridge counts from 1 again, and the callers of the former have been told that it
   * is gone. Ids stay unique, so repeats stay known.
   *
   * @param {number} maxBytes largest response that this bridge takes
   */
  restart(maxBytes) {
    this.abandon();
    this.#taken = 0;
    this.#maxBytes = Math.min(maxBytes, JSON_LIMITS.maxEncodedBytes);
  }

  /**
   * The bridge was let go: what still waits for its turn is not begun, what runs goes on. Its sessions
   * are closed, as a bridge closes only those of its present client, and opens a session anew for
   * every client.
   */
  abandon() {
    this.#era += 1;
    const sessions = [...this.#sessions];
    this.#sessions.clear();
    for (const session of sessions) void this.#close(session);
  }

  /** The bridge is not reached: its sessions are told, and none is closed, since the bridge may be there still. */
  unreached() {
    for (const session of this.#sessions) {
      try {
        this.#endpoint.sessionUnreached?.(session);
      } catch {
        // An app's own endpoint; the others are told all the same.
      }
    }
  }

  /**
   * @param {DeliveredItem[]} items
   * @param {Reading} receivedAt the moment to which their `remainingMs` belong
   * @param {Pick<Transport, "begun" | "postResult">} transport
   */
  accept(items, receivedAt, transport) {
    const era = this.#era;
    for (const item of items) {
      const expired = () =>
        era !== this.#era || elapsedMs(receivedAt, this.#clock()) >= item.remainingMs;
      if (this.#isNew(item.id)) void this.#run(item, expired, transport);
    }
  }

  /**
   * Closes a session at once, whatever an app's own endpoint makes of it.
   *
   * @param {string} session
   */
  async #close(session) {
    try {
      await this.#endpoint.closeSession(session);
    } catch {
      // Nobody waits for it.
    }
  }

  /** @param {string} session */
  #use(session) {
    this.#sessions.delete(session);
    this.#sessions.add(session);
    if (this.#sessions.size <= MAX_SESSIONS) return;
    for (const oldest of this.#sessions) {
      this.#sessions.delete(oldest);
      break;
    }
  }

  /** @param {string} id */
  #isNew(id) {
    if (this.#seen.has(id)) return false;
    this.#seen.add(id);
    if (this.#seen.size > MAX_REMEMBERED) {
      for (const oldest of this.#seen) {
        this.#seen.delete(oldest);
        break;
      }
    }
    return true;
  }

  /**
   * @param {DeliveredItem} item
   * @param {() => boolean} expired
   * @param {Pick<Transport, "begun" | "postResult">} transport
   */
  async #run(item, expired, transport) {
    // Nobody waits for an answer any more, so none is sent either.
    if (expired()) return;
    this.#taken = Math.max(this.#taken, item.seq);
    transport.begun(item.id, item.seq);
    const response = await this.#answer(item, expired);
    const fits = !exceedsUtf8(response, this.#maxBytes);
    transport.postResult(item.id, fits ? response : null);
  }

  /**
   * @param {DeliveredItem} item
   * @param {() => boolean} expired
   * @returns {Promise<string>}
   */
  async #answer({ request, session }, expired) {
    try {
      if (request !== null) {
        this.#use(session);
        /** @type {unknown} An app's own endpoint can give anything. */
        const response = await this.#endpoint.request(request, { session, expired });
        if (typeof response === "string") return response;
        return response === null || response === undefined ? "null" : hostError(request);
      }
      this.#sessions.delete(session);
      await this.#endpoint.closeSession(session);
    } catch {
      // An endpoint answers every failure itself. Should one break all the same, its caller still
      // gets an answer, without a word of what went wrong inside the page.
      if (request !== null) return hostError(request);
    }
    return "null";
  }
}

/**
 * @param {string} request
 * @returns {string} the answer to a request whose endpoint broke, or null for a notification
 */
function hostError(request) {
  const { HOST_ERROR: code } = APP_ERROR;
  const id = requestId(request);
  if (id === undefined) return "null";
  const error = { code, message: "The app failed.", data: { code: "HOST_ERROR" } };
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`;
}

/**
 * @param {string} request
 * @returns {string | undefined} the raw id; "null" where it cannot be one, undefined where there is none
 */
function requestId(request) {
  try {
    const id = rawMembers(request).get("id");
    if (id === undefined) return undefined;
    return /^["\-0-9]/.test(id) && JSON.parse(id) !== null ? id : "null";
  } catch {
    return "null";
  }
}
