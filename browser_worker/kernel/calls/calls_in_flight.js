// @ts-check
/** Which calls are in flight, by who made them: so that they can be counted, and ended with their ends. */

/** @import { BusError } from "../../contract/bus_error.js" */
/** @import { Endpoint } from "../endpoints/endpoint.js" */
/** @import { CallSource } from "./broker.js" */

/**
 * @typedef {object} CallInFlight
 * @property {Endpoint | null} target Whose answer it needs; null for the page itself.
 * @property {boolean} hasBegun Whether something may have been done already.
 * @property {boolean} waits Whether all that it does is to wait for leave.
 * @property {(error: BusError, status: "cancelled" | "timed out" | "failed") => void} end Late it does
 *   nothing.
 */

/** @typedef {Pick<CallSource, "id" | "root">} Source */

export class CallsInFlight {
  constructor() {
    /** @type {Map<string, Set<CallInFlight>>} */
    this._bySource = new Map();
    /** On whose behalf each is made; those of the page itself are not in it. @type {Map<CallInFlight, string>} */
    this._subjects = new Map();
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
   * @param {Source} source
   * @param {CallInFlight} call
   */
  add({ id, root }, call) {
    const calls = this._bySource.get(id);
    if (calls === undefined) this._bySource.set(id, new Set([call]));
    else calls.add(call);
    if (root !== null) this._subjects.set(call, root.subject);
  }

  /**
   * @param {Source} source
   * @param {CallInFlight} call
   */
  remove({ id }, call) {
    const calls = this._bySource.get(id);
    if (calls?.delete(call) && calls.size === 0) this._bySource.delete(id);
    this._subjects.delete(call);
  }

  /**
   * Those that only wait for leave on behalf of a subject, whoever made them.
   *
   * @param {string} subject
   * @returns {CallInFlight[]} A copy.
   */
  waitingFor(subject) {
    return [...this._subjects].flatMap(([call, of]) =>
      of === subject && call.waits ? [call] : [],
    );
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
