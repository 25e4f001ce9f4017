// @ts-check
/** Many deadlines on one timer: most calls end long before theirs, and need none of their own. */

/** @import { KernelPowers } from "./kernel_powers.js" */

export class Deadlines {
  /** @param {Pick<KernelPowers, "now" | "setTimer">} powers */
  constructor({ now, setTimer }) {
    this._now = now;
    this._setTimer = setTimer;
    /** @type {Map<object, { at: number, callback: () => void }>} */
    this._waiting = new Map();
    this._timerAt = Infinity;
    this._cancelTimer = () => {};
  }

  /**
   * Calls back once at a moment.
   *
   * @param {number} at Milliseconds of `now`.
   * @param {() => void} callback
   * @returns {() => void} Cancels it; harmless afterwards.
   */
  add(at, callback) {
    const key = {};
    this._waiting.set(key, { at, callback });
    if (at < this._timerAt) this._arm(at);
    return () => void this._waiting.delete(key);
  }

  /** Calls nobody back any more. */
  close() {
    this._waiting.clear();
    this._cancelTimer();
    this._timerAt = Infinity;
  }

  /** @param {number} at */
  _arm(at) {
    this._cancelTimer();
    this._timerAt = at;
    this._cancelTimer = this._setTimer(Math.max(0, at - this._now()), () => this._look());
  }

  _look() {
    this._timerAt = Infinity;
    const now = this._now();
    for (const [key, { at, callback }] of [...this._waiting]) {
      if (at <= now && this._waiting.delete(key)) callback();
    }
    let next = Infinity;
    for (const { at } of this._waiting.values()) next = Math.min(next, at);
    if (next < this._timerAt) this._arm(next);
  }
}
