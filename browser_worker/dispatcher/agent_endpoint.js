// @ts-check
/**
 * The sessions of one page: at most sixteen, each with protocol state of its own. What a bridge
 * or any other carrier calls: `request` and `closeSession`.
 */

import { PROTOCOL_LIMITS } from "../contract/limits.js";
import { AppError } from "./app_error.js";
import { METHODS } from "./methods.js";
import { RpcSession, failure, readEnvelope } from "./rpc_session.js";

/** @import { Dispatcher } from "./dispatcher.js" */

/** @typedef {{ rpc: RpcSession, running: number }} Place */

/** Brings messages of named sessions to a dispatcher. */
export class AgentEndpoint {
  /**
   * @param {Dispatcher} dispatcher
   * @param {{ maxSessions?: number }} [limits]
   */
  constructor(dispatcher, { maxSessions = PROTOCOL_LIMITS.maxSessions } = {}) {
    this._dispatcher = dispatcher;
    this._maxSessions = maxSessions;
    /** Least recently used first. @type {Map<string, Place>} */
    this._places = new Map();
  }

  /** The names of the sessions that are kept, least recently used first. */
  get sessions() {
    return [...this._places.keys()];
  }

  /**
   * Takes one message.
   *
   * @param {string} text A JSON-RPC message as JSON text.
   * @param {{ session: string, expired?: () => boolean }} from `expired` says whether the caller has
   *   gone by now: a call whose turn comes later than that is not begun.
   * @returns {Promise<string | null>} The answer as JSON text, or null where there is none. Never
   *   rejects.
   */
  async request(text, { session, expired }) {
    const envelope = readEnvelope(text);
    if (envelope.error !== undefined || !METHODS.has(envelope.method)) {
      // What is no valid request reserves no place.
      return (await new RpcSession(this._dispatcher, session).handle(envelope, expired)) ?? null;
    }
    const place = this._place(session);
    if (place === undefined) {
      if (envelope.id === undefined) return null;
      return failure(
        envelope.id,
        new AppError(
          "SESSION_LIMIT",
          "Every session of this page is busy; nothing was run. Try again.",
        ),
      );
    }
    place.running++;
    try {
      return (await place.rpc.handle(envelope, expired)) ?? null;
    } finally {
      place.running--;
    }
  }

  /**
   * Releases a session's state. Its running calls end as they would have.
   *
   * @param {string} session
   * @returns {boolean} Whether there was one.
   */
  closeSession(session) {
    return this._places.delete(session);
  }

  /**
   * @param {string} session
   * @returns {Place | undefined} Undefined when all places are taken by sessions that are busy.
   */
  _place(session) {
    const known = this._places.get(session);
    if (known !== undefined) {
      this._places.delete(session);
      this._places.set(session, known);
      return known;
    }
    if (this._places.size >= this._maxSessions && !this._evict()) return undefined;
    const place = { rpc: new RpcSession(this._dispatcher, session), running: 0 };
    this._places.set(session, place);
    return place;
  }

  /** @returns {boolean} Whether a place was made free. */
  _evict() {
    for (const [name, place] of this._places) {
      if (place.running === 0) return this._places.delete(name);
    }
    return false;
  }
}
