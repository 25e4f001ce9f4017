// @ts-check
/**
 * How a call is told that something outside of it has ended it: a lock, a session, its deadline. The one
 * who ends many calls does not know how far each was; the call does, and says whether anything may have
 * been done. Contract: bus, calling.
 */

import { BusError } from "../../contract/bus_error.js";

/** @import { BusErrorCode } from "../../contract/bus_error.js" */

/** Why calls end, whatever each of them was at. */
export class EndReason extends BusError {
  /**
   * @param {BusErrorCode} code
   * @param {string} why A clause, without a stop: "The workspace was locked".
   * @param {{ data?: Record<string, unknown> }} [more]
   */
  constructor(code, why, more = {}) {
    super(code, `${why}; what was begun may have been done.`, more);
    /** @readonly */
    this.why = why;
  }
}

/**
 * What the caller of an ended call is told. Its `data.outcome` is `not_delivered`, where the tool was not
 * asked and another try is safe, or `unknown`.
 */
export class EndedCall extends BusError {
  /**
   * @param {BusError} reason
   * @param {boolean} begun Whether anything may have been done.
   */
  constructor(reason, begun) {
    const { code, message, retryAfterMs, data } = reason;
    super(code, reason instanceof EndReason ? `${reason.why}: ${doneSoFar(begun)}.` : message, {
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      data: { ...data, outcome: begun ? "unknown" : "not_delivered" },
    });
    /** @readonly */
    this.begun = begun;
  }
}

/**
 * @param {BusError} reason Of an `EndReason` the words are made anew; any other has to say by itself what
 *   may have been done.
 * @param {boolean} begun
 * @returns {EndedCall} The reason itself, where it is one.
 */
export function endedCall(reason, begun) {
  return reason instanceof EndedCall ? reason : new EndedCall(reason, begun);
}

/** @param {boolean} begun */
function doneSoFar(begun) {
  return begun ? "it may have been done, look before you try again" : "nothing was run";
}
