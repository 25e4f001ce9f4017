// @ts-check
/**
 * On whose behalf an app runs a tool: each routed call has a token of its own, known to the endpoint
 * that runs it, and dead when the call ends. What an app calls with it is called for the root, whoever
 * is between. Contract: bus, provenance.
 */

import { BusError } from "../../contract/bus_error.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { EndReason } from "./call_end.js";
import { LateSignal } from "./late_signal.js";

/** @import { Endpoint } from "../endpoints/endpoint.js" */

/**
 * @typedef {object} Root Who began, and what its grants are kept by.
 * @property {"app" | "external" | "agent"} kind
 * @property {string} subject `app:notes`, `external:bridge:SESSION`, `agent:assistant:agent_run`.
 * @property {string | null} app Null for a terminal.
 * @property {string | null} version Of the app.
 * @property {string | null} entrypoint Of an agent: the tool that its turn began with.
 * @property {string | null} session Names an agent's turn, or a terminal's session.
 * @property {AbortSignal | null} signal Aborts, with a `BusError`, where the root is stopped.
 */

/**
 * @typedef {object} Invocation
 * @property {string} token
 * @property {Root} root
 * @property {Invocation | null} parent
 * @property {string} endpoint That runs it.
 * @property {string} session Of that endpoint.
 * @property {string} app
 * @property {number} depth 1 for what the root itself has called.
 * @property {AbortSignal} signal Aborts when it is dead, with a `BusError`: what was called by it ends too.
 */

/** @typedef {Invocation & { life: LateSignal }} Kept */

/** One for all, since an error looks where it was made. */
const OVER = Object.freeze(
  new EndReason("INVOCATION_INVALID", "The call that this one belonged to is over"),
);

export class Invocations {
  /** @param {() => string} newId Names that nobody can guess. */
  constructor(newId) {
    this._newId = newId;
    /** @type {Map<string, Kept>} */
    this._live = new Map();
  }

  /** How many are live. */
  get size() {
    return this._live.size;
  }

  /**
   * Begins one, for a call that an endpoint is about to be asked for.
   *
   * @param {Root} root
   * @param {Endpoint} target
   * @param {Invocation | null} parent
   * @returns {Invocation}
   * @throws {BusError} `INVOCATION_INVALID` where the parent is dead; `TOO_MANY_CALLS`, or for an agent
   *   `AGENT_MODE_LIMIT`, for a nesting that is too deep.
   */
  begin(root, target, parent) {
    if (parent !== null && !this._live.has(parent.token)) throw invalid();
    const depth = (parent?.depth ?? 0) + 1;
    const most = BUS_LIMITS.maxInvocationDepth;
    if (depth > most) {
      const text = `Calls are nested ${most} deep at most; nothing was run.`;
      throw new BusError(root.kind === "agent" ? "AGENT_MODE_LIMIT" : "TOO_MANY_CALLS", text);
    }
    const life = new LateSignal(() => OVER);
    /** @type {Kept} */
    const invocation = {
      token: this._newId(),
      root,
      parent,
      endpoint: target.id,
      session: target.session,
      app: target.place.app,
      depth,
      life,
      get signal() {
        return life.signal;
      },
    };
    this._live.set(invocation.token, invocation);
    return invocation;
  }

  /**
   * The call is over, however it ended: what was called by it and has not ended is called no longer.
   *
   * @param {Invocation} invocation
   */
  end(invocation) {
    const kept = this._live.get(invocation.token);
    if (kept === undefined) return;
    this._live.delete(invocation.token);
    kept.life.end();
  }

  /**
   * Finds whose token it is.
   *
   * @param {Endpoint} endpoint That uses it.
   * @param {string} token
   * @returns {Invocation}
   * @throws {BusError} `INVOCATION_INVALID` where it is dead, or another's.
   */
  find(endpoint, token) {
    const found = this._live.get(token);
    if (found?.endpoint !== endpoint.id || found.session !== endpoint.session) throw invalid();
    return found;
  }

  /**
   * A call that an app runs for somebody else: for a terminal, for another app, or for an agent, its own
   * included.
   *
   * @param {string} app
   * @returns {Invocation | undefined}
   */
  foreignTo(app) {
    for (const invocation of this._live.values()) {
      if (invocation.app !== app) continue;
      if (invocation.root.kind === "agent" || invocation.root.app !== app) return invocation;
    }
    return undefined;
  }

  /**
   * The endpoints between the root and whoever calls by this.
   *
   * @param {Invocation | null} invocation
   * @returns {string[]}
   */
  via(invocation) {
    /** @type {string[]} */
    const chain = [];
    for (let each = invocation; each !== null; each = each.parent) chain.unshift(each.endpoint);
    return chain;
  }
}

function invalid() {
  return new BusError(
    "INVOCATION_INVALID",
    "The call that this belonged to is over, or was another's; nothing was run. Calls of a tool go by its own context.kernel, while it runs.",
  );
}
