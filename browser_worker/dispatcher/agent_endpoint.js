// @ts-check
/**
 * The sessions of one page: at most sixteen, each with protocol state of its own. What a bridge
 * or any other carrier calls: `request` and `closeSession`. Idle ones make room for others, but for
 * those that a client has initialised: such a client does not come back with its state. Once the app was
 * disabled those make room, too, and are sessions of MCP still when they come back.
 */

import { isObject } from "../contract/json_number.js";
import { PROTOCOL_LIMITS } from "../contract/limits.js";
import { INITIALIZE, LEGACY_METHODS } from "../contract/mcp_messages.js";
import { AppError } from "./app_error.js";
import { readEnvelope } from "./envelope.js";
import { METHODS } from "./methods.js";
import { Observers } from "./observers.js";
import { RpcSession } from "./rpc_session.js";

/** @import { Dispatcher } from "./dispatcher.js" */
/** @import { Envelope } from "./envelope.js" */
/** @import { Message } from "./rpc_session.js" */

const MAX_REMEMBERED = 4 * PROTOCOL_LIMITS.maxSessions;

/**
 * @typedef {object} Place
 * @property {RpcSession} rpc
 * @property {number} running
 * @property {number | undefined} pinned How often the dispatcher had been disabled when a client began to
 *   rely on this state.
 */

/**
 * @typedef {object} SessionEvent What an observer is told: a session is there, a request of it begins,
 *   ends, and the session is gone. Requests that reserve no session are not told.
 * @property {"open" | "begin" | "end" | "close"} phase
 * @property {string} session
 * @property {number} [request] At begin and end: counts requests; the same for both.
 * @property {string} [method] At begin and end.
 * @property {string} [tool] At begin and end of an MCP `tools/call`.
 * @property {string} [action] At begin and end, where the params name one to be run, or in control protocol
 *   1 one to be described. As sent: it may be unknown.
 * @property {boolean} [ok] At the end.
 * @property {string} [code] At the end of one that failed: the error's code.
 * @property {boolean} [deferred] At the end of one that goes on as a task.
 * @property {string} [task] At the end of such a one: the task's id.
 */

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
    /** Of those that a client has initialised: which made room, the last one last. @type {Set<string>} */
    this._initialised = new Set();
    this._requests = 0;
    /** @type {Observers<SessionEvent>} */
    this._observers = new Observers();
  }

  /**
   * Watches the sessions and their requests.
   *
   * @param {(event: SessionEvent) => void} observer What it throws changes nothing.
   * @returns {() => void} Ends the watching.
   */
  onSession(observer) {
    return this._observers.add(observer);
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
    const known = this._places.get(session);
    const rpc = known?.rpc ?? this._begin(session);
    const message = rpc.read(envelope);
    // What is no valid request reserves no place.
    if (!message.valid) {
      const refused = known === undefined ? this._notOpened(session, envelope) : undefined;
      return refused ?? (await rpc.answer(message, expired)) ?? null;
    }
    const place = this._place(session, rpc);
    if (place === undefined) return rpc.refuse(message, sessionLimit()) ?? null;
    if (message.taken !== undefined && envelope.method === INITIALIZE) {
      place.pinned = this._dispatcher.timesDisabled;
    }
    /** @type {Omit<SessionEvent, "phase">} */
    const what = { session, request: ++this._requests, ...named(message) };
    this._observers.notify({ phase: "begin", ...what });
    place.running++;
    try {
      const answer = await place.rpc.answer(message, expired, (ending) =>
        this._observers.notify({ phase: "end", ...what, ...ending }),
      );
      return answer ?? null;
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
    this._initialised.delete(session);
    return this._release(session);
  }

  /** @param {string} session */
  _release(session) {
    const known = this._places.delete(session);
    if (!known) return false;
    this._observers.notify({ phase: "close", session });
    this._dispatcher.sessionEnded(session);
    return true;
  }

  /**
   * The state of a session that has none. Whoever brings its requests holds one that made room for
   * initialised, and so does its client.
   *
   * @param {string} session
   */
  _begin(session) {
    /** @type {{ protocol?: "mcp" }} */
    const options = this._initialised.has(session) ? { protocol: "mcp" } : {};
    return new RpcSession(this._dispatcher, session, options);
  }

  /**
   * Whoever waits for a session's calls cannot be told anything now. The session goes on.
   *
   * @param {string} session
   */
  sessionUnreached(session) {
    if (this._places.has(session)) this._dispatcher.sessionUnreached(session);
  }

  /**
   * Refuses a request of MCP alone while there is no place for a session. Its `initialize` found none
   * either: to call its method unknown would be of no use to it.
   *
   * @param {string} session
   * @param {Envelope} envelope
   * @returns {string | undefined}
   */
  _notOpened(session, envelope) {
    const { method } = envelope;
    if (METHODS.has(method) || !LEGACY_METHODS.has(method)) return undefined;
    if (this._hasRoom() || this._idle() !== undefined) return undefined;
    const rpc = new RpcSession(this._dispatcher, session, { protocol: "mcp" });
    const message = rpc.read(envelope);
    return message.valid ? rpc.refuse(message, sessionLimit()) : undefined;
  }

  _hasRoom() {
    return this._places.size < this._maxSessions;
  }

  /**
   * @param {string} session
   * @param {RpcSession} rpc Its state, or what is to become it.
   * @returns {Place | undefined} Undefined when all places are taken by sessions that are busy.
   */
  _place(session, rpc) {
    const known = this._places.get(session);
    if (known !== undefined) {
      this._places.delete(session);
      this._places.set(session, known);
      return known;
    }
    if (!this._hasRoom() && !this._evict()) return undefined;
    const place = { rpc, running: 0, pinned: undefined };
    this._places.set(session, place);
    this._observers.notify({ phase: "open", session });
    return place;
  }

  /** @returns {boolean} Whether a place was made free. */
  _evict() {
    const name = this._idle();
    if (name === undefined) return false;
    if (this._places.get(name)?.pinned !== undefined) this._remember(name);
    return this._release(name);
  }

  /** @param {string} session */
  _remember(session) {
    this._initialised.delete(session);
    this._initialised.add(session);
    for (const oldest of this._initialised) {
      if (this._initialised.size <= MAX_REMEMBERED) break;
      this._initialised.delete(oldest);
    }
  }

  /** The session that makes room first, if any does. */
  _idle() {
    for (const [name, place] of this._places) {
      if (place.running === 0 && place.pinned !== this._dispatcher.timesDisabled) return name;
    }
    return undefined;
  }
}

function sessionLimit() {
  const text = "Every session of this app is busy; nothing was run. Try again.";
  return new AppError("SESSION_LIMIT", text);
}

/**
 * How a request is named to who watches.
 *
 * @param {Message} message
 * @returns {Pick<SessionEvent, "method" | "tool" | "action">}
 */
function named({ envelope: { method, params }, taken }) {
  if (taken === undefined) return { method, ...actionIn(params) };
  const tool = params["name"];
  if (method !== "tools/call" || typeof tool !== "string") return { method };
  const given = params["arguments"];
  return {
    method,
    tool,
    ...(tool === "actions_execute" && isObject(given) ? actionIn(given) : {}),
  };
}

/** @param {Record<string, unknown>} params */
function actionIn(params) {
  const action = Object.hasOwn(params, "action") ? params["action"] : undefined;
  return typeof action === "string" ? { action } : {};
}
