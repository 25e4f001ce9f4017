// @ts-check
/** Who watches calls begin and end: a panel, say. What a watcher throws changes nothing. */

import { contractCode } from "./app_error.js";
import { Observers } from "./observers.js";

/**
 * @typedef {object} CallEvent What an observer is told.
 * @property {"begin" | "end"} phase
 * @property {number} call Counts calls; the same for begin and end.
 * @property {string} action
 * @property {"read" | "write"} kind
 * @property {string | undefined} session Undefined for a local call.
 * @property {boolean} [ok] At the end.
 * @property {string} [code] At the end of one that failed: the error's code.
 * @property {boolean} [deferred] At the end of one that goes on as a task.
 * @property {number} [durationMs] At the end.
 */

/**
 * Tells the end of one call.
 *
 * @typedef {{ done: (deferred: boolean) => void, failed: (error: unknown) => void }} CallEnd
 */

/** The observers of one dispatcher. */
export class CallObservers {
  /** @param {() => number} now Milliseconds. */
  constructor(now) {
    this._now = now;
    this._calls = 0;
    /** @type {Observers<CallEvent>} */
    this._observers = new Observers();
  }

  /**
   * @param {(event: CallEvent) => void} observer
   * @returns {() => void} Ends the watching.
   */
  add(observer) {
    return this._observers.add(observer);
  }

  /**
   * Tells that a call begins.
   *
   * @param {Pick<CallEvent, "action" | "kind" | "session">} what
   * @returns {CallEnd}
   */
  begin(what) {
    if (this._observers.size === 0) return { done: () => {}, failed: () => {} };
    const call = ++this._calls;
    const start = this._now();
    this._observers.notify({ phase: "begin", call, ...what });
    /** @param {Pick<CallEvent, "ok" | "code" | "deferred">} how */
    const end = (how) =>
      this._observers.notify({
        phase: "end",
        call,
        ...what,
        ...how,
        durationMs: this._now() - start,
      });
    return {
      done: (deferred) => end({ ok: true, deferred }),
      failed: (error) =>
        end({
          ok: false,
          deferred: false,
          code: contractCode(error) ?? "HOST_ERROR",
        }),
    };
  }
}
