// @ts-check
/**
 * Calls to the app that is attached to a bridge, for scripts and tests in Node. The twin of the Python
 * client. Contract: control protocol 1.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";

import { BRIDGE_LIMITS } from "../contract/limits.js";
import { stringify } from "../contract/strict_json.js";
import {
  ActionError,
  BasculeError,
  BridgeFailure,
  CallAborted,
  DeadlineExceeded,
} from "./bascule_error.js";
import { BridgeConnection } from "./bridge_connection.js";
import { afterConsent, asksOwner, hasEnded } from "./consent_wait.js";

/** @import { BridgeLike } from "./bridge_connection.js" */

/**
 * @typedef {object} CallLimits
 * @property {number} [timeoutMs] How long the answer may take, in milliseconds; by default the client's.
 * @property {AbortSignal | undefined} [signal] Gives the call up; whether it ran is then unknown.
 */
/** @typedef {number | bigint | "latest"} ExpectedRevision "latest" reads the action's own first. */
/**
 * @typedef {object} CallChoices
 * @property {ExpectedRevision} [expectedRevision]
 * @property {boolean} [waitForConsent] Whether to wait where the owner of the page is asked first; true by
 *   default.
 */
/** @typedef {CallLimits & CallChoices} CallOptions */

/** @typedef {Record<string, any>} JsonObject */
/** @typedef {{ code: string, reason: string }} Unavailable */
/**
 * @typedef {object} ActionSummary
 * @property {string} name
 * @property {string} description
 * @property {"read" | "write"} kind
 * @property {boolean} available
 * @property {Unavailable} [unavailable]
 */
/**
 * @typedef {object} ActionDetails
 * @property {JsonObject | boolean} inputSchema
 * @property {JsonObject | boolean} outputSchema
 * @property {number | bigint} capabilities
 * @property {boolean} undo
 * @property {string} [transaction]
 * @property {number} [commandId]
 */
/** @typedef {ActionSummary & ActionDetails & { revision: number | bigint | null }} ActionDescription */
/**
 * @typedef {object} Task
 * @property {string} id
 * @property {"queued" | "running" | "cancelling" | "cancelled" | "completed" | "failed"} state
 * @property {string} [action]
 * @property {JsonObject} [progress]
 * @property {any} [output]
 * @property {JsonObject} [error]
 */
/**
 * @typedef {object} CallResult
 * @property {"completed" | "deferred"} status
 * @property {any} output Undefined while it is deferred.
 * @property {Task | null} task The task of a deferred call.
 * @property {number | bigint | null} revision Of the state after the call.
 */

/**
 * @typedef {object} CallEvent A call of anybody's, as the bridge saw it.
 * @property {number} seq
 * @property {"begin" | "end"} phase
 * @property {number | string} call The same for begin and end.
 * @property {string} session
 * @property {string} [method] Left out of a request that names none.
 * @property {string} [action]
 * @property {number} at Unix time in milliseconds.
 * @property {boolean} [ok]
 * @property {string} [code] Of one that failed.
 * @property {number} [durationMs]
 * @property {string} [deferred] Why it goes on as a task; "consent" where the page's owner is asked first.
 */
/** @typedef {{ now: number, next: number, missed: number, events: CallEvent[] }} CallEvents */

/** More pages than any app has. */
const MAX_PAGES = 1_000;
const FIRST_LOOK_MS = 25;
const LAST_LOOK_MS = 400;
/** The bridge knows more about a call that takes too long: its own answer should come first. */
const MARGIN_MS = 1_000;
const STATUS_MS = 5_000;
const LONGEST_MS = BRIDGE_LIMITS.maxCallSeconds * 1000;

/** One session of an attached app. Every method rejects with a `BasculeError`. */
export class AppClient {
  #connection;
  #session;
  #timeoutMs;
  #calls = 0;
  #closed = false;

  /**
   * Use `connect`.
   *
   * @param {BridgeConnection} connection
   * @param {{ session: string, timeoutMs: number }} options
   */
  constructor(connection, { session, timeoutMs }) {
    this.#connection = connection;
    this.#session = session;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Send any method of the protocol.
   *
   * @param {string} method
   * @param {JsonObject} [params]
   * @param {CallLimits} [limits]
   * @returns {Promise<JsonObject>} the result
   */
  async request(method, params, { timeoutMs = this.#timeoutMs, signal } = {}) {
    if (this.#closed) throw new TypeError("this client is closed");
    const wait = waitMs(timeoutMs);
    const id = ++this.#calls;
    const request = { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
    const body = stringify({ session: this.#session, timeoutMs: wait, request });
    const { value } = await this.#connection.exchange("POST", "/rpc", body, {
      deadlineMs: wait + MARGIN_MS,
      signal,
    });
    return resultOf(value, id);
  }

  /**
   * What the app tells of itself: its name, limits, methods, revision.
   *
   * @param {CallLimits} [limits]
   */
  info(limits) {
    return this.request("agent/info", undefined, limits);
  }

  /**
   * The app's actions, in its own order.
   *
   * @param {string} [query] Words that all occur in name or description.
   * @param {CallLimits} [limits] For each page of the list.
   * @returns {Promise<ActionSummary[]>}
   */
  async actions(query, limits) {
    /** @type {ActionSummary[]} */
    const found = [];
    /** @type {JsonObject} */
    let params = query === undefined ? {} : { query };
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const page = await this.request("actions/list", params, limits);
      found.push(...page["actions"]);
      const cursor = page["nextCursor"];
      if (typeof cursor !== "string") return found;
      if (cursor === params["cursor"]) break;
      params = { ...params, cursor };
    }
    throw new BridgeFailure("BAD_ANSWER", "The page's list of actions has no end.");
  }

  /**
   * @param {string} action
   * @param {CallLimits} [limits]
   * @returns {Promise<ActionDescription>}
   */
  async describe(action, limits) {
    const result = await this.request("actions/describe", { action }, limits);
    return { ...result["action"], revision: result["revision"] ?? null };
  }

  /**
   * Execute an action. A write of an app that has revisions needs `expectedRevision`. What fails while
   * "latest" is read was no call: nothing was done.
   *
   * Where the owner of the page has to be asked first, the call waits for the answer: a no is an
   * `ActionError`. The client's own `timeoutMs` leaves the owner their time, the call's bounds all of it:
   * past it the question stays with them. Without `waitForConsent` the call comes back deferred, with
   * `progress` of reason "consent".
   *
   * @param {string} action
   * @param {JsonObject} [input]
   * @param {CallOptions} [options]
   * @returns {Promise<CallResult>}
   */
  async call(action, input, { expectedRevision, waitForConsent = true, ...limits } = {}) {
    const until = limits.timeoutMs === undefined ? Infinity : Date.now() + limits.timeoutMs;
    const revision =
      expectedRevision === "latest"
        ? await this.#latestRevision(action, limits)
        : (expectedRevision ?? null);
    const result = await this.request(
      "actions/execute",
      {
        action,
        ...(input === undefined ? {} : { input }),
        ...(revision === null ? {} : { expectedRevision: revision }),
      },
      limits,
    );
    const task = result["task"] ?? null;
    if (waitForConsent && asksOwner(task)) {
      const send = this.request.bind(this);
      return afterConsent(task.id, send, { until, signal: limits.signal });
    }
    return {
      status: result["status"],
      output: result["output"],
      task,
      revision: result["revision"] ?? null,
    };
  }

  /**
   * @param {string} action
   * @param {CallLimits} limits
   */
  async #latestRevision(action, limits) {
    try {
      return (await this.describe(action, limits)).revision;
    } catch (error) {
      if (error instanceof BasculeError) {
        const outcome = error instanceof ActionError ? null : "not_delivered";
        Object.assign(error, { outcome });
      }
      throw error;
    }
  }

  /**
   * The app's own view of its state.
   *
   * @param {JsonObject} [query]
   * @param {CallLimits} [limits]
   */
  inspect(query, limits) {
    return this.request("state/inspect", query, limits);
  }

  /**
   * @param {string} id
   * @param {CallLimits} [limits]
   * @returns {Promise<Task>}
   */
  async task(id, limits) {
    return (await this.request("tasks/get", { id }, limits))["task"];
  }

  /**
   * Ask to cancel a task; it may come to its end all the same.
   *
   * @param {string} id
   * @param {CallLimits} [limits]
   * @returns {Promise<Task>}
   */
  async cancelTask(id, limits) {
    return (await this.request("tasks/cancel", { id }, limits))["task"];
  }

  /**
   * Wait for the end of a task: completed, failed or cancelled.
   *
   * @param {string} id
   * @param {CallLimits} [limits] For all of it.
   * @returns {Promise<Task>}
   * @throws {DeadlineExceeded} when it has not ended by then; it goes on
   */
  async waitTask(id, { timeoutMs = this.#timeoutMs, signal } = {}) {
    const until = Date.now() + timeoutMs;
    for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(2 * lookMs, LAST_LOOK_MS)) {
      const task = await this.task(id, { timeoutMs: Math.max(1, until - Date.now()), signal });
      if (hasEnded(task)) return task;
      if (Date.now() + lookMs >= until) {
        throw new DeadlineExceeded("DEADLINE_EXCEEDED", "The task has not ended; it goes on.", {
          outcome: "unknown",
        });
      }
      await wait(lookMs, undefined, { signal }).catch(() => {
        throw new CallAborted(signal?.reason, "unknown");
      });
    }
  }

  /**
   * Which calls of anybody's began and ended after an event.
   *
   * @param {number | null} after The `next` of the answer before; 0 for all that the bridge still knows,
   *   null for what comes from now on.
   * @param {{ waitMs?: number, signal?: AbortSignal }} [limits] How long to wait for one, 20 s at most.
   * @returns {Promise<CallEvents>}
   */
  async calls(after, { waitMs = 0, signal } = {}) {
    const body = stringify({ after, waitMs });
    const until = { deadlineMs: waitMs + STATUS_MS, signal };
    return (await this.#connection.exchange("POST", "/calls", body, until)).value;
  }

  /**
   * What the bridge tells of itself: whether a page is attached, the queue, counters.
   *
   * @param {CallLimits} [limits]
   * @returns {Promise<JsonObject>}
   */
  async status({ timeoutMs = STATUS_MS, signal } = {}) {
    const until = { deadlineMs: timeoutMs, signal };
    return (await this.#connection.exchange("GET", "/status", null, until)).value;
  }

  /** Release the session in the page, where it is still to be had, and close the connections. */
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    try {
      const body = stringify({ session: this.#session });
      await this.#connection.exchange("POST", "/session/close", body, { deadlineMs: STATUS_MS });
    } catch (error) {
      // A bridge that is gone has released everything.
      if (!(error instanceof BridgeFailure)) throw error;
    } finally {
      this.#connection.close();
    }
  }

  /** For `await using`. */
  [Symbol.asyncDispose]() {
    return this.close();
  }
}

/**
 * Make a client of the app that is attached to a bridge. Nothing is sent before the first call.
 *
 * @param {BridgeLike} bridge What `startBridge` gave, or any `{ url, token }`.
 * @param {{ session?: string, timeoutMs?: number }} [options] `timeoutMs` for each call, 30 s by default.
 * @returns {AppClient} call its `close()` at the end
 * @throws {TypeError} for an address or a token that no bridge has
 */
export function connect(bridge, { session = `node-${randomUUID()}`, timeoutMs = LONGEST_MS } = {}) {
  return new AppClient(new BridgeConnection(bridge), { session, timeoutMs: waitMs(timeoutMs) });
}

/** @param {number} timeoutMs */
function waitMs(timeoutMs) {
  if (!(timeoutMs > 0)) throw new RangeError("timeoutMs must be above 0");
  return Math.min(Math.max(1, Math.round(timeoutMs)), LONGEST_MS);
}

/**
 * @param {any} response
 * @param {number} id
 * @returns {JsonObject}
 */
function resultOf(response, id) {
  const bad = () =>
    new BridgeFailure("BAD_ANSWER", "The page answered with something that is no response.", {
      outcome: "unknown",
    });
  if (response === null || typeof response !== "object" || response.jsonrpc !== "2.0") throw bad();
  const { error, result } = response;
  if (error !== undefined) {
    if (typeof error?.code !== "number" || typeof error.message !== "string") throw bad();
    const data = error.data !== null && typeof error.data === "object" ? error.data : {};
    throw new ActionError(error.code, error.message, data);
  }
  if (response.id !== id || result === null || typeof result !== "object") throw bad();
  return result;
}
