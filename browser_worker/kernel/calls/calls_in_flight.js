// @ts-check
/** Which calls are in flight, by who made them: so that they can be counted, and ended with their ends. */

/** @import { BusError } from "../../contract/bus_error.js" */
/** @import { Endpoint } from "../endpoints/endpoint.js" */

/**
 * @typedef {object} CallInFlight
 * @property {Endpoint | null} target Whose answer it needs; null for the page itself.
 * @property {boolean} hasBegun Whether something may have been done already.
 * @property {(error: BusError, status: "cancelled" | "timed out" | "failed") => void} end Late it does
 *   nothing.
 */

export class CallsInFlight {
  constructor() {
    /** @type {Map<string, Set<CallInFlight>>} */
    this._bySource = new Map();
  }

  /** How many there are in all. */
  get size() {
    let size = 0;
    for (const calls of this._bySource.values()) size += calls.size;
    return size;
  }

  /** @param {string} source */
  countOf(source) {
    return this._bySource.get(source)?.size ?? 0;
  }

  /**
   * @param {string} source
   * @param {CallInFlight} call
   */
  add(source, call) {
    const calls = this._bySource.get(source);
    if (calls === undefined) this._bySource.set(source, new Set([call]));
    else calls.add(call);
  }

  /**
   * @param {string} source
   * @param {CallInFlight} call
   */
  remove(source, call) {
    const calls = this._bySource.get(source);
    if (calls?.delete(call) && calls.size === 0) this._bySource.delete(source);
  }

  /** @param {string} source @returns {CallInFlight[]} A copy. */
  of(source) {
    return [...(this._bySource.get(source) ?? [])];
  }

  /** @returns {CallInFlight[]} A copy. */
  all() {
    return [...this._bySource.values()].flatMap((calls) => [...calls]);
  }
}
