// @ts-check
/** The requests of one session that are not answered yet, so that they can be cancelled. Contract: MCP. */

import { numberToken } from "../contract/json_number.js";
import { Observers } from "./observers.js";

/** @import { JsonNumber } from "../contract/json_number.js" */

/** One request: whether it is still wanted. */
export class CallMark {
  /** @param {unknown} id A valid one. */
  constructor(id) {
    this.key = keyOf(id);
    this.cancelled = false;
    /** @type {Observers<void>} */
    this._observers = new Observers();
  }

  /**
   * Watches for its cancellation.
   *
   * @param {() => void} observer
   * @returns {() => void} Ends the watching.
   */
  onCancel(observer) {
    return this._observers.add(observer);
  }

  /** Says that it is not wanted any more. */
  cancel() {
    this.cancelled = true;
    this._observers.notify();
  }
}

/**
 * The requests that are being handled. Two may have one id where many clients share a session: they
 * are cancelled together.
 */
export class InFlight {
  constructor() {
    /** @type {Set<CallMark>} */
    this._marks = new Set();
  }

  /**
   * Adds a request.
   *
   * @param {unknown} id
   * @returns {CallMark}
   */
  begin(id) {
    const mark = new CallMark(id);
    this._marks.add(mark);
    return mark;
  }

  /**
   * Takes a request out: it is answered.
   *
   * @param {CallMark} mark
   */
  end(mark) {
    this._marks.delete(mark);
  }

  /**
   * Says that a request is not wanted any more. One that is not known is nothing.
   *
   * @param {unknown} id
   */
  cancel(id) {
    const key = keyOf(id);
    for (const mark of this._marks) if (mark.key === key) mark.cancel();
  }
}

/**
 * Ids are the same by their tokens: `1` and `"1"` are two, and so are `1` and `1.0`.
 *
 * @param {unknown} id
 * @returns {string}
 */
function keyOf(id) {
  // No number begins with a quote.
  if (typeof id === "string") return `"${id}`;
  return numberToken(/** @type {number | bigint | JsonNumber} */ (id));
}
