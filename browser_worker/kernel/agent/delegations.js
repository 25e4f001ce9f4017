// @ts-check
/**
 * Tokens by which one call is made in the name of an invocation by code that has no client of its own:
 * for one target and tool, by the endpoint that asked for it, once and soon. Contract: bus, delegations.
 */

import { BusError } from "../../contract/bus_error.js";
import { BUS_LIMITS } from "../../contract/limits.js";

/** @import { Endpoint } from "../endpoints/endpoint.js" */
/** @import { Invocation } from "../calls/invocations.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */

/**
 * @typedef {object} Delegation
 * @property {Invocation} invocation
 * @property {string} endpoint
 * @property {string} session Of that endpoint.
 * @property {string} target
 * @property {string} tool
 * @property {number} expiresAt On the clock of `now`.
 */

/** @typedef {{ delegation: string, expiresInMs: number }} Delegated */

export class Delegations {
  /** @param {Pick<KernelPowers, "now" | "newId">} powers */
  constructor(powers) {
    this._powers = powers;
    /** By token, oldest first. @type {Map<string, Delegation>} */
    this._pending = new Map();
  }

  /** How many can be used now. */
  get size() {
    this._purge();
    return this._pending.size;
  }

  /**
   * Gives a token.
   *
   * @param {Invocation} invocation A live one, of the endpoint's.
   * @param {Endpoint} endpoint
   * @param {{ target: string, name: string }} call
   * @returns {Delegated}
   * @throws {BusError} `TOO_MANY_CALLS`
   */
  give(invocation, endpoint, { target, name }) {
    this._purge();
    const pending = [...this._pending.values()];
    const ofEndpoint = pending.filter((each) => each.endpoint === endpoint.id);
    this._requireRoom(ofEndpoint, BUS_LIMITS.maxDelegationsOfEndpoint, "of this endpoint");
    this._requireRoom(pending, BUS_LIMITS.maxDelegations, "in all");
    const token = this._powers.newId();
    const expiresInMs = BUS_LIMITS.delegationSeconds * 1000;
    this._pending.set(token, {
      invocation,
      endpoint: endpoint.id,
      session: endpoint.session,
      target,
      tool: name,
      expiresAt: this._powers.now() + expiresInMs,
    });
    return { delegation: token, expiresInMs };
  }

  /**
   * Uses a token up.
   *
   * @param {Endpoint} endpoint That calls.
   * @param {string} token
   * @param {{ target: string, name: string }} call
   * @returns {Invocation} Under which the call is made.
   * @throws {BusError} `INVOCATION_INVALID`
   */
  redeem(endpoint, token, { target, name }) {
    this._purge();
    const found = this._pending.get(token);
    // Who has no right to it does not use it up.
    if (found?.endpoint !== endpoint.id || found.session !== endpoint.session) throw invalid();
    this._pending.delete(token);
    if (found.target !== target || found.tool !== name) throw invalid();
    return found.invocation;
  }

  /** Forgets what can be used no more. */
  _purge() {
    const now = this._powers.now();
    for (const [token, { expiresAt, invocation }] of this._pending) {
      if (expiresAt <= now || invocation.signal.aborted) this._pending.delete(token);
    }
  }

  /**
   * @param {readonly Delegation[]} pending Oldest first.
   * @param {number} most
   * @param {string} where
   */
  _requireRoom(pending, most, where) {
    const [oldest] = pending;
    if (oldest === undefined || pending.length < most) return;
    const text = `${most} delegations ${where} are unused; none was given. Use one, or wait.`;
    const retryAfterMs = Math.ceil(oldest.expiresAt - this._powers.now());
    throw new BusError("TOO_MANY_CALLS", text, { retryAfterMs });
  }
}

function invalid() {
  return new BusError(
    "INVOCATION_INVALID",
    "The delegation was used, has expired, or was given for another call; nothing was run. Ask for a new one.",
  );
}
